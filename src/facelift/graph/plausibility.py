"""Plausibility: no farther from real records than those are from each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.geometry import TOLERANCE
from facelift.graph.nearest.exact import nearest_admissible
from facelift.graph.nearest.plain import squared_distances
from facelift.terrain.prices import Prices

Words = npt.NDArray[np.uint64]

N_NEIGHBORS = 5
"""Which neighbour's distance counts: one record near by may be chance, the fifth hardly."""

GRAIN = 1e9 * 0.6180339887498949
"""Values that differ by less than one in this are the same."""

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
        surely, maybe = self._patterns.within(points, inner**2, outer**2)
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
        distances = _distances(points, self.records, self.n_neighbors)
        if self.bound == 0:
            return np.where(distances == 0, 0.0, np.inf)
        return distances / self.bound


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
    ones = np.ones(records.shape[1])
    _, costs = nearest_admissible(points, records, Prices(ones, ones), n_neighbors, itself=itself)
    return np.asarray(costs.max(axis=1))  # equal ones stand in order of their records


@dataclass(frozen=True, eq=False)
class Patterns:
    """Records in order of their pattern: the columns that hold nothing but 0 and 1.

    A table of categories has far fewer patterns than records. What is too far from a pattern is too
    far from all its records; near ones differ in few other columns.
    """

    flags: Bools
    kinds: Floats
    """Every pattern once; shape (p, number of flags)."""
    others: Floats
    """The other columns of the records, in order of their pattern."""
    offsets: Ints
    """Where the records of each pattern start and end; shape (p + 1,)."""

    @classmethod
    def of(cls, records: Floats) -> Self:
        """Group some records.

        >>> patterns = Patterns.of(np.array([[0, 0.2], [1, 0.5], [0, 0.7]]))
        >>> patterns.kinds.ravel().tolist(), patterns.offsets.tolist()
        ([0.0, 1.0], [0, 2, 3])
        """
        flags = ((records == 0) | (records == 1)).all(axis=0)
        order, starts = _grouped(records[:, flags])
        return cls(
            flags=flags,
            kinds=records[order[starts]][:, flags],
            others=records[order][:, ~flags],
            offsets=np.append(starts, len(records)),
        )

    def within(self, points: Floats, inner: float, outer: float) -> tuple[Ints, Ints]:
        """How many records are surely within a squared distance, how many perhaps within another.

        Of shape (s,) each; rounding does not matter to either.
        """
        surely, maybe = np.zeros((2, len(points)), dtype=np.int64)
        order, starts = _grouped(points[:, self.flags])
        groups = np.split(order, starts[1:]) if len(points) else []
        firsts = points[order[starts]][:, self.flags]
        for rows in chunks(len(groups), len(self.kinds)):
            apart, slack = squared_distances(firsts[rows], self.kinds)
            for group, squares, off in zip(groups[rows], apart, slack, strict=True):
                near = np.flatnonzero(squares <= outer + off)
                others, ends = points[group][:, ~self.flags], (near, squares[near])
                surely[group], maybe[group] = self._within(others, *ends, inner, outer, off)
        return surely, maybe

    def _within(
        self, others: Floats, near: Ints, squares: Floats, inner: float, outer: float, off: Floats
    ) -> tuple[Ints, Ints]:
        """The same for points of one pattern; the patterns near by, how far, and how far off."""
        lengths = self.offsets[near + 1] - self.offsets[near]
        members = np.repeat(self.offsets[near] - np.cumsum(lengths) + lengths, lengths)
        members += np.arange(len(members))
        counts = np.zeros((2, len(others)), dtype=np.int64)
        for rows in chunks(len(others), len(members)):
            apart, slack = squared_distances(others[rows], self.others[members])
            apart += np.repeat(squares, lengths)
            counts[0, rows] = np.count_nonzero(apart < inner - slack - off, axis=1)
            counts[1, rows] = np.count_nonzero(apart <= outer + slack + off, axis=1)
        return counts[0], counts[1]


def _grouped(flags: Floats) -> tuple[Ints, Ints]:
    """An order in which equal rows stand together, and where each group starts in it."""
    if not flags.shape[1]:
        return np.arange(len(flags)), np.zeros(min(len(flags), 1), dtype=np.int64)
    rows = np.ascontiguousarray(flags).view(np.dtype((np.void, flags.itemsize * flags.shape[1])))
    _, kinds = np.unique(rows.ravel(), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    return order, starts
