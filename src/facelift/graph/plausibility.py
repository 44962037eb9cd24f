"""Plausibility: no farther from real records than those are from each other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.nearest.blocks import Singles, blocks
from facelift.graph.nearest.exact import nearest_admissible
from facelift.graph.nearest.plain import squared_distances
from facelift.terrain.prices import Prices

Words = npt.NDArray[np.uint64]

N_NEIGHBORS = 5
"""Which neighbour's distance counts: one record near by may be chance, the fifth hardly."""

GRAIN = 1e9 * 0.6180339887498949
"""Values that differ by less than one in this are the same."""

SMALL_TABLE = 200_000
"""Cells of a table all of whose records are compared with a point sooner than some are chosen."""

CELL = 64
"""Most records of a cell."""

FIRST_LOOK = 64
"""Records that are looked at first; four times as many each time this was not enough."""

MOST_KNOWN = 500
"""Patterns for which it is remembered what is near."""

ROUNDING = 1e-7
"""Far more than distances between boxes are off."""

N_SAMPLED = 2_000
"""At most so many records tell how far records are from each other."""


@dataclass(frozen=True, eq=False)
class Plausibility:
    """Real records, and the distance to the k-th nearest of them that is still ordinary."""

    records: Floats
    n_neighbors: int
    bound: float

    def plausible(self, points: Floats) -> Bools:
        """Whether points have k records within the bound; the same as a rarity of at most 1; (s,).

        Counting is much cheaper than finding the k-th; distances are computed exactly only where
        rounding, or which of equally far records is the k-th, could change the answer.
        """
        inner, outer = (self.bound * (1 + 2 * sign * TOLERANCE) for sign in (-1, 1))
        surely, maybe = self._patterns.within(points, inner**2, outer**2, self.n_neighbors)
        answers = np.asarray(surely >= self.n_neighbors)
        unsure = np.flatnonzero((maybe >= self.n_neighbors) & ~answers)
        answers[unsure] = self.rarity(points[unsure]) <= 1
        return answers

    def loosened(self, factor: float) -> Plausibility:
        """The same with a bound so many times as wide, and a hair more."""
        other = replace(self, bound=self.bound * factor * (1 + 2 * TOLERANCE))
        other.__dict__["_patterns"] = self._patterns  # of the same records
        return other

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns.of(self.records)

    def rarity(self, points: Floats) -> Floats:
        """Distance of points to their k-th nearest record, as a share of the bound; (s,).

        Up to 1 a point is plausible.
        """
        if self.bound == 0:
            distances = _distances(points, self.records, self.n_neighbors)
            return np.where(distances == 0, 0.0, np.inf)
        if self.records.size <= SMALL_TABLE:
            return _distances(points, self.records, self.n_neighbors) / self.bound
        distinct, places = np.unique(points, axis=0, return_inverse=True)
        distances = np.array([self._distance(point) for point in distinct])
        return np.asarray(distances[places.ravel()] / self.bound)

    def _distance(self, point: Floats) -> float:
        """Distance to the k-th nearest record, of those that the patterns leave."""
        near, limit = self._patterns.nearest(point, self.n_neighbors, self.bound)
        costs = _euclidean(self.records.shape[1]).cost(point, self.records[near])
        ranks = tied_ranks(costs)
        best = np.argsort(ranks, kind="stable")[: self.n_neighbors]
        if costs.max(where=ranks <= ranks[best[-1]], initial=0.0) > limit:  # a long row of ties
            return float(_distances(point[np.newaxis], self.records, self.n_neighbors)[0])
        return float(costs[best].max())


