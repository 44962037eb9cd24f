"""Tables to features, to points and back, column by column as each kind does it.

Decoding is exact for a table that was seen, and for a case that is kept (`Terrain.case`). (Values
of one column closer together than a few 1e-16 of its range are the same point, and come back as
one.) A missing value is a state of its own, never filled in: its column has one more coordinate, 1
where the value is missing.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Floats, Ints, slices
from facelift.errors import InvalidData
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import KINDS, kind_of
from facelift.terrain.tables import Schema, check_complete, check_types, check_unique, pandas_dtype


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


def infer_features(
    frame: pd.DataFrame, codes: Mapping[Hashable, Sequence[float]]
) -> tuple[Feature, ...]:
    """The kind and scale of every column, from its type and values; some have special codes."""
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InvalidData(f"The table is empty: {frame.shape[0]} rows, {frame.shape[1]} columns.")
    check_unique(frame.columns)
    return tuple(
        _with_codes(name, frame[name], codes[name])
        if name in codes
        else _inferred(name, frame[name])
        for name in frame.columns
    )


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
    for cell, feature, held in zip(cells, features, schema.held, strict=True):
        if feature.missing and type(cell) is float and cell != cell:
            point += kind_of(feature).missing_point(feature).tolist()
            continue
        place = kind_of(feature).encode_cell(feature, cell, held)
        if place is None:
            return None
        point += place
        if feature.missing:
            point.append(0.0)
    return np.array(point)


def frame_numbers(frame: pd.DataFrame, features: Sequence[Feature]) -> Floats:
    """The numbers of every row that can be encoded, NaN for levels and what is missing; (n, m)."""
    numbers = [kind_of(feature).amounts(feature, frame[feature.name]) for feature in features]
    return np.column_stack(numbers)


def plain_numbers(cells: Sequence[Any], features: Sequence[Feature]) -> list[float]:
    """The same of one row of plain values that `encode_plain` could encode; one per feature."""
    columns = zip(cells, features, strict=True)
    return [kind_of(feature).amount(feature, cell) for cell, feature in columns]


def decode_frame(
    points: npt.ArrayLike, features: Sequence[Feature], schema: Schema
) -> pd.DataFrame:
    """The rows that encode to these points, as a pandas frame with the types of the schema."""
    columns = _decoded(points := np.asanyarray(points), features, schema)
    frame = _frame_of_one(columns, schema) if len(points) == 1 else _as_frame(columns, schema)
    if isinstance(points, Points) and points.index is not None:
        frame.index = points.index
    return frame


def decode_one(
    point: Floats, numbers: Sequence[float], features: Sequence[Feature], schema: Schema
) -> pd.DataFrame:
    """The frame of one row whose numbers are known, one per feature, NaN for levels."""
    return _frame_of_one(_decoded(point[np.newaxis, :], features, schema, numbers), schema)


def _as_frame(columns: dict[Hashable, Any], schema: Schema) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    frame.columns = schema.header
    return frame


def _frame_of_one(columns: dict[Hashable, Any], schema: Schema) -> pd.DataFrame:
    """The same of one row, in a tenth of the time unless pandas must look at the cells.

    Made as pyarrow makes frames, which pandas offers from version 3 on.
    """
    internals = getattr(pd.api, "internals", None)
    if internals is None:
        return _as_frame(columns, schema)
    plain: dict[Any, list[tuple[int, Any]]] = {}
    blocks: list[tuple[Any, Ints]] = []
    for i, given in enumerate(columns.values()):
        wrapped = isinstance(given, pd.arrays.NumpyExtensionArray)
        column = given.to_numpy() if wrapped else given
        if isinstance(column, pd.api.extensions.ExtensionArray):
            blocks.append((column, np.array([i])))
        elif isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
            plain.setdefault(column.dtype, []).append((i, column))
        else:
            return _as_frame(columns, schema)
    for some in plain.values():
        places, arrays = zip(*some, strict=True)
        blocks.append((np.array(arrays), np.array(places)))
    make = internals.create_dataframe_from_blocks
    frame: pd.DataFrame = make(blocks, index=pd.RangeIndex(1), columns=schema.header)
    return frame


def decode_cells(
    points: npt.ArrayLike, features: Sequence[Feature], schema: Schema
) -> npt.NDArray[np.object_]:
    """The cells of that frame as objects, without the frame, which takes longer to make; (n, f)."""
    columns = _decoded(points, features, schema)
    return np.array([_objects(column) for column in columns.values()], dtype=object).T


def _objects(column: Any) -> Any:
    """What the cells of a column are in a frame."""
    plain = isinstance(column, np.ndarray) and column.dtype.kind in "biuf"
    if plain or isinstance(column, pd.api.extensions.ExtensionArray):
        return column.astype(object)
    return pd.Series(column).to_numpy(dtype=object)


def _decoded(
    points: npt.ArrayLike,
    features: Sequence[Feature],
    schema: Schema,
    numbers: Iterable[float] = repeat(math.nan),
) -> dict[Hashable, Any]:
    """The columns of the rows that encode to these points, by name.

    `numbers` are those of one row, as far as they are known.
    """
    values = np.asarray(points, dtype=np.float64)
    width = sum(feature.width for feature in features)
    if values.ndim != 2 or values.shape[1] != width:
        raise InvalidData(f"Points must have shape (n, {width}), got {values.shape}.")
    parts = slices([feature.width for feature in features])
    return {
        column.name: _decode_column(
            values[:, part],
            feature,
            pandas_dtype(column, schema.container, gaps=feature.missing),
            number,
        )
        for part, feature, column, number in zip(parts, features, schema.columns, numbers)  # noqa: B905
    }


def _inferred(name: Hashable, column: pd.Series[Any]) -> Feature:
    """The feature of a column by the values it has, and whether some are missing."""
    gone = column.isna()
    if gone.all():
        raise InvalidData(f"Column {name!r} holds no value at all; drop it.")
    feature = _infer(name, column[~gone] if gone.any() else column)
    if gone.any():
        blank: Literal["nan", "none"] = "none" if column[gone].tolist()[0] is None else "nan"
        feature = replace(feature, missing=True, blank=blank)
    settled = kind_of(feature).settled
    return feature.priced(increase=math.inf, decrease=math.inf) if settled else feature


def _with_codes(name: Hashable, column: pd.Series[Any], codes: Sequence[float]) -> Feature:
    """The feature of a column of numbers of which some are codes."""
    feature = _inferred(name, column.mask(column.isin(codes)))
    return kind_of(feature).with_codes(feature, codes)


def _infer(name: Hashable, column: pd.Series[Any]) -> Feature:
    """The feature of a column without missing values: of the first kind that takes it."""
    for kind in KINDS.values():
        fields = kind.infer(name, column)
        if fields is not None:
            return Feature(name, kind.name, **fields)
    raise InvalidData(
        f"Column {name!r} has type {column.dtype}; facelift knows numbers, booleans, dates, "
        "durations, categories and text: convert it or drop it."
    )


def _encode_column(column: pd.Series[Any], feature: Feature) -> Floats:
    kind = kind_of(feature)
    if not feature.missing:
        return kind.encode(feature, column)
    there = ~column.isna().to_numpy()
    encoded: Floats = np.tile(kind.missing_point(feature), (len(column), 1))
    values = kind.encode(feature, column[there])
    encoded[there, :-1], encoded[there, -1] = values, kind.gone(feature, values)
    return encoded


def _decode_column(block: Floats, feature: Feature, dtype: Any, number: float) -> Any:
    kind = kind_of(feature)
    if number == number and (cell := kind.decode_cell(number, dtype)) is not None:
        return cell
    values = block[:, :-1] if feature.missing else block
    return kind.decode(feature, values, feature.is_missing(block), dtype)
