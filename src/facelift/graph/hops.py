"""The next vertex on the cheapest way to each destination, from everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from facelift._arrays import Floats, Ints
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Graph


def next_vertices(graph: Graph, destinations: Sequence[Ints], remaining: Floats) -> Ints:
    """Where to go next from every vertex to get to each destination; (n, c), -1 for nowhere.

    Of the cheapest ways the one with the fewest steps left, then the smaller vertex. `remaining` is
    what is left from every vertex to each destination.

    >>> from facelift.graph.routes import remaining_costs
    >>> from facelift.toys import loan
    >>> world = loan()
    >>> ends = [np.array([end]) for end in world.destinations]
    >>> next_vertices(world.graph, ends, remaining_costs(world.graph, ends))[:2]
    array([[ 1,  4,  4],
           [-1, -1, -1]])
    """
    found = np.full(remaining.shape, -1, dtype=np.int64)
    starts, ends, costs = graph.starts, graph.costs.indices, graph.costs.data
    for b, members in enumerate(destinations):
        left = remaining[:, b]
        with np.errstate(invalid="ignore"):  # inf where there is no way
            tight = np.isfinite(left[starts]) & (
                costs + left[ends] <= left[starts] * (1 + TOLERANCE)
            )
        edges = (np.ones(int(tight.sum())), (ends[tight], starts[tight]))
        back = sparse.csr_array(edges, shape=graph.costs.shape)
        n_left = dijkstra(back, indices=np.asarray(members), unweighted=True, min_only=True)
        nearer = tight & (n_left[ends] == n_left[starts] - 1)
        first, place = np.unique(starts[nearer], return_index=True)
        found[first, b] = ends[nearer][place]
    return found
