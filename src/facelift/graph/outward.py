"""Outward searches on large graphs: to the nearest candidates and no farther, compiled.

The same answers as `routes`, to the last bit, for what a search visits instead of what there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift.arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Attached, Graph
from facelift.graph.kernels import kernel

COMPILED_FROM = 5_000
"""Vertices from which compiled searches pay; below, SciPy has answered before they are loaded."""

Indices = npt.NDArray[np.int32]
_NOTHING = np.empty(0)


def worth_compiling(graph: Graph) -> bool:
    """Whether a graph is large, and its indices are of the kind the compiled searches take."""
    ground = graph.ground if isinstance(graph, Attached) else graph
    return len(ground) >= COMPILED_FROM and ground.costs.indices.dtype == np.int32


class Outward:
    """A search from one vertex towards candidates; to be used in a `with` block, by one thread.

    `guide` holds the least cost from every vertex to any candidate, where that is known: the search
    then leaves out what leads away from them.
    """

    def __init__(
        self, graph: Graph, source: int, candidates: Bools, guide: Floats | None = None
    ) -> None:
        self._attached = isinstance(graph, Attached) and source == len(graph.ground)
        self._ground = graph.ground if isinstance(graph, Attached) else graph
        seeds, costs = (
            graph.neighbors(source) if self._attached else (np.array([source]), np.zeros(1))
        )
        self.graph, self.source = graph, source
        self._seeds = seeds.astype(np.int32), np.ascontiguousarray(costs, dtype=np.float64)
        self._candidates = candidates
        self._guide = _NOTHING if guide is None else guide
        self._source_is_candidate = not self._attached and bool(candidates[source])
        self._horizon = 0.0

    def __enter__(self) -> Self:
        self._kernels: Any = kernel("searches")
        self._space = _space(self._ground)
        self._kernels.start(*self._seeds, self._guide, *self._space.out)
        return self

    def __exit__(self, *_: object) -> None:
        self._kernels.clear(*self._space.out)
        _spaces[self._ground].append(self._space)

    def nearest(self, n_wanted: int, *, final: bool = False) -> tuple[Ints, Floats]:
        """Candidates in the order they were come by, at least as many as wanted, and their costs.

        Fewer only if there are no more. Whatever costs as much as the last of them is among them.
        A `final` search leaves out more, and must not be asked for more later.
        """
        space, extra = self._space, self._source_is_candidate
        self._horizon = self._kernels.spread(
            *self._csr,
            self._guide,
            self._candidates,
            n_wanted + extra,
            final,
            *space.out,
            space.listed,
        )
        listed = space.listed[: space.out.counts[_LISTED]].astype(np.int64)
        if extra:
            listed = listed[listed != self.source]
        return listed, self.costs(listed)

    def costs(self, vertices: Ints) -> Floats:
        """Costs from the source to vertices that the search came by."""
        return self._space.out.costs[vertices]

    @property
    def n_touched(self) -> int:
        """How many vertices of the graph it has looked at."""
        return int(self._space.out.counts[_TOUCHED])

    def n_in_reach(self) -> int:
        """How many other vertices there is a way to, however far."""
        with Outward(self.graph, self.source, np.zeros_like(self._candidates)) as whole:
            whole.nearest(1)
            return whole.n_touched - (not self._attached)

    def n_steps(self, ends: Ints) -> Ints:
        """Number of steps of the cheapest route to each end."""
        lengths, _, _ = self._traced(ends)
        return np.asarray(lengths - 1 + self._attached, dtype=np.int64)

    def routes(self, ends: Ints) -> list[tuple[Ints, Floats]]:
        """Vertices of the cheapest route to each end, and what each of its steps costs."""
        lengths, vertices, steps = self._traced(ends)
        lasts = np.cumsum(lengths).tolist()
        firsts = [0, *lasts[:-1]]
        if self._attached:
            start = np.array([self.source])
            return [
                (np.concatenate([start, vertices[first:last]]), steps[first:last])
                for first, last in zip(firsts, lasts, strict=True)
            ]
        return [
            (vertices[first:last].astype(np.int64), steps[first + 1 : last])
            for first, last in zip(firsts, lasts, strict=True)
        ]

    def remaining(self, destinations: Sequence[Ints], vertices: Ints) -> Floats:
        """Least cost from each vertex, the last of which is the source, to each destination."""
        left = np.empty((len(vertices), len(destinations)))
        self._kernels.approach(
            *_csr(self._ground.reversed),
            *_members(destinations),
            self._space.out.costs,
            self._guide,
            self._horizon,
            vertices[:-1].astype(np.int32),
            *self._seeds,
            *self._space.back,
            self._space.waiting,
            left,
        )
        return left

    def _traced(self, ends: Ints) -> tuple[Indices, Indices, Floats]:
        """Lengths, vertices and step costs of the routes, one after the other."""
        traced: tuple[Indices, Indices, Floats] = self._kernels.trace(
            *self._csr,
            *_csr(self._ground.reversed),
            self._space.out.costs,
            *self._seeds,
            int(self._attached),
            ends.astype(np.int32),
            TOLERANCE,
            self._space.levels,
        )
        return traced

    @property
    def _csr(self) -> tuple[Indices, Indices, Floats]:
        return _csr(self._ground.costs)


def costs_to_any(graph: Graph, candidates: Bools) -> Floats:
    """Least cost from every vertex to any candidate; shape (n,), inf where there is no way."""
    kernels: Any = kernel("searches")
    seeds = np.flatnonzero(candidates).astype(np.int32)
    none = np.zeros(len(graph), dtype=bool)
    labels = _labels(len(graph))
    kernels.start(seeds, np.zeros(len(seeds)), _NOTHING, *labels)
    listed = np.empty(0, dtype=np.int32)
    kernels.spread(*_csr(graph.reversed), _NOTHING, none, 1, False, *labels, listed)
    return labels.costs


class _Labels(NamedTuple):
    """Costs found so far, and the queue of a search (see `kernels.searches`)."""

    costs: Floats
    heap: Indices
    keys: Floats
    place: Indices
    touched: Indices
    counts: Ints


_TOUCHED, _LISTED = 1, 2


class _Space(NamedTuple):
    """Arrays that searches work in, forward and back; each leaves them as it found them."""

    out: _Labels
    back: _Labels
    listed: Indices
    levels: Indices
    waiting: Bools


_spaces: WeakKeyDictionary[Graph, list[_Space]] = WeakKeyDictionary()
"""Work spaces of every graph that no search is using."""


def _space(graph: Graph) -> _Space:
    try:
        return _spaces.setdefault(graph, []).pop()
    except IndexError:
        n = len(graph)
        levels = np.full(n, -1, dtype=np.int32)
        listed = np.empty(n, dtype=np.int32)
        return _Space(_labels(n), _labels(n), listed, levels, np.zeros(n, dtype=bool))


def _labels(n: int) -> _Labels:
    heap, touched = np.empty((2, n), dtype=np.int32)
    place = np.full(n, -1, dtype=np.int32)
    return _Labels(np.full(n, np.inf), heap, np.empty(n), place, touched, np.zeros(4, np.int64))


def _csr(costs: sparse.csr_array) -> tuple[Indices, Indices, Floats]:
    return costs.indptr, costs.indices, costs.data


def _members(destinations: Sequence[Ints]) -> tuple[Indices, Ints]:
    """All members one after the other, and where those of each destination start and end."""
    ends = np.cumsum([0, *map(len, destinations)])
    return np.concatenate(destinations).astype(np.int32), ends
