from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world, slow_nearest
from tests.laws import examples

from facelift import _arrays
from facelift.graph.nearest import nearest_admissible, within
from facelift.terrain.prices import Block, Prices

seeds = st.integers(0, 2**32 - 1)


def assert_nearest(starts, ends, prices, k, itself=None):
    indices, costs = nearest_admissible(starts, ends, prices, k, itself=itself)
    assert indices.shape == costs.shape == (len(starts), k)
    for i, expected in enumerate(slow_nearest(starts, ends, prices, k, itself)):
        found = list(zip(costs[i].tolist(), indices[i].tolist(), strict=True))
        assert found == expected + [(np.inf, -1)] * (k - len(expected))


def assert_within(starts, ends, prices, radius, itself=None):
    first, second, costs = within(starts, ends, prices, radius, itself=itself)
    expected = [
        (i, j, cost)
        for i, row in enumerate(slow_nearest(starts, ends, prices, len(ends), itself))
        for j, cost in sorted((j, cost) for cost, j in row)
        if cost <= radius
    ]
    assert list(zip(first.tolist(), second.tolist(), costs.tolist(), strict=True)) == expected


@given(
    seed=seeds,
    n=st.integers(1, 60),
    n_plain=st.integers(1, 4),
    n_blocks=st.integers(0, 2),
    k=st.integers(1, 12),
    ties=st.booleans(),
    cells=st.sampled_from([1, 40, 300, 4_000_000]),
)
@settings(max_examples=examples(400))
def test_the_nearest_are_those_found_by_looking_at_all(seed, n, n_plain, n_blocks, k, ties, cells):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=n_plain, n_blocks=n_blocks, ties=ties)
    with patch.object(_arrays, "CELLS", cells):
        assert_nearest(points, points, prices, k, itself=np.arange(n))


@given(seed=seeds, n_ends=st.integers(0, 40), n_starts=st.integers(0, 10), k=st.integers(1, 50))
@settings(max_examples=examples(150))
def test_starts_and_ends_may_differ_and_k_may_exceed_their_number(seed, n_ends, n_starts, k):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n_ends + n_starts, n_plain=2, n_blocks=1)
    ends, starts = points[:n_ends], points[n_ends:]
    itself = rng.integers(-1, n_ends, size=n_starts) if n_ends else None
    assert_nearest(starts, ends, prices, k)
    assert_nearest(starts, ends, prices, k, itself=itself)


@given(
    seed=seeds,
    n=st.integers(1, 40),
    n_blocks=st.integers(0, 2),
    radius=st.sampled_from([1e-9, 0.5, 1.0, 1.1, 2.0, 1e200, np.inf]),
    cells=st.sampled_from([1, 90, 4_000_000]),
)
@settings(max_examples=examples(250))
def test_within_finds_every_move_of_at_most_that_cost(seed, n, n_blocks, radius, cells):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=2, n_blocks=n_blocks)
    with patch.object(_arrays, "CELLS", cells):
        assert_within(points, points, prices, radius)
        assert_within(points, points, prices, radius, itself=np.arange(n))


@pytest.mark.parametrize("ratio", [1.1, 2.0, 10.0])
@pytest.mark.parametrize("m", [1, 7, 50])
def test_the_nearest_are_exact_when_falling_is_dearer_than_rising(ratio, m):
    rng = np.random.default_rng(m)
    points = rng.random((300, m))
    points[150:] = points[rng.integers(150, size=150)]  # every other point has a twin
    prices = Prices(np.ones(m), np.full(m, ratio))
    assert_nearest(points, points, prices, 9, itself=np.arange(300))
    assert_within(points, points, prices, 0.3 * np.sqrt(m), itself=np.arange(300))


@pytest.mark.parametrize("price", [0.0, 1.0, np.inf])
def test_the_nearest_are_exact_on_one_hot_data(price):
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=(120, 5))
    points = np.eye(3)[codes].reshape(120, 15)
    prices = np.ones(15)
    prices[:3] = price
    assert_nearest(points, points, Prices(prices, prices), 20, itself=np.arange(120))


def test_points_far_from_the_origin_are_compared_exactly():
    rng = np.random.default_rng(2)
    points = 1e6 + rng.integers(0, 3, size=(200, 3)) * 1e-3
    prices = Prices(np.ones(3), np.full(3, 1.1))
    assert_nearest(points, points, prices, 5, itself=np.arange(200))


def test_costs_that_differ_in_the_last_bit_only_go_by_number():
    points = np.array([[0.0], [1.0], [np.nextafter(1.0, 0)], [np.nextafter(1.0, 2)]] * 30)
    prices = Prices(np.ones(1), np.ones(1))
    assert_nearest(points, points, prices, 70, itself=np.arange(120))
    indices, _ = nearest_admissible(points[:1], points[1:4], prices, 2)
    assert indices.tolist() == [[0, 1]]


def test_a_point_with_more_twins_than_neighbors_is_led_to_the_first_of_them():
    points = np.zeros((100, 2))
    prices = Prices(np.ones(2), np.ones(2))
    indices, costs = nearest_admissible(points, points, prices, 3, itself=np.arange(100))
    assert indices[50].tolist() == [0, 1, 2]
    assert indices[1].tolist() == [0, 2, 3]
    assert not costs.any()


def test_admissible_moves_are_found_behind_many_forbidden_ones():
    """A search that filtered the nearest afterwards would find nothing here."""
    points = np.concatenate([np.linspace(0.9, 1.0, 200), [9.0, 8.0]])[:, np.newaxis]
    prices = Prices(np.ones(1), np.full(1, np.inf))
    indices, costs = nearest_admissible(np.array([[1.5]]), points, prices, 3)
    assert indices.tolist() == [[201, 200, -1]]
    assert costs.tolist() == [[6.5, 7.5, np.inf]]


def test_nothing_is_near_when_there_are_no_ends():
    prices = Prices(np.ones(2), np.ones(2))
    indices, costs = nearest_admissible(np.zeros((3, 2)), np.empty((0, 2)), prices, 2)
    assert (indices == -1).all()
    assert np.isinf(costs).all()
    assert [len(each) for each in within(np.zeros((3, 2)), np.empty((0, 2)), prices, 1.0)] == [
        0
    ] * 3


def test_a_forbidden_change_of_level_is_never_found():
    prices = np.ones((3, 3))
    prices[0, 1] = np.inf
    terrain = Prices(np.zeros(3), np.zeros(3), (Block(slice(0, 3), prices),))
    indices, _ = nearest_admissible(np.eye(3), np.eye(3), terrain, 2, itself=np.arange(3))
    assert indices.tolist() == [[2, -1], [0, 2], [0, 1]]
