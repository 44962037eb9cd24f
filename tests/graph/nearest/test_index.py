import pickle
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world
from tests.laws import examples

from facelift.graph import nearest
from facelift.graph.nearest import Index, plain_nearest, tiles
from facelift.graph.points import move_costs
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)


def assert_same(index, starts, k):
    expected = plain_nearest(starts, index.ends, index.prices, k)
    found = index.nearest(starts, k)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1].tolist() == expected[1].tolist()


@given(
    seed=seeds,
    n_ends=st.integers(1, 80),
    n_starts=st.integers(1, 12),
    n_plain=st.integers(1, 5),
    n_blocks=st.integers(0, 2),
    k=st.integers(1, 12),
    ties=st.booleans(),
    missing=st.sampled_from([0.0, 0.2]),
    away=st.sampled_from([0.0, 0.3, 1e3, 1e9]),
)
@settings(max_examples=examples(300))
def test_new_starts_find_what_a_search_of_all_ends_finds(
    seed, n_ends, n_starts, n_plain, n_blocks, k, ties, missing, away
):
    rng = np.random.default_rng(seed)
    worlds = {"n_plain": n_plain, "n_blocks": n_blocks, "ties": ties, "missing": missing}
    points, prices = random_world(rng, n_ends + n_starts, **worlds)
    starts = points[n_ends:].copy()
    starts[: n_starts // 2, :n_plain] += away * rng.normal(size=(n_starts // 2, n_plain))
    with patch.object(tiles, "SMALL", 8):
        index = Index(points[:n_ends].copy(), prices)
        assert_same(index, starts, k)
        assert_same(index, starts[:1], k)  # the same blocks once more


def test_a_column_that_is_the_same_everywhere_still_counts_for_somebody_new():
    ends = np.column_stack([np.arange(50.0), np.ones(50)])
    index = Index(ends, Prices(np.ones(2), np.array([1.0, 3.0])))
    assert_same(index, np.array([[20.2, 1.0], [20.2, 1.5], [20.2, 0.5]]), 5)


def test_somebody_whose_fixed_values_nobody_has_is_near_nobody():
    ends = np.column_stack([np.arange(50.0), np.arange(50) % 2])
    inf = np.inf
    index = Index(ends, Prices(np.array([1.0, inf]), np.array([1.0, inf])))
    assert (index.nearest(np.array([[3.0, 2.0]]), 4)[0] == -1).all()
    assert_same(index, np.array([[3.0, 2.0], [3.0, 1.0]]), 4)


def test_an_index_travels_without_its_blocks():
    index = Index(np.random.default_rng(0).random((3000, 2)), Prices(np.ones(2), np.ones(2)))
    before = len(pickle.dumps(index))
    index.nearest(np.array([[0.5, 0.5]]), 3)
    assert len(pickle.dumps(index)) < before + 1000


def test_costs_of_single_starts_are_compared_with_those_of_numpy_until_they_agree():
    rng = np.random.default_rng(0)
    ends, starts = rng.random((300, 3)), rng.random((3, 3))
    index = Index(ends, Prices(np.ones(3), np.full(3, 1.1)))
    compared = []

    def otherwise(*args):
        compared.append(len(args[3][0]))
        return move_costs(*args) * (1 + 1e-15 if len(compared) < 3 else 1)

    with patch.object(nearest, "move_costs", otherwise):
        found = [index.nearest(start[np.newaxis], 4)[1] for start in starts]
        assert len(compared) == 3  # the first was wrong, and all were weighed again
        index.nearest(starts[:1], 4)
    assert len(compared) == 3
    plain = [plain_nearest(start[np.newaxis], ends, index.prices, 4)[1] for start in starts]
    assert (found[0] == plain[0] * (1 + 1e-15)).all()
    assert (found[1] == plain[1]).all()
