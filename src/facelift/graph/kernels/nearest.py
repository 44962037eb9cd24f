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
    flags: Floats
    """Of each value that may be missing, whether it is."""
    flag_boxes: Floats
    """The least and the greatest of the flags in each block."""


class Rates(NamedTuple):
    """Prices, scaled like the coordinates."""

    up: Singles
    down: Singles
    spans: Ints
    """First and last column of each block of levels."""
    tables: Singles
    """Price of each change of level."""
    linear: Singles
    """What a rise by 1 adds to the squared cost beside the product."""
    gaps: Ints
    """Which value that may be missing each column is; -1 for none. Likewise …"""
    rising_gaps: Ints
    """… each column that must not fall …"""
    level_gaps: Ints
    """… and each block of levels."""


class Tile(NamedTuple):
    """What holds in one tile: prices without the values that only some of its points have."""

    up: Singles
    down: Singles
    apart: Ints
    """Those columns."""


class Nearest(NamedTuple):
    """The nearest ends of each start so far, cheapest first."""

    costs: Singles
    ends: Shorts
    reach: Singles
    """Dearest of the nearest, over each block."""


class Scene(NamedTuple):
    """How a single start is laid out among ends that are, and what bounds its search."""

    columns: Ints
    """Coordinates that are kept."""
    centre: Floats
    weights: Singles
    """What they are multiplied by for the product."""
    linear: Floats
    axes: Floats
    groups: Floats
    no_fall: Ints
    no_rise: Ints
    flags: Ints
    """Coordinates that say whether a value is missing."""
    gaps: Ints
    """Which of these values each kept column is; -1 for none."""
    up: Singles
    down: Singles
    """Prices of moves from box to box."""
    n_sure_axes: int
    scale: float
    unit: float
    """What costs are multiplied by."""
    farthest: float
    """Largest norm of an end."""
    slack: float
    rounding: float
    relative: float
    tiny: float


_1d, _2d, _3d = types.float32[::1], types.float32[:, ::1], types.float32[:, :, ::1]
_ints, _ints_2d, _shorts_2d = types.int64[::1], types.int64[:, ::1], types.int32[:, ::1]
_wide, _floats_2d = types.float64[::1], types.float64[:, ::1]
_side = types.NamedTuple(
    (
        _ints,
        _2d,
        _2d,
        _1d,
        _1d,
        _2d,
        _floats_2d,
        _ints_2d,
        _ints,
        _floats_2d,
        types.float64[:, :, ::1],
    ),
    Side,
)
_rates = types.NamedTuple((_1d, _1d, _ints_2d, _3d, _1d, _ints, _ints, _ints), Rates)
_scene = types.NamedTuple(
    (
        _ints,
        _wide,
        _1d,
        _wide,
        _floats_2d,
        _floats_2d,
        *[_ints] * 4,
        _1d,
        _1d,
        types.int64,
        *[types.float64] * 7,
    ),
    Scene,
)
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


@njit(nogil=True, inline="always")
def _one_sided(flags: Floats, i: int, end_flags: Floats, j: int, gap: int) -> bool:
    """Whether only one of two points has a value; never if it cannot be missing."""
    return gap >= 0 and flags[i, gap] != end_flags[j, gap]


@njit(nogil=True)
def _apart_cost(start: Side, i: int, end: Side, j: int, rates: Rates, apart: Ints) -> np.float32:
    """Squared cost of columns that the tile leaves out, where both points have the value."""
    total = np.float32(0)
    for c in apart:
        if not _one_sided(start.flags, i, end.flags, j, rates.gaps[c]):
            move = end.points[j, c] - start.points[i, c]
            total += ((rates.up[c] if move > 0 else rates.down[c]) * move) ** 2
    return total


