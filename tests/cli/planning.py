"""A table of loans to plan and look back with, and how tests call the command about it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from click.testing import CliRunner

from facelift import cli


def make_loans(folder):
    """The table and its rules as files; the row of the person who needs most."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"income": rng.integers(20, 60, 120), "debts": rng.integers(0, 4, 120), "town": "A"}
    )
    table["risk"] = np.where(table["income"] - 5 * table["debts"] > 28, "good", "bad")
    table.to_csv(folder / "loans.csv", index=False)
    (folder / "rules.toml").write_text('[debts]\nchange = "decrease"\n')
    return folder, int((table["income"] - 5 * table["debts"]).argmin())


def run(loans, command, *more):
    folder, row = loans
    table, rules = str(folder / "loans.csv"), str(folder / "rules.toml")
    common = ["--target-column", "risk", "--target", "good", "--rules", rules, "--row", str(row)]
    return CliRunner().invoke(cli.commands, [command, table, *common, *more])
