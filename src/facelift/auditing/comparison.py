"""Groups compared: each with all others, as they are and at equal chance, by several numbers.

A number of a group is a mean over its people, a median, or a mean *matched* by chance: people are
cut into strata by the chance the model gives them now, and every stratum weighs the same for both
sides, as many people as it has in all; strata in which one side has nobody are left out.

Drawing the same people again and again (a percentile bootstrap) gives an interval without width
where everybody has a way, or nobody, and so calls differences clear that are not. Shares have
exact intervals instead; means are studentised, each draw measured by its own standard error.
Everybody is drawn within their own group, as many as there are of it, so that sizes stay. Means of
a group, of all others and of people alike in chance are sums over people; a draw only says how
often each counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints, slices
from facelift.models.doubts import share_interval

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

SHARES = {
    "coverage",
    "coverage_matched",
    "destinations_share",
    "opportunity",
    "opportunity_matched",
    "commitment",
    "commitment_matched",
}
"""Numbers that are shares, of people or of what each has."""

ROUNDING = 1e-12
"""A spread so small beside its squares is that of numbers which are all alike."""

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

    def errors(self, counts: Floats) -> Floats:
        """The standard errors of all numbers; NaN of medians, which have none of their own."""
        pairs = [self._error(name, counts) for name in NUMBERS]
        squared = [np.stack([*pair, pair[0] + pair[1]], axis=-1) for pair in pairs]
        return np.asarray(np.sqrt(np.stack(squared, axis=1)))

    def estimate(self, *, n_draws: int, confidence: float, rng: np.random.Generator) -> Estimate:
        """All numbers with their intervals: exact ones of shares, drawn ones of all else."""
        found = estimated(
            self.numbers, self.errors, self.groups, n_draws=n_draws, confidence=confidence, rng=rng
        )
        low, high = found.low.copy(), found.high.copy()
        for i, name in enumerate(NUMBERS):
            sides = self._exact(name, found.value[i], confidence)
            few = self._too_few(name, confidence)
            low[i][few] = high[i][few] = np.nan
            if sides is None:
                continue
            ends = np.stack([*sides, difference_interval(*_triples(found.value[i], sides))], axis=1)
            chosen = slice(None) if name.startswith("coverage") else ~(high[i] > low[i])
            low[i][chosen], high[i][chosen] = ends.transpose(0, 2, 1)[:, chosen]
        return Estimate(found.value, *_within_bounds(low, high))

    def _exact(self, name: str, value: Floats, confidence: float) -> list[Any] | None:
        """Low and high of a number that is a share, for each group and for all others."""
        measure, _, kind = name.rpartition("_")
        if name not in SHARES:
            return None
        once = np.ones((1, len(self.groups)))
        measure = measure if kind == "matched" else name
        totals, sizes = (cells[0] for cells in self._cells(measure, once))
        rest = totals.sum(axis=0) - totals, sizes.sum(axis=0) - sizes
        if name == "coverage_matched":
            return [
                weighted_interval(*_shares(*side, confidence), self._weights(sizes, rest[1]))
                for side in ((totals, sizes), rest)
            ]
        pairs = ((totals, sizes), rest)
        if name == "coverage":
            return [share_interval(k.sum(axis=1), n.sum(axis=1), confidence) for k, n in pairs]
        return [
            alike_interval(value[:, side], n.sum(axis=1), confidence)
            for side, (_, n) in enumerate(pairs)
        ]

    def _too_few(self, name: str, confidence: float) -> Bools:
        """Where a side has nobody to compare with, or too few to hold a median; (k, 3)."""
        measure, _, kind = name.rpartition("_")
        known = ~np.isnan(self.values[measure if kind in ("median", "matched") else name])
        own = np.bincount(self.groups[known], minlength=self.n_groups)
        sizes = np.stack([own, known.sum() - own], axis=1)
        few = sizes < 2 if kind != "median" else 1 - 0.5 ** (sizes - 1.0) < confidence
        return np.column_stack([few, few.any(axis=1)])

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

    def _error(self, name: str, counts: Floats) -> tuple[Floats, Floats]:
        """The squared standard error of a number of every group and of all others; (d, k) each."""
        measure, _, kind = name.rpartition("_")
        if kind == "median":
            unknown = np.full((len(counts), self.n_groups), np.nan)
            return unknown, unknown
        measure = measure if kind == "matched" else name
        totals, sizes = self._cells(measure, counts)
        squares, _ = self._cells(measure, counts, power=2)
        rest = [cells.sum(axis=1, keepdims=True) - cells for cells in (totals, sizes, squares)]
        if kind != "matched":
            sides = (
                [cells.sum(axis=2) for cells in side] for side in ((totals, sizes, squares), rest)
            )
            own, others = (_ratio(_variance(*side), side[1]) for side in sides)
            return own, others
        weights = self._weights(sizes, rest[1])
        own, others = (
            (weights**2 * _ratio(_within(*side)[..., np.newaxis], side[1])).sum(
                axis=2, where=weights > 0
            )
            for side in ((totals, sizes, squares), rest)
        )
        return own, others

    def _cells(self, name: str, counts: Floats, power: int = 1) -> tuple[Floats, Floats]:
        """Sums of a power of the values, and sizes, by group and stratum; (d, k, s) each."""
        shape, parts = (len(counts), *self._sizes.shape), slices(self._sizes.ravel().tolist())
        totals, sizes = sums(counts, self.values[name] ** power, parts)
        return totals.reshape(shape), sizes.reshape(shape)

    def _weights(self, sizes: Floats, rest_sizes: Floats) -> Floats:
        """How much each stratum counts where both sides have somebody; sums to 1."""
        both = (sizes > 0) & (rest_sizes > 0)
        weights = np.where(both, self._sizes.sum(axis=0), 0.0)
        return _ratio(weights, weights.sum(axis=-1, keepdims=True))

    def _matched(self, totals: Floats, sizes: Floats) -> tuple[Floats, Floats]:
        rest_totals = totals.sum(axis=1, keepdims=True) - totals
        rest_sizes = sizes.sum(axis=1, keepdims=True) - sizes
        both, shares = (sizes > 0) & (rest_sizes > 0), self._weights(sizes, rest_sizes)
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


def _within_bounds(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Intervals that stay where their numbers can be: none is below 0, no share above 1."""
    shares = np.array([name in SHARES for name in NUMBERS])[:, np.newaxis]
    low[..., :2] = np.maximum(low[..., :2], 0.0)
    high[..., :2] = np.where(shares[..., np.newaxis], np.minimum(high[..., :2], 1.0), high[..., :2])
    low[..., 2] = np.where(shares, np.maximum(low[..., 2], -1.0), low[..., 2])
    high[..., 2] = np.where(shares, np.minimum(high[..., 2], 1.0), high[..., 2])
    return low, high


