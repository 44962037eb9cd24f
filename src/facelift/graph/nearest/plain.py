"""The neighbour search with NumPy alone: bounds by a matrix product, then exact costs."""

from __future__ import annotations

import numpy as np

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.nearest.blocks import N_GROUPS, Layout
from facelift.terrain.prices import Prices

ENOUGH = 100
"""Starts from which it pays to work out sharper bounds for prices that have directions."""


def plain_nearest(
    starts: Floats, ends: Floats, prices: Prices, n_neighbors: int, *, itself: Ints | None = None
) -> tuple[Ints, Floats]:
    """What `nearest_admissible` returns."""
    indices = np.full((len(starts), n_neighbors), -1, dtype=np.int64)
    costs = np.full((len(starts), n_neighbors), np.inf)
    layout = Layout.of(starts, ends, prices) if _is_worthwhile(starts, ends, prices) else None
    for rows in chunks(len(starts), len(ends)):
        own = None if itself is None else itself[rows]
        bounds = squared_bounds(starts[rows], ends, prices, own)
        if layout is not None:
            sharper = _sharper_bounds(starts[rows], ends, layout)
            sharper += prices.code_bounds(starts[rows], ends)
            np.maximum(bounds, sharper, out=bounds)
        _fill(starts[rows], ends, prices, bounds, indices[rows], costs[rows])
    return indices, costs


def squared_distances(starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """Squared Euclidean distances by a matrix product, and how far off each may be; (s, e), (s, 1).

    The product is off by at most a few units in the last place of the sizes, per coordinate.
    """
    own = (starts**2).sum(axis=1)[:, np.newaxis]
    others = (ends**2).sum(axis=1)
    squares = starts @ (-2 * ends.T)
    squares += own
    squares += others
    worst = own + others.max(initial=0.0)
    return squares, 4 * np.finfo(np.float64).eps * (starts.shape[1] + 8) * worst


def squared_bounds(starts: Floats, ends: Floats, prices: Prices, own: Ints | None) -> Floats:
    """A number no greater than the squared cost of each move; inf where it is ruled out; (s, e)."""
    bounds, slack = squared_distances(starts * prices.lower_bounds, ends * prices.lower_bounds)
    bounds -= slack
    bounds += prices.code_bounds(starts, ends)
    bounds[prices.forbidden(starts, ends)] = np.inf
    if own is not None:
        known = np.flatnonzero(own >= 0)
        bounds[known, own[known]] = np.inf
    return np.asarray(bounds)


def _is_worthwhile(starts: Floats, ends: Floats, prices: Prices) -> bool:
    """Whether the prices have directions, and the points are enough to look for better bounds.

    These are no bounds where values are missing.
    """
    if prices.gaps:
        return False
    both = np.isfinite(prices.increase) & np.isfinite(prices.decrease)
    directed = both & (prices.increase != prices.decrease)
    return bool(directed.any()) and len(starts) >= ENOUGH and len(ends) > 0


def _sharper_bounds(starts: Floats, ends: Floats, layout: Layout) -> Floats:
    """A number no greater than the squared cost, that knows directions; see `layout`; (s, e)."""
    near, far = layout.scaled(starts), layout.scaled(ends)
    bounds, slack = squared_distances(near * layout.weights, far * layout.weights)
    rises, falls = far @ layout.linear, near @ layout.linear
    bounds += rises
    bounds -= falls[:, np.newaxis]
    groups = layout.groups if np.count_nonzero(layout.dearer) > N_GROUPS else layout.groups[:, :0]
    for own, other in zip((near @ groups).T, (far @ groups).T, strict=True):
        dear = np.maximum(other - own[:, np.newaxis], 0.0)
        dear *= dear
        bounds += dear
    sizes = [(each**2).sum(axis=1).max(initial=0.0) for each in (near, far)]
    sizes += [np.abs(each).max(initial=0.0) for each in (rises, falls)]
    n_terms = near.shape[1] + groups.shape[1] + 8
    bounds -= slack + 16 * np.finfo(np.float64).eps * n_terms * sum(sizes)
    return np.asarray(bounds / layout.unit**2)


def _fill(
    starts: Floats, ends: Floats, prices: Prices, bounds: Floats, indices: Ints, costs: Floats
) -> None:
    """Write the nearest ends of every start, widening the candidates until they are certain."""
    n_neighbors, pending = indices.shape[1], np.arange(len(starts))
    width = 2 * n_neighbors + 8
    while len(pending):
        width = min(width, len(ends))
        certain = [
            _fill_rows(starts, ends, prices, bounds, indices, costs, pending[part], width)
            for part in chunks(len(pending), width * starts.shape[1])
        ]
        pending = pending[~np.concatenate(certain)]
        width *= 4


def _fill_rows(
    starts: Floats,
    ends: Floats,
    prices: Prices,
    bounds: Floats,
    indices: Ints,
    costs: Floats,
    rows: Ints,
    width: int,
) -> Bools:
    """Write the nearest of the `width` most promising ends; whether each row is now certain."""
    k = min(indices.shape[1], width)
    if width == 0:
        return np.ones(len(rows), dtype=bool)
    promising = bounds[rows]
    candidates = np.sort(np.argpartition(promising, width - 1, axis=1)[:, :width], axis=1)
    limits = np.take_along_axis(promising, candidates, axis=1)
    exact = prices.cost(starts[rows][:, np.newaxis, :], ends[candidates])
    exact[np.isinf(limits)] = np.inf
    ranks = tied_ranks(exact)
    best = np.argsort(ranks, axis=1, kind="stable")[:, :k]
    costs[rows, :k] = np.take_along_axis(exact, best, axis=1)
    chosen = np.take_along_axis(candidates, best, axis=1)
    indices[rows, :k] = np.where(np.isfinite(costs[rows, :k]), chosen, -1)
    # Every end left out has a bound of at least the largest kept; it must be strictly dearer than
    # all that share the rank of the last one.
    largest = limits.max(axis=1)
    same = ranks <= np.take_along_axis(ranks, best[:, -1:], axis=1)
    dearest = exact.max(axis=1, where=same, initial=0.0) ** 2 * (1 + 4 * TOLERANCE)
    certain = np.isinf(largest) | (largest > dearest) | (width == len(ends))
    return np.asarray(certain)
