"""Compiled searches on large graphs: outward from one vertex, or for everybody at once.

The same answers as `routes`, for what a search visits instead of what there is. Whatever people
have in common is searched once: one search back from all candidates labels every vertex with its
nearest ones, and one back from each destination serves all who head there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.graph import Attached, Graph
from facelift.graph.kernels import (
    LISTED,
    SLACK,
    Destinations,
    Heading,
    Indices,
    LabelTable,
    borrow,
    components,
    csr,
    give_back,
    kernel,
    network,
    origin,
    reach,
    wave,
)
from facelift.graph.nearest import Index
from facelift.graph.routes import Marks, Routes, SharedCosts, Wanted, cheapest_apart
from facelift.terrain.prices import Prices

FEW = 100
"""So many candidates are looked for without asking whether there are as many."""

MEMORY = 128_000_000
"""Bytes of marks made at once where reach is counted."""


def nearest_routes(
    graph: Graph,
    source: int,
    candidates: Bools,
    wanted: Wanted,
    guide: SharedCosts | None,
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
        return self._routes(n_sought(n_wanted, self._candidates), _NONE)

    def routes(self, ends: Ints) -> Routes:
        """The cheapest routes to some ends, and what is left to all of them on the way."""
        return self._routes(0, ends.astype(np.int32))

    def _routes(self, n_sought: int, ends: Indices) -> Routes:
        return Routes(
            *kernel("nearest_routes").routes(
                self._network,
                reach(self._ground),
                self._candidates,
                self._guide,
                self._horizon,
                n_sought,
                self._origin,
                ends,
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
    if not len(starts):
        return np.empty((0, len(ends)))
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


def costs_nearby(
    graph: Graph,
    vertex: int,
    destinations: Sequence[Ints],
    everywhere: SharedCosts | None,  # noqa: ARG001  (what is near is found sooner)
) -> Floats:
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
_NONE: Indices = np.empty(0, dtype=np.int32)


def _destinations(sets: Sequence[Ints], away: Floats) -> Destinations:
    offsets = np.cumsum([0, *map(len, sets)])
    return Destinations(np.concatenate(sets).astype(np.int32), offsets, away)


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest candidates of some vertices, cheapest first, ties to the smaller; (p, c) each.

    `ends` is -1 and `costs` inf where there are fewer. Where `certain` is false, ties were too many
    to tell which come first.
    """

    ends: Ints
    costs: Floats
    certain: Bools


def n_sought(n_wanted: int, candidates: Bools) -> int:
    """How many candidates to look for: no more than there are, but one at least.

    They are counted only where many are wanted: then it costs less than making room for them.

    >>> n_sought(10**30, np.array([True, False, True])), n_sought(7, np.zeros(3, dtype=bool))
    (2, 7)
    """
    if n_wanted <= FEW:
        return n_wanted
    return max(1, min(n_wanted, int(np.count_nonzero(candidates))))


