"""How far a journey can be walked while it still approaches another's end."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.laws import examples

from facelift.errors import InvalidInput
from facelift.geometry import (
    TOLERANCE,
    direct_opportunity,
    opportunity_matrix,
    opportunity_potential,
    polyline_opportunity,
    step_lengths,
    steps_kept_open,
    unclipped_opportunity,
)

# From the figure beside the paper's definition: three direct ways out of one factual.
ENDS = np.array([[1, 0], [0.88, 0.65], [0.37, 1.31]])
PRINTED = np.array([[1, 0.9, 0.35], [0.75, 1, 1], [0.2, 0.65, 1]])  # rows taken

whole = st.integers(-6, 6).map(float)
grid_points = arrays(np.float64, (2,), elements=whole)
costs = st.one_of(st.just(0.0), st.floats(1e-3, 1e3), st.integers(1, 9).map(float))
remainders = st.one_of(
    st.just(0.0), st.just(math.inf), st.floats(1e-3, 1e3), st.integers(1, 9).map(float)
)


@st.composite
def walks(draw, max_alternatives: int = 4):
    """Step costs and remaining costs of any journey, from a graph or not."""
    n_steps, c = draw(st.integers(0, 6)), draw(st.integers(1, max_alternatives))
    step_costs = draw(arrays(np.float64, n_steps, elements=costs))
    return step_costs, draw(arrays(np.float64, (n_steps + 1, c), elements=remainders))


def algorithm_5(step_costs: np.ndarray, remaining: np.ndarray) -> float:
    """The paper's Algorithm 5 for one destination, with free steps passed over."""
    if not math.isfinite(remaining[0]):
        return 0.0
    walked = 0.0
    for cost, before, after in zip(step_costs, remaining[:-1], remaining[1:], strict=True):
        if after >= before and (cost > 0 or after == math.inf > before):
            return walked / step_costs.sum() if step_costs.sum() else 0.0
        walked += cost
    return 1.0


def test_the_vector_figure_of_the_paper_to_four_places():
    expected = [[1, 0.88, 0.37], [0.7352, 1, 0.9835], [0.1997, 0.6352, 1]]
    found = direct_opportunity([0, 0], ENDS[:, np.newaxis], ENDS)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_the_vector_table_of_the_paper_to_the_nearest_twentieth():
    found = direct_opportunity([0, 0], ENDS[:, np.newaxis], ENDS)
    np.testing.assert_allclose(np.round(found * 20) / 20, PRINTED, atol=1e-12)


def test_the_loan_figure_of_the_paper_with_remaining_costs_written_by_hand():
    # Columns: what is left to x1, x2 and x3. x0 → x1; x0 → x4 → x2; x0 → x4 → x5 → x6 → x3.
    out = math.inf
    journeys = [
        ([3], [[3, 14, 16], [0, out, out]]),
        ([8, 6], [[3, 14, 16], [out, 6, 8], [out, 0, out]]),
        ([8, 6, 1, 1], [[3, 14, 16], [out, 6, 8], [out, 5, 2], [out, out, 1], [out, out, 0]]),
    ]
    table = np.array([opportunity_potential(*journey) for journey in journeys])
    assert table.tolist() == [[1, 0, 0], [0, 1, 4 / 7], [0, 7 / 8, 1]]
    np.testing.assert_allclose(table.mean(axis=1), [0.33, 0.52, 0.63], atol=0.006)


def test_walking_stops_at_the_first_rise_not_at_the_least_remaining_cost():
    assert opportunity_potential([1, 1, 1, 1], [[5], [4], [6], [1], [0]]).tolist() == [0.25]


def test_a_remaining_cost_that_stays_equal_has_stopped_falling():
    assert opportunity_potential([1, 1], [[2], [2], [1]]).tolist() == [0]


def test_a_destination_never_in_reach_scores_nothing():
    assert opportunity_potential([1, 1], [[math.inf], [2], [1]]).tolist() == [0]
    assert opportunity_potential([0, 0], [[math.inf], [2], [1]]).tolist() == [0]


def test_a_destination_left_behind_counts_up_to_the_step_that_left_it():
    assert opportunity_potential([1, 3], [[2], [1], [math.inf]]).tolist() == [0.25]


