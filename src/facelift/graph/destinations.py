"""Destinations: which vertices are worth heading for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import distances, tied_ranks
from facelift.graph.graph import Graph


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


def absorbing(graph: Graph, candidates: Bools) -> Graph:
    """The graph in which no route passes through a candidate: they can only be arrived at."""
    return graph.with_edges(~candidates[graph.starts])


def cheapest_apart(graph: Graph, vertices: Ints, costs: Floats, wanted: Wanted) -> Ints:
    """The wanted ones of some vertices, by what each costs.

    Compiled searches have the same rule of their own, `kernels.nearest_routes._cheapest`.
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