class Labels:
    """Every vertex's nearest candidates: one search for the whole graph.

    `count` are wanted per vertex, all if there are fewer, and `width` are kept: ties at the last
    one wanted need some more.
    """

    def __init__(
        self, graph: Graph, candidates: Bools, count: int, width: int | None = None
    ) -> None:
        self.graph, self.count = graph, n_sought(count, candidates)
        width = 2 * self.count + 8 if width is None else width
        self._kernels: Any = kernel("population")
        costs = np.full((len(graph), width), np.inf)
        self._table = LabelTable(costs, np.full((len(graph), width), -1, dtype=np.int32))
        sources = np.flatnonzero(candidates).astype(np.int32)
        self._kernels.label(csr(graph.reversed), sources, self._table)

    def nearest(self, vertices: Ints) -> Nearest:
        """The nearest candidates of some vertices, none of which is one."""
        costs, ends = self._table.costs[vertices], self._table.ends[vertices].astype(np.int64)
        ranks = tied_ranks(costs)
        order = np.lexsort((ends, ranks), axis=-1)
        costs = np.take_along_axis(costs, order, axis=1)
        ends = np.take_along_axis(ends, order, axis=1)
        last = costs[:, self.count - 1]
        certain = np.isinf(costs[:, -1]) | (costs[:, -1] > last * (1 + SLACK))
        return Nearest(ends[:, : self.count], costs[:, : self.count], certain)

    def ways(self, vertices: Ints, nearest: Nearest, *, n_threads: int = 1) -> Routes:
        """Cheapest routes of people to their nearest candidates, where these are certain.

        Those of person p stand one after the other, with `lengths[p]` (c,) vertices, 0 where there
        is none. What is left to somebody's other destinations is inf where that is more than from
        the start, which closes a destination however much it is.
        """
        wanted = nearest.ends >= 0
        person, column = np.nonzero(wanted)
        starts, goals = vertices[person], nearest.ends[wanted]
        lengths = np.zeros(wanted.shape, dtype=np.int64)
        lengths[wanted], along, steps = self._routes(starts, goals)
        rows = np.append(0, np.cumsum(lengths.sum(axis=1)))
        remaining = np.full((len(along), wanted.shape[1]), np.inf)
        heading = _heading(person, column, goals, nearest.costs[wanted])
        self._fill(heading, rows, along, remaining, n_threads)
        return Routes(lengths, along.astype(np.int64), steps, remaining)

    def _routes(self, starts: Ints, goals: Ints) -> tuple[Ints, Indices, Floats]:
        lengths, along, steps = self._kernels.routes(
            network(self.graph),
            self._table,
            starts.astype(np.int32),
            goals.astype(np.int32),
            TOLERANCE,
            np.full(len(self.graph), -1, dtype=np.int32),
        )
        return lengths.astype(np.int64), along, steps

    def _fill(
        self, heading: Heading, rows: Ints, along: Indices, remaining: Floats, n_threads: int
    ) -> None:
        """Write what is left from all waypoints, one search per destination."""
        from joblib import Parallel, delayed

        def search(part: Heading) -> None:
            own = wave(len(self.graph))
            self._kernels.remaining_on_routes(back, part, rows, along, own, remaining)

        back = csr(self.graph.reversed)
        work = map(delayed(search), _parts(heading, n_threads))
        Parallel(n_jobs=n_threads, prefer="threads")(work)


def labels(graph: Graph, candidates: Bools, count: int) -> Labels:
    """The nearest candidates of every vertex."""
    return Labels(graph, candidates, count)


def index(graph: Graph, enterable: Bools, prices: Prices) -> Index:
    """The records that may be entered, in blocks to look neighbours up in."""
    return Index(graph.points if enterable.all() else graph.points[enterable], prices)


def _heading(people: Ints, columns: Ints, goals: Ints, costs: Floats) -> Heading:
    """Who heads for which goal, goal by goal."""
    order = np.argsort(goals, kind="stable")
    distinct, firsts = np.unique(goals[order], return_index=True)
    farthest = np.maximum.reduceat(costs[order], firsts) if len(goals) else np.empty(0)
    radii, firsts = farthest * (1 + SLACK), np.append(firsts, len(goals))
    return Heading(distinct.astype(np.int32), radii, firsts, people[order], columns[order])


def _parts(heading: Heading, n_parts: int) -> Iterator[Heading]:
    """The goals in so many parts, for as many threads."""
    goals, radii, firsts, people, columns = heading
    for g in np.array_split(np.arange(len(goals)), n_parts):
        if len(g):
            first, last = firsts[g[0]], firsts[g[-1] + 1]
            own = firsts[g[0] : g[-1] + 2] - first
            yield Heading(goals[g], radii[g], own, people[first:last], columns[first:last])


def marks(graph: Graph, ends: Ints, vertices: Ints) -> Iterator[Marks]:
    """Marks of the ends in reach, some ends at a time.

    Vertices that lead to each other have the same in reach, so it is worked out once for each such
    component; whatever one leads to comes before it, as SciPy numbers them.
    """
    n_components, component, order = components(graph)
    indptr, indices, _ = csr(graph.costs)
    for part in np.array_split(
        ends, 1 + len(ends) * max(n_components, len(vertices)) // (8 * MEMORY)
    ):
        bits = np.zeros((n_components, -(-len(part) // 64)), dtype=np.uint64)
        word, bit = np.divmod(np.arange(len(part)), 64)
        np.bitwise_or.at(bits, (component[part], word), np.uint64(1) << bit.astype(np.uint64))
        kernel("outward").gather(indptr, indices, component, order, bits)
        yield bits[component[vertices]]
