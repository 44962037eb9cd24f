"""The command that opens the navigator: its address, its end, and what it needs."""

from __future__ import annotations

import gc
import os
import select
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sklearn.linear_model import LogisticRegression

from facelift import FACElift, cli


@pytest.fixture(autouse=True)
def _no_old_address(tmp_path, monkeypatch):
    """Pages are served where nobody has been before."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.commands, ["explore", *map(str, arguments), "--no-browser"])


class Running:
    """The command as its users start it, until it is interrupted."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "facelift.cli", "explore", "--no-browser", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.url = self._line(60)

    def _line(self, seconds: float) -> str:
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                return str(self.process.stdout.readline().strip())
        return ""

    def page(self) -> str:
        with urllib.request.urlopen(self.url) as answer:  # noqa: S310  (our own address)
            return str(answer.read().decode())

    def interrupt(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


def test_it_prints_one_address_serves_there_and_ends_quietly():
    running = Running("--row", 4)
    assert running.url.startswith("http://127.0.0.1:")
    assert "<title>facelift</title>" in running.page()
    code, said = running.interrupt()
    assert code == 0
    assert said.splitlines() == ["Serving on this machine only, until you press Ctrl-C."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A table, a model of it, rules about it and a saved explainer."""
    path = tmp_path_factory.mktemp("loans")
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"income": rng.integers(10, 60, 120), "debts": rng.integers(0, 5, 120)})
    risk = np.where(table["income"] - 6 * table["debts"] > 22, "good", "bad")
    table.to_csv(path / "loans.csv", index=False)
    table.assign(risk=risk).to_csv(path / "with_risk.csv", index=False)
    model = LogisticRegression().fit(table, risk)
    joblib.dump(model, path / "model.joblib")
    FACElift(model, steps="actions", n_counterfactuals=3).fit(table).save(path / "saved")
    (path / "rules.toml").write_text('[debts]\nchange = "decrease"\n')
    return path


@pytest.fixture
def guides(monkeypatch) -> Iterator[list]:
    """Guides that would have been served."""
    found = []
    gc.unfreeze()

    class Page:
        url = "http://127.0.0.1:1/token/"

        def wait(self) -> None:
            pass

        def stop(self) -> None:
            pass

    def serve(guide, **_):
        found.append(guide)
        return Page()

    monkeypatch.setattr("facelift.web.server.serve", serve)
    yield found
    gc.unfreeze()


def test_a_table_of_ones_own_with_rules_and_a_model_trained_on_the_spot(folder, guides):
    asked = ("--target-column", "risk", "--target", "good", "--rules", folder / "rules.toml")
    result = run("--data", folder / "with_risk.csv", "--row", 3, *asked)
    assert result.exit_code == 0, result.stderr
    assert guides[0].title == "Row 3"
    assert guides[0].single_changes
    assert np.isinf(guides[0].explainer.terrain_.feature("debts").increase)


def test_a_saved_explainer_is_explored_with_its_model(folder, guides):
    model = ("--model", folder / "model.joblib", "--trust-pickle")
    result = run(
        "--data", folder / "loans.csv", "--row", 3, "--explainer", folder / "saved", *model
    )
    assert result.exit_code == 0, result.stderr
    assert guides[0].explainer.n_counterfactuals == 3
    assert gc.get_freeze_count() > 100_000  # no click looks through what is loaded


@pytest.mark.parametrize("spelling", [(), ("--data",)])
def test_without_a_row_everybody_of_a_table_is_shown(folder, guides, spelling):
    asked = ("--target-column", "risk", "--rules", folder / "rules.toml")
    result = run(*spelling, folder / "with_risk.csv", *asked)
    assert result.exit_code == 0, result.stderr
    [tables] = guides
    people = tables.examples[tables.first].open()
    assert len(people) == 120
    assert people.target == "good"
    assert people.outcome is not None
    assert np.isinf(people.explainer.terrain_.feature("debts").increase)


def test_without_anything_the_examples_are_shown(guides, monkeypatch, tmp_path):
    monkeypatch.setenv("FACELIFT_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run().exit_code == 0
    assert run("--demo", "digits").exit_code == 0
    assert list(guides[0].examples) == ["german", "digits"]
    assert [tables.first for tables in guides] == ["german", "digits"]


def test_pictures_are_walked_from_record_to_record(folder, guides):
    asked = ("--target-column", "risk", "--picture", "1x2")
    result = run("--data", folder / "with_risk.csv", "--row", 3, *asked)
    assert result.exit_code == 0, result.stderr
    assert guides[0].picture == (1, 2)
    assert not guides[0].single_changes


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--row", 10**6), 2, "There is no row 1000000"),
        (("--rules", "rules.toml"), 2, "--rules is for a table of your own"),
        (("--demo", "digits", "--steps", "actions"), 2, "leave --steps out"),
        (("loans.csv",), 2, "--target-column"),
        (("--data", "loans.csv", "--counterfactuals", "loans.csv"), 2, "say which with --row"),
        (("--data", "loans.csv", "--row", 1, "--picture", "8"), 2, "such as 28x28"),
        (("--data", "loans.csv", "--row", 1, "--model", "model.joblib"), 4, "--trust-pickle"),
        (("--data", "loans.csv", "--row", 1, "--explainer", "saved"), 2, "needs its --model"),
        (("--data", "loans.csv", "--row", 1), 2, "--target-column"),
    ],
)
def test_what_is_missing_is_said_in_one_line(folder, guides, options, code, words):
    files = {"rules.toml", "loans.csv", "model.joblib", "saved"}
    result = run(*(folder / each if each in files else each for each in options))
    assert result.exit_code == code
    assert words in result.stderr.splitlines()[-1]
    assert not guides