def test_a_free_step_neither_opens_nor_closes():
    assert opportunity_potential([1, 0, 1], [[3], [2], [2], [1]]).tolist() == [1]
    assert opportunity_potential([0, 2], [[3], [3], [5]]).tolist() == [0]


def test_a_free_step_from_which_nothing_leads_there_closes_it():
    assert opportunity_potential([0, 2], [[1], [math.inf], [math.inf]]).tolist() == [0]
    assert opportunity_potential([2, 0], [[3], [1], [math.inf]]).tolist() == [1]  # to the end
    assert opportunity_potential([0], [[1], [math.inf]]).tolist() == [0]


def test_a_journey_of_one_waypoint_keeps_open_what_is_in_reach():
    assert opportunity_potential([], [[3, math.inf, 0]]).tolist() == [1, 0, 1]


def test_no_destinations_give_no_potentials():
    assert opportunity_potential([1], np.empty((2, 0))).shape == (0,)


@pytest.mark.parametrize("after", [math.inf, 5e10, 1.001e10])
def test_a_small_step_that_throws_a_far_destination_back_closes_it(after):
    # The step is next to nothing beside what is left, but what it does is not.
    assert opportunity_potential([1.0], [[1e10], [after]]).tolist() == [0]
    assert not steps_kept_open([[1e10], [after]], [1.0]).any()


@given(walks())
def test_potentials_are_algorithm_5_of_the_paper(walk):
    step_costs, remaining = walk
    expected = [algorithm_5(step_costs, column) for column in remaining.T]
    np.testing.assert_allclose(opportunity_potential(step_costs, remaining), expected, atol=1e-12)


@given(walks())
def test_potentials_are_shares(walk):
    potentials = opportunity_potential(*walk)
    assert (potentials >= 0).all()
    assert (potentials <= 1).all()


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=40))
def test_rounding_never_lifts_a_potential_above_one(step_costs):
    # All steps but a last, almost free one keep the destination open.
    remaining = [[float(left)] for left in range(len(step_costs), -1, -1)] + [[1.0]]
    assert opportunity_potential([*step_costs, 1e-16], remaining)[0] <= 1


magnitudes = st.one_of(
    st.just(0.0), st.floats(-150, 150).map(lambda exponent: 10.0**exponent), st.floats(0, 1)
)


@given(st.lists(magnitudes, min_size=1, max_size=8))
def test_own_potential_is_one_whatever_the_magnitudes(step_costs):
    to_go = np.append(np.cumsum(step_costs[::-1])[::-1], 0.0)
    assert opportunity_potential(step_costs, to_go[:, np.newaxis]).tolist() == [1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(1e-12, 1e3))
def test_own_potential_is_one_with_a_tiny_step_anywhere(step_costs, tiny):
    for place in range(len(step_costs)):
        walked = [*step_costs[:place], tiny, *step_costs[place:]]
        to_go = np.append(np.cumsum(walked[::-1])[::-1], 0.0)
        assert opportunity_potential(walked, to_go[:, np.newaxis]).tolist() == [1]


@given(walks(), st.integers(-40, 40))
def test_scaling_costs_by_a_power_of_two_changes_no_bit(walk, exponent):
    step_costs, remaining = walk
    scale = 2.0**exponent
    scaled = opportunity_potential(step_costs * scale, remaining * scale)
    assert scaled.tolist() == opportunity_potential(step_costs, remaining).tolist()


@given(walks(), st.floats(1e-6, 1e6))
def test_scaling_costs_changes_no_potential(walk, scale):
    step_costs, remaining = walk
    scaled = opportunity_potential(step_costs * scale, remaining * scale)
    np.testing.assert_allclose(scaled, opportunity_potential(step_costs, remaining), rtol=1e-9)


@given(walks(), st.randoms(use_true_random=False))
def test_reordering_destinations_only_reorders_potentials(walk, random):
    step_costs, remaining = walk
    order = random.sample(range(remaining.shape[1]), remaining.shape[1])
    assert np.array_equal(
        opportunity_potential(step_costs, remaining[:, order]),
        opportunity_potential(step_costs, remaining)[order],
    )


