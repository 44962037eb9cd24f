"""Ladders: the positions single actions lead to, from where a person stands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.terrain.small_terrain import FRAME as SMALL
from tests.terrain.small_terrain import frame_of, rows, terrains

from facelift import Terrain
from facelift.steps.lattice import Ladder, ladders
from facelift.terrain.kinds.numeric import SAME_STOP

LEVELS = ["none", "low", "middle", "high"]
FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 60],
        "years": [0.0, 5.0, 10.0, 20.0],
        "savings": pd.Categorical(LEVELS, LEVELS, ordered=True),
        "rank": pd.Categorical(["c", "b", "a", "a"], ["c", "b", "a"], ordered=True),
        "housing": ["free", "own", "rent", "rent"],
        "employed": [True, False, True, True],
        "fixed": [1.0, 1.0, 1.0, 1.0],
    }
)
CASE: dict[str, Any] = {
    "age": 30,
    "years": 5.0,
    "savings": "low",
    "rank": "c",
    "housing": "own",
    "employed": False,
    "fixed": 1.0,
}
TERRAIN = Terrain.infer(FRAME)


def ladders_of(terrain: Terrain, **changed: Any) -> dict[Any, Ladder]:
    case = pd.DataFrame([{**CASE, **changed}]).astype(FRAME.dtypes.to_dict())
    return {ladder.names[0]: ladder for ladder in ladders(terrain, terrain.encode(case)[0])}


def said(terrain: Terrain, ladder: Ladder, name: str, **changed: Any) -> list[Any]:
    """What a column is at every position of a ladder, in the table's own units."""
    case = pd.DataFrame([{**CASE, **changed}]).astype(FRAME.dtypes.to_dict())
    points = np.repeat(np.asarray(terrain.encode(case)), len(ladder), axis=0)
    points[:, ladder.coordinates] = ladder.values
    return terrain.to_pandas(points)[name].tolist()


def positions(terrain: Terrain, name: str, follower: str | None = None, **changed: Any) -> Any:
    """Values of a column (or of one that follows it) at every position; None without a ladder."""
    ladder = ladders_of(terrain, **changed).get(name)
    return None if ladder is None else said(terrain, ladder, follower or name, **changed)


def test_levels_follow_each_other_upwards_and_then_downwards():
    ladder = ladders_of(TERRAIN)["savings"]
    assert said(TERRAIN, ladder, "savings") == ["low", "middle", "high", "none"]
    assert ladder.parents.tolist() == [-1, 0, 1, 0]
    assert ladder.n_steps.tolist() == [0, 1, 1, 1]
    assert ladder.climb(2) == [0, 1, 2]
    assert ladder.contains.tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, False, False, True],
    ]
    passed = ladder.values[ladder.contains[2]]
    assert passed.tolist() == ladder.values[[0, 1, 2]].tolist()


def test_a_category_reaches_every_other_value_at_once():
    ladder = ladders_of(TERRAIN)["housing"]
    assert said(TERRAIN, ladder, "housing") == ["own", "free", "rent"]
    assert ladder.parents.tolist() == [-1, 0, 0]
    assert ladder.unordered
    assert ladder.costs == pytest.approx([0, math.sqrt(2), math.sqrt(2)])


def test_yes_and_no_are_two_levels():
    assert positions(TERRAIN, "employed") == [False, True]
    assert positions(TERRAIN, "employed", employed=True) == [True, False]


def test_an_action_costs_the_price_of_its_direction_times_the_scaled_change():
    terrain = TERRAIN.price("age", increase=2, decrease=3).transition(
        "savings", "middle", "high", price=5
    )
    found = ladders_of(terrain)
    assert found["age"].step_costs == pytest.approx([0, 2 / 4, 2 / 2, 3 / 4])
    assert found["savings"].costs == pytest.approx([0, 1 / 3, 1 / 3 + 5 / 3, 1 / 3])


def test_directions_and_frozen_columns_leave_their_arms_out():
    assert positions(TERRAIN.increase_only("age"), "age") == [30, 40, 60]
    assert positions(TERRAIN.decrease_only("age"), "age") == [30, 20]
    assert positions(TERRAIN.freeze("age"), "age") is None
    assert positions(TERRAIN.freeze("housing"), "housing") is None
    assert positions(TERRAIN.increase_only("age"), "age", age=60) is None


