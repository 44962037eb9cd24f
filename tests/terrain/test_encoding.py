"""Tables to points and back, exactly; and the tables that are refused."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from polars.testing import assert_frame_equal as assert_polars_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer
from tests.laws import examples

from facelift import datasets
from facelift.errors import FaceliftError, InvalidData, MissingValues, UnknownColumn
from facelift.terrain import Terrain
from facelift.terrain.encoding import encode_plain
from facelift.terrain.tables import conform, one_row, plain_cells

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def assert_round_trip(X: pd.DataFrame, terrain: Terrain | None = None) -> None:
    """Decoding what was encoded gives the same table, to the last bit."""
    terrain = Terrain.infer(X) if terrain is None else terrain
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(X)), X, check_exact=True)


def apart(values: np.ndarray) -> bool:
    """Whether different values stay different points (see the docstring of `encoding`)."""
    seen = np.unique(np.asarray(values, dtype=np.float64))
    gaps = np.diff(seen)
    return bool((gaps > 1e-15 * (seen[-1] - seen[0])).all())


def numbers(n_rows: int):
    """Columns of numbers of every type."""
    free = st.floats(-1e9, 1e9, allow_subnormal=False)
    small = st.floats(-1e-3, 1e-3, allow_subnormal=False)
    cents = st.integers(-(10**6), 10**6).map(lambda i: i / 100)
    offset = st.integers(0, 999).map(lambda i: 1.7e9 + i / 1000)
    single = st.floats(-1e4, 1e4, width=32, allow_subnormal=False)

    def column(elements, dtype):
        values = st.lists(elements, min_size=n_rows, max_size=n_rows)
        return values.map(lambda given: pd.Series(given, dtype=dtype))

    def whole(dtype):
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -(2**50)), min(limits.max, 2**50)
        return column(st.integers(low, high), dtype)

    floats = [column(each, "float64") for each in (free, small, cents, offset)]
    wholes = [whole(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
    nullable = [column(cents, "Float64"), column(st.integers(-99, 99), "Int64")]
    return st.one_of(*floats, *wholes, *nullable, column(single, "float32")).filter(apart)


def levels(n_rows: int):
    """Columns of levels of every type; some levels are never used."""

    def text(dtype):
        values = st.lists(TEXT, min_size=n_rows, max_size=n_rows)
        return values.map(lambda given: pd.Series(given, dtype=dtype))

    def categories(elements):
        def column(known):
            codes = st.lists(st.integers(0, len(known) - 1), min_size=n_rows, max_size=n_rows)
            return st.tuples(codes, st.booleans()).map(
                lambda drawn: pd.Series(
                    pd.Categorical.from_codes(drawn[0], categories=known, ordered=drawn[1])
                )
            )

        return st.lists(elements, min_size=1, max_size=5, unique=True).flatmap(column)

    flags = st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)
    return st.one_of(
        text(object),
        text("str"),
        categories(TEXT),
        categories(st.integers(-5, 5)),
        flags.map(lambda given: pd.Series(given, dtype=bool)),
        flags.map(lambda given: pd.Series(given, dtype="boolean")),
    )


def indexes(n_rows: int):
    """Row labels: counted, shuffled, texts, dates."""
    return st.one_of(
        st.just(pd.RangeIndex(n_rows)),
        st.permutations(range(n_rows)).map(lambda order: pd.Index(order, name="row")),
        st.lists(TEXT, min_size=n_rows, max_size=n_rows).map(pd.Index),
        st.just(pd.date_range("2020-02-28", periods=n_rows, name="day")),
    )


@st.composite
def frames(draw):
    """Tables with any mix of columns, names and row labels."""
    n_rows = draw(st.integers(1, 7))
    names = draw(st.lists(st.one_of(TEXT, st.integers(0, 9)), min_size=1, max_size=5, unique=True))
    columns = [draw(st.one_of(numbers(n_rows), levels(n_rows))) for _ in names]
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    return frame.set_axis(draw(indexes(n_rows)), axis=0)


@given(frames())
@settings(max_examples=examples(120))
def test_decoding_gives_back_the_table_to_the_last_bit(X):
    assert_round_trip(X)


@given(frames(), st.data())
@settings(max_examples=examples(50))
def test_any_rows_in_any_order_come_back(X, data):
    rows = data.draw(st.lists(st.integers(0, len(X) - 1), max_size=5))
    assert_round_trip(X.iloc[rows], Terrain.infer(X))


@given(frames(), st.randoms(use_true_random=False))
@settings(max_examples=examples(50))
def test_columns_may_come_in_any_order(X, random):
    terrain = Terrain.infer(X)
    shuffled = X[random.sample(list(X.columns), X.shape[1])]
    assert np.array_equal(terrain.encode(shuffled), terrain.encode(X))


@given(frames())
@settings(max_examples=examples(30))
def test_a_case_alone_is_the_same_point_as_in_its_table(X):
    terrain = Terrain.infer(X)
    for i, point in enumerate(np.asarray(terrain.encode(X))):
        row = X.iloc[i]
        for case in (X.iloc[[i]], row, row.to_dict(), row.tolist()):
            assert terrain.point(case).tobytes() == point.tobytes()


def test_a_table_is_brought_into_the_order_of_the_terrain():
    X = pd.DataFrame({"a": [1, 2], "b": ["u", "v"]})
    pd.testing.assert_frame_equal(conform(X[["b", "a"]], Terrain.infer(X).schema), X)


@given(frames())
@settings(max_examples=examples(50))
def test_every_coordinate_of_a_seen_row_lies_between_zero_and_one(X):
    terrain = Terrain.infer(X)
    points = terrain.encode(X)
    assert points.shape == (len(X), terrain.n_coordinates)
    assert points.dtype == np.float64
    assert ((points >= 0) & (points <= 1)).all()


@pytest.mark.parametrize(
    "load",
    [
        lambda: datasets.load_german_credit().data,
        lambda: load_breast_cancer(as_frame=True).data,
        lambda: datasets.load_digits().data,
    ],
    ids=["german credit", "breast cancer", "digits"],
)
def test_real_tables_come_back_to_the_last_bit(load):
    X = load()
    terrain = Terrain.infer(X)
    assert_round_trip(X, terrain)
    assert_round_trip(X.iloc[5:9], terrain)
    assert_round_trip(X.sample(20, random_state=0), terrain)


@pytest.mark.parametrize(
    "labels",
    [
        pd.Index(["a", "b"], dtype=object),
        pd.Index(["a", "b"], name="feature"),
        pd.Index([1, "b"]),
        pd.Index([1.5, 2.5]),
        pd.CategoricalIndex(["a", "b"]),
        pd.date_range("2020-01-01", periods=2),
        pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]),
        pd.RangeIndex(2),
    ],
    ids=lambda labels: type(labels).__name__ + str(labels.dtype),
)
def test_column_labels_of_any_type_come_back(labels):
    assert_round_trip(pd.DataFrame([[1, 2.5], [3, 4.5]], columns=labels))


@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.2, 0.30000000000000004],
        [1e9 + 0.001, 1e9 + 0.002],
        [-1000.000000000001, 1000.0],
        [1 / 3, 2 / 3, 1.0],
        [5.0, 5.0],
        [1e-300, 2e-300],
        [1e300, -1e300],
        [1.7e308, 1.7e308],
        [2.0**52 + 1, 2.0**52],
        [-0.5, -0.25],
    ],
)
def test_awkward_numbers_come_back(values):
    assert_round_trip(pd.DataFrame({"x": values}))


def drawn(low: float, high: float, decimals: int = 0, n: int = 500) -> pd.DataFrame:
    """A column of numbers with so many decimals."""
    values = np.random.default_rng(0).uniform(low, high, n)
    return pd.DataFrame({"x": np.round(values, decimals)})


@pytest.mark.parametrize(
    "X", [drawn(-9e15, 9e15), drawn(-9e15, 9e15).astype(np.int64), drawn(-3e13, 3e13, 2)]
)
def test_numbers_of_as_many_digits_as_floats_have_come_back(X):
    assert_round_trip(X)


@pytest.mark.parametrize(("high", "decimals"), [(1e12, 0), (1e10, 2), (900, 12)])
def test_numbers_never_seen_come_back_as_typed_with_the_decimals_seen(high, decimals):
    X = drawn(0, high, decimals)
    assert_round_trip(X[250:], Terrain.infer(X[:250]))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3, 1e9, 1e15])
def test_numbers_never_seen_come_back_as_typed_among_others_of_many_digits(scale):
    seen, new, typed = np.random.default_rng(0).normal(scale=scale, size=(3, 300))
    terrain = Terrain.infer(pd.DataFrame({"x": seen}))
    assert_round_trip(pd.DataFrame({"x": [float(f"{each:.5g}") for each in typed]}), terrain)
    back = terrain.decode(terrain.encode(pd.DataFrame({"x": new})))["x"]
    np.testing.assert_allclose(back, new, rtol=0, atol=1.1e-13 * terrain.feature("x").span)


def test_numbers_far_from_all_seen_come_back_as_typed():
    assert_round_trip(drawn(-1e8, 1e8, 2), Terrain.infer(drawn(0, 1000, 2)))


def test_numbers_of_more_decimals_than_all_seen_come_back_as_typed():
    assert_round_trip(drawn(0, 1000, 3), Terrain.infer(drawn(0, 1000)))


@pytest.mark.parametrize(("high", "decimals", "half"), [(1e12, 0, 0.5), (1e10, 2, 0.005)])
def test_halves_between_numbers_of_a_wide_range_stay_halves(high, decimals, half):
    X = drawn(0, high, decimals)
    back = Terrain.infer(X).decode(Terrain.infer(X).encode(X + half))
    np.testing.assert_allclose(back["x"], X["x"] + half, rtol=0, atol=half / 100)


def test_numbers_are_remembered_one_by_one_only_where_their_decimals_are_many():
    few, many = drawn(0, 1, 12), drawn(0, 1, 13)
    assert Terrain.infer(few).feature("x").seen is None
    assert Terrain.infer(many).feature("x").seen.tolist() == sorted(many["x"])


def test_values_too_close_to_tell_apart_come_back_as_one_of_them():
    X = pd.DataFrame({"x": [0.0, 1e-30, 1.0, 1 + 2**-52]})
    terrain = Terrain.infer(X)
    np.testing.assert_allclose(terrain.decode(terrain.encode(X))["x"], X["x"], atol=1e-15)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=5), st.floats(-1e3, 1e3))
def test_numbers_never_seen_come_back_nearly(seen, value):
    assume(max(seen) - min(seen) > 1e-3)
    terrain = Terrain.infer(pd.DataFrame({"x": seen}))
    decoded = terrain.decode(terrain.encode(pd.DataFrame({"x": [value]})))
    assert decoded["x"][0] == pytest.approx(value, rel=1e-9, abs=1e-6)


def test_numbers_are_scaled_by_the_range_seen_and_not_clipped():
    terrain = Terrain.infer(pd.DataFrame({"x": [10, 20]}))
    points = terrain.encode(pd.DataFrame({"x": [10, 15, 20, 0, 35]}))
    assert points[:, 0].tolist() == [0, 0.5, 1, -1, 2.5]
    assert terrain.decode(points)["x"].tolist() == [10, 15, 20, 0, 35]


def test_a_constant_column_has_the_coordinate_zero():
    terrain = Terrain.infer(pd.DataFrame({"x": [7, 7]}))
    assert terrain.encode(pd.DataFrame({"x": [7, 8]}))[:, 0].tolist() == [0, 1]


def test_ordered_levels_become_evenly_spaced_ranks():
    dtype = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    terrain = Terrain.infer(pd.DataFrame({"x": pd.Series(["low", "high"], dtype=dtype)}))
    points = terrain.encode(pd.DataFrame({"x": ["low", "mid", "high"]}))
    assert points[:, 0].tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("levels", [["no", "yes"], ["none", "some", "most", "all"]])
def test_the_highest_ordered_level_of_a_case_alone_is_one(levels):
    X = pd.DataFrame({"x": pd.Categorical(levels, levels, ordered=True)})
    assert Terrain.infer(X).point({"x": levels[-1]}).tolist() == [1]


def test_other_levels_become_one_coordinate_each():
    terrain = Terrain.infer(pd.DataFrame({"x": ["b", "a", "c"]}))
    assert terrain.encode(pd.DataFrame({"x": ["c", "a"]})).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_columns_stand_side_by_side_in_the_order_of_the_table():
    X = pd.DataFrame({"b": [True, False], "t": ["u", "v"], "n": [1, 3]})
    terrain = Terrain.infer(X)
    assert terrain.encode(X).tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert terrain.slices == (slice(0, 1), slice(1, 3), slice(3, 4))


def test_every_one_of_many_levels_comes_back():
    grades = [f"grade {i}" for i in range(60)]
    assert_round_trip(pd.DataFrame({"x": pd.Categorical(grades, grades, ordered=True)}))
    assert_round_trip(pd.DataFrame({"x": pd.Categorical(grades, grades)}))


def test_points_between_the_levels_decode_to_the_nearest_ones():
    X = pd.DataFrame({"t": ["u", "v"], "b": [True, False], "n": [0, 10]})
    terrain = Terrain.infer(X)
    decoded = terrain.decode([[0.4, 0.6, 0.3, 0.26], [0.9, 0.1, 7.0, -0.1]])
    assert decoded.values.tolist() == [["v", False, 3], ["u", True, -1]]


def test_points_of_single_precision_decode_as_the_numbers_they_are():
    terrain = Terrain.infer(pd.DataFrame({"x": [0, 10**9]}))
    points = np.array([[0.3], [0.7]], dtype=np.float32)
    assert terrain.decode(points)["x"].tolist() == [300000012, 699999988]


def test_points_cannot_be_sorted_away_from_their_row_labels():
    with pytest.raises(ValueError, match="read-only"):
        Terrain.infer(MIXED).encode(MIXED).sort(axis=0)


def test_points_of_arithmetic_have_forgotten_the_row_labels():
    X = pd.DataFrame({"n": [0, 10]}, index=["a", "b"])
    terrain = Terrain.infer(X)
    points = terrain.encode(X)
    assert terrain.decode(points).index.tolist() == ["a", "b"]
    assert terrain.decode(points[:1]).index.tolist() == [0]
    assert terrain.decode(points + 0).index.tolist() == [0, 1]


def test_a_table_of_no_rows_can_be_encoded_once_the_terrain_is_known():
    X = pd.DataFrame({"n": [0, 10], "t": ["u", "v"], "b": [True, False]})
    assert_round_trip(X.iloc[:0], Terrain.infer(X))


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
    assert [str(dtype) for dtype in rows.dtypes[:4]] == ["int64", "int64", "float64", "float64"]
    assert {str(dtype) for dtype in rows.dtypes[4:]} == {"object"}


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


MIXED = pd.DataFrame({"n": [0, 10], "t": ["u", "v"], "b": [True, False]})


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
        (5, InvalidData, "got int"),
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
            pd.DataFrame({"since": pd.to_datetime(["2020-01-01"])}),
            InvalidData,
            "Column 'since' has type datetime64.*convert it",
        ),
        (
            pd.DataFrame({"span": pd.to_timedelta([1], unit="D")}),
            InvalidData,
            "Column 'span' has type timedelta64",
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


@pytest.mark.parametrize("points", [np.zeros(4), np.zeros((2, 3)), np.zeros((1, 2, 4))])
def test_points_of_another_shape_cannot_be_decoded(points):
    with pytest.raises(InvalidData, match=r"shape \(n, 4\)"):
        Terrain.infer(MIXED).decode(points)


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
