"""Which encoding or definition of distance could give the paper's distances on tables.

FACE's journeys are found again on graphs of the same records encoded otherwise, or of fewer
records, and measured in several ways. The model, and so who is declined, stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from facelift import Terrain
from facelift.graph import nearest_admissible
from facelift.paper import report
from facelift.paper.results import Bools, Floats, Ints, Result, lines, write_table
from facelift.paper.studies import QUICK, TABLES, THRESHOLD, Extent, Setting, Study, study
from facelift.paper.world import World

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
        for line in measured(setting, known, extent.seed):
            extent.tell(f"{setting.study}: {line['encoding']}, {line['records']}")
            found.append({"study": setting.study, **line})
    table = pd.DataFrame(found)
    path = write_table(table, folder / "distances.csv")
    document = lines(table)
    return Result(report.distances_text(document), {"part": part, "distances": document}, (path,))


def measured(setting: Setting, known: Study, seed: int) -> Iterator[dict[str, Any]]:
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
            found = face(points, part, good, people, setting.n_neighbors)
            means = {str(key): float(mean) for key, mean in found.mean().items()}
            yield {"encoding": name, "records": records, "people": len(found), **means}


def face(points: Floats, part: Bools, good: Bools, people: Ints, n_neighbors: int) -> pd.DataFrame:
    """How far FACE goes for each of some people on the graph of a part of the records.

    >>> line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    >>> all_of_them, last = np.full(3, True), np.array([False, False, True])
    >>> face(line, all_of_them, last, np.array([0]), 1).round(2).to_dict("records")
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
    "one-hot, numbers by range (the paper's text, and ours)": _ours,
    "one-hot, numbers standardised": lambda known: _columns(known, _standardised),
    "one-hot, then everything standardised": lambda known: _standardised(_ours(known)),
    "one-hot, numbers of few values too": lambda known: _columns(known, _by_range, FEW),
    "levels as numbers, by range": lambda known: _by_range(_codes(known)),
    "levels as numbers, standardised": lambda known: _standardised(_codes(known)),
}
"""How the records may have been encoded."""
