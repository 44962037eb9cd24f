from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world
from tests.laws import examples

from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood, moves, row_graph
from facelift.graph.building import graph_of
from facelift.graph.moves import grown_moves, moves_in, nearest_moves
from facelift.graph.nearest import exact as neighbours
from facelift.graph.nearest.exact import nearest_admissible
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)


def parts(matrix):
    return matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()


@given(
    seed=seeds,
    n=st.integers(1, 60),
    share=st.floats(0, 1),
    n_blocks=st.integers(0, 1),
    k=st.sampled_from([1, 2, 5, 20, None]),
    ties=st.booleans(),
    closed=st.booleans(),
    compiled=st.booleans(),
)
@settings(max_examples=examples(300))
def test_moves_grown_by_new_points_are_those_of_all_at_once(
    seed, n, share, n_blocks, k, ties, closed, compiled
):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=2, n_blocks=n_blocks, ties=ties)
    enterable = rng.random(n) < 0.7 if closed else np.ones(n, dtype=bool)
    neighbourhood = Neighbourhood(prices, k, max_step=0.7 if k is None else None)
    n_old = round(share * n)
    with patch.object(neighbours, "COMPILED_FROM", 1 if compiled else np.inf):
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


def test_costs_between_old_points_are_not_computed_again():
    rng = np.random.default_rng(0)
    points, everyone = rng.random((500, 4)), np.ones(500, dtype=bool)
    neighbourhood = Neighbourhood(Prices(np.ones(4), np.full(4, 1.1)), 6)
    old = nearest_moves(points[:480].copy(), neighbourhood, everyone[:480])
    looked = []

    def counting(starts, ends, *rest, **options):
        looked.append(len(starts) * len(ends))
        return nearest_admissible(starts, ends, *rest, **options)

    with patch.object(moves, "nearest_admissible", counting):
        moves.grown_moves(old, points, neighbourhood, everyone)
    assert sum(looked) == 20 * 500 + 480 * 20


@pytest.mark.parametrize("k", [3, None])
def test_growing_by_nothing_changes_nothing(k):
    points, everyone = np.random.default_rng(0).random((30, 2)), np.ones(30, dtype=bool)
    neighbourhood = Neighbourhood(Prices(np.ones(2), np.ones(2)), k, max_step=0.5)
    known = nearest_moves(points, neighbourhood, everyone)
    assert parts(grown_moves(known, points, neighbourhood, everyone)) == parts(known)


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": None}, "max_step"),
        ({"n_neighbors": 0}, "n_neighbors must be at least 1"),
        ({"max_step": 0.0}, "max_step must be positive"),
        ({"max_step": -1.0}, "max_step must be positive"),
        ({"max_step": np.nan}, "max_step must be positive"),
        ({"edges": "both"}, "'out', 'union' or 'mutual'"),
    ],
)
def test_a_neighbourhood_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        Neighbourhood(Prices(np.ones(1), np.ones(1)), **options)


@given(
    seed=seeds,
    n=st.integers(1, 60),
    n_blocks=st.integers(0, 1),
    k=st.sampled_from([1, 2, 5, 20]),
    ties=st.booleans(),
    closed=st.booleans(),
    edges=st.sampled_from(["out", "union"]),
)
@settings(max_examples=examples(200))
def test_the_moves_can_be_told_from_the_edges(seed, n, n_blocks, k, ties, closed, edges):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=2, n_blocks=n_blocks, ties=ties)
    enterable = rng.random(n) < 0.7 if closed else np.ones(n, dtype=bool)
    neighbourhood = Neighbourhood(prices, k, edges)
    expected = nearest_moves(points, neighbourhood, enterable)
    graph = graph_of(points, expected, neighbourhood, enterable)
    assert parts(moves_in(graph.costs, k)) == parts(expected)


@given(seed=seeds, n=st.integers(2, 60), share=st.floats(0, 1), closed=st.booleans())
@settings(max_examples=examples(100))
def test_a_graph_grows_to_that_of_all_points_by_what_its_edges_cost(seed, n, share, closed):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=2, n_blocks=1)
    enterable = rng.random(n) < 0.7 if closed else np.ones(n, dtype=bool)
    neighbourhood, n_old = Neighbourhood(prices, 5), round(share * n)
    old = row_graph(points[:n_old].copy(), neighbourhood, enterable[:n_old])
    everything = nearest_moves(points, neighbourhood, enterable)
    grown = graph_of(points, everything, neighbourhood, enterable, old if old.costs.nnz else None)
    assert parts(grown.costs) == parts(row_graph(points, neighbourhood, enterable).costs)
