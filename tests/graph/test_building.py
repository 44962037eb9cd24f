from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.random_worlds import random_world, slow_edges, slow_nearest, stored_edges
from tests.laws import examples

from facelift import FACElift, _arrays
from facelift.errors import InvalidData, InvalidInput, InvalidModel
from facelift.graph import Neighbourhood, building, distance, power, row_graph
from facelift.graph.building import (
    all_attached,
    attached,
    graph_of,
    moves_among,
    moves_in,
    nearest_moves,
)
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)
edge_rules = st.sampled_from(["out", "union", "mutual"])


@given(
    seed=seeds,
    n=st.integers(1, 14),
    n_plain=st.integers(1, 3),
    n_blocks=st.integers(0, 1),
    k=st.sampled_from([1, 2, 3, 5, 20]),
    edges=edge_rules,
    max_step=st.sampled_from([None, 0.5, 1.0, 2.0, np.inf]),
    closed=st.booleans(),
)
@settings(max_examples=examples(300))
def test_edges_are_those_of_the_definition(seed, n, n_plain, n_blocks, k, edges, max_step, closed):
    """SPEC 2, with identical rows, ties, k ≥ n, a largest step and vertices nobody may enter."""
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=n_plain, n_blocks=n_blocks)
    enterable = rng.random(n) < 0.6 if closed else None
    graph = row_graph(points, Neighbourhood(prices, k, edges, max_step=max_step), enterable)
    limit = np.inf if max_step is None else max_step
    assert stored_edges(graph) == slow_edges(points, prices, k, edges, limit, enterable)


@given(
    seed=seeds,
    n=st.integers(1, 14),
    n_blocks=st.integers(0, 1),
    edges=edge_rules,
    radius=st.sampled_from([0.4, 1.0, 2.0, np.inf]),
)
@settings(max_examples=examples(150))
def test_without_a_number_of_neighbors_all_within_the_largest_step_are_edges(
    seed, n, n_blocks, edges, radius
):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_blocks=n_blocks)
    enterable = rng.random(n) < 0.8
    neighbourhood = Neighbourhood(prices, None, edges, max_step=radius)
    expected = slow_edges(points, prices, n, edges, radius, enterable)
    assert stored_edges(row_graph(points, neighbourhood, enterable)) == expected


@given(
    seed=seeds,
    n=st.integers(2, 60),
    n_plain=st.integers(1, 4),
    n_blocks=st.integers(0, 3),
    k=st.integers(1, 15),
    edges=edge_rules,
    ties=st.booleans(),
)
@settings(max_examples=examples(2000))
def test_no_edge_is_forbidden_by_the_terrain(seed, n, n_plain, n_blocks, k, edges, ties):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n, n_plain=n_plain, n_blocks=n_blocks, ties=ties)
    graph = row_graph(points, Neighbourhood(prices, k, edges))
    costs = prices.cost(points[graph.starts], points[graph.costs.indices])
    assert np.isfinite(costs).all()
    assert (graph.costs.data == costs).all()


@given(seed=seeds, n=st.integers(2, 30), k=st.integers(1, 6), edges=edge_rules)
def test_reordering_the_rows_only_renumbers_the_vertices(seed, n, k, edges):
    rng = np.random.default_rng(seed)
    points = rng.random((n, 3))
    neighbourhood = Neighbourhood(Prices(np.ones(3), np.array([1.1, 3.0, np.inf])), k, edges)
    order = rng.permutation(n)
    moved = stored_edges(row_graph(points[order], neighbourhood))
    renumbered = {(int(order[u]), int(order[v])): cost for (u, v), cost in moved.items()}
    assert renumbered == stored_edges(row_graph(points, neighbourhood))


def test_identical_rows_are_joined_by_free_edges():
    points = np.array([[0.0], [0.0], [2.0]])
    graph = row_graph(points, Neighbourhood(Prices(np.ones(1), np.ones(1)), 1, "out"))
    assert stored_edges(graph) == {(0, 1): 0.0, (1, 0): 0.0, (2, 0): 2.0}


