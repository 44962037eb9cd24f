"""Compiled weighing of candidates: exact costs, and their order with its rule for equal ones.

Sums are taken in the order in which NumPy takes them, so that costs have the same bits as those of
`Prices.cost`; whoever calls this checks that they do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, types

from facelift._arrays import Bools, Floats, Ints
from facelift.terrain.prices import APART


class Weights(NamedTuple):
    """What exact costs are made of."""

    up: Floats
    down: Floats
    spans: Ints
    """First and last coordinate of each block of levels; the first twice where it holds codes."""
    tables: Floats
    """Price of each change of level, by block."""
    start_rows: Ints
    """The row of its table that the level of each start has …"""
    end_rows: Ints
    """… and the column that the level of each end has."""
    gaps: Ints
    """Coordinates of each value that may be missing, and of what says so."""


_floats, _floats_2d = types.float64[::1], types.float64[:, ::1]
_ints, _ints_2d = types.int64[::1], types.int64[:, ::1]
_points = types.Array(types.float64, 2, "C", readonly=True)  # the caller's own: only read
_weights = types.NamedTuple(
    (_floats, _floats, _ints_2d, types.float64[:, :, ::1], _ints_2d, _ints_2d, _ints_2d), Weights
)


@njit(types.float64(_floats, types.int64, types.int64), cache=True, nogil=True)
def _numpy_sum(values: Floats, first: int, n: int) -> float:
    """The sum of n values as NumPy takes it: eight sums side by side, long ones by halves."""
    if n > 128:
        half = n // 2 - n // 2 % 8
        return _numpy_sum(values, first, half) + _numpy_sum(values, first + half, n - half)
    last = first + n
    if n < 8:
        total = 0.0
        for i in range(first, last):
            total += values[i]
        return total
    a, b, c, d = values[first], values[first + 1], values[first + 2], values[first + 3]
    e, f, g, h = values[first + 4], values[first + 5], values[first + 6], values[first + 7]
    for i in range(first + 8, last - n % 8, 8):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(last - n % 8, last):
        total += values[i]
    return total


@njit(nogil=True)
def _cost(
    starts: Floats,
    i: int,
    ends: Floats,
    j: int,
    weights: Weights,
    room: tuple[Floats, Floats],
) -> float:
    """Cost of a move, infinite when forbidden."""
    moves, squares = room
    for c in range(starts.shape[1]):
        moves[c] = ends[j, c] - starts[i, c]
    for g in range(weights.gaps.shape[0]):
        value, flag = weights.gaps[g, 0], weights.gaps[g, 1]
        if starts[i, flag] != ends[j, flag]:
            moves[value] = 0.0
    for c in range(starts.shape[1]):
        rise = weights.up[c] * moves[c]
        fall = weights.down[c] * moves[c]
        priced = rise if moves[c] > 0 else fall
        squares[c] = priced * priced if moves[c] != 0 else 0.0
    total = _numpy_sum(squares, 0, starts.shape[1])
    for b in range(weights.spans.shape[0]):
        first, last = weights.spans[b, 0], weights.spans[b, 1]
        for c in range(first, last):
            squares[c] = moves[c] * moves[c]
        moved = _numpy_sum(squares, first, last - first)
        if first == last and moves[first] != 0:
            moved = APART
        if moved > 0:
            price = weights.tables[b, weights.start_rows[i, b], weights.end_rows[j, b]]
            total += price * price * moved
    return np.sqrt(total)


@njit(types.void(_points, _points, _weights, _ints, _ints_2d, _floats_2d), cache=True, nogil=True)
def weigh(
    starts: Floats, ends: Floats, weights: Weights, rows: Ints, candidates: Ints, costs: Floats
) -> None:
    """Write the costs of moves from each of `rows` to its candidates; inf where there is none."""
    room = np.empty(starts.shape[1]), np.empty(starts.shape[1])
    for r in range(len(rows)):
        for q in range(candidates.shape[1]):
            costs[r, q] = np.inf
            if candidates[r, q] >= 0:
                costs[r, q] = _cost(starts, rows[r], ends, candidates[r, q], weights, room)


@njit(nogil=True)
def _sort(keys: Floats | Ints, others: Floats | Ints) -> None:
    """Sort few values in place, and bring others along; equal ones keep their order."""
    for i in range(1, len(keys)):
        key, other = keys[i], others[i]
        place = i
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            others[place] = others[place - 1]
            place -= 1
        keys[place] = key
        others[place] = other


@njit(
    types.void(
        _ints_2d, _floats_2d, _floats, _floats, types.int64, types.float64, types.boolean[::1]
    ),
    cache=True,
    nogil=True,
)
def rank(
    candidates: Ints,
    costs: Floats,
    beyond: Floats,
    enough: Floats,
    n_neighbors: int,
    tolerance: float,
    certain: Bools,
) -> None:
    """Bring every row into order in place: by cost, and by index where costs are the same.

    A row is certain if no end that costs at least `beyond` can be among the first `n_neighbors`, or
    if what costs that much is not asked for.
    """
    for r in range(len(candidates)):
        _sort(costs[r], candidates[r])
        n, first = costs.shape[1], 0
        certain[r] = beyond[r] >= enough[r]
        while first < n and costs[r, first] < np.inf:
            last = first + 1
            while last < n and costs[r, last] <= costs[r, last - 1] * (1 + tolerance):
                last += 1
            dearest = costs[r, last - 1]
            _sort(candidates[r, first:last], costs[r, first:last])
            if first < n_neighbors <= last and beyond[r] > dearest * (1 + 2 * tolerance):
                certain[r] = True
            first = last
