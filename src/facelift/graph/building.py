"""Building the data graph: records as vertices, moves to the nearest admissible ones as edges."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.graph.edge_costs import Edges
from facelift.graph.graph import Graph
from facelift.graph.moves import (
    EdgeList,
    Neighbourhood,
    as_moves,
    edge_list,
    moves_from,
    nearest_moves,
    sorted_matrix,
)
from facelift.graph.nearest.exact import Nearest, nearest_admissible
from facelift.graph.points import move_costs


def row_graph(
    points: Floats,
    hood: Neighbourhood,
    enterable: Bools | None = None,
    *,
    nearest: Nearest = nearest_admissible,
) -> Graph:
    """Graph of distinct points (SPEC 2); no edge enters a vertex that is not `enterable`.

    >>> from facelift.terrain.prices import Prices
    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([2.0]))
    >>> graph = row_graph(np.array([[0.0], [1.0], [3.0]]), Neighbourhood(prices, n_neighbors=1))
    >>> graph.costs.toarray()
    array([[0., 1., 0.],
           [2., 0., 2.],
           [0., 4., 0.]])
    """
    enterable = np.ones(len(points), dtype=bool) if enterable is None else enterable
    return graph_of(points, nearest_moves(points, hood, enterable, nearest), hood, enterable)


def graph_of(
    points: Floats, moves: sparse.csr_array, hood: Neighbourhood, enterable: Bools
) -> Graph:
    """The graph whose edges are made of moves: those within the largest step, by the edge rule."""
    chosen = _within_step(edge_list(moves), hood)
    if hood.edges == "mutual":
        chosen = _mutual(chosen, len(points))
    if hood.edges == "union":
        chosen = _union(points, hood, enterable, chosen)
    starts, ends, costs = chosen
    weights = hood.edge_cost(Edges(points, starts, ends, costs, len(points), hood.n_neighbors))
    return Graph(points, sorted_matrix((starts, ends, weights), len(points)))


def attached(graph: Graph, point: Floats, hood: Neighbourhood, enterable: Bools) -> Graph:
    """The graph with a new factual as its last vertex, led to its own nearest admissible ones."""
    _, ends, moves = _within_step(
        moves_from(point[np.newaxis, :], graph.points, hood, enterable), hood
    )
    nearby = np.vstack([graph.points[ends], point])
    last, places = np.full(len(ends), len(ends)), np.arange(len(ends))
    edges = Edges(nearby, last, places, moves, len(graph), hood.n_neighbors)
    return graph.attach(point, ends, hood.edge_cost(edges))


def all_attached(graph: Graph, starts: Floats, hood: Neighbourhood, enterable: Bools) -> Graph:
    """The graph with many new factuals as its last vertices, each as `attached` would have it."""
    n, points = len(graph), np.vstack([graph.points, starts])
    cases, ends, moves = _within_step(moves_from(starts, graph.points, hood, enterable), hood)
    weights = hood.edge_cost(Edges(points, cases + n, ends, moves, n, hood.n_neighbors))
    edges = (
        np.append(graph.starts, cases + n),
        np.append(graph.costs.indices.astype(np.int64), ends),
        np.append(graph.costs.data, weights),
    )
    return Graph(points, as_moves(edges, len(points)))


def _within_step(edges: EdgeList, hood: Neighbourhood) -> EdgeList:
    if hood.max_step is None:
        return edges
    kept = edges[2] <= hood.max_step
    return edges[0][kept], edges[1][kept], edges[2][kept]


def _turned(starts: Ints, ends: Ints, n: int) -> tuple[Ints, Bools]:
    """The order of edges by end and then start, and whether the reverse of each is an edge."""
    firsts = np.searchsorted(starts, np.arange(n + 1))
    order: Ints = sparse.csr_array((np.arange(len(ends)), ends, firsts), shape=(n, n)).tocsc().data
    edges, reverse = starts * n + ends, (ends * n + starts)[order]
    place = np.searchsorted(edges, reverse)
    place[place == len(edges)] = 0
    return order, edges[place] == reverse


def _mutual(edges: EdgeList, n: int) -> EdgeList:
    """Edges whose reverse is one, too."""
    order, there = _turned(edges[0], edges[1], n)
    kept = np.sort(order[there])
    return edges[0][kept], edges[1][kept], edges[2][kept]


def _union(points: Floats, hood: Neighbourhood, enterable: Bools, edges: EdgeList) -> EdgeList:
    """Edges and their reverses; these have their own directed cost, and must be allowed."""
    n, (starts, ends, moves) = len(points), edges
    order, there = _turned(starts, ends, n)
    new = order[~there]
    new = new[enterable[starts[new]]]
    back, forth = ends[new], starts[new]
    costs = move_costs(hood.prices, points, points, (back, forth))
    allowed = np.isfinite(costs) & (costs <= (hood.max_step or np.inf))
    starts, ends = np.append(starts, back[allowed]), np.append(ends, forth[allowed])
    order = np.argsort(starts * n + ends, kind="stable")  # two sorted runs: quick
    return starts[order], ends[order], np.append(moves, costs[allowed])[order]
