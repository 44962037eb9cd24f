"""Numbers at the ends of what floats can tell: an answer, or one clear line."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from facelift import FACElift, Terrain
from facelift.errors import InvalidData, InvalidInput
from facelift.steps.lattice import ladders

TINY = np.linspace(0.0, 1e-315, 14)


def test_a_range_wider_than_floats_is_refused():
    with pytest.raises(InvalidData, match=r"'a' reaches from -1.7e\+308 to 1.7e\+308.*larger unit"):
        Terrain.infer(pd.DataFrame({"a": [-1.7e308, 1.7e308]}))


@pytest.mark.parametrize("values", [TINY, np.linspace(0.0, 1.7e308, 14)])
def test_the_smallest_and_the_largest_numbers_have_round_stops_within_their_range(values):
    stops = np.array(Terrain.infer(pd.DataFrame({"a": values})).feature("a").stops)
    assert len(stops) >= 3
    assert (stops >= 0).all()
    assert (stops <= values.max()).all()
    assert all(len(f"{stop:.6g}") <= len("1.5e+308") for stop in stops)


@pytest.mark.parametrize("given_as", [lambda v: {"a": v}, lambda v: pd.DataFrame({"a": [v]})])
@pytest.mark.parametrize("value", [1e300, -1e300, 1e-100])
def test_a_value_too_far_from_all_others_to_be_compared_is_refused(value, given_as):
    terrain = Terrain.infer(pd.DataFrame({"a": TINY}))
    told = re.escape(f"{value:g} is too far from what column 'a' holds, 0 to 1e-315")
    with pytest.raises(InvalidData, match=told):
        terrain.point(given_as(value))


def test_a_stop_too_far_from_all_values_is_refused():
    with pytest.raises(InvalidInput, match=r"1e\+300 is too far"):
        Terrain.infer(pd.DataFrame({"a": TINY})).levels("a", [0.0, 1e300])


@pytest.mark.parametrize("price", [1e300, 1e-300])
def test_a_price_that_no_cost_can_be_made_of_is_refused(price):
    terrain = Terrain.infer(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(InvalidInput, match=r"between 1e-100 and 1e\+100"):
        terrain.price("a", price)


@pytest.mark.parametrize("far", [1e100, 1e-100])
def test_the_ends_of_what_can_be_told_are_allowed(far):
    terrain = Terrain.infer(pd.DataFrame({"a": [0.0, 1.0]}))
    assert terrain.price("a", far).cost([0.0], [1.0]) == far
    assert terrain.point({"a": -far}) == terrain.encode(pd.DataFrame({"a": [-far]})) == -far


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e300])
def test_tables_of_very_small_and_very_large_numbers_are_explained(steps, scale):
    X = pd.DataFrame({"a": np.arange(14.0) * scale, "b": np.arange(14.0) % 3})
    middle = X["a"].to_numpy()[9]

    def model(rows):
        good = (rows["a"] >= middle).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    multiverse = FACElift(model, steps=steps, n_neighbors=3, plausibility=1.0).fit(X).explain(X[:1])
    assert len(multiverse)
    assert all(journey.rows["a"].iloc[-1] >= middle for journey in multiverse)


def framed(row):
    """A frame of one row; older pandas takes numbers beyond floats as objects only."""
    huge = {name: object for name, value in row.items() if abs(value) > 1e308}
    return pd.DataFrame({k: pd.Series([v], dtype=huge.get(k)) for k, v in row.items()})


NARROW = pd.DataFrame({"n": np.array([3, 5, 120, 7], dtype=np.int8), "x": np.float32([1, 2, 3, 4])})


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"n": 300, "x": 1.0}, "'n' has type int8, from -128 to 127, but was given 300"),
        ({"n": -129.0, "x": 1.0}, "was given -129"),
        ({"n": 1, "x": 1e39}, r"'x' has type float32, from .*, but was given 1e\+39"),
        ({"n": 10**400, "x": 1.0}, "'n' holds an infinite value"),
    ],
)
@pytest.mark.parametrize("given_as", [dict, framed])
def test_a_number_that_the_type_of_its_column_cannot_hold_is_refused(case, told, given_as):
    with pytest.raises(InvalidData, match=told):
        Terrain.infer(NARROW).point(given_as(case))


@pytest.mark.parametrize(
    "column",
    [
        lambda dtype: {"n": pd.Series([1, 2], dtype=dtype.lower())},
        lambda dtype: {"n": pd.Series([1, 2], dtype=dtype)},
        lambda dtype: {"n": pl.Series([1, 2], dtype=getattr(pl, dtype))},
    ],
    ids=["numpy", "pandas", "polars"],
)
@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("Int8", -128, 127),
        ("UInt8", 0, 255),
        ("Int16", -(2**15), 2**15 - 1),
        ("UInt32", 0, 2**32 - 1),
        ("Float32", *map(float, np.finfo(np.float32).max * np.array([-1, 1]))),
    ],
)
def test_a_column_takes_every_number_that_its_type_can_hold_and_no_other(column, dtype, low, high):
    X = column(dtype)
    terrain = Terrain.infer(pl.DataFrame(X) if isinstance(X["n"], pl.Series) else pd.DataFrame(X))
    points = terrain.encode(pd.DataFrame({"n": [low, high]}))
    assert terrain.decode(points)["n"].to_list() == [low, high]
    more = 1e32 if dtype == "Float32" else 1
    for beyond in (low - more, high + more):
        with pytest.raises(InvalidData, match="fit with a wider type"):
            terrain.encode(pd.DataFrame({"n": [beyond]}))


def test_a_stop_that_the_type_of_its_column_cannot_hold_is_refused():
    with pytest.raises(InvalidInput, match="was given 200"):
        Terrain.infer(NARROW).levels("n", [5, 200])


def test_a_number_that_follows_another_never_leaves_its_type():
    X = pd.DataFrame({"years": [0, 5, 10], "age": np.array([120, 30, 40], dtype=np.int8)})
    terrain = Terrain.infer(X).link("years", "age")
    (ladder,) = ladders(terrain, terrain.point(X[:1]))
    states = np.tile(terrain.point(X[:1]), (len(ladder), 1))
    states[:, ladder.coordinates] = ladder.values
    assert terrain.decode(states)["age"].tolist() == [120, 125]