@njit(nogil=True)
def _level_cost(start: Side, i: int, end: Side, j: int, rates: Rates) -> np.float32:
    """Squared cost of the changes of level."""
    total, a, b = np.float32(0), start.points, end.points
    for block in range(start.levels.shape[1]):
        if _one_sided(start.flags, i, end.flags, j, rates.level_gaps[block]):
            continue
        moved = np.float32(0)
        for c in range(rates.spans[block, 0], rates.spans[block, 1]):
            move = b[j, c] - a[i, c]
            moved += move * move
        if moved > 0:
            price = rates.tables[block, start.levels[i, block], end.levels[j, block]]
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
    start: Side,
    end: Side,
    rates: Rates,
    tile: Tile,
    nearest: Nearest,
    picked: Shorts,
    bounds: Singles,
    n: int,
) -> None:
    """Compute the costs of picked pairs that no bound rules out, and take up the least."""
    points, end_points, dearer, end_dearer = start.points, end.points, start.dearer, end.dearer
    rising, end_rising, levels, end_levels = start.rising, end.rising, start.levels, end.levels
    up, down, tables, own = tile.up, tile.down, rates.tables, start.own
    flags, end_flags, whole = start.flags, end.flags, len(tile.apart) == 0
    rising_gaps, level_gaps = rates.rising_gaps, rates.level_gaps
    costs, ends, last = nearest.costs, nearest.ends, nearest.costs.shape[1] - 1
    for p in range(n):
        i, j, limit = picked[p, 0], picked[p, 1], costs[picked[p, 0], last]
        if bounds[p] > limit or own[i] == j:
            continue
        allowed = True
        for c in range(rising.shape[1]):
            kept = end_rising[j, c] >= rising[i, c]
            allowed &= kept or _one_sided(flags, i, end_flags, j, rising_gaps[c])
        for b in range(levels.shape[1]):
            kept = tables[b, levels[i, b], end_levels[j, b]] < np.inf
            allowed &= kept or _one_sided(flags, i, end_flags, j, level_gaps[b])
        if not allowed:
            continue
        if whole and bounds[p] + _dearer(dearer, i, end_dearer, j) > limit:
            continue
        cost = _plain_cost(points, i, end_points, j, up, down)
        if not whole:
            cost += _apart_cost(start, i, end, j, rates, tile.apart)
        if levels.shape[1]:
            cost += _level_cost(start, i, end, j, rates)
        if cost < limit:
            _insert(costs, ends, i, cost, j)


@njit(nogil=True)
def _differ(start: Side, left: int, end: Side, right: int, gap: int) -> bool:
    """Whether some of the points of two blocks have a value and others do not."""
    if gap < 0:
        return False
    boxes, others = start.flag_boxes, end.flag_boxes
    least = min(boxes[0, left, gap], others[0, right, gap])
    return max(boxes[1, left, gap], others[1, right, gap]) != least


@njit(nogil=True)
def _tile(start: Side, left: int, end: Side, right: int, rates: Rates) -> Tile:
    """The prices between two blocks."""
    apart = np.empty(len(rates.gaps), np.int64)
    n = 0
    for c in range(len(rates.gaps)):
        if _differ(start, left, end, right, rates.gaps[c]):
            apart[n] = c
            n += 1
    if n == 0:
        return Tile(rates.up, rates.down, apart[:0])
    up, down = rates.up.copy(), rates.down.copy()
    for c in apart[:n]:
        up[c] = down[c] = 0.0
    return Tile(up, down, apart[:n])


@njit(nogil=True)
def _of_block(side: Side, block: int, rates: Rates, apart: Ints) -> tuple[Singles, ...]:
    """A block's weighted points, and what they add when left and when entered, in this tile."""
    first, last = side.first[block], side.first[block + 1]
    weighted = side.weighted[first:last]
    leaving, entered = side.leaving[first:last], side.entered[first:last]
    if len(apart):
        weighted, leaving, entered = weighted.copy(), leaving.copy(), entered.copy()
    for c in apart:
        for i in range(last - first):
            square = weighted[i, c] * weighted[i, c]
            rise = rates.linear[c] * side.points[first + i, c]
            leaving[i] -= (square - rise) / np.float32(2)
            entered[i] -= (square + rise) / np.float32(2)
            weighted[i, c] = 0.0
    return weighted, leaving, entered


