"""Plausibility: no farther from real records than those are from each other.

Records are kept by their pattern, and those near a point found with NumPy, or compiled in large
tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.kernels import can_compile, kernel
from facelift.graph.nearest import nearest_admissible, squared_distances
from facelift.graph.nearest.blocks import Singles, blocks
from facelift.terrain.prices import APART, Codes, Prices

Words = npt.NDArray[np.uint64]

N_NEIGHBORS = 5
"""Which neighbour's distance counts: one record near by may be chance, the fifth hardly."""

GRAIN = 1e9 * 0.6180339887498949
"""Values that differ by less than one in this are the same."""

N_SAMPLED = 2_000
"""At most so many records tell how far records are from each other."""

SMALL_TABLE = 50_000
"""Numbers in a table that NumPy gets through sooner than a compiler is loaded."""

CELL, RUN = 64, 32
"""Most records of a cell, most cells of a run."""

FIRST_LOOK = 64
"""Records that NumPy looks at first; four times as many each time this was not enough."""

N_SPREAD = 10_000
"""Records that tell in which directions they are far apart."""

MOST_KNOWN = 500
"""Patterns for which it is remembered what is near."""

ROUNDING = 1e-7
"""Far more than distances between boxes are off."""


@dataclass(frozen=True, eq=False)
class Plausibility:
    """Real records, and the distance to the k-th nearest of them that is still ordinary."""

    records: Floats
    n_neighbors: int
    bound: float
    distance: Prices
    """What makes the cost of a move its distance."""

    def plausible(self, points: Floats) -> Bools:
        """Whether points have k records within the bound; the same as a rarity of at most 1; (s,).

        Counting is much cheaper than finding the k-th; distances are computed exactly only where
        rounding, or which of equally far records is the k-th, could change the answer.
        """
        inner, outer = (self.bound * (1 + 2 * sign * TOLERANCE) for sign in (-1, 1))
        surely, maybe = self._patterns.within(points, inner, outer, self.n_neighbors)
        unsure = np.flatnonzero(maybe & ~surely)
        if len(unsure):
            surely[unsure] = self.rarity(points[unsure]) <= 1
        return surely

    def loosened(self, factor: float) -> Plausibility:
        """The same with a bound so many times as wide, and a hair more."""
        other = replace(self, bound=self.bound * factor * (1 + 2 * TOLERANCE))
        other.__dict__["_patterns"] = self._patterns  # of the same records
        return other

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns.of(self.records, self.distance.codes)

    def rarity(self, points: Floats) -> Floats:
        """Distance of points to their k-th nearest record, as a share of the bound; (s,).

        Up to 1 a point is plausible.
        """
        if self.bound == 0:
            distances = self._all_distances(points)
            return np.where(distances == 0, 0.0, np.inf)
        if not self._patterns.compiled:
            return self._all_distances(points) / self.bound
        distinct, places = np.unique(points, axis=0, return_inverse=True)
        near = self._patterns.nearest(distinct, self.n_neighbors, self.bound)
        distances = np.array([self._distance(*each) for each in zip(distinct, near, strict=True)])
        return np.asarray(distances[places.ravel()] / self.bound)

    def nearest(self, point: Floats, chosen: Bools, n: int) -> Ints:
        """The n nearest of some records and the next, all that are as far included; ascending."""
        near = np.flatnonzero(chosen)
        if len(near) <= n:
            return near
        if self.bound > 0 and self._patterns.compiled:
            near = next(self._patterns.nearest(point[np.newaxis], n + 1, self.bound, chosen))
        squares = self.distance.cost(point, self.records[near]) ** 2
        return np.asarray(near[squares <= np.partition(squares, n)[n] + TOLERANCE])

    def _distance(self, point: Floats, near: Ints) -> float:
        """Distance to the k-th nearest record, of those that are near."""
        costs = self.distance.cost(point, self.records[near])
        best = np.argsort(tied_ranks(costs), kind="stable")[: self.n_neighbors]
        return float(costs[best].max())

    def _all_distances(self, points: Floats) -> Floats:
        """Distance of points to their k-th nearest record, of all."""
        return _distances(points, self.records, self.distance, self.n_neighbors)


