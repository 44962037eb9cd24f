"""A search in shares that know nothing of each other finds what one search finds."""

from functools import reduce
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world
from tests.laws import examples

from facelift.graph.nearest import Search, nearest_prepared, plain_nearest, shares, tiles
from facelift.terrain.prices import Prices


@pytest.mark.parametrize("n_parts", [1, 2, 3, 4, 7, 8])
def test_every_two_parts_meet_once(n_parts):
    dealt = shares.between(n_parts, np.zeros(1, dtype=np.float32), 1)
    met = [tuple(sorted((share.part, other))) for share in dealt for other in share.others]
    assert sorted(met) == list(combinations(range(n_parts), 2))


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 80),
    n_blocks=st.integers(0, 2),
    k=st.integers(1, 12),
    n_parts=st.integers(1, 6),
    ties=st.booleans(),
)
@settings(max_examples=examples(100))
def test_shares_find_what_one_search_finds(seed, n, n_blocks, k, n_parts, ties):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=2, n_blocks=n_blocks, ties=ties)
    itself = np.arange(n)
    with patch.object(tiles, "SMALL", 4):
        prepared = tiles.Prepared.of(points, prices, points)
        if prepared is None:  # free moves, or numbers too large
            return

        def run(names, dealt):
            there = reduce(getattr, names, prepared)
            return [shares.searched(there, itself, share) for share in dealt]

        everywhere = shares.InShares(prepared, itself, n_parts, run)
        search = Search(points, points, prices, k, itself=itself, elsewhere=everywhere)
        found = nearest_prepared(search, prepared)
    expected = plain_nearest(points, points, prices, k, itself=itself)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


def test_more_neighbours_than_a_byte_counts_are_found():
    points = np.random.default_rng(0).random((300, 2)).round(3)
    prices = Prices(np.ones(2), np.ones(2))
    itself = np.arange(len(points))
    prepared = tiles.Prepared.of(points, prices, points)

    def run(names, dealt):
        there = reduce(getattr, names, prepared)
        return [shares.searched(there, itself, share) for share in dealt]

    everywhere = shares.InShares(prepared, itself, 2, run)
    search = Search(points, points, prices, 130, itself=itself, elsewhere=everywhere)
    found = nearest_prepared(search, prepared)
    expected = plain_nearest(points, points, prices, 130, itself=itself)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
