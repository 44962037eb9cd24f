import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world
from tests.laws import examples

from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood
from facelift.graph.building import graph_of
from facelift.graph.moves import moves_among, moves_in, nearest_moves
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)


def parts(matrix):
    return matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()


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
    graph, nearest = graph_of(points, expected, neighbourhood, enterable)
    assert nearest.tolist() == moves_in(graph.costs, k).tolist()
    assert parts(moves_among(graph.costs, nearest)) == parts(expected)
