"""A journey as a curve: its length, and stations at equal shares of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE, distances, length, resample, step_lengths, tied_ranks

BENT = np.array([[0, 0], [2, 0], [2, 3]])

# Multiples of 2**-20, so that no square underflows; the whole numbers bring steps of no length.
coordinates = st.one_of(
    st.integers(-4, 4).map(float), st.integers(-(2**24), 2**24).map(lambda i: i / 2**20)
)
polylines = st.tuples(st.integers(2, 6), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=coordinates)
)
sections = st.integers(1, 30)


def algorithm_1(waypoints: np.ndarray, n_sections: int) -> np.ndarray:
    """The paper's Algorithm 1, line by line."""
    steps = [end - start for start, end in pairwise(waypoints)]
    norms = [float(np.linalg.norm(step)) for step in steps]
    stations = []
    for j in range(1, n_sections + 1):
        beta, tau = j / n_sections * sum(norms), np.zeros(waypoints.shape[1])
        for step, norm in zip(steps, norms, strict=True):
            if beta < 0 or norm == 0:
                continue
            tau = tau + (step * beta / norm if beta <= norm else step)
            beta -= norm
        stations.append(waypoints[0] + tau)
    return np.array(stations)


@given(arrays(np.float64, (2, 3, 2), elements=coordinates))
def test_distances_are_taken_along_the_last_axis_whatever_the_others(points):
    for a, b in [(points, points[::-1]), (points[0], points[1, 0]), (points[0, 0], points[1, 0])]:
        assert distances(a, b).shape == np.shape(a)[:-1]
        np.testing.assert_allclose(distances(a, b), np.linalg.norm(a - b, axis=-1), atol=1e-12)


def test_length_is_the_sum_of_the_steps_by_hand():
    assert step_lengths([[0, 0], [3, 4], [3, 5]]).tolist() == [5, 1]
    assert length([[0, 0], [3, 4], [3, 5]]) == 6


def test_a_single_waypoint_has_no_steps_and_no_length():
    assert step_lengths([[1, 2]]).shape == (0,)
    assert length([[1, 2]]) == 0


def test_five_sections_of_a_bent_journey_by_hand():
    expected = [[1, 0], [2, 0], [2, 1], [2, 2], [2, 3]]
    np.testing.assert_allclose(resample(BENT, 5), expected, atol=1e-15)


def test_ten_sections_of_a_bent_journey_by_hand():
    expected = [[0.5, 0], [1, 0], [1.5, 0], [2, 0], [2, 0.5], [2, 1], [2, 1.5], [2, 2]]
    expected += [[2, 2.5], [2, 3]]
    np.testing.assert_allclose(resample(BENT, 10), expected, atol=1e-15)


def test_twenty_five_sections_of_a_bent_journey_by_hand():
    expected = [[j / 5, 0] for j in range(1, 11)] + [[2, j / 5] for j in range(1, 16)]
    np.testing.assert_allclose(resample(BENT, 25), expected, atol=1e-14)


def test_one_section_is_the_counterfactual_alone():
    assert resample(BENT, 1).tolist() == [[2, 3]]


def test_few_sections_cut_the_corners_of_a_journey():
    np.testing.assert_allclose(resample([[0, 0], [1, 0], [1, 3]], 2), [[1, 1], [1, 3]])


@given(polylines, sections)
def test_resample_is_algorithm_1_of_the_paper(waypoints, n_sections):
    np.testing.assert_allclose(
        resample(waypoints, n_sections), algorithm_1(waypoints, n_sections), atol=1e-9
    )


@given(polylines, sections)
def test_the_last_station_is_the_counterfactual_to_the_last_bit(waypoints, n_sections):
    assert np.array_equal(resample(waypoints, n_sections)[-1], waypoints[-1])


@given(st.floats(1e-3, 1e3), sections)
def test_the_last_station_is_the_counterfactual_at_any_length(end, n_sections):
    assert resample([[0.0], [end]], n_sections)[-1, 0] == end


@given(polylines, sections)
def test_stations_are_no_farther_apart_than_a_section_is_long(waypoints, n_sections):
    stations = np.vstack([waypoints[:1], resample(waypoints, n_sections)])
    assert stations.shape == (n_sections + 1, waypoints.shape[1])
    assert (step_lengths(stations) <= length(waypoints) / n_sections + 1e-9).all()


@given(st.integers(1, 12), polylines)
def test_stations_at_every_corner_keep_the_length_of_the_journey(n_corners, waypoints):
    # A walk of unit steps along the axes: resampled at its own corners it is itself.
    axes = np.arange(n_corners) % waypoints.shape[1]
    corners = np.cumsum(np.eye(waypoints.shape[1])[axes], axis=0) + waypoints[0]
    walk = np.vstack([waypoints[:1], corners])
    np.testing.assert_allclose(resample(walk, n_corners), corners, atol=1e-9)


@given(polylines, sections)
def test_stations_of_a_straight_journey_divide_it_evenly(waypoints, n_sections):
    start, end = waypoints[0], waypoints[-1]
    shares = np.arange(1, n_sections + 1)[:, np.newaxis] / n_sections
    np.testing.assert_allclose(
        resample([start, end], n_sections), start + shares * (end - start), atol=1e-9
    )


