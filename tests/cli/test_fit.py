"""`facelift fit`: an explainer saved for later."""

from __future__ import annotations

import joblib
import pytest
from tests.cli.calling import loans, one_line, run

import facelift
from facelift import cli


def test_fitting_saves_an_explainer_for_later(folder, rows, tmp_path):
    model = ["--model", folder / "model.joblib", "--trust-pickle"]
    rules = ["--rules", folder / "rules.toml"]
    result = run("fit", folder / "numbers.csv", *model, *rules, "--save", tmp_path / "saved")
    assert result.exit_code == 0, result.output
    table = loans()[["income", "debts"]]
    loaded = facelift.FACElift.load(tmp_path / "saved", model=joblib.load(folder / "model.joblib"))
    assert f"{len(loaded.graph_)} different records" in result.stdout
    terrain = facelift.Terrain.infer(table).decrease_only("debts")
    fitted = facelift.FACElift(loaded.model, terrain).fit(table)
    case = table.iloc[rows["bad"]]
    assert loaded.explain(case).to_json() == fitted.explain(case).to_json()


def test_nobodys_true_outcome_is_saved(folder, tmp_path):
    model = ["--model", folder / "model.joblib", "--trust-pickle", "--target-column", "risk"]
    run("fit", folder / "loans.csv", *model, "--save", tmp_path / "saved")
    loaded = facelift.FACElift.load(tmp_path / "saved", model=joblib.load(folder / "model.joblib"))
    assert loaded.truths_ is None


def test_fitting_on_a_cluster_that_is_not_there_saves_nothing(folder, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra dask")
    monkeypatch.setattr("facelift.interop.dask.PATIENCE", 1)
    model = ["--model", folder / "model.joblib", "--trust-pickle", "--save", tmp_path / "saved"]
    result = run("fit", folder / "numbers.csv", *model, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == cli.USAGE
    assert "no Dask scheduler" in one_line(result.stderr)
    assert not (tmp_path / "saved").exists()
