import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift.errors import InvalidInput
from facelift.graph import Neighbourhood, density, distance, kde, power, row_graph
from facelift.graph.edge_costs import scott_bandwidth
from facelift.terrain.prices import Prices

EUCLIDEAN = Prices(np.ones(2), np.ones(2))
POINTS = np.random.default_rng(0).random((40, 2)) * 8


def graph_with(edge_cost, points=POINTS, prices=EUCLIDEAN, **options):
    options = {"n_neighbors": 4} | options
    return row_graph(points, Neighbourhood(prices, edge_cost=edge_cost, **options))


def moves_of(graph, prices):
    """What each stored edge's move costs, one by one, in the order of `costs.data`."""
    pairs = zip(graph.starts, graph.costs.indices, strict=True)
    return [float(prices.cost(graph.points[u], graph.points[v])) for u, v in pairs]


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_distance_is_the_cost_of_the_move(ratio):
    prices = Prices(np.ones(2), np.full(2, ratio))
    graph = graph_with(distance, prices=prices)
    assert graph.costs.data.tolist() == moves_of(graph, prices)


@given(st.floats(0.1, 4))
@settings(max_examples=examples(30))
def test_power_is_the_cost_of_the_move_to_that_power(exponent):
    graph = graph_with(power(exponent))
    expected = [move**exponent for move in moves_of(graph, EUCLIDEAN)]
    assert graph.costs.data == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("exponent", [0, -1, math.inf, math.nan])
def test_a_power_that_is_not_positive_and_finite_is_refused(exponent):
    with pytest.raises(InvalidInput, match="power"):
        power(exponent)


@pytest.mark.parametrize(("dimension", "ball"), [(1, 2.0), (2, math.pi), (3, 4 / 3 * math.pi)])
def test_density_is_the_move_times_the_log_of_what_it_costs_beside_k_over_n_eta(dimension, ball):
    graph = graph_with(density(dimension))
    scale = 4 / (40 * ball)
    expected = [move * math.log(move / scale) for move in moves_of(graph, EUCLIDEAN)]
    assert graph.costs.data == pytest.approx(expected, rel=1e-12)
    assert (graph.costs.data > 0).all()


def test_density_that_is_not_positive_is_refused_and_names_what_to_change():
    with pytest.raises(InvalidInput, match="lower n_neighbors"):
        graph_with(density(), points=POINTS / 100)


def test_density_of_a_move_of_exactly_the_scale_is_refused():
    points = np.array([[0.0, 0.0], [0.25, 0.0]])  # k / (n η) = 1 / (2 · 2)
    with pytest.raises(InvalidInput, match="n_neighbors"):
        graph_with(density(), points=points, n_neighbors=1)


def test_density_of_a_move_too_small_for_its_square_is_zero():
    points = np.array([[0.0, 0.0], [1e-170, 0.0]])
    graph = graph_with(density(least=0.1), points=points, n_neighbors=1)
    assert graph.costs.data.tolist() == [0.0, 0.0]


def test_density_needs_a_number_of_neighbors():
    with pytest.raises(InvalidInput, match="n_neighbors"):
        graph_with(density(), n_neighbors=None, max_step=2.0)


@pytest.mark.parametrize("bandwidth", [0.5, 1.0])
def test_kde_is_the_move_times_minus_the_log_density_at_its_midpoint(bandwidth):
    graph = graph_with(kde(POINTS, bandwidth))
    expected = []
    for u, v in zip(graph.starts, graph.costs.indices, strict=True):
        middle = (POINTS[u] + POINTS[v]) / 2
        kernels = np.exp(-((POINTS - middle) ** 2).sum(axis=1) / (2 * bandwidth**2))
        estimate = kernels.mean() / (2 * math.pi * bandwidth**2)
        expected.append(-math.log(estimate) * float(EUCLIDEAN.cost(POINTS[u], POINTS[v])))
    assert graph.costs.data == pytest.approx(expected, rel=1e-9)


def test_kde_that_is_not_positive_is_refused_and_names_the_bandwidth():
    with pytest.raises(InvalidInput, match="bandwidth"):
        graph_with(kde(POINTS / 100, 0.01), points=POINTS / 100)


@pytest.mark.parametrize("edge_cost", [distance, power(2), density(), kde(POINTS, 1.0)])
def test_every_edge_cost_copes_with_a_graph_that_has_no_edges(edge_cost):
    frozen = Prices(np.full(2, np.inf), np.full(2, np.inf))
    assert graph_with(edge_cost, prices=frozen).costs.nnz == 0


def test_an_edge_cost_of_ones_own_is_given_the_ends_of_every_edge():
    def manhattan(edges):
        return np.abs(edges.points[edges.starts] - edges.points[edges.ends]).sum(axis=1)

    graph = graph_with(manhattan)
    for u, v, cost in zip(graph.starts, graph.costs.indices, graph.costs.data, strict=True):
        assert cost == np.abs(POINTS[u] - POINTS[v]).sum()


def test_scotts_bandwidth_shrinks_with_the_number_of_points():
    expected = POINTS.std(axis=0).mean() * 40 ** (-1 / 6)
    assert scott_bandwidth(POINTS) == pytest.approx(expected)
    assert scott_bandwidth(np.zeros((10, 2))) > 0
