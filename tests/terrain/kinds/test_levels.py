"""Levels: names are refused, and of many levels the most common are offered."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain, audit, read_rules, write_rules
from facelift.errors import InvalidData, InvalidInput
from facelift.graph.nearest import Index, Search, compiled_nearest, plain_nearest
from facelift.graph.plausibility import learn_plausibility
from facelift.graph.points import prototypes
from facelift.steps.lattice import ladders
from facelift.terrain.kinds import kind_of
from facelift.terrain.kinds.levels import MOST_CHOICES


def banks(n: int = 2000) -> pd.DataFrame:
    draws = np.random.default_rng(0)
    return pd.DataFrame({"bank": [f"Bank {int(each)}" for each in draws.exponential(60, n)]})


def test_names_are_refused_with_the_share_of_distinct_values():
    table = pd.DataFrame({"firm": [f"Firm {i // 2}" if i < 4 else f"F {i}" for i in range(1000)]})
    with pytest.raises(InvalidData, match=r"'firm' has 998 different values in 1,000 rows \(100%"):
        Terrain.infer(table)


def test_of_many_levels_the_most_common_are_offered(tmp_path):
    table = banks()
    terrain = Terrain.infer(table)
    feature = terrain.feature("bank")
    assert len(feature.levels) > 200
    common = set(table["bank"].value_counts().index[:MOST_CHOICES])
    assert {feature.levels[int(stop)] for stop in feature.stops} == common
    assert "50 of them to choose among" in feature.summary[-1]
    assert len(feature.summary[-1]) < 1000
    rare = table["bank"].value_counts().index[-1]
    point = terrain.point({"bank": rare})
    (ladder,) = ladders(terrain, point)
    assert len(ladder) == MOST_CHOICES + 1
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(table)), table)
    few = terrain.levels("bank", ["Bank 1", "Bank 2"])
    write_rules(few, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", terrain) == few
    model = lambda rows: np.tile([0.4, 0.6], (len(rows), 1))  # noqa: E731
    FACElift(model, few).fit(table).save(tmp_path / "saved")
    assert FACElift.load(tmp_path / "saved", model=model).terrain_.features == few.features


def test_few_levels_are_all_offered():
    terrain = Terrain.infer(pd.DataFrame({"job": ["cook", "judge", None]}))
    assert terrain.feature("job").stops == ()
    (ladder,) = ladders(terrain, terrain.point({"job": None}))
    assert len(ladder) == 3


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["Y", "N", "Y"], ("N", "Y")),
        (["no", "yes"], ("no", "yes")),
        (["TRUE", "FALSE"], ("FALSE", "TRUE")),
        ([" ja ", "nein"], ("nein", " ja ")),
    ],
)
def test_yes_is_more_than_no(cells, levels):
    table = pd.DataFrame({"c": cells})
    terrain = Terrain.infer(table)
    feature = terrain.increase_only("c").feature("c")
    assert (feature.kind, feature.levels, feature.never) == ("truth", levels, ("fall",))
    assert terrain.decode(terrain.encode(table))["c"].tolist() == cells


@pytest.mark.parametrize("cells", [["yes", "maybe"], ["no", "yes", "n/a"], ["Y", "yes"], ["yes"]])
def test_other_words_are_categories(cells):
    assert Terrain.infer(pd.DataFrame({"c": cells})).feature("c").kind == "categorical"


def one_hot(terrain: Terrain) -> Terrain:
    """The same terrain with a coordinate for every level."""
    features = (
        replace(each, kind="categorical", stops=()) if each.kind == "many levels" else each
        for each in terrain.features
    )
    return replace(terrain, features=tuple(features))


def table_of(rng: np.random.Generator, n: int, n_levels: int, *, gaps: bool) -> pd.DataFrame:
    """Numbers, few levels, many levels and yet more of them."""
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "debt": rng.normal(size=n).round(1),
            "home": rng.choice(["own", "rent"], n),
            "bank": [f"bank {int(each)}" for each in rng.integers(0, n_levels, n)],
            "town": [f"town {int(each)}" for each in rng.zipf(1.6, n) % (2 * n_levels)],
        }
    )
    if gaps:
        table.loc[rng.random(n) < 0.1, "debt"] = np.nan
        table.loc[rng.random(n) < 0.1, "bank"] = None
    return table


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Terrain, pd.DataFrame]:
    """A terrain with all kinds of prices on many levels, and its table."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_levels = draw(st.integers(12, 60)), draw(st.integers(4, 12))
    table = table_of(rng, n, n_levels, gaps=draw(st.booleans()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("facelift.terrain.kinds.levels.MOST_ONE_HOT", 2)
        terrain = Terrain.infer(table)
    for name in ("bank", "town"):
        levels = table[name].dropna().unique().tolist()
        if draw(st.booleans()):
            terrain = terrain.price(name, draw(st.sampled_from([0.0, 0.1, 0.7, 2.0, np.inf])))
        if len(levels) < 4:
            continue
        for start, end in pairwise(levels[: draw(st.integers(1, 4))]):
            price = draw(st.sampled_from([0.2, 3.0, np.inf]))
            terrain = terrain.transition(name, start, end, price=price)
        if draw(st.booleans()):
            terrain = terrain.worse(name, order=levels[1:3])
    if terrain.feature("bank").missing and draw(st.booleans()):
        terrain = terrain.missing("bank", found=0.5, lost=2.0)
    return terrain.increase_only("age"), table


@settings(max_examples=examples(200))
@given(worlds())
def test_moves_cost_what_they_do_one_hot(world):
    terrain, table = world
    wide = one_hot(terrain)
    kinds = {terrain.feature(name).kind for name in ("bank", "town")}
    assert kinds <= {"many levels", "categorical"}
    points, wide_points = terrain.encode(table), wide.encode(table)
    pd.testing.assert_frame_equal(terrain.decode(points), table)
    starts, ends = np.indices((len(table), len(table))).reshape(2, -1)
    points, wide_points = np.asarray(points), np.asarray(wide_points)
    for prices, wide_prices in (
        (terrain.prices, wide.prices),
        (terrain.prices.reversible, wide.prices.reversible),
        (terrain.distance, wide.distance),
    ):
        costs = prices.cost(points[starts], points[ends])
        np.testing.assert_allclose(
            costs, wide_prices.cost(wide_points[starts], wide_points[ends]), rtol=1e-12
        )
        forbidden = prices.forbidden(points, points)
        assert np.array_equal(forbidden.ravel(), np.isinf(costs))


@settings(max_examples=examples(60))
@given(worlds(), st.integers(1, 6))
def test_neighbours_are_those_of_one_hot(world, n_neighbors):
    terrain, table = world
    wide = one_hot(terrain)
    points, wide_points = np.asarray(terrain.encode(table)), np.asarray(wide.encode(table))
    itself = np.arange(len(points))
    indices, costs = plain_nearest(
        wide_points, wide_points, wide.prices, n_neighbors, itself=itself
    )
    found = plain_nearest(points, points, terrain.prices, n_neighbors, itself=itself)
    compiled = compiled_nearest(Search(points, points, terrain.prices, n_neighbors, itself=itself))
    assert np.array_equal(found[0], indices)
    np.testing.assert_allclose(found[1], costs, rtol=1e-12)
    if compiled is not None:
        assert np.array_equal(found[0], compiled[0])
        assert np.array_equal(found[1], compiled[1])
    starts = points[::3].copy()
    starts[:, 0] += 0.01
    again = Index(points, terrain.prices).nearest(starts, n_neighbors)
    expected = plain_nearest(starts, points, terrain.prices, n_neighbors)
    assert np.array_equal(again[0], expected[0])
    assert np.array_equal(again[1], expected[1])


@settings(max_examples=examples(60))
@given(worlds(), st.sampled_from([0.3, 0.8, 0.95]), st.booleans())
def test_what_is_plausible_is_so_one_hot(world, quantile, small):
    terrain, table = world
    wide, records = one_hot(terrain), table.drop_duplicates()
    with pytest.MonkeyPatch.context() as patch:
        if not small:
            patch.setattr("facelift.graph.plausibility.SMALL_TABLE", 0)
        learnt, wide_learnt = (
            learn_plausibility(np.asarray(each.encode(records)), quantile, each.distance)
            for each in (terrain, wide)
        )
        assert len(learnt._patterns.codes)
        assert learnt.bound == pytest.approx(wide_learnt.bound)
        states = records.copy()
        for name in ("debt", "bank", "town"):
            states[name] = np.roll(states[name].to_numpy(), 1)
            points, wide_points = (np.asarray(each.encode(states)) for each in (terrain, wide))
            rarity = wide_learnt.rarity(wide_points)
            np.testing.assert_allclose(learnt.rarity(points), rarity, rtol=1e-9)
            clear = np.abs(rarity - 1) > 1e-9
            assert np.array_equal(learnt.plausible(points)[clear], rarity[clear] <= 1)


def loan_model(rows: pd.DataFrame) -> np.ndarray:
    score = (rows["age"] - 50) / 20 + rows["debt"].fillna(0) + 0.3 * (rows["town"] > "town 2")
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("gaps", [False, True])
def test_ways_are_those_of_one_hot(monkeypatch, tmp_path, steps, gaps):
    monkeypatch.setattr("facelift.terrain.kinds.levels.MOST_ONE_HOT", 4)
    table = table_of(np.random.default_rng(7), 300, 12, gaps=gaps)
    terrain = Terrain.infer(table).price("town", 0.4).forbid("bank", "bank 1", "bank 2")
    assert [each.kind for each in terrain.features[3:]] == ["many levels"] * 2
    found, wide = (
        FACElift(loan_model, each, steps=steps, n_counterfactuals=4).fit(table)
        for each in (terrain, one_hot(terrain))
    )
    found.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=loan_model)
    declined = table[loan_model(table)[:, 1] < 0.4].iloc[:12]
    new = declined.assign(debt=declined["debt"] - 0.03)
    n_ways = 0
    for x in [*declined.iloc, *new.iloc]:
        ways, expected, again = (each.explain(x) for each in (found, wide, loaded))
        assert len(ways) == len(expected) == len(again)
        n_ways += len(ways)
        for way, other, loaded_way in zip(ways, expected, again, strict=True):
            pd.testing.assert_frame_equal(way.rows, other.rows)
            pd.testing.assert_frame_equal(way.rows, loaded_way.rows)
            assert way.cost == pytest.approx(other.cost)
    assert n_ways > 20


def many_banks(n: int = 3000) -> pd.DataFrame:
    draws = np.random.default_rng(0)
    return pd.DataFrame(
        {"bank": [f"B{i:04}" for i in draws.integers(0, 400, n)], "age": draws.integers(18, 80, n)}
    )


def test_columns_of_many_levels_take_one_coordinate(tmp_path):
    table = many_banks()
    for each in (table, table.astype({"bank": "category"})):
        terrain = Terrain.infer(each)
        assert terrain.n_coordinates == 2
        assert terrain.feature("bank").kind == "many levels"
        assert len(terrain.feature("bank").stops) == 50
        pd.testing.assert_frame_equal(terrain.decode(terrain.encode(each)), each)
    refined = (
        terrain.price("bank", 2.0).forbid("bank", "B0001", "B0002").worse("bank", order=["B0003"])
    )
    write_rules(refined, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", terrain) == refined
    ordered = terrain.order("bank", sorted(table["bank"].unique()))
    assert ordered.feature("bank").kind == "ordinal"


def test_bad_values_of_many_levels_get_one_clear_line(monkeypatch):
    monkeypatch.setattr("facelift.terrain.feature.MOST_SINGLE", 100_000)
    table = many_banks()
    terrain = Terrain.infer(table)
    with pytest.raises(InvalidData, match="'B9999' is not a known value of column 'bank'"):
        terrain.point({"bank": "B9999", "age": 30})
    with pytest.raises(InvalidInput, match=r"400 levels.*choose among: levels\('bank'"):
        Terrain.infer(table, permitted_range={"bank": ["B0001"]})
    with pytest.raises(InvalidInput, match="'bank' has no order"):
        terrain.increase_only("bank")


def test_audits_take_codes_for_levels(monkeypatch):
    monkeypatch.setattr("facelift.terrain.kinds.levels.MOST_ONE_HOT", 4)
    table = table_of(np.random.default_rng(3), 200, 12, gaps=False)
    terrain = Terrain.infer(table)
    declined = table[loan_model(table)[:, 1] < 0.5]
    found, expected = (
        audit(FACElift(loan_model, each).fit(table), declined, by="home")
        for each in (terrain, one_hot(terrain))
    )
    pd.testing.assert_frame_equal(found, expected)


def test_prototypes_have_the_commonest_level(monkeypatch):
    monkeypatch.setattr("facelift.terrain.kinds.levels.MOST_ONE_HOT", 2)
    table = pd.DataFrame(
        {"age": [20, 21, 25, 60, 61, 65], "bank": ["a", "c", "c", "d", None, None]}
    )
    terrain = Terrain.infer(table)
    assert terrain.feature("bank").kind == "many levels"
    middles = prototypes(np.asarray(terrain.encode(table)), terrain, 3)
    found = terrain.decode(middles)
    assert found["age"].tolist() == [22, 22, 22, 62, 62, 62]
    assert found["bank"].fillna("none").tolist() == ["c", "c", "c", "none", "none", "none"]


@pytest.mark.parametrize("missing", [False, True])
def test_levels_come_back_in_every_type_they_are_asked_for(missing):
    """Cells are kept by type, and those of one type are not given for another."""
    cells = ["own", "rent", None if missing else "own"]
    feature = Terrain.infer(pd.DataFrame({"housing": pd.Series(cells, dtype=object)})).features[0]
    asked = [np.dtype(object), pd.StringDtype(), np.dtype(object), pd.StringDtype()]
    places = feature.places[:2]
    for dtype in asked:
        column = kind_of(feature).decode(feature, places, np.zeros(2, dtype=bool), dtype)
        frame = pd.DataFrame({"housing": column})
        assert frame["housing"].tolist() == ["own", "rent"]
        assert frame["housing"].dtype == dtype


def test_levels_that_are_equal_numbers_and_truths_are_not_taken_for_each_other():
    truths = pd.DataFrame({"x": pd.Series([True, False], dtype=object)})
    numbers = pd.DataFrame({"x": pd.Categorical([1, 0], ordered=True)})
    for table in (truths, numbers, truths):
        terrain = Terrain.infer(table)
        assert [type(each) for each in terrain.decode(terrain.encode(table))["x"].tolist()] == [
            type(each) for each in table["x"].tolist()
        ]
