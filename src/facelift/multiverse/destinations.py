"""Destinations: which vertices are worth heading for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import distances, tied_ranks
from facelift.graph.graph import Graph
from facelift.graph.outward import Outward
from facelift.graph.routes import Search


@dataclass(frozen=True)
class Wanted:
    """How many destinations, how far apart, and within how many steps.

    The cheapest to reach are taken in order of cost, ties by the smaller vertex, each at least
    `min_separation` (Euclidean, on points) from those before it; those whose cheapest route takes
    more than `max_steps` are left out.
    """

    count: int
    min_separation: float = 0.0
    max_steps: int | None = None

    @property
    def nearest_will_do(self) -> bool:
        """Whether cost alone decides which are wanted."""
        return self.min_separation == 0 and self.max_steps is None


def nearest_destinations(search: Search, candidates: Bools, wanted: Wanted) -> Ints:
    """The wanted ones among the candidates that a finished search came by.

    `candidates` may leave out a vertex attached last.
    """
    open_ = np.isfinite(search.costs)
    open_[: len(candidates)] &= candidates
    open_[len(candidates) :] = False
    open_[search.source] = False
    if wanted.max_steps is not None:
        open_ &= search.n_steps <= wanted.max_steps
    found = np.flatnonzero(open_)
    return cheapest_apart(search.graph, found, search.costs[found], wanted)


def outward_destinations(search: Outward, wanted: Wanted) -> Ints:
    """The same destinations, from a search that goes no farther than it must."""
    count = wanted.count
    while True:
        found, costs = search.nearest(count)
        exhausted = len(found) < count
        if wanted.max_steps is not None and len(found):
            near = search.n_steps(found) <= wanted.max_steps
            found, costs = found[near], costs[near]
        chosen = cheapest_apart(search.graph, found, costs, wanted)
        if exhausted or len(chosen) == wanted.count:
            return chosen
        count *= 2


def absorbing(graph: Graph, candidates: Bools) -> Graph:
    """The graph in which no route passes through a candidate: they can only be arrived at."""
    return graph.with_edges(~candidates[graph.starts])


def cheapest_apart(graph: Graph, vertices: Ints, costs: Floats, wanted: Wanted) -> Ints:
    """The wanted ones of some vertices, by what each costs.

    Compiled searches have the same rule of their own, `kernels.ways._cheapest`.
    """
    order = vertices[np.lexsort((vertices, tied_ranks(costs)))]
    if wanted.min_separation == 0:
        return order[: wanted.count]
    chosen: list[int] = []
    while len(order) and len(chosen) < wanted.count:
        chosen.append(int(order[0]))
        order = order[1:]
        apart = distances(graph.at(order), graph.at(np.array(chosen[-1:]))[0])
        order = order[apart >= wanted.min_separation]
    return np.array(chosen, dtype=np.int64)
