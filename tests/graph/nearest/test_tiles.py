"""The compiled search answers as plain NumPy does, to the bit, and both as looking at all does."""

import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world, slow_nearest
from tests.laws import examples

from facelift.graph import nearest
from facelift.graph.nearest import (
    Search,
    compiled_nearest,
    many_move_costs,
    nearest_admissible,
    plain_nearest,
    tiles,
)
from facelift.terrain.prices import Block, Prices

seeds = st.integers(0, 2**32 - 1)


def assert_same(starts, ends, prices, k, itself=None, *, slow=True, n_threads=1):
    """Both engines agree, to the bit; and so does the oracle."""
    plain = plain_nearest(starts, ends, prices, k, itself=itself)
    found = compiled_nearest(Search(starts, ends, prices, k, itself, n_threads=n_threads))
    if found is None:  # free moves, or numbers too large: plain NumPy answers
        found = plain
    assert found[0].tolist() == plain[0].tolist()
    assert found[1].tolist() == plain[1].tolist()
    if slow:
        expected = slow_nearest(starts, ends, prices, k, itself)
        for i, row in enumerate(expected):
            got = list(zip(found[1][i].tolist(), found[0][i].tolist(), strict=True))
            assert got == row + [(np.inf, -1)] * (k - len(row))


@given(
    seed=seeds,
    n=st.integers(1, 60),
    n_plain=st.integers(1, 4),
    n_blocks=st.integers(0, 2),
    k=st.integers(1, 12),
    ties=st.booleans(),
    block=st.sampled_from([4, 16, 256]),
    n_threads=st.sampled_from([1, 3]),
)
@settings(max_examples=examples(200))
def test_the_nearest_are_those_found_by_looking_at_all(
    seed, n, n_plain, n_blocks, k, ties, block, n_threads
):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=n_plain, n_blocks=n_blocks, ties=ties)
    with patch.object(tiles, "SMALL", block):
        assert_same(points, points, prices, k, np.arange(n), n_threads=n_threads)


@given(
    seed=seeds,
    n_ends=st.integers(1, 60),
    n_starts=st.integers(1, 20),
    n_blocks=st.integers(0, 2),
    k=st.integers(1, 70),
    block=st.sampled_from([4, 256]),
    n_threads=st.sampled_from([1, 3]),
)
@settings(max_examples=examples(200))
def test_starts_and_ends_may_differ_and_k_may_exceed_their_number(
    seed, n_ends, n_starts, n_blocks, k, block, n_threads
):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n_ends + n_starts, n_plain=3, n_blocks=n_blocks)
    ends, starts = points[:n_ends].copy(), points[n_ends:].copy()
    itself = rng.integers(-1, n_ends, size=n_starts)
    with patch.object(tiles, "SMALL", block):
        assert_same(starts, ends, prices, k, n_threads=n_threads)
        assert_same(starts, ends, prices, k, itself, n_threads=n_threads)


@given(
    seed=seeds,
    m=st.integers(1, 40),
    size=st.sampled_from([1e-160, 1e-140, 1e-30, 1e-8, 1.0, 1e8, 1e30, 1e120]),
    shift=st.sampled_from([0.0, 1.0, 1e3, 1e7]),
    price=st.sampled_from([1e-12, 1.0, 1e12]),
    outlier=st.booleans(),
    grid=st.booleans(),
)
@settings(max_examples=examples(200))
def test_sizes_of_numbers_do_not_matter(seed, m, size, shift, price, outlier, grid):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, size=(60, m)) * 1.0 if grid else rng.random((60, m))
    points[0, 0] += 1e6 * outlier
    points = (points + shift) * size
    prices = Prices(rng.choice([1.0, price], size=m), rng.choice([1.0, 1.1, price], size=m))
    with patch.object(tiles, "SMALL", 8):
        assert_same(points, points, prices, 7, np.arange(60))


