"""Tables of any columns, rules for them, and a model that hangs on every value.

Frames of pandas and polars and arrays: every type that facelift knows, missing values, numbers from
5e-324 to 1.7e308, empty and foreign names, constant columns, one row or column, and rows that stand
there twice.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

from facelift import Terrain

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
EXTREMES = [0.0, -0.0, 5e-324, 1e-300, 1e-9, 0.1, 1.0, 1e9, 2.0**53, 1e300, 1.7e308]
NUMBERS = st.one_of(
    st.integers(-20, 20).map(float),
    st.integers(-999, 999).map(lambda i: i / 100),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*EXTREMES, *(-each for each in EXTREMES)]),
)


def whole(dtype: str) -> st.SearchStrategy[int]:
    limits = np.iinfo(dtype.lower())
    small = st.integers(max(limits.min, -9), 9)
    return st.one_of(small, st.integers(max(limits.min, -(2**52)), min(limits.max, 2**52)))


ODD = {  # none of them is a column that one can walk on
    "object": st.sampled_from([1j, (), 2**70, -3, math.inf]),
    "float64": st.sampled_from([math.inf, math.nan]),
    "uint64": st.integers(2**53, 2**64 - 1),
    "complex128": st.just(1j),
    "category": st.just(pd.Interval(0, 1)),
}
TYPES = {  # type: what is in it, and how a missing value is written
    "float64": (NUMBERS, math.nan),
    "float32": (st.floats(width=32, allow_nan=False, allow_infinity=False), math.nan),
    "Float64": (NUMBERS, pd.NA),
    **{dtype: (whole(dtype), None) for dtype in ("int64", "int32", "int8", "uint8", "uint64")},
    "Int64": (whole("Int64"), pd.NA),
    "bool": (st.booleans(), None),
    "boolean": (st.booleans(), pd.NA),
    "object": (st.booleans() | st.nothing(), None),
    "str": (TEXT, math.nan),
}


def cells(n: int, values: st.SearchStrategy[Any], blank: Any = None) -> st.SearchStrategy[list]:
    """As many values; some are missing where a blank is given, some columns are constant."""
    some = values if blank is None else st.one_of(values, values, st.just(blank))
    lists = st.lists(some, min_size=n, max_size=n)
    return st.one_of(lists, lists, lists, values.map(lambda value: [value] * n))


@st.composite
def columns(draw: st.DrawFn, n: int) -> pd.Series:
    """A column of any type that facelift knows."""
    gaps = draw(st.integers(0, 3)) == 0
    kind = draw(st.sampled_from(["float64", "category", "category", "text", *TYPES]))
    if kind == "text":
        return pd.Series(draw(cells(n, TEXT, None if not gaps else math.nan)), dtype=object)
    if kind == "category":
        elements = draw(st.sampled_from([TEXT, st.integers(-5, 5), NUMBERS, st.booleans()]))
        known = draw(st.lists(elements, min_size=1, max_size=5, unique=True))
        codes = draw(cells(n, st.integers(0, len(known) - 1), -1 if gaps else None))
        ordered = draw(st.booleans())
        return pd.Series(pd.Categorical.from_codes(codes, categories=known, ordered=ordered))
    values, blank = TYPES[kind]
    return pd.Series(draw(cells(n, values, blank if gaps else None)), dtype=kind)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables of any columns; some rows stand there twice."""
    n = draw(st.integers(1, 14))
    names = draw(st.lists(st.one_of(TEXT, st.integers(0, 9)), min_size=1, max_size=5, unique=True))
    frame = pd.DataFrame({i: draw(columns(n)) for i, _ in enumerate(names)})
    frame.columns = pd.Index(names, dtype=object)
    again = draw(st.lists(st.integers(0, n - 1), max_size=4))
    return frame.iloc[[*range(n), *again]]


