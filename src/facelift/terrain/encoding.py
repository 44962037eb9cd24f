"""Tables to points and back: the only module that knows data frames.

Numbers become coordinates in [0, 1] by the range seen, ordered levels evenly spaced ranks in
[0, 1], other levels one coordinate each (one-hot). Decoding is exact: a decoded coordinate is
snapped to the decimals of its column, or to the value seen that encodes to it. (Values of one
column closer together than a few 1e-16 of its range are the same point, and come back as one.)
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift.arrays import Floats
from facelift.errors import InvalidData, MissingValues, UnknownColumn, nearest_name
from facelift.terrain.feature import Feature, Level
from facelift.terrain.stops import round_stops

Container = Literal["pandas", "polars", "array"]

MAX_DECIMALS = 12
MAX_EXACT = 2.0**53
"""Largest whole number up to which floats are exact."""


@dataclass(frozen=True)
class Column:
    """Name of a column and its type in the table that was given."""

    name: Hashable
    dtype: Any


@dataclass(frozen=True)
class Schema:
    """The kind of table that was given, and its columns in order.

    `labels` are the column labels of a pandas frame, with their type and name.
    """

    container: Container
    columns: tuple[Column, ...]
    labels: pd.Index[Any] | None = field(default=None, repr=False, compare=False)

    @property
    def names(self) -> list[Hashable]:
        """Names of the columns."""
        return [column.name for column in self.columns]


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


def describe(X: Any) -> tuple[pd.DataFrame, Schema]:
    """A table of any accepted kind as a pandas frame, and its schema."""
    if isinstance(X, pd.DataFrame):
        return X, Schema("pandas", tuple(map(Column, X.columns, X.dtypes)), X.columns)
    if isinstance(X, np.ndarray):
        return _describe_array(X)
    if hasattr(X, "__dataframe__") or hasattr(X, "to_dicts"):
        return _describe_polars(X)
    if isinstance(X, list | tuple):
        return _describe_array(_array(X))
    raise InvalidData(
        f"A table must be a pandas or polars DataFrame or a 2-D array, got {type(X).__name__}."
    )


def conform(X: Any, schema: Schema) -> pd.DataFrame:
    """A table with the columns of `schema`, in its order; an error names what does not fit."""
    frame, given = describe(X)
    if given.container == "array" and schema.container != "array":
        if frame.shape[1] != len(schema.columns):
            raise InvalidData(
                f"The array has {frame.shape[1]} columns, {len(schema.columns)} are needed."
            )
        frame = frame.set_axis(schema.names, axis=1)
    _check_unique(frame.columns)
    _check_names(list(frame.columns), schema.names)
    return frame[schema.names]


def one_row(x: Any, schema: Schema) -> pd.DataFrame:
    """One case (row of a frame, Series, mapping or 1-D array) as a table of one row."""
    if isinstance(x, pd.Series):
        x = dict(x.items())
    if isinstance(x, Mapping):
        _check_names(list(x), schema.names)
        return pd.DataFrame({name: _cell(x[name]) for name in schema.names})
    if isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim == 1):
        if len(x) != len(schema.columns):
            raise InvalidData(f"The case has {len(x)} values, {len(schema.columns)} are needed.")
        return pd.DataFrame({name: _cell(v) for name, v in zip(schema.names, x, strict=True)})
    frame = conform(x, schema)
    if len(frame) != 1:
        raise InvalidData(
            f"One case is needed, got a table of {len(frame)} rows; "
            "give one row, or use explain_many."
        )
    return frame


def infer_features(frame: pd.DataFrame) -> tuple[Feature, ...]:
    """The kind and scale of every column, from its type and values."""
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InvalidData(f"The table is empty: {frame.shape[0]} rows, {frame.shape[1]} columns.")
    _check_unique(frame.columns)
    check_complete(frame)
    return tuple(_infer(name, frame[name]) for name in frame.columns)


def check_complete(frame: pd.DataFrame) -> None:
    """Raise an error that names the columns with missing values and how many."""
    counts = frame.isna().sum()
    if counts.any():
        holes = ", ".join(f"{name} ({count})" for name, count in counts[counts > 0].items())
        raise MissingValues(
            f"Missing values in {holes}; facelift needs complete rows: drop or fill them first."
        )


def encode_frame(frame: pd.DataFrame, features: Sequence[Feature], schema: Schema) -> Points:
    """Coordinates of every row of a frame with the columns of the schema; shape (n, m)."""
    check_complete(frame)
    _check_whole(frame, schema)
    blocks = [_encode_column(frame[feature.name], feature) for feature in features]
    return Points.of(np.ascontiguousarray(np.hstack(blocks)), frame.index)


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
        column.name: _decode_column(block, feature, _pandas_dtype(column, schema.container))
        for block, feature, column in zip(
            np.split(values, ends, axis=1), features, schema.columns, strict=True
        )
    }
    frame = pd.DataFrame(columns)
    frame.index = frame.index if index is None else index
    frame.columns = pd.Index(schema.names) if schema.labels is None else schema.labels
    return frame


def as_given(frame: pd.DataFrame, schema: Schema) -> Any:
    """A pandas frame as the kind of table that was given: frame to frame, array to array."""
    if schema.container == "array":
        return frame.to_numpy(dtype=schema.columns[0].dtype)
    if schema.container == "polars":
        return _to_polars(frame, schema)
    return frame


def raw_numbers(coordinates: Floats, feature: Feature) -> Floats:
    """Raw values of a numeric feature's coordinates, snapped to the values a person would say."""
    values = feature.low + coordinates * feature.span
    # Rounding to twelve digits of the span takes the noise of the scaling off typed-in numbers.
    digits = MAX_DECIMALS - math.ceil(math.log10(feature.span))
    values = _snapped(values, max(digits, feature.decimals or 0), 1e-13 * feature.span)
    if feature.decimals is not None:
        unit = 10.0**-feature.decimals
        return _snapped(values, feature.decimals, min(1e-9 * feature.span, unit / 4))
    if feature.seen is None:
        return values
    encoded = (feature.seen - feature.low) / feature.span
    place = np.clip(np.searchsorted(encoded, coordinates), 0, len(encoded) - 1)
    return np.where(encoded[place] == coordinates, feature.seen[place], values)


