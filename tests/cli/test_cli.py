"""The command: results on standard output, one clear line on standard error, honest exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sklearn.linear_model import LogisticRegression

import facelift
from facelift import Multiverse, cli
from facelift.cli.answers import show

ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}


def run(*arguments: object) -> Result:
    """The command in this process, its two streams apart."""
    return CliRunner().invoke(cli.commands, [str(each) for each in arguments])


def run_process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as its users start it."""
    return subprocess.run(
        [sys.executable, "-m", "facelift.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**ENVIRONMENT, **environment},
        check=False,
    )


def loans() -> pd.DataFrame:
    """Loans that are good when income less debts is high enough."""
    rng = np.random.default_rng(5)
    n = 120
    income, debts = rng.integers(10, 60, n), rng.integers(0, 5, n)
    town = rng.choice(["Aarau", "Bern"], n)
    risk = np.where(income - 6 * debts > 22, "good", "bad")
    return pd.DataFrame({"income": income, "debts": debts, "town": town, "risk": risk})


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


def with_model(folder: Path, *more: object) -> Result:
    model = ["--model", folder / "model.joblib", "--trust-pickle"]
    return run("explain", folder / "numbers.csv", *model, *more)


def one_line(text: str) -> str:
    """The only line of an error."""
    lines = text.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("facelift: ")
    assert "Traceback" not in text
    return lines[0]


# Results


def test_the_demo_recommends_a_way():
    result = run("demo")
    assert result.exit_code == 0
    assert "Recommended" in result.stdout
    assert result.stdout.startswith("Applicant 1 ")
    assert "chance of good now 37%" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_the_demo_as_json_reads_back(steps):
    result = run("demo", "--applicant", 4, "--ways", 3, "--steps", steps, "--json")
    assert result.exit_code == 0
    multiverse = Multiverse.from_json(result.stdout)
    assert len(multiverse) == 3
    assert multiverse.goal.target == ("good",)
    assert json.loads(result.stdout)["schema"] == "facelift/multiverse/1"


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
    monkeypatch.setattr(pd, "read_csv", lambda path: read.append(path) or table(path))
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
    assert with_model(folder, "--row", rows["bad"], "--max-steps", "1").exit_code == 3


def test_columns_separated_by_semicolons_get_a_hint(tmp_path):
    loans().to_csv(tmp_path / "loans.csv", index=False, sep=";")
    result = run("explain", tmp_path / "loans.csv", "--row", 0, "--target-column", "risk")
    assert "separated by ';'" in one_line(result.stderr)


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


# Errors

ERRORS = {
    "unknown column": (
        lambda _: ("loans.csv", "--row", 0, "--target-column", "rsk"),
        4,
        "UnknownColumn",
        "no column 'rsk'",
    ),
    "row out of range": (
        lambda _: ("loans.csv", "--row", 120, "--target-column", "risk"),
        2,
        "UsageError",
        "no row 120; rows run from 0 to 119",
    ),
    "row below zero": (
        lambda _: ("loans.csv", "--row", -1, "--target-column", "risk"),
        2,
        "UsageError",
        "no row -1",
    ),
    "no model": (lambda _: ("loans.csv", "--row", 0), 2, "UsageError", "--target-column"),
    "unknown outcome": (
        lambda p: (
            *("numbers.csv", "--row", 0, "--model", p / "model.joblib"),
            *("--trust-pickle", "--target", "god"),
        ),
        2,
        "UsageError",
        "no outcome 'god'; did you mean 'good'?",
    ),
    "three outcomes and none named": (
        lambda p: (
            written(p, "three.csv", "a,risk\n" + "1,good\n2,fair\n3,bad\n" * 5),
            *("--row", 0, "--target-column", "risk"),
        ),
        2,
        "UsageError",
        "--target; known: bad, fair, good",
    ),
    "pickle without trust": (
        lambda p: ("numbers.csv", "--row", 0, "--model", p / "model.joblib"),
        4,
        "InvalidModel",
        "--trust-pickle",
    ),
    "model that is none": (
        lambda p: ("numbers.csv", "--row", 0, "--model", p / "rules.toml", "--trust-pickle"),
        4,
        "InvalidModel",
        "Cannot load a model",
    ),
    "model of other columns": (
        lambda p: ("incomes.csv", "--row", 0, "--model", p / "model.joblib", "--trust-pickle"),
        4,
        "UnknownColumn",
        "needs a column 'debts'",
    ),
    "binary file": (
        lambda p: (p / "model.joblib", "--row", 0, "--target-column", "risk"),
        4,
        "InvalidData",
        "as a CSV table",
    ),
    "empty file": (
        lambda p: (written(p, "empty.csv", ""), "--row", 0, "--target-column", "risk"),
        4,
        "InvalidData",
        "as a CSV table",
    ),
    "only a header": (
        lambda p: (written(p, "header.csv", "a,risk\n"), "--row", 0, "--target-column", "risk"),
        4,
        "InvalidData",
        "empty",
    ),
    "ragged": (
        lambda p: (written(p, "ragged.csv", "a,b\n1,2\n1,2,3,4\n"), "--row", 0),
        4,
        "InvalidData",
        "as a CSV table",
    ),
    "no values": (
        lambda p: (
            written(p, "holes.csv", "a,risk\n,good\n,bad\n,bad\n"),
            *("--row", 0, "--target-column", "risk"),
        ),
        4,
        "InvalidData",
        "'a' holds no value at all",
    ),
    "missing outcomes": (
        lambda p: (
            written(p, "unknown.csv", "a,risk\n1,good\n2,\n3,bad\n"),
            *("--row", 0, "--target-column", "risk"),
        ),
        4,
        "MissingValues",
        "risk (1)",
    ),
    "one outcome": (
        lambda p: (
            written(p, "one.csv", "a,risk\n1,good\n2,good\n3,good\n"),
            *("--row", 0, "--target-column", "risk"),
        ),
        4,
        "InvalidData",
        "one outcome only",
    ),
    "continuous outcome": (
        lambda p: (
            written(p, "many.csv", "a,risk\n1,0.5\n2,0.25\n3,0.75\n"),
            *("--row", 0, "--target-column", "risk"),
        ),
        4,
        "InvalidData",
        "Cannot train",
    ),
    "bad rules": (
        lambda p: (
            *("loans.csv", "--row", 0, "--target-column", "risk"),
            *("--rules", written(p, "bad.toml", '[debs]\nchange = "never"\n')),
        ),
        4,
        "InvalidRules",
        "did you mean 'debts'?",
    ),
}


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


def test_fitting_on_a_cluster_that_is_not_there_saves_nothing(folder, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra dask")
    monkeypatch.setattr("facelift.interop.dask.PATIENCE", 1)
    model = ["--model", folder / "model.joblib", "--trust-pickle", "--save", tmp_path / "saved"]
    result = run("fit", folder / "numbers.csv", *model, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == cli.USAGE
    assert "no Dask scheduler" in one_line(result.stderr)
    assert not (tmp_path / "saved").exists()


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def arguments_of(name: str, folder: Path) -> list[object]:
    data, *rest = ERRORS[name][0](folder)
    return ["explain", folder / data, *rest]


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_one_clear_line_and_its_own_exit_code(folder, name):
    _, code, _, words = ERRORS[name]
    result = run(*arguments_of(name, folder))
    assert result.exit_code == code
    assert result.stdout == ""
    assert words in one_line(result.stderr.removeprefix(cli_training_line(result)))


def cli_training_line(result: Result) -> str:
    """What comes before an error that only training shows."""
    line = "Training a small model (50 neurons) on the table …\n"
    return line if result.stderr.startswith(line) else ""


@pytest.mark.parametrize("name", ERRORS)
def test_with_json_an_error_is_machine_readable_too(folder, name):
    _, code, kind, words = ERRORS[name]
    result = run(*arguments_of(name, folder), "--json")
    assert result.exit_code == code
    error = json.loads(result.stdout)
    assert list(error) == ["error"]
    assert error["error"]["kind"] == kind
    assert words in error["error"]["message"]
    assert error["error"]["message"] in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain",),
        ("explain", "nowhere.csv", "--row", 0),
        ("explain", __file__),
        ("explain", __file__, "--row", "first"),
        ("explain", __file__, "--row", 0, "--colour", "red"),
        ("demo", "--ways", 0),
        ("demo", "--ways", 27),
        ("demo", "extra"),
        ("dem",),
    ],
    ids=str,
)
def test_a_command_line_that_cannot_be_followed_is_a_usage_error(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    command = " ".join(["facelift", *(each for each in arguments[:1] if each != "dem")])
    assert one_line(result.stderr).endswith(f" See {command} --help.")
    told = run(*arguments, "--json")
    assert told.exit_code == 2
    error = json.loads(told.stdout)["error"]
    assert error["kind"] == "UsageError"
    assert one_line(told.stderr) == f"facelift: {error['message']}"


def test_an_option_that_is_nearly_one_is_named_in_the_same_line():
    line = one_line(run("demo", "--way", 3).stderr)
    assert "No such option" in line
    assert "--ways" in line
    assert line.endswith(" See facelift demo --help.")


def test_no_command_at_all_is_answered_with_help():
    result = run()
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: facelift [OPTIONS] COMMAND")


def test_an_applicant_that_is_not_there_is_a_usage_error():
    result = run("demo", "--applicant", 1000)
    assert result.exit_code == 2
    assert "no row 1000; rows run from 0 to 999" in one_line(result.stderr)


def test_debug_shows_where_an_error_came_from_and_keeps_the_exit_code(folder):
    result = run(*arguments_of("missing outcomes", folder), "--debug", "--json")
    assert result.exit_code == 4
    assert "Traceback (most recent call last)" in result.stderr
    assert "MissingValues" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("facelift: Missing values")
    assert json.loads(result.stdout)["error"]["kind"] == "MissingValues"


def test_what_nobody_expected_is_one_line_too(folder, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("somewhere deep")

    monkeypatch.setattr("facelift.cli.inputs.read_table", broken)
    result = run(*arguments_of("no model", folder))
    assert result.exit_code == 1
    line = one_line(result.stderr)
    assert "unexpected ZeroDivisionError: somewhere deep" in line
    assert "--debug" in line
    shown = run(*arguments_of("no model", folder), "--debug")
    assert "in broken" in shown.stderr
    told = run(*arguments_of("no model", folder), "--json")
    assert json.loads(told.stdout)["error"]["kind"] == "ZeroDivisionError"


CODES = {
    "InvalidInput": cli.USAGE,
    "UnknownColumn": cli.BAD_DATA,
    "InvalidRules": cli.BAD_DATA,
    "InvalidData": cli.BAD_DATA,
    "MissingValues": cli.BAD_DATA,
    "InvalidModel": cli.BAD_DATA,
    "InvalidFolder": cli.BAD_DATA,
    "DamagedFile": cli.BAD_DATA,
    "NotFitted": cli.ERROR,
    "DataUnavailable": cli.ERROR,
    "MissingExtra": cli.ERROR,
    "FaceliftError": cli.ERROR,
}


def test_every_kind_of_error_has_its_exit_code(folder, monkeypatch):
    kinds = {name: kind for name, kind in vars(facelift.errors).items() if isinstance(kind, type)}
    ours = {name for name, kind in kinds.items() if issubclass(kind, facelift.errors.FaceliftError)}
    assert ours == set(CODES)
    for name, code in CODES.items():

        def broken(*_, kind=kinds[name]):
            raise kind("said once")

        monkeypatch.setattr("facelift.cli.inputs.read_table", broken)
        result = run(*arguments_of("no model", folder))
        assert (name, result.exit_code) == (name, code)
        assert one_line(result.stderr) == "facelift: said once"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (FileExistsError(17, "File exists", "out"), cli.USAGE),
        (PermissionError(13, "Permission denied", "out"), cli.USAGE),
        (OSError(28, "No space left on device", "out"), cli.ERROR),
    ],
    ids=str,
)
def test_a_place_that_cannot_be_used_is_named(folder, monkeypatch, fault, code):
    def broken(*_):
        raise fault

    monkeypatch.setattr("facelift.cli.inputs.read_table", broken)
    result = run(*arguments_of("no model", folder))
    assert result.exit_code == code
    assert one_line(result.stderr) == f"facelift: Cannot use out: {fault.strerror}."


def test_edges_given_twice_cut_once(folder):
    groups = ("--target-column", "risk", "--target", "good", "--by")
    once = run("audit", folder / "loans.csv", *groups, "debts:1")
    assert once.exit_code == 0
    assert run("audit", folder / "loans.csv", *groups, "debts:1,1").stdout == once.stdout


def test_an_interruption_is_not_an_error(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("facelift.cli.inputs.read_table", interrupted)
    result = run(*arguments_of("no model", folder))
    assert result.exit_code == 130
    assert result.stderr == "facelift: interrupted\n"


# Help and colours


def test_the_version_is_the_packages_own():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"facelift, version {facelift.__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_commands(flag):
    result = run(flag)
    assert result.exit_code == 0
    for name in cli.commands.commands:
        assert f"  {name} " in result.stdout


@pytest.mark.parametrize("name", cli.commands.commands)
def test_help_of_a_command_has_an_example_that_parses(name):
    result = run(name, "--help")
    assert result.exit_code == 0
    example = " ".join(result.stdout.split()).partition("Example")[2]
    words = example.partition("facelift ")[2].partition("·")[0].split()
    assert words[0] == name
    command = cli.commands.commands[name]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_every_option_says_what_it_is_for():
    for command in cli.commands.commands.values():
        assert command.help
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert [option.name for option in options if not option.help] == []


def test_help_tells_the_whole_of_every_command():
    told = " ".join(run("--help").stdout.split())
    for command in cli.commands.commands.values():
        assert command.help.split("\n\n")[0].rstrip(".") in told


@pytest.mark.parametrize("name", sorted(set(cli.commands.commands) - {"completion"}))
def test_every_command_that_has_a_result_has_it_as_json(name):
    assert "json_output" in {each.name for each in cli.commands.commands[name].params}


# Completion


def completed(*words: str, shell: str = "bash") -> list[str]:
    """What a shell would offer for the last of some words."""
    line = " ".join(["facelift", *map(str, words)])
    done = subprocess.run(
        [sys.executable, "-m", "facelift.cli"],
        env={
            **os.environ,
            "_FACELIFT_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return [offer.partition(",")[2] for offer in done.stdout.split()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_a_shell(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_FACELIFT_COMPLETE" in result.stdout


def test_a_shell_completes_commands_and_options():
    assert completed("exp") == ["explain", "explore"]
    assert "--target-column" in completed("explain", "--tar")


def test_a_shell_completes_the_columns_of_the_table_named(tmp_path):
    table = tmp_path / "loans.csv"
    table.write_text("amount,risk,rate\n1,good,2\n")
    assert completed("explain", table, "--target-column", "r") == ["risk", "rate"]
    assert completed("explain", tmp_path / "none.csv", "--target-column", "r") == []


class Terminal:
    """A standard output that says it is a terminal."""

    def __init__(self, stream):
        self.stream = stream

    def isatty(self) -> bool:
        return True

    def __getattr__(self, name):
        return getattr(self.stream, name)


@pytest.mark.parametrize(
    ("terminal", "no_color", "coloured"),
    [(True, None, True), (True, "", True), (True, "1", False), (False, None, False)],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch, capsys, terminal, no_color, coloured
):
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    if terminal:
        monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout))
    asked = []

    def view(_multiverse, *, title, width, color):
        asked.append((title, width, color))
        return "text\n"

    monkeypatch.setattr("facelift.views.text.multiverse_text", view)
    assert show(facelift.toys.loan().multiverse(), "Row 1", json_output=False) == 0
    assert asked[0][2] is coloured
    assert capsys.readouterr().out == "text\n"


# As users start it


def test_a_pipe_gets_plain_text_and_nothing_else():
    done = run_process("demo", "--applicant", 4, "--ways", 3)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert done.stdout.startswith("Applicant 4 ")
    assert "Recommended" in done.stdout
    assert done.stderr == ""


def test_a_real_run_ends_with_the_exit_code_of_its_error(folder):
    done = run_process("explain", folder / "loans.csv", "--row", 0, "--target-column", "rsk")
    assert done.returncode == 4
    assert done.stdout == ""
    assert "no column 'rsk'" in one_line(done.stderr)


def test_a_real_run_with_a_saved_model_says_no_way_by_its_exit_code(folder, rows):
    done = run_process(
        *("explain", folder / "numbers.csv", "--row", rows["bad"], "--target", "good"),
        *("--model", folder / "model.joblib", "--trust-pickle"),
        *("--rules", folder / "frozen.toml", "--json"),
    )
    assert done.returncode == 3
    assert Multiverse.from_json(done.stdout).why_not is not None
    assert done.stderr == ""


def run_terminal(*arguments: object, no_color: str) -> tuple[int, str]:
    """The command with a terminal as its standard output: exit code and what it showed."""
    pty = pytest.importorskip("pty", reason="terminals are POSIX")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "facelift.cli", *map(str, arguments)],
        stdout=theirs,
        env={**ENVIRONMENT, "TERM": "xterm-256color", "NO_COLOR": no_color},
    )
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    return process.wait(), shown.decode()


def test_a_terminal_gets_colours_unless_no_color_is_set(folder, rows):
    arguments = [
        *("explain", folder / "numbers.csv", "--row", rows["bad"]),
        *("--model", folder / "model.joblib", "--trust-pickle"),
    ]
    code, coloured = run_terminal(*arguments, no_color="")
    plain_code, plain = run_terminal(*arguments, no_color="1")
    assert (code, plain_code) == (0, 0)
    assert "\x1b[1m" in coloured
    assert "\x1b" not in plain
    assert "Recommended" in plain
