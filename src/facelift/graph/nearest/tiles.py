"""The compiled search for candidates: block of starts by block of ends, near ones first.

A tile is a pair of blocks. Its squared distances come from one matrix product; where they do not
rule a pair out, its cost is computed. When starts and ends are the same points each tile serves
both directions. Memory is a block and the candidates, never all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import ModuleType
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import FEW_CELLS, Bools, Floats, Ints, chunks
from facelift._progress import tracked
from facelift.graph.kernels import kernel
from facelift.graph.nearest.blocks import ROUNDING, Layout, Singles, blocks, levels_of, price_rows
from facelift.graph.points import Lookup, distinct_rows
from facelift.terrain.prices import APART, Codes, Prices

N_BLOCKS = 4096
"""Blocks are at least so large that there are not many more of them."""

SMALL, LARGE, MANY_COLUMNS = 256, 512, 48
"""Points in a block, with few columns and with many: small ones prune, large ones multiply fast."""

WORK, PAIR = 3e10, 40
"""What is done between two looks at the keyboard: pairs times columns, a pair being worth some."""

FEW_ARRIVED = 4096
"""Where no more points have arrived, to bring near ones together takes longer than it saves."""

FEW = 32
"""Fewer points with the same values missing get no blocks of their own."""

TINY = 1e-30
"""Squared costs below this are lost in 32-bit floats."""


@dataclass(frozen=True, eq=False)
class Half:
    """One side of a search: its points in blocks, as the compiled loops want them."""

    order: Ints
    kinds: Ints
    """What the points of each block have in common: the values that cannot change."""
    norms: Floats
    radii: Floats
    """Largest norm of each block."""
    places: Singles
    """Where points are along the axes of the layout; no columns if blocks are not of near ones."""
    side: Any
    """A `Side` of the compiled loops."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "side": tuple(self.side)}

    def __setstate__(self, state: dict[str, Any]) -> None:  # loads the loops as all others do
        self.__dict__.update(state, side=kernel("nearest").Side(*state["side"]))

    @property
    def of_near(self) -> bool:
        """Whether the points of a block are near each other."""
        return bool(self.places.size)

    @cached_property
    def boxes(self) -> Singles:
        """The least and the greatest coordinates of each block, those along the axes last."""
        first = self.side.first[:-1]
        every = np.hstack([self.side.points, self.places])
        return np.stack([np.minimum.reduceat(every, first), np.maximum.reduceat(every, first)])

    @cached_property
    def centres(self) -> Singles:
        """Mean place of each block."""
        lengths = np.diff(self.side.first)[:, np.newaxis]
        return _single(np.add.reduceat(self.places, self.side.first[:-1]) / lengths)


@dataclass(frozen=True, eq=False)
class Tiles:
    """Pairs of blocks, what moves between them cost at least, and how far off products may be."""

    pairs: npt.NDArray[np.int32]
    gaps: Singles
    slacks: Singles


@dataclass(frozen=True, eq=False)
class Task:
    """Tiles to go through one after the other, and the parts of the starts they write to."""

    tiles: slice
    parts: frozenset[int]


