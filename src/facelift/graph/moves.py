"""The moves out of every record: to its nearest admissible others, or to all within a cost.

Moves are a sparse array like the costs of a graph: row u holds what the moves from u cost. They are
what edges are made of (`facelift.graph.building`), and what has to be known to add records later.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, chunks, frozen
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.edge_costs import EdgeCost, distance
from facelift.graph.nearest.exact import Nearest, nearest_admissible, shared_ends, within
from facelift.graph.nearest.index import Index
from facelift.graph.nearest.tiles import Prepared
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
    among = _moves(
        inside, inside, neighbourhood, nearest, itself=itself
    )  # the same array: each pair once
    into = _moves(points[closed], inside, neighbourhood, nearest)
    moves = _joined(_renumbered(among, places, places), _renumbered(into, closed, places))
    return as_moves(moves, len(points))


def grown_moves(
    moves: sparse.csr_array,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    *,
    n_threads: int = 1,
) -> sparse.csr_array:
    """The moves of all points, when those among the first of them are known.

    Exactly what `nearest_moves` gives, but costs between old points are computed again only where a
    new one ties with the last neighbour.
    """
    n_old, n = moves.shape[0], len(points)
    old, new = np.arange(n_old), np.arange(n_old, n)
    nearest = partial(nearest_admissible, n_threads=n_threads)
    shared = None
    if neighbourhood.n_neighbors is not None and enterable.all():
        points = np.ascontiguousarray(points)
        shared = shared_ends(points[new], points, neighbourhood.prices)
        nearest = partial(nearest_admissible, n_threads=n_threads, prepared=shared)
    of_new = moves_of(new, points, neighbourhood, enterable, nearest)
    arrived = new[enterable[new]]
    if neighbourhood.n_neighbors is None:
        gained = _moves(points[old], points[arrived], neighbourhood, nearest)
        gained = _renumbered(gained, old, arrived)
        return as_moves(_joined(edge_list(moves), gained, of_new), n)
    of_old, doubtful = _gained(moves, points, arrived, neighbourhood, n_threads, shared)
    again = moves_of(doubtful, points, neighbourhood, enterable, nearest)
    return as_moves(_joined(of_old, again, of_new), n)


def moves_in(costs: sparse.csr_array, n_neighbors: int) -> sparse.csr_array:
    """The moves that the edges of a graph were made of, where these cost what the moves do.

    Edges of the rule "out" or "union": all others that a vertex leads to are farther than its
    nearest, or as far with a larger number.
    """
    n, (starts, ends, prices) = costs.shape[0], edge_list(costs)
    kept, unclear = _surely_nearest(costs, n_neighbors)
    again = np.flatnonzero(unclear[starts])
    kept[again] = _nearest_edges(starts[again], ends[again], prices[again], n_neighbors)
    return sorted_matrix((starts[kept], ends[kept], prices[kept]), n)


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
    found = _moves(points[vertices], ends, neighbourhood, nearest, itself=itself[vertices])
    return _renumbered(found, vertices, places)


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
    places = np.flatnonzero(enterable)
    if index is not None and neighbourhood.n_neighbors is not None:
        found = _listed(*index.nearest(starts, neighbourhood.n_neighbors))
    else:
        ends = points if len(places) == len(points) else points[places]
        found = _moves(starts, ends, neighbourhood, nearest_admissible)
    return _renumbered(found, np.arange(len(starts)), places)


def edge_list(moves: sparse.csr_array) -> EdgeList:
    """Starts, ends and costs of all moves, by start and then by end."""
    starts = np.repeat(np.arange(moves.shape[0]), np.diff(moves.indptr))
    return starts, moves.indices.astype(np.int64), moves.data


def _moves(
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
    return _listed(
        *nearest(starts, ends, neighbourhood.prices, neighbourhood.n_neighbors, itself=itself)
    )


def _listed(indices: Ints, costs: Floats) -> EdgeList:
    """The edge list of a table with the neighbours of each start in a row, -1 for none."""
    real = indices >= 0
    return np.repeat(np.arange(len(indices)), real.sum(axis=1)), indices[real], costs[real]


def _tabled(moves: sparse.csr_array, width: int) -> tuple[Ints, Floats]:
    """The table of moves, with at most `width` from each start."""
    n, degrees = moves.shape[0], np.diff(moves.indptr)
    there = np.arange(width) < degrees[:, np.newaxis]
    indices, table = np.full((n, width), -1, dtype=np.int64), np.full((n, width), np.inf)
    indices[there], table[there] = moves.indices, moves.data
    return indices, table


def _renumbered(edges: EdgeList, starts: Ints, ends: Ints) -> EdgeList:
    return starts[edges[0]], ends[edges[1]], edges[2]


def _joined(*parts: EdgeList) -> EdgeList:
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


def _gained(
    moves: sparse.csr_array,
    points: Floats,
    arrived: Ints,
    neighbourhood: Neighbourhood,
    n_threads: int,
    shared: Prepared | None,
) -> tuple[EdgeList, Ints]:
    """Moves of old points where some have arrived, and the points for which they are in doubt."""
    n_old, k = moves.shape[0], neighbourhood.n_neighbors or 0
    indices, costs = _tabled(moves, k)
    limits = costs.max(axis=1) * (1 + 2 * CLOSE)  # infinite where there are fewer than k
    some = None if shared is None else shared.some(arrived)
    limits = np.append(limits, np.zeros(0 if some is None else len(arrived)))  # of old ones only
    found, prices = nearest_admissible(
        points[:n_old] if some is None else points,
        points[arrived] if some is None else some.ends,
        neighbourhood.prices,
        k,
        limits=limits,
        n_threads=n_threads,
        prepared=some,
    )
    found, prices = found[:n_old], prices[:n_old]
    doubtful = np.zeros(n_old, dtype=bool)
    changed = np.flatnonzero((found >= 0).any(axis=1))
    for part in chunks(len(changed), 2 * k * k):
        rows = changed[part]
        new = (np.where(found[rows] >= 0, arrived[found[rows]], -1), prices[rows])
        (indices[rows], costs[rows]), doubtful[rows] = _merged((indices[rows], costs[rows]), new)
    indices[doubtful] = -1
    return _listed(indices, costs), np.flatnonzero(doubtful)


def _merged(
    old: tuple[Ints, Floats], new: tuple[Ints, Floats]
) -> tuple[tuple[Ints, Floats], Bools]:
    """The nearest of two tables, and the rows where that is not certain.

    Every new end has a larger number than all old ones, so among equals the old ones stay, and
    those that were left out of either table still are. Unless a cost of the other one lies between
    two that were not the same and makes them one tie: rows where it could are looked at again.
    """
    indices, costs = np.hstack([old[0], new[0]]), np.hstack([old[1], new[1]])
    order = np.argsort(np.where(indices >= 0, indices, np.iinfo(np.int64).max), axis=1)
    ranks = tied_ranks(np.take_along_axis(costs, order, axis=1))
    best = np.argsort(ranks, axis=1, kind="stable")[:, : old[0].shape[1]]
    best = np.take_along_axis(order, best, axis=1)
    merged = np.take_along_axis(indices, best, axis=1), np.take_along_axis(costs, best, axis=1)
    return merged, _may_link(new[1], old[1]) | _may_link(old[1], new[1])


def _may_link(others: Floats, costs: Floats) -> Bools:
    """Whether the last of some costs may be tied to what was left out behind it.

    By any of the others, or by one that was left out itself: two that are nearly the same were one
    tie if it lies between them.
    """
    last = costs.max(axis=1, keepdims=True)  # infinite: nothing was left out
    known = np.isfinite(last)
    close = (others >= last * (1 - CLOSE)) & (others <= last * (1 + CLOSE)) & known
    same = (others[:, :, np.newaxis] == costs[:, np.newaxis, :]).any(axis=2)
    near = (costs >= last * (1 - CLOSE)) & (costs * (1 + TOLERANCE) < last) & known
    return np.asarray(((close & ~same) | near).any(axis=1))
