from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import bridge
from facelift.errors import InvalidInput
from facelift.multiverse.bridging import bridged, permitted_bridge
from facelift.terrain.prices import Block, Prices


def free(m: int) -> Prices:
    return Prices(np.ones(m), np.ones(m))


def test_with_nothing_forbidden_it_is_the_bridge():
    rng = np.random.default_rng(0)
    points, start, end = rng.random((80, 3)), np.zeros(3), np.ones(3)
    found = permitted_bridge(start, end, points, free(3))
    np.testing.assert_array_equal(found, bridge(start, end, points))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(60))
def test_no_step_is_forbidden_and_each_comes_closer(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, size=(60, 4)) / 5
    points[:, 2:] = np.eye(2)[rng.integers(0, 2, 60)]
    increase, decrease = np.ones(4), np.ones(4)
    increase[2:] = decrease[2:] = 0.0
    decrease[0] = np.inf if rng.random() < 0.5 else 1.0
    change = np.array([[1.0, rng.choice([1.0, np.inf])], [1.0, 1.0]])
    prices = Prices(increase, decrease, (Block(slice(2, 4), change),))
    start, end = points[0], points[1]
    if (start == end).all() or np.isinf(prices.cost(start, end)):
        return
    (journey,) = bridged(start, end, points, prices)
    np.testing.assert_array_equal(journey.waypoints[0], start)
    np.testing.assert_array_equal(journey.waypoints[-1], end)
    assert np.isfinite(prices.cost(journey.waypoints[:-1], journey.waypoints[1:])).all()
    left = np.sqrt(((journey.waypoints - end) ** 2).sum(axis=1))
    assert (np.diff(left) < 0).all()


def test_the_journey_costs_what_its_steps_cost():
    prices = Prices(np.array([2.0]), np.array([1.0]))
    multiverse = bridged(np.zeros(1), np.ones(1), np.array([[0.25], [0.5]]), prices)
    (journey,) = multiverse
    np.testing.assert_allclose(journey.step_costs, [0.5, 0.5, 1.0])
    np.testing.assert_allclose(journey.remaining[:, 0], [2.0, 1.5, 1.0, 0.0])
    assert multiverse.opportunity.tolist() == [[1.0]]
    assert multiverse.factual == 0


def test_a_counterfactual_that_is_ruled_out_cannot_be_bridged():
    one_way = Prices(np.array([1.0]), np.array([np.inf]))
    with pytest.raises(InvalidInput, match="forbid"):
        bridged(np.ones(1), np.zeros(1), np.array([[0.5]]), one_way)
