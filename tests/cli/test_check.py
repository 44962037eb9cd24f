"""`facelift check` says whether a certificate holds, by its exit code, too."""

import json

import joblib
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression

import facelift as fl
from facelift.cli import BAD_DATA, ERROR, USAGE, commands


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
    found = called(files, "more.json")
    assert found.exit_code == ERROR
    assert found.stderr.count("\n") == 1
    assert "is claimed" in found.stderr


def test_files_that_are_none_are_told_by_the_exit_code(files):
    (files / "none.json").write_text("{}")
    assert called(files, "none.json").exit_code == BAD_DATA
    assert called(files, "missing.json").exit_code == USAGE
