"""Arrays, lists, polars frames and single rows: what is taken, given back, or refused."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from polars.testing import assert_frame_equal as assert_polars_equal
from scipy.sparse import csr_array
from tests.terrain.tables import MIXED, apart

from facelift.errors import FaceliftError, InvalidData, MissingValues, UnknownColumn
from facelift.terrain import Terrain
from facelift.terrain.encoding import encode_plain
from facelift.terrain.tables import one_row, plain_cells


def test_a_frame_terrain_reads_arrays_by_position():
    terrain = Terrain.infer(pd.DataFrame({"a": [0, 10], "b": [0.0, 1.0]}))
    assert terrain.encode(np.array([[5, 0.25]])).tolist() == [[0.5, 0.25]]


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0.1, 2], [1 / 3, 5]], dtype=np.float64),
        np.array([[0.1, 2], [1 / 3, 5]], dtype=np.float32),
        np.array([[0.1, 2], [1 / 3, 5]], dtype=np.float16),
        np.array([[1, -2], [3, 4]]),
        np.array([[1, 2], [3, 255]], dtype=np.uint8),
        np.array([[True, False], [False, False]]),
        np.array([[0.1, 2], [1 / 3, 5]], order="F"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_come_back_as_arrays_of_their_type(array):
    terrain = Terrain.infer(array)
    decoded = terrain.decode(terrain.encode(array))
    assert isinstance(decoded, np.ndarray)
    assert decoded.dtype == array.dtype
    assert np.array_equal(decoded, array)


@given(
    arrays(
        st.sampled_from([np.float64, np.float32]),
        st.tuples(st.integers(1, 6), st.integers(1, 4)),
        elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False),
    )
)
def test_any_array_comes_back(array):
    assume(all(apart(column) for column in array.T))
    terrain = Terrain.infer(array)
    assert np.array_equal(terrain.decode(terrain.encode(array)), array)


def test_lists_of_rows_are_arrays():
    terrain = Terrain.infer([[0, 1], [10, 3]])
    assert terrain.decode(terrain.encode([[5, 2]])).tolist() == [[5, 2]]


POLARS = pl.DataFrame(
    {
        "small": pl.Series([1, -2, 3], dtype=pl.Int8),
        "big": pl.Series([1, 2**40, 3], dtype=pl.UInt64),
        "float": [0.1, 1 / 3, 2.5],
        "single": pl.Series([0.1, 1 / 3, 2.5], dtype=pl.Float32),
        "text": ["ä", "b", "ä"],
        "flag": [True, False, True],
        "colour": pl.Series(["red", "blue", "red"], dtype=pl.Categorical),
        "size": pl.Series(["L", "S", "L"], dtype=pl.Enum(["S", "M", "L"])),
    }
)


def test_polars_frames_come_back_as_polars_frames_of_their_types():
    terrain = Terrain.infer(POLARS)
    assert_polars_equal(terrain.decode(terrain.encode(POLARS)), POLARS)
    assert_polars_equal(terrain.decode(terrain.encode(POLARS[1:])), POLARS[1:])


def test_names_of_polars_columns_may_hold_any_character():
    """A zero byte made polars end the program, where columns went through Arrow."""
    X = pl.DataFrame({"a\0b": [1.0, 2.0], "": ["x", "y"], "é\n": [True, False]})
    terrain = Terrain.infer(X)
    assert_polars_equal(terrain.decode(terrain.encode(X)), X)


def test_rows_of_a_polars_frame_have_plain_types_in_pandas():
    terrain = Terrain.infer(POLARS)
    rows = terrain.to_pandas(terrain.encode(POLARS))
    assert [str(dtype) for dtype in rows.dtypes[:4]] == ["int64", "int64", "float64", "float32"]
    assert {str(dtype) for dtype in rows.dtypes[4:]} == {"object"}


def test_rows_of_single_precision_hold_what_a_model_sees():
    terrain = Terrain.infer(pl.DataFrame({"a": pl.Series([0.0, 0.3], dtype=pl.Float32)}))
    rows, seen = terrain.to_pandas([[1 / 3]]), terrain.decode([[1 / 3]])
    assert rows["a"].tolist() == seen["a"].to_list()


def test_polars_categories_of_one_column_are_not_those_of_another():
    terrain = Terrain.infer(POLARS)
    assert terrain.feature("colour").levels == ("blue", "red")
    assert terrain.feature("size").levels == ("S", "M", "L")
    assert terrain.feature("colour").kind == terrain.feature("size").kind == "categorical"


def test_polars_and_pandas_tables_give_the_same_points():
    columns = ["small", "float", "text", "flag"]
    terrain = Terrain.infer(POLARS.select(columns))
    frame = pd.DataFrame(POLARS.select(columns).to_dict(as_series=False))
    assert np.array_equal(terrain.encode(frame), terrain.encode(POLARS.select(columns)))
    assert np.array_equal(Terrain.infer(frame).encode(frame), terrain.encode(frame))


def test_polars_columns_may_come_in_any_order():
    terrain = Terrain.infer(POLARS)
    reordered = POLARS.select(POLARS.columns[::-1])
    assert np.array_equal(terrain.encode(reordered), terrain.encode(POLARS))


def test_missing_values_of_a_polars_frame_are_named():
    terrain = Terrain.infer(pl.DataFrame({"x": [1, 2], "y": ["u", "v"]}))
    with pytest.raises(MissingValues, match=r"x \(1\), y \(2\)"):
        terrain.encode(
            pl.DataFrame({"x": [1, None], "y": pl.Series([None, None], dtype=pl.String)})
        )


@pytest.mark.parametrize(
    "case",
    [
        {"t": "v", "n": 5, "b": False},
        pd.Series({"n": 5, "t": "v", "b": False}),
        [5, "v", False],
        (np.int64(5), "v", np.False_),
        np.array([5, "v", False], dtype=object),
        pd.DataFrame({"b": [False], "n": [5], "t": ["v"]}),
        pl.DataFrame({"n": [5], "t": ["v"], "b": [False]}),
    ],
    ids=lambda case: type(case).__name__,
)
def test_one_case_may_come_in_many_shapes(case):
    terrain = Terrain.infer(MIXED)
    assert terrain.encode(one_row(case, terrain.schema)).tolist() == [[0.5, 0, 1, 0]]


@pytest.mark.parametrize(
    ("case", "error", "message"),
    [
        ({"n": 5, "t": "v"}, UnknownColumn, "lacks the column 'b'"),
        ({"n": 5, "t": "v", "b": True, "z": 1}, UnknownColumn, "column 'z'.*drop it"),
        ([5, "v"], InvalidData, "2 values, 3 are needed"),
        (MIXED, InvalidData, "table of 2 rows"),
        (MIXED.iloc[:0], InvalidData, "table of 0 rows"),
        (MIXED[["n", "t", "b", "n"]][:1], InvalidData, "'n' stands in the table twice"),
        (5, InvalidData, "got 5; of a row by its number"),
    ],
)
def test_a_case_that_is_not_one_row_is_an_error(case, error, message):
    terrain = Terrain.infer(MIXED)
    with pytest.raises(error, match=message):
        one_row(case, terrain.schema)
    with pytest.raises(error, match=message):
        terrain.point(case)


def test_a_row_of_an_array_is_a_case_with_one_axis_or_with_two():
    terrain = Terrain.infer(np.array([[0, 1.0], [10, 3]]))
    assert terrain.point(np.array([5, 2])).tolist() == [0.5, 0.5]
    assert terrain.point(np.array([[5, 2]])).tolist() == [0.5, 0.5]


PLAIN = pd.DataFrame({"n": [0, 10], "x": [0.0, 1.0], "t": ["u", "v"]})


@pytest.mark.parametrize(
    "case",
    [
        {"t": "v", "n": 5, "x": 0.25},
        {"t": "v", "n": 5.0, "x": np.float32(0.25)},
        pd.Series({"n": 5, "x": 0.25, "t": "v"}),
        [np.int64(5), 0.25, "v"],
        (5, 0.25, "v"),
        np.array([5, 0.25, "v"], dtype=object),
        pd.DataFrame({"t": ["v"], "n": [5], "x": [0.25]}),
    ],
    ids=lambda case: type(case).__name__,
)
def test_a_case_of_plain_numbers_and_texts_needs_no_frame(case):
    terrain = Terrain.infer(PLAIN)
    cells = plain_cells(case, terrain.schema)
    point = encode_plain(cells, terrain.features, terrain.schema)
    assert point.tolist() == [0.5, 0.25, 0.0, 1.0]
    assert terrain.point(case).tolist() == point.tolist()


@pytest.mark.parametrize("case", [[5, 0.25], (5, 0.25, "u", 1), np.zeros(2)], ids=len)
def test_a_case_of_too_few_or_too_many_values_is_refused(case):
    with pytest.raises(InvalidData, match=f"The case has {len(case)} values, 3 are needed"):
        Terrain.infer(PLAIN).point(case)


@pytest.mark.parametrize(
    "odd",
    [
        {"n": 2.5},
        {"n": 2**53},
        {"n": -(2**53)},
        {"n": 10**400},
        {"n": "5"},
        {"n": None},
        {"n": 1j},
        {"x": math.nan},
        {"x": math.inf},
        {"x": -1e101},
        {"t": "w"},
        {"t": 1},
        {"t": None},
        {"t": ["u"]},
        {"t": {"u": 1}},
        {"z": 1},
    ],
    ids=str,
)
def test_a_case_alone_is_refused_in_the_words_for_its_table(odd):
    terrain = Terrain.infer(PLAIN)
    case = {"n": 5, "x": 0.25, "t": "u"} | odd
    with pytest.raises(FaceliftError) as for_table:
        terrain.encode(
            pd.DataFrame({name: pd.Series([v], dtype=object) for name, v in case.items()})
        )
    with pytest.raises(type(for_table.value)) as for_case:
        terrain.point(case)
    assert str(for_case.value) == str(for_table.value)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"t": ["u", "w"]}, InvalidData, "'w' is not a known value of column 't'; known: u, v"),
        ({"t": [1, 2]}, InvalidData, "^1 is not a known value of column 't'"),
        ({"t": ["u", ["v"]]}, InvalidData, r"^\['v'\] is not a known value of column 't'"),
        ({"t": ["w", ["v"]]}, InvalidData, "^'w' is not a known value of column 't'"),
        ({"n": ["ten", "12"]}, InvalidData, "Column 'n' holds numbers, but was given 'ten'"),
        ({"n": ["12", "ten"]}, InvalidData, "Column 'n' holds numbers, but was given '12'"),
        ({"n": [5, "ten"]}, InvalidData, "Column 'n' holds numbers, but was given 'ten'"),
        (
            {"n": pd.to_datetime(["2020-01-01", "2021-01-01"])},
            InvalidData,
            r"holds numbers, but was given Timestamp\('2020-01-01",
        ),
        ({"n": [1j, 2]}, InvalidData, "holds numbers, but was given 1j"),
        ({"n": [dt.date(2020, 1, 1), 2]}, InvalidData, "datetime.date"),
        ({"n": [1, math.nan]}, MissingValues, r"^Missing values in n \(1\), where"),
        ({"t": ["u", None], "n": [None, None]}, MissingValues, r"n \(2\), t \(1\)"),
        ({"n": [1, 2.5]}, InvalidData, "Column 'n' holds whole numbers, but was given 2.5; round"),
        ({"n": [1, math.inf]}, InvalidData, "Column 'n' holds an infinite value"),
        ({"n": [1, 2**53 + 2]}, InvalidData, r"Column 'n' holds whole numbers beyond 2\*\*53"),
        ({"n": pd.Series([1, 2**53 + 1], dtype=object)}, InvalidData, r"beyond 2\*\*53"),
        ({"b": ["yes", "no"]}, InvalidData, "'yes' is not a known value of column 'b'"),
        ({"extra": [1, 2]}, UnknownColumn, "column 'extra' that was not there in fit; drop it"),
    ],
)
def test_rows_that_do_not_fit_the_terrain_are_an_error(changes, error, message):
    with pytest.raises(error, match=message):
        Terrain.infer(MIXED).encode(MIXED.assign(**changes))


def test_a_level_outside_the_categories_is_an_error_with_the_nearest_one():
    X = pd.DataFrame({"savings": pd.Categorical(["none", "little"])})
    with pytest.raises(InvalidData, match=r"'litle' is not.*did you mean 'little'"):
        Terrain.infer(X).encode(pd.DataFrame({"savings": ["litle"]}))


def test_a_missing_column_is_an_error_with_the_nearest_one():
    X = pd.DataFrame({"savings": [1, 2], "age": [3, 4]})
    with pytest.raises(UnknownColumn, match="lacks the column 'savings'; did you mean 'saving'"):
        Terrain.infer(X).encode(X.rename(columns={"savings": "saving"}))


def test_a_column_given_twice_is_an_error():
    with pytest.raises(InvalidData, match="Column 'n' stands in the table twice"):
        Terrain.infer(MIXED).encode(MIXED[["n", "t", "b", "n"]])


def test_an_array_of_another_width_is_an_error():
    terrain = Terrain.infer(pd.DataFrame({"a": [0, 10], "b": [0.0, 1.0]}))
    with pytest.raises(InvalidData, match="X has 3 features, but Terrain is expecting 2"):
        terrain.encode(np.zeros((1, 3)))


@pytest.mark.parametrize(
    "given_as",
    [
        lambda X: X.assign(n=[1.0, 10.0]),
        lambda X: X.assign(n=pd.Series([1, 10], dtype=object)),
        lambda X: X.assign(n=pd.Categorical([1, 10])),
        lambda X: X.assign(n=pd.array([1, 10], dtype="Int64")),
        lambda X: X.assign(t=X["t"].astype("category"), n=[1, 10]),
        lambda X: X.assign(b=[1, 0], n=[1, 10]),
    ],
)
def test_the_same_values_of_another_type_are_welcome(given_as):
    terrain = Terrain.infer(MIXED)
    assert terrain.encode(given_as(MIXED)).tolist() == [[0.1, 1, 0, 1], [1, 0, 1, 0]]


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (MIXED.iloc[:0], InvalidData, "empty: 0 rows, 3 columns"),
        (pd.DataFrame(index=[0, 1]), InvalidData, "empty: 2 rows, 0 columns"),
        (
            pd.DataFrame([[1, 2]], columns=["twin", "twin"]),
            InvalidData,
            "Column 'twin' stands in the table twice; rename",
        ),
        (pd.DataFrame({"x": [1, 2], "y": [None, None]}), InvalidData, "'y' holds no value at all"),
        (
            pd.DataFrame({"x": pd.array([None, None], dtype="Int64")}),
            InvalidData,
            "'x' holds no value at all",
        ),
        (pd.DataFrame({"x": [1.0, math.inf]}), InvalidData, "Column 'x' holds an infinite value"),
        (
            pd.DataFrame({"x": ["a", 5]}),
            InvalidData,
            "Column 'x' mixes text with other values such as 5; make it all numbers",
        ),
        (
            pd.DataFrame({"x": pd.Series([b"a", "b"], dtype=object)}),
            InvalidData,
            "such as b'a'",
        ),
        (
            pd.DataFrame({"x": pd.Series([True, "yes"], dtype=object)}),
            InvalidData,
            "'x' mixes text with other values such as True",
        ),
        (
            pd.DataFrame({"since": pd.period_range("2020", periods=1, freq="Y")}),
            InvalidData,
            "Column 'since' has type period.*convert it",
        ),
        (pd.DataFrame({"z": [1j]}), InvalidData, "Column 'z' has type complex128"),
        (
            pd.DataFrame({"band": pd.cut([1, 5, 9], [0, 4, 10])}),
            InvalidData,
            "Column 'band' has a level of type Interval.*text",
        ),
        (
            pd.DataFrame({"id": [2**53 + 1, 5]}),
            InvalidData,
            r"Column 'id' holds whole numbers beyond 2\*\*53.*drop it",
        ),
        (
            pd.DataFrame({"id": pd.Series([2**63 + 5, 5], dtype="uint64")}),
            InvalidData,
            r"beyond 2\*\*53",
        ),
    ],
)
def test_a_table_facelift_cannot_walk_through_is_an_error(frame, error, message):
    with pytest.raises(error, match=message):
        Terrain.infer(frame)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), r"2 axes \(rows, columns\), got shape \(3,\)"),
        (np.zeros((2, 3, 4)), r"got shape \(2, 3, 4\)"),
        (np.array([[1, "a"]], dtype=object), "must hold numbers, got type object"),
        (np.array([["a", "b"]]), "must hold numbers, got type <U1; for text"),
        (np.array([[1j]]), "Complex data not supported"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "must hold numbers"),
        (np.zeros((0, 2)), "empty: 0 rows, 2 columns"),
        (np.zeros((2, 0)), "empty: 2 rows, 0 columns"),
        ([[1, 2], [3]], "equally long rows"),
        (np.array([[1.0, math.nan]]), "'x1' holds no value at all"),
        (np.array([[1.0, math.inf]]), "Column 'x1' holds an infinite value"),
        ("table", "pandas or polars DataFrame or a 2-D array, got str"),
        (pd.Series([1, 2]), "got Series"),
        (csr_array(np.eye(2)), r"Sparse tables are not known, got csr_array; give X.toarray\(\)"),
        (None, "got NoneType"),
    ],
)
def test_what_is_no_table_is_an_error(array, message):
    with pytest.raises(InvalidData, match=message):
        Terrain.infer(array)
