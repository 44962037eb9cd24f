"""Exploration against a slow search; among equally cheap routes, the one that keeps most open."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import (
    digraph,
    general_graph,
    graph_of,
    random_graph,
    routes_of,
    slow_opportunity,
    slow_routes,
)

import facelift as fl
from facelift import Graph
from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood, distance, power, row_graph
from facelift.graph.routes import cheapest_route, forward, remaining_costs
from facelift.multiverse.exploration import journeys_to, most_open_routes
from facelift.terrain.prices import Prices
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


def random_destinations(rng, n, n_sets):
    """Sets of vertices other than 0."""
    return [set((1 + rng.integers(n - 1, size=rng.integers(1, 4))).tolist()) for _ in range(n_sets)]


def test_the_loan_figure_gives_the_papers_journeys_and_means():
    multiverse = fl.explore(loan().graph, 0, [1, 2, 3])
    assert routes_of(multiverse) == [[0, 1], [0, 4, 2], [0, 4, 5, 6, 3]]
    assert multiverse.costs.tolist() == [3, 14, 16]
    means = [Fraction(1, 3), (1 + Fraction(4, 7)) / 3, (1 + Fraction(7, 8)) / 3]
    assert multiverse.mean_opportunity == pytest.approx([float(mean) for mean in means])
    assert [f"{float(mean) + 1e-9:.2f}" for mean in means] == ["0.33", "0.52", "0.63"]


# Against networkx


@given(seed=seeds, n=st.integers(2, 14), n_sets=st.integers(1, 6))
@settings(max_examples=examples(150))
def test_journeys_and_opportunity_are_those_of_the_slow_search(seed, n, n_sets):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n)
    destinations = random_destinations(rng, n, n_sets)
    multiverse = fl.explore(graph, 0, destinations)
    slow = slow_routes(graph, 0, destinations)
    assert routes_of(multiverse) == [route for _, _, route, _ in slow]
    assert multiverse.costs.tolist() == [cost for cost, *_ in slow]
    assert [members.tolist() for members in multiverse.destinations] == [s[3] for s in slow]
    assert multiverse.opportunity == pytest.approx(slow_opportunity(graph, slow), abs=1e-14)


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.data[:400] / 16, data.target[:400]


@pytest.mark.parametrize(
    ("factual", "target", "edge_cost"),
    [(0, 8, distance), (3, 8, power(2)), (7, 9, power(2))],
)
def test_opportunity_on_digits_is_that_of_algorithm_5_walked_literally(
    digits, factual, target, edge_cost
):
    points, labels = digits
    prices = Prices(np.ones(64), np.full(64, 1.1))
    graph = row_graph(points, Neighbourhood(prices, 8, edge_cost=edge_cost))
    lengths = nx.single_source_dijkstra_path_length(digraph(graph), factual)
    candidates = [v for v in sorted(lengths, key=lengths.get) if labels[v] == target]
    destinations = [{v} for v in candidates[:8]] + [set(candidates[8:12])]
    multiverse = fl.explore(graph, factual, destinations)
    slow = slow_routes(graph, factual, destinations)
    assert routes_of(multiverse) == [route for _, _, route, _ in slow]
    assert multiverse.costs == pytest.approx([cost for cost, *_ in slow], rel=1e-12)
    expected = slow_opportunity(graph, slow)
    assert multiverse.opportunity == pytest.approx(expected, rel=1e-12)
    assert 0 < expected[~np.eye(9, dtype=bool)].mean() < 1


def test_of_a_set_the_smaller_of_equally_cheap_vertices_whatever_the_noise_of_sums():
    graph = graph_of({(0, 1): 0.1, (1, 2): 0.2, (0, 3): 0.3}, 4)  # 0.1 + 0.2 > 0.3
    assert routes_of(fl.explore(graph, 0, [{2, 3}])) == [[0, 1, 2]]
    assert cheapest_route(graph, 0, np.array([2, 3])).tolist() == [0, 1, 2]


# What a destination may be


@pytest.mark.parametrize(
    "destination", [{2, 3}, frozenset({2, 3}), [3, 2, 2], (2, 3), range(2, 4), np.array([2, 3])]
)
def test_a_destination_may_be_any_collection_of_vertices(destination):
    multiverse = fl.explore(loan().graph, 0, [destination, 1])
    assert [members.tolist() for members in multiverse.destinations] == [[1], [2, 3]]
    assert routes_of(multiverse) == [[0, 1], [0, 4, 2]]


def test_destinations_may_come_from_a_generator():
    multiverse = fl.explore(loan().graph, 0, (vertex for vertex in (3, np.int64(1))))
    assert routes_of(multiverse) == [[0, 1], [0, 4, 5, 6, 3]]


def test_the_way_left_to_a_set_is_that_to_its_nearest_member_from_wherever_one_stands():
    multiverse = fl.explore(loan().graph, 0, [{1, 3}, 2])
    onward = multiverse[1]
    assert onward.vertices.tolist() == [0, 4, 2]
    assert onward.remaining[:2, 0].tolist() == [3, 8]  # by x1 first, by x3 once at x4


def test_a_destination_given_twice_has_two_journeys_that_serve_each_other():
    multiverse = fl.explore(loan().graph, 0, [2, 2])
    assert routes_of(multiverse) == [[0, 4, 2]] * 2
    assert multiverse.opportunity.tolist() == [[1, 1], [1, 1]]


def test_equally_cheap_journeys_are_ordered_by_the_vertex_they_end_at():
    costs = sparse.csr_array(([1.0, 1.0, 1.0], ([0, 0, 0], [3, 1, 2])), shape=(4, 4))
    multiverse = fl.explore(fl.Graph(np.zeros((4, 1)), costs), 0, [2, 3, 1])
    assert routes_of(multiverse) == [[0, 1], [0, 2], [0, 3]]


# Out of reach


def test_destinations_out_of_reach_are_left_out():
    multiverse = fl.explore(loan().graph, 4, [1, 2, 3])
    assert routes_of(multiverse) == [[4, 2], [4, 5, 6, 3]]
    assert multiverse.opportunity.shape == (2, 2)
    assert multiverse.why_not is None


def test_if_all_are_out_of_reach_the_multiverse_is_empty_and_says_why():
    multiverse = fl.explore(loan().graph, 5, [0, {1, 4}])
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "no route"
    assert multiverse.why_not.n_candidates == 3
    assert multiverse.why_not.n_in_reach == 3
    assert multiverse.opportunity.shape == (0, 0)
    assert len(multiverse.scores) == len(multiverse.costs) == len(multiverse.branching()) == 0
    assert len(multiverse.mean_opportunity) == 0
    assert multiverse.families(1.0) == []
    assert "None of the 3 destinations that have the outcome is in reach" in repr(multiverse)


def test_no_destination_at_all_gives_an_empty_multiverse():
    multiverse = fl.explore(loan().graph, 0, [])
    assert len(multiverse) == 0
    assert multiverse.why_not.n_candidates == 0


@pytest.mark.parametrize(
    ("factual", "destinations", "message"),
    [
        (7, [1], "0 to 6, got 7"),
        (-1, [1], "got -1"),
        (1.5, [2], "factual .* got 1.5"),
        ("x0", [2], "factual .* got 'x0'"),
        (0, [7], "destination .* got 7"),
        (0, [[1, -2]], "destination .* got -2"),
        (0, [[]], "empty"),
        (0, [set()], "empty"),
        (0, ["1"], "destination must be a vertex .* got '1'"),
        (0, [1.5], "destination must be a vertex .* got 1.5"),
        (0, [True], "destination must be a vertex .* got True"),
        (0, [None], "destination must be a vertex .* got None"),
        (0, [[[1, 2], [3, 4]]], r"destination must be a vertex .* got \[1, 2\]"),
        (0, [[1, [2, 3]]], r"destination must be a vertex .* got \[2, 3\]"),
        (0, [0], "contains the factual"),
        (0, [1, {2, 0}], "contains the factual"),
    ],
)
def test_what_cannot_be_explored_is_refused_with_the_reason(factual, destinations, message):
    with pytest.raises(InvalidInput, match=message):
        fl.explore(loan().graph, factual, destinations)


@given(seed=seeds, n=st.integers(2, 20), scale=st.sampled_from([1e-6, 0.3, 7.0, 1e9]))
def test_scaling_all_costs_changes_neither_journeys_nor_opportunity(seed, n, scale):
    rng = np.random.default_rng(seed)
    graph = general_graph(rng, n)
    scaled = fl.Graph(graph.points, graph.costs * scale)
    before, after = (fl.explore(each, 0, range(1, n)) for each in (graph, scaled))
    assert routes_of(after) == routes_of(before)
    assert after.opportunity == pytest.approx(before.opportunity, rel=1e-12)
    assert after.costs == pytest.approx(before.costs * scale, rel=1e-12)


@given(seed=seeds, n=st.integers(2, 20))
def test_renumbering_the_vertices_only_renumbers_the_journeys(seed, n):
    rng = np.random.default_rng(seed)
    graph = general_graph(rng, n)
    order = rng.permutation(n)  # new vertex i was order[i]
    place = np.argsort(order)
    moved = fl.Graph(graph.points[order], graph.costs[order][:, order])
    before = fl.explore(graph, 0, range(1, n))
    after = fl.explore(moved, int(place[0]), place[1:].tolist())
    assert [[int(order[v]) for v in route] for route in routes_of(after)] == routes_of(before)
    assert after.opportunity.tolist() == before.opportunity.tolist()


def cheapest_routes(net: nx.DiGraph, source: int, end: int) -> list[list[int]]:
    """All cheapest routes with the fewest steps, by looking at every simple path."""
    paths = list(nx.all_simple_paths(net, source, end))
    costs = [sum(net[u][v]["weight"] for u, v in pairwise(path)) for path in paths]
    cheapest = [p for p, cost in zip(paths, costs, strict=True) if cost <= min(costs) * (1 + 1e-9)]
    fewest = min(map(len, cheapest))
    return [path for path in cheapest if len(path) == fewest]


def area(net: nx.DiGraph, route: list[int], destinations: list[list[int]]) -> float:
    """Sum over the steps of step cost times the destinations that all steps so far came nearer."""
    left = [[_left(net, vertex, members) for members in destinations] for vertex in route]
    open_ = [np.isfinite(each) for each in left[0]]
    total = 0.0
    for i, (u, v) in enumerate(pairwise(route)):
        cost = net[u][v]["weight"]
        for b in range(len(destinations)):
            open_[b] = open_[b] and (left[i + 1][b] < left[i][b] * (1 - 1e-9) or cost == 0)
        total += cost * sum(open_)
    return total


def _left(net: nx.DiGraph, vertex: int, members: list[int]) -> float:
    lengths = nx.single_source_dijkstra_path_length(net, vertex)
    return min(lengths.get(member, np.inf) for member in members)


def chosen(graph: Graph, source: int, end: int, destinations: list[list[int]]) -> list[int]:
    remaining = remaining_costs(graph, [np.array(members) for members in destinations])
    (route,) = most_open_routes(forward(graph, source), [end], remaining)
    return route.tolist()


@st.composite
def crossings(draw: st.DrawFn) -> tuple[Graph, int, list[list[int]]]:
    """A graph full of equally cheap routes, an end, and destinations (sets, the end among them)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_layers, width = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    n = n_layers * width + 2
    costs = draw(st.sampled_from([[1.0], [1.0, 2.0], [0.0, 1.0], [0.1, 0.2, 0.3]]))
    edges = {}
    layers = [[0], *(list(range(1 + i * width, 1 + (i + 1) * width)) for i in range(n_layers))]
    layers.append([n - 1])
    for here, there in pairwise(layers):
        step = rng.choice(costs)
        for u in here:
            for v in there:
                if rng.random() < 0.85:
                    edges[u, v] = step if rng.random() < 0.8 else rng.choice(costs)
                if rng.random() < 0.2:
                    edges[v, u] = rng.choice(costs)
    graph = graph_of(edges or {(0, n - 1): 1.0}, n)
    others = [
        sorted(set(rng.integers(1, n, rng.integers(1, 3)).tolist()))
        for _ in range(draw(st.integers(0, 4)))
    ]
    return graph, n - 1, [[n - 1], *others]


@settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
@given(crossings())
def test_the_rule_holds_on_every_graph(world: tuple[Graph, int, list[list[int]]]) -> None:
    graph, end, destinations = world
    net = digraph(graph)
    assume(nx.has_path(net, 0, end))
    routes = cheapest_routes(net, 0, end)
    areas = [round(area(net, route, destinations), 9) for route in routes]
    best = [r for r, each in zip(routes, areas, strict=True) if each == max(areas)]
    assert chosen(graph, 0, end, destinations) == min(best)


# Two orders of the same two changes: 1 then 2, or 2 then 1; 3 is both, 4 is 1 and something else.
DIAMOND = {(0, 1): 1.0, (0, 2): 1.0, (1, 3): 1.0, (2, 3): 1.0}


def test_of_two_orders_the_one_that_serves_another_destination_is_taken():
    edges = {**DIAMOND, (2, 4): 1.0}
    assert chosen(graph_of(edges, 5), 0, 3, [[3], [4]]) == [0, 2, 3]
    edges = {**DIAMOND, (1, 4): 1.0}
    assert chosen(graph_of(edges, 5), 0, 3, [[3], [4]]) == [0, 1, 3]


def test_where_nothing_tells_them_apart_the_smaller_numbers_are_taken():
    assert chosen(graph_of(DIAMOND, 4), 0, 3, [[3]]) == [0, 1, 3]
    assert chosen(graph_of({**DIAMOND, (1, 4): 1.0, (2, 4): 1.0}, 5), 0, 3, [[3], [4]]) == [0, 1, 3]