def test_steps_kept_open_by_hand():
    kept = steps_kept_open(np.array([[4.0, 4, 4], [3, 4, 5], [2, 1, math.inf]]))
    assert kept.tolist() == [[True, False, False], [True, True, False]]


def test_changes_within_the_tolerance_are_no_falls():
    kept = steps_kept_open([[1.0, 1.0], [1 - TOLERANCE / 2, 1 - TOLERANCE * 2]])
    assert kept.tolist() == [[False, True]]


def test_a_step_is_small_beside_what_is_left_now_not_beside_what_was_left_at_first():
    remaining = np.array([[100.0], [1.0], [1.0]])
    assert steps_kept_open(remaining, np.array([99.0, 1e-7])).tolist() == [[True], [False]]
    assert steps_kept_open(remaining[[0, 0, 0]], np.array([1e-7, 1e-7])).all()


def test_a_step_out_of_nowhere_into_reach_is_a_fall():
    assert steps_kept_open([[math.inf], [3.0]]).tolist() == [[True]]


@given(walks())
def test_free_steps_keep_open_what_can_still_be_reached(walk):
    step_costs, remaining = walk
    lost = np.isinf(remaining[1:]) & np.isfinite(remaining[:-1])
    kept = steps_kept_open(remaining, step_costs)
    assert (kept | lost)[step_costs == 0].all()
    assert not (kept & lost).any()


three_points = st.integers(1, 4).flatmap(
    lambda m: arrays(np.float64, (4, m), elements=st.integers(-50, 50).map(lambda i: i / 4))
)


@given(three_points)
def test_unclipped_values_obey_the_law_of_three(points):
    start, *ends = points
    assume(all((end != start).any() for end in ends))
    ahead = [unclipped_opportunity(start, ends[a], ends[b]) for a, b in [(0, 1), (1, 2), (2, 0)]]
    back = [unclipped_opportunity(start, ends[b], ends[a]) for a, b in [(0, 1), (1, 2), (2, 0)]]
    assert np.prod(ahead) == pytest.approx(np.prod(back), rel=1e-9, abs=1e-12)


@given(three_points)
def test_direct_opportunity_is_the_clipped_projection(points):
    start, taken, compared, _ = points
    assume((taken != start).any())
    inside = float(np.dot(taken - start, compared - start) / np.dot(taken - start, taken - start))
    assert unclipped_opportunity(start, taken, compared) == pytest.approx(inside)
    assert direct_opportunity(start, taken, compared) == pytest.approx(min(max(inside, 0), 1))
    assert direct_opportunity(start, taken, taken) == 1


@given(three_points)
def test_where_the_factual_lies_does_not_matter(points):
    start, taken, compared, shift = points
    assume((taken != start).any())
    moved = direct_opportunity(start + shift, taken + shift, compared + shift)
    assert moved == pytest.approx(direct_opportunity(start, taken, compared))


@pytest.mark.parametrize("compared", [[0, 5], [-1, 5], [-3, 0], [0, 0]])
def test_a_right_or_obtuse_angle_has_no_direct_opportunity(compared):
    assert direct_opportunity([0, 0], [2, 0], compared) == 0


def test_a_destination_farther_along_is_served_by_the_whole_way():
    assert direct_opportunity([0, 0], [2, 0], [3, 1]) == 1
    assert unclipped_opportunity([0, 0], [2, 0], [3, 1]) == 1.5


def test_direct_opportunity_broadcasts_over_leading_axes():
    ends = np.arange(12.0).reshape(3, 4) + 1
    assert direct_opportunity(np.zeros(4), ends, ends).shape == (3,)
    assert direct_opportunity(np.zeros(4), ends[:, np.newaxis], ends).shape == (3, 3)
    assert direct_opportunity(np.zeros((3, 4)), ends, ends[0]).shape == (3,)
    assert direct_opportunity(np.zeros(4), ends[0], ends[1]).shape == ()


