"""Stops: the round numbers at which a person would say a numeric column can be."""

from __future__ import annotations

import numpy as np

from facelift.arrays import Floats

N_STOPS = 7
"""About how many stops a column gets."""

FEW_VALUES = 10
"""A column with no more distinct values than this stops at each of them."""


def round_stops(values: Floats) -> tuple[float, ...]:
    """Round numbers spread over the data as its quantiles are.

    Few distinct values are their own stops; whole numbers that mostly come in sixes (months) stop
    at multiples of six; others at quantiles rounded to 1, 2 or 5 times a power of ten.

    >>> round_stops(np.array([6, 12, 12, 18, 24, 24, 30, 36, 36, 42, 48, 54, 60.0]))
    (6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0, 48.0, 54.0, 60.0)
    >>> round_stops(np.arange(0, 20000, 37.5))
    (0.0, 5000.0, 10000.0, 15000.0)
    """
    distinct = np.unique(values)
    if len(distinct) <= FEW_VALUES:
        return tuple(distinct.tolist())
    if _in_sixes(values):
        low, high = np.quantile(values, [0.02, 0.98])
        return tuple(np.arange(np.ceil(low / 6) * 6, high + 1e-9, 6.0).tolist())
    quantiles = np.quantile(values, np.linspace(0.02, 0.98, N_STOPS))
    steps = _round_steps(np.gradient(quantiles))
    stops = np.unique(np.round(np.rint(quantiles / steps) * steps, 12))
    return tuple(stops[(stops >= distinct[0]) & (stops <= distinct[-1])].tolist())


def _in_sixes(values: Floats) -> bool:
    whole = np.array_equal(values, np.rint(values))
    return bool(whole and values.max() <= 600 and (values % 6 == 0).mean() >= 0.6)


def _round_steps(gaps: Floats) -> Floats:
    """The smallest round step not below each gap: 1, 2, 5 and so on, from 100 on 100, 250, 500."""
    positive = np.where(gaps > 0, gaps, gaps[gaps > 0].min(initial=1.0))
    powers = 10.0 ** np.floor(np.log10(positive))
    middle = np.where(powers >= 100, 2.5, 2.0)
    shares = positive / powers
    factors = np.select([shares <= 1, shares <= middle, shares <= 5], [1.0, middle, 5.0], 10.0)
    return np.asarray(powers * factors)
