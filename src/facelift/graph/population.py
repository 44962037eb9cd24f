"""Searches for everybody at once: nearest ends, the journeys to them, and how many are in reach.

Whatever people have in common is searched once: one search back from all candidates labels every
vertex with its nearest ones, and one back from each destination serves all who head there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.graph import Graph
from facelift.graph.kernels import kernel
from facelift.graph.kernels.workspace import (
    SLACK,
    Heading,
    Indices,
    LabelTable,
    components,
    csr,
    network,
    wave,
)
from facelift.graph.routes import Marks, Routes

FEW = 100
"""So many candidates are looked for without asking whether there are as many."""

MEMORY = 128_000_000
"""Bytes of marks made at once where reach is counted."""


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
