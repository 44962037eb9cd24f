from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import (
    digraph,
    general_graph,
    random_graph,
    slow_opportunity,
    slow_routes,
)

import facelift as fl
from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood, distance, power, row_graph
from facelift.terrain.prices import Prices
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


def routes_of(multiverse):
    return [journey.vertices.tolist() for journey in multiverse]


def graph_of(edges, n):
    starts, ends = zip(*edges, strict=True)
    data = np.array(list(edges.values()), dtype=float)
    return fl.Graph(np.zeros((n, 1)), sparse.csr_array((data, (starts, ends)), shape=(n, n)))


def random_destinations(rng, n, n_sets):
    """Sets of vertices other than 0."""
    return [set((1 + rng.integers(n - 1, size=rng.integers(1, 4))).tolist()) for _ in range(n_sets)]


# The paper's loan figure, SPEC 12


def test_the_loan_figure_gives_the_papers_table():
    multiverse = loan().multiverse()
    expected = [[1, 0, 0], [0, 1, Fraction(4, 7)], [0, Fraction(7, 8), 1]]
    for row, printed in zip(multiverse.opportunity.tolist(), expected, strict=True):
        assert row == [float(each) for each in printed]


def test_the_loan_figure_gives_the_papers_journeys_and_means():
    multiverse = fl.explore(loan().graph, 0, [1, 2, 3])
    assert routes_of(multiverse) == [[0, 1], [0, 4, 2], [0, 4, 5, 6, 3]]
    assert multiverse.costs.tolist() == [3, 14, 16]
    means = [Fraction(1, 3), (1 + Fraction(4, 7)) / 3, (1 + Fraction(7, 8)) / 3]
    assert multiverse.mean_opportunity == pytest.approx([float(mean) for mean in means])
    assert [f"{float(mean) + 1e-9:.2f}" for mean in means] == ["0.33", "0.52", "0.63"]


def test_the_shortest_loan_journey_keeps_nothing_open():
    multiverse = loan().multiverse()
    assert multiverse.scores[0] == 0
    assert fl.best(multiverse) is multiverse[2]
    assert fl.best(multiverse, fl.proximity) is multiverse[0]


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


def test_a_single_destination_has_no_alternatives_to_score_but_is_best():
    multiverse = fl.explore(loan().graph, 0, [2])
    assert np.isnan(multiverse.scores).all()
    assert multiverse.opportunity.tolist() == [[1.0]]
    assert multiverse.mean_opportunity.tolist() == [1.0]
    assert fl.best(multiverse) is multiverse[0]


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
    assert "none is in reach" in repr(multiverse)


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


# Laws


@given(seed=seeds, n=st.integers(2, 20), zeros=st.booleans())
def test_potentials_lie_in_zero_to_one_and_ones_own_is_one(seed, n, zeros):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, costs=(0, 0, 1, 2) if zeros else (0.1, 0.2, 0.3, 0.7))
    multiverse = fl.explore(graph, 0, range(1, n))
    opportunity = multiverse.opportunity
    assert ((opportunity >= 0) & (opportunity <= 1)).all()
    assert (np.diag(opportunity) == 1).all()


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


@given(seed=seeds, n=st.integers(2, 20))
def test_the_remaining_cost_falls_by_the_step_cost_along_ones_own_journey(seed, n):
    graph = general_graph(np.random.default_rng(seed), n)
    for number, journey in enumerate(fl.explore(graph, 0, range(1, n))):
        left = journey.remaining[:, journey.own]
        assert journey.own == number
        assert left[:-1] - left[1:] == pytest.approx(journey.step_costs, rel=1e-9)
        assert left[-1] == 0
        assert left[0] == pytest.approx(journey.cost)


@given(seed=seeds, n=st.integers(2, 20))
def test_a_journey_carries_the_points_and_costs_of_its_route(seed, n):
    graph = random_graph(np.random.default_rng(seed), n, costs=(0, 1, 2))
    for journey in fl.explore(graph, 0, range(1, n)):
        route = journey.vertices
        assert journey.waypoints.tolist() == graph.points[route].tolist()
        assert journey.counterfactual.tolist() == graph.points[route[-1]].tolist()
        costs = [graph.edge_cost(u, v) for u, v in pairwise(route)]
        assert journey.step_costs.tolist() == costs
        assert journey.n_steps == len(route) - 1


def test_a_free_step_neither_opens_nor_closes_anything():
    """SPEC 5: beside the way, a detour of cost 0 does not end the walk."""
    edges = {(0, 1): 2, (1, 2): 0, (2, 3): 2, (2, 4): 5}
    multiverse = fl.explore(graph_of(edges, 5), 0, [3, 4])
    assert routes_of(multiverse) == [[0, 1, 2, 3], [0, 1, 2, 4]]
    assert multiverse.opportunity.tolist() == [[1, 0.5], [2 / 7, 1]]


def test_the_walk_ends_at_the_first_step_that_does_not_come_nearer_not_at_the_least_distance():
    edges = {(0, 1): 8, (1, 2): 8, (2, 3): 8, (3, 4): 8, (1, 5): 4, (3, 5): 1}
    multiverse = fl.explore(graph_of(edges, 6), 0, [4, 5])
    assert routes_of(multiverse) == [[0, 1, 5], [0, 1, 2, 3, 4]]
    assert multiverse[1].remaining[:, 0].tolist() == [12, 4, 9, 1, np.inf]
    assert multiverse[1].opportunity.tolist() == [0.25, 1]


def test_arrays_of_a_journey_cannot_be_written():
    journey = loan().multiverse()[0]
    for array in (journey.vertices, journey.waypoints, journey.step_costs, journey.remaining):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_multiverse_is_a_sequence_of_journeys():
    multiverse = loan().multiverse()
    assert list(multiverse) == [multiverse[0], multiverse[1], multiverse[2]]
    assert multiverse[-1] is multiverse[2]
    assert multiverse[1:] == (multiverse[1], multiverse[2])
    assert multiverse[1] in multiverse
