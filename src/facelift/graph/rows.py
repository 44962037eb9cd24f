"""The data graph: real records as vertices, moves to the nearest admissible ones as edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from facelift.arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput
from facelift.graph.edge_costs import EdgeCost, Edges, distance
from facelift.graph.graph import Graph
from facelift.graph.neighbours import Nearest, nearest_admissible, within
from facelift.graph.portions import move_costs
from facelift.terrain.prices import Prices

EdgeRule = Literal["out", "union", "mutual"]


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Which moves become edges, and what they cost.

    Each vertex leads to its `n_neighbors` nearest admissible others, or to all within `max_step`
    when `n_neighbors` is None (an ε-ball); both limits may hold at once.
    """

    prices: Prices
    n_neighbors: int | None = 20
    edges: EdgeRule = "union"
    edge_cost: EdgeCost = distance
    max_step: float | None = None

    def __post_init__(self) -> None:
        if self.n_neighbors is None and self.max_step is None:
            raise InvalidInput("Give n_neighbors, max_step (a largest cost per step), or both.")
        if self.n_neighbors is not None and self.n_neighbors < 1:
            raise InvalidInput(f"n_neighbors must be at least 1, got {self.n_neighbors}.")
        if self.max_step is not None and not self.max_step > 0:
            raise InvalidInput(f"max_step must be positive, got {self.max_step}.")
        if self.edges not in ("out", "union", "mutual"):
            raise InvalidInput(f"edges must be 'out', 'union' or 'mutual', got {self.edges!r}.")


def distinct_points(points: Floats) -> tuple[Floats, Ints, Ints]:
    """Distinct points in order of first appearance, the one each row is, and how many rows it has.

    >>> distinct_points(np.array([[2.0], [1.0], [2.0]]))
    (array([[2.],
           [1.]]), array([0, 1, 0]), array([2, 1]))
    """
    _, first, inverse, counts = np.unique(
        points + 0.0, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return points[first[order]], place[inverse.reshape(-1)], counts[order]


def row_graph(
    points: Floats,
    hood: Neighbourhood,
    enterable: Bools | None = None,
    *,
    nearest: Nearest = nearest_admissible,
) -> Graph:
    """Graph of distinct points (SPEC 2); no edge enters a vertex that is not `enterable`.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([2.0]))
    >>> graph = row_graph(np.array([[0.0], [1.0], [3.0]]), Neighbourhood(prices, n_neighbors=1))
    >>> graph.costs.toarray()
    array([[0., 1., 0.],
           [2., 0., 2.],
           [0., 4., 0.]])
    """
    n = len(points)
    enterable = np.ones(n, dtype=bool) if enterable is None else enterable
    starts, ends, moves = _moves(
        points, points, hood, enterable, itself=np.arange(n), nearest=nearest
    )
    if hood.edges != "out":
        starts, ends, moves = _both_ways(points, hood, enterable, starts, ends, moves)
    edges = Edges(points, starts, ends, moves, n, hood.n_neighbors)
    costs = sparse.csr_array((hood.edge_cost(edges), (starts, ends)), shape=(n, n))
    return Graph(points, costs)


def attached(graph: Graph, point: Floats, hood: Neighbourhood, enterable: Bools) -> Graph:
    """The graph with a new factual as its last vertex, led to its own nearest admissible ones."""
    _, ends, moves = _moves(point[np.newaxis, :], graph.points, hood, enterable)
    nearby = np.vstack([graph.points[ends], point])
    last, places = np.full(len(ends), len(ends)), np.arange(len(ends))
    edges = Edges(nearby, last, places, moves, len(graph), hood.n_neighbors)
    return graph.attach(point, ends, hood.edge_cost(edges))


def _moves(
    starts: Floats,
    points: Floats,
    hood: Neighbourhood,
    enterable: Bools,
    itself: Ints | None = None,
    nearest: Nearest = nearest_admissible,
) -> tuple[Ints, Ints, Floats]:
    """Edge list (start, end, cost of the move) from every start to its neighbours."""
    places = np.flatnonzero(enterable)
    own = None if itself is None else _place_of(itself, places, len(points))
    limit = np.inf if hood.max_step is None else hood.max_step
    if hood.n_neighbors is None:
        near, ends, costs = within(starts, points[places], hood.prices, limit, itself=own)
        return near, places[ends], costs
    indices, table = nearest(starts, points[places], hood.prices, hood.n_neighbors, itself=own)
    near, rank = np.nonzero((indices >= 0) & (table <= limit))
    return near, places[indices[near, rank]], table[near, rank]


def _place_of(vertices: Ints, places: Ints, n: int) -> Ints:
    place = np.full(n, -1, dtype=np.int64)
    place[places] = np.arange(len(places))
    return place[vertices]


def _both_ways(
    points: Floats,
    hood: Neighbourhood,
    enterable: Bools,
    starts: Ints,
    ends: Ints,
    moves: Floats,
) -> tuple[Ints, Ints, Floats]:
    """Union or mutual edges; a reverse edge has its own directed cost, and must be allowed."""
    n = len(points)
    keys, reverse = starts * n + ends, ends * n + starts
    if hood.edges == "mutual":
        kept = np.isin(reverse, keys)
        return starts[kept], ends[kept], moves[kept]
    new = ~np.isin(reverse, keys) & enterable[starts]
    back, forth = ends[new], starts[new]
    costs = move_costs(hood.prices, points, points, (back, forth))
    allowed = np.isfinite(costs) & (costs <= (hood.max_step or np.inf))
    return (
        np.append(starts, back[allowed]),
        np.append(ends, forth[allowed]),
        np.append(moves, costs[allowed]),
    )
