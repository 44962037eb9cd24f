"""Routes that share no vertex, and what every route must pass.

Vertices get a capacity by being split in two (Menger); flows and reachability run in SciPy.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from facelift._arrays import Bools, Ints


def on_some_route(costs: sparse.csr_array, source: int, ends: Ints) -> Bools:
    """Vertices on some route from the source to an end; shape (n,)."""
    forth = reached(costs, np.array([source]))
    back = reached(sparse.csr_array(costs.T), ends)
    return forth & back


def reached(costs: sparse.csr_array, sources: Ints) -> Bools:
    """Vertices that some of the sources lead to, themselves included; shape (n,)."""
    n = costs.shape[0]
    ones = np.ones(costs.nnz + len(sources), dtype=np.int8)  # edges of cost 0 are edges, too
    ends = np.append(costs.indices, sources)
    firsts = np.append(costs.indptr, costs.indptr[-1] + len(sources))
    whole = sparse.csr_array((ones, ends, firsts), shape=(n + 1, n + 1))
    found = np.zeros(n + 1, dtype=bool)
    found[breadth_first_order(whole, n, return_predecessors=False)] = True
    return found[:n]


def without_vertices(costs: sparse.csr_array, gone: Bools) -> sparse.csr_array:
    """The edges that neither leave nor enter some vertices; all keep their numbers."""
    starts = np.repeat(np.arange(costs.shape[0]), np.diff(costs.indptr))
    kept = ~(gone[starts] | gone[costs.indices])
    firsts = np.append(0, np.cumsum(kept))[costs.indptr]
    return sparse.csr_array((costs.data[kept], costs.indices[kept], firsts), shape=costs.shape)


def n_disjoint(costs: sparse.csr_array, source: int, ends: Ints, most: int) -> int:
    """How many routes from the source to any ends share no vertex but the source, up to `most`.

    >>> edges = [0, 0, 1, 2, 3], [1, 2, 3, 3, 4]
    >>> costs = sparse.csr_array((np.ones(5), edges), shape=(5, 5))
    >>> n_disjoint(costs, 0, np.array([3]), 9), n_disjoint(costs, 0, np.array([1, 4]), 9)
    (1, 2)
    """
    n = costs.shape[0]
    starts = np.repeat(np.arange(n), np.diff(costs.indptr))
    everybody = np.arange(n)  # vertex v is entered at v and left at n + v; 2n is beyond the ends
    first = np.concatenate([everybody, n + starts, n + ends, [2 * n + 1]])
    second = np.concatenate([everybody + n, costs.indices, np.full(len(ends), 2 * n), [source]])
    room = np.ones(len(first), dtype=np.int32)
    room[source] = room[-1] = most
    network = sparse.csr_array((room, (first, second)), shape=(2 * n + 2,) * 2)
    return int(maximum_flow(network, 2 * n + 1, 2 * n).flow_value)


def must_pass(costs: sparse.csr_array, source: int, ends: Ints) -> list[int]:
    """Vertices that lie on every route from the source to any of the ends, in their order.

    The source is left out; where all routes lead to one end, that is the last of them.
    """
    route = _route(costs, source, ends)
    return [v for v in route if not reaches(costs, source, ends, _only(costs, v))]


def reaches(costs: sparse.csr_array, source: int, ends: Ints, gone: Bools) -> bool:
    """Whether an end is in reach without passing some vertices."""
    found = reached(without_vertices(costs, gone), np.array([source]))
    return bool(found[ends[~gone[ends]]].any())


def _only(costs: sparse.csr_array, vertex: int) -> Bools:
    gone = np.zeros(costs.shape[0], dtype=bool)
    gone[vertex] = True
    return gone


def _route(costs: sparse.csr_array, source: int, ends: Ints) -> list[int]:
    """The vertices of a route with the fewest steps, after the source; empty if there is none."""
    ones = sparse.csr_array((np.ones(costs.nnz, np.int8), costs.indices, costs.indptr), costs.shape)
    order, before = breadth_first_order(ones, source)
    found = order[np.isin(order, ends)]
    if not len(found):
        return []
    route = [int(found[0])]
    while before[route[-1]] != source:
        route.append(int(before[route[-1]]))
    return route[::-1]