@given(
    seed=seeds,
    n_ends=st.integers(1, 80),
    n_starts=st.integers(1, 20),
    n_plain=st.integers(1, 6),
    n_blocks=st.integers(0, 2),
    k=st.integers(1, 12),
    ties=st.booleans(),
    missing=st.sampled_from([0.02, 0.3, 0.9]),
    few=st.sampled_from([1, 8, 32]),
)
@settings(max_examples=examples(300))
def test_missing_values_are_no_distance_between_points_of_which_one_has_them(
    seed, n_ends, n_starts, n_plain, n_blocks, k, ties, missing, few
):
    rng = np.random.default_rng(seed)
    n, worlds = n_ends + n_starts, {"n_plain": n_plain, "n_blocks": n_blocks, "ties": ties}
    points, prices = random_world(rng, n, missing=missing, **worlds)
    ends, starts = points[:n_ends].copy(), points[n_ends:].copy()
    with patch.object(tiles, "SMALL", 8), patch.object(tiles, "FEW", few):
        assert_same(points, points, prices, k, np.arange(n))
        assert_same(starts, ends, prices, k)


@pytest.mark.parametrize("m", [7, 129])
def test_the_nearest_are_exact_where_directions_matter_and_much_is_missing(m):
    rng = np.random.default_rng(m)
    points, prices = random_world(rng, 700, n_plain=m, ties=False, missing=0.01)
    directed = Prices(
        np.where(np.isinf(prices.increase), 1.0, prices.increase),
        np.where(np.isinf(prices.decrease), 3.0, prices.decrease),
        gaps=prices.gaps,
    )
    assert_same(points, points, directed, 9, np.arange(700), slow=False)


