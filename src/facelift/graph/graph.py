"""A directed graph over points: the value that searches walk on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from facelift.arrays import Floats, Ints, finite_floats, frozen
from facelift.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Graph:
    """Vertices with coordinates, and what each edge costs.

    `points` has shape (n, m); `costs` is a sparse (n, n) array whose stored entry [u, v] is the
    cost of the edge from u to v: finite, zero or more. Both are kept as read-only copies.

    Examples
    --------
    >>> costs = sparse.csr_array(([3.0], ([0], [1])), shape=(2, 2))
    >>> Graph([[0.0], [1.0]], costs)
    Graph(2 vertices, 1 edges, 1 coordinates)
    """

    points: Floats
    costs: sparse.csr_array

    def __post_init__(self) -> None:
        points = finite_floats(self.points, "points", ndim=2)
        if points.flags.writeable:
            points = points.copy()  # it may be the caller's own array
        if not sparse.issparse(self.costs):
            raise InvalidInput(
                f"costs must be a scipy.sparse array, got {type(self.costs).__name__}; "
                "wrap it in scipy.sparse.csr_array (entries that are not stored are no edges)."
            )
        costs: sparse.csr_array = sparse.csr_array(self.costs).astype(np.float64)
        if costs.shape != (len(points), len(points)):
            raise InvalidInput(
                f"costs must have shape {(len(points),) * 2}, one row and column per point, "
                f"got {costs.shape}."
            )
        if not (np.isfinite(costs.data).all() and (costs.data >= 0).all()):
            raise InvalidInput(
                "Edge costs must be finite and zero or more; leave a forbidden edge out."
            )
        costs.sum_duplicates()  # also sorts the indices of each row
        for array in (points, costs.data, costs.indices, costs.indptr):
            frozen(array)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "costs", costs)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        n, m = self.points.shape
        return f"Graph({n} vertices, {self.costs.nnz} edges, {m} coordinates)"

    def neighbors(self, vertex: int) -> tuple[Ints, Floats]:
        """Vertices one step away, in ascending order, and what each step costs."""
        edges = slice(self.costs.indptr[vertex], self.costs.indptr[vertex + 1])
        return self.costs.indices[edges].astype(np.int64), self.costs.data[edges]

    def edge_cost(self, start: int, end: int) -> float:
        """Cost of the edge between two vertices, inf if there is none."""
        ends, costs = self.neighbors(start)
        place = int(np.searchsorted(ends, end))
        found = place < len(ends) and ends[place] == end
        return float(costs[place]) if found else float("inf")

    @cached_property
    def reversed(self) -> sparse.csr_array:
        """The same edges turned round: row v lists where one can come from."""
        return sparse.csr_array(self.costs.T)

    @cached_property
    def starts(self) -> Ints:
        """The vertex each stored edge leaves, in the order of `costs.indices`."""
        return np.repeat(np.arange(len(self)), np.diff(self.costs.indptr))

    def attach(self, point: Floats, ends: Ints, costs: Floats) -> Graph:
        """A graph with one more vertex, the last, that leads to `ends`; this one is not changed."""
        n = len(self)
        old = self.costs
        matrix = sparse.csr_array(
            (
                np.append(old.data, costs),
                np.append(old.indices, ends.astype(old.indices.dtype)),
                np.append(old.indptr, old.indptr[-1] + len(ends)),
            ),
            shape=(n + 1, n + 1),
        )
        return Graph(np.vstack([self.points, point]), matrix)

    def without(self, edges: frozenset[tuple[int, int]]) -> Graph:
        """The graph with some edges, given as (from, to), taken out."""
        if not edges:
            return self
        kept = np.ones(self.costs.nnz, dtype=bool)
        for start, end in edges:
            first, last = self.costs.indptr[start], self.costs.indptr[start + 1]
            kept[first:last] &= self.costs.indices[first:last] != end
        return self.with_edges(kept)

    def with_edges(self, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Graph:
        """The graph with only the stored edges where `kept` is true."""
        ends, costs = self.costs.indices[kept], self.costs.data[kept]
        shape = self.costs.shape
        return Graph(self.points, sparse.csr_array((costs, (self.starts[kept], ends)), shape=shape))