@pytest.mark.parametrize("measure", [direct_opportunity, unclipped_opportunity])
@pytest.mark.parametrize(
    ("factual", "taken", "compared", "message"),
    [
        ([1, 2], [1, 2], [3, 4], "no way to walk"),
        ([0, 0], [[1, 0], [0, 0]], [3, 4], "no way to walk"),
        ([0, 0], [1, 0], [1, 0, 0], "equally many coordinates"),
        ([0, 0], [1, 0], [1], "equally many coordinates"),
        ([0], [1, 0], [1, 0], "equally many coordinates"),
        ([0, 0], [[1, 0]] * 2, [[1, 0]] * 3, "equally many points"),
        ([0, 0], [1, 0], [math.nan, 0], "compared must be finite"),
        ([0, math.inf], [1, 0], [1, 0], "factual must be finite"),
        ([0, 0], ["a", "b"], [1, 0], "taken must be numbers"),
    ],
)
def test_points_that_do_not_fit_together_are_an_error(measure, factual, taken, compared, message):
    with pytest.raises(InvalidInput, match=message):
        measure(factual, taken, compared)


def test_polyline_opportunity_by_hand():
    bent = [[0, 0], [2, 0], [2, 2]]
    assert polyline_opportunity(bent, [2, 2]) == 1
    assert polyline_opportunity(bent, [1, 1]) == 0.25  # passed halfway along the first segment
    assert polyline_opportunity(bent, [3, 1]) == 0.75  # beyond the corner, up to its projection
    assert polyline_opportunity(bent, [-1, 0]) == 0
    assert polyline_opportunity(bent, [2, -1]) == 0.5  # the second segment leads away
    assert polyline_opportunity(bent, [9, 9]) == 1


def test_a_projection_onto_the_corner_itself_does_not_stop_the_walk():
    # (2, 0) projects onto (1, 1), the end of the first segment; the second one leads to it.
    assert polyline_opportunity([[0, 0], [1, 1], [2, 0]], [2, 0]) == 1


def test_steps_of_no_length_are_passed_over():
    lingering = [[0, 0], [0, 0], [1, 0], [1, 0], [2, 0], [2, 0]]
    assert polyline_opportunity(lingering, [1.5, 1]) == 0.75


@given(grid_points, grid_points, grid_points)
def test_on_a_straight_line_the_polyline_measure_is_algorithm_3(start, end, goal):
    assume((start != end).any())
    direct = direct_opportunity(start, end, goal)
    assert polyline_opportunity([start, end], goal) == pytest.approx(direct, abs=1e-12)


@given(grid_points, grid_points, grid_points, st.lists(st.floats(0, 1), max_size=12))
def test_cutting_a_straight_line_changes_nothing(start, end, goal, cuts):
    assume((start != end).any())
    shares = np.array([0.0, *sorted(cuts), 1.0])[:, np.newaxis]
    # Keep the pieces long enough for their direction to survive rounding.
    assume((np.diff(shares[:, 0])[np.diff(shares[:, 0]) > 0] > 1e-3).all())
    direct = direct_opportunity(start, end, goal)
    cut = start + shares * (end - start)
    assert polyline_opportunity(cut, goal) == pytest.approx(direct, abs=1e-9)


@given(arrays(np.float64, st.tuples(st.integers(2, 5), st.just(2)), elements=whole), grid_points)
@settings(max_examples=examples(60))
def test_the_polyline_measure_is_where_a_dense_walk_first_stops_approaching(corners, goal):
    # Whole coordinates: a projection lies on a corner or at least 1/288 of a segment from it.
    assume((corners[0] != corners[-1]).any())
    n_cuts = 1000
    shares = np.linspace(0, 1, n_cuts, endpoint=False)[:, np.newaxis]
    pieces = [
        start + shares * (end - start) for start, end in pairwise(corners) if (start != end).any()
    ]
    dense = np.vstack([*pieces, corners[-1:]])
    walked = np.append(0.0, np.cumsum(step_lengths(dense)))
    left = ((dense - goal) ** 2).sum(axis=1)
    stops = np.append(left[1:] >= left[:-1], True)
    expected = walked[np.argmax(stops)] / walked[-1]
    assert polyline_opportunity(corners, goal) == pytest.approx(expected, abs=2 / n_cuts)