def test_a_column_with_one_value_has_no_ladder():
    assert "fixed" not in ladders_of(TERRAIN)
    one = pd.DataFrame({"level": pd.Categorical(["a", "a"], ["a"], ordered=True), "x": [0, 1]})
    terrain = Terrain.infer(one.assign(text="same"))
    names = [
        ladder.names for ladder in ladders(terrain, terrain.encode(one.assign(text="same"))[0])
    ]
    assert names == [("x",)]


def test_bounds_end_an_arm():
    assert positions(TERRAIN.between("age", 25, 45), "age") == [30, 40, 45, 25]
    assert positions(TERRAIN.between("age", 30, 30), "age") is None
    assert positions(TERRAIN.between("age", -math.inf, 40), "age") == [30, 40, 20]


def test_a_forbidden_change_of_level_ends_its_arm_only():
    terrain = TERRAIN.forbid("savings", "middle", "high")
    assert positions(terrain, "savings") == ["low", "middle", "none"]
    assert positions(terrain, "savings", savings="high") == ["high", "middle", "low", "none"]
    blocked = TERRAIN.forbid("savings", "low", "middle")
    assert positions(blocked, "savings") == ["low", "none"]


def test_a_category_that_is_forbidden_directly_is_reached_through_another():
    terrain = TERRAIN.forbid("housing", "own", "free")
    ladder = ladders_of(terrain)["housing"]
    assert positions(terrain, "housing") == ["own", "rent", "free"]
    assert ladder.parents.tolist() == [-1, 0, 1]
    dearer = terrain.transition("housing", "own", "rent", price=9.0)
    assert positions(dearer, "housing") == ["own", "rent", "free"]
    assert positions(terrain, "housing", housing="rent") == ["rent", "free", "own"]


def test_a_category_that_is_allowed_directly_is_not_reached_through_a_cheaper_one():
    terrain = TERRAIN.transition("housing", "own", "free", price=9.0)
    ladder = ladders_of(terrain)["housing"]
    assert ladder.parents.tolist() == [-1, 0, 0]


def test_a_category_that_nothing_leads_to_is_left_out():
    terrain = TERRAIN.forbid("housing", "own", "free").forbid("housing", "rent", "free")
    assert positions(terrain, "housing") == ["own", "rent"]


def test_the_person_may_stand_anywhere_between_or_beyond_the_stops():
    assert positions(TERRAIN, "age", age=35) == [35, 40, 60, 30, 20]
    assert positions(TERRAIN, "age", age=90) == [90, 60, 40, 30, 20]
    assert positions(TERRAIN, "age", age=1) == [1, 20, 30, 40, 60]


def test_from_between_two_stops_one_that_is_as_good_as_here_is_passed_over():
    # 29: 30 is nearer than a quarter of the ten years beyond it; 33 is not too near to 30.
    assert positions(TERRAIN, "age", age=29) == [29, 40, 60, 20]
    assert positions(TERRAIN, "age", age=33) == [33, 40, 60, 30, 20]
    assert positions(TERRAIN, "age", age=32) == [32, 40, 60, 20]
    assert SAME_STOP == 0.25
    assert positions(TERRAIN, "years", years=7.5) == [7.5, 10, 20, 5, 0]
    assert positions(TERRAIN, "years", years=7.6) == [7.6, 10, 20, 5, 0]  # of five years around
    assert positions(TERRAIN, "years", years=8.8) == [8.8, 20, 5, 0]


@pytest.mark.parametrize("shift", [0.0, 100.0, -3.3])
@pytest.mark.parametrize("scale", [1.0, -1.0, 0.1, 1 / 3, 1.8])
def test_a_stop_a_quarter_away_is_a_change_in_all_units(scale, shift):
    stops = np.array([25.0, 38.5, 52.0, 66.0])  # 52 is 3.5 away from 48.5, and 14 from 66
    frame = pd.DataFrame({"income": np.array([16.15, 68.99]) * scale + shift})
    terrain = Terrain.infer(frame).levels("income", list(stops * scale + shift))
    (ladder,) = ladders(terrain, terrain.point([48.5 * scale + shift]))
    raw = (terrain.to_pandas(ladder.values)["income"] - shift) / scale
    assert sorted(raw.round(6)) == [25, 38.5, 48.5, 52, 66]


def test_one_of_two_stops_can_be_as_good_as_here():
    terrain = TERRAIN.levels("age", [30, 60])
    assert positions(terrain, "age", age=31) == [31, 60]
    assert positions(terrain, "age", age=59) == [59, 30]