def _snapped(values: Floats, decimals: int, within: float) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):  # too far from 1 to be rounded
        grid = np.round(values, decimals)
        return np.where(np.abs(grid - values) <= within, grid, values)


def _infer(name: Hashable, column: pd.Series[Any]) -> Feature:
    if isinstance(column.dtype, pd.CategoricalDtype):
        kind: Literal["ordinal", "categorical"] = "ordinal" if column.cat.ordered else "categorical"
        return Feature(name, kind, levels=_plain_levels(name, column.cat.categories.tolist()))
    if pd.api.types.is_bool_dtype(column.dtype):
        return Feature(name, "ordinal", levels=(False, True))
    if pd.api.types.is_numeric_dtype(column.dtype) and not np.iscomplexobj(column):
        return _infer_numeric(name, _numbers(name, column))
    if pd.api.types.is_string_dtype(column.dtype) or column.dtype == object:
        return _infer_text(name, column)
    raise InvalidData(
        f"Column {name!r} has type {column.dtype}; facelift knows numbers, booleans, categories "
        "and text: convert it (dates to years, say) or drop it."
    )


def _plain_levels(name: Hashable, levels: list[Any]) -> tuple[Level, ...]:
    odd = [level for level in levels if not isinstance(level, str | bool | int | float)]
    if odd:
        raise InvalidData(
            f"Column {name!r} has a level of type {type(odd[0]).__name__}; levels are text, "
            "numbers or booleans: turn them into text (cat.rename_categories(str))."
        )
    return tuple(levels)


def _infer_numeric(name: Hashable, values: Floats) -> Feature:
    decimals = _decimals(values)
    seen = None if decimals is not None else np.unique(values)
    return Feature(
        name,
        "numeric",
        low=float(values.min()),
        high=float(values.max()),
        decimals=decimals,
        seen=seen,
        stops=round_stops(values),
    )


def _infer_text(name: Hashable, column: pd.Series[Any]) -> Feature:
    odd = [value for value in column.unique().tolist() if not isinstance(value, str)]
    if odd:
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


def _numbers(name: Hashable, column: pd.Series[Any]) -> Floats:
    """A column as finite floats that lose nothing."""
    if not pd.api.types.is_any_real_numeric_dtype(column.dtype):
        odd = [value for value in column.tolist() if not isinstance(value, Real)]
        if odd:
            raise InvalidData(
                f"Column {name!r} holds numbers, but was given {odd[0]!r}; give a number."
            )
    values = column.to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        raise InvalidData(f"Column {name!r} holds an infinite value; every number must be finite.")
    if pd.api.types.is_integer_dtype(column.dtype) and np.abs(values).max(initial=0) >= MAX_EXACT:
        raise InvalidData(
            f"Column {name!r} holds whole numbers beyond 2**53, which floats cannot keep apart; "
            "if it is an identifier, drop it."
        )
    return values


def _encode_column(column: pd.Series[Any], feature: Feature) -> Floats:
    if feature.kind == "numeric":
        values = _numbers(feature.name, column)
        return np.asarray((values - feature.low) / feature.span)[:, np.newaxis]
    codes = _codes(column, feature)
    if feature.kind == "ordinal":
        return codes[:, np.newaxis] / max(len(feature.levels) - 1, 1)
    return np.eye(len(feature.levels))[codes]


def _codes(column: pd.Series[Any], feature: Feature) -> npt.NDArray[np.intp]:
    values = pd.Index(column.to_numpy(dtype=object), dtype=object)
    codes = pd.Index(list(feature.levels), dtype=object).get_indexer(values)
    if (codes < 0).any():
        value = values[int(np.argmax(codes < 0))]
        raise InvalidData(
            f"{value!r} is not a known value of column {feature.name!r}; "
            f"{nearest_name(value, feature.levels)}"
        )
    return codes