@given(grid_points, grid_points, grid_points, st.integers(2, 200))
def test_algorithm_5_in_small_steps_tends_to_algorithm_3(start, end, goal, n_steps):
    assume((start != end).any())
    waypoints = start + np.linspace(0, 1, n_steps + 1)[:, np.newaxis] * (end - start)
    distances = np.linalg.norm(waypoints - goal, axis=1)[:, np.newaxis]
    stepwise = opportunity_potential(step_lengths(waypoints), distances)[0]
    direct = direct_opportunity(start, end, goal)
    assert abs(stepwise - direct) <= 1 / n_steps + 1e-9


def test_algorithm_5_comes_ever_closer_to_algorithm_3():
    start, end, goal = np.zeros(2), np.array([1.0, 0]), np.array([0.37, 0.9])
    errors = []
    for n_steps in (10, 100, 1000):
        waypoints = np.linspace(start, end, n_steps + 1)
        distances = np.linalg.norm(waypoints - goal, axis=1)[:, np.newaxis]
        potential = opportunity_potential(step_lengths(waypoints), distances)[0]
        errors.append(abs(potential - direct_opportunity(start, end, goal)))
    assert errors[0] == pytest.approx(0.03)
    assert errors[1] < 1e-9
    assert errors[2] < 1e-9


@pytest.mark.parametrize(
    ("waypoints", "destination", "message"),
    [
        ([[0, 0], [1, 0]], [1], "2 coordinates"),
        ([[0, 0], [1, 0]], [1, 2, 3], "2 coordinates"),
        ([[0, 0], [1, 0]], [[1, 2]], "destination must have 1 axes"),
        ([[0, 0], [1, 0]], [1, math.nan], "destination must be finite"),
        ([0, 1], [1, 2], "waypoints must have 2 axes"),
        ([[0, math.inf], [1, 0]], [1, 2], "waypoints must be finite"),
        ([["a", "b"]], [1, 2], "waypoints must be numbers"),
        ([[1, 1]], [1, 2], "no length"),
        ([[1, 1], [1, 1]], [1, 2], "no length"),
        (np.empty((0, 2)), [1, 2], "no length"),
    ],
)
def test_a_bent_journey_that_cannot_be_walked_is_an_error(waypoints, destination, message):
    with pytest.raises(InvalidInput, match=message):
        polyline_opportunity(waypoints, destination)


@pytest.mark.parametrize("measure", [opportunity_potential, lambda s, r: steps_kept_open(r, s)])
@pytest.mark.parametrize(
    ("step_costs", "remaining", "message"),
    [
        ([1], [[1], [-1]], "remaining costs must be zero or more"),
        ([1], [[1], [math.nan]], "remaining costs must be zero or more"),
        ([], np.empty((0, 2)), "at least one waypoint"),
        ([1], [1, 0], "remaining must have 2 axes"),
        ([1], [["a"], ["b"]], "remaining must be numbers"),
        ([1, 1], [[1], [0]], "step_costs must be 1 finite costs"),
        ([], [[1], [0]], "step_costs must be 1 finite costs"),
        ([-1], [[1], [0]], "zero or more"),
        ([math.nan], [[1], [0]], "finite costs"),
        ([math.inf], [[1], [0]], "finite costs"),
        ([[1]], [[1], [0]], "step_costs must have 1 axes"),
    ],
)
def test_costs_that_cannot_be_are_an_error(measure, step_costs, remaining, message):
    with pytest.raises(InvalidInput, match=message):
        measure(step_costs, remaining)


def test_the_own_end_of_a_bent_journey_is_approached_all_the_way():
    """Where a journey turns at a right angle, rounding must not stop it at the corner."""
    corners = [[0, 0], [0.1, 0.3], [-0.2, 0.4]]
    assert polyline_opportunity(corners, corners[-1]) == 1.0


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6), c=st.integers(1, 5))
def test_journeys_of_different_lengths_score_together_as_they_do_alone(seed, n, c):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 12, n)
    costs = [rng.choice([0.0, 0.1, 0.3, 1.0], k) for k in lengths]
    left = [rng.choice([0.0, 0.1, 0.2, 0.3, 1.0, np.inf], (k + 1, c)) for k in lengths]
    together = opportunity_matrix(costs, left)
    alone = [opportunity_potential(*each) for each in zip(costs, left, strict=True)]
    assert np.array_equal(together, np.array(alone))
