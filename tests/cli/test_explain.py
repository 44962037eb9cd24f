"""`facelift explain`: tables, models, rules and outcomes in, journeys out."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import click
import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from tests.cli.calling import loans, one_line, run

from facelift import Multiverse, cli, toys
from facelift.cli import NO_WAY, USAGE, commands
from facelift.views.letters import LANGUAGES, REGIMES


def with_model(folder: Path, *more: object) -> Result:
    model = ["--model", folder / "model.joblib", "--trust-pickle"]
    return run("explain", folder / "numbers.csv", *model, *more)


def test_a_model_is_trained_on_the_target_column_and_says_so_aside(folder, rows):
    data = folder / "loans.csv"
    result = run("explain", data, "--row", rows["bad"], "--target-column", "risk")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Row {rows['bad']} ")
    assert "chance of good now" in result.stdout
    assert "Recommended" in result.stdout
    assert "Training" not in result.stdout
    training, no_rules = result.stderr.splitlines()
    assert training == "Training a small model (50 neurons) on the table …"
    assert no_rules == cli.NO_RULES


def test_criteria_are_all_that_ways_can_be_chosen_by(folder, rows):
    """Also how pairs of ways run together, and what nobody can tell without a committee."""
    data = (folder / "loans.csv", "--target-column", "risk")
    for more, told in (((), False), (("--committee", 2), True)):
        result = run("explain", *data, "--row", rows["bad"], "--criteria", "--json", *more)
        found = json.loads(result.stdout)
        every = {"proximity", "agency", "lateness", "simplicity", "branching", "steadiness"}
        every |= {"feasibility", "stability", "correctness"}
        assert every <= found["criteria"][0].keys()
        assert ("lasting" in found["criteria"][0]) == told
        n = len(found["journeys"])
        assert len(found["criteria"]) == n
        assert len(found["pairs"]) == n * (n - 1) / 2
        assert found["criteria"][0]["correctness"] == pytest.approx(
            1 - found["ground"][0]["wrong"] / found["ground"][0]["known"]
        )
        members = [way for each in found["families"] for way in each["members"]]
        assert sorted(members) == [*range(n)]
        assert len(found["expected_effort"]) == n > found["recommended"] >= 0
        assert found["independent_ways"] >= 1
        assert {row["way"] for row in found["stays_open"]} == set("ABCDEFG"[:n])
    printed = run("explain", *data, "--row", rows["bad"], "--criteria").stdout
    assert re.search(r"^feasibility +-", printed, re.MULTILINE)


class Recorded(LogisticRegression):
    """A model that keeps what it is asked about."""

    def predict_proba(self, X):
        if hasattr(self, "asked"):
            self.asked.append(X)
        return super().predict_proba(X)


@pytest.fixture
def hard(tmp_path, monkeypatch) -> tuple[list[pd.DataFrame], tuple[object, ...]]:
    """What a model is asked about, and a command whose search finds nothing at first."""
    table, data = np.random.default_rng(0).random((400, 8)).round(2), tmp_path / "hard.csv"
    table[0] = 0.1
    X = pd.DataFrame(table).add_prefix("x")
    X.to_csv(data, index=False)
    model = Recorded().fit(X, X.sum(axis=1) > 4)
    model.asked = []
    monkeypatch.setattr("facelift.cli.inputs.load_model", lambda *_: model)
    options = ("--row", 0, "--patience", 1, "--margin", 0.4, "--plausibility", 1)
    return model.asked, ("explain", data, "--model", data, *options)


def asked_at_a_terminal(monkeypatch, answer):
    """The questions somebody is asked there, who gives this answer; None for none."""
    questions = []

    def confirm(question, *, err):
        assert err, "stdout has the result alone"
        questions.append(question)
        if answer is None:
            raise click.Abort
        return answer

    monkeypatch.setattr(sys.modules["facelift.cli.explain"], "can_answer", lambda: True)
    monkeypatch.setattr(click, "confirm", confirm)
    return questions


def test_at_a_terminal_a_search_goes_on_from_where_it_stopped(hard, monkeypatch):
    """No state that was judged is judged again; only whoever says so waits longer."""
    asked, command = hard
    plain = run(*command)
    assert plain.exit_code == cli.NO_WAY
    questions = asked_at_a_terminal(monkeypatch, answer=False)
    declined = run(*command)
    assert (declined.exit_code, declined.stdout) == (plain.exit_code, plain.stdout)
    assert [question.endswith(" Search longer?") for question in questions] == [True]
    asked.clear()
    questions = asked_at_a_terminal(monkeypatch, answer=True)
    longer = run(*command)
    assert (longer.exit_code, len(questions)) == (0, 1)
    assert "Way A" in longer.stdout
    judged = pd.concat(asked[1:-1])  # after the table, and before what was found is asked again
    assert len(judged) > 1_000
    assert not judged[judged.ne(0.1).any(axis=1)].duplicated().any()  # all but the case itself


def test_a_question_that_is_interrupted_ends_the_command(hard, monkeypatch):
    asked_at_a_terminal(monkeypatch, answer=None)
    result = run(*hard[1])
    assert result.exit_code == 130
    assert result.stderr.endswith("facelift: interrupted\n")


def test_a_field_in_a_plane_tells_its_flow(rows, tmp_path):
    loans()[["income", "debts", "risk"]].to_csv(tmp_path / "plane.csv", index=False)
    asked = ("explain", tmp_path / "plane.csv", "--target-column", "risk", "--row", rows["bad"])
    for steps, told in (("field", True), ("rows", False)):
        found = json.loads(run(*asked, "--steps", steps, "--criteria", "--json").stdout)
        assert ("flow" in found) == told
        assert not told or {"way", "remaining", "dx", "divergence"} <= found["flow"][0].keys()


def test_a_field_keeps_to_where_records_are(tmp_path):
    """And its effort is told as what it is: a weighed one."""
    points = toys.moons(200).points
    across = pd.DataFrame(points, columns=["x", "y"])
    across.assign(end=points[:, 0] > 1.2).to_csv(tmp_path / "moons.csv", index=False)
    asked = ("explain", tmp_path / "moons.csv", "--target-column", "end", "--target", "True")
    asked += ("--row", across["x"].idxmin(), "--steps", "field", "--ways", 2)
    found = json.loads(run(*asked, "--json").stdout)
    assert min(len(each["step_costs"]) for each in found["journeys"]) > 5  # a straight line is one
    told = run(*asked, "--language", "en").stdout
    assert "as edges are weighed here" in told
    assert "1 is moving one number" not in told


def test_of_several_outcomes_every_way_says_which_it_reaches_and_keeps_open(tmp_path):
    wine = load_wine(as_frame=True)
    kinds = pd.Series(["a", "b", "c"])[wine.target].to_numpy()
    wine.data.iloc[:, :6].assign(kind=kinds).to_csv(tmp_path / "wine.csv", index=False)
    asked = ("explain", tmp_path / "wine.csv", "--target-column", "kind", "--row", 150)
    asked += ("--steps", "rows", "--ways", 20)
    found = json.loads(run(*asked, "--target", "a", "--or-target", "b", "--json").stdout)
    reached = [each["reaches"] for each in found["journeys"]]
    ends = [each["probabilities"][-1] for each in found["journeys"]]
    assert reached == ["ab"[int(np.argmax(end[:2]))] for end in ends]
    assert set(reached) == {"a", "b"}
    kept = json.loads(run(*asked, "--target", "a", "--keep-open", "b", "--json").stdout)
    assert (kept["kept"], len(kept["class_opportunity"])) == (["b"], len(kept["journeys"]))
    for wrong in (("--or-target", "b"), ("--target", "a", "--or-target", "z")):
        refused = run(*asked, *wrong)
        assert (refused.exit_code, bool(one_line(refused.stderr.splitlines()[-1]))) == (2, True)


def test_who_has_no_way_or_needs_none_has_no_criteria(folder, rows):
    asked = ("explain", folder / "loans.csv", "--target-column", "risk")
    asked += ("--row", rows["good"], "--target", "good", "--criteria")
    result = run(*asked, "--json")
    assert json.loads(result.stdout)["criteria"] == []
    assert "Empty" not in run(*asked).stdout


def test_outcomes_that_the_model_does_not_know_are_no_truths(folder, rows, tmp_path):
    table = loans()
    model = ("--model", folder / "model.joblib", "--trust-pickle", "--target-column", "risk")
    gaps = table["risk"].where(table.index != rows["good"])
    for known, risk in ((True, table["risk"]), (True, gaps), (False, table["risk"].str.upper())):
        table.assign(risk=risk).to_csv(tmp_path / "loans.csv", index=False)
        asked = ("explain", tmp_path / "loans.csv", "--row", rows["bad"], "--criteria", "--json")
        found = json.loads(run(*asked, *model, "--target", "good").stdout)
        assert {each["known"] >= 15 for each in found["ground"]} == {known}


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "--row", 0),
        ("explain", "--row", 0, "--committee", 2),
        ("audit", "--by", "town", "--target", "good"),
    ],
    ids=str,
)
def test_a_table_is_read_once(folder, monkeypatch, command):
    read, table = [], pd.read_csv
    monkeypatch.setattr(
        pd, "read_csv", lambda path, **more: read.append(path) or table(path, **more)
    )
    name, *more = command
    result = run(name, folder / "loans.csv", "--target-column", "risk", *more)
    assert result.exit_code == 0, result.stderr
    assert read == [folder / "loans.csv"]


def test_a_model_is_asked_about_its_own_columns_only(folder, rows):
    """The outcome, which the model was not fitted on, is nothing to change."""
    model = ["--model", folder / "model.joblib", "--trust-pickle", "--json"]
    result = run("explain", folder / "loans.csv", *model, "--row", rows["bad"])
    assert result.exit_code == 0
    assert list(Multiverse.from_json(result.stdout)[0].rows.columns) == ["income", "debts"]


def test_the_chance_needed_and_the_steps_allowed_can_be_set(folder, rows):
    wanted = ["--row", rows["bad"], "--threshold", "0.9", "--max-steps", "20", "--json"]
    result = with_model(folder, *wanted)
    multiverse = Multiverse.from_json(result.stdout)
    assert multiverse.goal.threshold == 0.9
    assert all(journey.chances[-1] >= 0.9 for journey in multiverse)
    result = with_model(folder, "--row", rows["bad"], "--max-steps", "1", "--json")
    assert all(journey.n_steps == 1 for journey in Multiverse.from_json(result.stdout))


def test_json_output_is_nothing_but_json(folder, rows):
    data = folder / "loans.csv"
    result = run("explain", data, "--row", rows["bad"], "--target-column", "risk", "--json")
    multiverse = Multiverse.from_json(result.stdout)
    assert len(multiverse) >= 1
    start = multiverse[0].rows.iloc[0].to_dict()
    assert start == loans().drop(columns="risk").iloc[rows["bad"]].to_dict()


def test_a_saved_model_is_asked_when_its_source_is_trusted(folder, rows):
    rules = ["--rules", folder / "rules.toml"]
    wanted = ["--row", rows["bad"], "--target", "good", "--ways", 2]
    result = with_model(folder, *wanted, *rules, "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    multiverse = Multiverse.from_json(result.stdout)
    assert 1 <= len(multiverse) <= 2
    asked = joblib.load(folder / "model.joblib").predict_proba(multiverse[0].rows)
    assert multiverse[0].probabilities == pytest.approx(asked)


def test_rules_are_obeyed(folder, rows):
    arguments = ("--row", rows["bad"], "--target", "good", "--json")
    free = Multiverse.from_json(with_model(folder, *arguments).stdout)
    ruled = with_model(folder, *arguments, "--rules", folder / "rules.toml")
    assert ruled.exit_code == 0
    journeys = list(Multiverse.from_json(ruled.stdout))
    assert journeys
    assert all(journey.rows["debts"].is_monotonic_decreasing for journey in journeys)
    assert len(free) >= 1


def test_a_numeric_outcome_can_be_named(rows, tmp_path):
    table = loans()
    table["risk"] = (table["risk"] == "good").astype(int)
    table.to_csv(tmp_path / "loans.csv", index=False)
    result = run(
        *("explain", tmp_path / "loans.csv", "--row", rows["bad"]),
        *("--target-column", "risk", "--target", "1", "--json"),
    )
    assert result.exit_code == 0
    assert Multiverse.from_json(result.stdout).goal.target == ("1",)


def test_someone_who_is_there_already_needs_nothing(folder, rows):
    result = with_model(folder, "--row", rows["good"], "--target", "good")
    assert result.exit_code == 0
    assert "Nothing needs to change" in result.stdout
    assert "No way" not in result.stdout


def test_no_way_within_the_rules_is_a_result_of_its_own(folder, rows):
    arguments = ("--row", rows["bad"], "--target", "good", "--rules", folder / "frozen.toml")
    result = with_model(folder, *arguments)
    assert result.exit_code == 3
    assert result.stdout.splitlines()[1].startswith("No way: ")
    assert result.stderr == ""
    told = with_model(folder, *arguments, "--json")
    assert told.exit_code == 3
    multiverse = Multiverse.from_json(told.stdout)
    assert len(multiverse) == 0
    assert multiverse.why_not.reason in ("no route", "no candidate")


HOPELESS = {
    "budget": ["--max-states", 2, "--max-steps", 1, "--threshold", 0.999],
    "steps": ["--max-steps", 1, "--threshold", 0.999],
    "rows": ["--steps", "rows", "--threshold", 1],
    "no route": ["--steps", "rows", "--neighbors", 1],
}


@pytest.mark.parametrize("asked", HOPELESS.values(), ids=HOPELESS)
def test_every_option_that_a_hint_names_can_be_given(folder, rows, asked):
    arguments = ("--row", rows["bad"], "--target", "good", *asked)
    result = with_model(folder, *arguments)
    assert result.exit_code == 3, result.stderr
    printed = " ".join(result.stdout.split())
    assert "explainer" not in printed
    hints = re.findall(r"(--[a-z-]+) (NAME|[\w.]*\w)", printed)
    assert hints
    for option, value in hints:
        given = with_model(folder, *arguments, option, "debts" if value == "NAME" else value)
        assert given.exit_code in (0, 3), given.stderr


def test_a_column_can_be_ruled_out_and_one_that_is_none_is_refused(folder, rows):
    arguments = ("--row", rows["bad"], "--target", "good")
    result = with_model(folder, *arguments, "--freeze", "debts", "--json")
    changed = Multiverse.from_json(result.stdout).to_frame()["feature"]
    assert set(changed) == {"income"}
    wrong = with_model(folder, *arguments, "--freeze", "debt")
    assert "There is no column 'debt' to freeze; did you mean 'debts'?" in one_line(wrong.stderr)


def test_edges_given_twice_cut_once(folder):
    groups = ("--target-column", "risk", "--target", "good", "--by")
    once = run("audit", folder / "loans.csv", *groups, "debts:1")
    assert once.exit_code == 0
    assert run("audit", folder / "loans.csv", *groups, "debts:1,1").stdout == once.stdout


def test_the_demo_recommends_a_way():
    result = run("demo")
    assert result.exit_code == 0
    assert "Recommended" in result.stdout
    assert result.stdout.startswith("Applicant 1 ")
    assert "chance of good now 37%" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(("steps", "n_ways"), [("rows", 1), ("actions", 3)])
def test_the_demo_as_json_reads_back(steps, n_ways):
    result = run("demo", "--applicant", 4, "--ways", 3, "--steps", steps, "--json")
    assert result.exit_code == 0
    multiverse = Multiverse.from_json(result.stdout)
    assert len(multiverse) == n_ways  # few records make nobody worse off
    assert multiverse.goal.target == ("good",)
    assert json.loads(result.stdout)["schema"] == "facelift/multiverse/1"


def test_a_bare_yes_or_no_is_told_with_its_column(tmp_path):
    table = loans()
    row = int((table["income"] - 6 * table["debts"]).argmin())
    table["denied"] = (table.pop("risk") == "bad").map({True: "yes", False: "no"})
    table.to_csv(tmp_path / "loans.csv", index=False)
    asked = (tmp_path / "loans.csv", "--target-column", "denied", "--target", "no")
    assert "Denied: no" in run("explain", *asked, "--row", row).stdout.splitlines()[0]
    assert "the chance of “Denied: no” at" in " ".join(
        run("letter", *asked, "--row", row).stdout.split()
    )
    audited = run("audit", *asked, "--by", "town").stdout
    assert audited.startswith("Ways to Denied: no\n")


@pytest.fixture
def asked(folder, rows):
    """A command line that asks for a letter, by a model of two columns."""
    model = ("--model", folder / "model.joblib", "--trust-pickle", "--target", "good")
    return ("letter", folder / "numbers.csv", *model, "--row", rows["bad"])


def test_the_languages_and_regimes_of_letters_can_be_chosen():
    choices = {each.name: each.type for each in commands.commands["letter"].params}
    assert tuple(choices["language"].choices) == LANGUAGES
    assert tuple(choices["regime"].choices) == REGIMES


def test_a_letter_is_printed(asked):
    result = run(*asked, "--sender", "Bank\\nStreet 1", "--date", "2026-07-17", "--no-person")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Bank\nStreet 1\n")
    assert "Date: 17 July 2026" in result.stdout
    assert "No person took part" in " ".join(result.stdout.split())


def test_language_and_regime_are_followed(asked):
    text = run(*asked, "--language", "es", "--regime", "us", "--authority", "CFPB").stdout
    assert "Motivos principales de la decisión" in text
    assert "Consumer Credit Protection Act" in " ".join(text.split())
    assert "CFPB" in text


@pytest.mark.parametrize("ending", ["txt", "html"])
def test_a_file_is_written_in_the_format_of_its_ending(asked, tmp_path, ending):
    path = tmp_path / f"letter.{ending}"
    result = run(*asked, "--output", path)
    assert result.exit_code == 0, result.stderr
    assert path.name in result.stdout
    assert path.read_text(encoding="utf-8").startswith({"txt": "[", "html": "<!doctype"}[ending])


def test_a_letter_is_a_document_with_both_forms(asked):
    content = json.loads(run(*asked, "--json").stdout)
    assert content["html"].startswith("<!doctype")
    assert content["text"] == run(*asked).stdout


def test_another_ending_is_refused_before_any_work(asked, tmp_path):
    result = run(*asked, "--output", tmp_path / "letter.doc")
    assert result.exit_code == USAGE
    assert ".txt, .html, .pdf" in one_line(result.stderr)


def test_without_a_browser_a_pdf_says_how_to_print(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)  # noqa: ARG005
    result = run(*asked, "--output", tmp_path / "letter.pdf")
    assert result.exit_code == USAGE
    assert "print that from a browser" in result.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_where_there_is_no_way_the_letter_says_so(asked, folder):
    result = run(*asked, "--rules", folder / "frozen.toml")
    assert result.exit_code == NO_WAY
    assert "No way found" in result.stdout


@pytest.mark.harness
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_letter_is_one_page_and_its_facts_another(asked, tmp_path):
    path = tmp_path / "letter.pdf"
    result = run(*asked, "--output", path)
    assert result.exit_code == 0, result.stderr
    assert path.read_bytes().replace(b" ", b"").count(b"/Type/Page\n") == 2
