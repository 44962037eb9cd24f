"""The paper's tables and its ablation: the protocol over studies, block by block, and its results.

The ablation says what FACElift's choice gains and costs as c grows, and by the spacing of the
alternatives.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from facelift.paper import protocol, report, statistics
from facelift.paper.distances import distances
from facelift.paper.methods import METHODS, Method, face, facelift, facelift_apart, methods
from facelift.paper.networks import digest
from facelift.paper.protocol import measured
from facelift.paper.results import (
    BLOCK_SIZE,
    Result,
    in_blocks,
    lines,
    write_chart,
    write_table,
)
from facelift.paper.settings import QUICK, TABLES, Extent, Setting
from facelift.paper.studies import study
from facelift.paper.world import World

COUNTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
"""Numbers of counterfactuals to choose among, in the ablation."""

SPACINGS = (0.0, 0.5, 1.0, 2.0)
"""Least distances between alternatives, in the ablation."""

ABLATED = ("german_credit", "adult")
"""Studies of the ablation."""

N_ABLATED = 100
"""Factuals of each of them in a run of everything."""


def everything(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Both tables at every seed, the ablation at the first, and the page made of them.

    The first seed comes first, then the tables of the others. After every data set all results so
    far are written, so that a run that was stopped leaves a whole page of fewer seeds.
    """
    first, *others = extent.seeds
    plans = [(name, first) for name in TABLES]
    plans += [(name, seed) for name in TABLES for seed in others]
    _run(plans, folder, extent)
    few = replace(extent, full=False, most=min(N_ABLATED, extent.n_factuals or N_ABLATED))
    for name, run in (("ablation", ablation), ("distances", distances)):
        if not (folder / f"{name}.csv").exists():
            run(name, folder, few)
    found = report.write_page(part, folder)
    return replace(found, files=(*_files(folder), found.files[0]))


