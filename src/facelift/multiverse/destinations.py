"""Destinations: which vertices are worth heading for."""

from __future__ import annotations

import numpy as np

from facelift.arrays import Bools, Ints
from facelift.geometry import distances, tied_ranks
from facelift.graph.graph import Graph
from facelift.graph.routes import Search, forward


def nearest_destinations(
    search: Search,
    candidates: Bools,
    n_destinations: int,
    *,
    min_separation: float = 0.0,
    max_steps: int | None = None,
) -> Ints:
    """The cheapest candidates to reach, each at least `min_separation` from those before it.

    In order of journey cost; ties go to the smaller vertex. Separation is Euclidean, on points.
    With `max_steps`, candidates whose cheapest route takes more steps are left out.
    """
    open_ = candidates & np.isfinite(search.costs)
    open_[search.source] = False
    if max_steps is not None:
        open_ &= search.n_steps <= max_steps
    order = np.flatnonzero(open_)
    order = order[np.argsort(tied_ranks(search.costs[order]), kind="stable")]
    chosen: list[int] = []
    while len(order) and len(chosen) < n_destinations:
        chosen.append(int(order[0]))
        order = order[1:]
        if min_separation > 0:
            apart = distances(search.graph.points[order], search.graph.points[chosen[-1]])
            order = order[apart >= min_separation]
    return np.array(chosen, dtype=np.int64)


def search_destinations(
    graph: Graph,
    source: int,
    candidates: Bools,
    n_destinations: int,
    *,
    min_separation: float = 0.0,
    max_steps: int | None = None,
) -> tuple[Search, Ints]:
    """Search outward only until enough destinations are settled; the search and what it chose."""
    _, steps = graph.neighbors(source)
    limit = float(steps.max(initial=0.0))
    while True:
        search = forward(graph, source, limit=limit)
        chosen = nearest_destinations(
            search, candidates, n_destinations, min_separation=min_separation, max_steps=max_steps
        )
        if len(chosen) == n_destinations or np.isinf(limit):
            return search, chosen
        # A search twice as far costs about as much as all before it; past a few, search all.
        limit = limit * 2 if 0 < limit < 32 * float(steps.max()) else np.inf


def absorbing(graph: Graph, candidates: Bools, source: int) -> Graph:
    """The graph in which no route passes through a candidate: they can only be arrived at."""
    leaves = candidates.copy()
    leaves[source] = False
    return graph.with_edges(~leaves[graph.starts])
