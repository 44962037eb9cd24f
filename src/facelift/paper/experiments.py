"""The paper's tables, its ablation and its distances: the protocol over studies, block by block.

The ablation says what FACElift's choice gains and costs as c grows, and by the spacing of the
alternatives; `distances` which encoding or definition of distance could give the paper's on tables:
FACE's journeys are found again on graphs of the same records encoded otherwise, or of fewer
records, and measured in several ways. The model, and so who is declined, stays the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from facelift import Terrain
from facelift.graph import nearest_admissible
from facelift.paper import (
    BLOCK_SIZE,
    Bools,
    Floats,
    Ints,
    Result,
    claims,
    in_blocks,
    lines,
    protocol,
    report,
    write_chart,
    write_table,
)
from facelift.paper.networks import digest
from facelift.paper.protocol import (
    METHODS,
    Method,
    face,
    facelift,
    facelift_apart,
    measured,
    methods,
)
from facelift.paper.studies import QUICK, TABLES, THRESHOLD, Extent, Setting, Study, study
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

    A run that was stopped leaves a whole page, on which every seed has about as many people.
    """
    _run([setting for settings in TABLES.values() for setting in settings], folder, extent)
    few = replace(extent, full=False, most=min(N_ABLATED, extent.n_factuals or N_ABLATED))
    for name, run in (("ablation", ablation), ("distances", distances)):
        if not extent.so_far and not (folder / f"{name}.csv").exists():
            run(name, folder, few)
    found = report.write_page(part, folder)
    return replace(found, files=(*_files(folder), found.files[0]))