@st.composite
def odd_frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables with a column that facelift does not know, or that has no name of its own."""
    frame = draw(frames())
    dtype = draw(st.sampled_from(list(ODD)))
    odd = pd.Series(draw(cells(len(frame), ODD[dtype])), dtype=dtype, index=frame.index)
    frame.insert(draw(st.integers(0, frame.shape[1])), "odd", odd, allow_duplicates=True)
    return frame


ARRAYS = {
    **{name: TYPES[name][0] for name in ("float64", "float32", "int64", "int8", "uint8", "bool")},
    "float16": st.floats(width=16, allow_nan=False, allow_infinity=False),
}
POLARS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (pl.Float64, NUMBERS),
    (pl.Float64, NUMBERS | st.just(math.nan)),
    (pl.Float32, TYPES["float32"][0]),
    (pl.Int8, TYPES["int8"][0]),
    (pl.UInt16, st.integers(0, 2**16 - 1)),
    (pl.Int64, TYPES["int64"][0]),
    (pl.Boolean, st.booleans()),
    (pl.String, TEXT),
    (pl.Categorical, TEXT),
    (pl.Enum(["b", "a", ""]), st.sampled_from(["a", "b", ""])),
]


@st.composite
def number_arrays(draw: st.DrawFn) -> np.ndarray:
    """Arrays of any type of number, in either order of memory, some with a hole."""
    dtype = draw(st.sampled_from(list(ARRAYS)))
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    array = np.array([draw(cells(m, ARRAYS[dtype])) for _ in range(n)], dtype=dtype)
    if array.dtype.kind == "f" and draw(st.booleans()):
        array[draw(st.integers(0, n - 1)), draw(st.integers(0, m - 1))] = math.nan
    return draw(st.sampled_from([np.ascontiguousarray, np.asfortranarray]))(array)


@st.composite
def polars_frames(draw: st.DrawFn) -> pl.DataFrame:
    """Tables of polars of any types, some with holes."""
    n, kinds = draw(st.integers(1, 12)), st.lists(st.sampled_from(POLARS), min_size=1, max_size=4)
    table = {}
    for i, (dtype, values) in enumerate(draw(kinds)):
        some = values | st.none() if draw(st.booleans()) else values
        table[f"{draw(TEXT)}{i}"] = pl.Series(draw(cells(n, some)), dtype=dtype)
    return pl.DataFrame(table)


def tables() -> st.SearchStrategy[Any]:
    """Tables of every kind."""
    return st.one_of(frames(), frames(), number_arrays(), polars_frames())


@dataclass(frozen=True, eq=False)
class Model:
    """A chance of 0 to 1 that hangs on every value of a row, and on nothing else."""

    salt: int

    def __call__(self, X: Any) -> np.ndarray:
        said = [zlib.crc32(repr((self.salt, *row)).encode()) for row in raw(X)]
        yes = np.array(said, dtype=np.float64) / 2**32
        return np.column_stack([1 - yes, yes])


def plain(value: Any) -> Any:
    """A value without its type: 1, 1.0, True and NumPy's are one; so are all that are missing."""
    if isinstance(value, str):
        return value
    return None if pd.isna(value) else float(value) + 0.0


def raw(X: Any) -> list[tuple[Any, ...]]:
    """The rows of a table of any kind, as plain values."""
    if isinstance(X, pd.DataFrame):
        rows = X.astype(object).itertuples(index=False, name=None)
    else:
        rows = X.rows() if isinstance(X, pl.DataFrame) else X.tolist()
    return [tuple(map(plain, row)) for row in rows]


PRICES = st.sampled_from([0.0, 1e-100, 1e-9, 0.5, 3.0, 1e9, 1e100, math.inf])
DIRECTIONS = ["freeze", "increase_only", "decrease_only"]


@st.composite
def rules(draw: st.DrawFn, terrain: Terrain) -> tuple[Terrain, dict[Any, str]]:
    """A terrain with odd prices, and which columns may go in one direction only or in none."""
    said: dict[Any, str] = {}
    for feature in terrain.features:
        has_order, often = feature.kind != "categorical", ["none"] * 4
        choice = draw(st.sampled_from([*often, "price", "stops", "bounds", "missing", *DIRECTIONS]))
        if choice == "price":
            up = draw(PRICES)
            terrain = terrain.price(feature.name, up, decrease=draw(PRICES) if has_order else up)
        elif choice in DIRECTIONS and (has_order or choice == "freeze"):
            terrain, said[feature.name] = getattr(terrain, choice)(feature.name), choice
        elif choice == "stops" and feature.kind == "numeric":
            known = st.sampled_from([feature.low, feature.high, *feature.stops])
            stops = draw(st.lists(known | NUMBERS, min_size=1, max_size=4))
            terrain = terrain.levels(feature.name, stops)
        elif choice == "bounds" and feature.kind == "numeric":
            ends = sorted([feature.low, draw(NUMBERS | st.just(feature.high))])
            terrain = terrain.between(feature.name, *ends)
        elif choice == "missing" and feature.missing:
            terrain = terrain.missing(feature.name, found=draw(PRICES), lost=draw(PRICES))
    return terrain, said


PARAMETERS = st.fixed_dictionaries(
    {
        "steps": st.sampled_from(["rows", "actions"]),
        "n_neighbors": st.integers(1, 6),
        "edges": st.sampled_from(["union", "out", "mutual"]),
        "edge_cost": st.sampled_from(["distance", "distance", "power", "density", "kde"]),
        "n_counterfactuals": st.integers(1, 4),
        "min_separation": st.sampled_from([0.0, 0.0, 0.5, 1e300]),
        "max_states": st.sampled_from([5, 100]),
        "plausibility": st.sampled_from([0.5, 1.0]),
    }
)


@st.composite
def cases(draw: st.DrawFn, X: Any, names: list[Any], chances: np.ndarray) -> dict[Any, Any]:
    """Somebody of the table, more often one of those with little chance; or somebody made up."""
    rows = X.astype(object).to_numpy() if isinstance(X, pd.DataFrame) else X
    rows = rows.rows() if isinstance(rows, pl.DataFrame) else rows.tolist()
    if draw(st.booleans()):
        place = np.argsort(chances)[draw(st.integers(0, len(rows) // 2))]
        return dict(zip(names, rows[place], strict=True))
    known = dict(zip(names, map(st.sampled_from, zip(*rows, strict=True)), strict=True))
    if draw(st.booleans()):
        name = draw(st.sampled_from(names))
        known[name] = known[name] | NUMBERS | TEXT | st.sampled_from([None, True, 10**400, 300])
    return {name: draw(cell) for name, cell in known.items()}
