"""Limits of a person as refinements of the terrain."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift import Terrain
from facelift.errors import InvalidInput
from facelift.terrain.rulebook import terrain_rules
from facelift.walking.limits import Limits, RuledOut, freed, limited

LEVELS = ["none", "low", "mid", "high"]
X = pd.DataFrame(
    {
        "age": [20, 30, 40, 60],
        "savings": pd.Categorical(LEVELS, LEVELS, ordered=True),
        "housing": pd.Categorical(["rent", "own", "free", "rent"]),
    }
)
TERRAIN = Terrain.infer(X).increase_only("age").price("savings", increase=3.0)
HERE = {"age": 30, "savings": "low", "housing": "rent"}


def cost(terrain: Terrain, **after: object) -> float:
    rows = pd.DataFrame([HERE, {**HERE, **after}]).astype(X.dtypes.to_dict())
    points = terrain.encode(rows)
    if not terrain.admissible(points)[1]:
        return math.inf
    return float(terrain.cost(points[0], points[1]))


def under(**limits: object) -> Terrain:
    return limited(TERRAIN, Limits(**limits), HERE)


@pytest.mark.parametrize(("ease", "factor"), [("easy", 0.5), ("ok", 1.0), ("hard", 2.0)])
def test_easy_and_hard_are_factors_on_the_terrains_own_price(ease, factor):
    assert cost(under(ease={"savings": ease}), savings="mid") == pytest.approx(
        factor * cost(TERRAIN, savings="mid")
    )


def test_never_is_never_in_either_direction():
    terrain = under(ease={"savings": "never"})
    assert math.isinf(cost(terrain, savings="mid"))
    assert math.isinf(cost(terrain, savings="none"))


def test_what_the_terrain_forbids_stays_forbidden_however_easy():
    assert math.isinf(cost(under(ease={"age": "easy"}), age=20))
    assert cost(under(ease={"age": "easy"}), age=40) < math.inf


def test_single_prices_are_eased_too_and_never_wins_over_them():
    priced = TERRAIN.transition("housing", "rent", "own", price=4.0)
    hard = limited(priced, Limits(ease={"housing": "hard"}), HERE)
    assert cost(hard, housing="own") == pytest.approx(2 * cost(priced, housing="own"))
    assert math.isinf(cost(limited(priced, Limits(ease={"housing": "never"}), HERE), housing="own"))


def test_bounds_never_exclude_where_one_stands():
    feature = under(bounds={"age": (35.0, 40.0)}).feature("age")
    assert (feature.lower, feature.upper) == (30.0, 40.0)
    assert math.isinf(cost(under(bounds={"age": (20.0, 40.0)}), age=60))


def test_bounds_of_a_person_never_widen_those_of_the_terrain():
    adult = TERRAIN.between("age", 35, 60)
    for bounds in ((20.0, 40.0), (38.0, 40.0), (70.0, 80.0)):
        feature = limited(adult, Limits(bounds={"age": bounds}), HERE).feature("age")
        assert (feature.lower, feature.upper) == (35.0, 60.0)  # who is 30 is told so


def test_a_bound_of_ones_own_is_freed_without_lifting_the_terrains():
    adult = TERRAIN.between("age", 18, 60)
    own = Limits(bounds={"age": (25.0, 60.0)})
    within = limited(adult, own, HERE)
    lower, upper = (rule for rule in terrain_rules(within) if rule.kind in ("lower", "upper"))
    assert freed(own, [lower], adult) == Limits()
    assert freed(own, [upper], adult).lifted == (upper,)  # that one is the terrain's


def test_a_rise_ruled_out_also_rules_out_rising_farther():
    terrain = under(ruled_out=(RuledOut("savings", "low", "mid"),))
    assert math.isinf(cost(terrain, savings="mid"))
    assert math.isinf(cost(terrain, savings="high"))
    assert cost(terrain, savings="none") < math.inf


def test_a_level_ruled_out_cannot_be_entered_by_a_detour():
    terrain = under(ruled_out=(RuledOut("housing", "rent", "own"),))
    assert math.isinf(cost(terrain, housing="own"))
    assert cost(terrain, housing="free") < math.inf
    rows = X.iloc[[2, 1]].assign(age=30, savings=X["savings"].iloc[1])
    assert math.isinf(float(terrain.cost(*terrain.encode(rows))))


@pytest.mark.parametrize(("start", "end", "closed", "open_"), [(30, 40, 40, 35), (30, 40, 60, 35)])
def test_a_number_ruled_out_is_a_bound(start, end, closed, open_):
    terrain = under(ruled_out=(RuledOut("age", start, end),))
    assert math.isinf(cost(terrain, age=closed))
    assert cost(terrain, age=open_) < math.inf


def test_a_number_ruled_out_on_the_other_side_changes_nothing():
    assert under(ruled_out=(RuledOut("age", 25, 20),)).feature("age").upper == math.inf
    assert under(ruled_out=(RuledOut("age", 20, 25),)) == TERRAIN  # one stands beyond it


@pytest.mark.parametrize(
    "rule",
    [
        RuledOut("savings", "low", "low"),
        RuledOut("savings", "low", "gold"),
        RuledOut("age", 30, 30),
        RuledOut("age", "x", "y"),
        RuledOut("wings", 1, 2),
    ],
)
def test_a_rule_that_makes_no_sense_is_an_error(rule):
    with pytest.raises(InvalidInput):
        under(ruled_out=(rule,))


@given(
    ease=st.dictionaries(st.sampled_from(list(HERE)), st.sampled_from(["ok", "hard", "never"])),
    ruled=st.lists(st.sampled_from([("none", "low"), ("low", "mid"), ("mid", "high")]), max_size=3),
    to=st.sampled_from(LEVELS),
    age=st.integers(20, 60),
)
def test_limits_without_ease_only_ever_make_dearer(ease, ruled, to, age):
    rules = tuple(RuledOut("savings", *each) for each in ruled)
    changed = {"savings": to, "age": age}
    assert cost(under(ease=ease, ruled_out=rules), **changed) >= cost(TERRAIN, **changed) - 1e-12
