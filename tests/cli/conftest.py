"""Files and rows that tests of the command share."""

from __future__ import annotations

from pathlib import Path

import joblib
import pytest
from sklearn.linear_model import LogisticRegression
from tests.cli.calling import loans


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the loans, models of them and rules about them."""
    path = tmp_path_factory.mktemp("loans")
    table = loans()
    table.to_csv(path / "loans.csv", index=False)
    numbers = table[["income", "debts"]]
    numbers.to_csv(path / "numbers.csv", index=False)
    numbers[["income"]].to_csv(path / "incomes.csv", index=False)
    model = LogisticRegression().fit(numbers, table["risk"])
    joblib.dump(model, path / "model.joblib")
    (path / "rules.toml").write_text('[debts]\nchange = "decrease"\n')
    (path / "frozen.toml").write_text('[debts]\nchange = "never"\n[income]\nchange = "never"\n')
    return path


@pytest.fixture(scope="module")
def rows() -> dict[str, int]:
    """A row of each outcome, clear enough for any sensible model."""
    table = loans()
    margin = table["income"] - 6 * table["debts"]
    return {"good": int(margin.argmax()), "bad": int(margin.argmin())}
