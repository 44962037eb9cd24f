"""The rules of a terrain one by one, in words, and what is left without some of them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.terrain.strict_terrain import strict_terrain, table, with_gaps

from facelift import Terrain
from facelift.terrain.relaxing import Rule, terrain_rules, without

X = pd.DataFrame(
    {
        "age": [20, 40, 60],
        "income": [1.0, None, 3.0],
        "savings": pd.Categorical(["none", "low", "high"], ["none", "low", "high"], ordered=True),
        "housing": ["rent", "own", "free"],
    }
)
TERRAIN = (
    Terrain.infer(X)
    .increase_only("age")
    .between("age", 18, 65)
    .freeze("income")
    .decrease_only("savings")
    .forbid("savings", "high", "none")
    .transition("savings", "high", "low", price=2.0)
    .freeze("housing")
    .require("age >= 20")
)


def test_rules_are_told_column_by_column_as_a_person_would():
    assert [str(rule) for rule in terrain_rules(TERRAIN)] == [
        "age never falls",
        "age is 18 or more",
        "age is 65 or less",
        "income never rises",
        "income never falls",
        "a missing income is never found",
        "savings never rises",
        "savings never goes from high to none",
        "housing never changes",
        "required: age >= 20",
    ]


def test_each_rule_says_what_relaxing_it_would_mean():
    assert [rule.relaxed for rule in terrain_rules(TERRAIN)] == [
        "let age fall",
        "let age go below 18",
        "let age go above 65",
        "let income rise",
        "let income fall",
        "let a missing income be found",
        "let savings rise",
        "let savings go from high to none",
        "let housing change",
        "do without: age >= 20",
    ]
    assert Rule("steps", limit=3.0).relaxed == "allow more than 3 steps"


def test_prices_are_no_rules():
    terrain = Terrain.infer(X).price("age", 3.0).missing("income", found=2.0, lost=5.0)
    assert terrain_rules(terrain.transition("housing", "rent", "own", price=9.0)) == ()


def random_terrain(seed: int) -> tuple[Terrain, np.ndarray]:
    rng = np.random.default_rng(seed)
    some = with_gaps(rng, table(rng, 22))
    terrain = strict_terrain(rng, some, some.iloc[0])
    return terrain, np.asarray(terrain.encode(some))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=examples(25))
def test_relaxing_a_rule_takes_away_that_one_and_changes_no_price(seed):
    terrain, points = random_terrain(seed)
    before = terrain.cost(points[:, np.newaxis], points)
    rules = terrain_rules(terrain)
    for rule in rules:
        relaxed = without(terrain, [rule])
        assert terrain_rules(relaxed) == tuple(each for each in rules if each != rule)
        after = relaxed.cost(points[:, np.newaxis], points)
        assert (after[np.isfinite(before)] == before[np.isfinite(before)]).all()


def test_what_is_relaxed_costs_the_ordinary_price():
    def cost(terrain: Terrain, **change: tuple[object, object]) -> float:
        ends = (X.assign(**{name: pair[i] for name, pair in change.items()}) for i in (0, 1))
        (start, end) = (np.asarray(terrain.encode(each.astype(X.dtypes)))[0] for each in ends)
        return float(terrain.cost(start, end))

    free = without(TERRAIN, terrain_rules(TERRAIN))
    assert cost(free, age=(60, 20)) == 1.0
    assert cost(free, income=(1.0, 3.0)) == cost(free, income=(3.0, 1.0)) == 1.0
    assert cost(free, income=(np.nan, 3.0)) == 1.0
    assert cost(free, savings=("none", "high")) == cost(free, savings=("high", "none")) == 1.0
    assert cost(free, savings=("high", "low")) == 1.0  # half of the way at its own price, 2
    assert math.isclose(cost(free, housing=("rent", "own")), math.sqrt(2))
    assert free.admissible(free.encode(X.assign(age=[1, 19, 99]))).all()


def test_rules_that_are_not_there_change_nothing():
    terrain = Terrain.infer(X).price("age", 3.0).price("housing", 2.0).missing("income", found=4.0)
    rules = [
        Rule("rise", "age"),
        Rule("fall", "age"),
        Rule("change", "housing"),
        Rule("find", "income"),
        Rule("upper", "age", limit=3.0),
        Rule("forbid", "housing", "rent", "own"),
        Rule("require", text="age >= 99"),
        Rule("rise", "shoe size"),
        Rule("steps", limit=3.0),
    ]
    assert without(terrain, rules) == terrain


def test_a_rule_that_resembles_one_of_the_terrain_is_not_that_one():
    others = [
        Rule("lower", "age", limit=17.0),
        Rule("upper", "age", limit=66.0),
        Rule("forbid", "savings", "high", "low"),  # which has a price of its own
        Rule("require", text="age >= 21"),
    ]
    assert without(TERRAIN, others) == TERRAIN


def adults(rows: pd.DataFrame) -> pd.Series:
    return rows["age"] >= 20


def test_a_requirement_that_was_asked_twice_is_one_rule():
    twice = Terrain.infer(X).require("age >= 20").require(adults).require("age >= 20")
    text, function = terrain_rules(twice)
    assert (text.text, function.text) == ("age >= 20", repr(adults))
    assert without(twice, [text]).requirements == (adults,)
    assert without(twice, [function]).requirements == ("age >= 20", "age >= 20")
