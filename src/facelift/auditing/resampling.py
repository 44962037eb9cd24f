"""Numbers of groups, and how far they could be off: the same people drawn again and again.

Everybody is drawn within their own group, as many as there are of it, so that sizes stay. Means of
a group, of all others and of people alike in chance are sums over people; a draw only says how
often each counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.auditing.intervals import studentised_interval

CELLS = 8_000_000
"""People times draws worked on at once."""

Numbers = Callable[[Floats], Floats]
"""How often each person counts, one row per draw (d, p), to what comes out of it (d, …)."""


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
