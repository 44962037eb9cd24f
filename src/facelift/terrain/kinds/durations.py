"""Durations: differences of times (days are their numbers), and text such as "36 months"."""

from __future__ import annotations

import re
from collections.abc import Hashable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidData
from facelift.language import quantity
from facelift.terrain.kinds.numeric import Numeric, number_scale
from facelift.terrain.kinds.written import Written
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature

DAY = 86_400_000_000
"""Microseconds of a day."""

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
        ticks = np.rint(np.nan_to_num(values) * DAY).astype(np.int64).view("m8[us]")
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
    back = np.rint(days * DAY).astype(np.int64).view("m8[us]")
    if not (back == spans.to_numpy()).all():
        raise InvalidData(
            f"Column {name!r} holds durations finer than microseconds; round them (dt.round('us'))."
        )
    return np.asarray(days, dtype=np.float64)
