"""Compiled searches on large graphs: outward to the nearest candidates and no farther.

The same answers as `routes`, for what a search visits instead of what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Attached, Graph
from facelift.graph.kernels import kernel
from facelift.graph.kernels.workspace import (
    LISTED,
    Destinations,
    Indices,
    borrow,
    csr,
    give_back,
    network,
    origin,
    reach,
    wave,
)
from facelift.graph.population import n_sought
from facelift.graph.routes import Routes, Wanted, cheapest_apart


def nearest_routes(
    graph: Graph,
    source: int,
    candidates: Bools,
    wanted: Wanted,
    guide: Callable[[], Floats] | None,
) -> Routes:
    """The cheapest routes to the wanted ones of the candidates; see `facelift.graph.search`."""
    with Outward(graph, source, candidates, None if guide is None else guide()) as search:
        if wanted.nearest_will_do:
            return search.nearest_routes(wanted.count)
        return search.routes(_wanted(search, wanted))


def _wanted(search: Outward, wanted: Wanted) -> Ints:
    """The wanted ones among the candidates, from a search that goes no farther than it must."""
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


class Outward:
    """A search from one vertex towards candidates; to be used in a `with` block, by one thread.

    A `guide`, the `costs_to_any` of these candidates, leads it straight to them.
    """

    def __init__(
        self, graph: Graph, source: int, candidates: Bools, guide: Floats | None = None
    ) -> None:
        self._attached = isinstance(graph, Attached) and source == len(graph.ground)
        self._ground = graph.ground if isinstance(graph, Attached) else graph
        self.graph, self.source = graph, source
        if self._attached:
            self._origin = origin(*graph.neighbors(source), source)
        else:
            self._origin = origin(np.array([source]), np.zeros(1))
        self._network = network(self._ground)
        self._candidates = candidates
        self._guide = _NO_GUIDE if guide is None else guide
        self._source_is_candidate = not self._attached and bool(candidates[source])
        self._horizon = 0.0

    def __enter__(self) -> Self:
        self._kernels: Any = kernel("outward")
        self._space = borrow(self._ground)
        self._kernels.start(self._origin, self._guide, self._space.out)
        return self

    def __exit__(self, fault: type[BaseException] | None, *_: object) -> None:
        if fault is None:  # else nobody knows what the space looks like
            self._kernels.clear(self._space.out)
            give_back(self._ground, self._space)

    def nearest(self, n_wanted: int) -> tuple[Ints, Floats]:
        """Candidates in the order they were come by, at least as many as wanted, and their costs.

        Fewer only if there are no more. Whatever costs as much as the last of them is among them.
        """
        space, extra = self._space, self._source_is_candidate
        self._horizon = self._kernels.spread(
            self._network.edges,
            self._candidates,
            self._guide,
            n_sought(n_wanted, self._candidates) + extra,
            False,
            space.out,
            space.listed,
        )
        listed = space.listed[: space.out.counts[LISTED]].astype(np.int64)
        if extra:
            listed = listed[listed != self.source]
        return listed, self.costs(listed)

    def costs(self, vertices: Ints) -> Floats:
        """Costs from the source to vertices that the search came by."""
        return self._space.out.costs[vertices]

    def n_steps(self, ends: Ints) -> Ints:
        """Number of steps of the cheapest route to each end."""
        lengths, _, _ = self._traced(ends)
        return np.asarray(lengths - 1 + self._attached, dtype=np.int64)

    def route(self, end: int) -> Ints:
        """Vertices of the cheapest route to an end."""
        _, traced, _ = self._traced(np.array([end]))
        return np.append([self.source] * self._attached, traced).astype(np.int64)

    def nearest_routes(self, n_wanted: int) -> Routes:
        """The routes to the nearest candidates, cheapest first; fewer only if there are no more.

        Nothing can be asked of the search afterwards, but for where it came.
        """
        return Routes(
            *kernel("nearest_routes").nearest_routes(
                self._network,
                reach(self._ground),
                self._candidates,
                self._guide,
                n_sought(n_wanted, self._candidates),
                self._origin,
                TOLERANCE,
                self._space,
            )
        )

    def routes(self, ends: Ints) -> Routes:
        """The cheapest routes to some ends, and what is left to all of them on the way."""
        return Routes(
            *kernel("nearest_routes").routes(
                self._network,
                reach(self._ground),
                self._guide,
                self._horizon,
                self._origin,
                ends.astype(np.int32),
                TOLERANCE,
                self._space,
            )
        )

    def nearby(self, destinations: Sequence[Ints]) -> Floats:
        """Least cost to each destination from the source, and from each vertex one step away.

        All their members are to be the candidates of this search.
        """
        ends, steps = self.graph.neighbors(self.source)
        away = self._away(destinations)
        left = np.full((1 + len(ends), len(destinations)), np.inf)
        left[0] = away
        known = np.isfinite(away)  # what is out of reach from here is so from there
        if known.any() and len(ends):
            sets = [members for members, yes in zip(destinations, known, strict=True) if yes]
            there = np.full((len(ends), len(sets)), np.inf)
            kernel("nearest_routes").nearby(
                self._network,
                reach(self._ground),
                _destinations(sets, away[known]),
                self._guide,
                self._horizon,
                steps.max(),
                ends.astype(np.int32),
                self._space,
                there,
            )
            left[1:, known] = there
        return left

    def _away(self, destinations: Sequence[Ints]) -> Floats:
        """Least cost from the source to each destination, inf if out of reach."""
        count = len(destinations)
        while True:
            found, _ = self.nearest(count)
            exhausted = len(found) < count
            found = np.append(found, self.source)  # where one stands is no way to go
            settled = [members[np.isin(members, found)] for members in destinations]
            if exhausted or all(len(members) for members in settled):
                return np.array([self.costs(members).min(initial=np.inf) for members in settled])
            count *= 2

    def _traced(self, ends: Ints) -> tuple[Indices, Indices, Floats]:
        """Lengths, vertices and step costs of the routes, one after the other."""
        traced: tuple[Indices, Indices, Floats] = self._kernels.trace(
            self._network,
            self._space.out.costs,
            self._origin,
            ends.astype(np.int32),
            TOLERANCE,
            self._space.levels,
        )
        return traced


def costs_to_any(graph: Graph, candidates: Bools) -> Floats:
    """Least cost from every vertex to any candidate; shape (n,), inf where there is no way."""
    kernels: Any = kernel("outward")
    ends = np.flatnonzero(candidates)
    none = np.zeros(len(graph), dtype=bool)
    whole = wave(len(graph))
    kernels.start(origin(ends, np.zeros(len(ends))), _NO_GUIDE, whole)
    listed = np.empty(0, dtype=np.int32)
    kernels.spread(csr(graph.reversed), none, _NO_GUIDE, 1, False, whole, listed)
    return whole.costs


def costs_between(graph: Graph, starts: Ints, ends: Ints) -> Floats:
    """Least cost from each of some vertices to each of others; shape (k, c).

    A search back from every end goes on until it has come by all starts.
    """
    kernels: Any = kernel("outward")
    candidates, back, whole = _mask(graph, starts), network(graph).back, wave(len(graph))
    n_starts = int(candidates.sum())
    listed, found = np.empty(len(graph), dtype=np.int32), np.empty((len(starts), len(ends)))
    for column, end in enumerate(ends.tolist()):
        kernels.start(origin(np.array([end]), np.zeros(1)), _NO_GUIDE, whole)
        kernels.spread(back, candidates, _NO_GUIDE, n_starts, False, whole, listed)
        found[:, column] = whole.costs[starts]
        kernels.clear(whole)
    return found


def costs_nearby(graph: Graph, vertex: int, destinations: Sequence[Ints]) -> Floats:
    """Least cost to each destination from a vertex, then from those one step away; (1 + s, c)."""
    with Outward(graph, vertex, _mask(graph, np.concatenate(destinations))) as search:
        return search.nearby(destinations)


def cheapest_route(graph: Graph, source: int, members: Ints) -> Ints:
    """Vertices of the cheapest route to any member, empty if all are out of reach."""
    with Outward(graph, source, _mask(graph, members)) as search:
        found, costs = search.nearest(1)
        if not len(found):
            return np.empty(0, dtype=np.int64)
        return search.route(found[np.lexsort((found, costs))[0]])


def _mask(graph: Graph, vertices: Ints) -> Bools:
    mask = np.zeros(len(graph), dtype=bool)
    mask[vertices] = True
    return mask


_NO_GUIDE = np.empty(0)


def _destinations(sets: Sequence[Ints], away: Floats) -> Destinations:
    offsets = np.cumsum([0, *map(len, sets)])
    return Destinations(np.concatenate(sets).astype(np.int32), offsets, away)
