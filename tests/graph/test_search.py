"""Compiled searches on large graphs and SciPy's on small ones give the same journeys."""

from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import random_graph

from facelift.graph import Graph, Neighbourhood, remaining_costs, row_graph, search
from facelift.graph.compiled import FEW
from facelift.graph.routes import Wanted, absorbing
from facelift.multiverse.exploration import nearest_journeys
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)
prices = st.sampled_from([1.0, 1.1, 2.0, 0.1, 0.0, np.inf])
wishes = st.builds(
    Wanted,
    st.integers(1, 12) | st.just(10**30),
    st.sampled_from([0.0, 0.0, 0.3, 1.0]),
    st.sampled_from([None, None, 1, 3]),
)


@contextmanager
def engine(compiled_from):
    """Graphs of so many vertices and more are searched by compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "COMPILED_FROM", compiled_from)
        yield


def plain(graph, source, candidates, wanted):
    with engine(10**9):
        return nearest_journeys(graph, source, candidates, wanted)


def compiled(graph, source, candidates, wanted, *, guided=False):
    ground = getattr(graph, "ground", graph)
    guide = partial(search.costs_to_any, ground, candidates) if guided else None
    with engine(0):
        return nearest_journeys(graph, source, candidates, wanted, guide=guide)


def assert_same(found, expected):
    """The same journeys; what is left to go may be added up in another order."""
    assert [j.vertices.tolist() for j in found] == [j.vertices.tolist() for j in expected]
    for own, other in zip(found, expected, strict=True):
        assert own.own == other.own
        assert np.array_equal(own.waypoints, other.waypoints)
        assert np.array_equal(own.step_costs, other.step_costs)
        assert np.allclose(own.remaining, other.remaining, rtol=1e-13, atol=0)
    assert [d.tolist() for d in found.destinations] == [d.tolist() for d in expected.destinations]
    assert found.factual == expected.factual
    if found.why_not is not None or expected.why_not is not None:
        assert found.why_not.n_in_reach == expected.why_not.n_in_reach


def terrain_graph(rng, up, down, edges, n_neighbors, *, grid):
    n, m = int(rng.integers(1, 120)), len(up)
    points = rng.integers(0, 5, (n, m)) / 4 if grid else rng.random((n, m))
    neighbourhood = Neighbourhood(Prices(np.array(up), np.array(down)), n_neighbors, edges)
    return row_graph(np.unique(points, axis=0), neighbourhood)


@given(
    seed=seeds,
    price=st.lists(st.tuples(prices, prices), min_size=1, max_size=3),
    edges=st.sampled_from(["out", "union", "mutual"]),
    n_neighbors=st.integers(1, 8),
    grid=st.booleans(),
    share=st.sampled_from([0.5, 0.1, 0.02]),
    wanted=wishes,
    first=st.booleans(),
    guided=st.booleans(),
)
@settings(max_examples=examples(400))
def test_both_engines_find_the_same_journeys(
    seed, price, edges, n_neighbors, grid, share, wanted, first, guided
):
    rng = np.random.default_rng(seed)
    up, down = zip(*price, strict=True)
    graph = terrain_graph(rng, up, down, edges, n_neighbors, grid=grid)
    candidates = rng.random(len(graph)) < share
    source = int(rng.integers(len(graph)))
    candidates[source] = False
    graph = absorbing(graph, candidates) if first else graph
    found = compiled(graph, source, candidates, wanted, guided=guided)
    assert_same(found, plain(graph, source, candidates, wanted))


@given(
    seed=seeds,
    n=st.integers(1, 40),
    costs=st.sampled_from([(0, 1), (1, 2, 3), (0.1, 0.2, 0.3), (1, 50), (0,), (1e-9, 1.0)]),
    wanted=wishes,
    own=st.booleans(),
    guided=st.booleans(),
)
@settings(max_examples=examples(400))
def test_both_engines_treat_ties_alike(seed, n, costs, wanted, own, guided):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, share=0.2, costs=costs)
    candidates = rng.random(n) < 0.3
    candidates[0] = own
    found = compiled(graph, 0, candidates, wanted, guided=guided)
    assert_same(found, plain(graph, 0, candidates, wanted))


@given(seed=seeds, n=st.integers(1, 60), wanted=wishes, guided=st.booleans())
@settings(max_examples=examples(300))
def test_both_engines_lead_a_new_case_the_same_way(seed, n, wanted, guided):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, share=0.2, costs=(0.1, 0.2, 0.5))
    candidates = rng.random(n) < 0.3
    ends = rng.permutation(n)[: rng.integers(0, 6)]
    point = rng.random(graph.points.shape[1])
    larger = graph.attach(point, ends, rng.choice([0.1, 0.3, 0.0], len(ends)))
    found = compiled(larger, n, candidates, wanted, guided=guided)
    assert_same(found, plain(larger, n, candidates, wanted))


@pytest.mark.parametrize("guided", [True, False])
def test_wanting_more_than_there_are_is_wanting_all(guided):
    """Room is made for all candidates at most: a number beyond any memory finds the same."""
    rng = np.random.default_rng(3)
    graph = random_graph(rng, 400, share=0.02, costs=(1, 2, 3))
    candidates = rng.random(400) < 0.4
    candidates[0] = False
    n_all = int(candidates.sum())
    assert n_all > FEW
    every = compiled(graph, 0, candidates, Wanted(n_all), guided=guided)
    assert len(every) > FEW
    for count in (n_all + 1, 10**12):
        assert_same(compiled(graph, 0, candidates, Wanted(count), guided=guided), every)


def test_wanting_many_where_there_is_none_finds_none():
    graph = random_graph(np.random.default_rng(0), 20, share=0.2, costs=(1, 2))
    none = np.zeros(20, dtype=bool)
    assert len(compiled(graph, 0, none, Wanted(10**12))) == 0


def test_the_first_step_of_a_new_case_costs_what_its_edge_does_even_where_a_detour_ties():
    assert 0.1 + 0.7 < 0.8
    graph = Graph(np.zeros((2, 1)), sparse.csr_array(([0.7], ([0], [1])), shape=(2, 2)))
    larger = graph.attach(np.ones(1), np.array([0, 1]), np.array([0.1, 0.8]))
    for engine in (plain, compiled):
        (journey,) = engine(larger, 2, np.array([False, True]), Wanted(1))
        assert journey.vertices.tolist() == [2, 1]
        assert journey.step_costs.tolist() == [0.8]


@given(
    seed=seeds,
    n=st.integers(2, 60),
    n_sets=st.integers(1, 5),
    costs=st.sampled_from([(1, 2, 3), (0.1, 0.7), (0, 1), (0,)]),
    attached=st.booleans(),
)
@settings(max_examples=examples(300))
def test_costs_near_a_position_are_those_of_whole_searches(seed, n, n_sets, costs, attached):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, share=0.15, costs=costs)
    source = int(rng.integers(n))
    sets = [np.unique(rng.integers(0, n, rng.integers(1, 4))) for _ in range(n_sets)]
    if attached:
        ends = rng.permutation(n)[:3]
        graph, source = graph.attach(graph.points[0], ends, rng.random(len(ends))), n
    rows = [source, *graph.neighbors(source)[0]]
    expected = remaining_costs(graph, sets)[rows]
    for compiled_from in (0, 10**9):
        with engine(compiled_from):
            found = search.costs_nearby(graph, source, sets)
        assert np.allclose(found, expected, rtol=1e-13, atol=0)


@given(seed=seeds, n=st.integers(2, 60), costs=st.sampled_from([(1, 2, 3), (0.1, 0.7), (0, 1)]))
def test_costs_between_vertices_are_those_of_whole_searches(seed, n, costs):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, share=0.15, costs=costs)
    starts, ends = rng.integers(0, n, 4), rng.permutation(n)[:3]
    expected = remaining_costs(graph, list(ends[:, np.newaxis]))[starts]
    for compiled_from in (0, 10**9):
        with engine(compiled_from):
            found = search.costs_between(graph, starts, ends)
        assert np.allclose(found, expected, rtol=1e-13, atol=0)


@given(seed=seeds, n=st.integers(2, 60), costs=st.sampled_from([(1, 2, 3), (0.1, 0.7), (1, 50)]))
def test_the_cheapest_route_to_a_set_costs_the_same_by_both_engines(seed, n, costs):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, share=0.15, costs=costs)
    members = np.unique(rng.integers(0, n, 3))
    routes = []
    for size in (0, 10**9):
        with engine(size):
            routes.append(search.cheapest_route(graph, 0, members))
    lengths = [sum(graph.edge_cost(u, v) for u, v in pairwise(route.tolist())) for route in routes]
    assert len(routes[0]) == len(routes[1]) == 0 or np.isclose(*lengths, rtol=1e-12)


def test_costs_to_any_candidate_are_those_to_the_nearest():
    rng = np.random.default_rng(0)
    graph = random_graph(rng, 50, share=0.1)
    candidates = rng.random(50) < 0.2
    expected = [
        min(
            (j.cost for j in plain(graph, v, candidates, Wanted(1))),
            default=0.0 if candidates[v] else np.inf,
        )
        for v in range(50)
    ]
    for compiled_from in (0, 10**9):
        with engine(compiled_from):
            found = search.costs_to_any(graph, candidates)
        assert np.allclose(found, np.where(candidates, 0.0, expected))


def one_way(costs, edges, n):
    matrix = sparse.csr_array((costs, tuple(zip(*edges, strict=True))), shape=(n, n))
    return Graph(np.arange(float(n))[:, np.newaxis], matrix)


def test_where_every_next_step_is_free_costs_nearby_are_found_all_the_same():
    graph = one_way([0.0, 1.0], [(0, 1), (1, 2)], 3)
    with engine(0):
        assert search.costs_nearby(graph, 0, [np.array([2])]).tolist() == [[1.0], [1.0]]


def test_without_a_destination_nothing_is_nearby():
    graph = one_way([1.0, 1.0], [(0, 1), (0, 2)], 3)
    assert search.costs_nearby(graph, 0, []).shape == (3, 0)


def test_a_chain_of_near_ties_is_ordered_alike_by_both_engines():
    graph = one_way([1 + 1.8e-9, 1.0, 1 + 0.9e-9], [(0, 1), (0, 2), (0, 3)], 4)
    candidates = np.array([False, True, True, True])
    found = compiled(graph, 0, candidates, Wanted(2))
    expected = plain(graph, 0, candidates, Wanted(2))
    assert [each.tolist() for each in found.destinations] == [[2], [1]]
    assert_same(found, expected)


@given(seed=seeds, guided=st.booleans())
@settings(max_examples=examples(60))
def test_both_engines_agree_where_journeys_are_long(seed, guided):
    rng = np.random.default_rng(seed)
    side = 18
    place = np.arange(side * side).reshape(side, side)
    pairs = [(place[:, 1:], place[:, :-1]), (place[1:], place[:-1])]
    ends = [(a.ravel(), b.ravel()) for a, b in pairs] + [(b.ravel(), a.ravel()) for a, b in pairs]
    starts, stops = (np.concatenate(each) for each in zip(*ends, strict=True))
    costs = rng.choice([0.3, 1.0, 1.7], len(starts))  # there and back cost differently
    edges = sparse.csr_array((costs, (starts, stops)), shape=(side**2,) * 2)
    graph = Graph(np.zeros((side**2, 1)), edges)
    candidates = rng.random(side**2) < 0.03
    source, wanted = int(rng.integers(side**2)), Wanted(6)
    candidates[source] = False
    found = compiled(graph, source, candidates, wanted, guided=guided)
    assert_same(found, plain(graph, source, candidates, wanted))
