"""The rules of a terrain one by one, and which of them moves and states break."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.terrain.strict_terrain import strict_terrain, table, with_gaps

from facelift import Terrain
from facelift.terrain.rulebook import (
    MAX_RULES,
    UNBREAKABLE,
    Rule,
    Rulebook,
    smallest,
    terrain_rules,
    without,
)

seeds = st.integers(0, 2**32 - 1)


def random_book(seed: int, n: int = 22) -> tuple[Rulebook, np.ndarray]:
    """A rulebook of a few rules, and points of its table."""
    rng = np.random.default_rng(seed)
    X = with_gaps(rng, table(rng, n))
    terrain = strict_terrain(rng, X, X.iloc[0])
    return Rulebook.of(terrain), np.asarray(terrain.encode(X))


def broken(book: Rulebook, start: dict[str, object], end: dict[str, object]) -> list[str]:
    """The rules that the move from a row to another breaks, in words."""
    before, after = book.terrain.point(start), book.terrain.point(end)
    masks = book.by_moves(before[np.newaxis], after[np.newaxis])[0] | book.by_states(
        after[np.newaxis]
    )
    words = [str(rule) for rule in book.among(int(masks[0]))]
    return [*words, "unbreakable"] if masks[0] & UNBREAKABLE else words


@given(seeds)
@settings(max_examples=examples(12))
def test_moves_break_exactly_the_rules_whose_relaxing_allows_them(seed):
    book, points = random_book(seed)
    masks = book.by_moves(points, points) | book.by_states(points)
    for chosen in range(2 ** len(book.rules)):
        relaxed = book.terrain_without(chosen)
        allowed = np.isfinite(relaxed.cost(points[:, np.newaxis], points))
        allowed &= relaxed.admissible(points)
        assert ((masks & ~np.uint64(chosen) == 0) == allowed).all()


@given(seeds)
@settings(max_examples=examples(25))
def test_no_way_through_records_breaks_fewer_rules_than_those_that_cannot_be_got_round(seed):
    book, points = random_book(seed, n=8)
    moves = book.by_moves(points, points)
    for start in range(len(points)):
        least = book.by_ways(points[start], points)
        assert (least & ~moves[start] == 0).all()
        for end in range(len(points)):
            around = moves[start] | moves[:, end]  # by one more stop, wherever it is
            possible = around & UNBREAKABLE == 0
            assert (least[end] & ~around[possible] == 0).all()


@given(seeds)
@settings(max_examples=examples(10))
def test_what_cannot_be_got_round_are_the_rules_that_all_ways_break(seed):
    """Records of one column each differ in nothing else: every chain is tried by relaxing sets."""
    rng = np.random.default_rng(seed)
    levels = pd.DataFrame({"kind": ["a", "b", "c", "d"]})
    terrain = Terrain.infer(levels)
    for start, end in permutations("abcd", 2):
        if rng.random() < 0.6:
            terrain = terrain.forbid("kind", start, end)
    book, points = Rulebook.of(terrain), np.asarray(terrain.encode(levels))
    for rule in range(len(book.rules)):
        alone = book.terrain_without((1 << len(book.rules)) - 1 - (1 << rule))
        steps = np.isfinite(alone.cost(points[:, np.newaxis], points))
        reached = np.linalg.matrix_power(steps.astype(int), 4)[0] > 0
        unavoidable = book.by_ways(points[0], points) >> np.uint64(rule) & np.uint64(1)
        assert (reached == (unavoidable == 0)).all()


X = pd.DataFrame(
    {
        "age": [20, 40, 60],
        "income": [1.0, None, 3.0],
        "savings": pd.Categorical(["none", None, "high"], ["none", "low", "high"], ordered=True),
        "housing": ["rent", "own", "free"],
        "job": ["cook", None, "judge"],
    }
)
CASE = {"age": 40, "income": 2.0, "savings": "low", "housing": "own", "job": "cook"}


def test_what_cannot_be_got_round_leaves_out_what_can():
    terrain = Terrain.infer(X).freeze("income").increase_only("age").freeze("housing")
    other = {**CASE, "age": 20, "income": 3.0, "housing": "rent", "job": "judge"}

    def told(terrain: Terrain) -> list[str]:
        book = Rulebook.of(terrain)
        masks = book.by_ways(terrain.point(CASE), terrain.point(other)[np.newaxis])
        return [str(rule) for rule in book.among(int(masks[0]))]

    assert told(terrain) == ["age never falls", "income never rises", "housing never changes"]
    lost_and_found = terrain.missing("income", found=1.0, lost=1.0)
    assert told(lost_and_found) == told(terrain)
    halfway = terrain.transition("housing", "own", "free", price=1.0)
    assert told(halfway) == told(terrain)
    through_another = halfway.transition("housing", "free", "rent", price=1.0)
    assert told(through_another) == ["age never falls", "income never rises"]


def test_to_lose_a_value_is_no_rule_that_could_be_relaxed():
    book = Rulebook.of(Terrain.infer(X))
    for name in ("income", "savings", "job"):
        assert broken(book, CASE, {**CASE, name: None}) == ["unbreakable"]
        assert broken(book, {**CASE, name: None}, CASE) == []
    losing = Rulebook.of(Terrain.infer(X).missing("income", lost=2.0).missing("job", lost=2.0))
    assert broken(losing, CASE, {**CASE, "income": None, "job": None}) == []


def test_to_lose_a_value_breaks_the_rule_on_its_direction():
    terrain = Terrain.infer(X).missing("income", lost=2.0).missing("savings", lost=2.0)
    book = Rulebook.of(terrain.increase_only("income").decrease_only("savings"))
    assert broken(book, CASE, {**CASE, "income": None}) == ["income never falls"]
    assert broken(book, CASE, {**CASE, "savings": None}) == ["savings never rises"]


def test_to_find_a_value_breaks_the_rule_on_finding_it_and_no_other():
    terrain = Terrain.infer(X).freeze("income", "savings", "job")
    book = Rulebook.of(terrain.forbid("savings", "none", "low").forbid("job", "cook", "judge"))
    for name in ("income", "savings", "job"):
        found = broken(book, {**CASE, name: None}, CASE)
        assert found == [f"a missing {name} is never found"]


def test_a_change_with_a_price_of_its_own_breaks_nothing():
    terrain = Terrain.infer(X).freeze("savings", "housing")
    for start, end in (("low", "none"), ("low", "high")):
        book = Rulebook.of(terrain.transition("savings", start, end, price=2.0))
        assert broken(book, CASE, {**CASE, "savings": end}) == []
        assert len(broken(book, {**CASE, "savings": end}, CASE)) == 1
    book = Rulebook.of(terrain.transition("housing", "own", "rent", price=2.0))
    assert broken(book, CASE, {**CASE, "housing": "rent"}) == []
    assert broken(book, CASE, {**CASE, "housing": "free"}) == ["housing never changes"]


def test_a_change_may_break_the_rule_on_it_and_the_one_on_its_direction():
    terrain = Terrain.infer(X).decrease_only("savings").forbid("savings", "low", "high")
    assert broken(Rulebook.of(terrain), CASE, {**CASE, "savings": "high"}) == [
        "savings never rises",
        "savings never goes from low to high",
    ]
    terrain = Terrain.infer(X).freeze("housing").forbid("housing", "own", "rent")
    assert broken(Rulebook.of(terrain), CASE, {**CASE, "housing": "rent"}) == [
        "housing never changes",
        "housing never goes from own to rent",
    ]


def test_bounds_and_requirements_are_broken_by_where_one_is():
    terrain = Terrain.infer(X).between("age", 30, 50).between("income", 1, 2)
    book = Rulebook.of(terrain.require("age >= 35").require("income <= 1"))
    assert broken(book, CASE, {**CASE, "age": 30}) == [
        "required: age >= 35",
        "required: income <= 1",
    ]
    assert broken(book, CASE, {**CASE, "age": 29, "income": 2.5}) == [
        "age is 30 or more",
        "income is 2 or less",
        "required: age >= 35",
        "required: income <= 1",
    ]
    assert broken(book, CASE, {**CASE, "age": 51, "income": 0.5}) == [
        "age is 50 or less",
        "income is 1 or more",
    ]


def test_what_is_missing_is_within_all_bounds():
    book = Rulebook.of(Terrain.infer(X).between("income", 2.5, 3))
    assert broken(book, CASE, {**CASE, "income": 2.0}) == ["income is 2.5 or more"]
    assert (
        broken(Rulebook.of(book.terrain.missing("income", lost=1)), CASE, {**CASE, "income": None})
        == []
    )


def test_a_required_function_is_never_asked_about_no_rows():
    asked = []

    def grown_up(rows: pd.DataFrame) -> pd.Series:
        asked.append(len(rows))
        return rows["age"] >= 30

    terrain = Terrain.infer(X).require(grown_up)
    book = Rulebook.of(terrain)
    assert book.by_states(np.asarray(terrain.encode(X))).tolist() == [1, 0, 0]
    assert book.by_states(np.empty((0, terrain.n_coordinates))).tolist() == []
    assert asked == [3]


def test_rules_without_a_bit_are_unbreakable():
    n = MAX_RULES // 2
    names = [f"x{i}" for i in range(n + 2)]
    terrain = Terrain.infer(np.repeat([[0.0], [1.0]], n + 2, axis=1)).freeze(*names[:-1])
    terrain = terrain.between(names[-1], 0.0, 0.4).require(f"{names[-1]} <= 0.6")
    book = Rulebook.of(terrain)
    case = dict.fromkeys(names, 0.0)
    assert len(book.rules) == MAX_RULES
    assert broken(book, case, {**case, names[n - 1]: 0.5}) == [f"{names[n - 1]} never rises"]
    assert broken(book, case, {**case, names[n]: 0.5}) == ["unbreakable"]
    assert broken(book, case, {**case, names[-1]: 0.4}) == []
    assert broken(book, case, {**case, names[-1]: 0.5}) == ["unbreakable"]
    assert broken(book, case, {**case, names[-1]: 0.7}) == ["unbreakable"]


@given(st.lists(st.integers(0, 63), max_size=8))
def test_smallest_are_those_sets_that_contain_no_other(masks):
    least = {m for m in masks if not any(other & ~m == 0 and other != m for other in masks)}
    assert smallest(masks) == sorted(least, key=lambda m: (m.bit_count(), m))


PEOPLE = pd.DataFrame(
    {
        "age": [20, 40, 60],
        "income": [1.0, None, 3.0],
        "savings": pd.Categorical(["none", "low", "high"], ["none", "low", "high"], ordered=True),
        "housing": ["rent", "own", "free"],
    }
)
TERRAIN = (
    Terrain.infer(PEOPLE)
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
    terrain = Terrain.infer(PEOPLE).price("age", 3.0).missing("income", found=2.0, lost=5.0)
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
        ends = (PEOPLE.assign(**{name: pair[i] for name, pair in change.items()}) for i in (0, 1))
        (start, end) = (np.asarray(terrain.encode(each.astype(PEOPLE.dtypes)))[0] for each in ends)
        return float(terrain.cost(start, end))

    free = without(TERRAIN, terrain_rules(TERRAIN))
    assert cost(free, age=(60, 20)) == 1.0
    assert cost(free, income=(1.0, 3.0)) == cost(free, income=(3.0, 1.0)) == 1.0
    assert cost(free, income=(np.nan, 3.0)) == 1.0
    assert cost(free, savings=("none", "high")) == cost(free, savings=("high", "none")) == 1.0
    assert cost(free, savings=("high", "low")) == 1.0  # half of the way at its own price, 2
    assert math.isclose(cost(free, housing=("rent", "own")), math.sqrt(2))
    assert free.admissible(free.encode(PEOPLE.assign(age=[1, 19, 99]))).all()


def test_rules_that_are_not_there_change_nothing():
    terrain = (
        Terrain.infer(PEOPLE).price("age", 3.0).price("housing", 2.0).missing("income", found=4.0)
    )
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
    twice = Terrain.infer(PEOPLE).require("age >= 20").require(adults).require("age >= 20")
    text, function = terrain_rules(twice)
    assert (text.text, function.text) == ("age >= 20", repr(adults))
    assert without(twice, [text]).requirements == (adults,)
    assert without(twice, [function]).requirements == ("age >= 20", "age >= 20")


def test_what_makes_worse_off_is_unbreakable_unless_it_is_allowed():
    terrain = Terrain.infer(X).worse("age", "increase").decrease_only("age")
    assert [str(rule) for rule in terrain_rules(terrain)] == [
        "age never rises",
        "age never gets worse",
    ]
    book = Rulebook.of(terrain)
    assert [str(rule) for rule in book.rules] == ["age never rises"]
    assert broken(book, CASE, {**CASE, "age": 60}) == ["age never rises", "unbreakable"]
    assert broken(Rulebook.of(terrain.worse("age")), CASE, {**CASE, "age": 60}) == [
        "age never rises"
    ]


def test_rules_on_personal_columns_are_unbreakable():
    terrain = Terrain.infer(X).freeze("housing", "savings").increase_only("age")
    book = Rulebook.of(terrain.personal("housing", "age"))
    assert [str(rule) for rule in book.rules] == [
        "savings never rises",
        "savings never falls",
        "a missing savings is never found",
    ]
    assert broken(book, CASE, {**CASE, "housing": "rent"}) == ["unbreakable"]
    assert broken(book, CASE, {**CASE, "age": 20}) == ["unbreakable"]
    assert broken(book, CASE, {**CASE, "savings": "high"}) == ["savings never rises"]
    assert broken(book, CASE, {**CASE, "age": 60}) == []
