"""A directed graph over points: the value that searches walk on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

from facelift._arrays import Floats, Ints, finite_floats, frozen
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE

Between = Callable[[int, int], Sequence[int]]
"""Vertices between two others, in the order in which a move from one to the other passes them."""

Moves = tuple[tuple[int, ...], tuple[float, ...]]
"""Vertices in a row, and what it costs from each to the next."""


@dataclass(frozen=True, eq=False)
class Graph:
    """Vertices with coordinates, and what each edge costs.

    `points` has shape (n, m); `costs` is a sparse (n, n) array whose stored entry [u, v] is the
    cost of the edge from u to v: finite, zero or more. Both are kept as read-only copies. Where an
    edge leads over other vertices, `between` names them (see `passing`).

    Examples
    --------
    >>> costs = sparse.csr_array(([3.0], ([0], [1])), shape=(2, 2))
    >>> Graph([[0.0], [1.0]], costs)
    Graph(2 vertices, 1 edges, 1 coordinates)
    """

    points: Floats
    costs: sparse.csr_array
    between: Between | None = None

    def __post_init__(self) -> None:
        points = finite_floats(self.points, "points", ndim=2)
        if points.flags.writeable:
            points = points.copy()  # it may be the caller's own array
        if not sparse.issparse(self.costs):
            raise InvalidInput(
                f"costs must be a scipy.sparse array, got {type(self.costs).__name__}; "
                "wrap it in scipy.sparse.csr_array (entries that are not stored are no edges)."
            )
        costs = _canonical(self.costs)
        if costs.shape != (len(points), len(points)):
            raise InvalidInput(
                f"costs must have shape {(len(points),) * 2}, one row and column per point, "
                f"got {costs.shape}."
            )
        if not (np.isfinite(costs.data).all() and (costs.data >= 0).all()):
            raise InvalidInput(
                "Edge costs must be finite and zero or more; leave a forbidden edge out."
            )
        frozen(points)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "costs", costs)

    def __getstate__(self) -> dict[str, object]:
        """What travels to another process: not what can be worked out again."""
        return {"points": self.points, "costs": self.costs, "between": self.between}

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        m = self.points.shape[1]
        return f"Graph({len(self)} vertices, {self.costs.nnz} edges, {m} coordinates)"

    def neighbors(self, vertex: int) -> tuple[Ints, Floats]:
        """Vertices one step away, in ascending order, and what each step costs.

        >>> from facelift.toys import loan
        >>> ends, costs = loan().graph.neighbors(0)
        >>> ends.tolist(), costs.tolist()
        ([1, 4], [3.0, 8.0])
        """
        edges = slice(self.costs.indptr[vertex], self.costs.indptr[vertex + 1])
        return self.costs.indices[edges].astype(np.int64), self.costs.data[edges]

    def edge_cost(self, start: int, end: int) -> float:
        """Cost of the edge between two vertices, inf if there is none.

        >>> from facelift.toys import loan
        >>> loan().graph.edge_cost(0, 4), loan().graph.edge_cost(0, 3)
        (8.0, inf)
        """
        ends, costs = self.neighbors(start)
        place = int(np.searchsorted(ends, end))
        found = place < len(ends) and ends[place] == end
        return float(costs[place]) if found else float("inf")

    def passing(self, start: int, end: int) -> Moves:
        """What an edge leads over: vertices from its start to its end, and what each move costs.

        The moves cost as much as the edge does. A vertex between is left out where that cannot be,
        or where no edge leads to it or from it.

        >>> costs = sparse.csr_array(([2.0, 1.0, 1.0], ([0, 0, 1], [2, 1, 2])), shape=(3, 3))
        >>> points = [[0.0], [1.0], [2.0]]
        >>> Graph(points, costs).passing(0, 2)
        ((0, 2), (2.0,))
        >>> Graph(points, costs, lambda start, end: [1]).passing(0, 2)
        ((0, 1, 2), (1.0, 1.0))
        """
        if self.between is None:
            return (start, end), (self.edge_cost(start, end),)
        if (start, end) not in self._passed:
            self._passed[start, end] = self._passing(start, end, self.between(start, end))
        return self._passed[start, end]

    def _passing(self, start: int, end: int, between: Sequence[int]) -> Moves:
        vertices, costs, left = [start], list[float](), self._cost(start, end)
        same = left * TOLERANCE
        for vertex in between:
            cost, rest = self._cost(vertices[-1], vertex), self._cost(vertex, end)
            if abs(cost + rest - left) <= same:
                vertices.append(vertex)
                costs.append(cost)
                left -= cost
        return (*vertices, end), (*costs, left)

    def along(self, route: Sequence[int]) -> list[Moves]:
        """What each edge of a route leads over; see `passing`."""
        return [self.passing(start, end) for start, end in pairwise(route)]

    def _cost(self, start: int, end: int) -> float:
        """The same as `edge_cost`, many times as fast where it is asked many times."""
        firsts, ends, costs = self._lists
        last = firsts[start + 1]
        place = bisect_left(ends, end, firsts[start], last)
        return costs[place] if place < last and ends[place] == end else np.inf

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[float]]:
        return self.costs.indptr.tolist(), self.costs.indices.tolist(), self.costs.data.tolist()

    @cached_property
    def _passed(self) -> dict[tuple[int, int], Moves]:
        """What was asked before: routes share their edges."""
        return {}

    @cached_property
    def reversed(self) -> sparse.csr_array:
        """The same edges turned round: row v lists where one can come from."""
        return _canonical(sparse.csr_array(self.costs.T))

    @cached_property
    def starts(self) -> Ints:
        """The vertex each stored edge leaves, in the order of `costs.indices`."""
        return np.repeat(np.arange(len(self)), np.diff(self.costs.indptr))

    def at(self, vertices: Ints) -> Floats:
        """Points of some vertices, in an array of their own."""
        return np.asarray(self.points[vertices])

    def attach(self, point: Floats, ends: Ints, costs: Floats) -> Graph:
        """A graph with one more vertex, the last, that leads to `ends`; this one is not changed."""
        return Attached(self, point, ends, costs)

    def without(self, edges: frozenset[tuple[int, int]]) -> Graph:
        """The graph with some edges, given as (from, to), taken out.

        >>> from facelift.toys import loan
        >>> loan().graph, loan().graph.without(frozenset({(0, 4)}))
        (Graph(7 vertices, 7 edges, 2 coordinates), Graph(7 vertices, 6 edges, 2 coordinates))
        """
        if not edges:
            return self
        kept = np.ones(self.costs.nnz, dtype=bool)
        for start, end in edges:
            first, last = self.costs.indptr[start], self.costs.indptr[start + 1]
            kept[first:last] &= self.costs.indices[first:last] != end
        return self.with_edges(kept)

    def weighed(self, costs: Floats) -> Graph:
        """The graph at other costs, one per stored edge; those that are infinite are left out."""
        kept = np.isfinite(costs)
        edges = (costs[kept], (self.starts[kept], self.costs.indices[kept]))
        matrix = sparse.csr_array(edges, shape=self.costs.shape)
        return Graph(self.points, matrix, self.between)

    def with_edges(self, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Graph:
        """The graph with only the stored edges where `kept` is true."""
        edges = (self.costs.data[kept], (self.starts[kept], self.costs.indices[kept]))
        matrix = sparse.csr_array(edges, shape=self.costs.shape)
        return Graph(self.points, matrix, self.between)


class Attached(Graph):
    """A graph and one vertex more, the last, that nothing leads to.

    Its own arrays are made when asked for, so that attaching a case costs nothing, however large
    the graph. `ends` are in ascending order.
    """

    ground: Graph
    point: Floats
    ends: Ints
    end_costs: Floats

    def __init__(self, ground: Graph, point: Floats, ends: Ints, costs: Floats) -> None:
        order = np.argsort(ends)
        state = {"ground": ground, "point": point, "ends": ends[order], "end_costs": costs[order]}
        self.__dict__.update(state)

    def __getstate__(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in ("ground", "point", "ends", "end_costs")}

    def __len__(self) -> int:
        return len(self.ground) + 1

    @cached_property
    def points(self) -> Floats:
        """All points, the new one last."""
        points = np.vstack([self.ground.points, self.point])
        frozen(points)
        return points

    @cached_property
    def costs(self) -> sparse.csr_array:
        """All edges."""
        old = self.ground.costs
        data = np.append(old.data, self.end_costs)
        indices = np.append(old.indices, self.ends.astype(old.indices.dtype))
        indptr = np.append(old.indptr, old.indptr[-1:] + len(self.ends))
        return _canonical(sparse.csr_array((data, indices, indptr), shape=(len(self),) * 2))

    def at(self, vertices: Ints) -> Floats:
        """Points of some vertices, in an array of their own."""
        points = self.ground.points[np.minimum(vertices, len(self.ground) - 1)]
        points[vertices == len(self.ground)] = self.point
        return np.asarray(points)

    def neighbors(self, vertex: int) -> tuple[Ints, Floats]:
        """Vertices one step away, in ascending order, and what each step costs."""
        if vertex == len(self.ground):
            return self.ends, self.end_costs
        return self.ground.neighbors(vertex)


def _canonical(costs: sparse.csr_array) -> sparse.csr_array:
    """Sorted, distinct, read-only entries in the narrowest indices; a copy if it was not so."""
    given: sparse.csr_array = sparse.csr_array(costs)
    index = np.int32 if max(given.nnz, *given.shape) <= np.iinfo(np.int32).max else np.int64
    fits = given.dtype == np.float64 and given.indices.dtype == given.indptr.dtype == index
    if fits and _is_frozen(given) and given.has_canonical_format:
        return given
    data: Floats = given.data.astype(np.float64)
    indices, indptr = given.indices.astype(index), given.indptr.astype(index)
    matrix: sparse.csr_array = sparse.csr_array((data, indices, indptr), shape=given.shape)
    matrix.sum_duplicates()  # also sorts the indices of each row
    for array in (matrix.data, matrix.indices, matrix.indptr):
        frozen(array)
    return matrix


def _is_frozen(matrix: sparse.csr_array) -> bool:
    arrays = (matrix.data, matrix.indices, matrix.indptr)
    return not any(array.flags.writeable for array in arrays)
