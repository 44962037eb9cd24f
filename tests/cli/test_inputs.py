"""What commands are given: a table to fit on the spot, or the folder of a saved explainer."""

from __future__ import annotations

import json
from pathlib import Path

import joblib
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.cli.calling import loans, one_line, run

from facelift import FACElift, cli

STEPS = ("rows", "actions")


@pytest.fixture(scope="module")
def saved(folder) -> Path:
    """Folders that `facelift fit` wrote, by their steps; and one of a model trained on the spot."""
    rules = ["--rules", folder / "rules.toml"]
    for steps in STEPS:
        where = ["--steps", steps, "--save", folder / steps]
        assert run("fit", folder / "numbers.csv", *model(folder), *rules, *where).exit_code == 0
    trained = ["--target-column", "risk", "--save", folder / "trained"]
    assert run("fit", folder / "loans.csv", *rules, *trained).exit_code == 0
    return folder


def model(folder: Path) -> list[object]:
    return ["--model", folder / "model.joblib", "--trust-pickle"]


def told(*arguments: object) -> dict[str, object]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def both(
    command: str, saved: Path, name: str, table: str, *more: object
) -> list[dict[str, object]]:
    """What a command answers from the table and its rules, and from the table and the folder."""
    from_table = ["--rules", saved / "rules.toml"]
    from_folder = ["--explainer", saved / name]
    return [
        told(command, saved / table, *more, *from_table),
        told(command, saved / table, *more, *from_folder),
    ]


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize(
    "command",
    [
        ("explain", "--threshold", 0.6),
        ("explain", "--freeze", "debts", "--neighbors", 5),
        ("contingency", "--loss", 0.3),
    ],
    ids=str,
)
def test_a_saved_explainer_answers_as_the_table_does(saved, rows, steps, command):
    name, *more = command
    asked = [*model(saved), "--row", rows["bad"], *more]
    table, folder = both(name, saved, steps, "numbers.csv", *asked, "--steps", steps)
    assert folder == table
    assert told(name, "--explainer", saved / steps, *asked) == table


def test_looking_back_from_a_saved_explainer_is_the_same(saved, rows):
    asked = [*model(saved), "--row", rows["bad"]]
    table, folder = both("retrospect", saved, "rows", "numbers.csv", *asked)
    assert folder == table
    assert told("retrospect", "--explainer", saved / "rows", *asked) == table


@pytest.mark.parametrize("steps", STEPS)
def test_an_audit_of_a_saved_explainer_is_the_same(saved, steps):
    asked = [*model(saved), "--target", "good", "--by", "debts:2", "--sample", 40]
    table, folder = both("audit", saved, steps, "loans.csv", *asked, "--steps", steps)
    assert folder == table
    assert told("audit", "--explainer", saved / steps, *asked) == table


def test_the_small_model_is_trained_again_on_the_same_table(saved, rows):
    asked = ["--target-column", "risk", "--row", rows["bad"], "--steps", "rows"]
    table, folder = both("explain", saved, "trained", "loans.csv", *asked)
    assert folder == table


def test_what_the_command_line_leaves_out_is_as_it_was_saved(folder, tmp_path):
    fitted = joblib.load(folder / "model.joblib")
    table = pd.read_csv(folder / "numbers.csv")
    FACElift(fitted, threshold=0.9, max_steps=40).fit(table).save(tmp_path / "sure")
    asked = ["--explainer", tmp_path / "sure", *model(folder), "--row", 0, "--target", "good"]
    assert told("explain", *asked)["goal"]["threshold"] == 0.9
    assert told("explain", *asked, "--threshold", 0.7)["goal"]["threshold"] == 0.7


def test_a_saved_explainer_brings_its_rules_and_says_nothing_of_none(saved, rows):
    asked = ["explain", saved / "numbers.csv", "--explainer", saved / "rows", *model(saved)]
    assert cli.NO_RULES not in run(*asked, "--row", rows["bad"]).stderr


def test_a_case_that_is_not_in_the_saved_table_can_be_explained(saved, tmp_path):
    loans()[["debts", "income"]].iloc[[0]].assign(income=11, debts=4).to_csv(tmp_path / "new.csv")
    asked = ["--explainer", saved / "rows", *model(saved), "--row", 0, "--target", "good"]
    found = told("explain", tmp_path / "new.csv", *asked)
    assert found["journeys"]


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("--rules", "rules.toml"), 2, "has its rules already"),
        (("--prototypes", 3), 2, "leave --prototypes out"),
        (("--steps", "actions"), 2, "was fitted with --steps rows"),
        (("--row", 999), 2, "There is no row 999"),
    ],
    ids=str,
)
def test_what_does_not_go_with_a_saved_explainer_is_one_line(saved, more, code, words):
    given = [saved / each if each == "rules.toml" else each for each in more]
    asked = ["--explainer", saved / "rows", *model(saved)]
    result = run("explain", saved / "numbers.csv", "--row", 0, *asked, *given)
    assert result.exit_code == code
    assert words in one_line(result.stderr)


def test_a_saved_explainer_needs_its_model(saved):
    result = run("explain", "--row", 0, "--explainer", saved / "rows")
    assert result.exit_code == cli.USAGE
    assert "needs its --model" in one_line(result.stderr)
    result = run("explain", "--row", 0, *model(saved))
    assert result.exit_code == cli.USAGE
    assert "--explainer" in one_line(result.stderr)


def test_prototypes_have_no_rows_to_ask_about(saved, tmp_path):
    kept = ["--prototypes", 5, "--save", tmp_path / "kept"]
    assert run("fit", saved / "numbers.csv", *model(saved), *kept).exit_code == 0
    asked = ["explain", "--row", 0, "--explainer", tmp_path / "kept", *model(saved)]
    assert "holds prototypes, not rows" in one_line(run(*asked).stderr)
    assert run("explain", saved / "numbers.csv", *asked[1:]).exit_code == 0


def test_another_model_than_the_one_it_was_fitted_with_is_refused(saved, tmp_path):
    table = loans()
    other = LogisticRegression(C=1e-4).fit(table[["income", "debts"]], table["risk"])
    joblib.dump(other, tmp_path / "other.joblib")
    asked = ["--model", tmp_path / "other.joblib", "--trust-pickle", "--row", 0]
    result = run("explain", "--explainer", saved / "rows", *asked)
    assert result.exit_code == cli.BAD_DATA
    assert "answers differently" in one_line(result.stderr)
