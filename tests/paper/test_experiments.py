"""The first column of Table 1, small: every cell, the same again, and on after a kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from facelift import cli
from facelift.paper import Result, experiments, report, studies
from facelift.paper.protocol import METHODS, face
from facelift.paper.studies import Extent

pytestmark = pytest.mark.usefixtures("torch")  # Prototype needs it

BLOCK_SIZE = 6
N_FACTUALS = BLOCK_SIZE + 2
GERMAN = replace(
    studies.TABLES["table1"][0],
    spheres={"n_samples": 200},
    prototype={"prototypes": "kdtree", "max_iter": 50},
)


def quick(folder: Path, models: Path, most: int = N_FACTUALS) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(studies.TABLES, "table1", (GERMAN,))
        patch.setattr(experiments, "BLOCK_SIZE", BLOCK_SIZE)
        return experiments.table("table1", folder, Extent(models_home=models, most=most))


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, models) -> Path:
    """Results of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    quick(folder, models)
    return folder


def results(folder: Path) -> pd.DataFrame:
    """Records without what clocks say."""
    cells = pd.read_csv(folder / "cells.csv").drop(columns="seconds")
    return cells.merge(pd.read_csv(folder / "people.csv").drop(columns=["seed"]), how="cross")


def test_no_cell_is_missing(folder):
    cells = pd.read_csv(folder / "cells.csv")
    assert sorted(cells["method"]) == sorted([*METHODS, *METHODS])
    assert (cells["factuals"] == N_FACTUALS).all()
    assert cells[["distance", "cost", "steps", "opportunity", "seconds"]].notna().all(axis=None)
    assert len(pd.read_csv(folder / "tests.csv")) == 4 * 3 * 2
    assert len(pd.read_csv(folder / "people.csv")) == 2 * N_FACTUALS
    study = pd.read_csv(folder / "studies.csv").iloc[0]
    assert study["accuracy"] > 0.6
    assert study["seed"] == 0


def test_baselines_that_make_states_up_are_not_farther_than_face(folder):
    cells = pd.read_csv(folder / "cells.csv").query("alternatives == 'drawn'").set_index("method")
    for name in ("GrowingSpheres", "Prototype"):
        assert cells.loc[name, "success"] == 1
        assert cells.loc[name, "distance"] <= cells.loc["FACE", "distance"]


def test_the_text_has_the_papers_cells_beside_ours(folder):
    text = report.table_text("table1", report.read(folder))
    assert text.startswith("## Table 1")
    assert "(2.16 ± 0.72)" in text
    assert "(0.65 ± 0.10)" in text
    assert "accuracy" in text


def test_another_folder_and_process_give_the_same_table(folder, models, tmp_path):
    """Half of it first: a longer run goes on from a shorter one."""
    quick(tmp_path, models, most=BLOCK_SIZE)
    known = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "blocks").iterdir()}
    quick(tmp_path, models)
    kept = {name: (tmp_path / "blocks" / name).stat().st_mtime_ns for name in known}
    assert kept == known
    pd.testing.assert_frame_equal(results(tmp_path), results(folder))