class Elsewhere(Protocol):
    """Something that looks for the nearest ends of all ends, such as the workers of a cluster."""

    def under(self, name: str) -> Self:
        """The same among what `Prepared` has under a name, `same` or `other`."""

    def __call__(self, limits: Singles, width: int) -> Any:
        """A `Nearest` of the compiled loops, without what costs more than the limits, squared."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """The ends of a search, laid out and in blocks, for as many starts as will come.

    Codes of many levels are no coordinates to lay out: where there are some, `same` finds the ends
    with the same code, and `other` any, by what else they are apart.
    """

    ends: Floats
    layout: Layout
    price_rows: Ints
    """Row of each end in the table of each block of levels, in the order of the ends."""
    n_known: int = 0
    """Moves among so many of the first ends are known: searches from all ends pass them over."""
    compared: list[int] = field(default_factory=list)
    """Numbers of exact costs that were found to be those of NumPy, to the bit."""

    @classmethod
    def of(
        cls, ends: Floats, prices: Prices, starts: Floats | None = None, *, n_known: int = 0
    ) -> Prepared | None:
        """Ends and how they are laid out; None where narrow floats cannot tell them apart."""
        if starts is not None:
            layout = Layout.of(starts, ends, prices)
        else:
            layout = Layout.for_any(ends, prices)
        return None if layout is None else cls(ends, layout, price_rows(ends, prices), n_known)

    @property
    def codes(self) -> Codes | None:
        """The first of the codes, if there are some."""
        return next(iter(self.layout.prices.codes), None)

    @cached_property
    def same(self) -> Prepared:
        """The search for ends with the same first code."""
        return self._without_codes(np.inf)

    @cached_property
    def other(self) -> Prepared:
        """The search for any ends, whose first code costs nothing."""
        return self._without_codes(0.0)

    def _without_codes(self, price: float) -> Prepared:
        prices, first = self.layout.prices, self.codes
        increase, decrease = prices.increase.copy(), prices.decrease.copy()
        if first is not None:
            increase[first.coordinates.start] = decrease[first.coordinates.start] = price
        blocks = tuple(block for block in prices.blocks if block is not first)
        prices = replace(prices, increase=increase, decrease=decrease, blocks=blocks)
        return replace(self, layout=replace(self.layout, prices=prices))

    @cached_property
    def kinds(self) -> Ints:
        """What the ends have that cannot change, by number."""
        return kinds_of(self.ends, self.layout.prices)

    @cached_property
    def half(self) -> Half:
        """The ends in blocks."""
        return _half(kernel("nearest"), self.ends, self.kinds, self.layout, self.n_known)

    def laid_out(self) -> Self:
        """The same with its blocks made, for those who send it to others, that these need not."""
        if self.codes is None:
            _ = self.half.boxes
        else:
            self.same.laid_out()
            self.other.laid_out()
        return self

    @property
    def order(self) -> Ints:
        """The ends in an order in which near ones stand together."""
        return self.half.order if self.codes is None else self.same.order

    @cached_property
    def farthest(self) -> float:
        """Largest norm of an end."""
        return float(self.half.norms.max())

    @cached_property
    def rates(self) -> Any:
        """Prices, a `Rates` of the compiled loops."""
        return _rates(kernel("nearest"), self.layout)

    @cached_property
    def weights(self) -> Any:
        """What exact costs among the ends are made of."""
        return weights_of(self.layout.prices, self.price_rows)

    @cached_property
    def box_prices(self) -> tuple[Singles, Singles]:
        """Prices of moves from box to box."""
        return _box_prices(self.layout)

    @cached_property
    def lookup(self) -> Lookup:
        """The number of a kind, by what cannot change."""
        first = np.unique(self.kinds, return_index=True)[1]
        return Lookup(self.ends[first][:, self.layout.prices.fixed])

    def kinds_of(self, starts: Floats) -> Ints:
        """The kind of some starts, -1 where no end has it."""
        fixed = self.layout.prices.fixed
        if not fixed.any():
            return np.zeros(len(starts), dtype=np.int64)
        return self.lookup.vertices(starts[:, fixed])

    def blocks_of_kind(self, start: Floats) -> tuple[int, int]:
        """The first of the blocks of ends with the kind of a start, and the one after the last."""
        kinds = self.half.kinds
        if not self.layout.prices.fixed.any():
            return 0, len(kinds)
        first, last = np.searchsorted(kinds, self.kinds_of(start)[0] + np.arange(2)).tolist()
        return first, last

    @cached_property
    def scene(self) -> Any:
        """What the search from a single start needs to know of all ends, a `Scene` of its loop."""
        layout, gaps = self.layout, self.layout.prices.gaps
        return kernel("nearest").Scene(
            layout.columns,
            layout.centre,
            layout.narrow_weights,
            layout.linear,
            np.ascontiguousarray(layout.axes),
            np.ascontiguousarray(layout.groups),
            *layout.one_way,
            np.array([flag for _, flag in gaps], dtype=np.int64),
            layout.gaps,
            *self.box_prices,
            layout.n_sure_axes,
            layout.scale,
            layout.unit,
            self.farthest,
            _slack(layout, self.half),
            2 * ROUNDING,
            _relative(layout),
            TINY,
        )

    def blocks_of(self, starts: Floats) -> Half:
        """Some starts in blocks."""
        return _half(kernel("nearest"), starts, self.kinds_of(starts), self.layout)


def weights_of(prices: Prices, rows: Ints) -> Any:
    """What exact costs between points are made of, as the compiled loop wants it.

    `rows` says where the level of each point stands in the prices of each block of levels.
    """
    size = max((len(block.prices) for block in prices.blocks), default=0)
    tables = np.zeros((len(prices.blocks), size, size))
    for table, block in zip(tables, prices.blocks, strict=True):
        table[: len(block.prices), : len(block.prices)] = block.prices
    places = [(block.coordinates, isinstance(block, Codes)) for block in prices.blocks]
    spans = [(place.start, place.start if coded else place.stop) for place, coded in places]
    return kernel("weighing").Weights(
        prices.increase,
        prices.decrease,
        np.array(spans, dtype=np.int64).reshape(-1, 2),
        tables,
        rows,
        rows,
        np.array(prices.gaps, dtype=np.int64).reshape(-1, 2),
    )


def candidates(
    starts: Floats,
    prepared: Prepared,
    width: int,
    *,
    itself: Ints | None = None,
    limits: Floats | None = None,
    n_threads: int = 1,
    elsewhere: Elsewhere | None = None,
) -> tuple[Ints, Floats]:
    """The nearest admissible ends of each start by narrow arithmetic, -1 for none; (s, width).

    With them, for every start, a cost that no admissible end left out is below. Ends dearer than
    `limits` may be left out, too. Where there are codes, (s, 2 · width) or more. Where starts are
    the ends, they may be looked for `elsewhere`.
    """
    codes = prepared.codes
    if codes is None:
        return _candidates(starts, prepared, width, itself, limits, n_threads, elsewhere)
    near, beyond = candidates(
        starts,
        prepared.same,
        width,
        itself=itself,
        limits=limits,
        n_threads=n_threads,
        elsewhere=None if elsewhere is None else elsewhere.under("same"),
    )
    apart = APART * codes.least**2
    room = np.sqrt(np.maximum(beyond**2 - apart, 0.0)) if np.isfinite(apart) else 0 * beyond
    room = room if limits is None else np.minimum(room, limits)
    rows = np.flatnonzero(room)  # all others have enough with the same code
    if not len(rows):
        return near, beyond
    if 2 * len(rows) > len(starts) or (prepared.n_known and starts is prepared.ends):
        rows = np.arange(len(starts))
    some = starts if len(rows) == len(starts) else starts[rows]
    own = None if itself is None else itself[rows]
    far, more = candidates(
        some,
        prepared.other,
        width,
        itself=own,
        limits=room[rows],
        n_threads=n_threads,
        elsewhere=None if elsewhere is None else elsewhere.under("other"),
    )
    place = codes.coordinates.start
    far[prepared.ends[far, place] == some[:, [place]]] = -1  # found before
    found = np.full((len(starts), near.shape[1] + far.shape[1]), -1, dtype=np.int64)
    found[:, : near.shape[1]], found[rows, near.shape[1] :] = near, far
    beyond[rows] = np.minimum(beyond[rows], np.sqrt(more**2 + apart))
    return found, beyond


def _candidates(
    starts: Floats,
    prepared: Prepared,
    width: int,
    itself: Ints | None,
    limits: Floats | None,
    n_threads: int,
    elsewhere: Elsewhere | None,
) -> tuple[Ints, Floats]:
    """The same where all coordinates are laid out."""
    loops, far, layout = kernel("nearest"), prepared.half, prepared.layout
    both = starts is prepared.ends
    if len(starts) == 1 and far.of_near and not both:
        return _candidates_of_one(starts, prepared, width, itself, limits)
    near = far if both else prepared.blocks_of(starts)
    near = near if itself is None else passing_over(near, itself, far)
    far = near if both else far
    errors = 2 * ROUNDING * (near.norms + prepared.farthest)
    most = _first_limits(limits, near.order, layout, errors)
    if both and elsewhere is not None:
        nearest = elsewhere(most, width)
    else:
        nearest = nothing_yet(near, most, width)
        _search(loops, near, far, prepared, nearest, both=both, n_threads=n_threads)
    found = np.full((len(starts), width), -1, dtype=np.int64)
    rows = np.flatnonzero(nearest.ends[:, 0] >= 0)
    ends = nearest.ends[rows]
    found[near.order[rows]] = np.where(ends >= 0, far.order[ends], -1)
    beyond = np.empty(len(starts))
    beyond[near.order] = _surely(nearest.costs[:, -1], layout, errors)
    return found, beyond


def _candidates_of_one(
    start: Floats, prepared: Prepared, width: int, itself: Ints | None, limits: Floats | None
) -> tuple[Ints, Floats]:
    """The same of a single start, by one call."""
    far, ends = prepared.half, np.empty(width, dtype=np.int64)
    least = kernel("nearest").search_from_one(
        start[0],
        levels_of(start, prepared.layout.prices),
        -1 if itself is None else int(_own(itself, np.zeros(1, dtype=np.int64), far.order)[0]),
        np.inf if limits is None else float(limits[0]),
        prepared.scene,
        far.side,
        prepared.rates,
        far.boxes,
        far.radii,
        *prepared.blocks_of_kind(start),
        ends,
    )
    return np.where(ends >= 0, far.order[ends], -1)[np.newaxis], np.array([least])


def _search(
    loops: ModuleType,
    near: Half,
    far: Half,
    prepared: Prepared,
    nearest: Any,
    *,
    both: bool,
    n_threads: int,
) -> None:
    """Look for the nearest of many starts, tile by tile."""
    tiles = _tiles(loops, near, far, prepared, both=both)
    tiles, tasks = _tasks(tiles, near, far, prepared.layout, both=both, n_threads=n_threads)

    def search(task: Task) -> None:
        each = (tiles.pairs[task.tiles], tiles.gaps[task.tiles], tiles.slacks[task.tiles])
        loops.search_tiles(near.side, far.side, prepared.rates, nearest, *each, both)

    with blas().limit(limits=1):  # a tile is small: threads take tiles, not pieces of one
        for _ in tracked(_run(tasks, search, n_threads), len(tasks), "neighbours"):
            pass


def kinds_of(points: Floats, prices: Prices) -> Ints:
    """A number for what cannot change of each point: moves lead only to those with the same.

    In the order in which they first appear.
    """
    fixed = np.flatnonzero(prices.fixed)
    if not len(fixed):
        return np.zeros(len(points), dtype=np.int64)
    return distinct_rows(points[:, fixed])[1]


def _with_patterns(kinds: Ints, flags: Floats) -> Ints:
    """Numbers for points of the same kind with the same values missing, in the order of kinds.

    Few points with a pattern of their own share blocks with others: exact, only slower.
    """
    if not flags.shape[1]:
        return kinds
    patterns = distinct_rows(flags)[1] + 1
    patterns[np.bincount(patterns)[patterns] < FEW] = 0
    return np.asarray(kinds * (len(kinds) + 1) + patterns)


def _half(loops: ModuleType, points: Floats, kinds: Ints, layout: Layout, n_known: int = 0) -> Half:
    """Points in blocks, with everything the compiled loops need of them.

    Points that are not among the first `n_known` have blocks of their own, if any are.
    """
    n, m = len(points), len(layout.columns)
    flags = np.ascontiguousarray(points[:, [flag for _, flag in layout.prices.gaps]])
    places = None if n_known and n - n_known <= FEW_ARRIVED else layout.places(points)
    groups = _with_patterns(kinds, flags)
    groups = 2 * groups + (np.arange(n) >= n_known) if n_known else groups
    order, first, _ = blocks(places, groups, _block_size(n, m))
    flags = flags[order]
    flag_boxes = [each.reduceat(flags, first[:-1]) for each in (np.minimum, np.maximum)]
    coordinates, weighted = np.empty((n, m), dtype=np.float32), np.empty((n, m), dtype=np.float32)
    squares, norms, linear = np.empty(n), np.empty(n), np.zeros(n)
    has_linear = bool(layout.two_valued.any())
    for part in chunks(n, m, FEW_CELLS):
        coordinates[part] = some = layout.coordinates(points[order[part]])
        np.multiply(some, layout.narrow_weights, out=weighted[part])
        squares[part] = _squares(weighted[part])
        norms[part] = np.sqrt(_squares(some))
        if has_linear:
            linear[part] = some @ layout.linear
    sizes = np.sqrt(norms**2 + np.abs(linear))
    side = loops.Side(
        first,
        coordinates,
        weighted,
        _single((squares - linear) / 2),
        _single((squares + linear) / 2),
        _single(coordinates @ layout.groups),
        _rising(points, layout.one_way, order),
        levels_of(points, layout.prices)[order],
        np.full(n, -1, dtype=np.int64),
        flags,
        np.stack(flag_boxes),
    )
    return Half(
        order,
        kinds[order[first[:-1]]],
        norms,
        np.maximum.reduceat(sizes, first[:-1]),
        np.empty((n, 0), dtype=np.float32) if places is None else places[order],
        side,
    )


def _squares(values: Singles) -> Floats:
    """Squared length of each row, summed in wide numbers."""
    wide = values.astype(np.float64)
    return np.asarray(np.einsum("ij,ij->i", wide, wide))


def _single(values: npt.NDArray[np.floating[Any]]) -> Singles:
    return np.ascontiguousarray(values, dtype=np.float32)


def _block_size(n: int, m: int) -> int:
    return max(SMALL if m < MANY_COLUMNS else LARGE, n // N_BLOCKS)


def _rising(points: Floats, one_way: tuple[Ints, Ints], order: Ints) -> Floats:
    """Columns that must not fall, those that must not rise with their sign turned."""
    no_fall, no_rise = one_way
    if not (len(no_fall) or len(no_rise)):
        return np.empty((len(points), 0))
    rising = np.hstack([points[:, no_fall], -points[:, no_rise]])
    return np.ascontiguousarray(rising[order])


def _rates(loops: ModuleType, layout: Layout) -> Any:
    """Prices as the compiled loops want them, and which of them are of values that may be missing.

    A `Rates` of theirs.
    """
    prices = layout.prices
    gap_of = {value: gap for gap, (value, _) in enumerate(prices.gaps)}
    one_way = np.concatenate(layout.one_way).tolist()
    levels = [block.coordinates.start for block in prices.blocks]
    return loops.Rates(
        _single(layout.up),
        _single(layout.down),
        *_level_prices(layout),
        _single(layout.linear),
        layout.gaps,
        *(np.array([gap_of.get(c, -1) for c in of], dtype=np.int64) for of in (one_way, levels)),
    )


def _level_prices(layout: Layout) -> tuple[Ints, Singles]:
    """Kept columns of each block of levels, and its prices; keeping a level is allowed."""
    every = layout.prices.blocks
    places = [block.coordinates for block in every]
    spans = [np.searchsorted(layout.columns, (b.start, b.stop)) for b in places]
    size = max((len(block.prices) for block in every), default=0)
    tables = np.zeros((len(every), size, size), dtype=np.float32)
    for table, block in zip(tables, every, strict=True):
        n = len(block.prices)
        table[:n, :n] = block.prices * layout.rate
        same = np.arange(n)
        table[same, same] = np.where(np.isinf(table[same, same]), 0.0, table[same, same])
    return np.array(spans, dtype=np.int64).reshape(-1, 2), tables


def passing_over(near: Half, itself: Ints, far: Half) -> Half:
    """The starts, each of which is one of the ends (-1 for none) and does not lead there."""
    return replace(near, side=near.side._replace(own=_own(itself, near.order, far.order)))


def _own(itself: Ints, order: Ints, end_order: Ints) -> Ints:
    """The end that each start is, both counted in the order of their blocks."""
    place = np.full(len(end_order) + 1, -1, dtype=np.int64)  # the last one stands for none
    place[end_order] = np.arange(len(end_order))
    return place[itself[order]]


def _first_limits(limits: Floats | None, order: Ints, layout: Layout, errors: Floats) -> Singles:
    """What an end must be cheaper than to be taken up, squared; rounded up."""
    if limits is None:
        return np.full(len(order), np.inf, dtype=np.float32)
    costs = limits[order] * layout.unit
    squares = (costs + errors) ** 2 * (1 + _relative(layout)) + TINY
    return _single(squares * (1 + 1e-6))


def nothing_yet(half: Half, limits: Singles, width: int) -> Any:
    """A `Nearest` of the compiled loops before any end was found that is within its limit."""
    return kernel("nearest").Nearest(
        np.repeat(limits[:, np.newaxis], width, axis=1),
        np.full((len(limits), width), -1, dtype=np.int32),
        np.maximum.reduceat(limits, half.side.first[:-1]),
    )


def _surely(squares: Singles, layout: Layout, errors: Floats) -> Floats:
    """Costs that are certainly not above those whose squares were found."""
    least = np.maximum(squares.astype(np.float64) * (1 - _relative(layout)) - TINY, 0.0)
    return np.maximum(np.sqrt(least) - errors, 0.0) / layout.unit


def _relative(layout: Layout) -> float:
    """Largest relative error of a sum of squares."""
    return 2 * (len(layout.columns) + 16) * ROUNDING


def _tiles(loops: ModuleType, near: Half, far: Half, prepared: Prepared, *, both: bool) -> Tiles:
    """All pairs of blocks of one kind between which a move is possible."""
    if both and prepared.n_known:
        pairs = _pairs_of_new(near, near.order[near.side.first[:-1]] < prepared.n_known)
    else:
        pairs = pairs_of_kind(near.kinds, far.kinds, both=both)
    return bounded(loops, near, far, prepared, pairs)


def bounded(
    loops: ModuleType, near: Half, far: Half, prepared: Prepared, pairs: npt.NDArray[np.int32]
) -> Tiles:
    """The pairs of blocks between which a move is possible, and what it costs at least."""
    layout = prepared.layout
    slacks = _slacks(near, far, layout, pairs)
    gaps = np.zeros((len(pairs), 2), dtype=np.float32)
    if not (near.of_near and far.of_near):
        return Tiles(pairs, gaps, slacks)
    loops.box_gaps(
        near.side,
        far.side,
        near.boxes,
        far.boxes,
        *prepared.box_prices,
        layout.gaps,
        layout.n_sure_axes,
        pairs,
        gaps,
    )
    gaps *= np.float32(1 - 1e-5)
    gaps -= 2 * slacks[:, np.newaxis]
    gaps[np.isinf(gaps)] = np.nan  # no move at all: within no reach, not even an infinite one
    kept = np.isfinite(gaps).any(axis=1)
    if kept.all():
        return Tiles(pairs, gaps, slacks)
    return Tiles(pairs[kept], gaps[kept], slacks[kept])


def _slacks(near: Half, far: Half, layout: Layout, pairs: npt.NDArray[np.int32]) -> Singles:
    """How far off half of a bound made from the products of each pair of blocks may be."""
    radii = near.radii[pairs[:, 0]] + far.radii[pairs[:, 1]]
    return _single(_slack(layout, far) * radii**2 + TINY)


def _slack(layout: Layout, half: Half) -> float:
    """The same where radii come to 1."""
    n_terms = len(layout.columns) + half.side.dearer.shape[1] + 64
    n_terms += 4 * len(layout.prices.gaps)  # what is left out is taken away again
    return float(n_terms * ROUNDING / 2)


def pairs_of_kind(kinds: Ints, end_kinds: Ints, *, both: bool) -> npt.NDArray[np.int32]:
    """Blocks of starts and of ends that have the same kind; (pairs, 2)."""
    first = np.searchsorted(end_kinds, kinds, side="left")
    last = np.searchsorted(end_kinds, kinds, side="right")
    if both:
        first = np.arange(len(kinds))
    counts = last - first
    pairs = np.zeros((counts.sum(), 2), dtype=np.int32)
    pairs[:, 0] = np.repeat(np.arange(len(kinds)), counts)
    pairs[:, 1] = np.arange(len(pairs)) + np.repeat(first - np.cumsum(counts) + counts, counts)
    return pairs


def _pairs_of_new(half: Half, known: Bools) -> npt.NDArray[np.int32]:
    """The pairs that tell of more than moves between known blocks; each of them once."""
    new = np.flatnonzero(~known)
    pairs = pairs_of_kind(half.kinds[new], half.kinds, both=False)
    pairs[:, 0] = new[pairs[:, 0]]
    return pairs[known[pairs[:, 1]] | (pairs[:, 1] >= pairs[:, 0])]


def _box_prices(layout: Layout) -> tuple[Singles, Singles]:
    """Prices of moves from box to box; infinite ones count."""
    rise, fall = layout.prices.increase[layout.columns], layout.prices.decrease[layout.columns]
    levels = (rise == 0) & (fall == 0)
    up = np.where(np.isinf(rise), np.inf, np.where(levels, layout.least, layout.up))
    down = np.where(np.isinf(fall), np.inf, np.where(levels, layout.least, layout.down))
    return _single(up), _single(down)


def _tasks(
    tiles: Tiles, near: Half, far: Half, layout: Layout, *, both: bool, n_threads: int
) -> tuple[Tiles, list[Task]]:
    """Tiles in the order to go through them, and tasks of them that do not take long each.

    Near blocks come first, so that later ones can be ruled out. A thread writes to the parts of the
    starts that its task names, and no other thread does at that time.
    """
    n_parts = 1 if n_threads == 1 else 8 * n_threads
    part = np.arange(len(near.kinds)) * n_parts // len(near.kinds)
    left = part[tiles.pairs[:, 0]]
    right = part[tiles.pairs[:, 1]] if both else left
    distances = distances_between(near, far, tiles.pairs)
    order = np.lexsort((distances, left * n_parts + right))
    left, right, distances = left[order], right[order], distances[order]
    changes = np.flatnonzero(np.diff(left * n_parts + right)) + 1
    length = int(np.diff(near.side.first).max()) * int(np.diff(far.side.first).max())
    size = max(1, int(WORK / (length * (len(layout.columns) + PAIR))))
    tasks = [
        Task(slice(i, min(i + size, stop)), frozenset((int(left[i]), int(right[i]))))
        for start, stop in zip([0, *changes], [*changes, len(order)], strict=True)
        for i in range(start, stop, size)
    ]
    tasks.sort(key=lambda task: distances[task.tiles.start])
    return Tiles(tiles.pairs[order], tiles.gaps[order], tiles.slacks[order]), tasks


def distances_between(near: Half, far: Half, pairs: npt.NDArray[np.int32]) -> Singles:
    """About how far the centres of pairs of blocks are apart, squared."""
    distances = np.zeros(len(pairs), dtype=np.float32)
    if not (near.of_near and far.of_near):
        return distances
    for part in chunks(len(pairs), near.centres.shape[1]):
        some = pairs[part]
        moves = near.centres[some[:, 0]] - far.centres[some[:, 1]]
        np.einsum("ij,ij->i", moves, moves, out=distances[part])
    return distances


def in_threads(work: Callable[[Any], None], items: list[Any], n_threads: int) -> None:
    """Do work on items that do not depend on each other."""
    if n_threads == 1 or len(items) < 2:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, items))


@cache
def blas() -> Any:
    """The libraries behind matrix products, whose own threads can be limited."""
    import scipy.linalg  # noqa: F401  (the compiled loops multiply with SciPy's)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _run(tasks: list[Task], work: Callable[[Task], None], n_threads: int) -> Iterator[None]:
    """Do all tasks, on several threads if so many are allowed; a step of the iterator is one."""
    if n_threads == 1:
        yield from map(work, tasks)
        return
    waiting, running, busy = list(tasks), dict[Future[None], Task](), set[int]()
    with ThreadPoolExecutor(n_threads) as pool:
        while waiting or running:
            for task in [each for each in waiting if not each.parts & busy]:
                if len(running) < n_threads and not task.parts & busy:
                    waiting.remove(task)
                    running[pool.submit(work, task)] = task
                    busy |= task.parts
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
                busy -= running.pop(future).parts
                yield
