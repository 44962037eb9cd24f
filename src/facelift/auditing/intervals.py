"""Intervals that hold: of shares, of means, and of their differences, also where all are alike.

Drawing the same people again and again (a percentile bootstrap) gives an interval without width
where everybody has a way, or nobody, and so calls differences clear that are not. Shares have
exact intervals instead; means are studentised, each draw measured by its own standard error.

Everybody is drawn within their own group, as many as there are of it, so that sizes stay. Means of
a group, of all others and of people alike in chance are sums over people; a draw only says how
often each counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.models.doubts import share_interval

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
