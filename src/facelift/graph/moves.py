"""The moves out of every record: to its nearest admissible others, or to all within a cost.

Moves are a sparse array like the costs of a graph: row u holds what the moves from u cost. They are
what edges are made of (`facelift.graph.building`), and what has to be known to add records later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, chunks, frozen
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.graph.edge_costs import EdgeCost, distance
from facelift.graph.nearest.exact import Index, Nearest, nearest_admissible, within
from facelift.terrain.prices import Prices

CLOSE = 1000 * TOLERANCE
"""Costs that differ by less may belong to one tie, by way of others in between."""

EdgeList = tuple[Ints, Ints, Floats]
"""Starts, ends and costs."""


EdgeRule = Literal["out", "union", "mutual"]


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Which moves become edges, and what they cost.

    Each vertex leads to its `n_neighbors` nearest admissible others, or to all within `max_step`
    when `n_neighbors` is None (an ε-ball); both limits may hold at once.

    >>> import numpy as np
    >>> from facelift.graph.building import row_graph
    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> row_graph(np.array([[0.0], [1.0], [3.0]]), Neighbourhood(prices, None, max_step=2.5))
    Graph(3 vertices, 2 edges, 1 coordinates)
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

    @property
    def keeps_moves(self) -> bool:
        """Whether all moves are edges, and cost as much."""
        return self.edges != "mutual" and self.edge_cost is distance and self.max_step is None


def nearest_moves(
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    nearest: Nearest = nearest_admissible,
) -> sparse.csr_array:
    """Moves from every point to its neighbours among those that may be entered; (n, n).

    Neighbours beyond `max_step` are among them: no edges, but what is farther is no neighbour.
    """
    places, closed = np.flatnonzero(enterable), np.flatnonzero(~enterable)
    inside = points[places] if len(closed) else points
    itself = np.arange(len(places))
    among = moves_between(
        inside, inside, neighbourhood, nearest, itself=itself
    )  # the same array: each pair once
    into = moves_between(points[closed], inside, neighbourhood, nearest)
    moves = joined(renumbered(among, places, places), renumbered(into, closed, places))
    return as_moves(moves, len(points))


def moves_in(costs: sparse.csr_array, n_neighbors: int) -> Bools:
    """Which edges of a graph are the moves they were made of, where they cost what moves do.

    Edges of the rule "out" or "union": all others that a vertex leads to are farther than its
    nearest, or as far with a larger number.
    """
    starts, ends, prices = edge_list(costs)
    kept, unclear = _surely_nearest(costs, n_neighbors)
    again = np.flatnonzero(unclear[starts])
    kept[again] = _nearest_edges(starts[again], ends[again], prices[again], n_neighbors)
    return kept


def moves_among(costs: sparse.csr_array, nearest: Bools) -> sparse.csr_array:
    """The moves alone, where it is known which edges are some."""
    starts, ends, prices = edge_list(costs)
    return sorted_matrix((starts[nearest], ends[nearest], prices[nearest]), costs.shape[0])


def _surely_nearest(costs: sparse.csr_array, n_neighbors: int) -> tuple[Bools, Bools]:
    """Which edges are among the cheapest of their start, and of which starts ties leave it open."""
    first, degrees = costs.indptr[:-1], np.diff(costs.indptr)
    kept, unclear = np.ones(costs.nnz, dtype=bool), np.zeros(len(degrees), dtype=bool)
    width = n_neighbors
    while width < degrees.max(initial=0):
        width *= 2
        rows = np.flatnonzero((degrees > width // 2) & (degrees <= width))
        for part in chunks(len(rows), width):
            some, columns = rows[part], np.arange(width)
            there = columns < degrees[some, np.newaxis]
            places = (first[some, np.newaxis] + columns)[there]
            table = np.full(there.shape, np.inf)
            table[there] = costs.data[places]
            last, beyond = np.partition(table, (n_neighbors - 1, n_neighbors))[
                :, n_neighbors - 1 : n_neighbors + 1
            ].T
            kept[places] = (table <= last[:, np.newaxis])[there]
            unclear[some] = beyond <= last * (1 + CLOSE)
    return kept, unclear


def _nearest_edges(starts: Ints, ends: Ints, prices: Floats, n_neighbors: int) -> Bools:
    """Which edges are among the nearest of their start; equal costs go by the smaller end."""
    order = np.lexsort((prices, starts))
    sorted_starts, sorted_prices = starts[order], prices[order]
    dearer = sorted_prices[1:] > sorted_prices[:-1] * (1 + TOLERANCE)
    new = np.append(True, dearer | (sorted_starts[1:] > sorted_starts[:-1]))[: len(order)]
    order = order[np.lexsort((ends[order], np.cumsum(new)))]
    kept = np.zeros(len(order), dtype=bool)
    kept[order] = np.arange(len(order)) - np.searchsorted(starts, starts) < n_neighbors
    return kept


def moves_of(
    vertices: Ints, points: Floats, neighbourhood: Neighbourhood, enterable: Bools, nearest: Nearest
) -> EdgeList:
    """Moves from some of the points."""
    places = np.flatnonzero(enterable)
    itself = np.full(len(points), -1, dtype=np.int64)
    itself[places] = np.arange(len(places))
    ends = points if len(places) == len(points) else points[places]
    found = moves_between(points[vertices], ends, neighbourhood, nearest, itself=itself[vertices])
    return renumbered(found, vertices, places)


def moves_from(
    starts: Floats,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    index: Index | None = None,
) -> EdgeList:
    """Moves from some starts, numbered from 0, that are none of the points.

    An `index` of the points that may be entered finds them sooner.
    """
    everywhere = enterable.all()  # the usual case, and quick to see
    if index is not None and neighbourhood.n_neighbors is not None:
        found = listed(*index.nearest(starts, neighbourhood.n_neighbors))
    else:
        ends = points if everywhere else points[enterable]
        found = moves_between(starts, ends, neighbourhood, nearest_admissible)
    if everywhere:
        return found
    return renumbered(found, np.arange(len(starts)), np.flatnonzero(enterable))


def edge_list(moves: sparse.csr_array) -> EdgeList:
    """Starts, ends and costs of all moves, by start and then by end."""
    starts = np.repeat(np.arange(moves.shape[0]), np.diff(moves.indptr))
    return starts, moves.indices.astype(np.int64), moves.data


def moves_between(
    starts: Floats,
    ends: Floats,
    neighbourhood: Neighbourhood,
    nearest: Nearest,
    *,
    itself: Ints | None = None,
) -> EdgeList:
    """Moves from starts to their neighbours among ends."""
    if not (len(starts) and len(ends)):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
    if neighbourhood.n_neighbors is None:
        limit = np.inf if neighbourhood.max_step is None else neighbourhood.max_step
        return within(starts, ends, neighbourhood.prices, limit, itself=itself)
    return listed(
        *nearest(starts, ends, neighbourhood.prices, neighbourhood.n_neighbors, itself=itself)
    )


def listed(indices: Ints, costs: Floats) -> EdgeList:
    """The edge list of a table with the neighbours of each start in a row, -1 for none."""
    real = indices >= 0
    return np.repeat(np.arange(len(indices)), real.sum(axis=1)), indices[real], costs[real]


def renumbered(edges: EdgeList, starts: Ints, ends: Ints) -> EdgeList:
    """Edges between places in lists of vertices as edges between these."""
    return starts[edges[0]], ends[edges[1]], edges[2]


def joined(*parts: EdgeList) -> EdgeList:
    """Several edge lists as one."""
    starts, ends, costs = zip(*parts, strict=True)
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(costs)


def as_moves(edges: EdgeList, n: int) -> sparse.csr_array:
    """A sparse array of an edge list in any order."""
    starts, ends, costs = edges
    order = np.argsort(starts * n + ends, kind="stable")
    return sorted_matrix((starts[order], ends[order], costs[order]), n)


def sorted_matrix(edges: EdgeList, n: int) -> sparse.csr_array:
    """A sparse array of an edge list sorted by start and end, narrow and read-only."""
    starts, ends, costs = edges
    index = np.int32 if max(n, len(ends)) <= np.iinfo(np.int32).max else np.int64
    firsts = np.searchsorted(starts, np.arange(n + 1)).astype(index)
    parts = (np.array(costs, dtype=np.float64), ends.astype(index), firsts)
    for array in parts:
        frozen(array)
    return sparse.csr_array(parts, shape=(n, n))
