from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse import slow_multiverse
from tests.multiverse.slow_multiverse import digraph

from facelift import Graph, Variety
from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood, forward, power, remaining_costs, row_graph
from facelift.graph.routes import (
    Wanted,
    absorbing,
    further_routes,
    nearest_destinations,
    shared_share,
    variety_of,
)
from facelift.multiverse.exploration import journeys_to
from facelift.terrain.prices import Prices
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


def random_graph(rng, n, *, share=0.3, top=4):
    """A directed graph with whole costs from 0 to `top` - 1: many ties, zeros, some loops."""
    starts, ends = np.nonzero(rng.random((n, n)) < share)
    costs = rng.integers(0, top, size=len(starts)).astype(float)
    return Graph(rng.random((n, 2)), sparse.csr_array((costs, (starts, ends)), shape=(n, n)))


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


def slow_choice(graph, source, candidates, count, separation=0.0, max_steps=None):
    """Cheapest first, ties to the smaller vertex, each far enough from all those taken."""
    net = digraph(graph)
    lengths = nx.single_source_dijkstra_path_length(net, source)
    chosen = []
    for _, vertex in sorted((cost, vertex) for vertex, cost in lengths.items()):
        if vertex == source or not candidates[vertex] or len(chosen) == count:
            continue
        if max_steps is not None and fewest_steps(net, source, vertex) > max_steps:
            continue
        point = graph.points[vertex]
        if all(np.sqrt(((point - graph.points[w]) ** 2).sum()) >= separation for w in chosen):
            chosen.append(vertex)
    return chosen


def fewest_steps(net, source, vertex):
    routes = nx.all_shortest_paths(net, source, vertex, weight="weight")
    return min(len(route) for route in routes) - 1


def random_case(seed, n):
    rng = np.random.default_rng(seed)
    graph = slow_multiverse.random_graph(rng, n)
    points = rng.integers(0, 3, size=(n, 2)) / 2  # many points at the same distance
    return Graph(points, graph.costs), rng.random(n) < 0.6


@given(
    seed=seeds,
    n=st.integers(1, 16),
    count=st.integers(0, 8),
    separation=st.sampled_from([0.0, 0.5, np.sqrt(0.5), 1.0]),
    max_steps=st.sampled_from([None, 1, 2]),
)
@settings(max_examples=examples(300))
def test_destinations_are_the_cheapest_candidates_far_enough_apart(
    seed, n, count, separation, max_steps
):
    graph, candidates = random_case(seed, n)
    wanted = Wanted(count, separation, max_steps)
    given_candidates = candidates.copy()
    chosen = nearest_destinations(forward(graph, 0), candidates, wanted)
    expected = slow_choice(graph, 0, candidates, count, separation, max_steps)
    assert chosen.tolist() == expected
    assert candidates.tolist() == given_candidates.tolist()


def test_the_source_is_no_destination_of_its_own():
    graph = loan().graph
    chosen = nearest_destinations(forward(graph, 0), np.ones(7, dtype=bool), Wanted(9))
    assert chosen.tolist() == [1, 4, 2, 5, 6, 3]


def test_nothing_in_reach_gives_no_destinations():
    chosen = nearest_destinations(forward(loan().graph, 1), np.ones(7, dtype=bool), Wanted(3))
    assert chosen.tolist() == []


@given(seed=seeds, n=st.integers(2, 30))
def test_where_candidates_absorb_no_journey_passes_through_another(seed, n):
    rng = np.random.default_rng(seed)
    graph = row_graph(
        rng.random((n, 2)), Neighbourhood(Prices(np.ones(2), np.ones(2)), 3, edge_cost=power(3))
    )
    candidates = rng.random(n) < 0.4
    candidates[0] = False
    closed = absorbing(graph, candidates)
    search = forward(closed, 0)
    chosen = nearest_destinations(search, candidates, Wanted(n))
    for journey in journeys_to(search, [np.array([end]) for end in chosen]):
        assert not candidates[journey.vertices[1:-1]].any()
        assert candidates[journey.vertices[-1]]
    assert chosen.tolist() == slow_absorbing(graph, candidates)


def slow_absorbing(graph, candidates):
    """Candidates in order of the cheapest route that avoids all other candidates."""
    found = []
    for end in np.flatnonzero(candidates[1:]) + 1:
        net = digraph(graph)
        others = [v for v in range(1, len(graph)) if candidates[v] and v != end]
        net.remove_nodes_from(others)
        if nx.has_path(net, 0, end):
            found.append((nx.dijkstra_path_length(net, 0, end), int(end)))
    return [end for _, end in sorted(found)]


def test_nothing_leaves_a_vertex_that_absorbs():
    closed = absorbing(loan().graph, np.isin(np.arange(7), [4]))
    assert closed.neighbors(4)[0].tolist() == []
    assert closed.costs.nnz == loan().graph.costs.nnz - 2


def test_the_larger_the_separation_the_fewer_destinations():
    rng = np.random.default_rng(0)
    graph = row_graph(rng.random((150, 2)), Neighbourhood(Prices(np.ones(2), np.ones(2)), 5))
    counts = []
    for separation in (0.0, 0.1, 0.3, 2.0):
        chosen = nearest_destinations(
            forward(graph, 0), np.ones(150, dtype=bool), Wanted(150, separation)
        )
        counts.append(len(chosen))
    assert counts[0] == 149
    assert counts == sorted(set(counts), reverse=True)
    assert counts[-1] == 1


@pytest.mark.parametrize(("max_steps", "expected"), [(1, [1]), (2, [1, 2]), (4, [1, 2, 3])])
def test_destinations_farther_than_the_most_steps_are_left_out(max_steps, expected):
    candidates = np.isin(np.arange(7), [1, 2, 3])
    chosen = nearest_destinations(
        forward(loan().graph, 0), candidates, Wanted(5, max_steps=max_steps)
    )
    assert chosen.tolist() == expected


def test_what_costs_the_same_but_for_rounding_is_a_tie():
    edges = ([0.1, 0.2, 0.3], ([0, 2, 0], [2, 1, 3]))  # 0.1 + 0.2 is a little more than 0.3
    graph = Graph(np.zeros((4, 1)), sparse.csr_array(edges, shape=(4, 4)))
    candidates = np.array([False, True, False, True])
    chosen = nearest_destinations(forward(graph, 0), candidates, Wanted(1))
    assert chosen.tolist() == [1]


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