def test_a_wide_gap_beyond_a_stop_does_not_make_it_as_good_as_here():
    X = pd.DataFrame({"income": [1000, 7000]})
    terrain = Terrain.infer(X).levels("income", [2000, 2500, 5000])
    (ladder,) = ladders(terrain, np.asarray(terrain.encode(pd.DataFrame({"income": [2190]})))[0])
    told = terrain.feature("income").raw(ladder.values[:, 0])
    assert told.round().tolist() == [2190, 2500, 5000, 2000]


def test_a_stop_is_a_real_change_for_whoever_stands_on_another():
    """A next stop may be near beside the one after it, and is still what comes next."""
    terrain = TERRAIN.levels("age", [30, 31, 60])
    assert positions(terrain, "age") == [30, 31, 60]
    assert positions(terrain, "age", age=31) == [31, 60, 30]


def test_declared_levels_are_where_it_stops():
    assert positions(TERRAIN.levels("age", step=10), "age") == [30, 40, 50, 60, 20]
    assert positions(TERRAIN.levels("age", [10, 70]), "age") == [30, 70, 10]
    assert positions(TERRAIN.levels("age", [30]), "age") is None
    assert positions(TERRAIN.levels("age", [35]), "age") == [30, 35]


def test_a_level_that_is_missing_may_turn_out_to_be_any():
    grade = pd.Categorical(["low", None, "high", "middle"], LEVELS[1:], ordered=True)
    frame = pd.DataFrame({"grade": grade})
    terrain = Terrain.infer(frame)
    (ladder,) = ladders(terrain, terrain.point(frame[1:2]))
    assert ladder.parents.tolist() == [-1, 0, 0, 0]
    assert terrain.to_pandas(ladder.values[1:])["grade"].tolist() == LEVELS[1:]


# Links


def test_a_number_follows_by_the_same_amount():
    terrain = TERRAIN.link("age", "years")
    found = ladders_of(terrain)
    assert "years" not in found
    assert found["age"].names == ("age", "years")
    assert said(terrain, found["age"], "age") == [30, 40, 60, 20]
    assert said(terrain, found["age"], "years") == [5, 15, 35, -5]
    cost = math.hypot(10 / 40, 10 / 20)
    assert found["age"].step_costs == pytest.approx([0, cost, 2 * cost, cost])


def test_a_number_follows_in_proportion_to_the_rates():
    terrain = TERRAIN.link("age", "years").rate("years", 0.5, per="year").rate("age", per="year")
    assert positions(terrain, "age", "years") == [5, 10, 20, 0]
    slow = TERRAIN.link("years", "age").rate("years", 2, per="year")
    assert positions(slow, "years", "age") == [30, 32, 38, 28]


def test_a_whole_number_that_follows_stays_whole():
    terrain = TERRAIN.link("years", "age").rate("years", 4, per="year").increase_only("years")
    ladder = ladders_of(terrain)["years"]
    assert said(terrain, ladder, "age") == [30, 31, 34]  # a quarter of 5 and of 15 years
    as_encoded = (np.array([30, 31, 34]) - 20) / 40
    assert ladder.values[:, 1].tolist() == as_encoded.tolist()


def test_a_level_follows_one_by_one_and_stays_at_its_end():
    terrain = TERRAIN.link("age", "rank")
    assert positions(terrain, "age", "rank") == ["c", "b", "a", "c"]
    assert positions(terrain, "age", "rank", rank="b") == ["b", "a", "a", "c"]
    assert positions(TERRAIN.link("savings", "rank"), "savings", "rank") == ["c", "b", "a", "c"]


def test_a_number_that_follows_levels_goes_from_stop_to_stop():
    assert positions(TERRAIN.link("savings", "age"), "savings", "age") == [30, 40, 60, 20]


def test_a_level_follows_a_falling_leader_downwards():
    terrain = TERRAIN.link("age", "savings")
    assert positions(terrain, "age", "savings", age=40, savings="high") == [
        "high",
        "high",
        "middle",
        "low",
    ]


def test_a_follower_that_may_not_follow_blocks_the_action():
    assert positions(TERRAIN.link("age", "years").freeze("years"), "age") is None
    assert positions(TERRAIN.link("age", "years").increase_only("years"), "age") == [30, 40, 60]
    assert positions(TERRAIN.link("age", "rank").forbid("rank", "b", "a"), "age") == [30, 40, 20]
    assert positions(TERRAIN.link("age", "years").between("years", 0, 20), "age") == [30, 40]