def learn_plausibility(
    records: Floats, quantile: float, distance: Prices | None = None
) -> Plausibility:
    """The bound that a share `quantile` of the records themselves keep, and a hair more.

    Records are distinct points; where there are fewer than six, the farthest of the others counts.
    What is as far as the bound is plausible, whatever its last digits: where columns have few
    levels, many states are. Twice the tolerance, so that of records that count as equally far none
    lies beyond. `distance` makes the cost of a move its distance; Euclidean if None.

    >>> round(learn_plausibility(np.arange(20.0)[:, np.newaxis], 0.5).bound, 6)
    3.0
    """
    n_neighbors = max(1, min(N_NEIGHBORS, len(records) - 1))
    sample = _sample(records)
    distance = _euclidean(records.shape[1]) if distance is None else distance
    distances = _distances(records[sample], records, distance, n_neighbors, itself=sample)
    ordinary = distances[np.isfinite(distances)]
    bound = float(np.quantile(ordinary, quantile)) if len(ordinary) else 0.0
    return Plausibility(records, n_neighbors, bound * (1 + 2 * TOLERANCE), distance)


def _sample(records: Floats) -> Ints:
    """Some records, in ascending order, all if they are few.

    Drawn by what they hold: neither the order of rows nor that of columns changes who they are, nor
    do units, which change last digits only.

    >>> _sample(np.array([[3.0], [1.0], [2.0]]))
    array([0, 1, 2])
    """
    if len(records) <= N_SAMPLED:
        return np.arange(len(records))
    content = _settled(records)
    columns = _scrambled(_settled(records.mean(axis=0)))
    rows = _scrambled(content ^ columns).sum(axis=1)
    return np.sort(np.argsort(rows, kind="stable")[:N_SAMPLED])


def _settled(values: Floats) -> Words:
    """Numbers without their last digits; times the golden ratio, so that none lies on a half."""
    return (np.rint(values * GRAIN) + 0.0).view(np.uint64)