def learn_plausibility(records: Floats, quantile: float) -> Plausibility:
    """The bound that a share `quantile` of the records themselves keep, and a hair more.

    Records are distinct points; where there are fewer than six, the farthest of the others counts.
    What is as far as the bound is plausible, whatever its last digits: where columns have few
    levels, many states are. Twice the tolerance, so that of records that count as equally far none
    lies beyond.

    >>> round(learn_plausibility(np.arange(20.0)[:, np.newaxis], 0.5).bound, 6)
    3.0
    """
    n_neighbors = max(1, min(N_NEIGHBORS, len(records) - 1))
    sample = _sample(records)
    distances = _distances(records[sample], records, n_neighbors, itself=sample)
    ordinary = distances[np.isfinite(distances)]
    bound = float(np.quantile(ordinary, quantile)) if len(ordinary) else 0.0
    return Plausibility(records, n_neighbors, bound * (1 + 2 * TOLERANCE))


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
    points: Floats, records: Floats, n_neighbors: int, itself: Ints | None = None
) -> Floats:
    prices = _euclidean(records.shape[1])
    _, costs = nearest_admissible(points, records, prices, n_neighbors, itself=itself)
    return np.asarray(costs.max(axis=1))  # equal ones stand in order of their records


def _euclidean(width: int) -> Prices:
    return Prices(np.ones(width), np.ones(width))


class Near(NamedTuple):
    """Cells whose pattern is near, how far it is squared, and how far off that may be."""

    cells: Ints
    squares: Floats
    off: float

    def of(self, rows: Any) -> Near:
        """Some of them."""
        return Near(self.cells[rows], self.squares[rows], self.off)