@pytest.mark.parametrize("ratio", [1.0, 1.1, 2.0, 10.0])
@pytest.mark.parametrize("m", [1, 7, 50, 129, 300])
def test_the_nearest_are_exact_for_any_number_of_columns(ratio, m):
    rng = np.random.default_rng(m)
    points = rng.random((240, m))
    points[120:] = points[rng.integers(120, size=120)]  # every other point has a twin
    points[:, m // 2 :] = np.rint(points[:, m // 2 :])  # columns of two values
    prices = Prices(np.ones(m), np.full(m, ratio))
    assert_same(points, points, prices, 9, np.arange(240), slow=m < 60)


def test_hard_rules_hold_and_keep_everyone_apart_who_must_be():
    rng = np.random.default_rng(3)
    points = np.column_stack([rng.integers(0, 5, size=(900, 3)), rng.random((900, 4))])
    inf = np.inf
    increase = np.array([inf, inf, 1.0, 1.0, 1.0, inf, 2.0])
    decrease = np.array([inf, inf, inf, 1.0, 3.0, 1.0, 1.0])
    assert_same(points, points, Prices(increase, decrease), 10, np.arange(900))


def test_equal_columns_and_columns_without_price_make_all_the_same():
    points = np.ones((300, 4))
    points[:, 1] = np.arange(300)
    prices = Prices(np.array([1.0, 0.0, 1.0, 1.0]), np.array([1.0, 0.0, 2.0, np.inf]))
    assert_same(points, points, prices, 3, np.arange(300))


def test_a_chain_of_costs_each_as_good_as_equal_is_one_tie():
    """Ends far down the chain tie with the first, and go by number; both engines see that."""
    costs = 1 + 0.9e-9 * np.arange(60)[::-1]
    ends = costs[:, np.newaxis]
    prices = Prices(np.ones(1), np.ones(1))
    indices, _ = plain_nearest(np.zeros((1, 1)), ends, prices, 3)
    assert indices.tolist() == [[0, 1, 2]]
    assert_same(np.zeros((1, 1)), ends, prices, 3)


def test_more_equal_costs_than_candidates_are_told_apart_by_number():
    points = np.eye(900)[:, :40]  # most are the origin
    points[:, 39] = np.arange(900) % 2
    prices = Prices(np.ones(40), np.ones(40))
    with patch.object(nearest, "WIDEST", 100):
        assert_same(points, points, prices, 5, np.arange(900), slow=False)


def test_levels_with_prices_of_their_own_are_weighed_to_the_bit():
    rng = np.random.default_rng(5)
    one_hot = np.eye(3)[rng.integers(3, size=500)]
    points = np.hstack([rng.random((500, 11)), one_hot, rng.integers(0, 4, size=(500, 1)) / 3])
    first = np.array([[1.0, 0.3, np.inf], [2.0, 1.0, 1.0], [0.7, np.inf, 1.0]])
    second = rng.choice([0.0, 0.5, 1.3, np.inf], size=(4, 4))
    np.fill_diagonal(second, 1.0)
    up = np.concatenate([np.ones(11), np.zeros(4)])
    blocks = (Block(slice(11, 14), first), Block(slice(14, 15), second))
    assert_same(points, points, Prices(up, 1.7 * up, blocks), 8, np.arange(500))


@given(seed=seeds, n=st.integers(1, 40), n_blocks=st.integers(0, 2), missing=st.booleans())
def test_many_moves_cost_what_each_costs_to_the_bit_and_forbidden_ones_are_infinite(
    seed, n, n_blocks, missing
):
    rng = np.random.default_rng(seed)
    world = {"n_plain": 4, "n_blocks": n_blocks, "missing": 0.3 * missing}
    points, prices = random_world(rng, n, **world)
    pairs = rng.integers(n, size=(2, 50))
    with patch.object(nearest, "COMPILED_FROM", 0):
        costs = many_move_costs(prices, points, (pairs[0], pairs[1]))
    assert costs.tolist() == prices.cost(points[pairs[0]], points[pairs[1]]).tolist()


def test_read_only_points_are_fine():
    points = np.random.default_rng(0).random((50, 3))
    points.flags.writeable = False
    prices = Prices(np.ones(3), np.ones(3))
    assert_same(points, points, prices, 4, np.arange(50))


def test_costs_of_a_numpy_that_adds_otherwise_are_computed_by_it():
    points = np.random.default_rng(0).random((80, 5))
    prices = Prices(np.ones(5), np.full(5, 1.5))

    def cost(self, start, end):
        del self
        return np.abs(np.asarray(end) - np.asarray(start)).max(axis=-1)

    with patch.object(Prices, "cost", cost):
        _, costs = compiled_nearest(Search(points, points, prices, 3, np.arange(80)))
        indices, costs = compiled_nearest(Search(points, points, prices, 3, np.arange(80)))
        assert (costs == cost(None, points[:, np.newaxis], points[indices])).all()


@given(seed=seeds, n=st.integers(1, 40), k=st.integers(1, 6), ties=st.booleans())
def test_what_costs_less_than_a_limit_is_found(seed, n, k, ties):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=3, n_blocks=1, ties=ties)
    limits = rng.choice([0.0, 0.5, 1.0, 2.0, np.inf], size=n)
    every = plain_nearest(points, points, prices, k)
    found = compiled_nearest(Search(points, points, prices, k, limits=limits)) or every
    asked = every[1] <= limits[:, np.newaxis]
    assert (found[0] == every[0])[asked].all()
    assert (found[1] == every[1])[asked].all()


def test_large_searches_run_compiled_and_small_ones_do_not():
    points = np.random.default_rng(0).random((400, 3))
    prices = Prices(np.ones(3), np.ones(3))
    with patch.object(nearest, "compiled_nearest", wraps=compiled_nearest) as compiled:
        small = nearest_admissible(points, points, prices, 5, itself=np.arange(400))
        assert not compiled.called
        with patch.object(nearest, "COMPILED_FROM", 1):
            large = nearest_admissible(points, points, prices, 5, itself=np.arange(400))
        assert compiled.called
    assert small[0].tolist() == large[0].tolist()
    assert small[1].tolist() == large[1].tolist()


def test_as_many_kinds_as_points_take_no_square_of_memory():
    n = 60_000
    rng = np.random.default_rng(0)
    points = np.column_stack([np.arange(n) // 2, rng.normal(size=(n, 2))]).astype(np.float64)
    prices = Prices(np.array([np.inf, 1.0, 1.0]), np.array([np.inf, 1.0, 1.0]))
    tracemalloc.start()
    indices, _ = nearest_admissible(points, points, prices, 1, itself=np.arange(n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(indices[:, 0], np.arange(n) ^ 1)
    assert peak < 500e6
