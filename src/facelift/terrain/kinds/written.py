"""Numbers written as text with a unit: how one column writes them, read off its cells.

A style is kept as an example, the number 1000 (or -1000) in it: "$1,000.00 ", "1000 %",
"1.000,… €" where decimals stand only as needed, "1,000 year(s)" where one has no s. That of a clock
is an hour, "1:00:00".
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidData
from facelift.language import number, quantity
from facelift.terrain.kinds.dates import DAY, microseconds
from facelift.terrain.kinds.numeric import Numeric, number_scale
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature


AS_NEEDED = "…"
PLURAL = "(s)"
ANY_NUMBER = Held(whole=False, low=-np.inf, high=np.inf)

_PARTS = re.compile(r"(\D*)(\d(?:.*\d)?)(\D*)", re.DOTALL)
_MINUS = re.compile(r"[-−()]")
_MARKS = [(",", "."), (".", ","), *product(("'", "’", " ", "\u00a0", "\u202f"), ".,")]
_NO_MARKS = [("", "."), ("", ",")]


class Style(NamedTuple):
    """What stands around a number, around a negative one, and between its digits."""

    before: str
    after: str
    negative_before: str
    negative_after: str
    thousands: str
    decimal: str
    decimals: int | None

    def text(self, number: float) -> str:
        """A number as the column writes it.

        >>> style_of("$1,000.00 ").text(60000.0), style_of("(1.000,… €)").text(-12.5)
        ('$60,000.00 ', '(12,5 €)')
        """
        size = abs(number)
        if self.decimals is None:
            digits = f"{Decimal(repr(float(size))):,f}".removesuffix(".0")
        else:
            digits = f"{size:,.{self.decimals}f}"
        digits = digits.translate({44: self.thousands, 46: self.decimal})
        if number < 0:
            return f"{self.negative_before}{digits}{self._suffix(self.negative_after, size)}"
        return f"{self.before}{digits}{self._suffix(self.after, size)}"

    def number(self, cell: str) -> float:
        """The number that a text stands for; NaN where the column does not write it so."""
        return _number_of(self, cell)

    @staticmethod
    def _suffix(text: str, size: float) -> str:
        return text.replace(PLURAL, "" if size == 1 else "s") if PLURAL in text else text


@lru_cache(maxsize=2**17)
def _number_of(style: Style, cell: str) -> float:
    """The same, remembered: a table is read more than once, by models, too."""
    parts = _PARTS.fullmatch(cell)
    if parts is None:
        return np.nan
    digits = parts[2].translate({ord(style.thousands): ""} if style.thousands else {})
    try:
        size = float(digits.replace(style.decimal, "."))
    except ValueError:
        return np.nan
    number = -size if _MINUS.search(parts[1] + parts[3]) else size
    return number if style.text(number) == cell else np.nan


class Clock(NamedTuple):
    """Hours, minutes and seconds between colons; a number is one of seconds.

    >>> clock = style_of("1:00:00")
    >>> clock.number("3:05:07"), clock.text(11107.0)
    (11107.0, '3:05:07')
    """

    n_digits: int
    """How many digits hours have at least."""

    def text(self, number: float) -> str:
        """Seconds as the column writes them."""
        minutes, seconds = divmod(round(abs(number)), 60)
        hours, minutes = divmod(minutes, 60)
        sign = "-" if round(number) < 0 else ""
        return f"{sign}{hours:0{self.n_digits}}:{minutes:02}:{seconds:02}"

    def number(self, cell: str) -> float:
        """The seconds that a text stands for; NaN where the column does not write it so."""
        parts = _CLOCK.fullmatch(cell)
        if parts is None:
            return np.nan
        hours, minutes, seconds = (int(part) for part in parts.groups()[1:])
        number = float((-1 if parts[1] else 1) * (3600 * hours + 60 * minutes + seconds))
        return number if self.text(number) == cell else np.nan


_CLOCK = re.compile(r"(-?)(\d{1,9}):([0-5]\d):([0-5]\d)", re.ASCII)
CLOCKS = ("1:00:00", "01:00:00")
"""How an hour may be written."""

STEPS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
"""Seconds between which people round durations."""


@lru_cache(maxsize=256)
def style_of(example: str) -> Style | Clock:
    """The style of an example, the number 1000 as a column writes it, or an hour on a clock."""
    if example in CLOCKS:
        return Clock(len(example) - 6)
    found = re.fullmatch(r"(.*?)1([^0]?)000(?:(\D)(0+|…))?(.*)", example, re.DOTALL)
    if found is None:
        raise ValueError(f"{example!r} is no way to write 1000.")
    before, thousands, decimal, rest, after = found.groups()
    decimals = None if rest == AS_NEEDED else len(rest or "")
    plain = _MINUS.sub("", before), after if PLURAL in after else _MINUS.sub("", after)
    negative = (before, after) if plain != (before, after) else (f"-{before}", after)
    return Style(
        *plain, *negative, thousands, decimal or ("." if thousands != "." else ","), decimals
    )


class Written(Numeric):
    """Numbers written with a unit; a column is of this kind if one style writes all of it."""

    units: ClassVar[re.Pattern[str]]
    """What must stand beside a number."""
    in_front: ClassVar[bool] = False
    """Whether it may stand before the number, too."""
    plain_first: ClassVar[bool] = False
    """Whether a mark before three last digits parts decimals, not thousands."""

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Text that one style writes, each cell of it."""
        if not isinstance(column.iloc[0], str) or not self._unit(column.iloc[0]):
            return None
        cells = column.unique().tolist()
        if not all(isinstance(cell, str) and self._unit(cell) for cell in cells):
            return None
        for example in _examples(cells, plain_first=self.plain_first):
            style = style_of(example)
            numbers = []
            for cell in cells:  # most styles fail early
                numbers.append(style.number(cell))
                if numbers[-1] != numbers[-1]:
                    break
            else:
                known = dict(zip(cells, numbers, strict=True))
                values = column.map(known).to_numpy(dtype=np.float64)
                return number_scale(name, values) | {"written": example}
        return None

    def values(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """The numbers that texts stand for; a number stands for itself."""
        cells = column.unique().tolist()
        known = {cell: self._number(feature, cell) for cell in cells}
        return column.map(known).to_numpy(dtype=np.float64)

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The same of one text."""
        if not isinstance(cell, str):
            return None
        return super().encode_cell(feature, style_of(feature.written).number(cell), ANY_NUMBER)

    def column(self, feature: Feature, values: Floats, dtype: Any) -> Any:
        """Texts as they were written."""
        style = style_of(feature.written)
        cells = [None if value != value else style.text(value) for value in values.tolist()]
        return pd.Series(cells, dtype=object).astype(dtype)

    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """Text is what it is."""
        return column

    def words(self, value: Any) -> str | None:
        """The text, without blanks around it."""
        return value.strip() if isinstance(value, str) else super().words(value)

    def values_text(self, feature: Feature) -> str:
        """The lowest and highest as they are written, and which numbers they were read as."""
        text = style_of(feature.written).text
        numbers = f"{number(feature.low)} to {number(feature.high)}"
        said = f"{text(feature.low).strip()} to {text(feature.high).strip()}, read as {numbers}"
        return said + super().values_text(feature).removeprefix(_seen(feature))

    def _unit(self, cell: str) -> bool:
        parts = _PARTS.fullmatch(cell)
        if parts is None:
            return False
        before, after = (_MINUS.sub("", part).strip() for part in (parts[1], parts[3]))
        return (self.in_front or not before) and self.units.fullmatch(before + after) is not None

    def _number(self, feature: Feature, cell: object) -> float:
        if isinstance(cell, str):
            number = style_of(feature.written).number(cell)
        else:
            plain = isinstance(cell, int | float | np.number) and not isinstance(cell, bool)
            number = float(cell) if plain else np.nan  # type: ignore[arg-type]
        if not np.isfinite(number):
            like = style_of(feature.written).text(feature.low)
            raise InvalidData(
                f"Column {feature.name!r} holds numbers written like {like!r}, but was given "
                f"{cell!r}."
            )
        return number


def _seen(feature: Feature) -> str:
    return f"{feature.low:g} to {feature.high:g} {feature.unit}".rstrip()


def _examples(cells: Sequence[str], *, plain_first: bool) -> Iterator[str]:
    """Styles that may have written some cells, as examples, the most usual ones first."""
    parts = [(found[1], found[2], found[3]) for found in map(_PARTS.fullmatch, cells) if found]
    around = {(before, after) for before, _, after in parts}
    negative = {each for each in around if _MINUS.search("".join(each))}
    afters = _afters({after for _, after in negative or around})
    befores = {before for before, _ in negative or around}
    if len(befores) != 1 or afters is None:
        return
    (before,) = befores
    digits = [digits for _, digits, _ in parts]
    used = {*"".join(digits), ",", "."}
    marks = [*_NO_MARKS, *_MARKS] if plain_first else [*_MARKS, *_NO_MARKS]
    marks = [each for each in marks if each in _NO_MARKS or each[0] in used]
    found = [(thousands, _decimals(digits, decimal)) for thousands, decimal in marks]
    if not plain_first:  # a mark before three last digits rather parts thousands
        found.sort(key=lambda each: each[1][1:] in ("000", AS_NEEDED))
    yield from (f"{before}1{thousands}000{rest}{afters}" for thousands, rest in found)


def _afters(afters: Iterable[str]) -> str | None:
    """What stands behind all numbers, up to the s that one has not; None if it differs more."""
    found = sorted(afters)
    if len(found) == 1:
        return found[0]
    one, more = found[0], found[-1]
    return f"{one}{PLURAL}" if len(found) == 2 and more == f"{one}s" else None


def _decimals(digits: Sequence[str], decimal: str) -> str:
    """How decimals may be written: always so many, or as needed."""
    counts = {len(each.rpartition(decimal)[2]) if decimal in each else 0 for each in digits}
    if len(counts) > 1:
        return decimal + AS_NEEDED
    (n,) = counts
    return decimal + "0" * n if n else ""


SIGN = r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|PLN|CAD|AUD|SEK|NOK|DKK|NT\$|DM|kr\.?|zł|[$€£¥₹₽₩])"
"""Signs and short names of currencies."""


class Money(Written):
    """Amounts with the sign of a currency before or behind them."""

    name = "money"
    units = re.compile(SIGN)
    in_front = True


class Percent(Written):
    """Numbers with a percent sign behind them."""

    name = "percent"
    units = re.compile("%")
    plain_first = True


OBJECTS = "timedelta"
"""How a column of Python's own durations is written."""


class Duration(Written):
    """Durations. Those of pandas and Python count in days, text in the unit it names."""

    name = "duration"
    units = re.compile(
        r"(?i:(?:years?|yrs?|months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?|minutes?|mins?"
        r"|seconds?|secs?|[hds])\.?)"
    )

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Differences of times, and text with a unit of time."""
        if pd.api.types.is_timedelta64_dtype(column.dtype):
            return number_scale(name, _days(name, column))
        first = column.iloc[0]
        if isinstance(first, timedelta) and all(isinstance(e, timedelta) for e in column):
            return number_scale(name, _days(name, column)) | {"written": OBJECTS}
        if isinstance(first, str) and _CLOCK.fullmatch(first):
            return _of_clock(name, column)
        return super().infer(name, column)

    def values(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Days, or how many of the unit."""
        if feature.written in ("", OBJECTS):
            if pd.api.types.is_any_real_numeric_dtype(column.dtype):
                return Numeric.values(self, feature, column)
            return _days(feature.name, column)
        return super().values(feature, column)

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The same of one text."""
        plain = feature.written in ("", OBJECTS)
        return None if plain else super().encode_cell(feature, cell, held)

    def column(self, feature: Feature, values: Floats, dtype: Any) -> Any:
        """Durations of the column's type."""
        if feature.written not in ("", OBJECTS):
            return super().column(feature, values, dtype)
        ticks = microseconds(np.nan_to_num(values)).view("m8[us]")
        if feature.written == OBJECTS:
            return pd.Series(ticks.tolist(), dtype=object)
        return pd.Series(ticks).astype(dtype)

    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """The durations that some text stands for."""
        return column if feature.written else pd.to_timedelta(column)

    def words(self, value: Any) -> str | None:
        """Days; hours where it is less than one."""
        if not isinstance(value, timedelta):
            return super().words(value)
        days = value / timedelta(days=1)
        if 0 < abs(days) < 1:
            return quantity(24 * days, "hours")
        return quantity(days, "days")

    def values_text(self, feature: Feature) -> str:
        """Days, or texts and what they were read as."""
        if feature.written in ("", OBJECTS):
            return Numeric.values_text(self, feature) + ", in days"
        return super().values_text(feature)


def _of_clock(name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
    """Text such as 3:05:07, each cell of it; stops are such as people round to."""
    cells = column.unique().tolist()
    if not all(isinstance(cell, str) for cell in cells):
        return None
    for example in CLOCKS:
        known = {cell: style_of(example).number(cell) for cell in cells}
        if any(number != number for number in known.values()):
            continue
        scale = number_scale(name, column.map(known).to_numpy(dtype=np.float64))
        stops, low, high = np.array(scale["stops"]), scale["low"], scale["high"]
        if not set(stops.tolist()) <= set(known.values()):
            step = max(each for each in STEPS if each <= max(1, (high - low) / 8))
            stops = np.unique((np.rint(stops / step) * step).clip(low, high))
        return scale | {"stops": tuple(stops.tolist()), "written": example}
    return None


def _days(name: Hashable, column: pd.Series[Any]) -> Floats:
    """Durations in days; an error where one is none, or finer than a microsecond."""
    odd = [each for each in column if not isinstance(each, timedelta | np.timedelta64)]
    if odd:
        raise InvalidData(
            f"Column {name!r} holds durations, but was given {odd[0]!r}; give a Timedelta."
        )
    spans = pd.to_timedelta(column)
    ticks = spans.to_numpy().astype("m8[us]")
    days = ticks.astype(np.int64) / DAY
    if not (ticks == spans.to_numpy()).all():
        raise InvalidData(
            f"Column {name!r} holds durations finer than microseconds; round them (dt.round('us'))."
        )
    if not (microseconds(days).view("m8[us]") == ticks).all():
        raise InvalidData(
            f"Column {name!r} holds durations finer than floats can tell; round them "
            "(dt.round('s'), say)."
        )
    return np.asarray(days, dtype=np.float64)
