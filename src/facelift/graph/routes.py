"""Searches on a graph: the cheapest routes from a vertex, and the remaining costs to others.

Among equally cheap routes (up to the project's tolerance) the one with the fewest steps is taken,
and of those the one whose vertices, read from its end, have the smaller numbers: the same on
every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from facelift._arrays import Floats, Ints
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Graph


@dataclass(frozen=True, eq=False)
class Search:
    """What a search from `source` found: the cost to every vertex, inf where it did not come."""

    graph: Graph
    source: int
    costs: Floats

    @cached_property
    def n_steps(self) -> Floats:
        """Fewest steps of a cheapest route to every vertex; inf where the search did not come."""
        return np.asarray(
            dijkstra(self._tight, indices=[self.source], unweighted=True)[0], dtype=np.float64
        )

    def route(self, end: int) -> Ints:
        """Vertices of the cheapest route from the source to `end`.

        >>> from facelift.toys import loan
        >>> forward(loan().graph, 0).route(3).tolist()
        [0, 4, 5, 6, 3]
        """
        if not np.isfinite(self.costs[end]):
            raise InvalidInput(f"Vertex {end} is out of reach from vertex {self.source}.")
        vertices = [end]
        while vertices[-1] != self.source:
            vertices.append(int(self.before(vertices[-1])[0]))
        return np.array(vertices[::-1], dtype=np.int64)

    def before(self, vertex: int) -> Ints:
        """Vertices from which a cheapest route with the fewest steps enters `vertex`, ascending."""
        first, last = self._tight_reversed.indptr[vertex : vertex + 2]
        found = np.sort(self._tight_reversed.indices[first:last]).astype(np.int64)
        return np.asarray(found[self.n_steps[found] == self.n_steps[vertex] - 1])

    @cached_property
    def _tight(self) -> sparse.csr_array:
        """The edges that lie on some cheapest route."""
        matrix = self.graph.costs
        starts, ends = self.graph.starts, matrix.indices
        as_cheap = self.costs[starts] + matrix.data <= self.costs[ends] * (1 + TOLERANCE)
        tight = as_cheap & np.isfinite(self.costs[ends])
        ones = np.ones(int(tight.sum()))
        return sparse.csr_array((ones, (starts[tight], ends[tight])), shape=matrix.shape)

    @cached_property
    def _tight_reversed(self) -> sparse.csr_array:
        return sparse.csr_array(self._tight.T)


def forward(graph: Graph, source: int) -> Search:
    """Search from `source` to every vertex.

    >>> from facelift.toys import loan
    >>> forward(loan().graph, 0).costs[[2, 3]]
    array([14., 16.])
    """
    costs = dijkstra(graph.costs, indices=[source])[0]
    return Search(graph, source, np.asarray(costs, dtype=np.float64))


def remaining_costs(graph: Graph, destinations: Sequence[Ints]) -> Floats:
    """Least cost from every vertex to each destination, a set of vertices; shape (n, c).

    One reverse search per destination; inf where it is out of reach. The distance to a set is the
    distance to its nearest member.

    >>> from facelift.toys import loan
    >>> remaining_costs(loan().graph, [np.array([3])])[[0, 6]]
    array([[16.],
           [ 1.]])
    """
    columns = [
        dijkstra(graph.reversed, indices=np.asarray(members), min_only=True)
        for members in destinations
    ]
    return np.stack(columns, axis=1) if columns else np.empty((len(graph), 0))
