from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.graph.random_worlds import stored_edges
from tests.laws import examples

from facelift import Graph
from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood, forward, power, remaining_costs, row_graph
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)


def random_graph(rng, n, *, share=0.3, top=4):
    """A directed graph with whole costs from 0 to `top` - 1: many ties, zeros, some loops."""
    starts, ends = np.nonzero(rng.random((n, n)) < share)
    costs = rng.integers(0, top, size=len(starts)).astype(float)
    return Graph(rng.random((n, 2)), sparse.csr_array((costs, (starts, ends)), shape=(n, n)))


def digraph(graph):
    """The same graph for networkx."""
    other = nx.DiGraph()
    other.add_nodes_from(range(len(graph)))
    other.add_weighted_edges_from((u, v, c) for (u, v), c in stored_edges(graph).items())
    return other


def all_costs(graph):
    """Least costs between all pairs by networkx; shape (n, n)."""
    costs = np.full((len(graph),) * 2, np.inf)
    for u, lengths in nx.all_pairs_dijkstra_path_length(digraph(graph)):
        costs[u, list(lengths)] = list(lengths.values())
    return costs


def cost_along(graph, route):
    return sum(graph.edge_cost(u, v) for u, v in pairwise(route))


def best_simple_path(graph, start, end):
    """Cheapest, then fewest steps, then smaller numbers from the end: by trying every path."""
    paths = [[start]] if start == end else nx.all_simple_paths(digraph(graph), start, end)
    keys = [(cost_along(graph, path), len(path), path[::-1]) for path in paths]
    return min(keys)[2][::-1] if keys else None


@given(seed=seeds, n=st.integers(1, 15), share=st.sampled_from([0.1, 0.3, 0.7]))
def test_costs_are_those_of_networkx_from_everywhere_to_everywhere(seed, n, share):
    graph = random_graph(np.random.default_rng(seed), n, share=share)
    expected = all_costs(graph)
    for source in range(n):
        assert forward(graph, source).costs.tolist() == expected[source].tolist()


@given(seed=seeds, n=st.integers(1, 6), top=st.integers(1, 4))
@settings(max_examples=examples(300))
def test_a_route_is_the_cheapest_then_shortest_then_smallest_of_all_paths(seed, n, top):
    graph = random_graph(np.random.default_rng(seed), n, share=0.6, top=top)
    search = forward(graph, 0)
    for end in range(n):
        expected = best_simple_path(graph, 0, end)
        if expected is None:
            assert np.isinf(search.costs[end])
            assert np.isinf(search.n_steps[end])
        else:
            assert search.route(end).tolist() == expected
            assert search.n_steps[end] == len(expected) - 1


@given(seed=seeds, n=st.integers(2, 30))
def test_a_route_walks_along_edges_and_costs_what_the_search_says(seed, n):
    graph = random_graph(np.random.default_rng(seed), n)
    search = forward(graph, n // 2)
    for end in np.flatnonzero(np.isfinite(search.costs)):
        route = search.route(int(end)).tolist()
        assert (route[0], route[-1]) == (n // 2, end)
        assert len(set(route)) == len(route)
        assert cost_along(graph, route) == search.costs[end]


def test_a_route_to_a_vertex_out_of_reach_is_refused():
    graph = Graph(np.zeros((2, 1)), sparse.csr_array(([1.0], ([0], [1])), shape=(2, 2)))
    with pytest.raises(InvalidInput, match="Vertex 0 is out of reach"):
        forward(graph, 1).route(0)


def test_of_two_equal_ways_the_smaller_number_nearest_the_end_is_taken():
    edges = {(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): 1, (1, 4): 1, (2, 4): 1, (3, 5): 1, (4, 5): 1}
    starts, ends = zip(*edges, strict=True)
    data = np.array(list(edges.values()), dtype=float)
    graph = Graph(np.zeros((6, 1)), sparse.csr_array((data, (starts, ends)), shape=(6, 6)))
    assert forward(graph, 0).route(5).tolist() == [0, 1, 3, 5]


def test_a_direct_step_is_taken_before_an_equally_cheap_detour():
    costs = sparse.csr_array(([1.0, 1.0, 2.0], ([0, 1, 0], [1, 2, 2])), shape=(3, 3))
    assert forward(Graph(np.zeros((3, 1)), costs), 0).route(2).tolist() == [0, 2]


def test_costs_that_differ_by_rounding_only_are_equally_cheap():
    assert 0.1 + 0.7 < 0.8
    costs = sparse.csr_array(([0.1, 0.7, 0.8], ([0, 1, 0], [1, 2, 2])), shape=(3, 3))
    assert forward(Graph(np.zeros((3, 1)), costs), 0).route(2).tolist() == [0, 2]


@given(seed=seeds, n=st.integers(2, 15), scale=st.sampled_from([0.1, 1 / 3, 7.3]))
def test_scaling_all_costs_changes_no_route_even_where_there_are_ties(seed, n, scale):
    graph = random_graph(np.random.default_rng(seed), n)
    before, after = forward(graph, 0), forward(Graph(graph.points, graph.costs * scale), 0)
    for end in np.flatnonzero(np.isfinite(before.costs)):
        assert after.route(end).tolist() == before.route(end).tolist()


@given(seed=seeds, n=st.integers(1, 12), n_sets=st.integers(0, 4))
def test_remaining_costs_are_those_to_the_nearest_member_of_each_set(seed, n, n_sets):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n)
    sets = [np.unique(rng.integers(n, size=rng.integers(1, 4))) for _ in range(n_sets)]
    costs = all_costs(graph)
    found = remaining_costs(graph, sets)
    assert found.shape == (n, n_sets)
    for b, members in enumerate(sets):
        assert found[:, b].tolist() == costs[:, members].min(axis=1).tolist()


@given(seed=seeds, n=st.integers(2, 25))
def test_the_remaining_cost_falls_by_the_step_cost_along_its_own_route(seed, n):
    graph = random_graph(np.random.default_rng(seed), n)
    search = forward(graph, 0)
    for end in np.flatnonzero(np.isfinite(search.costs)):
        route = search.route(int(end)).tolist()
        left = remaining_costs(graph, [np.array([end])])[route, 0]
        steps = [graph.edge_cost(u, v) for u, v in pairwise(route)]
        assert (left[:-1] - left[1:]).tolist() == steps


@given(seed=seeds, n=st.integers(2, 40), exponent=st.sampled_from([1, 2]))
@settings(max_examples=examples(40))
def test_searches_on_data_graphs_agree_with_networkx(seed, n, exponent):
    points = np.random.default_rng(seed).random((n, 3))
    prices = Prices(np.ones(3), np.array([1.1, 1.1, np.inf]))
    graph = row_graph(points, Neighbourhood(prices, 4, edge_cost=power(exponent)))
    search = forward(graph, 0)
    lengths, paths = nx.single_source_dijkstra(digraph(graph), 0)
    assert set(np.flatnonzero(np.isfinite(search.costs))) == set(lengths)
    for end, path in paths.items():
        assert search.costs[end] == pytest.approx(lengths[end], rel=1e-12)
        assert search.route(end).tolist() == path  # in general position there are no ties
