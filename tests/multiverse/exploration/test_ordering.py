"""The order of steps: among equally cheap routes, the one that keeps most open longest."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import digraph

from facelift import Graph
from facelift.graph.routes import forward, remaining_costs
from facelift.multiverse.exploration import journeys_to, most_open_route


def graph_of(edges: dict[tuple[int, int], float], n: int) -> Graph:
    starts, ends = zip(*edges, strict=True)
    matrix = sparse.csr_array((list(edges.values()), (starts, ends)), shape=(n, n))
    return Graph(np.arange(float(n))[:, np.newaxis], matrix)


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
    return most_open_route(forward(graph, source), end, remaining).tolist()


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
        search, [np.array([t]) for t in targets], ends=targets, route=most_open_route
    )
    assert len(multiverse) == len(targets)
    net = digraph(graph)
    for journey in multiverse:
        end = int(journey.vertices[-1])
        destinations = [members.tolist() for members in multiverse.destinations]
        areas = [area(net, r, destinations) for r in nx.all_shortest_paths(net, 0, end)]
        assert journey.opportunity.sum() * journey.cost >= max(areas) - 1e-9
    assert multiverse[-1].n_steps == n_ways
