"""Approximate neighbours, for tables beyond what an exact search can do in the time there is.

Candidates come from nearest-neighbour descent among points that agree in what cannot change. Which
of them are neighbours is decided as in the exact search: forbidden moves are out, the others are
ordered by their exact cost. Where fewer are left than asked for, an exact search fills in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.errors import optional
from facelift.geometry import tied_ranks
from facelift.graph.building import Neighbourhood, moves_of
from facelift.graph.nearest import Nearest, nearest_admissible
from facelift.graph.nearest.blocks import Layout
from facelift.graph.nearest.tiles import kinds_of
from facelift.graph.points import move_costs
from facelift.terrain.prices import Prices

FROM = 4096
"""Fewer points that agree in what cannot change are searched exactly."""

WIDER = 3
"""Candidates for each neighbour asked for: some are forbidden, some dearer than they are far."""

N_SAMPLED = 500
"""Records whose neighbours are found exactly, too, to tell how many an approximate search finds."""


def approximate_nearest(
    starts: Floats,
    ends: Floats,
    prices: Prices,
    n_neighbors: int,
    *,
    itself: Ints | None = None,
    n_threads: int = 1,
    random_state: int | None = None,
) -> tuple[Ints, Floats]:
    """What `nearest_admissible` returns, except that some neighbours may not be the nearest.

    Only a search among the same starts and ends is approximate, and only where nothing is missing.
    """
    alike = starts is ends and len(ends) and not prices.gaps
    layout = Layout.of(starts, ends, prices) if alike else None
    if layout is None:
        return nearest_admissible(
            starts, ends, prices, n_neighbors, itself=itself, n_threads=n_threads
        )
    indices = np.full((len(starts), n_neighbors), -1, dtype=np.int64)
    costs = np.full((len(starts), n_neighbors), np.inf)
    kinds = kinds_of(starts, prices)
    coordinates = layout.coordinates(starts) * layout.least.astype(np.float32)
    order = np.argsort(kinds, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1):
        if len(group) >= max(FROM, 2 * WIDER * n_neighbors):
            near = group[_descent(coordinates[group], WIDER * n_neighbors, n_threads, random_state)]
            _choose(starts, prices, group, near, indices, costs)
    rest = np.flatnonzero(np.isinf(costs[:, -1]))
    own = None if itself is None else itself[rest]
    indices[rest], costs[rest] = nearest_admissible(
        starts[rest], ends, prices, n_neighbors, itself=own, n_threads=n_threads
    )
    return indices, costs


def recall(
    moves: sparse.csr_array,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    nearest: Nearest = nearest_admissible,
) -> float:
    """Share of the exact neighbours of a sample of points that are among their moves."""
    sample = np.unique(np.linspace(0, len(points) - 1, N_SAMPLED).astype(np.int64))
    starts, ends, _ = moves_of(sample, points, neighbourhood, enterable, nearest)
    found = [
        np.isin(
            ends[starts == vertex], moves.indices[moves.indptr[vertex] : moves.indptr[vertex + 1]]
        )
        for vertex in sample
    ]
    every = np.concatenate(found)
    return float(every.mean()) if len(every) else 1.0


def _descent(
    coordinates: npt.NDArray[np.float32], width: int, n_threads: int, random_state: int | None
) -> Ints:
    """For each point the places of others about nearest to it; some may be the point itself."""
    descent = optional("pynndescent", extra="ann", what="neighbors='approximate'")
    index = descent.NNDescent(
        coordinates, n_neighbors=width + 1, random_state=random_state, n_jobs=n_threads
    )
    return np.asarray(index.neighbor_graph[0], dtype=np.int64)


def _choose(
    points: Floats, prices: Prices, rows: Ints, near: Ints, indices: Ints, costs: Floats
) -> None:
    """Write the nearest admissible of the candidates of each row."""
    for part in chunks(len(rows), near.shape[1] * points.shape[1]):
        some, ends = rows[part], np.sort(near[part], axis=1)
        pairs = np.repeat(some, ends.shape[1]), ends.ravel()
        exact = move_costs(prices, points, points, pairs).reshape(ends.shape)
        exact[ends == some[:, np.newaxis]] = np.inf
        exact[:, 1:][ends[:, 1:] == ends[:, :-1]] = np.inf  # the same one twice
        best = np.argsort(tied_ranks(exact), axis=1, kind="stable")[:, : indices.shape[1]]
        costs[some] = np.take_along_axis(exact, best, axis=1)
        indices[some] = np.take_along_axis(ends, best, axis=1)
