"""Stops: the round numbers at which a person would say a numeric column can be."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from facelift._arrays import Floats
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.terrain.feature import Feature

N_STOPS = 7
"""About how many stops a column gets."""

FEW_VALUES = 10
"""A column with no more distinct values than this stops at each of them."""

MAX_LEVELS = 1000
"""Most levels that a step may give a column."""

SMALL, LARGE = 1e-200, 1e200
"""Numbers beyond these are rounded in a unit of their own, or powers of ten would leave floats."""


def round_stops(values: Floats) -> tuple[float, ...]:
    """Round numbers spread over the data as its quantiles are.

    Few distinct values are their own stops; whole numbers that mostly come in sixes (months) stop
    at multiples of six; others at quantiles rounded to 1, 2 or 5 times a power of ten, and at
    what a third of all have, as it is. Where one value is so common that hardly any other stop is
    left, the distinct values have their say too. Whole numbers stop at whole numbers.

    >>> round_stops(np.array([6, 12, 12, 18, 24, 24, 30, 36, 36, 42, 48, 54, 60.0]))
    (6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0, 48.0, 54.0, 60.0)
    >>> round_stops(np.arange(0, 20000, 37.5))
    (0.0, 5000.0, 10000.0, 15000.0)
    """
    distinct = np.unique(values)
    if len(distinct) <= FEW_VALUES:
        return tuple(distinct.tolist())
    spread = _sixes if _in_sixes(values) else _rounded_quantiles
    stops = spread(values)
    if len(stops) < 3:
        stops = np.union1d(stops, spread(distinct))
    return tuple(stops.tolist())


def multiples(feature: Feature, step: float) -> list[float]:
    """Multiples of a step within the range that a column was seen in.

    >>> multiples(Feature("duration", "numeric", low=5.0, high=40.0), 12)
    [12.0, 24.0, 36.0]
    >>> multiples(Feature("rate", "numeric", low=0.0, high=0.3), 0.1)
    [0.0, 0.1, 0.2, 0.3]
    """
    if not (isinstance(step, Real) and 0 < step < math.inf):
        raise InvalidInput(f"The step of {feature.name!r} must be positive, got {step}.")
    lowest, highest = feature.low / step, feature.high / step
    countable = math.isfinite(lowest) and math.isfinite(highest)
    first, last = 0, math.inf
    if countable:
        first = math.ceil(lowest - TOLERANCE * abs(lowest))
        last = math.floor(highest + TOLERANCE * abs(highest))
    if not 0 < last - first + 1 <= MAX_LEVELS:
        raise InvalidInput(
            f"A step of {step:g} gives {feature.name!r} {max(last - first + 1, 0):g} levels "
            f"between {feature.low:g} and {feature.high:g}; 1 to {MAX_LEVELS} are of use."
        )
    found = (i * step for i in range(first, int(last) + 1))
    return [float(f"{each:.15g}") for each in found]  # without the noise of multiplying


def _in_sixes(values: Floats) -> bool:
    """Whether values look like months: whole, and mostly multiples of six; zeros tell nothing."""
    some = values[values != 0]
    return bool(_whole(values) and values.max() <= 600 and (some % 6 == 0).mean() >= 0.6)


def _whole(values: Floats) -> bool:
    return np.array_equal(values, np.rint(values))


def _sixes(values: Floats) -> Floats:
    low, high = np.quantile(values, [0.02, 0.98])
    return np.arange(np.ceil(low / 6) * 6, high + 1e-9, 6.0)


def _rounded_quantiles(values: Floats) -> Floats:
    largest = np.abs(values).max()
    if not SMALL < largest < LARGE:
        unit = 10.0 ** np.floor(np.log10(largest))
        stops = _rounded_quantiles(values / unit) * unit
    else:
        quantiles = np.quantile(values, np.linspace(0.02, 0.98, N_STOPS))
        gaps = np.gradient(quantiles)
        steps = _round_steps(gaps)
        steps = np.maximum(steps, 1.0) if _whole(values) else steps
        digits = 14 - int(np.ceil(np.log10(largest)))  # the noise of multiplying
        rounded = np.round(np.rint(quantiles / steps) * steps, digits)
        stops = np.unique(np.where(gaps > 0, rounded, quantiles) + 0.0)  # no -0.0
    return np.asarray(stops[(stops >= values.min()) & (stops <= values.max())])


def _round_steps(gaps: Floats) -> Floats:
    """The smallest round step not below each gap: 1, 2, 5 and so on, from 100 on 100, 250, 500.

    Any will do where there is no gap.
    """
    positive = np.where(gaps > 0, gaps, 1.0)
    powers = 10.0 ** np.floor(np.log10(positive))
    middle = np.where(powers >= 100, 2.5, 2.0)
    shares = np.round(positive / powers, 9)  # the noise of quantiles
    factors = np.select([shares <= 1, shares <= middle, shares <= 5], [1.0, middle, 5.0], 10.0)
    return np.asarray(powers * factors)
