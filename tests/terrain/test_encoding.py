"""Tables to points and back: to the last bit, in any order, with any numbers and levels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from tests.laws import examples
from tests.terrain.tables import MIXED, apart

from facelift import datasets
from facelift.errors import InvalidData
from facelift.terrain import Terrain
from facelift.terrain.tables import conform

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def assert_round_trip(X: pd.DataFrame, terrain: Terrain | None = None) -> None:
    """Decoding what was encoded gives the same table, to the last bit."""
    terrain = Terrain.infer(X) if terrain is None else terrain
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(X)), X, check_exact=True)
    assert_same_cells(terrain, terrain.encode(X))
    if len(X):
        assert_first_row_alone(X, terrain)


def assert_first_row_alone(X: pd.DataFrame, terrain: Terrain) -> None:
    """A single row comes back as it is in the table, by its point and as a case that was read."""
    first = X.iloc[[0]].reset_index(drop=True)
    point, numbers = terrain.read(first)
    for found in (terrain.decode([point]), terrain.decode_one(point, numbers)):
        pd.testing.assert_frame_equal(found, first, check_exact=True)


def assert_same_cells(terrain: Terrain, points: np.ndarray) -> None:
    """Cells are those of the frame, types and ways to say "missing" included."""

    def told(cells: np.ndarray) -> list[list[tuple[type, str]]]:
        return [[(type(cell), repr(cell)) for cell in row] for row in cells]

    expected = terrain.to_pandas(points).to_numpy(dtype=object)
    assert told(terrain.to_cells(points)) == told(expected)


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


@pytest.mark.parametrize("points", [np.zeros(4), np.zeros((2, 3)), np.zeros((1, 2, 4))])
def test_points_of_another_shape_cannot_be_decoded(points):
    with pytest.raises(InvalidData, match=r"shape \(n, 4\)"):
        Terrain.infer(MIXED).decode(points)


def in_polars(X: pd.DataFrame) -> pl.DataFrame:
    """The same table in polars, made without pyarrow, which need not be there."""
    cells = X.astype(object).where(X.notna(), None)
    return pl.DataFrame({name: column.tolist() for name, column in cells.items()})


@pytest.mark.parametrize("as_table", [lambda X: X, in_polars])
def test_cells_without_a_frame_are_those_of_the_frame(as_table):
    X = pd.DataFrame(
        {
            "whole": [1, 2, 3],
            "gap": [1.5, np.nan, 2.5],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "narrow": np.array([0.1, 0.2, 0.3], dtype=np.float32),
            "text": ["a", "b", "a"],
            "none": pd.Series(["a", None, "b"], dtype=object),
            "yes": [True, False, True],
            "level": pd.Categorical(["x", None, "y"]),
            "day": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-06-01"]),
            "late": pd.to_datetime(["2020-01-01", None, "2022-06-01"]),
            "wait": pd.to_timedelta([1, 2, 3], unit="D"),
        }
    )
    terrain = Terrain.infer(as_table(X))
    assert_same_cells(terrain, terrain.encode(as_table(X)))
    assert terrain.to_cells(np.empty((0, terrain.n_coordinates))).shape == (0, X.shape[1])
