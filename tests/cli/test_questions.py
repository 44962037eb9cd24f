"""`facelift contingency` and `facelift retrospect`, as people call them."""

from __future__ import annotations

import json

import joblib
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression
from tests.cli.planning import make_loans, run

import facelift as fl
from facelift import cli
from facelift.cli import BAD_DATA, ERROR, USAGE, commands
from facelift.steps.proof import sealed


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    return make_loans(tmp_path_factory.mktemp("plans"))


def test_a_plan_names_its_fallbacks_and_what_it_is_compared_with(loans):
    result = run(loans, "contingency", "--loss", "0.1")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Expected cost ")
    assert "loses each destination with a chance of 10%" in lines[0]
    assert lines[2].startswith("1. To ")
    assert "If it is lost by then" in lines[2]
    assert lines[-1].startswith("Expected cost: plan ")


def test_a_plan_is_json_too(loans):
    found = json.loads(run(loans, "contingency", "--dead-end", "9", "--json").stdout)
    assert found["loss"] == 0.2
    assert found["dead_end"] == 9
    assert found["expected"] == found["compared"]["plan"] <= found["compared"]["shortest first"]
    assert 0 <= found["arrives"] <= 1
    assert {"heading", "changes", "fallback"} <= found["steps"][0].keys()


def test_no_way_to_plan_with_is_told_as_such(loans):
    folder, _ = loans
    frozen = folder / "frozen.toml"
    frozen.write_text('[debts]\nchange = "never"\n[income]\nchange = "never"\n')
    result = run(loans, "contingency", "--rules", str(frozen))
    assert result.exit_code == cli.NO_WAY


def test_histories_are_told_with_their_last_fork(loans):
    rising = loans[0] / "rising.toml"
    rising.write_text('[debts]\nchange = "increase"\n')
    result = run(loans, "retrospect", "-n", "2", "--rules", str(rising))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("1. From a record with good")
    assert result.stdout.count("← here it was lost") == 2


def test_nobody_to_come_from_is_no_way(loans):
    frozen = loans[0] / "kept.toml"
    frozen.write_text('[debts]\nchange = "never"\n[income]\nchange = "increase"\n')
    result = run(loans, "retrospect", "--rules", str(frozen))
    assert result.exit_code == cli.NO_WAY
    assert "No record with good leads to this case" in result.stdout


def test_histories_are_json_too(loans):
    folder, row = loans
    given = ["retrospect", str(folder / "loans.csv"), "--target-column", "risk", "--target", "good"]
    result = CliRunner().invoke(cli.commands, [*given, "--row", str(row), "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["goal"] == "good"
    assert len(found["histories"]) == 3
    assert found["histories"][0]["fork"] is None or "changes" in found["histories"][0]["fork"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check")
    line = pd.DataFrame({"x": range(11)})
    model = LogisticRegression().fit(line, line["x"] > 4)
    found = fl.FACElift(model, steps="actions").fit(line).explain(line.iloc[[2]])
    (folder / "proof.json").write_text(fl.views.certificate(found), encoding="utf-8")
    joblib.dump(model, folder / "model.joblib")
    return folder


def called(folder, name="proof.json", *more):
    words = [str(folder / name), "--model", str(folder / "model.joblib"), "--trust-pickle", *more]
    return CliRunner().invoke(commands, ["check", *words])


def test_a_certificate_that_holds_is_a_result(files):
    found = called(files)
    assert found.exit_code == 0
    assert found.stdout.startswith("The certificate holds: no combination of the levels listed")
    assert json.loads(called(files, "proof.json", "--json").stdout)["n_boxes"] >= 1


def test_a_certificate_that_claims_too_much_is_an_error_of_one_line(files):
    document = json.loads((files / "proof.json").read_text())
    document["claim"]["bound"] *= 2
    (files / "more.json").write_text(json.dumps(document))
    assert called(files, "more.json").exit_code == BAD_DATA  # it was changed
    (files / "more.json").write_text(json.dumps(sealed(document)))
    found = called(files, "more.json")
    assert found.exit_code == ERROR
    assert found.stderr.count("\n") == 1
    assert "is claimed" in found.stderr


def test_files_that_are_none_are_told_by_the_exit_code(files):
    (files / "none.json").write_text("{}")
    assert called(files, "none.json").exit_code == BAD_DATA
    assert called(files, "missing.json").exit_code == USAGE