def _scrambled(numbers: Words) -> Words:
    """Numbers of 64 bits that look drawn at random, always the same (SplitMix64's last step)."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _distances(
    points: Floats, records: Floats, distance: Prices, n_neighbors: int, itself: Ints | None = None
) -> Floats:
    _, costs = nearest_admissible(points, records, distance, n_neighbors, itself=itself)
    return np.asarray(costs.max(axis=1))  # equal ones stand in order of their records


def _euclidean(width: int) -> Prices:
    return Prices(np.ones(width), np.ones(width))


class Near(NamedTuple):
    """Cells, or runs of them, whose pattern is near, and how far it is, squared."""

    cells: Ints
    squares: Floats

    def of(self, rows: Any) -> Near:
        """Some of them."""
        return Near(self.cells[rows], self.squares[rows])


class Boxes(NamedTuple):
    """Least and largest numbers in cells or runs, (c, columns) each; their patterns.

    Patterns ascend.
    """

    least: Floats
    largest: Floats
    patterns: Ints

    def gaps(self, near: Near, low: Floats, high: Floats) -> Floats:
        """Squared distances at least, from any point of one pattern in a box to others; (c,)."""
        apart = np.maximum(self.least[near.cells] - high, low - self.largest[near.cells])
        apart = np.maximum(apart, 0.0)
        return np.asarray(near.squares + np.einsum("ij,ij->i", apart, apart))


@dataclass(frozen=True, eq=False)
class Turn:
    """Columns turned to where records are farthest apart, the farthest first.

    Distances stay, but for rounding, and the first columns tell most of them.
    """

    centre: Floats
    axes: Floats

    @classmethod
    def of(cls, numbers: Floats) -> Self:
        """The turn of some columns."""
        centre = numbers.mean(axis=0)
        some = numbers[:: len(numbers) // N_SPREAD + 1] - centre
        return cls(centre, np.ascontiguousarray(np.linalg.eigh(some.T @ some)[1][:, ::-1]))

    def __call__(self, numbers: Floats) -> Floats:
        """The columns turned."""
        return np.asarray((numbers - self.centre) @ self.axes)

    @property
    def off(self) -> float:
        """How far distances of points may be off, as a share of how far these are from 0."""
        n = len(self.centre) + 2
        return float(16 * np.finfo(np.float64).eps * n * np.sqrt(n))


@dataclass(frozen=True, eq=False)
class Patterns:
    """Records by their pattern, the columns that hold 0 and 1 or codes, in cells of near ones.

    A table of categories has far fewer patterns than records. What is too far from a pattern, or
    from the box around a cell, is too far from all its records.
    """

    flags: Ints
    codes: Ints
    """Columns of codes, any two of which are as far apart."""
    numbers: Ints
    """All others that count."""
    turn: Turn
    kinds: Floats
    """Every pattern once, its flags and then its codes; shape (p, number of both)."""
    order: Ints
    """The records, cell by cell."""
    others: Floats
    """Their numbers, turned, in that order."""
    starts: Ints
    """Where the records of each cell start, and where the last ends; shape (c + 1,)."""
    patterns: Ints
    """The pattern of each cell, ascending; shape (c,)."""
    known: dict[tuple[bytes, float, bool], Near] = field(default_factory=dict)
    """What has a near pattern, for patterns that were asked about."""

    @classmethod
    def of(cls, records: Floats, codes: tuple[Codes, ...] = ()) -> Self:
        """Group some records.

        >>> patterns = Patterns.of(np.array([[0, 0.2], [1, 0.5], [0, 0.7]]))
        >>> patterns.kinds.ravel().tolist(), patterns.starts.tolist()
        ([0.0, 1.0], [0, 2, 3])
        """
        coded = np.array([block.coordinates.start for block in codes], dtype=np.int64)
        plain = np.ones(records.shape[1], dtype=bool)
        for block in codes:
            plain[block.coordinates] = False
        is_flag = ((records == 0) | (records == 1)).all(axis=0)
        flags, numbers = np.flatnonzero(plain & is_flag), np.flatnonzero(plain & ~is_flag)
        patterns = records[:, np.append(flags, coded)]
        order, starts = _grouped(patterns)
        pattern_of, kinds = np.empty(len(records), dtype=np.int64), patterns[order[starts]]
        pattern_of[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(records)))
        turn = Turn.of(records[:, numbers])
        others = turn(records[:, numbers])
        size = CELL if others.shape[1] else len(records)
        order, starts, owners = blocks(others.astype(np.float32), pattern_of, size)
        return cls(flags, coded, numbers, turn, kinds, order, others[order], starts, owners)

    @property
    def compiled(self) -> bool:
        """Whether searches are worth compiling."""
        width = len(self.flags) + len(self.codes) + len(self.numbers)
        return len(self.order) * width > SMALL_TABLE and can_compile()

    @cached_property
    def boxes(self) -> Boxes:
        """The boxes around cells."""
        return _around(self.others, self.others, self.starts[:-1], self.patterns)

    @cached_property
    def runs(self) -> Ints:
        """Where runs of cells start, each of one pattern, and where the last ends."""
        first = np.flatnonzero(np.diff(self.patterns, prepend=-1))
        place = np.arange(len(self.patterns))
        place -= np.repeat(first, np.diff(first, append=len(place)))
        return np.append(np.flatnonzero(place % RUN == 0), len(place))

    @cached_property
    def run_boxes(self) -> Boxes:
        """The boxes around runs of cells."""
        cells, starts = self.boxes, self.runs[:-1]
        return _around(cells.least, cells.largest, starts, cells.patterns[starts])

    @cached_property
    def _crowd(self) -> Any:
        """Records, cells and runs as compiled searches take them."""
        cells, runs = self.boxes[:2], self.run_boxes[:2]
        make = kernel("crowding").Crowd
        records, none = np.ascontiguousarray(self.others), np.zeros(0, dtype=bool)
        return make(records, self.starts, *cells, self.runs, *runs, none)

    def within(self, points: Floats, inner: float, outer: float, k: int) -> tuple[Bools, Bools]:
        """Whether k records are surely within a distance, and perhaps within another; (s,).

        Rounding does not matter to either.
        """
        off = self._off(points)
        inner, outer = max(inner - off, 0.0) ** 2, (outer + off) ** 2
        if self.compiled:
            squares = self._kth_squares(self._crowd, points, k, inner, outer)
            return squares < inner, squares <= outer
        counts = np.zeros((2, len(points)), dtype=np.int64)
        for group, pattern, others in self._grouped(points):
            near = self._near(pattern, outer, self.boxes)
            counts[:, group] = self._within(others, near, inner, outer, k)
        return counts[0] >= k, counts[1] >= k

    def nearest(
        self, points: Floats, k: int, radius: float, chosen: Bools | None = None
    ) -> Iterator[Ints]:
        """Records among which the k nearest of each point are, and all that are as far.

        `radius` is about how far they are; of the records only those `chosen` count, k at least.
        For compiled searches.
        """
        crowd = self._crowd
        if chosen is not None:
            crowd = crowd._replace(left_out=~chosen[self.order])
        squares, limit = np.full(len(points), np.inf), radius**2
        while np.isinf(squares).any():
            missing = np.flatnonzero(np.isinf(squares))
            squares[missing] = self._kth_squares(crowd, points[missing], k, 0.0, limit)
            limit *= 4
        limits = (np.sqrt(squares) * (1 + ROUNDING) + 2 * self._off(points)) ** 2
        others, within = self.turn(points[:, self.numbers]), kernel("crowding").within
        for point, other, limit in zip(points, others, limits.tolist(), strict=True):
            near = self._near(self._pattern(point), limit, self.run_boxes)
            yield np.sort(self.order[within(crowd, *near, other, limit)])

    def _off(self, points: Floats) -> float:
        """How far distances may be off, since columns were turned."""
        return self.turn.off * max(self._farthest, _farthest(self.turn(points[:, self.numbers])))

    @cached_property
    def _farthest(self) -> float:
        return _farthest(self.others)

    def _kth_squares(
        self, crowd: Any, points: Floats, k: int, enough: float, limit: float
    ) -> Floats:
        """Squared distances to the k-th nearest records of a crowd; inf beyond a limit; (s,).

        One that is less than `enough` need not be the least there is.
        """
        found = np.empty(len(points))
        for group, pattern, others in self._grouped(points):
            near = self._near(pattern, limit, self.run_boxes)
            gaps = self.run_boxes.gaps(near, others[:1], others[:1])
            near = near.of(np.argsort(gaps, kind="stable"))
            search = kernel("crowding").kth_squares
            found[group] = search(crowd, *near, others, k, enough, limit)
        return found

    def _grouped(self, points: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Points of one pattern after the other: which they are, their pattern, other columns."""
        patterns, others = self._pattern(points), self.turn(points[:, self.numbers])
        order, starts = _grouped(patterns)
        for group in np.split(order, starts[1:]) if len(points) else []:
            yield group, patterns[group[0]], others[group]

    def _pattern(self, points: Floats) -> Floats:
        """Flags and codes of points."""
        return np.asarray(points[..., np.append(self.flags, self.codes)])

    def _near(self, pattern: Floats, outer: float, boxes: Boxes) -> Near:
        """Cells or runs, those of the boxes, whose pattern is within a squared distance."""
        key = pattern.tobytes(), outer, boxes is self.boxes
        found = self.known.get(key)
        if found is None:
            apart = self._pattern_distances(pattern)
            cells = np.flatnonzero((apart <= outer)[boxes.patterns])
            found = Near(cells, apart[boxes.patterns[cells]])
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = found
        return found

    def _pattern_distances(self, pattern: Floats) -> Floats:
        """Squared distances to all patterns; (p,)."""
        n = len(self.flags)
        flags, codes = pattern[:n], pattern[n:]
        others = APART * np.count_nonzero(self.kinds[:, n:] != codes, axis=1)
        if not ((flags == 0) | (flags == 1)).all():
            return np.asarray(others + ((self.kinds[:, :n] - flags) ** 2).sum(axis=1))
        first, changes = self._beside_first
        return np.asarray(others + first + changes[flags != self.kinds[0, :n]].sum(axis=0))

    @cached_property
    def _beside_first(self) -> tuple[Singles, Singles]:
        """How far the flags of patterns are from the first, and what changing each of them adds.

        Whole numbers, so that sums are exact.
        """
        flags = self.kinds[:, : len(self.flags)]
        same = (flags == flags[0]).T
        return np.count_nonzero(~same, axis=0).astype(np.float32), np.where(
            same, np.float32(1), np.float32(-1)
        )

    def _within(self, others: Floats, near: Near, inner: float, outer: float, enough: int) -> Ints:
        """The counts of points of one pattern, among cells whose pattern is near."""
        counts = np.zeros((2, len(others)), dtype=np.int64)
        near = near.of(np.argsort(self.boxes.gaps(near, others[:1], others[:1]), kind="stable"))
        pending, n_records = np.arange(len(others)), FIRST_LOOK
        while len(pending) and len(near.cells):
            some = others[pending]
            gaps = self.boxes.gaps(near, some.min(axis=0), some.max(axis=0))
            near = near.of(gaps <= outer * (1 + ROUNDING))
            width = int(np.searchsorted(np.cumsum(self._sizes(near.cells)), n_records)) + 1
            for rows in chunks(len(some), n_records + CELL):
                apart, slack = self._distances(some[rows], near.of(slice(width)))
                part = pending[rows]
                counts[0, part] += np.count_nonzero(apart < inner - slack, axis=1)
                counts[1, part] += np.count_nonzero(apart <= outer + slack, axis=1)
            near, n_records = near.of(slice(width, None)), 4 * n_records
            pending = pending[counts[0, pending] < enough]
        return counts

    def _sizes(self, cells: Ints) -> Ints:
        return np.asarray(self.starts[cells + 1] - self.starts[cells])

    def _members(self, cells: Ints) -> Ints:
        """Where the records of cells stand, one cell after the other."""
        sizes = self._sizes(cells)
        ends = np.cumsum(sizes)
        return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            self.starts[cells] - ends + sizes, sizes
        )

    def _distances(self, others: Floats, near: Near) -> tuple[Floats, Floats]:
        """Squared distances of points to all records of cells, and how far off they may be."""
        apart, slack = squared_distances(others, self.others[self._members(near.cells)])
        apart += np.repeat(near.squares, self._sizes(near.cells))
        return apart, slack


def _grouped(flags: Floats) -> tuple[Ints, Ints]:
    """An order in which equal rows stand together, and where each group starts in it."""
    if not flags.shape[1]:
        return np.arange(len(flags)), np.zeros(min(len(flags), 1), dtype=np.int64)
    rows = np.ascontiguousarray(flags).view(np.dtype((np.void, flags.itemsize * flags.shape[1])))
    _, kinds = np.unique(rows.ravel(), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    return order, starts


def _around(least: Floats, largest: Floats, starts: Ints, patterns: Ints) -> Boxes:
    """The boxes around groups of rows, or of boxes, of the given patterns."""
    low, high = np.minimum.reduceat(least, starts), np.maximum.reduceat(largest, starts)
    return Boxes(np.ascontiguousarray(low), np.ascontiguousarray(high), patterns)


def _farthest(points: Floats) -> float:
    """How far the farthest of some points is from 0."""
    return float(np.sqrt(np.einsum("ij,ij->i", points, points).max(initial=0.0)))