@njit(nogil=True)
def _limits(leaving: Singles, costs: Singles, slack: float, wanted: bool, limits: Singles) -> None:
    """Write what products must reach, as far as their starts go, for ends to be near enough."""
    last = costs.shape[1] - 1
    limits[:] = np.inf
    if wanted:
        for i in range(len(leaving)):
            limits[i] = leaving[i] - np.float32(0.500001) * costs[i, last] - slack


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
        tile = _tile(start, left, end, right, rates)
        weighted, starts_leaving, starts_entered = _of_block(start, left, rates, tile.apart)
        others, leaving, entered = _of_block(end, right, rates, tile.apart)
        np.dot(weighted, others.T, products)
        _limits(starts_leaving, nearest.costs[top:bottom], slack, there, forth)
        # Only where starts are the ends has each end nearest ones of its own.
        _limits(leaving, nearest.costs[first:last], slack, returning, back)
        hits[:] = 0
        for i in range(bottom - top):
            own, own_leaving, limit = starts_entered[i], starts_leaving[i], forth[i]
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
        _look_closer(start, end, rates, tile, nearest, picked, bounds, n_picked)
        _look_closer(end, start, rates, tile, nearest, turned, turned_bounds, n_turned)
        nearest.reach[left] = _reach(start, nearest, left)
        if returning:
            nearest.reach[right] = _reach(end, nearest, right)


@njit(
    types.void(_side, _side, _3d, _3d, _1d, _1d, _ints, types.int64, _shorts_2d, _2d),
    cache=True,
    nogil=True,
)
def box_gaps(
    start: Side,
    end: Side,
    boxes: Singles,
    end_boxes: Singles,
    up: Singles,
    down: Singles,
    flagged: Ints,
    n_sure_axes: int,
    tiles: Shorts,
    gaps: Singles,
) -> None:
    """Write the least squared cost of a move between the boxes of every tile, there and back.

    A box has the least and the greatest coordinates of a block; those after the priced ones are
    along axes at which every move costs what it is long, and is at least as dear as that. Values
    that some points miss are left out, and so are axes that are made of such values.
    """
    last_sure = len(up) + n_sure_axes
    for t in range(len(tiles)):
        i, j = tiles[t, 0], tiles[t, 1]
        there = back = length = np.float32(0)
        whole = True
        for c in range(boxes.shape[2]):
            if c < len(up):
                if _differ(start, i, end, j, flagged[c]):
                    whole = False
                    continue
            elif c >= last_sure and not whole:
                break
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


@njit(nogil=True)
def _sort(order: Ints, gaps: Singles) -> None:
    """Put tiles in the order of their gaps (Shell's sort: a compiler is soon done with it)."""
    step = len(order) // 2
    while step:
        for i in range(step, len(order)):
            t, j = order[i], i
            while j >= step and gaps[order[j - step], 0] > gaps[t, 0]:
                order[j] = order[j - step]
                j -= step
            order[j] = t
        step //= 2


