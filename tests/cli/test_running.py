"""Errors as one line with an exit code, colours, and the command as users start it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from tests.cli.calling import one_line, run

import facelift
from facelift import Multiverse, cli
from facelift.cli.running import show

ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}


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
            written(p, "unknown.csv", "a,risk\n1,\n2,\n3,\n"),
            *("--row", 0, "--target-column", "risk"),
        ),
        4,
        "InvalidData",
        "has no outcome",
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
        2,
        "UsageError",
        "give the range wanted",
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
    assert "InvalidData" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("facelift: Column 'risk' has no outcome")
    assert json.loads(result.stdout)["error"]["kind"] == "InvalidData"


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
    "CannotWrite": cli.ERROR,
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


def test_an_interruption_is_not_an_error(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("facelift.cli.inputs.read_table", interrupted)
    result = run(*arguments_of("no model", folder))
    assert result.exit_code == 130
    assert result.stderr == "facelift: interrupted\n"


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

    def view(_multiverse, *, title, width, color, **_):
        asked.append((title, width, color))
        return "text\n"

    monkeypatch.setattr("facelift.views.text.multiverse_text", view)
    assert show(facelift.toys.loan().multiverse(), "Row 1", json_output=False) == 0
    assert asked[0][2] is coloured
    assert capsys.readouterr().out == "text\n"


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
    said = [line for line in done.stderr.splitlines() if not line.startswith("Preparing compiled")]
    assert said == []


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