def _decode_column(block: Floats, feature: Feature, dtype: Any) -> Any:
    if feature.kind == "numeric":
        values = raw_numbers(block[:, 0], feature)
        return _as_dtype(values, dtype)
    if feature.kind == "ordinal":
        top = max(len(feature.levels) - 1, 1)
        codes = np.clip(np.rint(block[:, 0] * top), 0, len(feature.levels) - 1).astype(np.intp)
    else:
        codes = block.argmax(axis=1)
    levels = np.empty(len(feature.levels), dtype=object)
    levels[:] = feature.levels
    if isinstance(dtype, pd.CategoricalDtype):
        places = dtype.categories.get_indexer(pd.Index(levels, dtype=object))
        return pd.Categorical.from_codes(places[codes], dtype=dtype)
    return pd.Series(levels[codes], dtype=object).astype(dtype)  # an array would become `str`


def _as_dtype(values: Floats, dtype: Any) -> Any:
    if pd.api.types.is_integer_dtype(dtype):
        values = np.rint(values)
    plain = isinstance(dtype, np.dtype | type)
    return values.astype(dtype) if plain else pd.array(values).astype(dtype)


def _pandas_dtype(column: Column, container: Container) -> Any:
    """The pandas type a column is decoded to."""
    if container != "polars":
        return column.dtype
    if column.dtype.is_integer():
        return np.int64
    return np.float64 if column.dtype.is_float() else object


def _check_unique(labels: pd.Index[Any]) -> None:
    if not labels.is_unique:
        twice = labels[labels.duplicated()][0]
        raise InvalidData(f"Column {twice!r} stands in the table twice; rename one of them.")


def _check_names(given: list[Hashable], needed: list[Hashable]) -> None:
    missing = [name for name in needed if name not in given]
    if missing:
        raise UnknownColumn(
            f"The table lacks the column {missing[0]!r}; {nearest_name(missing[0], given)}"
        )
    extra = [name for name in given if name not in needed]
    if extra:
        raise UnknownColumn(
            f"The table has a column {extra[0]!r} that was not there in fit; drop it."
        )


def _check_whole(frame: pd.DataFrame, schema: Schema) -> None:
    """Columns of whole numbers take no others, which would be rounded on the way back."""
    for column in schema.columns:
        values = frame[column.name]
        whole = pd.api.types.is_integer_dtype(_pandas_dtype(column, schema.container))
        if not whole or pd.api.types.is_integer_dtype(values.dtype):
            continue
        numbers = np.array([v if isinstance(v, float) else np.nan for v in values.tolist()])
        broken = np.flatnonzero(np.isfinite(numbers) & (numbers != np.rint(numbers)))
        if len(broken):
            raise InvalidData(
                f"Column {column.name!r} holds whole numbers, but was given "
                f"{numbers[broken[0]]:g}; round it, or fit with that column as floats."
            )


def _cell(value: object) -> list[object]:
    return [value.item() if isinstance(value, np.generic) else value]


def _array(rows: Sequence[Any]) -> npt.NDArray[Any]:
    try:
        return np.asarray(rows)
    except ValueError:
        raise InvalidData("A list of rows must have equally long rows of numbers.") from None


def _describe_array(X: npt.NDArray[Any]) -> tuple[pd.DataFrame, Schema]:
    if X.ndim != 2:
        raise InvalidData(f"An array must have 2 axes (rows, columns), got shape {X.shape}.")
    if X.dtype == object or X.dtype.kind not in "biuf":
        raise InvalidData(
            f"An array must hold numbers, got type {X.dtype}; "
            "for text and mixed columns give a pandas DataFrame."
        )
    names = [f"x{i}" for i in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), Schema(
        "array", tuple(Column(name, X.dtype) for name in names)
    )


def _describe_polars(X: Any) -> tuple[pd.DataFrame, Schema]:
    import narwhals as nw

    table = nw.from_native(X, eager_only=True, pass_through=False)
    columns = {name: _from_polars(table[name]) for name in table.columns}
    schema = tuple(Column(name, dtype) for name, dtype in table.schema.items())
    return pd.DataFrame(columns), Schema("polars", schema)


def _from_polars(series: Any) -> Any:
    import narwhals as nw

    if series.null_count():
        return pd.Series(series.to_list(), dtype=object)
    if series.dtype == nw.Enum:
        return pd.Categorical(series.to_list(), categories=list(series.dtype.categories))
    if series.dtype == nw.Categorical:  # its categories are shared with every other column
        return pd.Categorical(series.to_list(), categories=sorted(set(series.to_list())))
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return series.to_numpy()
    return pd.Series(series.to_list(), dtype=object)


def _to_polars(frame: pd.DataFrame, schema: Schema) -> Any:
    import narwhals as nw

    columns = {}
    for column in schema.columns:
        name, values = str(column.name), frame[column.name].tolist()
        columns[name] = nw.new_series(name, values, column.dtype, backend="polars")
    return nw.from_dict(columns, backend="polars").to_native()