def test_a_costlier_step_kept_open_outweighs_a_cheaper_one():
    """By 1 the first 2 of 3 serve destination 4, by 2 the first 1 of 3."""
    edges = {(0, 1): 2.0, (0, 2): 1.0, (1, 3): 1.0, (2, 3): 2.0, (1, 4): 5.0, (2, 5): 5.0}
    assert chosen(graph_of(edges, 6), 0, 3, [[3], [4]]) == [0, 1, 3]
    assert chosen(graph_of(edges, 6), 0, 3, [[3], [4], [5]]) == [0, 1, 3]
    edges = {(0, 1): 1.0, (0, 2): 2.0, (1, 3): 2.0, (2, 3): 1.0, (1, 4): 5.0, (2, 5): 5.0}
    assert chosen(graph_of(edges, 6), 0, 3, [[3], [4], [5]]) == [0, 2, 3]


def test_more_steps_are_never_taken_to_keep_more_open():
    edges = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0, (0, 4): 1.5, (4, 3): 1.5, (2, 5): 1.0}
    assert chosen(graph_of(edges, 6), 0, 3, [[3], [5]]) == [0, 4, 3]


def test_a_dearer_route_is_never_taken_to_keep_more_open():
    edges = {(0, 1): 1.0, (1, 3): 1.0, (0, 2): 1.0, (2, 3): 1.0 + 1e-6, (2, 4): 1.0}
    assert chosen(graph_of(edges, 5), 0, 3, [[3], [4]]) == [0, 1, 3]


