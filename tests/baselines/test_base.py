from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import Terrain
from facelift.baselines.base import permitted, reach, rounding


@pytest.fixture(scope="module")
def terrain(people) -> Terrain:
    return Terrain.infer(people)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(60))
def test_rounded_points_are_those_that_their_own_rows_encode_to(people, seed):
    terrain = Terrain.infer(people)
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.2, 1.2, size=(20, terrain.n_coordinates))
    rounded = rounding(terrain)(points)
    through_rows = np.asarray(terrain.encode(terrain.decode(points)))
    np.testing.assert_allclose(rounded, through_rows, atol=1e-9)
    np.testing.assert_array_equal(rounding(terrain)(rounded), rounded)


def test_records_stay_where_they_are(people, terrain):
    points = np.asarray(terrain.encode(people))
    np.testing.assert_allclose(rounding(terrain)(points), points, atol=1e-12)


def test_numbers_that_can_be_anything_need_no_rounding():
    pixels = np.random.default_rng(0).random((5, 9))
    np.testing.assert_array_equal(rounding(Terrain.infer(pixels))(pixels), pixels)


def test_rounding_changes_nothing_in_place(terrain):
    points = np.full((2, terrain.n_coordinates), 0.3)
    rounding(terrain)(points)
    assert (points == 0.3).all()


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(40))
def test_whatever_the_rules_allow_lies_within_reach(people, seed):
    """The box may hold more than is allowed, never less."""
    rng = np.random.default_rng(seed)
    terrain = Terrain.infer(people)
    for name in ("income", "debts", "savings", "employed"):
        refine = rng.choice(["increase_only", "decrease_only", "freeze", "as it is"])
        terrain = terrain if refine == "as it is" else getattr(terrain, refine)(name)
    if rng.random() < 0.5:
        terrain = terrain.forbid("housing", "rent", "own").freeze("town")
    points = np.asarray(terrain.encode(people))
    factual = points[rng.integers(len(points))]
    box = reach(terrain, factual)
    allowed = points[np.isfinite(terrain.cost(factual, points))]
    assert (allowed >= box.low).all()
    assert (allowed <= box.high).all()
    assert (factual >= box.low).all()
    assert (factual <= box.high).all()


def test_what_is_frozen_cannot_move_and_bounds_hold_in_raw_units():
    table = pd.DataFrame({"age": [20, 60], "amount": [0, 100], "town": ["a", "b"]})
    terrain = Terrain.infer(table).increase_only("age").between("amount", 30, 80).freeze("town")
    box = reach(terrain, np.array([0.5, 0.4, 1.0, 0.0]))
    np.testing.assert_allclose(box.low, [0.5, 0.3, 1.0, 0.0])
    np.testing.assert_allclose(box.high, [1.0, 0.8, 1.0, 0.0])
    assert box.free.tolist() == [True, True, False, False]


def test_levels_that_cannot_follow_are_out_of_reach():
    table = pd.DataFrame({"housing": ["own", "rent", "free"]})
    terrain = Terrain.infer(table).forbid("housing", "own", "rent")
    levels = terrain.feature("housing").levels
    box = reach(terrain, np.array([float(level == "own") for level in levels]))
    assert dict(zip(levels, box.high.tolist(), strict=True)) == {"own": 1, "rent": 0, "free": 1}


def test_a_case_outside_the_range_seen_may_stay_there():
    terrain = Terrain.infer(np.array([[0.0], [10.0]]))
    box = reach(terrain, np.array([1.4]))
    assert (box.low[0], box.high[0]) == (0.0, 1.4)


def test_the_radius_reaches_the_farthest_corner():
    terrain = Terrain.infer(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert reach(terrain, np.array([0.25, 0.5])).radius == pytest.approx(np.hypot(0.75, 0.5))


def test_staying_is_no_change_and_requirements_count():
    table = pd.DataFrame({"paid": [0, 10], "due": [0, 10]})
    terrain = Terrain.infer(table).require("paid <= due")
    factual = np.array([0.2, 0.5])
    states = np.array([[0.2, 0.5], [0.4, 0.5], [0.6, 0.5]])
    assert permitted(terrain, factual, states).tolist() == [False, True, False]