def _triples(values: Floats, sides: list[Any]) -> list[tuple[Floats, Floats, Floats]]:
    """Value, low and high of each side."""
    return [(values[:, i], *side) for i, side in enumerate(sides)]


def _shares(totals: Floats, sizes: Floats, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Shares of cells with their exact intervals, 0 where nobody is."""
    found = _ratio(totals, sizes), *share_interval(totals, sizes, confidence)
    value, low, high = (np.nan_to_num(each) for each in found)
    return value, low, high


def _variance(totals: Floats, sizes: Floats, squares: Floats) -> Floats:
    """The variance of single values, from sums over them; 0, so no interval, below two."""
    spread = np.maximum(squares - _ratio(totals, sizes) * totals, 0.0)
    spread = np.where(spread > ROUNDING * squares, spread, 0.0)
    return _ratio(spread, np.maximum(sizes - 1, 1))


def _within(totals: Floats, sizes: Floats, squares: Floats) -> Floats:
    """The variance of values within their strata, all strata together; (d, k)."""
    spread = squares - np.nan_to_num(_ratio(totals, sizes)) * totals
    whole = np.maximum(spread, 0.0).sum(axis=2)
    free = sizes.sum(axis=2) - (sizes > 0).sum(axis=2)
    whole = np.where(whole > ROUNDING * squares.sum(axis=2), whole, 0.0)
    return _ratio(whole, np.maximum(free, 1))


def _ratio(totals: Floats, sizes: Floats) -> Floats:
    unknown = np.full(np.broadcast_shapes(totals.shape, sizes.shape), np.nan)
    return np.asarray(np.divide(totals, sizes, out=unknown, where=sizes > 0))


CELLS = 8_000_000
"""People times draws worked on at once."""

Numbers = Callable[[Floats], Floats]
"""How often each person counts, one row per draw (d, p), to what comes out of it (d, …)."""


def difference_interval(
    own: tuple[Floats, Floats, Floats], others: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """The interval of a difference, from value, low and high of both sides (Newcombe).

    Distances to the ends are squared and added, each side with the end that widens.

    >>> difference_interval((0.5, 0.2, 0.8), (0.4, 0.0, 0.8))
    (np.float64(-0.4), np.float64(0.6))
    """
    value = own[0] - others[0]
    down = np.hypot(own[0] - own[1], others[2] - others[0])
    up = np.hypot(own[2] - own[0], others[0] - others[1])
    return value - down, value + up


def weighted_interval(
    values: Floats, low: Floats, high: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """The interval of a weighted sum over the last axis, from those of its independent parts.

    >>> parts = np.array([0.5, 0.5]), np.array([0.2, 0.1]), np.array([0.8, 0.9])
    >>> [float(end.round(2)) for end in weighted_interval(*parts, np.array([0.5, 0.5]))]
    [0.25, 0.75]
    """
    value = (weights * values).sum(axis=-1)
    down = np.sqrt(((weights * (values - low)) ** 2).sum(axis=-1))
    up = np.sqrt(((weights * (high - values)) ** 2).sum(axis=-1))
    return value - down, value + up


def studentised_interval(
    value: Floats, error: Floats, draws: Floats, errors: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """The bootstrap-t interval: draws, each measured in standard errors of its own.

    `draws` and `errors` have the draws first. A draw of people who are all alike lies infinitely
    far off, in its own errors; where too many do, or no error is known, there is no interval (NaN).
    """
    away = draws - value
    scores = np.where(away == 0, 0.0, np.copysign(np.inf, away))
    np.divide(away, errors, out=scores, where=errors > 0)
    scores[np.isnan(draws)] = np.nan
    some = ~np.isnan(scores).all(axis=0) & (error > 0)
    tail, tails = (1 - confidence) / 2, np.full((2, *np.shape(value)), np.nan)
    if some.any():
        tails[0, some] = np.nanquantile(scores[:, some], 1 - tail, axis=0, method="higher")
        tails[1, some] = np.nanquantile(scores[:, some], tail, axis=0, method="lower")
    tails[:, ~np.isfinite(tails).all(axis=0)] = np.nan
    return value - tails[0] * error, value - tails[1] * error


def alike_interval(value: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The interval of a mean of numbers in [0, 1] that are all alike: some others may be missed.

    >>> [float(end.round(3)) for end in alike_interval(np.array(1.0), np.array(8.0), 0.95)]
    [0.688, 1.0]
    """
    _, missed = share_interval(np.zeros(np.shape(n)), n, confidence)
    return value - value * missed, value + (1 - value) * missed


@dataclass(frozen=True, eq=False)
class Estimate:
    """Numbers, and the interval of each."""

    value: Floats
    low: Floats
    high: Floats


def estimated(
    numbers: Numbers,
    errors: Numbers,
    groups: Ints,
    *,
    n_draws: int,
    confidence: float,
    rng: np.random.Generator,
) -> Estimate:
    """Numbers of everybody counted once, and their bootstrap intervals.

    Where standard errors are known, intervals are studentised; where they are not (NaN), they are
    those of the middle of the draws; where a number has no error at all, there is none (NaN).
    """
    once = np.ones((1, len(groups)))
    value, error = numbers(once)[0], errors(once)[0]
    size = max(1, CELLS // max(len(groups), 1))
    parts = [_draws(groups, min(size, n_draws - first), rng) for first in range(0, n_draws, size)]
    drawn = np.concatenate([numbers(counts) for counts in parts])
    drawn_errors = np.concatenate([errors(counts) for counts in parts])
    tail = (1 - confidence) / 2
    middle = _quantiles(drawn, [tail, 1 - tail])
    measured = studentised_interval(value, error, drawn, drawn_errors, confidence)
    low, high = (np.where(np.isnan(error), *ends) for ends in zip(middle, measured, strict=True))
    return Estimate(value, low, high)


def _draws(groups: Ints, n_draws: int, rng: np.random.Generator) -> Floats:
    """How often each person was drawn, group by group; (d, p)."""
    counts = np.zeros((n_draws, len(groups)))
    for group in range(int(groups.max(initial=-1)) + 1):
        members = np.flatnonzero(groups == group)
        n = len(members)
        if n:
            drawn = rng.integers(n, size=(n_draws, n)) + n * np.arange(n_draws)[:, np.newaxis]
            often = np.bincount(drawn.ravel(), minlength=n * n_draws)
            counts[:, members] = often.reshape(n_draws, n)
    return counts


def _quantiles(values: Floats, shares: list[float]) -> Floats:
    """Quantiles over the draws in which there is a number; NaN if there is none in any."""
    flat = values.reshape(len(values), -1)
    found = np.full((len(shares), flat.shape[1]), np.nan)
    some = ~np.isnan(flat).all(axis=0)
    if some.any():
        found[:, some] = np.nanquantile(flat[:, some], shares, axis=0)
    return found.reshape(len(shares), *values.shape[1:])


def sums(counts: Floats, values: Floats, parts: Sequence[slice]) -> tuple[Floats, Floats]:
    """Sum of the values in each part of the people, and how many there are; (d, parts) each.

    People whose value is NaN are left out.
    """
    known = ~np.isnan(values)
    present, filled = known.astype(np.float64), np.where(known, values, 0.0)
    totals = [counts[:, part] @ filled[part] for part in parts]
    sizes = [counts[:, part] @ present[part] for part in parts]
    return np.stack(totals, axis=1), np.stack(sizes, axis=1)


def medians(counts: Floats, values: Floats, among: Bools) -> Floats:
    """Median of some people's values, draw by draw; NaN where there are none; (d,)."""
    chosen = np.flatnonzero(among & ~np.isnan(values))
    if not len(chosen):
        return np.full(len(counts), np.nan)
    order = chosen[np.argsort(values[chosen], kind="stable")]
    reached = np.cumsum(counts[:, order], axis=1)
    total = reached[:, -1:]
    lower = (reached < np.maximum(np.floor((total + 1) / 2), 1)).sum(axis=1)
    upper = (reached < np.maximum(np.floor(total / 2) + 1, 1)).sum(axis=1)
    last, sorted_values = len(order) - 1, values[order]
    found = (sorted_values[np.minimum(lower, last)] + sorted_values[np.minimum(upper, last)]) / 2
    return np.where(total[:, 0] > 0, found, np.nan)