def table(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Compare all methods over the settings of "table1" or "table2"; results go to a folder.

    What a run that was stopped has left in the folder is not done again.
    """
    _run([(part, seed) for seed in extent.seeds], folder, extent)
    found = report.read(folder)
    text = report.table_text(part, found)
    return Result(text, {"part": part, **found.document(part)}, tuple(_files(folder)))


def _run(plans: Sequence[tuple[str, int]], folder: Path, extent: Extent) -> None:
    """Work through tables at seeds; all results so far are written after every data set."""
    worlds = [(setting, seed) for part, seed in plans for setting in TABLES[part]]
    clock = Clock([setting for setting, _ in worlds], extent)
    records: list[pd.DataFrame] = []
    studies: list[pd.DataFrame] = []
    for setting, seed in worlds:
        own, about = trial([setting], methods, " ".join(METHODS), folder, extent, seed, clock)
        if len(own):
            records.append(own.assign(seed=seed))
            studies.append(about)
            write_results(folder, pd.concat(records), pd.concat(studies))


def write_results(folder: Path, records: pd.DataFrame, studies: pd.DataFrame) -> None:
    """Everything that the page is made of, from what was measured of everybody."""
    people = protocol.people(records)
    cells = protocol.cells(records, ("seed", "alternatives", "column", "method"))
    write_table(people, folder / "people.csv")
    write_table(cells, folder / "cells.csv")
    write_table(statistics.comparisons(people), folder / "tests.csv")
    write_table(studies, folder / "studies.csv")
    results = report.read(folder)
    for part in TABLES:
        drawn = [line for line in results.part(part).pooled if line["alternatives"] == "drawn"]
        if drawn:
            write_chart(folder / f"{part}.svg", "draw_table", part, drawn)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.*") if path.is_file())


def ablation(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Opportunity, distance and cost of FACElift's choice for several c; results go to a folder."""
    chosen = [setting for setting in TABLES["table1"] if setting.study in ABLATED]
    records, studies = trial(chosen, growing_choice, f"{part} {COUNTS}", folder, extent)
    curves = by_count(cells_drawn(records))
    spaced = by_spacing(chosen, folder, extent)
    files = [
        write_table(curves, folder / f"{part}.csv"),
        write_table(spaced, folder / f"{part}-spacing.csv"),
    ]
    document = {"curves": lines(curves), "spacing": lines(spaced)}
    text = report.ablation_text(document["curves"], document["spacing"])
    files += write_chart(folder / f"{part}.svg", "draw_ablation", curves)
    return Result(text, {"part": part, **document, "studies": lines(studies)}, tuple(files))


def cells_drawn(records: pd.DataFrame) -> pd.DataFrame:
    """Cells by the alternatives that were drawn."""
    return protocol.cells(records[records["alternatives"] == "drawn"], ("column", "method"))


def by_spacing(settings: Sequence[Setting], folder: Path, extent: Extent) -> pd.DataFrame:
    """Cells of FACE and of FACElift with c = 10, for alternatives less or more apart."""
    found = []
    for spacing in SPACINGS:
        spaced = [replace(setting, spacing=spacing) for setting in settings]
        records, _ = trial(spaced, spaced_choice, "spacing", folder, extent)
        found.append(cells_drawn(records).assign(spacing=spacing))
    table = pd.concat(found, ignore_index=True)
    return table.sort_values("column", kind="stable", key=lambda names: pd.factorize(names)[0])


def spaced_choice(world: World) -> list[Method]:
    """FACE, and FACElift as it is, told the alternatives, and with its own destinations apart."""
    return [face(world), facelift(world, 10), facelift_apart(world, 10)]


def growing_choice(world: World) -> list[Method]:
    """FACElift with more and more counterfactuals to choose among."""
    return [facelift(world, n_counterfactuals) for n_counterfactuals in COUNTS]


def by_count(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells whose methods are FACElift's, with c and the choice in columns of their own."""
    parts = cells["method"].str.extract(r"c=(?P<c>\d+)(?P<told>, told)?")
    numbered = cells.assign(c=parts["c"].astype(int), told=parts["told"].notna())
    front = ["column", "c", "told"]
    rest = [name for name in numbered.columns if name not in (*front, "method", "seconds")]
    return numbered[front + rest]


class Clock:
    """Says how long the rest may take: what is typical, times how long it has taken so far."""

    def __init__(self, settings: Sequence[Setting], extent: Extent) -> None:
        self._extent = extent
        self._left = sum(self._typical(setting) for setting in settings)
        self._expected = self._taken = 0.0

    def planned(self, setting: Setting, n_people: int) -> None:
        """It is known now how many people of a data set there are."""
        self._left += n_people * setting.typical[1] - self._typical(setting)

    def done(self, setting: Setting, n_people: int, seconds: float | None) -> None:
        """Some people are done, in so many seconds, or were known before."""
        typical = n_people * setting.typical[1]
        self._left -= typical
        if seconds is not None:
            self._expected += typical
            self._taken += seconds

    def tell(self, what: str) -> None:
        """Tell what is done, and about how long the rest takes."""
        slower = self._taken / self._expected if self._expected else 1.0
        minutes = max(self._left, 0.0) * slower / 60
        self._extent.tell(f"{what}; about {minutes:,.0f} min left in all")

    def _typical(self, setting: Setting) -> float:
        n_people = min(setting.typical[0], self._extent.n_factuals or setting.typical[0])
        return n_people * setting.typical[1]


def trial(
    settings: Sequence[Setting],
    compared: Callable[[World], list[Method]],
    about: str,
    folder: Path,
    extent: Extent,
    seed: int | None = None,
    clock: Clock | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A record per factual, method, column and kind of alternatives, and a line per column.

    `about` names the methods.
    """
    records: list[dict[str, Any]] = []
    about_studies: list[dict[str, Any]] = []
    seed = extent.seed if seed is None else seed
    clock = clock or Clock(settings, extent)
    for setting in settings:
        known = study(
            setting.study, seed=seed, data_home=extent.data_home, models_home=extent.models_home
        )
        world = World(setting, known, seed)
        own = _records(world, compared, about, folder, extent, clock)
        records += own
        about_studies += _lines(world, len({record["row"] for record in own}))
    return pd.DataFrame(records), pd.DataFrame(about_studies)


def _records(
    world: World,
    compared: Callable[[World], list[Method]],
    about: str,
    folder: Path,
    extent: Extent,
    clock: Clock,
) -> list[dict[str, Any]]:
    """All records of one world; where its blocks are known, it is not even looked at."""
    numbers = world.factuals[: extent.n_factuals]
    parts = [numbers[i : i + BLOCK_SIZE] for i in range(0, len(numbers), BLOCK_SIZE)]
    keys = [digest(about + world.fingerprint, {"rows": part}) for part in parts]
    clock.planned(world.setting, len(numbers))
    taken: dict[int, float] = {}

    @cache
    def fitted() -> list[Method]:
        found = compared(world)
        found[0].explain(world.rows(numbers[:1]))  # compiles, so that no one's seconds have it
        return found

    def work(number: int) -> list[dict[str, Any]]:
        start = time.monotonic()
        found = [asdict(record) for record in measured(world, parts[number], fitted())]
        taken[number] = time.monotonic() - start
        return found

    records: list[dict[str, Any]] = []
    n_done = 0
    blocks = in_blocks(
        folder / "blocks", world.setting.study, keys, None if extent.so_far else work
    )
    for number, rows in enumerate(blocks):
        records += rows
        n_done += len(parts[number])
        clock.done(world.setting, len(parts[number]), taken.get(number))
        clock.tell(
            f"{world.setting.study}, seed {world.seed}: {n_done:,} of {len(numbers):,} people"
        )
    return records


def _lines(world: World, n_factuals: int) -> list[dict[str, Any]]:
    """What is to be known of a study, once per column."""
    setting, quality = world.setting, world.study.quality
    about = {
        "study": setting.study,
        "seed": world.seed,
        "accuracy": quality.accuracy,
        "auc": quality.auc,
        "n_tested": quality.n_tested,
        "undesired": str(setting.undesired),
        "target": str(setting.target),
        "population": len(world.population),
        "factuals": n_factuals,
        "n_neighbors": setting.n_neighbors,
        "decrease": setting.decrease,
        "spacing": setting.spacing,
    }
    return [{"column": each.name, "title": each.title, **about} for each in setting.columns]