def test_a_one_way_street_has_no_way_back():
    points = np.array([[0.0], [1.0], [3.0]])
    graph = row_graph(points, Neighbourhood(Prices(np.ones(1), np.full(1, np.inf)), 1))
    assert stored_edges(graph) == {(0, 1): 1.0, (1, 2): 2.0}


def test_a_vertex_that_may_not_be_entered_can_still_be_left():
    points = np.array([[0.0], [1.0], [2.0]])
    neighbourhood = Neighbourhood(Prices(np.ones(1), np.ones(1)), 2)
    graph = row_graph(points, neighbourhood, np.array([False, True, True]))
    assert set(stored_edges(graph)) == {(0, 1), (0, 2), (1, 2), (2, 1)}


@given(
    seed=seeds,
    n=st.integers(1, 25),
    k=st.sampled_from([1, 3, 40, None]),
    exponent=st.sampled_from([1, 2]),
    max_step=st.sampled_from([0.7, 1.5]),
)
def test_a_new_factual_leads_to_its_own_nearest_and_the_graph_stays(seed, n, k, exponent, max_step):
    rng = np.random.default_rng(seed)
    points, prices = random_world(rng, n + 1, n_plain=2, n_blocks=1)
    point, points = points[-1], points[:-1]
    enterable = rng.random(n) < 0.7
    cost = distance if exponent == 1 else power(exponent)
    neighbourhood = Neighbourhood(prices, k, "union", cost, max_step)
    graph = row_graph(points, neighbourhood, enterable)
    before = stored_edges(graph)
    larger = attached(graph, point, neighbourhood, enterable)
    others = [
        (c, int(v))
        for c, v in slow_nearest([point], points, prices, n)[0]
        if enterable[v] and c <= max_step
    ]
    new = {(n, v): c**exponent for c, v in others[:k]}
    assert stored_edges(larger) == before | new
    assert larger.points[:-1].tolist() == points.tolist()
    assert larger.points[-1].tolist() == point.tolist()
    assert stored_edges(graph) == before
    assert len(graph) == n


def test_all_pairs_are_never_held_at_once(monkeypatch):
    monkeypatch.setattr(_arrays, "CELLS", 100_000)
    points = np.random.default_rng(0).random((3000, 4))
    tracemalloc.start()
    row_graph(points, Neighbourhood(Prices(np.ones(4), np.full(4, 1.1)), n_neighbors=5))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(points) ** 2 * 8 / 4


@pytest.mark.parametrize("max_step", [None, 0.4])
def test_many_attached_people_stand_where_each_would_alone(max_step):
    rng = np.random.default_rng(3)
    prices = Prices(np.array([1.0, 2.0]), np.array([np.inf, 1.0]))
    neighbourhood = Neighbourhood(prices, 4, max_step=max_step)
    enterable = rng.random(40) < 0.8
    graph = row_graph(rng.random((40, 2)), neighbourhood, enterable)
    new = rng.random((7, 2))
    together = all_attached(graph, new, neighbourhood, enterable)
    for i, point in enumerate(new):
        alone = attached(graph, point, neighbourhood, enterable)
        for one, other in zip(together.neighbors(40 + i), alone.neighbors(40), strict=True):
            assert one.tolist() == other.tolist()
    assert together.costs[:40].nnz == graph.costs.nnz


def never(_rows):
    raise AssertionError("the model was asked")


def test_a_table_larger_than_memory_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(building, "NOTEWORTHY", 0)
    monkeypatch.setattr(building, "free_memory", lambda: 200_000)
    table = np.random.default_rng(0).uniform(size=(400, 10))
    with pytest.raises(InvalidData, match=r"400 rows with 10 coordinates need about .* are free"):
        FACElift(never).fit(table)
    monkeypatch.setattr(building, "free_memory", lambda: None)
    with pytest.raises(InvalidModel, match="the model was asked"):
        FACElift(never).fit(table)


def test_more_steps_than_can_be_numbered_are_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(building, "MOST_EDGES", 1_000)
    with pytest.raises(InvalidData, match=r"400 rows with 20 neighbours make up to"):
        FACElift(never).fit(np.arange(400.0)[:, np.newaxis])


def test_what_is_free_is_some_of_what_there_is():
    free = building.free_memory()
    assert free is None or 0 < free < 2**50


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
