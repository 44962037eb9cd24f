"""What each column of a table is: its kind, its levels, its range and the numbers it stops at."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidData
from facelift.terrain.feature import Feature, Level
from facelift.terrain.stops import round_stops
from facelift.terrain.tables import MAX_EXACT, check_unique, numbers

MAX_DECIMALS = 12


def infer_features(frame: pd.DataFrame) -> tuple[Feature, ...]:
    """The kind and scale of every column, from its type and values."""
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InvalidData(f"The table is empty: {frame.shape[0]} rows, {frame.shape[1]} columns.")
    check_unique(frame.columns)
    return tuple(_inferred(name, frame[name]) for name in frame.columns)


def _inferred(name: Hashable, column: pd.Series[Any]) -> Feature:
    """The feature of a column by the values it has, and whether some are missing."""
    gone = column.isna()
    if not gone.any():
        return _infer(name, column)
    if gone.all():
        raise InvalidData(f"Column {name!r} holds no value at all; drop it.")
    blank: Literal["nan", "none"] = "none" if column[gone].tolist()[0] is None else "nan"
    return replace(_infer(name, column[~gone]), missing=True, blank=blank)


def _infer(name: Hashable, column: pd.Series[Any]) -> Feature:
    if isinstance(column.dtype, pd.CategoricalDtype):
        kind: Literal["ordinal", "categorical"] = "ordinal" if column.cat.ordered else "categorical"
        return Feature(name, kind, levels=_plain_levels(name, column.cat.categories.tolist()))
    if pd.api.types.is_bool_dtype(column.dtype) or _all_truths(column):
        return Feature(name, "ordinal", levels=(False, True))
    if pd.api.types.is_numeric_dtype(column.dtype) and not np.iscomplexobj(column):
        return _infer_numeric(name, numbers(name, column))
    if pd.api.types.is_string_dtype(column.dtype) or column.dtype == object:
        return _infer_text(name, column)
    raise InvalidData(
        f"Column {name!r} has type {column.dtype}; facelift knows numbers, booleans, categories "
        "and text: convert it (dates to years, say) or drop it."
    )


def _all_truths(column: pd.Series[Any]) -> bool:
    """Whether objects are all True or False, as where some are missing beside them."""
    return column.dtype == object and all(isinstance(each, bool) for each in column.tolist())


def _plain_levels(name: Hashable, levels: list[Any]) -> tuple[Level, ...]:
    odd = [level for level in levels if not isinstance(level, str | bool | int | float)]
    if odd:
        raise InvalidData(
            f"Column {name!r} has a level of type {type(odd[0]).__name__}; levels are text, "
            "numbers or booleans: turn them into text (cat.rename_categories(str))."
        )
    return tuple(levels)


def _infer_numeric(name: Hashable, values: Floats) -> Feature:
    low, high = float(values.min()), float(values.max())
    if math.isinf(high - low):
        raise InvalidData(
            f"Column {name!r} reaches from {low:g} to {high:g}, farther than floats can tell; "
            "give it in a larger unit."
        )
    decimals = _decimals(values)
    seen = None if decimals is not None else np.unique(values)
    return Feature(
        name,
        "numeric",
        low=low,
        high=high,
        decimals=decimals,
        seen=seen,
        stops=round_stops(values),
    )


def _infer_text(name: Hashable, column: pd.Series[Any]) -> Feature:
    if pd.api.types.infer_dtype(column) != "string":
        odd = [value for value in column.tolist() if not isinstance(value, str)]
        raise InvalidData(
            f"Column {name!r} mixes text with other values such as {odd[0]!r}; "
            "make it all numbers (pd.to_numeric) or all text (astype(str))."
        )
    return Feature(name, "categorical", levels=tuple(sorted(column.unique().tolist())))


def _decimals(values: Floats) -> int | None:
    """Fewest decimals that write every value, or None if many are needed."""
    for decimals in range(MAX_DECIMALS + 1):
        if np.abs(values).max() * 10.0**decimals >= MAX_EXACT / 8:
            return None
        if np.array_equal(np.round(values, decimals), values):
            return decimals
    return None
