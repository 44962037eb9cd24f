"""Points that arrive later: the moves and edges of having had all of them at once."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world
from tests.laws import examples

from facelift.graph import Neighbourhood, adding
from facelift.graph import nearest as neighbours
from facelift.graph.adding import grown_edges, grown_moves
from facelift.graph.building import graph_of, nearest_moves
from facelift.graph.nearest import nearest_admissible, tiles
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)


def parts(matrix):
    return matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()


def assert_grown_edges(points, n_old, neighbourhood, enterable):
    def whole(n):
        first = points[:n].copy()
        moves = nearest_moves(first, neighbourhood, enterable[:n])
        graph, nearest = graph_of(first, moves, neighbourhood, enterable[:n])
        return graph.costs, nearest

    costs, nearest = grown_edges(*whole(n_old), points, neighbourhood, enterable)
    expected, expected_nearest = whole(len(points))
    assert parts(costs) == parts(expected)
    assert nearest.tolist() == expected_nearest.tolist()


@given(
    seed=seeds,
    n=st.integers(1, 60),
    share=st.floats(0, 1),
    n_blocks=st.integers(0, 1),
    k=st.sampled_from([1, 2, 5, 20, None]),
    ties=st.booleans(),
    closed=st.booleans(),
    compiled=st.booleans(),
    few=st.booleans(),
)
@settings(max_examples=examples(300))
def test_moves_grown_by_new_points_are_those_of_all_at_once(
    seed, n, share, n_blocks, k, ties, closed, compiled, few
):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=2, n_blocks=n_blocks, ties=ties)
    enterable = rng.random(n) < 0.7 if closed else np.ones(n, dtype=bool)
    neighbourhood = Neighbourhood(prices, k, max_step=0.7 if k is None else None)
    n_old = round(share * n)
    with (
        patch.object(neighbours, "COMPILED_FROM", 1 if compiled else np.inf),
        patch.object(tiles, "FEW_ARRIVED", n if few else 0),
    ):
        old = nearest_moves(points[:n_old].copy(), neighbourhood, enterable[:n_old])
        grown = grown_moves(old, points, neighbourhood, enterable)
        expected = nearest_moves(points, neighbourhood, enterable)
    assert parts(grown) == parts(expected)


@given(seed=seeds, n=st.integers(2, 40), k=st.integers(1, 5))
@example(seed=8, n=8, k=3)  # an old cost links two new ones
@settings(max_examples=examples(200))
def test_a_new_cost_that_links_two_others_to_one_tie_is_seen(seed, n, k):
    """Costs that differ by less than the tolerance from neighbour to neighbour, in any order."""
    rng = np.random.default_rng(seed)
    points = 1 + 0.4e-9 * rng.permutation(3 * n)[:n, np.newaxis]
    points[0] = 0.0
    neighbourhood = Neighbourhood(Prices(np.ones(1), np.ones(1)), k)
    everyone = np.ones(n, dtype=bool)
    n_old = int(rng.integers(1, n))
    old = nearest_moves(points[:n_old].copy(), neighbourhood, everyone[:n_old])
    grown = grown_moves(old, points, neighbourhood, everyone)
    assert parts(grown) == parts(nearest_moves(points, neighbourhood, everyone))
    assert_grown_edges(points, n_old, neighbourhood, everyone)


def test_costs_between_old_points_are_not_computed_again():
    rng = np.random.default_rng(0)
    points, everyone = rng.random((500, 4)), np.ones(500, dtype=bool)
    neighbourhood = Neighbourhood(Prices(np.ones(4), np.full(4, 1.1)), 6)
    old = nearest_moves(points[:480].copy(), neighbourhood, everyone[:480])
    looked = []

    def counting(starts, ends, *rest, **options):
        looked.append(len(starts) * len(ends))
        return nearest_admissible(starts, ends, *rest, **options)

    with patch.object(adding, "nearest_admissible", counting):
        grown_moves(old, points, neighbourhood, everyone)
    assert sum(looked) == 20 * 500 + 480 * 20


@pytest.mark.parametrize("k", [3, None])
def test_growing_by_nothing_changes_nothing(k):
    points, everyone = np.random.default_rng(0).random((30, 2)), np.ones(30, dtype=bool)
    neighbourhood = Neighbourhood(Prices(np.ones(2), np.ones(2)), k, max_step=0.5)
    known = nearest_moves(points, neighbourhood, everyone)
    assert parts(grown_moves(known, points, neighbourhood, everyone)) == parts(known)


def test_an_edge_that_was_the_reverse_of_a_move_may_become_one():
    """The sixth point led to two of five that nearly tie; new ones among them let others in."""
    near = 1 + 1e-10 * np.array([56, 32, -92, -28, -80, 0, -68, -72])
    points = (np.array([1, 1, -1, -1, -1, 0, -1, -1]) * near)[:, np.newaxis]
    points[5] = 6e-9
    neighbourhood = Neighbourhood(Prices(np.ones(1), np.ones(1)), 2)
    assert_grown_edges(points, 6, neighbourhood, np.ones(8, dtype=bool))


def test_a_link_that_was_left_out_itself_is_seen():
    """The first point led to two that were one tie by a third; a nearer one leaves room for one."""
    points = np.array([[0.0], [2 * (1 + 1.8e-9)], [2.0], [2 * (1 + 0.9e-9)], [4.0], [1.0]])
    neighbourhood, everyone = (
        Neighbourhood(Prices(np.ones(1), np.full(1, np.inf)), 2, "out"),
        np.ones(6, bool),
    )
    old = nearest_moves(points[:5].copy(), neighbourhood, everyone[:5])
    grown = grown_moves(old, points, neighbourhood, everyone)
    assert parts(grown) == parts(nearest_moves(points, neighbourhood, everyone))


@given(
    seed=seeds,
    n=st.integers(2, 60),
    share=st.floats(0, 1),
    k=st.sampled_from([1, 5, 20]),
    edges=st.sampled_from(["out", "union"]),
    n_blocks=st.integers(0, 1),
    ties=st.booleans(),
    closed=st.booleans(),
    compiled=st.booleans(),
    missing=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=examples(300))
def test_a_graph_grows_to_that_of_all_points(
    seed, n, share, k, edges, n_blocks, ties, closed, compiled, missing
):
    rng = np.random.default_rng(seed)
    world = {"n_plain": 2, "n_blocks": n_blocks, "ties": ties, "missing": missing}
    points, prices = random_world(rng, n, **world)
    enterable = rng.random(n) < 0.7 if closed else np.ones(n, dtype=bool)
    neighbourhood, n_old = Neighbourhood(prices, k, edges), round(share * n)
    with patch.object(neighbours, "COMPILED_FROM", 1 if compiled else np.inf):
        assert_grown_edges(points, n_old, neighbourhood, enterable)
