"""Adding points to a graph: what changes for those that were there, and nothing else.

Each point leads to its nearest; a few that have arrived push a few of the others out. Which edges
go and which come is found without building any of the rest again, with the result of having had
all points at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, chunks, frozen
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.building import (
    CLOSE,
    EdgeList,
    Neighbourhood,
    joined,
    listed,
    moves_between,
    moves_of,
    renumbered,
)
from facelift.graph.nearest import (
    many_move_costs,
    nearest_admissible,
    nearest_arrived,
    with_arrived,
)
from facelift.graph.nearest.tiles import Prepared

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Changes:
    """What becomes of the moves of known points, and of new ones, when these arrive."""

    dropped: Ints
    """Places of edges that are moves no more."""
    added: EdgeList


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
    every = np.ones(moves.nnz, dtype=bool)
    changes = _changes(moves, every, points, neighbourhood, enterable, n_threads)
    return Splice.of(moves, changes.dropped, changes.added, len(points)).matrix


def grown_edges(
    edges: sparse.csr_array,
    nearest: Bools,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    *,
    n_threads: int = 1,
) -> tuple[sparse.csr_array, Bools]:
    """The edges of all points, when those among the first of them are known, and which are moves.

    Of the rules "out" and "union", where edges cost what moves do and no largest step holds;
    `nearest` says which edges are moves, the others being their reverses.
    """
    changes = _changes(edges, nearest, points, neighbourhood, enterable, n_threads)
    gone, more, nearest = changes.dropped, changes.added, nearest.copy()
    nearest[gone] = False
    is_move = np.ones(len(more[0]), dtype=bool)
    if neighbourhood.edges == "union":
        there, place = _found(edges, more[0], more[1])
        nearest[place[there]] = True  # so far the reverse of one
        gone = _without_reverse(edges, nearest, gone)
        more = _of(more, ~there)
        back = _reverses(more, points, neighbourhood, enterable)
        is_move = np.arange(len(more[0]) + len(back[0])) < len(more[0])
        more = joined(more, back)
    splice = Splice.of(edges, gone, more, len(points))
    return splice.matrix, splice.merged(nearest, is_move)


def _without_reverse(edges: sparse.csr_array, nearest: Bools, dropped: Ints) -> Ints:
    """Places of the edges that go with some moves: these and their reverses, if none is a move."""
    starts, ends = _starts(edges, dropped), edges.indices[dropped].astype(np.int64)
    there, back = _found(edges, ends, starts)
    stays = there.copy()
    stays[there] = nearest[back[there]]
    return np.unique(np.concatenate([dropped[~stays], back[there & ~stays]]))


def _reverses(
    added: EdgeList,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
) -> EdgeList:
    """The reverses of new edges, at their own cost, that are allowed and not among them."""
    n, (starts, ends, _) = len(points), added
    new = enterable[starts] & ~np.isin(ends * n + starts, starts * n + ends)
    back, forth = ends[new], starts[new]
    costs = many_move_costs(neighbourhood.prices, points, (back, forth))
    return _of((back, forth, costs), np.isfinite(costs))


def _changes(
    edges: sparse.csr_array,
    nearest: Bools,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    n_threads: int,
) -> Changes:
    """What changes in the moves, which are some of the edges, when points are added."""
    n_old, n, k = edges.shape[0], len(points), neighbourhood.n_neighbors
    if k is None:
        return _within_step(n_old, points, neighbourhood, enterable)
    inside = np.flatnonzero(enterable)
    ends = points if len(inside) == n else points[inside]
    shared = with_arrived(ends, neighbourhood.prices, int(np.searchsorted(inside, n_old)))
    limits = _dearest(edges, nearest, k) * (1 + 2 * CLOSE)
    arrivals = _arrivals(points, neighbourhood, enterable, limits, shared, n_threads)
    dropped, added, doubtful = _pushed_out(edges, nearest, arrivals, k)
    again = np.concatenate([arrivals.again, doubtful])
    search = partial(nearest_admissible, n_threads=n_threads, prepared=shared)
    moves = moves_of(again, points, neighbourhood, enterable, search)
    places = _places_of(edges, nearest, again[again < n_old], k)
    places = places[places >= 0]
    before = _starts(edges, places) * n + edges.indices[places]
    after = moves[0] * n + moves[1]
    dropped = np.concatenate([dropped, places[~np.isin(before, after)]])
    return Changes(dropped, joined(added, _of(moves, ~np.isin(after, before))))


def _within_step(
    n_old: int, points: Floats, neighbourhood: Neighbourhood, enterable: Bools
) -> Changes:
    """The same where all within the largest step are neighbours: nobody is pushed out."""
    old, new = np.arange(n_old), np.arange(n_old, len(points))
    arrived = new[enterable[new]]
    gained = moves_between(points[old], points[arrived], neighbourhood, nearest_admissible)
    of_new = moves_of(new, points, neighbourhood, enterable, nearest_admissible)
    none = np.empty(0, dtype=np.int64)
    return Changes(none, joined(renumbered(gained, old, arrived), of_new))


@dataclass(frozen=True, eq=False)
class Arrivals:
    """What the search for new neighbours finds: of known vertices new ones, of new ones any."""

    vertices: Ints
    ends: Ints
    """Nearest first, a row for each vertex, -1 where there are no more; (r, k)."""
    costs: Floats
    again: Ints
    """Vertices whose nearest are to be looked for among all."""


def _arrivals(
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    limits: Floats,
    shared: Prepared | None,
    n_threads: int,
) -> Arrivals:
    """New neighbours of all vertices; of known ones those that do not cost more than `limits`."""
    n_old, k, prices = len(limits), neighbourhood.n_neighbors or 0, neighbourhood.prices
    inside, new = np.flatnonzero(enterable), np.arange(n_old, len(points))
    arrived, starts, again = inside[inside >= n_old], np.arange(n_old), new
    parts = [(np.empty(0, dtype=np.int64), np.empty((0, k), dtype=np.int64), np.empty((0, k)))]
    if shared is not None:
        of_known = limits[inside[inside < n_old]]
        rows, ends, costs, certain = nearest_arrived(shared, k, of_known, n_threads=n_threads)
        sure = rows[certain], np.where(ends >= 0, inside[ends], -1)[certain], costs[certain]
        parts.append((inside[sure[0]], *sure[1:]))
        closed = np.flatnonzero(~enterable)
        starts, again = closed[closed < n_old], closed[closed >= n_old]
        again = np.concatenate([again, inside[rows[~certain]]])
    if len(starts) and len(arrived):
        ends, costs = nearest_admissible(
            points[starts],
            points[arrived],
            prices,
            k,
            limits=limits[starts],
            n_threads=n_threads,
        )
        some = np.flatnonzero(ends[:, 0] >= 0)
        ends, costs = ends[some], costs[some]
        parts.append((starts[some], np.where(ends >= 0, arrived[ends], -1), costs))
    vertices, ends, costs = map(np.concatenate, zip(*parts, strict=True))
    return Arrivals(vertices, ends, costs, again)


def _pushed_out(
    edges: sparse.csr_array, nearest: Bools, arrivals: Arrivals, k: int
) -> tuple[Ints, EdgeList, Ints]:
    """Places of moves that give way to others, these, and vertices for which it is in doubt."""
    old = arrivals.vertices < edges.shape[0]
    of_new = listed(arrivals.ends[~old], arrivals.costs[~old])
    new = arrivals.vertices[~old]
    dropped, doubtful = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    added = [(new[of_new[0]], *of_new[1:])]
    for some, width in _of_like_number(np.where(old, (arrivals.ends >= 0).sum(axis=1), 0)):
        vertices = arrivals.vertices[some]
        places = _places_of(edges, nearest, vertices, k)
        costs = np.full(places.shape, np.inf)
        costs[places >= 0] = edges.data[places[places >= 0]]
        ends, new_costs = arrivals.ends[some, :width], arrivals.costs[some, :width]
        kept, doubt = _nearest_of(costs, new_costs, ends)
        sure = ~doubt[:, np.newaxis]
        dropped.append(places[(places >= 0) & ~kept[:, :k] & sure])
        row, column = np.nonzero((ends >= 0) & kept[:, k:] & sure)
        added.append((vertices[row], ends[row, column], new_costs[row, column]))
        doubtful.append(vertices[doubt])
    return np.concatenate(dropped), joined(*added), np.concatenate(doubtful)


def _of_like_number(counts: Ints) -> Iterator[tuple[Ints, int]]:
    """Rows with about the same number of something, which is not 0, and the most of it."""
    low, high = 0, 1
    while low < counts.max(initial=0):
        rows = np.flatnonzero((counts > low) & (counts <= high))
        for part in chunks(len(rows), 64 * high):
            yield rows[part], high
        low, high = high, 2 * high


def _nearest_of(old: Floats, new: Floats, ends: Ints) -> tuple[Bools, Bools]:
    """Which costs of two tables are the least, as many as the first has, and rows in doubt.

    Every new end has a larger number than all old ones, so among equals the old ones stay, and
    those that were left out of either table still are. Unless a cost of the other one lies between
    two that were not the same and makes them one tie: rows where it could are looked at again.
    """
    k, costs = old.shape[1], np.hstack([old, new])
    last, beyond = np.partition(costs, (k - 1, k), axis=1)[:, k - 1 : k + 1].T
    kept = costs <= last[:, np.newaxis]
    close = np.flatnonzero(np.isfinite(last) & (beyond <= last * (1 + CLOSE)))
    kept[close] = _first_of(costs[close], ends[close], k)
    doubt = _may_link(new, old)
    if new.shape[1] == k:  # otherwise there are no others
        doubt |= _may_link(old, new)
    return kept, doubt


def _first_of(costs: Floats, ends: Ints, k: int) -> Bools:
    """The first k of each row by cost, by end where costs are the same; k old ones come first."""
    by_end = np.argsort(np.where(ends >= 0, ends, np.iinfo(np.int64).max), axis=1)
    old = np.broadcast_to(np.arange(k), (len(costs), k))  # in the order of their ends
    order = np.hstack([old, k + by_end])
    ranks = tied_ranks(np.take_along_axis(costs, order, axis=1))
    best = np.argsort(ranks, axis=1, kind="stable")[:, :k]
    kept = np.zeros(costs.shape, dtype=bool)
    np.put_along_axis(kept, np.take_along_axis(order, best, axis=1), True, axis=1)
    return kept


def _may_link(others: Floats, costs: Floats) -> Bools:
    """Whether the last of some costs may be tied to what was left out behind it.

    By any of the others, or by one that was left out itself: two that are nearly the same were one
    tie if it lies between them.
    """
    last = costs.max(axis=1, keepdims=True)  # infinite: nothing was left out
    known = np.isfinite(last)
    close = (others >= last * (1 - CLOSE)) & (others <= last * (1 + CLOSE)) & known
    near = (costs >= last * (1 - CLOSE)) & (costs * (1 + TOLERANCE) < last) & known
    doubt = np.asarray(near.any(axis=1))
    rows = np.flatnonzero(close.any(axis=1) & ~doubt)
    same = (others[rows, :, np.newaxis] == costs[rows, np.newaxis, :]).any(axis=2)
    doubt[rows] = (close[rows] & ~same).any(axis=1)
    return doubt


def _dearest(edges: sparse.csr_array, nearest: Bools, k: int) -> Floats:
    """The dearest move of each vertex; infinite where it has fewer than k."""
    dearest = np.full(edges.shape[0], np.inf)
    rows = np.flatnonzero(np.diff(edges.indptr))
    first = edges.indptr[rows]
    full = np.add.reduceat(nearest, first, dtype=np.int64) >= k
    costs = np.maximum.reduceat(np.where(nearest, edges.data, 0.0), first)
    dearest[rows[full]] = costs[full]
    return dearest


def _places_of(edges: sparse.csr_array, nearest: Bools, vertices: Ints, k: int) -> Ints:
    """Places of the moves of some vertices, a row each, -1 where there are fewer; (r, k)."""
    first, degrees = edges.indptr[vertices], edges.indptr[vertices + 1] - edges.indptr[vertices]
    row = np.repeat(np.arange(len(vertices)), degrees)
    places = np.arange(len(row)) + (first - np.cumsum(degrees) + degrees)[row]
    moves = nearest[places]
    there = np.arange(k) < np.bincount(row[moves], minlength=len(vertices))[:, np.newaxis]
    table = np.full(there.shape, -1, dtype=np.int64)
    table[there] = places[moves]
    return table


def _starts(edges: sparse.csr_array, places: Ints) -> Ints:
    """The vertices that edges at some places leave."""
    return np.searchsorted(edges.indptr, places, side="right") - 1


def _found(edges: sparse.csr_array, starts: Ints, ends: Ints) -> tuple[Bools, Ints]:
    """Whether there are edges, and their places, or those they would have; halving rows."""
    rows = np.minimum([starts, starts + 1], edges.shape[0])  # new vertices have no edges yet
    low, top = edges.indptr[rows].astype(np.int64)
    high = top
    while (low < high).any():
        middle = (low + high) // 2
        before = (low < high) & (edges.indices[np.minimum(middle, edges.nnz - 1)] < ends)
        low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
    there = low < top
    there[there] = edges.indices[low[there]] == ends[there]
    return there, low


def _of(edges: EdgeList, which: Bools) -> EdgeList:
    return edges[0][which], edges[1][which], edges[2][which]


@dataclass(frozen=True, eq=False)
class Splice:
    """A sparse array with some entries taken out and others put in."""

    matrix: sparse.csr_array
    kept: Bools
    """Which entries of before are left."""
    own: Bools
    """Which entries of now are of before."""
    order: Ints
    """The others in the order in which they stand now."""

    @classmethod
    def of(cls, edges: sparse.csr_array, gone: Ints, more: EdgeList, n: int) -> Splice:
        """Without the entries at some places, and with more edges among more vertices."""
        starts, ends, costs = more
        order = np.argsort(starts * n + ends)
        starts, ends = starts[order], ends[order]
        gone, (_, places) = np.sort(gone), _found(edges, starts, ends)
        kept = np.ones(edges.nnz, dtype=bool)
        kept[gone] = False
        own = np.ones(edges.nnz - len(gone) + len(order), dtype=bool)
        own[places - np.searchsorted(gone, places) + np.arange(len(order))] = False
        degrees = np.bincount(starts, minlength=n)
        degrees[: edges.shape[0]] += np.diff(edges.indptr)
        degrees -= np.bincount(_starts(edges, gone), minlength=n)
        index = np.int32 if max(n, len(own)) <= np.iinfo(np.int32).max else np.int64
        firsts = np.append(0, np.cumsum(degrees)).astype(index)
        splice = cls(edges, kept, own, order)
        data, indices = splice.merged(edges.data, costs), splice.merged(edges.indices, more[1])
        parts = data, indices.astype(index, copy=False), firsts
        for array in parts:
            frozen(array)
        return replace(splice, matrix=sparse.csr_array(parts, shape=(n, n)))

    def merged(self, before: Array, more: Array) -> Array:
        """Something of each entry, of those of before and of the others."""
        merged = np.empty(len(self.own), dtype=before.dtype)
        merged[self.own], merged[~self.own] = before[self.kept], more[self.order]
        return merged