def test_costs_that_differ_by_rounding_only_are_the_same():
    edges = {(0, 1): 0.1, (1, 3): 0.2, (0, 2): 0.3, (2, 3): 1e-17, (2, 4): 1.0}
    assert 0.1 + 0.2 > 0.3 + 1e-17
    assert chosen(graph_of(edges, 5), 0, 3, [[3], [4]]) == [0, 2, 3]


def test_what_was_once_closed_stays_closed():
    """By 1, destination 5 comes nearer in the second step only; by 2 in the first only."""
    edges = {(0, 1): 1.0, (1, 3): 1.0, (3, 6): 1.0, (0, 2): 1.0, (2, 4): 1.0, (4, 6): 1.0}
    left = {0: 5.0, 1: 5.0, 2: 4.5, 3: 4.0, 4: 4.6, 6: 4.7}
    edges |= {(vertex, 5): cost for vertex, cost in left.items()}
    assert chosen(graph_of(edges, 7), 0, 6, [[6], [5]]) == [0, 2, 4, 6]


def test_who_keeps_more_open_may_catch_up_later():
    """By 1 more is open at first, by 2 from vertex 3 on, and there is more to walk from there."""
    edges = {(0, 1): 2.0, (1, 3): 1.0, (0, 2): 1.0, (2, 3): 2.0, (3, 4): 2.0}
    edges |= {(4, 5): 1.0}  # open all the way, whichever is taken
    edges |= {(4, 6): 1.0, (1, 6): 3.0, (2, 6): 4.5}  # by 1 no nearer in the second step
    edges |= {(1, 7): 10.0}  # by 1 in the first step only
    destinations = [[4], [5], [6], [7]]
    graph = graph_of(edges, 8)
    areas = [area(digraph(graph), route, destinations) for route in ([0, 1, 3, 4], [0, 2, 3, 4])]
    assert areas == [14, 15]
    assert [area(digraph(graph), route, destinations) for route in ([0, 1, 3], [0, 2, 3])] == [
        10,
        9,
    ]
    assert chosen(graph, 0, 4, destinations) == [0, 2, 3, 4]


def test_a_start_that_is_the_end_is_a_route_of_one():
    assert chosen(graph_of(DIAMOND, 4), 0, 0, [[3]]) == [0]


@pytest.mark.parametrize("n_ways", [3, 4])
def test_the_chosen_order_has_the_highest_opportunity(n_ways):
    """A cube of changes; destinations are pairs of them: every order is as cheap."""
    n = 2**n_ways
    edges = {
        (state, state | 1 << i): 1.0
        for state in range(n)
        for i in range(n_ways)
        if not state >> i & 1
    }
    graph = graph_of(edges, n)
    targets: list[Any] = [0b011, 0b101, 0b110, n - 1]
    search = forward(graph, 0)
    multiverse = journeys_to(
        search, [np.array([t]) for t in targets], ends=targets, routes=most_open_routes
    )
    assert len(multiverse) == len(targets)
    net = digraph(graph)
    for journey in multiverse:
        end = int(journey.vertices[-1])
        destinations = [members.tolist() for members in multiverse.destinations]
        areas = [area(net, r, destinations) for r in nx.all_shortest_paths(net, 0, end)]
        assert journey.opportunity.sum() * journey.cost >= max(areas) - 1e-9
    assert multiverse[-1].n_steps == n_ways
