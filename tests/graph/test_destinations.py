import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import digraph, random_graph

import facelift as fl
from facelift.graph import Neighbourhood, forward, power, row_graph
from facelift.graph.destinations import Wanted, absorbing
from facelift.graph.routes import nearest_destinations
from facelift.multiverse.exploration import journeys_to
from facelift.terrain.prices import Prices
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


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
    graph = random_graph(rng, n)
    points = rng.integers(0, 3, size=(n, 2)) / 2  # many points at the same distance
    return fl.Graph(points, graph.costs), rng.random(n) < 0.6


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
    graph = fl.Graph(np.zeros((4, 1)), sparse.csr_array(edges, shape=(4, 4)))
    candidates = np.array([False, True, False, True])
    chosen = nearest_destinations(forward(graph, 0), candidates, Wanted(1))
    assert chosen.tolist() == [1]