SCRIPT = """
import sys
from pathlib import Path
from tests.paper.test_experiments import quick
quick(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_killed_run_goes_on_where_it_was(folder, models, tmp_path):
    root = Path(__file__).resolve().parents[2]
    running = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(models)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(root)])},
    )
    while not list((tmp_path / "blocks").glob("*.json")):
        assert running.poll() is None
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    known = {path: path.stat().st_mtime_ns for path in (tmp_path / "blocks").glob("*.json")}
    assert not (tmp_path / "cells.csv").exists()
    quick(tmp_path, models)
    assert {path: path.stat().st_mtime_ns for path in known} == known
    pd.testing.assert_frame_equal(results(tmp_path), results(folder))


def test_so_far_writes_up_what_is_known_and_runs_nothing(folder, models, tmp_path):
    """Of the folder without its last block, whose two people are then left out."""
    shutil.copytree(folder / "blocks", tmp_path / "blocks")
    *_, last = sorted((tmp_path / "blocks").iterdir(), key=lambda path: -path.stat().st_size)
    last.unlink()
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(studies.TABLES, "table1", (GERMAN,))
        patch.setattr(experiments, "BLOCK_SIZE", BLOCK_SIZE)
        patch.setattr(experiments, "measured", None)
        extent = Extent(models_home=models, most=N_FACTUALS, so_far=True, tell=told.append)
        experiments.table("table1", tmp_path, extent)
    assert (pd.read_csv(tmp_path / "cells.csv")["factuals"] == BLOCK_SIZE).all()
    assert told == [
        f"german_credit, seed 0: {BLOCK_SIZE} of {N_FACTUALS} people; about 0 min left in all"
    ]


def test_seeds_take_turns_and_the_data_set_with_the_least_time_is_next(
    models, tmp_path, monkeypatch
):
    """Six people in blocks of two; those with a spacing of 2 take twice as long."""
    order: list[tuple[float, int]] = []

    def measured(world, _numbers, _methods):
        order.append((world.setting.spacing, world.seed))
        return []

    monkeypatch.setattr(experiments, "BLOCK_SIZE", 2)
    monkeypatch.setattr(experiments, "measured", measured)
    extent = Extent(models_home=models, most=6, n_seeds=2)
    trials = [
        experiments.Trial(each, lambda world: [face(world)], "", tmp_path, extent)
        for each in (
            replace(GERMAN, typical=(6, 1.0)),
            replace(GERMAN, typical=(6, 2.0), spacing=2.0),
        )
    ]
    experiments.take_turns(trials, lambda: None)
    spacings = [1.0, 2.0, 1.0, 1.0, 2.0, 2.0]
    assert order == [(spacing, seed) for spacing in spacings for seed in (0, 1)]


def test_what_is_left_is_estimated_from_what_was_done():
    """Two data sets of 100 typical seconds each; half of the first took three times as long."""
    fast = replace(GERMAN, typical=(100, 1.0))
    told: list[str] = []
    clock = experiments.Clock([fast, fast], Extent(full=True, tell=told.append))
    clock.planned(fast, 100)
    clock.done(fast, 50, 150.0)
    clock.tell("half")
    clock.done(fast, 20, None)
    clock.tell("known before")
    assert told == [
        f"half; about {150 * 3 / 60:,.0f} min left in all",
        f"known before; about {130 * 3 / 60:,.0f} min left in all",
    ]


def test_the_command_prints_the_finding(folder, models, monkeypatch):
    monkeypatch.setitem(studies.TABLES, "table1", (GERMAN,))
    monkeypatch.setattr("facelift.paper.studies.cache_home", lambda: models.parent)
    monkeypatch.setattr(studies, "Extent", partial(Extent, most=10))
    arguments = ["reproduce", "table1", "--out", str(folder), "--json"]
    result = CliRunner().invoke(cli.commands, arguments)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert {line["method"] for line in document["cells"]} == set(METHODS)


def test_more_to_choose_among_never_lowers_what_one_is_told_of(models, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "ABLATED", ("german_credit",))
    monkeypatch.setattr(experiments, "COUNTS", (1, 3, 10))
    monkeypatch.setattr(experiments, "SPACINGS", (0.0, 1.0))
    found = experiments.ablation("ablation", tmp_path, Extent(models_home=models, most=10))
    curves = pd.read_csv(tmp_path / "ablation.csv")
    assert curves["c"].tolist() == [1, 1, 3, 3, 10, 10]
    told = curves[curves["told"]]
    assert told["cost"].is_monotonic_increasing
    one = curves[curves["c"] == 1]
    assert one["opportunity"].iloc[0] == one["opportunity"].iloc[1]
    assert "## Ablation" in found.text
    spaced = pd.read_csv(tmp_path / "ablation-spacing.csv")
    assert len(spaced) == 2 * 4
    known = spaced[(spaced["spacing"] == 1) & spaced["method"].str.startswith("FACElift c=10")]
    ten = curves[curves["c"] == 10]
    assert known["opportunity"].tolist()[:2] == ten["opportunity"].tolist()