@dataclass(frozen=True, eq=False)
class Patterns:
    """Records by their pattern, the columns that hold nothing but 0 and 1, in cells of near ones.

    A table of categories has far fewer patterns than records. What is too far from a pattern, or
    from the box around a cell, is too far from all its records.
    """

    flags: Bools
    kinds: Floats
    """Every pattern once; shape (p, number of flags)."""
    order: Ints
    """The records, cell by cell."""
    others: Floats
    """Their other columns, in that order."""
    starts: Ints
    """Where the records of each cell start, and where the last ends; shape (c + 1,)."""
    patterns: Ints
    """The pattern of each cell, ascending; shape (c,)."""
    known: dict[tuple[bytes, float], Near] = field(default_factory=dict)
    """Cells whose pattern is near, for patterns that were asked about."""

    @classmethod
    def of(cls, records: Floats) -> Self:
        """Group some records.

        >>> patterns = Patterns.of(np.array([[0, 0.2], [1, 0.5], [0, 0.7]]))
        >>> patterns.kinds.ravel().tolist(), patterns.starts.tolist()
        ([0.0, 1.0], [0, 2, 3])
        """
        flags = ((records == 0) | (records == 1)).all(axis=0)
        order, starts = _grouped(records[:, flags])
        numbers = np.empty(len(records), dtype=np.int64)
        numbers[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(records)))
        others, kinds = records[:, ~flags], records[order[starts]][:, flags]
        size = CELL if others.shape[1] else len(records)
        order, starts, patterns = blocks(others.astype(np.float32), numbers, size)
        return cls(flags, kinds, order, others[order], starts, patterns)

    @cached_property
    def boxes(self) -> tuple[Floats, Floats]:
        """Least and largest values of the other columns in each cell; shape (c, columns) each."""
        least, largest = (
            each.reduceat(self.others, self.starts[:-1]) for each in (np.minimum, np.maximum)
        )
        return least, largest

    def within(self, points: Floats, inner: float, outer: float, enough: int) -> tuple[Ints, Ints]:
        """How many records are surely within a squared distance, how many perhaps within another.

        Of shape (s,) each; rounding does not matter to either. Where `enough` are surely within,
        no more are counted.
        """
        counts = np.zeros((2, len(points)), dtype=np.int64)
        order, starts = _grouped(points[:, self.flags])
        for group in np.split(order, starts[1:]) if len(points) else []:
            near = self._near(points[group[0], self.flags], outer)
            others = points[group][:, ~self.flags]
            counts[:, group] = self._within(others, near, inner, outer, enough)
        return counts[0], counts[1]

    def nearest(self, point: Floats, n_neighbors: int, radius: float) -> tuple[Ints, float]:
        """Records among which the nearest are, and the distance within which none is missing.

        `radius` is about how far they are.
        """
        own, other = point[self.flags], point[np.newaxis, ~self.flags]
        while True:
            near = self._near(own, radius**2)
            gaps = self._gaps(near, other, other)
            order = np.argsort(gaps, kind="stable")
            sizes = np.cumsum(self._sizes(near.cells[order]))
            if len(sizes) and sizes[-1] >= n_neighbors:
                first = order[: np.searchsorted(sizes, 16 * FIRST_LOOK) + 1]
                apart, slack = self._distances(other, near.of(first))
                farthest = np.sort(apart[0] + slack[0])[n_neighbors - 1]
                if farthest <= radius**2 or len(gaps) == len(self.patterns):
                    break
            radius *= 2
        limit = (1 + ROUNDING) * np.sqrt(farthest)
        near = near.of(gaps <= limit**2 * (1 + ROUNDING))
        apart, slack = self._distances(other, near)
        kept = self._members(near.cells)[apart[0] <= limit**2 * (1 + ROUNDING) + slack[0]]
        return np.sort(self.order[kept]), float(limit)

    def _near(self, pattern: Floats, outer: float) -> Near:
        """Cells whose pattern is within a squared distance."""
        key = pattern.tobytes(), outer
        found = self.known.get(key)
        if found is None:
            apart, off = self._pattern_distances(pattern)
            cells = np.flatnonzero((apart <= outer + off)[self.patterns])
            found = Near(cells, apart[self.patterns[cells]], off)
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = found
        return found

    def _pattern_distances(self, pattern: Floats) -> tuple[Floats, float]:
        """Squared distances to all patterns, and how far off they may be; (p,)."""
        if not ((pattern == 0) | (pattern == 1)).all():
            apart, slack = squared_distances(pattern[np.newaxis, :], self.kinds)
            return apart[0], float(slack[0, 0])
        first, changes = self._beside_first
        apart = first + changes[pattern != self.kinds[0]].sum(axis=0, dtype=np.float32)
        return apart.astype(np.float64), 0.0

    @cached_property
    def _beside_first(self) -> tuple[Singles, Singles]:
        """How far patterns are from the first, and what changing each of its columns adds.

        Whole numbers, so that sums are exact.
        """
        same = (self.kinds == self.kinds[0]).T
        return np.count_nonzero(~same, axis=0).astype(np.float32), np.where(
            same, np.float32(1), np.float32(-1)
        )

    def _within(self, others: Floats, near: Near, inner: float, outer: float, enough: int) -> Ints:
        """The counts of points of one pattern, among cells whose pattern is near."""
        counts = np.zeros((2, len(others)), dtype=np.int64)
        near = near.of(np.argsort(self._gaps(near, others[:1], others[:1]), kind="stable"))
        pending, n_records = np.arange(len(others)), FIRST_LOOK
        while len(pending) and len(near.cells):
            some = others[pending]
            gaps = self._gaps(near, some.min(axis=0), some.max(axis=0))
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

    def _gaps(self, near: Near, low: Floats, high: Floats) -> Floats:
        """Squared distances at least, from any point of one pattern in a box to cells; (c,)."""
        least, largest = (each[near.cells] for each in self.boxes)
        apart = np.maximum(np.maximum(least - high, low - largest), 0.0)
        return np.asarray(near.squares - near.off + np.einsum("ij,ij->i", apart, apart))

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
        return apart, slack + near.off


def _grouped(flags: Floats) -> tuple[Ints, Ints]:
    """An order in which equal rows stand together, and where each group starts in it."""
    if not flags.shape[1]:
        return np.arange(len(flags)), np.zeros(min(len(flags), 1), dtype=np.int64)
    rows = np.ascontiguousarray(flags).view(np.dtype((np.void, flags.itemsize * flags.shape[1])))
    _, kinds = np.unique(rows.ravel(), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    return order, starts
