"""Pairs of ways: where they run together, part and meet again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import facelift as fl
from facelift.multiverse.journey import Journey
from facelift.toys import fork

coordinates = st.integers(-4, 4).map(float)


def multiverse_through(*routes, points):
    """Journeys through these vertices, each step as long as it is."""
    journeys = []
    for number, route in enumerate(routes):
        waypoints = points[list(route)]
        costs = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
        remaining = np.zeros((len(route), len(routes)))
        journeys.append(Journey(np.array(route), waypoints, costs, remaining, number))
    return fl.Multiverse(tuple(journeys), tuple(np.array([route[-1]]) for route in routes))


def test_ways_that_part_and_meet_again():
    points = np.array([[0, 0], [1, 0], [2, 1], [2, -1], [3, 0], [4, 0], [4, 1]], dtype=float)
    pairs = multiverse_through((0, 1, 2, 4, 5), (0, 1, 3, 4, 6), points=points).pairs()
    pair = pairs.iloc[0]
    assert (pair.a, pair.b, pair.shared_steps, pair.shared_cost) == (0, 1, 1, 1.0)
    assert pair.meets_again == 3
    assert pair.converges > pair.shared_proportion > 0


def test_ways_that_part_for_good_never_meet():
    pairs = fork().multiverse().pairs().set_index(["a", "b"])
    assert pairs["meets_again"].isna().all()
    assert pairs.loc[(0, 2), "shared_steps"] == 2
    assert pairs.loc[(0, 1), "shared_cost"] == 0


def test_ways_in_opposite_directions_have_no_affinity():
    points = np.array([[0.0, 0.0], [2.0, 0.0], [-2.0, 0.0]])
    pair = multiverse_through((0, 1), (0, 2), points=points).pairs().iloc[0]
    assert pair.affinity == pytest.approx(0.0)
    assert pair.shared_proportion < 0.5


def test_weights_of_early_sections_forgive_late_differences():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [2.0, -1.0]])
    ways = multiverse_through((0, 1, 2), (0, 1, 3), points=points)
    even, early = ways.pairs(), ways.pairs(weights=fl.geometry.early(20, 0.7))
    assert early["affinity"][0] > even["affinity"][0]


def test_a_single_way_has_no_pairs():
    assert len(multiverse_through((0, 1), points=np.eye(2)).pairs()) == 0


@given(arrays(np.float64, (6, 2), elements=coordinates), st.permutations(range(1, 6)))
def test_affinity_is_a_share_and_does_not_mind_the_order(points, order):
    one, two = (0, *order[:3]), (0, *order[2:])
    forth = multiverse_through(one, two, points=points).pairs().iloc[0]
    back = multiverse_through(two, one, points=points).pairs().iloc[0]
    assert 0 <= forth.affinity <= 1
    assert forth.affinity == pytest.approx(back.affinity)
    assert forth.shared_steps == back.shared_steps
    assert multiverse_through(one, one, points=points).pairs()["affinity"][0] == 1
