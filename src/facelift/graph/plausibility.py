"""Plausibility: no farther from real records than those are from each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.nearest.exact import nearest_admissible
from facelift.graph.patterns import Patterns
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