@given(polylines, sections, st.data())
def test_a_waypoint_in_the_middle_of_a_step_changes_no_station(waypoints, n_sections, data):
    i = data.draw(st.integers(1, len(waypoints) - 1))
    middle = (waypoints[i - 1] + waypoints[i]) / 2
    np.testing.assert_allclose(
        resample(np.insert(waypoints, i, middle, axis=0), n_sections),
        resample(waypoints, n_sections),
        atol=1e-6,
    )


@given(polylines, sections, st.data())
def test_a_step_of_no_length_changes_no_station(waypoints, n_sections, data):
    i = data.draw(st.integers(0, len(waypoints) - 1))
    lingering = np.insert(waypoints, i, waypoints[i], axis=0)
    assert np.array_equal(resample(lingering, n_sections), resample(waypoints, n_sections))


@given(polylines, sections)
def test_walking_back_visits_the_same_stations(waypoints, n_sections):
    there = np.vstack([waypoints[:1], resample(waypoints, n_sections)])
    back = np.vstack([waypoints[-1:], resample(waypoints[::-1], n_sections)])
    np.testing.assert_allclose(there, back[::-1], atol=1e-6)


def test_stations_of_points_without_coordinates_have_none_either():
    assert resample(np.empty((3, 0)), 4).shape == (4, 0)


def test_a_journey_of_no_length_stays_where_it_starts():
    assert resample([[1, 2], [1, 2]], 3).tolist() == [[1, 2]] * 3
    assert resample([[1, 2]], 2).tolist() == [[1, 2]] * 2


@pytest.mark.parametrize("n_sections", [0, -1, 2.5, float("nan"), "two", None])
def test_a_number_of_sections_that_is_no_count_is_an_error(n_sections):
    with pytest.raises(InvalidInput, match=rf"n_sections.*at least 1.*{n_sections}"):
        resample(BENT, n_sections)


@pytest.mark.parametrize(
    ("waypoints", "message"),
    [
        ([0, 1], "waypoints must have 2 axes"),
        ([[0, np.nan]], "waypoints must be finite"),
        ([[0, np.inf]], "waypoints must be finite"),
        ([["a", "b"]], "waypoints must be numbers"),
        ([[0, 0], [1]], "waypoints must be numbers"),
    ],
)
@pytest.mark.parametrize("measure", [step_lengths, length, lambda points: resample(points, 3)])
def test_waypoints_that_are_no_points_are_an_error(measure, waypoints, message):
    with pytest.raises(InvalidInput, match=message):
        measure(waypoints)


def test_a_journey_without_waypoints_cannot_be_resampled():
    with pytest.raises(InvalidInput, match="at least the factual"):
        resample(np.empty((0, 2)), 3)


NUDGES = [1.0, 1 + 0.4 * TOLERANCE, 1 - 0.4 * TOLERANCE, 1 + 3 * TOLERANCE]
costs = st.builds(
    lambda cost, nudge: cost * nudge,
    st.sampled_from([0.0, 0.1, 1.0, 1.5, 1e6, np.inf]),
    st.sampled_from(NUDGES),
)


def ranks_one_by_one(row: list[float]) -> list[int]:
    """The definition: from the least on, whatever is clearly more than the one before rises."""
    ranks, rank = [0] * len(row), 0
    order = sorted(range(len(row)), key=row.__getitem__)
    for before, here in pairwise(order):
        rank += row[here] > row[before] * (1 + TOLERANCE)
        ranks[here] = rank
    return ranks


@given(arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=7), elements=costs))
def test_ranks_are_those_of_the_definition_along_the_last_axis(table):
    rows = table.reshape(-1, table.shape[-1])
    expected = np.array([ranks_one_by_one(row.tolist()) for row in rows]).reshape(table.shape)
    found = tied_ranks(table)
    assert found.tolist() == expected.tolist()
    assert np.issubdtype(found.dtype, np.integer)  # they are used as places


@given(st.lists(costs, max_size=7), st.sampled_from([3.0, 0.1, 1e-6]))
def test_multiplying_all_costs_changes_no_rank(row, scale):
    clear = np.array([each for each in row if np.isinf(each) or each in (0.0, 0.1, 1.0, 1.5)])
    assert tied_ranks(clear * scale).tolist() == tied_ranks(clear).tolist()


@pytest.mark.parametrize("n", [0, 1])
def test_few_costs_have_no_order(n):
    assert tied_ranks(np.ones(n)).tolist() == [0] * n


def test_what_differs_by_the_tolerance_alone_is_the_same():
    assert tied_ranks(np.array([1 + TOLERANCE, 1.0])).tolist() == [0, 0]


def test_a_chain_of_equals_is_one_rank_from_end_to_end():
    chain = (1 + 0.9 * TOLERANCE) ** np.arange(5)
    assert chain[-1] > chain[0] * (1 + 3 * TOLERANCE)
    assert tied_ranks(chain[[3, 0, 4, 1, 2]]).tolist() == [0] * 5
