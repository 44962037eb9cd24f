"""Missing values are a state of their own: exact round trips, prices, and no NaN in any cost."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain, read_rules, write_rules
from facelift.errors import InvalidData, InvalidInput, MissingValues
from facelift.graph.nearest import nearest_admissible
from facelift.steps.lattice import ladders
from facelift.terrain.encoding import encode_plain
from facelift.terrain.tables import plain_cells

LEVELS = ["low", "mid", "high"]
BLANKS = {"job": None, "said": None, "count": pd.NA, "member": pd.NA}


def table(seed: int, n: int = 40, share: float = 0.3) -> pd.DataFrame:
    """A table of every kind of column, with missing values in all but the last."""
    rng = np.random.default_rng(seed)
    whole = pd.DataFrame(
        {
            "income": rng.integers(0, 50, n) * 100.0,
            "exact": rng.normal(size=n),
            "count": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "job": pd.Series(rng.choice(["none", "part", "full"], n), dtype=object),
            "text": pd.Series(rng.choice(["a", "b"], n)),
            "home": pd.Categorical(rng.choice(["own", "rent"], n)),
            "savings": pd.Categorical(rng.choice(LEVELS, n), LEVELS, ordered=True),
            "member": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "said": pd.Series(list(map(bool, rng.random(n) < 0.5)), dtype=object),
            "age": rng.integers(18, 70, n),
        }
    )
    holes = rng.random(whole.shape) < share
    holes[:2], holes[2] = False, True  # each column has values, and a hole
    for i, name in enumerate(whole.columns[:-1]):
        whole[name] = whole[name].where(~holes[:, i], BLANKS.get(name, np.nan))
    return whole


SEEDS = st.integers(0, 2**32 - 1)
LAWS = settings(max_examples=examples(25), deadline=None)


@LAWS
@given(SEEDS)
def test_a_round_trip_is_exact(seed):
    X = table(seed)
    terrain = Terrain.infer(X)
    back = terrain.decode(terrain.encode(X))
    assert back.dtypes.equals(X.dtypes)
    assert back.equals(X)


def test_a_case_alone_is_the_same_point_as_in_its_table():
    X = table(0)[["income", "job", "home", "savings", "age"]]
    terrain = Terrain.infer(X)
    for i, point in enumerate(np.asarray(terrain.encode(X))):
        for case in (X.iloc[[i]], X.iloc[i], X.iloc[i].tolist()):
            assert terrain.point(case).tolist() == point.tolist()


@pytest.mark.parametrize("values", [["a", "b"], [True, False]])
def test_a_missing_object_comes_back_as_it_was_written(values):
    for blank in (None, math.nan):
        X = pd.DataFrame({"x": pd.Series([values[0], blank, values[1]], dtype=object)})
        terrain = Terrain.infer(X)
        assert repr(terrain.decode(terrain.encode(X))["x"].tolist()) == repr(X["x"].tolist())


@LAWS
@given(SEEDS)
def test_points_and_costs_are_never_nan(seed):
    X = table(seed)
    terrain = Terrain.infer(X).increase_only("income").missing("savings", lost=2.0)
    points = np.asarray(terrain.encode(X))
    assert np.isfinite(points).all()
    assert not np.isnan(terrain.cost(points[:, np.newaxis], points)).any()
    assert (terrain.cost(points, points) == 0).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_polars_and_arrays_come_back_as_they_were(seed):
    rng = np.random.default_rng(seed)
    X = pl.DataFrame(
        {
            "n": [1, None, 3, 4],
            "x": [1.5, 2.0, None, 0.5],
            "t": ["a", None, "b", "a"],
            "b": [True, None, False, True],
            "e": pl.Series(["u", None, "v", "u"], dtype=pl.Enum(["u", "v"])),
            "c": pl.Series(["u", None, "v", "u"], dtype=pl.Categorical),
        }
    )
    terrain = Terrain.infer(X)
    assert terrain.decode(terrain.encode(X)).equals(X, null_equal=True)
    array = np.where(rng.random((9, 3)) < 0.3, np.nan, rng.random((9, 3)))
    array[0] = 1.0
    terrain = Terrain.infer(array)
    assert np.array_equal(terrain.decode(terrain.encode(array)), array, equal_nan=True)


def slow_cost(terrain: Terrain, start: pd.Series, end: pd.Series) -> float:
    """The cost of a move between two rows, column by column, from what they say."""
    total = 0.0
    for f in terrain.features:
        gone = bool(pd.isna(start[f.name])), bool(pd.isna(end[f.name]))
        unit = math.sqrt(2) if f.kind == "categorical" else 1.0
        if gone == (True, True):
            cost = 0.0
        elif gone == (True, False):
            cost = f.found * unit
        elif gone == (False, True):
            one_way = math.isinf(f.increase) or math.isinf(f.decrease)
            cost = math.inf if one_way else f.lost * unit
        elif f.kind == "categorical":
            cost = 0.0 if start[f.name] == end[f.name] else f.increase * unit
        else:
            spot = f.levels.index if f.levels else float
            span = len(f.levels) - 1 if f.levels else f.span
            moved = (spot(end[f.name]) - spot(start[f.name])) / span
            price = f.increase if moved > 0 else f.decrease
            cost = 0.0 if moved == 0 else price * abs(moved)
        total += cost**2
    return math.sqrt(total)


@LAWS
@given(SEEDS, st.sampled_from([0.0, 0.5, 2.0, math.inf]), st.sampled_from([0.5, math.inf]))
def test_costs_are_those_of_the_definition(seed, found, lost):
    X = table(seed, n=8)
    terrain = Terrain.infer(X).increase_only("income", "age").price("exact", 3.0)
    for name in ("income", "savings", "job", "count"):
        terrain = terrain.missing(name, found=found, lost=lost)
    points = np.asarray(terrain.encode(X))
    for i in range(len(X)):
        for j in range(len(X)):
            expected = slow_cost(terrain, X.iloc[i], X.iloc[j])
            assert terrain.cost(points[i], points[j]) == pytest.approx(expected)


@LAWS
@given(SEEDS)
def test_neighbours_are_the_nearest_of_all_pairs(seed):
    X = table(seed, n=150, share=0.05)[["income", "savings", "home", "age"]]
    rng = np.random.default_rng(seed)
    terrain = Terrain.infer(X).increase_only("age").price("income", increase=2.0)
    if rng.random() < 0.5:
        terrain = terrain.freeze("savings").missing("income", found=0.1, lost=0.2)
    if rng.random() < 0.5:
        terrain = terrain.decrease_only("income").forbid("home", "own", "rent")
    if rng.random() < 0.5:
        terrain = terrain.forbid("savings", "low", "high")
    points = np.asarray(terrain.encode(X))
    costs = terrain.cost(points[:, np.newaxis], points)
    assert (np.isinf(costs) == terrain.prices.forbidden(points, points)).all()
    np.fill_diagonal(costs, np.inf)
    _, found = nearest_admissible(points, points, terrain.prices, 5, itself=np.arange(len(X)))
    np.testing.assert_allclose(found, np.sort(costs, axis=1)[:, :5])


def test_one_way_columns_may_be_found_at_any_value_and_frozen_ones_never():
    X = pd.DataFrame({"age": [20.0, 30.0, 40.0, None]})
    points = np.asarray(Terrain.infer(X).encode(X))
    for refine in ("increase_only", "decrease_only"):
        terrain = getattr(Terrain.infer(X), refine)("age")
        assert terrain.cost(points[3], points[:3]).tolist() == [1.0, 1.0, 1.0]
        assert np.isinf(terrain.cost(points[:3], points[3])).all()
    frozen = Terrain.infer(X).freeze("age")
    assert np.isinf(frozen.cost(points[3], points[:3])).all()
    assert frozen.feature("age").frozen


def test_freezing_forbids_to_lose_a_value_and_a_later_price_allows_to_find_one():
    X = pd.DataFrame({"age": [20.0, 30.0, None]})
    known, _, unknown = np.asarray(Terrain.infer(X).encode(X))
    terrain = Terrain.infer(X).missing("age", lost=2.0)
    assert terrain.cost(known, unknown) == 2.0
    frozen = terrain.freeze("age")
    assert frozen.cost(known, unknown) == math.inf
    again = frozen.missing("age", found=3.0)
    assert again.cost(unknown, known) == 3.0
    assert not again.feature("age").frozen


@pytest.mark.parametrize("refine", ["increase_only", "decrease_only"])
def test_a_value_with_one_direction_is_never_lost_whatever_the_price(refine):
    X = table(0)[["income", "savings", "age"]]
    names = ("income", "savings")
    for terrain in (Terrain.infer(X), getattr(Terrain.infer(X), refine)(*names)):
        for name in names:
            terrain = terrain.missing(name, found=0.5, lost=0.1)
        terrain = getattr(terrain, refine)(*names)
        for name in names:
            assert terrain.feature(name).lost == 0.1
            known = {**X.iloc[0], name: X[name].dropna().iloc[0]}
            start, end = terrain.point(known), terrain.point({**known, name: None})
            assert terrain.cost(start, end) == math.inf
            assert terrain.cost(end, start) > 0
            assert math.isfinite(terrain.cost(end, start))
            assert terrain.prices.forbidden(start[np.newaxis], end[np.newaxis]).all()
    assert repr(terrain).count("never lost (it could be found at any value)") == 2
    again = terrain.price("income", 1.0)
    assert again.feature("income").losing == 0.1


def test_single_changes_of_ranks_are_priced_where_some_are_missing():
    X = pd.DataFrame({"savings": pd.Categorical([*LEVELS, None], LEVELS, ordered=True)})
    terrain = Terrain.infer(X).forbid("savings", "low", "high")
    points = np.asarray(terrain.encode(X))
    assert terrain.cost(points[:, np.newaxis], points).tolist() == [
        [0.0, 0.5, math.inf, math.inf],
        [0.5, 0.0, 0.5, math.inf],
        [1.0, 0.5, 0.0, math.inf],
        [1.0, 1.0, 1.0, 0.0],
    ]


@pytest.mark.parametrize("name", ["age", "home", "income", "savings"])
def test_what_is_missing_is_told_for_points_of_any_shape(name):
    X = table(0)
    terrain = Terrain.infer(X)
    part = terrain.slices[list(X.columns).index(name)]
    points, gone = np.asarray(terrain.encode(X))[:, part], X[name].isna().to_numpy()
    assert terrain.feature(name).is_missing(points).tolist() == gone.tolist()
    pairs = terrain.feature(name).is_missing(points.reshape(20, 2, -1))
    assert pairs.tolist() == gone.reshape(20, 2).tolist()
    assert terrain.feature(name).is_missing(points[2]).tolist() == gone[2]


def test_bounds_and_requirements_say_nothing_about_what_is_missing():
    X = pd.DataFrame(
        {
            "income": [500.0, None, 3000.0],
            "rent": [600.0, 700.0, None],
            "member": pd.Series([True, None, False], dtype=object),
            "savings": pd.Categorical(["low", None, "high"], ["low", "high"], ordered=True),
        }
    )
    points = np.asarray(Terrain.infer(X).encode(X))
    bounded = Terrain.infer(X).between("income", 2500, 5000)
    assert bounded.admissible(points).tolist() == [False, True, True]
    for rule, expected in {
        "income >= rent": [False, True, True],
        "member == True": [True, True, False],
        "savings > 'low'": [False, True, True],
        "not savings == 'low'": [False, True, True],
    }.items():
        assert Terrain.infer(X).require(rule).admissible(points).tolist() == expected, rule


def test_a_ladder_finds_a_missing_value_at_any_stop_and_loses_one_only_at_a_price():
    X = pd.DataFrame({"debts": [0.0, 1.0, 2.0, 3.0, None], "age": [20, 30, 40, 50, 60]})
    terrain = Terrain.infer(X).freeze("age")
    points = np.asarray(terrain.encode(X))
    (unknown,) = ladders(terrain, points[4])
    assert unknown.parents.tolist() == [-1, 0, 0, 0, 0]
    assert unknown.step_costs.tolist() == [0.0, 1.0, 1.0, 1.0, 1.0]
    (known,) = ladders(terrain, points[1])
    assert [row[1] for row in known.values.tolist()] == [0.0] * 4
    (loses,) = ladders(terrain.missing("debts", lost=0.5), points[1])
    assert loses.values[-1].tolist() == points[4, :2].tolist()
    assert loses.step_costs[-1] == 0.5


def test_time_passes_only_between_values():
    X = pd.DataFrame({"age": [20.0, None, 30.0]})
    terrain = Terrain.infer(X).rate("age", per="year")
    assert terrain.earliest(np.asarray(terrain.encode(X))).tolist() == [0.0, 0.0, 10.0]
    assert terrain.earliest(np.asarray(terrain.encode(X))[1:]).tolist() == [0.0, 0.0]


def test_rules_files_tell_prices_of_missing_values(tmp_path):
    X = table(0)
    terrain = Terrain.infer(X).missing("income", found=0.5).missing("job", lost=3.0).freeze("home")
    write_rules(terrain, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(X)) == terrain
    assert "missing = { found = 0.5, lost = inf }" in (tmp_path / "rules.toml").read_text()


def test_what_cannot_be_is_one_clear_error():
    X = pd.DataFrame({"income": [1.0, None], "debt": [1.0, 2.0], "empty": [None, None]})
    with pytest.raises(InvalidData, match="'empty' holds no value"):
        Terrain.infer(X)
    terrain = Terrain.infer(X[["income", "debt"]])
    with pytest.raises(MissingValues, match=r"debt \(1\), where the terrain knows of none"):
        terrain.encode(pd.DataFrame({"income": [None, 1.0], "debt": [None, 1.0]}))
    with pytest.raises(InvalidInput, match="no missing values"):
        terrain.missing("debt", found=2.0)
    with pytest.raises(InvalidInput, match="follow no link"):
        terrain.link("debt", "income")
    with pytest.raises(InvalidInput, match="Price of 'income'"):
        terrain.missing("income", found=-1.0)


def test_whole_numbers_of_polars_that_floats_cannot_keep_apart_are_refused():
    with pytest.raises(InvalidData, match=r"beyond 2\*\*53"):
        Terrain.infer(pl.DataFrame({"a": [1, 2**60 + 1, None]}))
    with pytest.raises(InvalidData, match=r"beyond 2\*\*53"):
        Terrain.infer(pl.DataFrame({"a": [1, 2**53, None]}))
    X = pl.DataFrame({"a": [1, 2**50 + 1, None]})
    terrain = Terrain.infer(X)
    assert terrain.decode(terrain.encode(X)).equals(X)
    explainer = FACElift(lambda X: np.ones((len(X), 1)) * [0.3, 0.7], terrain).fit(X)
    found = explainer.explain_many(pl.DataFrame({"a": [1, 2**60 + 1, None]}), 0)
    assert [each.why_not.reason for each in found] == ["no candidate", "bad row", "no candidate"]


def test_a_case_with_missing_values_needs_no_frame_and_has_the_same_point():
    X = pd.DataFrame(
        {"a": [1.5, np.nan, 3.0], "b": ["x", np.nan, "y"], "c": [-9.0, 2.0, np.nan], "d": [1, 2, 3]}
    )
    terrain = Terrain.infer(X, missing={"c": [-9]})
    for row in range(len(X)):
        cells = plain_cells(X.iloc[[row]], terrain.schema)
        point = encode_plain(cells, terrain.features, terrain.schema)
        if row == 0:
            assert point is None  # a code takes a closer look
        else:
            assert point.tobytes() == np.asarray(terrain.encode(X))[row].tobytes()
            assert terrain.point(X.iloc[[row]]).tobytes() == point.tobytes()
