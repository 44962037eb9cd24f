"""A journey: its route, its costs, and that it stays what it was."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.multiverse.slow_multiverse import (
    general_graph,
    random_graph,
)

import facelift as fl
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


def test_the_shortest_loan_journey_keeps_nothing_open():
    multiverse = loan().multiverse()
    assert multiverse.scores[0] == 0
    assert fl.best(multiverse) is multiverse[2]
    assert fl.best(multiverse, fl.proximity) is multiverse[0]


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


def test_arrays_of_a_journey_cannot_be_written():
    journey = loan().multiverse()[0]
    for array in (journey.vertices, journey.waypoints, journey.step_costs, journey.remaining):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
