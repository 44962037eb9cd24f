"""Numbers: one coordinate, scaled by the span of what was seen, and round numbers to stop at.

Also numbers of which some are codes that say why there is no number.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, InvalidInput
from facelift.geometry import TOLERANCE
from facelift.terrain.kinds.base import NOWHERE, Arms, Kind, two_arms
from facelift.terrain.prices import FARTHEST
from facelift.terrain.tables import MAX_EXACT, Held, numbers

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature

N_TRIED = 64
"""Numbers, evenly spaced, that mostly tell whether all have so many decimals."""

MAX_DECIMALS = 12
"""Most decimals that the numbers of a column are rounded to."""

SAME_STOP = 0.25
"""From between two stops, one nearer than this share of the smaller gap beside it is no change."""

USUAL, STRETCH = (0.01, 0.99), 3.0
"""Quantiles between which values are usual; a range so many times as wide is stretched."""

JUMP, PASSED = 0.6, 0.1
"""A gap wider than this share of the span, with so many people between, gets another stop."""

SOME = 0.01
"""Where most people have the same value, so many of all are many; or the former of the others."""

NEAR = 0.01
"""A stop nearer than this share of the span to another one is none."""

N_STOPS = 7
"""About how many stops a column gets."""

FEW_VALUES = 10
"""A column with no more distinct values than this stops at each of them."""

MAX_LEVELS = 1000
"""Most levels that a step may give a column."""

SMALL, LARGE = 1e-200, 1e200
"""Numbers beyond these are rounded in a unit of their own, or powers of ten would leave floats."""


class Numeric(Kind):
    """Numbers. A kind that writes them another way overrides `infer`, `numbers` and `column`."""

    name = "numeric"

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Columns of a numeric type."""
        if not pd.api.types.is_numeric_dtype(column.dtype) or np.iscomplexobj(column):
            return None
        return number_scale(name, self.numbers(name, column))

    def numbers(self, name: Hashable, column: pd.Series[Any]) -> Floats:
        """Values as finite floats that lose nothing; an error names one that is no number."""
        return numbers(name, column)

    def values(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """The same, where it takes the feature to know how they are written."""
        return self.numbers(feature.name, column)

    def column(self, feature: Feature, values: Floats, dtype: Any) -> Any:
        """Numbers as values of the column's type."""
        if isinstance(dtype, np.dtype | type):
            whole = np.dtype(dtype).kind in "iu"
            return (np.rint(values) if whole else values).astype(dtype)
        if pd.api.types.is_integer_dtype(dtype):
            values = np.rint(values)
        return pd.array(values).astype(dtype)

    def encode(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Scaled by the span."""
        return feature.placed(self.values(feature, column))[:, np.newaxis]

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The same of one number that its column can hold."""
        if not _is_plain_number(cell, whole=held.whole):
            return None
        number = float(cell)  # type: ignore[arg-type]
        place = (number - feature.low) / feature.span
        return [place] if held.low <= number <= held.high and abs(place) <= FARTHEST else None

    def decode(self, feature: Feature, coordinates: Floats, gone: Bools, dtype: Any) -> Any:
        """Numbers as they were written; gaps, too, where cells are no numbers."""
        values = feature.raw(coordinates[:, 0])
        values = np.where(gone, np.nan, values) if feature.missing else values
        column = self.column(feature, values, dtype)
        if isinstance(column, pd.Series):
            column = column.mask(gone, None if feature.blank == "none" else np.nan)
        return column

    def decode_cell(self, number: float, dtype: Any) -> Any:
        """A float as it is; kinds that write numbers another way have only `decode`."""
        return np.array([number]) if type(self) is Numeric and dtype == np.float64 else None

    def with_codes(self, feature: Feature, codes: Sequence[float]) -> Feature:
        """A `Coded` one; numbers that are written another way have no codes."""
        if type(self) is not Numeric or not all(isinstance(code, Real) for code in codes):
            return super().with_codes(feature, codes)
        coded = tuple(sorted({float(code) for code in codes}))
        return replace(feature, kind=Coded.name, coded=coded, missing=True)

    def without_rare_values(self, feature: Feature, coordinates: Floats, k: int) -> Feature:
        """Its range from the k-th lowest to the k-th highest number, without stops of fewer."""
        there = ~feature.is_missing(coordinates)
        column = np.sort(feature.raw(coordinates[there, 0]))
        if len(column) < 2 * k:
            raise InvalidInput(
                f"Column {feature.name!r} has {len(column)} values that are not missing; "
                f"prototypes of {k} records need {2 * k}."
            )
        low, high = float(column[k - 1]), float(column[-k])
        stops = np.array(feature.stops)
        rare = (stops[:, np.newaxis] == column).sum(axis=1)
        kept = stops[(stops >= low) & (stops <= high) & ((rare == 0) | (rare >= k))]
        return replace(feature, low=low, high=high, seen=None, stops=tuple(kept.tolist()))

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """Rounded, where numbers have few decimals."""
        raw = feature.low + coordinates * feature.span
        return feature.scaled(raw if decimals is None else np.round(raw, decimals))

    def grain(self, feature: Feature, *, whole: bool) -> float:
        """One, of whole numbers."""
        return 1 / feature.span if whole else 0.0

    def stops(self, feature: Feature) -> Floats:
        """The numbers a person can choose among; bounds that lie between two of them, too."""
        stops = {*feature.stops, *_bounds_between(feature)}
        return feature.scaled(np.array(sorted(stops)))[:, np.newaxis]

    def arms(self, feature: Feature, own: Floats) -> Arms:
        """Up and down the stops, without those that are as good as here."""
        return two_arms(_apart(self.stops(feature), own[0]), own)

    def values_text(self, feature: Feature) -> str:
        """The numbers seen, and the bounds they may not leave."""
        seen = f"{feature.low:g} to {feature.high:g} {feature.unit}".rstrip()
        if feature.spanned is not None:
            seen += f", a change of {feature.spanned:g} counts as 1"
        if (feature.lower, feature.upper) == (-math.inf, math.inf):
            return seen
        return f"{seen}; between {feature.lower:g} and {feature.upper:g}"

    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """The numbers that some text stands for."""
        return pd.to_numeric(column)

    def amounts(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """The numbers."""
        if pd.api.types.is_any_real_numeric_dtype(column.dtype):
            return column.to_numpy(np.float64, na_value=np.nan)
        there = column.notna().to_numpy()
        amounts = np.full(len(column), np.nan)
        amounts[there] = self.values(feature, column[there])
        return amounts

    def amount(self, feature: Feature, value: object) -> float:
        """One number."""
        if isinstance(value, Real):
            return float(value)
        return float(self.values(feature, pd.Series([value], dtype=object))[0])

    def rank(self, feature: Feature, value: object) -> float | None:
        """The number itself."""
        try:
            rank = self.amount(feature, value)
        except (InvalidData, TypeError, ValueError):
            return None
        return None if math.isnan(rank) else rank

    def fault(self, feature: Feature, value: object) -> str:
        """What is no number, not whole where all are, out of bounds, or below zero alone."""
        if not isinstance(value, int | float):
            return ""
        number = float(value)
        if not math.isfinite(number):
            return f"needs a number, got {number}."
        if feature.decimals == 0 and number != round(number):
            return f"is a whole number, got {number:g}."
        if not feature.lower <= number <= feature.upper:
            return f"lies between {feature.lower:g} and {feature.upper:g}, got {number:g}."
        return f"cannot be negative, got {number:g}." if feature.low >= 0 > number else ""

    def counts(
        self, feature: Feature, column: pd.Series[Any], weights: Floats, n_bars: int
    ) -> tuple[int, ...]:
        """One per part of the range, or per number with a name; none where all have the same."""
        if stops := feature.named_stops:
            found = self.amounts(feature, column) == np.array(stops)[:, np.newaxis]
            return tuple((found @ weights).astype(int).tolist())
        span = self.drawn(feature, column, weights)
        if span is None:
            return ()
        amounts = self.amounts(feature, column)
        known = np.isfinite(amounts)
        return histogram(amounts[known], span, n_bars, weights[known])

    def drawn(
        self, feature: Feature, column: pd.Series[Any], weights: Floats
    ) -> tuple[float, float] | None:
        """The range seen, but for outliers that stretch it; they count to the outermost parts."""
        amounts = self.amounts(feature, column)
        known = np.isfinite(amounts)
        if feature.named_stops or not known.any():
            return None
        low, high = drawn_range(np.repeat(amounts[known], weights[known].astype(np.int64)))
        return (low, high) if low < high else None

    def range(self, feature: Feature) -> tuple[float, float] | None:
        """The range seen; none where every number has a name."""
        return None if feature.named_stops else (feature.low, feature.high)


def number_scale(name: Hashable, values: Floats) -> dict[str, Any]:
    """Range, decimals and stops of some numbers, as fields of a feature."""
    low, high = float(values.min()), float(values.max())
    if math.isinf(high - low):
        raise InvalidData(
            f"Column {name!r} reaches from {low:g} to {high:g}, farther than floats can tell; "
            "give it in a larger unit."
        )
    values = np.sort(values)  # once; all that follows is sooner done with them in order
    decimals = _decimals(values)
    seen = None if decimals is not None else values[_firsts(values)]
    scale = {"low": low, "high": high, "spanned": _usual_span(values, high - low)}
    return {**scale, "decimals": decimals, "seen": seen, "stops": _stops(values)}


def drawn_range(values: Floats) -> tuple[float, float]:
    """Where to draw some numbers: all of them, but for outliers that stretch their range.

    >>> drawn_range(np.array([1.0, 2.0, 9.0])), drawn_range(np.append(np.arange(99.0), 1e6))
    ((1.0, 9.0), (0.0, 98.0))
    """
    values = np.sort(values)
    low, high = float(values[0]), float(values[-1])
    cut = math.ceil(USUAL[0] * (len(values) - 1))
    first, last = float(values[cut]), float(values[-1 - cut])
    usual = last - first
    if not 0 < STRETCH * usual < high - low:
        return low, high
    return first if first - low > usual else low, last if high - last > usual else high


def histogram(
    values: Floats, ends: tuple[float, float], n_bars: int, weights: Floats | None = None
) -> tuple[int, ...]:
    """How many numbers lie in parts of equal width; those beyond the ends in the outermost.

    >>> histogram(np.array([0.0, 1, 1, 2, 99]), (0, 2), 2)
    (1, 4)
    """
    counts, _ = np.histogram(np.clip(values, *ends), bins=n_bars, range=ends, weights=weights)
    return tuple(counts.astype(int).tolist())


def _usual_span(values: Floats, whole: float) -> float | None:
    """The range of all but the outermost, where outliers stretch the whole much farther.

    Values are in order. Of 2,000 firms, of which nearly all have fewer than 40 people, one has
    2,202: five people more are then no small change.
    """
    low, high = quantiles(values, USUAL)
    usual = float(high - low)
    return usual if 0 < STRETCH * usual < whole else None


def round_stops(values: Floats) -> tuple[float, ...]:
    """Round numbers spread over the data as its quantiles are.

    Few distinct values are their own stops; whole numbers that mostly come in sixes (months) stop
    at multiples of six; others at quantiles rounded to 1, 2 or 5 times a power of ten, and at
    what a third of all have, as it is. Where one value is so common that hardly any other stop is
    left, those who have another, and the distinct values, have their say too. Whole numbers stop at
    whole numbers.

    >>> round_stops(np.array([6, 12, 12, 18, 24, 24, 30, 36, 36, 42, 48, 54, 60.0]))
    (6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0, 48.0, 54.0, 60.0)
    >>> round_stops(np.arange(0, 20000, 37.5))
    (0.0, 5000.0, 10000.0, 15000.0)
    >>> round_stops(np.append(np.zeros(2000), np.arange(0, 2000, 7.5)))
    (0.0, 500.0, 1000.0, 1500.0)
    """
    return _stops(np.sort(values))


def _stops(values: Floats) -> tuple[float, ...]:
    """The same of values in order."""
    firsts = _firsts(values)
    distinct = values[firsts]
    if len(distinct) <= FEW_VALUES:
        return tuple(distinct.tolist())
    spread = _sixes if _in_sixes(values) else _rounded_quantiles
    whole = values[-1] - values[0]
    stops, span = spread(values), _usual_span(values, whole) or whole
    many = PASSED * len(values)
    if len(stops) < 3:
        commonest = distinct[np.diff(firsts, append=len(values)).argmax()]
        others = values[values != commonest]
        stops = np.unique(np.concatenate([stops, spread(others), spread(distinct)]))
        many = max(PASSED * len(others), SOME * len(values))
    return tuple(_filled(stops, values, float(span), many).tolist())


def _firsts(values: Floats) -> Ints:
    """Where each distinct value first stands among values in order."""
    return np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)


def quantiles(values: Floats, shares: npt.ArrayLike) -> Floats:
    """What `np.quantile` gives, to the bit, of values in order, which it would sort again.

    >>> quantiles(np.array([1.0, 2.0, 4.0]), [0.25, 1.0])
    array([1.5, 4. ])
    """
    places = np.asarray(shares) * (len(values) - 1)
    below = np.floor(places).astype(np.int64)
    first, second = values[below], values[np.minimum(below + 1, len(values) - 1)]
    share, apart = places - below, second - first
    found = np.where(share < 0.5, first + apart * share, second - apart * (1 - share))
    return np.asarray(found)


def _filled(stops: Floats, values: Floats, span: float, many: float) -> Floats:
    """Stops with more of them where a wide gap would pass many people by; values in order."""
    for start, end in pairwise(stops):
        first, last = np.searchsorted(values, [start, end], side="right")
        inside = values[first:last][values[first:last] < end]
        if end - start > JUMP * span and len(inside) >= many:
            middle = float(np.median(inside))
            if min(middle - start, end - middle) < NEAR * span:
                continue
            step = float(_round_steps(np.array([min(middle - start, end - middle) / 2]))[0])
            rounded = float(f"{round(middle / step) * step:.14g}")
            more = rounded if start < rounded < end else middle
            return _filled(np.union1d(stops, [more]), values, span, many)
    return stops


def multiples(feature: Feature, step: float) -> list[float]:
    """Multiples of a step within the range that a column was seen in.

    >>> from facelift.terrain import Feature
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
    low, high = quantiles(values, [0.02, 0.98])
    return np.arange(np.ceil(low / 6) * 6, high + 1e-9, 6.0)


def _rounded_quantiles(values: Floats) -> Floats:
    largest = max(abs(values[0]), abs(values[-1]))
    if not SMALL < largest < LARGE:
        unit = 10.0 ** np.floor(np.log10(largest))
        stops = _rounded_quantiles(values / unit) * unit
    else:
        spread = quantiles(values, np.linspace(0.02, 0.98, N_STOPS))
        gaps = np.gradient(spread)
        steps = _round_steps(gaps)
        steps = np.maximum(steps, 1.0) if _whole(values) else steps
        digits = 14 - int(np.ceil(np.log10(largest)))  # the noise of multiplying
        rounded = np.round(np.rint(spread / steps) * steps, digits)
        stops = np.unique(np.where(gaps > 0, rounded, spread) + 0.0)  # no -0.0
    return np.asarray(stops[(stops >= values[0]) & (stops <= values[-1])])


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


def _bounds_between(feature: Feature) -> list[float]:
    """Bounds between the stops of a feature, as its column writes numbers and within them.

    >>> from facelift.terrain import Feature
    >>> stops = {"stops": (0.0, 10.0, 20.0), "decimals": 0, "lower": 2.5, "upper": 30.0}
    >>> _bounds_between(Feature("age", "numeric", low=0.0, high=20.0, **stops))
    [3.0]
    """
    if len(feature.stops) < 2:
        return []
    scale = 10.0 ** (feature.decimals or 0)
    bounds = [b for b in (feature.lower, feature.upper) if math.isfinite(b)]
    if feature.decimals is not None:
        inward = {feature.lower: math.ceil, feature.upper: math.floor}
        bounds = [inward[bound](round(bound * scale, 9)) / scale for bound in bounds]
    return [bound for bound in bounds if min(feature.stops) < bound < max(feature.stops)]


def _apart(stops: Floats, own: float) -> Floats:
    """Stops without those that are hardly a change from here."""
    places = stops[:, 0]
    if len(places) < 2 or own in places:
        return stops
    gaps = np.diff(places)
    beyond = np.where(places > own, np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))
    around = gaps[np.clip(np.searchsorted(places, own) - 1, 0, len(gaps) - 1)]
    least = SAME_STOP * (1 - TOLERANCE) * np.minimum(beyond, around)
    return np.asarray(stops[np.abs(places - own) >= least])


def _decimals(values: Floats) -> int | None:
    """Fewest decimals that write every value, or None if many are needed; values in order."""
    largest, some = max(abs(values[0]), abs(values[-1])), values[:: len(values) // N_TRIED + 1]
    for decimals in range(MAX_DECIMALS + 1):
        if largest * 10.0**decimals >= MAX_EXACT / 8:
            return None
        if all(np.array_equal(np.round(each, decimals), each) for each in (some, values)):
            return decimals
    return None


def _is_plain_number(cell: object, *, whole: bool) -> bool:
    if isinstance(cell, int | np.integer) and not isinstance(cell, bool):
        return abs(int(cell)) < MAX_EXACT
    return (
        isinstance(cell, float | np.floating)
        and math.isfinite(cell)
        and (not whole or float(cell).is_integer())
    )


class Coded(Numeric):
    """Numbers among which some are codes, such as -9 for "not asked": each code is a state.

    A column is of this kind only where somebody names the codes. Beside the number's coordinate
    there is one per code, 1 where the value is that code, and the flag of a missing value: a code
    says why there is no number. Nobody moves from one code to another.
    """

    name = "coded"

    def infer(self, name: object, column: pd.Series[Any]) -> None:
        """Nothing tells a code from a number but a person."""

    def width(self, feature: Feature) -> int:
        """The number's, and one per code."""
        return 1 + self.n_reasons(feature)

    def can_have(self, levels: Sequence[object], *, missing: bool) -> bool:
        """None; what a code stands for is missing."""
        return missing and super().can_have(levels, missing=missing)

    def n_reasons(self, feature: Feature) -> int:
        """As many as codes."""
        return len(feature.coded)

    def encode(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Numbers in the first coordinate, codes in their own."""
        numbers = self.values(feature, column)
        codes = numbers[:, np.newaxis] == np.array(feature.coded, dtype=np.float64)
        coded = codes.any(axis=1)
        places = np.full(len(numbers), NOWHERE)
        places[~coded] = feature.placed(numbers[~coded])
        return np.column_stack([places, codes.astype(np.float64)])

    def gone(self, feature: Feature, encoded: Floats) -> Floats:
        """1 where there is a code instead of a number."""
        return np.asarray(encoded[:, 1:].max(axis=1))

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The same of one number that is no code."""
        place = None if cell in feature.coded else super().encode_cell(feature, cell, held)
        return place and place + [0.0] * len(feature.coded)

    def decode(self, feature: Feature, coordinates: Floats, gone: Bools, dtype: Any) -> Any:
        """Numbers, and codes as they were; NaN where neither is."""
        codes = np.array([*feature.coded, np.nan], dtype=np.float64)
        known = np.column_stack([coordinates[:, 1:], np.full(len(coordinates), 0.5)])
        numbers = feature.raw(coordinates[:, 0])
        return self.column(feature, np.where(gone, codes[known.argmax(axis=1)], numbers), dtype)

    def missing_point(self, feature: Feature) -> Floats:
        """No number, and no code that says why."""
        return np.array([NOWHERE, *[0.0] * len(feature.coded), 1.0])

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The number rounded, the nearest code or none."""
        numbers = super().rounded(feature, coordinates[:, :1], decimals)
        return np.column_stack([numbers, coordinates[:, 1:] > 0.5])

    def stops(self, feature: Feature) -> Floats:
        """Numbers only: nobody can choose a code."""
        numbers = super().stops(feature)
        return np.hstack([numbers, np.zeros((len(numbers), len(feature.coded)))])

    def values_text(self, feature: Feature) -> str:
        """The numbers, and the codes beside them."""
        codes = ", ".join(f"{code:g}" for code in feature.coded)
        return f"{super().values_text(feature)}; or a code: {codes}"

    def amounts(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """The numbers; a code is none."""
        amounts = super().amounts(feature, column)
        return np.where(np.isin(amounts, feature.coded), np.nan, amounts)

    def amount(self, feature: Feature, value: object) -> float:
        """The same of one value."""
        return np.nan if value in feature.coded else super().amount(feature, value)
