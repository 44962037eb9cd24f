"""Intervals that hold: of shares, of means, and of their differences, also where all are alike.

Drawing the same people again and again (a percentile bootstrap) gives an interval without width
where everybody has a way, or nobody, and so calls differences clear that are not. Shares have
exact intervals instead; means are studentised, each draw measured by its own standard error.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc

from facelift._arrays import Floats

_HALVINGS = 60


def share_interval(successes: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The mid-P interval of a share (Clopper and Pearson's, with half of what was seen itself).

    Wilson's covers a share of 2 % among 8 people in 85 % of samples where 95 % are promised; this
    one in 99 %, and nowhere that we looked in fewer than 92.9 %. NaN where there is nobody.

    >>> low, high = share_interval(np.array([0.0, 4.0]), np.array([8.0, 8.0]), 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.184], [0.312, 0.816])
    """
    successes, n = np.broadcast_arrays(*map(np.asarray, (successes, n)))
    low = _smallest_share(successes, n, (1 - confidence) / 2)
    high = 1 - _smallest_share(n - successes, n, (1 - confidence) / 2)
    nobody = n <= 0
    return np.where(nobody, np.nan, low), np.where(nobody, np.nan, high)


def _smallest_share(successes: Floats, n: Floats, tail: float) -> Floats:
    """The share at which so many successes, or more, have the probability `tail` (mid-P)."""
    low, high = np.zeros(n.shape), np.ones(n.shape)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_low = _mid_p(successes, n, middle) < tail
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return np.asarray(np.where(successes <= 0, 0.0, low))


def _mid_p(k: Floats, n: Floats, share: Floats) -> Floats:
    """Probability of more than k successes, and half that of k."""
    some = np.maximum(k, 1)
    at_least = betainc(some, np.maximum(n - k + 1, 1), share)
    more = np.where(k >= n, 0.0, betainc(some + 1, np.maximum(n - k, 1), share))
    return np.asarray((at_least + more) / 2)


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
