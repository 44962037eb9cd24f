"""Tables to points and back.

Numbers become coordinates in [0, 1] by the range seen, ordered levels evenly spaced ranks in
[0, 1], other levels one coordinate each (one-hot). Decoding is exact: a decoded coordinate is
snapped to the decimals of its column, or to the value seen that encodes to it. (Values of one
column closer together than a few 1e-16 of its range are the same point, and come back as one.)

A missing value is a state of its own, never filled in: its column has one more coordinate, 1 where
the value is missing, and the coordinate of a number or rank that is not there is `NOWHERE`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidData, nearest_name
from facelift.terrain.feature import FARTHEST, Feature, Level
from facelift.terrain.inference import MAX_DECIMALS
from facelift.terrain.tables import (
    MAX_EXACT,
    Schema,
    check_complete,
    check_types,
    numbers,
    pandas_dtype,
)

NOWHERE = 0.5
"""Coordinate of a number or rank that is missing: a place to draw it, not a value."""


class Points(np.ndarray[Any, np.dtype[np.float64]]):
    """Encoded rows that still know the index of the table they came from.

    Only the array that `encode` returned knows it; slices and results of arithmetic do not.
    """

    index: pd.Index[Any] | None = None

    def __array_finalize__(self, other: object) -> None:
        self.index = None

    @classmethod
    def of(cls, values: Floats, index: pd.Index[Any]) -> Self:
        """Points with the index of their table."""
        points = values.view(cls)
        points.index = index
        points.flags.writeable = False  # sorting in place would part rows from their index
        return points


def encode_frame(frame: pd.DataFrame, features: Sequence[Feature], schema: Schema) -> Points:
    """Coordinates of every row of a frame with the columns of the schema; shape (n, m)."""
    check_complete(frame, [feature.name for feature in features if feature.missing])
    check_types(frame, schema)
    blocks = [_encode_column(frame[feature.name], feature) for feature in features]
    return Points.of(np.ascontiguousarray(np.hstack(blocks)), frame.index)


def encode_plain(
    cells: Sequence[object], features: Sequence[Feature], schema: Schema
) -> Floats | None:
    """The point of one row of plain values; None where it takes a closer look (`encode_frame`).

    Much quicker than a frame of one row, and the same to the last bit.
    """
    if len(cells) != len(features):
        return None
    point: list[float] = []
    kept = zip(schema.whole, schema.limits, strict=True)
    for cell, feature, (whole, limits) in zip(cells, features, kept, strict=True):
        if feature.kind == "numeric":
            if not _is_plain_number(cell, whole=whole):
                return None
            number = float(cell)  # type: ignore[arg-type]
            place = (number - feature.low) / feature.span
            if not (limits[0] <= number <= limits[1] and abs(place) <= FARTHEST):
                return None
            point += [place] + [0.0] * feature.missing
            continue
        code = _level_codes(feature.levels).get(cell) if isinstance(cell, str) else None
        if code is None:
            return None
        if feature.kind == "ordinal":
            point.append(code / max(len(feature.levels) - 1, 1))
            point += [0.0] * feature.missing
        else:
            point += [0.0] * code + [1.0] + [0.0] * (feature.width - code - 1)
    return np.array(point)


def decode_frame(
    points: npt.ArrayLike, features: Sequence[Feature], schema: Schema
) -> pd.DataFrame:
    """The rows that encode to these points, as a pandas frame with the types of the schema."""
    values = np.asarray(points, dtype=np.float64)
    index = points.index if isinstance(points, Points) else None
    width = sum(feature.width for feature in features)
    if values.ndim != 2 or values.shape[1] != width:
        raise InvalidData(f"Points must have shape (n, {width}), got {values.shape}.")
    ends = np.cumsum([feature.width for feature in features])[:-1]
    columns = {
        column.name: _decode_column(
            block, feature, pandas_dtype(column, schema.container, gaps=feature.missing)
        )
        for block, feature, column in zip(
            np.split(values, ends, axis=1), features, schema.columns, strict=True
        )
    }
    frame = pd.DataFrame(columns)
    frame.index = frame.index if index is None else index
    frame.columns = pd.Index(schema.names) if schema.labels is None else schema.labels
    return frame


def raw_numbers(coordinates: Floats, feature: Feature) -> Floats:
    """Raw values of a numeric feature's coordinates, snapped to the values a person would say.

    >>> raw_numbers(np.array([0.0, 0.25]), Feature("age", "numeric", low=20.0, high=40.0))
    array([20., 25.])
    """
    values = feature.low + coordinates * feature.span
    # Rounding to twelve digits of the span takes the noise of the scaling off typed-in numbers.
    digits = MAX_DECIMALS - math.ceil(math.log10(feature.span))
    values = _snapped(values, max(digits, feature.decimals or 0), 1e-13 * feature.span)
    if feature.decimals is not None:
        unit = 10.0**-feature.decimals
        return _snapped(values, feature.decimals, min(1e-9 * feature.span, unit / 4))
    if feature.seen is None:
        return values
    encoded = feature.scaled_seen
    order = np.argsort(coordinates)  # neighbours in the table are looked up one after the other
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.searchsorted(encoded, coordinates[order]).clip(0, len(encoded) - 1)
    return np.where(encoded[place] == coordinates, feature.seen[place], values)


def _snapped(values: Floats, decimals: int, within: float) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):  # too far from 1 to be rounded
        grid = np.round(values, decimals)
        return np.where(np.abs(grid - values) <= within, grid, values)


def _encode_column(column: pd.Series[Any], feature: Feature) -> Floats:
    if not feature.missing:
        return _encode_known(column, feature)
    there = ~column.isna().to_numpy()
    width = feature.width
    blank = np.eye(width)[-1] if feature.kind == "categorical" else np.array([NOWHERE, 1.0])
    encoded: Floats = np.tile(blank, (len(column), 1))
    encoded[there, :-1], encoded[there, -1] = _encode_known(column[there], feature), 0.0
    return encoded


def _encode_known(column: pd.Series[Any], feature: Feature) -> Floats:
    """Coordinates of values that are there, but for the one that says so."""
    if feature.kind == "numeric":
        values = numbers(feature.name, column)
        return feature.placed(values)[:, np.newaxis]
    codes = _codes(column, feature)
    if feature.kind == "ordinal":
        return feature.ranks[codes][:, np.newaxis]
    return np.eye(len(feature.levels))[codes]


def _codes(column: pd.Series[Any], feature: Feature) -> npt.NDArray[np.intp]:
    values = pd.Index(column, dtype=object)
    try:
        codes = pd.Index(list(feature.levels), dtype=object).get_indexer(values)
    except TypeError:  # one cannot be looked up, as a list
        codes = np.array([_code(value, feature.levels) for value in values])
    if (codes < 0).any():
        value = values[int(np.argmax(codes < 0))]
        raise InvalidData(
            f"{value!r} is not a known value of column {feature.name!r}; "
            f"{nearest_name(value, feature.levels)}"
        )
    return codes


def _code(value: object, levels: tuple[Level, ...]) -> int:
    try:
        return _level_codes(levels).get(value, -1)
    except TypeError:
        return -1


def _decode_column(block: Floats, feature: Feature, dtype: Any) -> Any:
    gone = feature.is_missing(block)
    if feature.kind == "numeric":
        values = np.where(gone, np.nan, raw_numbers(block[:, 0], feature))
        return _as_dtype(values, dtype)
    if feature.kind == "ordinal":
        top = max(len(feature.levels) - 1, 1)
        codes = np.clip(np.rint(block[:, 0] * top), 0, len(feature.levels) - 1).astype(np.intp)
    else:
        codes = block[:, : len(feature.levels)].argmax(axis=1)
    codes[gone] = len(feature.levels)
    levels = np.empty(len(feature.levels) + 1, dtype=object)
    levels[:-1] = feature.levels
    levels[-1] = None if feature.blank == "none" else np.nan
    if isinstance(dtype, pd.CategoricalDtype):
        places = np.append(_category_places(feature.levels, tuple(dtype.categories)), -1)
        return pd.Categorical.from_codes(places[codes], dtype=dtype, validate=False)
    return pd.Series(levels[codes], dtype=object).astype(dtype)  # an array would become `str`


def _is_plain_number(cell: object, *, whole: bool) -> bool:
    if isinstance(cell, int | np.integer) and not isinstance(cell, bool):
        return abs(int(cell)) < MAX_EXACT
    return (
        isinstance(cell, float | np.floating)
        and math.isfinite(cell)
        and (not whole or float(cell).is_integer())
    )


@lru_cache(maxsize=1024)
def _level_codes(levels: tuple[Level, ...]) -> dict[object, int]:
    return {level: code for code, level in enumerate(levels)}


@lru_cache(maxsize=1024)
def _category_places(levels: tuple[Level, ...], categories: tuple[Any, ...]) -> Any:
    """Which category of a pandas type each level is; looked up for every batch of states.

    By the categories in their order: pandas calls unordered types equal whatever that is.
    """
    return pd.Index(categories, dtype=object).get_indexer(pd.Index(levels, dtype=object))


def _as_dtype(values: Floats, dtype: Any) -> Any:
    if pd.api.types.is_integer_dtype(dtype):
        values = np.rint(values)
    plain = isinstance(dtype, np.dtype | type)
    return values.astype(dtype) if plain else pd.array(values).astype(dtype)
