"""Dates and times: days since 1970 as numbers, told and written as dates, settled by default."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from datetime import date, datetime
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift.errors import InvalidData
from facelift.terrain.kinds.numeric import Numeric, number_scale
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature

DAY = 86_400_000_000
"""Microseconds of a day."""

DATES, TIMES = "date", "datetime"
"""How columns of Python's own dates, and of its times, are written."""

_DAYS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%-d.%-m.%Y", "%d.%m.%y", "%m/%d/%Y",
    "%-m/%-d/%Y", "%d/%m/%Y", "%-d/%-m/%Y", "%m/%d/%y", "%-m/%-d/%y", "%d/%m/%y", "%-d/%-m/%y",
    "%d-%m-%Y", "%m-%d-%Y", "%d-%b-%Y", "%-d-%b-%Y", "%d-%b-%y", "%-d-%b-%y", "%d %b %Y",
    "%-d %b %Y", "%d %B %Y", "%-d %B %Y", "%b %d, %Y", "%b %-d, %Y", "%B %d, %Y", "%B %-d, %Y",
    "%Y-%m",
)  # fmt: skip
_HOURS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M:%SZ", " %H:%M:%S.%f", "T%H:%M:%S.%f")
_LIKE = re.compile(r"[\w., /-]{6,18}([ T]\d\d:\d\d.*)?")


class Date(Numeric):
    """Dates and times of pandas, of Python and as text; nobody changes one unless told so."""

    name = "date"
    settled = True

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Times of pandas or Python, and text that one format writes, each cell of it."""
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            return number_scale(name, _exact_days(name, column))
        first = column.iloc[0]
        if isinstance(first, date) and all(type(each) is type(first) for each in column):
            written = TIMES if isinstance(first, datetime) else DATES
            return number_scale(name, _exact_days(name, column)) | {"written": written}
        if not isinstance(first, str) or not _LIKE.fullmatch(first):
            return None
        return self._infer_text(name, column)

    def _infer_text(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        cells = column.unique().tolist()
        for written in (day + hour for day in _DAYS for hour in _HOURS):
            if _read(cells[:1], written) is None:
                continue
            days = _read(cells, written)
            if days is not None:
                known = dict(zip(cells, days.tolist(), strict=True))
                values = column.map(known).to_numpy(dtype=np.float64)
                return number_scale(name, values) | {"written": written}
        return None

    def values(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Days since 1970 of times, of text in the column's format, or of dates as 2024-02-29."""
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            return _exact_days(feature.name, column)
        if pd.api.types.is_any_real_numeric_dtype(column.dtype):
            return super().values(feature, column)
        cells = column.unique().tolist()
        days = _read(cells, feature.written) if "%" in feature.written else None
        if days is None:
            days = np.array([self.amount(feature, cell) for cell in cells])
        known = dict(zip(cells, days.tolist(), strict=True))
        return column.map(known).to_numpy(dtype=np.float64)

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """Only a closer look can tell."""
        return None

    def amount(self, feature: Feature, value: object) -> float:
        """The same of one value."""
        if isinstance(value, Real) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, str):
            for written in (feature.written, *(f"%Y-%m-%d{hour}" for hour in _HOURS)):
                if "%" in written and (days := _read([value], written)) is not None:
                    return float(days[0])
        elif isinstance(value, date | np.datetime64):
            return float(_exact_days(feature.name, pd.Series([value]))[0])
        like = self.told(feature, feature.low)
        raise InvalidData(
            f"Column {feature.name!r} holds dates such as {like}, but was given {value!r}."
        )

    def column(self, feature: Feature, values: Floats, dtype: Any) -> Any:
        """Times of the column's type, or texts in its format."""
        times = _times(np.nan_to_num(values))
        if isinstance(dtype, pd.DatetimeTZDtype):
            return pd.Series(times).dt.tz_localize("UTC").astype(dtype)
        if not feature.written:
            return pd.Series(times).astype(dtype)
        if "%" in feature.written:
            texts = pd.Series(_texts(times, feature.written), dtype=object)
            return texts.mask(np.isnan(values)).astype(dtype)
        cells = times.astype("M8[D]") if feature.written == DATES else times
        return pd.Series(cells.tolist(), dtype=object)

    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """The times that some text stands for."""
        return column if feature.written else pd.to_datetime(column)

    def told(self, feature: Feature, number: float) -> float | str:
        """A date as 2024-02-29, with the time of day if there is one; without bound, no date."""
        if not np.isfinite(number):
            return number
        (time,) = _times(np.array([number]))
        return _iso(pd.Timestamp(time))

    def words(self, value: Any) -> str | None:
        """The same of a time; text as it is."""
        if isinstance(value, str):
            return value.strip()
        return _iso(pd.Timestamp(value)) if isinstance(value, date | np.datetime64) else None

    def values_text(self, feature: Feature) -> str:
        """The first and the last, how they are written, and the bounds they may not leave."""
        said = f"{self.told(feature, feature.low)} to {self.told(feature, feature.high)}"
        if "%" in feature.written:
            said += f", written as {self.column(feature, np.array([feature.low]), object)[0]}"
        lower, upper = (self.told(feature, each) for each in (feature.lower, feature.upper))
        unbounded = (lower, upper) == (-np.inf, np.inf)
        return said if unbounded else f"{said}; between {lower} and {upper}"


def _iso(time: pd.Timestamp) -> str:
    return time.isoformat(sep=" ").removesuffix(" 00:00:00")


def microseconds(days: Floats) -> Ints:
    """How many there are in days, to the last one up to 65,536 days: whole days lose no digit.

    >>> microseconds(np.array([2_831_155_201_000_247 / DAY])).tolist()
    [2831155201000247]
    """
    whole = np.floor(days)
    return whole.astype(np.int64) * DAY + np.rint((days - whole) * DAY).astype(np.int64)


def _times(days: Floats) -> Any:
    return microseconds(days).view("M8[us]")


def _exact_days(name: Hashable, column: pd.Series[Any]) -> Floats:
    """Days since 1970 that give every time back."""
    times = pd.to_datetime(column)
    if times.dt.tz is not None:
        times = times.dt.tz_convert(None)
    days = times.to_numpy().astype("M8[us]").astype(np.int64) / DAY
    if not (_times(days) == times.to_numpy()).all():
        raise InvalidData(
            f"Column {name!r} holds times finer than floats can tell; round them "
            "(dt.round('s'), say)."
        )
    return np.asarray(days, dtype=np.float64)


def _read(cells: Sequence[str], written: str) -> Floats | None:
    """Days since 1970 of texts; None unless this format writes them all."""
    if not all(isinstance(cell, str) for cell in cells):
        return None
    form = written.replace("%-", "%")
    times = pd.to_datetime(pd.Series(cells, dtype=object), format=form, errors="coerce")
    if times.isna().any():
        return None
    exact = times.dt.tz_localize(None).to_numpy().astype("M8[us]")
    if _texts(exact, written) != list(cells):
        return None
    return np.asarray(exact.astype(np.int64) / DAY, dtype=np.float64)


def _texts(times: Any, written: str) -> list[str]:
    """Times as a format writes them; %-d and %-m have no zero before them."""
    return [_text(time, written) for time in times.tolist()]


def _text(time: datetime, written: str) -> str:
    form = written.replace("%-d", str(time.day)).replace("%-m", str(time.month))
    return time.strftime(form.replace("%Y", f"{time.year:04}"))
