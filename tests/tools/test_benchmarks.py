"""The benchmarks run, compare with their baseline, and measure the same thing on both sides."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import facelift as fl
from facelift import cli

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_the_source_tree(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


def line(number, *, at_least=False, what="a", ratio=True):
    from tools.benchmarks.measuring import Measurement

    return Measurement(what, "b", number, "×", 2.0, at_least=at_least, ratio=ratio)


def test_a_bar_is_met_from_the_right_side():
    assert line(1.9).met
    assert not line(2.1).met
    assert line(2.1, at_least=True).met
    assert not line(1.9, at_least=True).met


@pytest.mark.parametrize(
    ("number", "at_least", "slower"),
    [(1.4, False, False), (1.6, False, True), (0.7, True, False), (0.6, True, True)],
)
def test_a_slow_down_is_seen(number, at_least, slower, tmp_path, monkeypatch):
    from tools.benchmarks import suite
    from tools.benchmarks.measuring import table

    monkeypatch.setattr(suite, "BASELINE", tmp_path / "baseline.json")
    suite.save_baseline(table([line(1.0)]))
    assert json.loads((tmp_path / "baseline.json").read_text()) == {"a | b": 1.0}
    found = suite.compared(table([line(number, at_least=at_least)]))
    assert found["slower"].tolist() == [slower]
    assert ("slower" in suite.as_text(found.assign(benchmark="x"))) == slower


def test_seconds_are_no_baseline(tmp_path, monkeypatch):
    from tools.benchmarks import suite
    from tools.benchmarks.measuring import table

    monkeypatch.setattr(suite, "BASELINE", tmp_path / "baseline.json")
    suite.save_baseline(table([line(1.0, ratio=False)]))
    assert json.loads((tmp_path / "baseline.json").read_text()) == {}


def test_twenty_lines_of_scipy_and_of_numba_compute_what_we_do():
    from tools.benchmarks import searches
    from tools.benchmarks.worlds import SHAPES, clustered

    from facelift.graph.routes import Wanted, nearest_routes

    world = SHAPES["one region"](clustered(400), 0.2)
    graph = fl.FACElift(world).fit(world.points).graph_
    numba = searches.Numba(graph, world.good)
    for person in np.flatnonzero(~world.good)[:3]:
        ours = nearest_routes(graph, person, world.good, Wanted(searches.N_DESTINATIONS))
        for theirs in (numba.exact(person), searches.by_scipy(graph, world.good, person)):
            assert theirs.lengths.tolist() == ours.lengths.tolist()
            assert theirs.vertices.tolist() == ours.vertices.tolist()
            assert np.allclose(theirs.remaining, ours.remaining)


@pytest.mark.harness
def test_a_quick_run_prints_a_table():
    result = CliRunner().invoke(cli.commands, ["bench", "batch", "--quick"])
    assert result.exit_code == 0, result.stderr
    assert "one thread ÷ two" in result.stdout


def test_an_unknown_benchmark_is_a_usage_error():
    result = CliRunner().invoke(cli.commands, ["bench", "serches"])
    assert result.exit_code == cli.USAGE
    assert "did you mean 'searches'?" in result.stderr


def test_without_the_source_tree_the_command_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(fl, "__file__", str(tmp_path / "site" / "facelift" / "__init__.py"))
    result = CliRunner().invoke(cli.commands, ["bench"])
    assert result.exit_code == cli.USAGE
    assert "checkout" in result.stderr


def test_help_names_every_benchmark():
    from tools.benchmarks.suite import NAMES

    told = " ".join(CliRunner().invoke(cli.commands, ["bench", "--help"]).output.split())
    assert f"Names: {', '.join(NAMES)}." in told
