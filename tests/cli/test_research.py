"""`facelift reproduce`: what is asked for reaches the part that does it, and its finding us."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from facelift import cli
from facelift.paper import Result
from facelift.paper.studies import Extent


@pytest.fixture
def asked(monkeypatch) -> dict[str, Any]:
    """What a part is called with; the part stands in for the figures."""
    calls: dict[str, Any] = {}

    def draw_all(part: str, folder: Path, extent: Extent) -> Result:
        calls.update(part=part, folder=folder, extent=extent)
        return Result("# Drawn", {"drawn": 2}, (folder / "a.svg",))

    monkeypatch.setitem(sys.modules, "facelift.paper.figures", SimpleNamespace(draw_all=draw_all))
    return calls


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli.commands, ["reproduce", *map(str, arguments)])


def test_a_part_is_run_with_what_was_asked_for(asked, tmp_path):
    some = ("--full", "--seed", 3, "--seeds", 2, "--so-far")
    result = run("figures", *some, "--out", tmp_path, "--data-home", tmp_path)
    assert result.exit_code == 0
    assert result.stdout == "# Drawn\n"
    assert result.stderr == f"Written: {tmp_path / 'a.svg'}\n"
    extent = Extent(full=True, seed=3, n_seeds=2, so_far=True, data_home=tmp_path)
    assert asked == {"part": "figures", "folder": tmp_path, "extent": extent}


def test_json_is_the_same_finding_for_machines(asked, tmp_path):
    assert json.loads(run("figures", "--json", "--out", tmp_path).stdout) == {"drawn": 2}
    assert asked["extent"] == Extent()


def test_a_part_that_does_not_exist_is_refused():
    result = run("table3")
    assert result.exit_code == cli.USAGE
    assert "table3" in result.stderr