def test_the_leader_decides_where_arms_lead_wherever_it_stands_in_the_table():
    terrain = TERRAIN.link("rank", "age")
    found = ladders_of(terrain)
    assert list(found) == ["years", "savings", "rank", "housing", "employed"]
    assert said(terrain, found["rank"], "rank") == ["c", "b", "a"]
    assert said(terrain, found["rank"], "age") == [30, 40, 60]
    assert positions(TERRAIN.link("rank", "age").freeze("rank"), "rank") is None
    assert "age" not in ladders_of(TERRAIN.link("rank", "age").freeze("rank"))


def test_three_columns_move_as_one():
    terrain = TERRAIN.link("age", "years", "rank")
    found = ladders_of(terrain)
    assert [said(terrain, found["age"], name)[1] for name in ("age", "years", "rank")] == [
        40,
        15,
        "b",
    ]
    assert not {"years", "rank"} & set(found)


# Laws


@given(terrains(), rows)
def test_every_position_is_one_allowed_action_after_its_parent(terrain, case):
    point = np.asarray(terrain.encode(frame_of([case])))[0]
    for ladder in ladders(terrain, point):
        assert len(ladder) > 1
        assert ladder.parents[0] == -1
        states = np.repeat(point[np.newaxis, :], len(ladder), axis=0)
        states[:, ladder.coordinates] = ladder.values
        assert (states[0] == point).all()
        assert len(np.unique(states, axis=0)) == len(ladder)
        for position in range(1, len(ladder)):
            parent = ladder.parents[position]
            assert parent < position
            assert terrain.cost(states[parent], states[position]) == ladder.step_costs[position]
            assert math.isfinite(ladder.step_costs[position])
            assert ladder.costs[position] >= ladder.costs[parent]
        assert terrain.within_bounds(states[1:]).all()
        assert ladder.costs == pytest.approx(
            [ladder.step_costs[ladder.climb(p)].sum() for p in range(len(ladder))]
        )


@given(terrains(), rows)
def test_an_arm_ends_only_where_the_next_action_is_ruled_out(terrain, case):
    """Every stop or level next to an arm's end is out of bounds, forbidden, or not there."""
    point = np.asarray(terrain.encode(frame_of([case])))[0]
    assume(terrain.within_bounds(point[np.newaxis, :])[0])
    found = {ladder.names[0]: ladder for ladder in ladders(terrain, point)}
    for feature, where in zip(terrain.features, terrain.slices, strict=True):
        if feature.kind != "ordinal":
            continue
        own = round(point[where.start] * (len(feature.levels) - 1))
        ladder = found.get(feature.name)
        ranks = (
            [own]
            if ladder is None
            else np.rint(ladder.values[:, 0] * (len(feature.levels) - 1)).astype(int).tolist()
        )
        prices = feature.transition_prices()
        top, bottom = max(ranks), min(ranks)
        assert sorted(ranks) == list(range(bottom, top + 1))
        assert top + 1 == len(feature.levels) or math.isinf(prices[top, top + 1])
        assert bottom == 0 or math.isinf(prices[bottom, bottom - 1])


@given(st.lists(st.sampled_from([0.0, 0.1, 0.7, 1 / 3]), min_size=1, max_size=30))
def test_costs_never_fall_along_an_arm_even_by_rounding(steps):
    n = len(steps) + 1
    ladder = Ladder(
        ("x",),
        np.array([0]),
        np.arange(n)[:, np.newaxis],
        np.arange(-1, n - 1),
        np.array([0.0, *steps]),
    )
    assert (np.diff(ladder.costs) >= 0).all()
    assert ladder.costs == pytest.approx(np.cumsum([0.0, *steps]))


def test_the_small_table_has_a_ladder_of_every_kind():
    terrain = Terrain.infer(SMALL)
    found = ladders(terrain, np.asarray(terrain.encode(SMALL))[0])
    assert [ladder.names[0] for ladder in found] == list(SMALL.columns)
    assert [ladder.unordered for ladder in found] == [False, False, False, True, True, False]


def test_a_number_that_follows_stays_within_its_type():
    X = pd.DataFrame(
        {"age": [20, 30, 40, 60], "points": np.array([0, 100, 107, 127], dtype=np.int8)}
    )
    terrain = Terrain.infer(X).link("age", "points")
    for points, ages in {107: [30, 40, 20], 97: [30, 40, 60, 20], -118: [30, 40, 60, 20]}.items():
        case = pd.DataFrame({"age": [30], "points": [points]}).astype(X.dtypes)
        (ladder,) = ladders(terrain, terrain.point(case))
        rows = terrain.to_pandas(ladder.values)  # the ladder has both columns, in their order
        assert rows["age"].tolist() == ages
        assert rows["points"].tolist() == [points + age - 30 for age in ages]
