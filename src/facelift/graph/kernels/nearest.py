"""Compiled search for near pairs: scan tiles of products, look closer where they promise something.

All of it works in 32-bit floats, with bounds that leave room for their rounding: it finds
candidates, and `facelift.graph.kernels.weighing` weighs them exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit, types

from facelift._arrays import Floats, Ints

Singles = npt.NDArray[np.float32]
Shorts = npt.NDArray[np.int32]

_ANY_ORDER = {"reassoc", "contract", "nsz"}  # bounds leave room for sums taken in any order


class Side(NamedTuple):
    """The starts, or the ends, of a search, in the order of their blocks."""

    first: Ints
    """First row of each block, and the number of rows."""
    points: Singles
    """Coordinates, centred and scaled."""
    weighted: Singles
    """Coordinates whose squared distance is the quadratic part of the bound."""
    leaving: Singles
    """Half of what a point adds to the bound when it is left …"""
    entered: Singles
    """… and when it is entered."""
    dearer: Singles
    """Weighted sums over groups of columns; they rise when moves are dear."""
    rising: Floats
    """Columns that must not fall."""
    levels: Ints
    """Level of each point in each block of levels."""
    own: Ints
    """The end that each start is; -1 for none."""


class Rates(NamedTuple):
    """Prices, scaled like the coordinates."""

    up: Singles
    down: Singles
    spans: Ints
    """First and last column of each block of levels."""
    tables: Singles
    """Price of each change of level."""


class Nearest(NamedTuple):
    """The nearest ends of each start so far, cheapest first."""

    costs: Singles
    ends: Shorts
    reach: Singles
    """Dearest of the nearest, over each block."""


_1d, _2d, _3d = types.float32[::1], types.float32[:, ::1], types.float32[:, :, ::1]
_ints, _ints_2d, _shorts_2d = types.int64[::1], types.int64[:, ::1], types.int32[:, ::1]
_floats_2d = types.float64[:, ::1]
_side = types.NamedTuple((_ints, _2d, _2d, _1d, _1d, _2d, _floats_2d, _ints_2d, _ints), Side)
_rates = types.NamedTuple((_1d, _1d, _ints_2d, _3d), Rates)
_nearest = types.NamedTuple((_2d, _shorts_2d, _1d), Nearest)


@njit(nogil=True, fastmath=_ANY_ORDER)
def _dearer(a: Singles, i: int, b: Singles, j: int) -> np.float32:
    """What moves in dearer directions add at least to the squared cost."""
    total = np.float32(0)
    for g in range(a.shape[1]):
        rise = b[j, g] - a[i, g]
        rise = rise if rise > 0 else np.float32(0)
        total += rise * rise
    return total


@njit(nogil=True, fastmath=_ANY_ORDER)
def _plain_cost(a: Singles, i: int, b: Singles, j: int, up: Singles, down: Singles) -> np.float32:
    """Squared cost of the coordinates that have prices of their own."""
    total = np.float32(0)
    for c in range(a.shape[1]):
        move = b[j, c] - a[i, c]
        rise = up[c] * move  # both are computed, so that the compiler needs no branch
        fall = down[c] * move
        priced = rise if move > 0 else fall
        total += priced * priced
    return total


@njit(nogil=True)
def _level_cost(
    a: Singles, i: int, b: Singles, j: int, levels: Ints, end_levels: Ints, rates: Rates
) -> np.float32:
    """Squared cost of the changes of level."""
    total = np.float32(0)
    for block in range(levels.shape[1]):
        moved = np.float32(0)
        for c in range(rates.spans[block, 0], rates.spans[block, 1]):
            move = b[j, c] - a[i, c]
            moved += move * move
        if moved > 0:
            price = rates.tables[block, levels[i, block], end_levels[j, block]]
            total += price * price * moved
    return total


@njit(nogil=True)
def _insert(costs: Singles, ends: Shorts, i: int, cost: np.float32, end: int) -> None:
    """Put an end where it belongs among the nearest of a start; the dearest of them drops out."""
    place = costs.shape[1] - 1
    while place > 0 and costs[i, place - 1] > cost:
        costs[i, place] = costs[i, place - 1]
        ends[i, place] = ends[i, place - 1]
        place -= 1
    costs[i, place] = cost
    ends[i, place] = end


@njit(nogil=True)
def _look_closer(
    start: Side, end: Side, rates: Rates, nearest: Nearest, picked: Shorts, bounds: Singles, n: int
) -> None:
    """Compute the costs of picked pairs that no bound rules out, and take up the least."""
    points, end_points, dearer, end_dearer = start.points, end.points, start.dearer, end.dearer
    rising, end_rising, levels, end_levels = start.rising, end.rising, start.levels, end.levels
    up, down, tables, own = rates.up, rates.down, rates.tables, start.own
    costs, ends, last = nearest.costs, nearest.ends, nearest.costs.shape[1] - 1
    for p in range(n):
        i, j, limit = picked[p, 0], picked[p, 1], costs[picked[p, 0], last]
        if bounds[p] > limit or own[i] == j:
            continue
        allowed = True
        for c in range(rising.shape[1]):
            allowed &= end_rising[j, c] >= rising[i, c]
        for b in range(levels.shape[1]):
            allowed &= tables[b, levels[i, b], end_levels[j, b]] < np.inf
        if not allowed:
            continue
        if bounds[p] + _dearer(dearer, i, end_dearer, j) > limit:
            continue
        cost = _plain_cost(points, i, end_points, j, up, down)
        if levels.shape[1]:
            cost += _level_cost(points, i, end_points, j, levels, end_levels, rates)
        if cost < limit:
            _insert(costs, ends, i, cost, j)


@njit(nogil=True)
def _limits(
    side: Side, nearest: Nearest, block: int, slack: float, wanted: bool, limits: Singles
) -> None:
    """Write what products must reach, as far as their starts go, for ends to be near enough."""
    first, costs, last = side.first[block], nearest.costs, nearest.costs.shape[1] - 1
    limits[:] = np.inf
    if wanted:
        for i in range(first, side.first[block + 1]):
            limits[i - first] = side.leaving[i] - np.float32(0.500001) * costs[i, last] - slack


@njit(nogil=True)
def _reach(side: Side, nearest: Nearest, block: int) -> np.float32:
    """Dearest of the nearest of any point in a block."""
    costs, last, reach = nearest.costs, nearest.costs.shape[1] - 1, np.float32(0)
    for i in range(side.first[block], side.first[block + 1]):
        reach = max(reach, costs[i, last])
    return reach


@njit(nogil=True)
def _longest(first: Ints) -> int:
    longest = 0
    for block in range(len(first) - 1):
        longest = max(longest, first[block + 1] - first[block])
    return longest


@njit(
    types.void(_side, _side, _rates, _nearest, _shorts_2d, _2d, _1d, types.boolean),
    cache=True,
    nogil=True,
)
def search_tiles(
    start: Side,
    end: Side,
    rates: Rates,
    nearest: Nearest,
    tiles: Shorts,
    gaps: Singles,
    slacks: Singles,
    both: bool,
) -> None:
    """Go through tiles (a block of starts, a block of ends), and take up what is nearest.

    `gaps` bounds the squared costs of a tile from below, there and back; `slacks` says how far off
    half of a bound made from its products may be. With `both`, starts and ends are the same points,
    and a tile of two blocks is read in both directions.
    """
    rows, columns = _longest(start.first), (_longest(end.first) + 7) // 8 * 8
    room, hits = np.empty(rows * columns, np.float32), np.zeros(columns, np.uint8)
    eights = hits.view(np.uint64)
    forth, back = np.empty(rows, np.float32), np.empty(columns, np.float32)
    picked, bounds = np.empty((rows * columns, 2), np.int32), np.empty(rows * columns, np.float32)
    turned, turned_bounds = picked.copy(), bounds.copy()
    for t in range(len(tiles)):
        left, right = tiles[t, 0], tiles[t, 1]
        there = gaps[t, 0] <= nearest.reach[left]
        returning = both and left != right and gaps[t, 1] <= nearest.reach[right]
        if not (there or returning):
            continue
        top, bottom = start.first[left], start.first[left + 1]
        first, last = end.first[right], end.first[right + 1]
        slack, n, n_picked, n_turned = slacks[t], last - first, 0, 0
        products = room[: (bottom - top) * n].reshape(bottom - top, n)
        np.dot(start.weighted[top:bottom], end.weighted[first:last].T, products)
        _limits(start, nearest, left, slack, there, forth)
        _limits(end, nearest, right, slack, returning, back)
        entered, leaving = end.entered[first:last], end.leaving[first:last]
        hits[:] = 0
        for i in range(bottom - top):
            own, own_leaving, limit = start.entered[top + i], start.leaving[top + i], forth[i]
            for j in range(n):
                near = (products[i, j] >= entered[j] + limit) | (products[i, j] >= back[j] + own)
                hits[j] = np.uint8(near)
            for eight in range((n + 7) // 8):
                if eights[eight] == 0:
                    continue
                for j in range(8 * eight, min(8 * eight + 8, n)):
                    product = products[i, j] + slack
                    if product >= entered[j] + limit + slack and there:
                        picked[n_picked, 0], picked[n_picked, 1] = top + i, first + j
                        bounds[n_picked] = np.float32(2) * (own_leaving + entered[j] - product)
                        n_picked += 1
                    if product >= back[j] + own + slack and returning:
                        turned[n_turned, 0], turned[n_turned, 1] = first + j, top + i
                        turned_bounds[n_turned] = np.float32(2) * (leaving[j] + own - product)
                        n_turned += 1
        _look_closer(start, end, rates, nearest, picked, bounds, n_picked)
        _look_closer(end, start, rates, nearest, turned, turned_bounds, n_turned)
        nearest.reach[left] = _reach(start, nearest, left)
        if returning:
            nearest.reach[right] = _reach(end, nearest, right)


@njit(types.void(_3d, _3d, _1d, _1d, _shorts_2d, _2d), cache=True, nogil=True)
def box_gaps(
    boxes: Singles,
    end_boxes: Singles,
    up: Singles,
    down: Singles,
    tiles: Shorts,
    gaps: Singles,
) -> None:
    """Write the least squared cost of a move between the boxes of every tile, there and back.

    A box has the least and the greatest coordinates of a block; those after the priced ones are
    along axes at which every move costs what it is long, and is at least as dear as that.
    """
    for t in range(len(tiles)):
        i, j = tiles[t, 0], tiles[t, 1]
        there = back = length = np.float32(0)
        for c in range(boxes.shape[2]):
            rise = end_boxes[0, j, c] - boxes[1, i, c]
            fall = boxes[0, i, c] - end_boxes[1, j, c]
            if c >= len(up):
                apart = max(rise, fall, np.float32(0))
                length += apart * apart
            elif rise > 0:
                there += (up[c] * rise) ** 2
                back += (down[c] * rise) ** 2
            elif fall > 0:
                there += (down[c] * fall) ** 2
                back += (up[c] * fall) ** 2
        gaps[t, 0], gaps[t, 1] = max(there, length), max(back, length)
