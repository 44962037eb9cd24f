"""Tables of every accepted kind as pandas frames and back: pandas, polars, arrays, single rows."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidData, MissingValues, UnknownColumn, nearest_name

Container = Literal["pandas", "polars", "array"]


MAX_EXACT = 2.0**53
"""Largest whole number up to which floats are exact."""


@dataclass(frozen=True)
class Column:
    """Name of a column and its type in the table that was given."""

    name: Hashable
    dtype: Any


class Held(NamedTuple):
    """Which numbers a type can hold: only whole ones or not, the least and the largest."""

    whole: bool
    low: float
    high: float


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

    @cached_property
    def header(self) -> pd.Index[Any]:
        """The columns of a pandas frame."""
        return pd.Index(self.names) if self.labels is None else self.labels

    @cached_property
    def held(self) -> list[Held]:
        """Which numbers the type of each column can hold."""
        dtypes = [pandas_dtype(column, self.container) for column in self.columns]
        return [
            Held(pd.api.types.is_integer_dtype(dtype), *_type_limits(column.dtype))
            for column, dtype in zip(self.columns, dtypes, strict=True)
        ]


def describe(X: Any) -> tuple[pd.DataFrame, Schema]:
    """A table of any accepted kind as a pandas frame, and its schema."""
    if isinstance(X, pd.DataFrame):
        return X, Schema("pandas", tuple(map(Column, X.columns, X.dtypes)), X.columns)
    if isinstance(X, np.ndarray):
        return _describe_array(X)
    if type(X).__module__.partition(".")[0] == "pyarrow":
        return describe(X.to_pandas())
    if hasattr(X, "__dataframe__") or hasattr(X, "to_dicts"):
        return _describe_polars(X)
    if isinstance(X, list | tuple):
        if any(isinstance(row, Mapping | pd.Series) for row in X):
            raise InvalidData(
                f"A table is needed, got a {type(X).__name__} of rows; give pandas.DataFrame(rows)."
            )
        return _describe_array(_array(X))
    if hasattr(X, "toarray"):
        raise InvalidData(f"Sparse tables are not known, got {type(X).__name__}; give X.toarray().")
    raise InvalidData(
        f"A table must be a pandas or polars DataFrame or a 2-D array, got {type(X).__name__}."
    )


def conform(X: Any, schema: Schema) -> pd.DataFrame:
    """A table with the columns of `schema`, in its order; an error names what does not fit."""
    frame, given = describe(X)
    if given.container == "array":
        if frame.shape[1] != len(schema.columns):
            raise InvalidData(  # in scikit-learn's words
                f"X has {frame.shape[1]} features, but Terrain is expecting {len(schema.columns)} "
                "features as input: one per column of the table it was made from."
            )
        frame = frame.set_axis(schema.names, axis=1)
    check_unique(frame.columns)
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
    if x is None or np.isscalar(x):
        raise InvalidData(
            f"One case is needed: a row of a table, a Series, a mapping or a list, got {x!r}; of a "
            "row by its number give X.iloc[number]."
        )
    frame = conform(x, schema)
    if len(frame) != 1:
        raise InvalidData(
            f"One case is needed, got a table of {len(frame)} rows; "
            "give one row, or use explain_many."
        )
    return frame


def plain_cells(x: Any, schema: Schema) -> list[Any] | None:
    """The values of one case in the order of the schema; None where it takes a closer look."""
    if isinstance(x, pd.DataFrame) and len(x) == 1 and x.columns.is_unique:
        x = dict(zip(x.columns, next(x.itertuples(index=False, name=None)), strict=True))
    if isinstance(x, pd.Series):
        x = dict(x.items())
    if isinstance(x, Mapping):
        names = schema.names
        return [x[name] for name in names] if x.keys() == set(names) else None
    if isinstance(x, np.ndarray) and x.ndim == 1:
        return list(x.tolist())
    return list(x) if isinstance(x, list | tuple) else None


def as_given(frame: pd.DataFrame, schema: Schema) -> Any:
    """A pandas frame as the kind of table that was given: frame to frame, array to array."""
    if schema.container == "array":
        return frame.to_numpy()  # its columns have the type of the array
    if schema.container == "polars":
        return _to_polars(frame, schema)
    return frame


def pandas_dtype(column: Column, container: Container, *, gaps: bool = False) -> Any:
    """The pandas type a column is decoded to; of those that may have gaps, one that can."""
    if container != "polars":
        return column.dtype
    if column.dtype.is_integer():
        return pd.Int64Dtype() if gaps else np.int64
    return np.dtype(str(column.dtype).lower()) if column.dtype.is_float() else object


def check_complete(frame: pd.DataFrame, incomplete: Collection[Hashable] = ()) -> None:
    """Raise an error that names the columns with missing values and how many.

    Columns that are known to have some are `incomplete`.
    """
    counts = frame.drop(columns=list(incomplete)).isna().sum()
    if counts.any():
        holes = ", ".join(f"{name} ({count})" for name, count in counts[counts > 0].items())
        raise MissingValues(
            f"Missing values in {holes}, where the terrain knows of none: infer it from a table "
            "that has some, or drop or fill them first."
        )


def check_unique(labels: pd.Index[Any]) -> None:
    """Raise an error that names a column that stands in the table twice."""
    if not labels.is_unique:
        twice = labels[labels.duplicated()][0]
        raise InvalidData(f"Column {twice!r} stands in the table twice; rename one of them.")


def numbers(name: Hashable, column: pd.Series[Any]) -> Floats:
    """A column as finite floats that lose nothing; missing values must have been left out."""
    if not pd.api.types.is_any_real_numeric_dtype(column.dtype):
        odd = [value for value in column.tolist() if not isinstance(value, Real)]
        if odd:
            raise InvalidData(
                f"Column {name!r} holds numbers, but was given {odd[0]!r}; give a number."
            )
    values = _as_floats(column)
    if not np.isfinite(values).all():
        raise InvalidData(f"Column {name!r} holds an infinite value: leave the cell empty.")
    far = np.abs(values) >= MAX_EXACT
    if far.any() and any(isinstance(each, Integral) for each in column[far].tolist()):
        raise _too_large(name)
    return values


def check_types(frame: pd.DataFrame, schema: Schema) -> None:
    """Columns take no number that their type would change on the way back: rounded or cut."""
    for column, held in zip(schema.columns, schema.held, strict=True):
        values = frame[column.name]
        same = str(column.dtype).lower() == str(values.dtype).lower()
        if same or not (held.whole or math.isfinite(held.high)):
            continue
        given = _as_floats(values)
        check_held(column, given, held)
        broken = np.flatnonzero(np.isfinite(given) & (given != np.rint(given)))
        if held.whole and len(broken):
            raise InvalidData(
                f"Column {column.name!r} holds whole numbers, but was given "
                f"{given[broken[0]]:g}; round it, or fit with that column as floats."
            )


def check_held(column: Column, numbers: Floats, held: Held) -> None:
    """An error if a number lies outside what the type of its column can hold."""
    outside = np.isfinite(numbers) & ((numbers < held.low) | (numbers > held.high))
    if outside.any():
        raise InvalidData(
            f"Column {column.name!r} has type {column.dtype}, from {held.low:g} to {held.high:g}, "
            f"but was given {numbers[outside][0]:g}; fit with a wider type."
        )


def _type_limits(dtype: Any) -> tuple[float, float]:
    """Least and largest number of a type, by its name in NumPy, pandas or polars."""
    named = re.match(r"(u?)(int|float)(\d+)", str(dtype).lower())
    if named is None or named[0] == "float64":
        return -math.inf, math.inf
    unsigned, kind, bits = bool(named[1]), named[2], int(named[3])
    if kind == "float":
        top = float(np.finfo(named[0]).max)
        return -top, top
    return (0.0, 2.0**bits - 1) if unsigned else (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1)


def _as_floats(column: pd.Series[Any]) -> Floats:
    """A column as floats, NaN where there is no number."""
    if pd.api.types.is_any_real_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.array([_as_float(value) for value in column.tolist()])


def _as_float(value: object) -> float:
    """A number as a float, infinite where it is too large for one; NaN for what is none."""
    try:
        return float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        return math.inf


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


def _cell(value: object) -> list[object]:
    if isinstance(value, int) and abs(value) > sys.float_info.max:  # older pandas cannot take it
        return [math.inf]
    return [value]


def _array(rows: Sequence[Any]) -> npt.NDArray[Any]:
    try:
        return np.asarray(rows)
    except ValueError:
        raise InvalidData("A list of rows must have equally long rows of numbers.") from None


def _describe_array(X: npt.NDArray[Any]) -> tuple[pd.DataFrame, Schema]:
    if X.ndim != 2:
        raise InvalidData(f"An array must have 2 axes (rows, columns), got shape {X.shape}.")
    if X.dtype.kind == "c":
        raise InvalidData("Complex data not supported: give real parts, or two columns for each.")
    if X.dtype.kind not in "biuf":
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

    table = nw.from_native(X, eager_only=True)
    columns = {name: _from_polars(table[name]) for name in table.columns}
    schema = tuple(Column(name, dtype) for name, dtype in table.schema.items())
    return pd.DataFrame(columns), Schema("polars", schema)


def check_exact(frame: pd.DataFrame, schema: Schema) -> None:
    """An error if whole numbers of polars, some of them missing, are more than floats can tell."""
    for column in schema.columns:
        whole = schema.container == "polars" and column.dtype.is_integer()
        if whole and frame[column.name].dtype == object:
            raise _too_large(column.name)


def _too_large(name: Hashable) -> InvalidData:
    return InvalidData(
        f"Column {name!r} holds whole numbers beyond 2**53, which floats cannot keep apart; "
        "if it is an identifier, drop it."
    )


def _from_polars(series: Any) -> Any:
    import narwhals as nw

    if series.dtype == nw.Enum:
        return pd.Categorical(series.to_list(), categories=list(series.dtype.categories))
    if series.dtype.is_integer() and series.null_count():
        cells = series.to_list()
        if any(cell is not None and abs(cell) >= MAX_EXACT for cell in cells):
            return pd.Series(cells, dtype=object)  # floats, as NaN needs, would lose digits
    if series.dtype.is_numeric():
        return series.to_numpy()  # with NaN where a number is missing
    return pd.Series(series.to_list(), dtype=object)


def _to_polars(frame: pd.DataFrame, schema: Schema) -> Any:
    import narwhals as nw

    columns = []
    for column in schema.columns:
        name, values = str(column.name), _polars_cells(frame[column.name])
        columns.append(nw.new_series(name, values, column.dtype, backend="polars").to_frame())
    return nw.concat(columns, how="horizontal").to_native()


def _polars_cells(column: pd.Series[Any]) -> list[Any]:
    """Cells as polars takes them: None where one is missing."""
    gone = column.isna().tolist()
    return [None if empty else cell for cell, empty in zip(column.tolist(), gone, strict=True)]