@njit(nogil=True)
def _laid_out(
    point: Floats, levels: Ints, own: int, scene: Scene
) -> tuple[Side, Singles, float, float]:
    """A single start as a side of its own, its box, its size with linear terms, its norm."""
    n, n_axes = len(scene.columns), scene.axes.shape[1]
    points, weighted = np.empty((1, n), np.float32), np.empty((1, n), np.float32)
    box, dearer = np.empty((2, 1, n + n_axes), np.float32), np.empty((1, scene.groups.shape[1]))
    square = norm = linear = 0.0
    for c in range(n):
        points[0, c] = (point[scene.columns[c]] - scene.centre[c]) * scene.scale
        weighted[0, c] = points[0, c] * scene.weights[c]
        box[:, 0, c] = points[0, c]
        square += np.float64(weighted[0, c]) ** 2
        norm += np.float64(points[0, c]) ** 2
        linear += points[0, c] * scene.linear[c]
    for a in range(n_axes):
        place = 0.0
        for c in range(n):
            place += points[0, c] * scene.axes[c, a]
        box[:, 0, n + a] = place
    for g in range(dearer.shape[1]):
        dearer[0, g] = 0.0
        for c in range(n):
            dearer[0, g] += points[0, c] * scene.groups[c, g]
    rising, n_no_fall = np.empty((1, len(scene.no_fall) + len(scene.no_rise))), len(scene.no_fall)
    for i in range(rising.shape[1]):
        falls = i >= n_no_fall
        rising[0, i] = -point[scene.no_rise[i - n_no_fall]] if falls else point[scene.no_fall[i]]
    flags, flag_boxes = np.empty((1, len(scene.flags))), np.empty((2, 1, len(scene.flags)))
    for i in range(len(scene.flags)):
        flags[0, i] = point[scene.flags[i]]
        flag_boxes[:, 0, i] = flags[0, i]
    side = Side(
        np.arange(2),
        points,
        weighted,
        np.full(1, (square - linear) / 2, np.float32),
        np.full(1, (square + linear) / 2, np.float32),
        dearer.astype(np.float32),
        rising,
        levels,
        np.full(1, own),
        flags,
        flag_boxes,
    )
    return side, box, np.sqrt(norm + np.abs(linear)), np.sqrt(norm)


@njit(
    types.float64(
        _wide, _ints_2d, types.int64, types.float64, _scene, _side, _rates, _3d,
        _wide, types.int64, types.int64, _ints,
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def search_from_one(
    point: Floats,
    levels: Ints,
    own: int,
    limit: float,
    scene: Scene,
    end: Side,
    rates: Rates,
    end_boxes: Singles,
    radii: Floats,
    first: int,
    last: int,
    found: Ints,
) -> float:
    """What laying out, `box_gaps` and `search_tiles` do, of a single start: near tiles first.

    Writes to `found` which ends among the blocks from `first` to `last` are the nearest, and
    returns what no other one costs less than. Tiles that are out of reach of what the nearest one
    has are not put in order.
    """
    start, boxes, radius, norm = _laid_out(point, levels, own, scene)
    n, width, error = last - first, len(found), scene.rounding * (norm + scene.farthest)
    square = ((limit * scene.unit + error) ** 2 * (1 + scene.relative) + scene.tiny) * (1 + 1e-6)
    nearest = Nearest(
        np.full((1, width), square, np.float32),
        np.full((1, width), -1, np.int32),
        np.full(1, np.inf, np.float32),
    )
    tiles, slacks = np.zeros((n, 2), np.int32), np.empty(n, np.float32)
    for t in range(n):
        tiles[t, 1] = first + t
        slacks[t] = scene.slack * (radius + radii[first + t]) ** 2 + scene.tiny
    gaps = np.empty((n, 2), np.float32)
    box_gaps(
        start, end, boxes, end_boxes, scene.up, scene.down, scene.gaps, scene.n_sure_axes,
        tiles, gaps,
    )  # fmt: skip
    best = -1
    for t in range(n):
        gaps[t, 0] = gaps[t, 0] * np.float32(1 - 1e-5) - np.float32(2) * slacks[t]
        if np.isfinite(gaps[t, 0]) and (best < 0 or gaps[t, 0] < gaps[best, 0]):
            best = t
    if best >= 0:
        one = slice(best, best + 1)
        search_tiles(start, end, rates, nearest, tiles[one], gaps[one], slacks[one], False)
        n_near, order = 0, np.empty(n, np.int64)
        for t in range(n):
            if t != best and np.isfinite(gaps[t, 0]) and gaps[t, 0] <= nearest.reach[0]:
                order[n_near] = t
                n_near += 1
        order = order[:n_near]
        _sort(order, gaps)
        search_tiles(start, end, rates, nearest, tiles[order], gaps[order], slacks[order], False)
    found[:] = nearest.ends[0]
    least = max(np.float64(nearest.costs[0, width - 1]) * (1 - scene.relative) - scene.tiny, 0.0)
    return max(np.sqrt(least) - error, 0.0) / scene.unit
