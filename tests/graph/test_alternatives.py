from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.graph.test_routes import cost_along, random_graph
from tests.laws import examples
from tests.multiverse.slow_multiverse import digraph

from facelift import Graph, Variety
from facelift.errors import InvalidInput
from facelift.graph import forward
from facelift.graph.alternatives import further_routes, shared_share, variety_of

seeds = st.integers(0, 2**32 - 1)


def square(dear=1.0):
    """From 0 to 3 over 1 or over 2, and straight."""
    edges = {(0, 1): 1.0, (1, 3): 1.0, (0, 2): 1.0, (2, 3): dear, (0, 3): 3.0}
    starts, ends = np.array(list(edges)).T
    costs = sparse.csr_array((list(edges.values()), (starts, ends)), shape=(4, 4))
    return Graph([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], costs)


def routes_to(graph, end, variety, **limits):
    search = forward(graph, 0)
    found = further_routes(search, search.route(end), variety, **limits)
    return [route.tolist() for route in found]


def test_the_other_side_of_a_square_is_another_route_and_so_is_the_straight_line():
    assert forward(square(), 0).route(3).tolist() == [0, 1, 3]
    assert routes_to(square(), 3, Variety(5, slack=0.4)) == [[0, 2, 3]]
    assert routes_to(square(), 3, Variety(5, slack=0.5)) == [[0, 2, 3], [0, 3]]
    assert routes_to(square(), 3, Variety(2, slack=0.5)) == [[0, 2, 3]]
    assert routes_to(square(), 3, Variety(1, slack=0.5)) == []


def test_dearer_routes_come_later_and_too_dear_ones_not_at_all():
    assert routes_to(square(2.5), 3, Variety(5, slack=1.0)) == [[0, 3], [0, 2, 3]]
    assert routes_to(square(2.5), 3, Variety(5, slack=0.5)) == [[0, 3]]


def test_routes_with_too_many_steps_are_left_out():
    assert routes_to(square(), 3, Variety(5, slack=0.5), max_steps=1) == [[0, 3]]


def test_the_direction_difference_can_decide():
    variety = Variety(5, slack=0.5, apart=10.0)
    assert routes_to(square(), 3, variety) == []


@given(seed=seeds, n=st.integers(3, 7), shared=st.sampled_from([0.0, 0.3, 0.7]))
@settings(max_examples=examples(300))
def test_further_routes_are_simple_cheap_enough_and_different_enough(seed, n, shared):
    graph = random_graph(np.random.default_rng(seed), n, share=0.6)
    search = forward(graph, 0)
    variety = Variety(4, shared=shared, slack=0.5)
    known = digraph(graph)
    for end in np.flatnonzero(np.isfinite(search.costs[1:])) + 1:
        first = search.route(int(end))
        kept = [first, *further_routes(search, first, variety)]
        costs = [cost_along(graph, route.tolist()) for route in kept]
        assert costs == sorted(costs)
        assert costs[-1] <= 1.5 * costs[0] * (1 + 1e-9)
        for i, route in enumerate(kept):
            steps = list(pairwise(route.tolist()))
            assert (route[0], route[-1]) == (0, end)
            assert len(set(route.tolist())) == len(route)
            assert all(known.has_edge(*step) for step in steps)
            for before in kept[:i]:
                assert shared_share(graph, route, before) <= shared * (1 + 1e-9)


@given(seed=seeds, n=st.integers(3, 6))
@settings(max_examples=examples(300))
def test_the_cheapest_route_of_one_detour_that_shares_nothing_is_found(seed, n):
    rng = np.random.default_rng(seed)
    whole = random_graph(rng, n, share=0.6)
    graph = whole.weighed(rng.random(whole.costs.nnz) + 0.1)  # no two routes cost the same
    search, end = forward(graph, 0), n - 1
    if not np.isfinite(search.costs[end]):
        return
    first = search.route(end)
    left = [forward(graph, u).costs[end] for u in range(n)]
    apart = [
        path
        for path in nx.all_simple_paths(digraph(graph), 0, end)
        if cost_along(graph, path) <= 2 * search.costs[end]
        and shared_share(graph, np.array(path), first) == 0
        and any(
            np.isclose(cost_along(graph, path), search.costs[u] + graph.edge_cost(u, v) + left[v])
            for u, v in pairwise(path)
        )
    ]
    found = further_routes(search, first, Variety(2, shared=0.0, slack=1.0))
    expected = sorted(apart, key=lambda path: cost_along(graph, path))[:1]
    assert [route.tolist() for route in found] == expected


@pytest.mark.parametrize("asked", [0, -1, 1.5, "two", True])
def test_a_number_of_routes_that_cannot_be_is_refused(asked):
    with pytest.raises(InvalidInput, match=r"routes|count"):
        variety_of(asked)


@pytest.mark.parametrize("wrong", [{"shared": 1.0}, {"slack": -0.1}, {"apart": float("nan")}])
def test_a_variety_that_cannot_be_is_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Variety(2, **wrong)