def table(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Compare all methods over the settings of "table1" or "table2"; results go to a folder.

    What a run that was stopped has left in the folder is not done again.
    """
    _run(TABLES[part], folder, extent)
    found = report.read(folder)
    text = report.table_text(part, found)
    return Result(text, {"part": part, **found.document(part)}, tuple(_files(folder)))


def _run(settings: Sequence[Setting], folder: Path, extent: Extent) -> None:
    """Explain everybody at all seeds; all results are written whenever a data set is done."""
    clock = Clock([setting for setting in settings for _ in extent.seeds], extent)
    trials = [
        Trial(setting, methods, " ".join(METHODS), folder, extent, clock) for setting in settings
    ]
    take_turns(trials, lambda: _write_all([trial for trial in trials if trial.records]))


def take_turns(trials: Sequence[Trial], when_one_is_done: Callable[[], None]) -> None:
    """Do a block of every seed at a time, of the data set that has had the least time."""
    spent = dict.fromkeys(range(len(trials)), 0.0)
    while spent:
        i = min(spent, key=lambda i: spent[i])
        spent[i] += trials[i].setting.typical[1]
        if not trials[i].next_blocks():
            del spent[i]
            when_one_is_done()


def _write_all(trials: Sequence[Trial]) -> None:
    if trials:
        records = [record for trial in trials for record in trial.records]
        studies = [line for trial in trials for line in trial.studies()]
        write_results(trials[0].folder, pd.DataFrame(records), pd.DataFrame(studies))


def write_results(folder: Path, records: pd.DataFrame, studies: pd.DataFrame) -> None:
    """Everything that the page is made of, from what was measured of everybody."""
    cells = protocol.cells(records, ("seed", "alternatives", "column", "method"))
    write_tables(folder, protocol.people(records), cells, studies)


def write_tables(
    folder: Path, people: pd.DataFrame, cells: pd.DataFrame, studies: pd.DataFrame
) -> None:
    """The same from everybody's potentials and the means of every seed."""
    write_table(people, folder / "people.csv")
    write_table(cells, folder / "cells.csv")
    write_table(protocol.comparisons(people), folder / "tests.csv")
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
    first = replace(extent, n_seeds=1)
    trials = [
        Trial(setting, growing_choice, f"{part} {COUNTS}", folder, first).whole()
        for setting in chosen
    ]
    curves = by_count(cells_drawn(trials))
    spaced = by_spacing(chosen, folder, first)
    files = [
        write_table(curves, folder / f"{part}.csv"),
        write_table(spaced, folder / f"{part}-spacing.csv"),
    ]
    document = {"curves": lines(curves), "spacing": lines(spaced)}
    text = report.ablation_text(document["curves"], document["spacing"])
    files += write_chart(folder / f"{part}.svg", "draw_ablation", curves)
    document["studies"] = [line for trial in trials for line in trial.studies()]
    return Result(text, {"part": part, **document}, tuple(files))


def cells_drawn(trials: Sequence[Trial]) -> pd.DataFrame:
    """Cells by the alternatives that were drawn."""
    records = pd.DataFrame([record for trial in trials for record in trial.records])
    return protocol.cells(records[records["alternatives"] == "drawn"], ("column", "method"))


def by_spacing(settings: Sequence[Setting], folder: Path, extent: Extent) -> pd.DataFrame:
    """Cells of FACE and of FACElift with c = 10, for alternatives less or more apart."""
    found = []
    for spacing in SPACINGS:
        spaced = [
            Trial(
                replace(setting, spacing=spacing), spaced_choice, "spacing", folder, extent
            ).whole()
            for setting in settings
        ]
        found.append(cells_drawn(spaced).assign(spacing=spacing))
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


class Trial:
    """One data set at all seeds: a record per factual, method, column and kind of alternatives.

    `about` names the methods that are compared. Worlds are made when the first block is.
    """

    def __init__(
        self,
        setting: Setting,
        compared: Callable[[World], list[Method]],
        about: str,
        folder: Path,
        extent: Extent,
        clock: Clock | None = None,
    ) -> None:
        self.setting, self.folder = setting, folder
        self._extent, self._compared, self._about = extent, compared, about
        self._clock = clock or Clock([setting for _ in extent.seeds], extent)
        self._by_seed: dict[int, list[dict[str, Any]]] = {seed: [] for seed in extent.seeds}

    def whole(self) -> Self:
        """The same when everybody is done."""
        while self.next_blocks():
            pass
        return self

    def next_blocks(self) -> bool:
        """Do the next block of every seed; whether there was any."""
        found = {seed: next(blocks, None) for seed, blocks in self._turns.items()}
        for seed, block in found.items():
            self._by_seed[seed] += [{**record, "seed": seed} for record in block or ()]
        return any(block is not None for block in found.values())

    @property
    def records(self) -> list[dict[str, Any]]:
        """All so far, seed by seed."""
        return [record for own in self._by_seed.values() for record in own]

    def studies(self) -> list[dict[str, Any]]:
        """What is to be known of data and models, once per seed and column."""
        counts = {
            seed: len({record["row"] for record in own}) for seed, own in self._by_seed.items()
        }
        explained = [world for world in self._worlds if counts[world.seed]]
        return [line for world in explained for line in _lines(world, counts[world.seed])]

    @cached_property
    def _worlds(self) -> list[World]:
        return [self._world(seed) for seed in self._extent.seeds]

    def _world(self, seed: int) -> World:
        extent = self._extent
        known = study(
            self.setting.study,
            seed=seed,
            data_home=extent.data_home,
            models_home=extent.models_home,
        )
        return World(self.setting, known, seed)

    @cached_property
    def _turns(self) -> dict[int, Iterator[list[dict[str, Any]]]]:
        shared = (self._compared, self._about, self.folder, self._extent, self._clock)
        return {world.seed: _blocks(world, *shared) for world in self._worlds}


def _blocks(
    world: World,
    compared: Callable[[World], list[Method]],
    about: str,
    folder: Path,
    extent: Extent,
    clock: Clock,
) -> Iterator[list[dict[str, Any]]]:
    """Records of one world, block by block; where blocks are known, it is not even looked at."""
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
        known = fitted()
        start = time.monotonic()
        found = [asdict(record) for record in measured(world, parts[number], known)]
        taken[number] = time.monotonic() - start
        return found

    n_done = 0
    blocks = in_blocks(
        folder / "blocks", world.setting.study, keys, None if extent.so_far else work
    )
    for number, rows in enumerate(blocks):
        n_done += len(parts[number])
        clock.done(world.setting, len(parts[number]), taken.get(number))
        clock.tell(
            f"{world.setting.study}, seed {world.seed}: {n_done:,} of {len(numbers):,} people"
        )
        yield rows


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


N_PEOPLE = 100
"""People of each data set."""

N_DRAWN = 1000
"""Records of a graph of few, as of German Credit; these people are added."""

FEW = 15
"""Numbers with at most so many values may have been taken for categories."""


def distances(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Measure FACE's journeys by every encoding and definition; results go to a folder."""
    found = []
    for setting in TABLES["table1"]:
        known = study(
            setting.study,
            seed=extent.seed,
            data_home=extent.data_home,
            models_home=extent.models_home,
        )
        for line in ways_measured(setting, known, extent.seed):
            extent.tell(f"{setting.study}: {line['encoding']}, {line['records']}")
            found.append({"study": setting.study, **line})
    table = pd.DataFrame(found)
    path = write_table(table, folder / "distances.csv")
    document = lines(table)
    return Result(report.distances_text(document), {"part": part, "distances": document}, (path,))


def ways_measured(setting: Setting, known: Study, seed: int) -> Iterator[dict[str, Any]]:
    """Mean distances of FACE's journeys, by encoding and by the records that the graph is of."""
    people = World(setting, known, seed).factuals[:N_PEOPLE]
    place = known.model.classes_.tolist().index(setting.target)
    good = known.model.predict_proba(known.rows)[:, place] >= THRESHOLD
    kinds = {"all": np.full(len(good), True)}
    if not setting.everybody:
        kinds["tested"] = known.tested
        drawn = np.random.default_rng(seed).permutation(len(good))[:N_DRAWN]
        kinds[f"{N_DRAWN:,} drawn"] = np.isin(np.arange(len(good)), [*drawn, *people])
    for name, encode in ENCODINGS.items():
        points = encode(known)
        for records, part in kinds.items():
            found = shortest_ways(points, part, good, people, setting.n_neighbors)
            means = {str(key): float(mean) for key, mean in found.mean().items()}
            yield {"encoding": name, "records": records, "people": len(found), **means}


def shortest_ways(
    points: Floats, part: Bools, good: Bools, people: Ints, n_neighbors: int
) -> pd.DataFrame:
    """How far FACE goes for each of some people on the graph of a part of the records.

    >>> line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    >>> all_of_them, last = np.full(3, True), np.array([False, False, True])
    >>> shortest_ways(line, all_of_them, last, np.array([0]), 1).round(2).to_dict("records")
    [{'l2': 2.24, 'l1': 3.0, 'squared': 5.0, 'cost': 2.41, 'changed': 2.0}]
    """
    distinct, first, vertices = np.unique(
        points[part], axis=0, return_index=True, return_inverse=True
    )
    wanted = good[np.flatnonzero(part)[first]]
    places = np.full(len(points), -1)
    places[part] = vertices.ravel()
    sources = places[people]
    m, n = points.shape[1], len(distinct)
    prices = Terrain.infer(np.array([np.zeros(m), np.ones(m)])).prices  # Euclidean
    ends, costs = nearest_admissible(distinct, distinct, prices, n_neighbors, itself=np.arange(n))
    starts, known = np.repeat(np.arange(n), n_neighbors), ends.ravel() >= 0
    one_way = sparse.csr_array(
        (costs.ravel()[known], (starts[known], ends.ravel()[known])), shape=(n, n)
    )
    left = dijkstra(one_way.maximum(one_way.T), indices=sources)
    left[:, ~wanted] = np.inf
    goals = left.argmin(axis=1)
    reached = np.isfinite(left[np.arange(len(goals)), goals])
    moves = distinct[goals[reached]] - distinct[sources[reached]]
    squares = (moves**2).sum(axis=1)
    return pd.DataFrame(
        {
            "l2": np.sqrt(squares),
            "l1": np.abs(moves).sum(axis=1),
            "squared": squares,
            "cost": left[np.flatnonzero(reached), goals[reached]],
            "changed": (moves != 0).sum(axis=1).astype(np.float64),
        }
    )


def _ours(known: Study) -> Floats:
    return np.asarray(known.terrain.encode(known.rows), dtype=np.float64)


def _standardised(points: Floats) -> Floats:
    deviations = points.std(axis=0)
    return np.asarray((points - points.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0))


def _by_range(points: Floats) -> Floats:
    spans = np.ptp(points, axis=0)
    return np.asarray((points - points.min(axis=0)) / np.where(spans > 0, spans, 1.0))


def _columns(known: Study, numbers: Callable[[Floats], Floats], n_levels: int = 0) -> Floats:
    """Categories, and numbers with few values, one-hot; the other numbers by a function."""
    rows = known.rows
    words = [
        name
        for name in rows.columns
        if isinstance(rows[name].dtype, pd.CategoricalDtype) or rows[name].nunique() <= n_levels
    ]
    others = numbers(rows.drop(columns=words).to_numpy(dtype=np.float64))
    levels = pd.get_dummies(rows[words].astype(str)).to_numpy(dtype=np.float64)
    return np.hstack([levels, others])


def _codes(known: Study) -> Floats:
    """The number of each level; numbers as they are."""
    rows = known.rows
    coded = [
        rows[name].cat.codes if isinstance(rows[name].dtype, pd.CategoricalDtype) else rows[name]
        for name in rows.columns
    ]
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in coded])


ENCODINGS: dict[str, Callable[[Study], Floats]] = {
    claims.AS_OURS: _ours,
    "one-hot, numbers standardised": lambda known: _columns(known, _standardised),
    "one-hot, then everything standardised": lambda known: _standardised(_ours(known)),
    "one-hot, numbers of few values too": lambda known: _columns(known, _by_range, FEW),
    "levels as numbers, by range": lambda known: _by_range(_codes(known)),
    "levels as numbers, standardised": lambda known: _standardised(_codes(known)),
}
"""How the records may have been encoded."""
