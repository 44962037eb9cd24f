"""What a move costs, against a slow reckoning from the raw rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.laws import examples
from tests.terrain.small_terrain import FRAME, LEVELS, frame_of, rows, terrains

from facelift.errors import InvalidInput
from facelift.terrain import Terrain

pairs = st.tuples(rows, rows)


def slow_cost(terrain: Terrain, start: dict, end: dict) -> float:
    """SPEC 1 from raw values, one feature after the other."""
    total = 0.0
    for feature in terrain.features:
        before, after = start[feature.name], end[feature.name]
        if before == after:
            continue
        if feature.kind == "numeric":
            rises, moved = after > before, (after - before) / (feature.high - feature.low)
        else:
            ranks = {level: rank for rank, level in enumerate(feature.levels)}
            rises = ranks[after] > ranks[before]
            moved = (ranks[after] - ranks[before]) / (len(ranks) - 1)
        if feature.kind == "categorical":
            moved = math.sqrt(2)
        price = feature.increase if rises else feature.decrease
        for first, second, own in feature.transitions:
            if (first, second) == (before, after):
                price = own
        total += (price * moved) ** 2
    return math.sqrt(total)


@given(terrains(), pairs)
@settings(max_examples=examples(200))
def test_cost_is_the_formula_feature_by_feature(terrain, pair):
    start, end = terrain.encode(frame_of(list(pair)))
    expected = slow_cost(terrain, *pair)
    assert terrain.cost(start, end) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(terrains(), st.lists(rows, min_size=1, max_size=6))
def test_cost_is_never_nan_and_staying_is_free(terrain, cases):
    points = np.asarray(terrain.encode(frame_of(cases)))
    costs = terrain.cost(points[:, np.newaxis], points[np.newaxis])
    assert not np.isnan(costs).any()
    assert (costs >= 0).all()
    assert (np.diagonal(costs) == 0).all()


@given(
    terrains(),
    st.lists(rows, min_size=1, max_size=5),
    st.lists(rows, min_size=1, max_size=5),
)
def test_forbidden_moves_are_exactly_those_of_infinite_cost(terrain, cases, others):
    starts = np.asarray(terrain.encode(frame_of(cases)))
    ends = np.asarray(terrain.encode(frame_of(others)))
    forbidden = terrain.prices.forbidden(starts, ends)
    assert np.array_equal(forbidden, np.isinf(terrain.cost(starts[:, np.newaxis], ends)))


@given(terrains(), pairs)
def test_reversible_prices_are_the_same_where_the_way_back_is_allowed_too(terrain, pair):
    start, end = np.asarray(terrain.encode(frame_of(pair)))
    there, back = terrain.cost(start, end), terrain.cost(end, start)
    found = terrain.prices.reversible.cost(start, end)
    assert found == (there if np.isfinite(back) else math.inf)


def test_forbidden_moves_have_a_direction():
    terrain = Terrain.infer(FRAME[["housing"]]).forbid("housing", "own", "rent")
    points = np.asarray(terrain.encode(pd.DataFrame({"housing": ["free", "own", "rent"]})))
    assert np.argwhere(terrain.prices.forbidden(points, points)).tolist() == [[1, 2]]


@given(terrains(), st.lists(rows, min_size=2, max_size=6))
def test_lower_bounds_never_exceed_the_cost(terrain, cases):
    points = np.asarray(terrain.encode(frame_of(cases)))
    bounds = terrain.prices.lower_bounds
    assert np.isfinite(bounds).all()
    moves = points[np.newaxis] - points[:, np.newaxis]
    least = np.sqrt(((bounds * moves) ** 2).sum(axis=-1))
    assert (least <= terrain.cost(points[:, np.newaxis], points) * (1 + 1e-12)).all()


def test_lower_bounds_are_the_cheaper_direction_where_there_is_one():
    terrain = Terrain.infer(FRAME[["age", "income", "employed"]])
    terrain = terrain.price("age", increase=3, decrease=2).increase_only("income")
    terrain = terrain.freeze("employed")
    assert terrain.prices.lower_bounds.tolist() == [2, 1, 0]


def test_lower_bounds_of_single_changes_are_the_cheapest_of_them():
    terrain = Terrain.infer(FRAME[["housing"]]).price("housing", 4)
    terrain = terrain.transition("housing", "rent", "own", price=2)
    assert terrain.prices.lower_bounds.tolist() == [2, 2, 2]
    assert terrain.freeze("housing").prices.lower_bounds.tolist() == [0, 0, 0]


@given(terrains(), pairs, st.floats(1e-3, 1e3))
def test_scaling_all_prices_scales_all_costs(terrain, pair, scale):
    start, end = terrain.encode(frame_of(list(pair)))
    dearer = terrain
    for feature in terrain.features:
        up, down = feature.increase * scale, feature.decrease * scale
        dearer = dearer.price(feature.name, increase=up, decrease=down)
        for first, second, price in feature.transitions:
            dearer = dearer.transition(feature.name, first, second, price=price * scale)
    assert dearer.cost(start, end) == pytest.approx(scale * terrain.cost(start, end), rel=1e-9)


@given(pairs)
def test_at_ordinary_prices_cost_is_the_euclidean_distance(pair):
    terrain = Terrain.infer(FRAME)
    start, end = terrain.encode(frame_of(list(pair)))
    assert terrain.cost(start, end) == pytest.approx(np.linalg.norm(np.subtract(end, start)))
    assert terrain.cost(start, end) == terrain.cost(end, start)


@given(arrays(np.float64, (2, 5), elements=st.floats(-3, 3)))
def test_the_ratio_of_the_prices_is_the_lambda_of_the_paper(points):
    terrain = Terrain.infer(np.array([[0.0] * 5, [1.0] * 5]))
    for feature in terrain.features:
        terrain = terrain.price(feature.name, decrease=1.1)
    start, end = points
    moves = end - start
    expected = math.sqrt(sum((move if move > 0 else 1.1 * move) ** 2 for move in moves))
    assert terrain.cost(start, end) == pytest.approx(expected, abs=1e-12)


def test_a_change_of_category_at_price_one_costs_the_root_of_two():
    terrain = Terrain.infer(FRAME[["housing"]])
    free, own, rent = terrain.encode(pd.DataFrame({"housing": ["free", "own", "rent"]}))
    assert terrain.cost(rent, own) == pytest.approx(math.sqrt(2))
    assert terrain.cost(rent, free) == pytest.approx(math.sqrt(2))
    assert terrain.price("housing", 3).cost(rent, own) == pytest.approx(3 * math.sqrt(2))


def test_a_single_change_may_have_its_own_price():
    terrain = Terrain.infer(FRAME[["housing"]]).transition("housing", "rent", "own", price=5)
    free, own, rent = terrain.encode(pd.DataFrame({"housing": ["free", "own", "rent"]}))
    assert terrain.cost(rent, own) == pytest.approx(5 * math.sqrt(2))
    assert terrain.cost(own, rent) == pytest.approx(math.sqrt(2))
    assert terrain.cost(rent, free) == pytest.approx(math.sqrt(2))


def test_of_two_categories_one_may_lead_to_the_other_but_not_back():
    X = pd.DataFrame({"housing": ["own", "rent"]})
    terrain = Terrain.infer(X).forbid("housing", "own", "rent")
    terrain = terrain.transition("housing", "rent", "own", price=3)
    own, rent = np.asarray(terrain.encode(X))
    assert terrain.cost(own, rent) == math.inf
    assert terrain.cost(rent, own) == pytest.approx(3 * math.sqrt(2))
    assert terrain.prices.forbidden(np.array([own, rent]), np.array([own, rent])).tolist() == [
        [False, True],
        [False, False],
    ]


def test_points_may_be_given_as_whole_numbers():
    terrain = Terrain.infer(FRAME[["age"]]).price("age", 0.5)
    assert terrain.cost([0], [1]) == terrain.cost([0.0], [1.0]) == 0.5
    assert terrain.prices.cost([[0], [1]], [1]).tolist() == [0.5, 0.0]


def test_costs_have_a_direction():
    terrain = Terrain.infer(FRAME[["age"]]).price("age", increase=2, decrease=math.inf)
    young, old = terrain.encode(pd.DataFrame({"age": [20, 60]}))
    assert terrain.cost(young, old) == 2
    assert terrain.cost(old, young) == math.inf


def test_a_free_direction_costs_nothing():
    terrain = Terrain.infer(FRAME[["age"]]).price("age", increase=0, decrease=math.inf)
    young, old = terrain.encode(pd.DataFrame({"age": [20, 60]}))
    assert terrain.cost(young, old) == 0
    assert terrain.cost(old, young) == math.inf


def test_ordered_levels_are_priced_by_how_many_they_pass():
    terrain = Terrain.infer(FRAME[["savings"]]).price("savings", increase=4)
    none, low, high = terrain.encode(pd.DataFrame({"savings": LEVELS["savings"]}))
    assert terrain.cost(none, low) == 2
    assert terrain.cost(none, high) == 4
    assert terrain.cost(high, low) == 0.5


def test_single_changes_leave_the_other_prices_per_direction():
    terrain = Terrain.infer(FRAME[["savings"]]).price("savings", increase=4, decrease=3)
    terrain = terrain.transition("savings", "none", "high", price=2)
    none, low, high = terrain.encode(pd.DataFrame({"savings": LEVELS["savings"]}))
    assert terrain.cost(none, high) == 2
    assert terrain.cost(none, low) == 2
    assert terrain.cost(low, high) == 2
    assert terrain.cost(low, none) == 1.5
    assert terrain.cost(high, none) == 3


def test_single_changes_find_their_level_among_many():
    # 1/49 · 49 and others fall short of the whole number.
    grades = list(range(50))
    X = pd.DataFrame({"grade": pd.Categorical(grades, grades, ordered=True)})
    terrain = Terrain.infer(X)
    for grade in grades[:-1]:
        terrain = terrain.forbid("grade", grade, grade + 1)
    points = np.asarray(terrain.encode(X))
    expected = [[end == start + 1 for end in grades] for start in grades]
    assert np.array_equal(np.isinf(terrain.cost(points[:, np.newaxis], points)), expected)


def test_costs_broadcast_over_leading_axes():
    terrain = Terrain.infer(FRAME).forbid("housing", "own", "rent")
    points = np.asarray(terrain.encode(FRAME))
    table = terrain.cost(points[:, np.newaxis], points[np.newaxis])
    assert table.shape == (4, 4)
    assert terrain.cost(points[0], points[1]).shape == ()
    assert terrain.cost(points[0], points).tolist() == table[0].tolist()
    assert terrain.cost(points, points[0]).tolist() == table[:, 0].tolist()
    assert terrain.cost(points[:0], points[0]).shape == (0,)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ([0.0], [1.0]),
        ([0.0, 1.0], [1.0, 1.0]),
        ([0.0] * 4, [1.0] * 3),
        (0.0, 1.0),
        ([0.0] * 3, [1.0]),
    ],
)
def test_points_of_another_width_have_no_cost(start, end):
    terrain = Terrain.infer(FRAME[["housing"]])
    with pytest.raises(InvalidInput, match="3 coordinates"):
        terrain.cost(start, end)
