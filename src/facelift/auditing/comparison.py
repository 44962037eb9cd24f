"""Groups compared: each with all others, as they are and at equal chance, by several numbers.

A number of a group is a mean over its people, a median, or a mean *matched* by chance: people are
cut into strata by the chance the model gives them now, and every stratum weighs the same for both
sides, as many people as it has in all; strata in which one side has nobody are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from facelift._arrays import Floats, Ints, slices
from facelift.auditing.resampling import medians, sums

MEASURES = ("coverage", "cost", "destinations", "opportunity", "commitment", "resilience")
"""What is compared, in this order; of all but cost, less is harder."""

VARIANTS = {
    "coverage": ("coverage_matched",),
    "cost": ("cost_median", "cost_matched", "cost_spread", "cost_rank"),
    "destinations": ("destinations_median", "destinations_matched", "destinations_share"),
    "opportunity": ("opportunity_matched",),
    "commitment": ("commitment_matched",),
    "resilience": ("resilience_matched",),
}
"""Other numbers for the same question: whoever has it harder by one should by all."""

NUMBERS = tuple(name for measure in MEASURES for name in (measure, *VARIANTS[measure]))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Values of people (NaN where there is none), and the group and stratum of each.

    Everything is in the order of groups and strata within them.
    """

    values: Mapping[str, Floats]
    groups: Ints
    strata: Ints
    n_groups: int

    def numbers(self, counts: Floats) -> Floats:
        """All numbers of each group, of all others, and their difference; (d, numbers, k, 3)."""
        pairs = [self._number(name, counts) for name in NUMBERS]
        return np.stack([np.stack([*pair, pair[0] - pair[1]], axis=-1) for pair in pairs], axis=1)

    def _number(self, name: str, counts: Floats) -> tuple[Floats, Floats]:
        """A number of every group and of all others; (d, k) each."""
        measure, _, kind = name.rpartition("_")
        if kind == "median":
            sides = [self.groups == group for group in range(self.n_groups)]
            values = self.values[measure]
            own = [medians(counts, values, side) for side in sides]
            others = [medians(counts, values, ~side) for side in sides]
            return np.stack(own, axis=1), np.stack(others, axis=1)
        if kind == "matched":
            return self._matched(*self._cells(measure, counts))
        totals, sizes = (cells.sum(axis=2) for cells in self._cells(name, counts))
        rest = totals.sum(axis=1, keepdims=True) - totals
        return _ratio(totals, sizes), _ratio(rest, sizes.sum(axis=1, keepdims=True) - sizes)

    def _cells(self, name: str, counts: Floats) -> tuple[Floats, Floats]:
        """Sums and sizes by group and stratum; (d, k, s) each."""
        shape = (len(counts), *self._sizes.shape)
        totals, sizes = sums(counts, self.values[name], slices(self._sizes.ravel().tolist()))
        return totals.reshape(shape), sizes.reshape(shape)

    def _matched(self, totals: Floats, sizes: Floats) -> tuple[Floats, Floats]:
        rest_totals = totals.sum(axis=1, keepdims=True) - totals
        rest_sizes = sizes.sum(axis=1, keepdims=True) - sizes
        both = (sizes > 0) & (rest_sizes > 0)
        weights = np.where(both, self._sizes.sum(axis=0), 0.0)
        shares = _ratio(weights, weights.sum(axis=2, keepdims=True))
        means = [
            np.where(both, _ratio(total, size), 0.0)
            for total, size in ((totals, sizes), (rest_totals, rest_sizes))
        ]
        own, others = ((shares * mean).sum(axis=2) for mean in means)
        return own, others

    @cached_property
    def _sizes(self) -> Ints:
        """How many people there are of each group in each stratum; (k, s)."""
        n_strata = int(self.strata.max(initial=0)) + 1
        cells = self.groups * n_strata + self.strata
        counts = np.bincount(cells, minlength=self.n_groups * n_strata)
        return counts.reshape(self.n_groups, n_strata)

    @cached_property
    def n_matched(self) -> Ints:
        """How many people of each group share a stratum with somebody of another; (k,)."""
        others = self._sizes.sum(axis=0) - self._sizes
        return np.asarray(np.where(others > 0, self._sizes, 0).sum(axis=1))


def strata(chances: Floats, n_strata: int) -> Ints:
    """The stratum of everybody, by equally filled bands of their chance, from 0.

    >>> strata(np.array([0.1, 0.4, 0.2, 0.3]), 2).tolist()
    [0, 1, 0, 1]
    """
    if not len(chances):
        return np.empty(0, dtype=np.int64)
    edges = np.quantile(chances, np.linspace(0, 1, n_strata + 1)[1:-1])
    return np.searchsorted(np.unique(edges), chances, side="left").astype(np.int64)


def is_harder(measure: str, difference: float) -> bool:
    """Whether a group has it harder than the others, by the difference of its number."""
    return difference > 0 if measure == "cost" else difference < 0


def turned(measure: str, numbers: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Variants that turn round who has it harder, where one of the two is more than chance.

    `numbers` has the difference of each number, and the `low` and `high` end of its interval.

    >>> rises, falls = ({"difference": d, "low": d - 1, "high": d + 1} for d in (2, -0.5))
    >>> turned("coverage", {"coverage": rises, "coverage_matched": falls})
    ['coverage_matched']
    """
    own = numbers[measure]
    return [
        name
        for name in VARIANTS[measure]
        if own["difference"] * numbers[name]["difference"] < 0
        and (is_clear(own) or is_clear(numbers[name]))
    ]


def is_clear(number: Mapping[str, float]) -> bool:
    """Whether the interval of a difference is all on one side of zero."""
    return number["low"] > 0 or number["high"] < 0


def _ratio(totals: Floats, sizes: Floats) -> Floats:
    unknown = np.full(np.broadcast_shapes(totals.shape, sizes.shape), np.nan)
    return np.asarray(np.divide(totals, sizes, out=unknown, where=sizes > 0))
