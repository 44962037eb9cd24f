"""What callers ask of a graph, and the one place that decides which engine answers.

SciPy searches small graphs whole (`facelift.graph.routes`). On large ones compiled searches visit
no more than a question needs (`facelift.graph.compiled`). Both find the same routes; what is left
to go may be added up in another order, and so differ in the last digit.

Work that many questions share is handed in as a function, which the engine calls if it needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.graph import compiled, routes
from facelift.graph.compiled import Labels
from facelift.graph.graph import Attached, Graph
from facelift.graph.kernels import can_compile
from facelift.graph.nearest import Index
from facelift.graph.routes import Marks, Routes, SharedCosts, Wanted, reached
from facelift.terrain.prices import Prices

COMPILED_FROM = 5_000
"""Vertices from which compiled searches pay; below, SciPy has answered before they are loaded."""


class Engine(Protocol):
    """What `routes` and `compiled` both answer; each function here says what of a graph."""

    nearest_routes: Callable[[Graph, int, Bools, Wanted, SharedCosts | None], Routes]
    costs_nearby: Callable[[Graph, int, Sequence[Ints], SharedCosts | None], Floats]
    costs_between: Callable[[Graph, Ints, Ints], Floats]
    cheapest_route: Callable[[Graph, int, Ints], Ints]
    costs_to_any: Callable[[Graph, Bools], Floats]
    labels: Callable[[Graph, Bools, int], Labels | None]
    index: Callable[[Graph, Bools, Prices], Index | None]
    marks: Callable[[Graph, Ints, Ints], Iterator[Marks]]


def worth_compiling(graph: Graph) -> bool:
    """Whether a graph is large, and its indices are of the kind the compiled searches take."""
    ground = graph.ground if isinstance(graph, Attached) else graph
    large = len(ground) >= COMPILED_FROM and ground.costs.indices.dtype == np.int32
    return large and can_compile()


def engine(graph: Graph) -> Engine:
    """What searches a graph: compiled code where that pays, else SciPy."""
    return compiled if worth_compiling(graph) else routes


def nearest_routes(
    graph: Graph,
    source: int,
    candidates: Bools,
    wanted: Wanted,
    guide: SharedCosts | None = None,
) -> Routes:
    """The cheapest routes from a vertex to the wanted ones of the candidates, cheapest first.

    A `guide` gives the `costs_to_any` of these candidates, which make searches on large graphs
    shorter. Give it always or never for the same question: what is left to go is added up in an
    order that depends on it, and the same question has the same answer to the last digit.

    >>> from facelift.toys import loan
    >>> found = nearest_routes(loan().graph, 0, np.isin(np.arange(7), [1, 2, 3]), Wanted(2))
    >>> found.lengths.tolist(), found.vertices.tolist(), found.steps.tolist()
    ([2, 3], [0, 1, 0, 4, 2], [0.0, 3.0, 0.0, 8.0, 6.0])
    """
    return engine(graph).nearest_routes(graph, source, candidates, wanted, guide)


def costs_nearby(
    graph: Graph, vertex: int, destinations: Sequence[Ints], everywhere: SharedCosts | None = None
) -> Floats:
    """Least cost to each destination from a vertex, then from those one step away; (1 + s, c).

    `everywhere` gives the `remaining_costs` of these destinations, if somebody keeps them.

    >>> from facelift.toys import loan
    >>> costs_nearby(loan().graph, 0, [np.array([3])]).tolist()
    [[16.0], [inf], [8.0]]
    """
    if not len(destinations):
        return np.empty((1 + len(graph.neighbors(vertex)[0]), 0))
    return engine(graph).costs_nearby(graph, vertex, destinations, everywhere)


def costs_between(graph: Graph, starts: Ints, ends: Ints) -> Floats:
    """Least cost from each of some vertices to each of others; shape (k, c), inf without a way.

    >>> from facelift.toys import loan
    >>> costs_between(loan().graph, np.array([0, 6]), np.array([2, 3])).tolist()
    [[14.0, 16.0], [inf, 1.0]]
    """
    return engine(graph).costs_between(graph, starts, ends)


def cheapest_route(graph: Graph, source: int, members: Ints) -> Ints:
    """Vertices of the cheapest route to any member, empty if all are out of reach.

    >>> from facelift.toys import loan
    >>> cheapest_route(loan().graph, 0, np.array([2, 3])).tolist()
    [0, 4, 2]
    """
    if source in members:
        return np.array([source])
    return engine(graph).cheapest_route(graph, source, members)


def costs_to_any(graph: Graph, candidates: Bools) -> Floats:
    """Least cost from every vertex to any candidate; shape (n,), inf where there is no way.

    >>> from facelift.toys import loan
    >>> costs_to_any(loan().graph, np.isin(np.arange(7), [1, 2])).tolist()
    [3.0, 0.0, 0.0, inf, 6.0, 5.0, inf]
    """
    return engine(graph).costs_to_any(graph, candidates)


def labels_of_everybody(graph: Graph, candidates: Bools, wanted: Wanted) -> Labels | None:
    """One search for everybody's nearest candidates; None where a search for each is as good."""
    return engine(graph).labels(graph, candidates, wanted.count) if wanted.nearest_will_do else None


def index_of_many(graph: Graph, enterable: Bools, prices: Prices) -> Index | None:
    """The records that may be entered, in blocks to look neighbours up in; None if they are few."""
    return engine(graph).index(graph, enterable, prices)


def in_reach(graph: Graph, candidates: Bools, vertices: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """How many candidates each vertex can get to, and how many anybody of each group can.

    `groups` numbers the group of every vertex, from 0.

    >>> from facelift.toys import loan
    >>> ends = np.isin(np.arange(7), [1, 2, 3])
    >>> in_reach(loan().graph, ends, np.array([0, 4, 6]), np.array([0, 1, 1]))
    (array([3, 2, 1]), array([3, 2]))
    """
    counts = np.zeros(len(vertices), dtype=np.int64)
    pools = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    for seen in engine(graph).marks(graph, np.flatnonzero(candidates), vertices):
        counts += np.bitwise_count(seen).sum(axis=1, dtype=np.int64)
        for group in range(len(pools)):
            anybody = np.bitwise_or.reduce(seen[groups == group], axis=0)
            pools[group] += np.bitwise_count(anybody).sum(dtype=np.int64)
    return counts, pools


def n_in_reach(graph: Graph, source: int) -> int:
    """How many other vertices there is a way to, however far.

    >>> from facelift.toys import loan
    >>> n_in_reach(loan().graph, 4)
    4
    """
    if isinstance(graph, Attached) and source == len(graph.ground):
        return int(reached(graph.ground.costs, graph.ends).sum())
    return int(reached(graph.costs, np.array([source])).sum()) - 1
