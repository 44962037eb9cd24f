"""Graphs of real records: both engines against networkx, and against another search of SciPy.

German Credit (embedded) with its rules and what became of its people, and Adult where it is at
hand: so many that facelift itself chooses the compiled searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph
from tests.graph.random_worlds import cheapest_first

from facelift import Graph, Terrain, datasets
from facelift._arrays import Bools
from facelift.graph import (
    Neighbourhood,
    distance,
    forward,
    power,
    remaining_costs,
    row_graph,
    search,
)
from facelift.graph.building import attached
from facelift.graph.points import distinct_points
from facelift.graph.routes import Wanted, absorbing
from facelift.multiverse.exploration import nearest_journeys

ENGINES = {"plain": 10**9, "compiled": 0}
WISHES = [Wanted(10), Wanted(5, min_separation=1.5), Wanted(10, max_steps=2)]


@dataclass(frozen=True, eq=False)
class Real:
    """A graph of records, who has the outcome, and some who do not."""

    graph: Graph
    neighbourhood: Neighbourhood
    candidates: Bools
    sources: list[int]


def real(terrain: Terrain, X: Any, good: Any, neighbourhood: Neighbourhood, n_sources: int) -> Real:
    points, vertices, _ = distinct_points(np.asarray(terrain.encode(X)))
    candidates = np.zeros(len(points), dtype=bool)
    candidates[vertices[np.asarray(good)]] = True
    others = np.random.default_rng(0).permutation(np.flatnonzero(~candidates))
    return Real(
        row_graph(points, neighbourhood), neighbourhood, candidates, others[:n_sources].tolist()
    )


@pytest.fixture(scope="module", params=["as ruled", "free", "free, distances"])
def credit(request) -> Real:
    table = datasets.load_german_credit()
    terrain = Terrain.infer(table.data)
    if request.param == "as ruled":
        terrain = datasets.german_credit_rules(terrain).allow_harm()
    edge_cost = distance if request.param == "free, distances" else power(2)
    neighbourhood = Neighbourhood(terrain.prices, 12, edge_cost=edge_cost)
    return real(terrain, table.data, table.target == "good", neighbourhood, 20)


@pytest.fixture(scope="module")
def adult(data_home) -> Real:
    table = datasets.load_adult(data_home)
    rows = np.random.default_rng(1).permutation(len(table.data))[:6_000]
    X, target = table.data.iloc[rows], table.target.iloc[rows]
    terrain = datasets.adult_rules(Terrain.infer(table.data))
    neighbourhood = Neighbourhood(terrain.prices, 15, edge_cost=power(2))
    return real(terrain, X, target == ">50K", neighbourhood, 4)


def digraph(graph: Graph) -> nx.DiGraph:
    """The same graph for networkx."""
    net = nx.DiGraph()
    net.add_nodes_from(range(len(graph)))
    ends, costs = graph.costs.indices.tolist(), graph.costs.data.tolist()
    net.add_weighted_edges_from(zip(graph.starts.tolist(), ends, costs, strict=True))
    return net


def lengths_from(net: nx.DiGraph, sources: set[int]) -> np.ndarray:
    """Least costs to every vertex by networkx, inf where there is no way."""
    costs = np.full(len(net), np.inf)
    found = nx.multi_source_dijkstra_path_length(net, sources)
    costs[list(found)] = list(found.values())
    return costs


def fewest_steps(net: nx.DiGraph, source: int, costs: np.ndarray) -> dict[int, int]:
    """Steps of the shortest of the cheapest routes to every vertex in reach."""
    tight = nx.DiGraph()
    tight.add_node(source)
    for u, v, cost in net.edges(data="weight"):
        if costs[u] + cost <= costs[v] * (1 + 1e-9) < np.inf:
            tight.add_edge(u, v)
    return nx.single_source_shortest_path_length(tight, source)


def chosen(graph: Graph, net: nx.DiGraph, source: int, candidates: Bools, wanted: Wanted) -> list:
    """The destinations of SPEC 3, one after the other, from what networkx says."""
    costs = lengths_from(net, {source})
    steps = fewest_steps(net, source, costs)
    most = np.inf if wanted.max_steps is None else wanted.max_steps
    near = [v for v in np.flatnonzero(candidates).tolist() if v in steps and steps[v] <= most]
    found: list[int] = []
    for _, vertex in cheapest_first((costs[v], v) for v in near if v != source):
        apart = np.linalg.norm(graph.points[found] - graph.points[vertex], axis=1)
        if len(found) < wanted.count and (apart >= wanted.min_separation).all():
            found.append(vertex)
    return found


def check_journeys(graph: Graph, source: int, candidates: Bools, wanted: Wanted) -> int:
    """Destinations, costs and remaining costs are those of networkx, by both engines."""
    net = digraph(graph)
    away, expected = lengths_from(net, {source}), chosen(graph, net, source, candidates, wanted)
    left = {end: lengths_from(net.reverse(copy=False), {end}) for end in expected}
    for size in ENGINES.values():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "COMPILED_FROM", size)
            found = nearest_journeys(graph, source, candidates, wanted)
        assert [int(members[0]) for members in found.destinations] == expected
        for journey, end in zip(found, expected, strict=True):
            route = journey.vertices.tolist()
            assert (route[0], route[-1]) == (source, end)
            assert journey.cost == pytest.approx(away[end], rel=1e-12)
            assert journey.step_costs.tolist() == [net[u][v]["weight"] for u, v in pairwise(route)]
            assert journey.remaining == pytest.approx(
                np.column_stack([left[other][route] for other in expected]), rel=1e-12
            )
    return len(expected)


@pytest.mark.parametrize("wanted", WISHES, ids=["nearest", "apart", "two steps"])
def test_journeys_on_german_credit_are_those_of_networkx(credit, wanted):
    found = [
        check_journeys(credit.graph, source, credit.candidates, wanted)
        for source in credit.sources[:5]
    ]
    assert sum(found) >= 5


def test_journeys_that_stop_at_the_first_are_those_of_networkx(credit):
    graph = absorbing(credit.graph, credit.candidates)
    found = [check_journeys(graph, s, credit.candidates, Wanted(8)) for s in credit.sources[5:13]]
    assert sum(found) >= 4


def test_journeys_of_somebody_new_are_those_of_networkx(credit):
    enterable = np.ones(len(credit.graph), dtype=bool)
    found = 0
    for source in credit.sources[13:]:
        point = credit.graph.points[source].copy()
        point[np.argmin(credit.neighbourhood.prices.increase)] += 0.001
        graph = attached(credit.graph, point, credit.neighbourhood, enterable)
        candidates = np.append(credit.candidates, False)
        found += check_journeys(graph, len(graph) - 1, candidates, Wanted(8))
    assert found >= 4


def test_journeys_on_adult_are_those_of_networkx(adult):
    assert search.worth_compiling(adult.graph)
    found = [check_journeys(adult.graph, s, adult.candidates, Wanted(6)) for s in adult.sources]
    assert sum(found) >= 4


def check_searches(world: Real, n_sources: int) -> None:
    """Whole searches, from everywhere and to whoever has the outcome, are those of SciPy."""
    costs, ends = world.graph.costs, np.flatnonzero(world.candidates)
    sets = [ends[:1], ends[1:3]]
    back = csgraph.bellman_ford(costs.T.tocsr(), indices=ends[:3])
    slow = np.column_stack([back[0], back[1:].min(axis=0)])
    assert remaining_costs(world.graph, sets) == pytest.approx(slow, rel=1e-12)
    for source in world.sources[:n_sources]:
        expected = csgraph.bellman_ford(costs, indices=source)
        assert forward(world.graph, source).costs == pytest.approx(expected, rel=1e-12)
        rows = [source, *world.graph.neighbors(source)[0]]
        for size in ENGINES.values():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(search, "COMPILED_FROM", size)
                near = search.costs_nearby(world.graph, source, sets)
            assert near == pytest.approx(slow[rows], rel=1e-12)
    everybody = lengths_from(digraph(world.graph).reverse(copy=False), set(ends.tolist()))
    for size in ENGINES.values():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "COMPILED_FROM", size)
            nearest = search.costs_to_any(world.graph, world.candidates)
        assert nearest == pytest.approx(everybody, rel=1e-12)
    assert remaining_costs(world.graph, [ends])[:, 0] == pytest.approx(everybody, rel=1e-12)


def test_searches_on_german_credit_are_those_of_scipy_and_networkx(credit):
    check_searches(credit, 4)


def test_searches_on_adult_are_those_of_scipy_and_networkx(adult):
    check_searches(adult, 1)
