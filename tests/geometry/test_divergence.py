"""Where two journeys run together, part, and meet again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from facelift.errors import InvalidInput
from facelift.geometry import (
    convergence,
    direction_difference,
    divergence,
    early,
    length,
    resample,
    separation,
    separation_from_line,
    shared_proportion,
    strays,
)

STRAIGHT = [[1, 0], [2, 0], [3, 0], [4, 0]]
BULGING = [[1, 0], [2, 2], [3, 2], [4, 0]]
PARTING = [[1, 0], [2, 1], [3, 2], [4, 3]]

coordinates = st.one_of(st.integers(-4, 4).map(float), st.floats(-50, 50, allow_subnormal=False))


def stations(n_journeys: int, *, same_length: bool = False):
    """Journeys in one space, each an array of stations."""

    def journeys(shape):
        n_coordinates, *lengths = shape
        lengths = [lengths[0]] * n_journeys if same_length else lengths
        return st.tuples(
            *(arrays(np.float64, (o, n_coordinates), elements=coordinates) for o in lengths)
        )

    return st.tuples(st.integers(1, 3), *[st.integers(1, 6)] * n_journeys).flatmap(journeys)


def test_separation_by_hand():
    assert separation(STRAIGHT, BULGING).tolist() == [0, 1, 1, 0]
    assert separation(BULGING, STRAIGHT).tolist() == [0, 2, 2, 0]


def test_separation_does_not_need_equally_many_stations():
    assert separation([[0, 0], [5, 0]], [[0, 1]]).tolist() == [1, math.sqrt(26)]


@given(stations(2))
def test_separation_is_the_distance_to_the_nearest_station(journeys):
    a, b = journeys
    expected = [min(math.dist(mine, other) for other in b) for mine in a]
    np.testing.assert_allclose(separation(a, b), expected, atol=1e-12)


@given(stations(1))
def test_a_journey_is_not_separated_from_itself(journeys):
    assert (separation(journeys[0], journeys[0]) == 0).all()


def test_separation_from_a_line_by_hand():
    line = [[0, 0], [4, 0], [4, 4]]
    assert separation_from_line([[1, 1], [2, 0], [7, 4], [5, 5]], line).tolist() == [
        1,
        0,
        3,
        math.sqrt(2),
    ]


def test_a_line_of_one_corner_is_a_point():
    assert separation_from_line([[3, 4]], [[0, 0]]).tolist() == [5]
    assert separation_from_line([[3, 4]], [[0, 0], [0, 0]]).tolist() == [5]


@given(stations(2))
def test_separation_from_a_line_is_that_from_its_densely_sampled_points(journeys):
    a, line = journeys
    sampled = np.vstack([line[:1], resample(line, 500)])
    exact, sampled_separation = separation_from_line(a, line), separation(a, sampled)
    assert (exact <= sampled_separation + 1e-9).all()
    assert (sampled_separation <= exact + length(line) / 1000 + 1e-9).all()


@given(stations(2))
def test_a_line_is_never_farther_than_its_corners(journeys):
    a, b = journeys
    assert (separation_from_line(a, b) <= separation(a, b) + 1e-9).all()


@given(stations(2), st.sampled_from([2**-6, 2**6]))
def test_drawn_at_another_scale_journeys_are_as_far_from_a_line(journeys, scale):
    a, line = journeys
    drawn = separation_from_line(scale * a, scale * line)
    np.testing.assert_allclose(drawn, scale * separation_from_line(a, line), atol=1e-9)


@given(stations(1))
def test_the_corners_of_a_line_lie_on_it(journeys):
    np.testing.assert_allclose(separation_from_line(journeys[0], journeys[0]), 0, atol=1e-9)


def test_divergence_and_convergence_by_hand():
    assert divergence(STRAIGHT, BULGING, epsilon=0.5) == 2
    assert convergence(STRAIGHT, BULGING, epsilon=0.5) == 4
    assert shared_proportion(STRAIGHT, BULGING, epsilon=0.5) == 1 / 4


def test_a_wider_threshold_lets_journeys_part_later():
    # Nearest stations of PARTING to those of STRAIGHT: 0, 1, √2, √5 away.
    assert [divergence(STRAIGHT, PARTING, epsilon) for epsilon in (0.5, 1, 1.5, 3)] == [
        2,
        3,
        4,
        None,
    ]
    shares = [shared_proportion(STRAIGHT, PARTING, epsilon) for epsilon in (0.5, 1, 1.5, 3)]
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_a_separation_of_exactly_the_threshold_is_not_yet_a_parting():
    assert divergence([[0, 0]], [[0, 1]], epsilon=1) is None
    assert divergence([[0, 0]], [[0, 1]], epsilon=0.999) == 1


def test_journeys_apart_from_the_first_station_share_nothing():
    assert divergence([[0, 0], [1, 0]], [[0, 5], [1, 5]], epsilon=1) == 1
    assert shared_proportion([[0, 0], [1, 0]], [[0, 5], [1, 5]], epsilon=1) == 0


def test_journeys_that_part_for_good_do_not_converge():
    assert convergence(STRAIGHT, PARTING, epsilon=0.5) is None


def test_convergence_is_the_first_station_back_not_the_last():
    a = [[1, 0], [2, 0], [3, 0], [4, 0], [5, 0]]
    b = [[1, 0], [2, 9], [3, 0], [4, 9], [5, 9]]
    assert convergence(a, b, epsilon=0.5) == 3


def test_journeys_that_never_part_do_not_converge_either():
    assert convergence(STRAIGHT, STRAIGHT, epsilon=0) is None


@given(stations(1), st.floats(0, 10))
def test_a_journey_never_parts_from_itself(journeys, epsilon):
    (a,) = journeys
    assert divergence(a, a, epsilon) is None
    assert shared_proportion(a, a, epsilon) == 1


@given(stations(2))
def test_no_journeys_part_at_a_huge_threshold(journeys):
    for epsilon in (1e6, math.inf):
        assert divergence(*journeys, epsilon) is None
        assert convergence(*journeys, epsilon) is None
        assert shared_proportion(*journeys, epsilon) == 1


@given(stations(2), st.floats(0, 20))
def test_divergence_and_convergence_read_off_the_separation(journeys, epsilon):
    a, b = journeys
    apart = [gap > epsilon for gap in separation(a, b).tolist()]
    parted = next((i for i, gap in enumerate(apart, 1) if gap), None)
    met = next((i for i, gap in enumerate(apart, 1) if parted and i > parted and not gap), None)
    assert divergence(a, b, epsilon) == parted
    assert convergence(a, b, epsilon) == met
    assert shared_proportion(a, b, epsilon) == (1 if parted is None else (parted - 1) / len(a))


@given(stations(2), st.floats(0, 20), st.floats(0, 20))
def test_the_shared_proportion_never_falls_with_the_threshold(journeys, one, other):
    low, high = sorted((one, other))
    assert shared_proportion(*journeys, low) <= shared_proportion(*journeys, high)


def test_direction_difference_by_hand():
    a, b = [[1, 0], [2, 0]], [[1, 0], [2, 2]]
    assert direction_difference(a, b, weights=[0.8, 0.6]) == pytest.approx(1.2)
    with pytest.raises(InvalidInput, match="must not rise"):
        direction_difference(a, b, weights=[0.6, 0.8])
    assert direction_difference(a, b) == pytest.approx(math.sqrt(2))


def test_falling_weights_forgive_a_late_difference():
    early, late = [[1, 1], [2, 0]], [[1, 0], [2, 1]]
    straight = [[1, 0], [2, 0]]
    weights = [0.8, 0.6]
    assert direction_difference(straight, late, weights) < direction_difference(
        straight, early, weights
    )


def test_journeys_to_one_counterfactual_by_different_ways_differ():
    assert direction_difference(STRAIGHT, BULGING) > 0


@given(stations(2, same_length=True))
def test_direction_difference_is_symmetric_and_zero_only_between_equals(journeys):
    a, b = journeys
    assert direction_difference(a, b) == direction_difference(b, a) >= 0
    assert direction_difference(a, a) == 0
    assume(np.abs(a - b).max() > 1e-100)  # else the squares underflow
    assert direction_difference(a, b) > 0


@given(stations(3, same_length=True))
def test_direction_difference_obeys_the_triangle_inequality(journeys):
    a, b, c = journeys
    direct = direction_difference(a, c)
    assert direct <= direction_difference(a, b) + direction_difference(b, c) + 1e-9


@given(stations(2, same_length=True), st.data())
def test_direction_difference_is_the_weighted_sum_of_station_distances(journeys, data):
    a, b = journeys
    raw = np.sort(data.draw(arrays(np.float64, len(a), elements=st.floats(0.1, 1))))[::-1]
    weights = raw / np.linalg.norm(raw)
    expected = sum(w * math.dist(p, q) for w, p, q in zip(weights, a, b, strict=True))
    assert direction_difference(a, b, weights) == pytest.approx(expected)


@given(stations(2, same_length=True))
def test_equal_weights_are_the_default(journeys):
    a, b = journeys
    weights = np.full(len(a), 1 / math.sqrt(len(a)))
    assert direction_difference(a, b) == pytest.approx(direction_difference(a, b, weights))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], "Euclidean norm 1, got 2 with norm 1.414; divide them by their norm"),
        ([0.5, 0.5], "norm 0.7071"),
        ([1.0], "weights must be 2 numbers"),
        ([0, 0], "norm 0"),
        ([-0.6, 0.8], "zero or more"),
        ([np.nan, 1], "weights must be finite"),
        ([[0.6, 0.8]], "weights must have 1 axes"),
    ],
)
def test_weights_that_are_no_direction_are_an_error(weights, message):
    with pytest.raises(InvalidInput, match=message):
        direction_difference([[1, 0], [2, 0]], [[1, 0], [2, 2]], weights)


MEASURES = [
    separation,
    separation_from_line,
    direction_difference,
    lambda a, b: divergence(a, b, 1.0),
    lambda a, b: convergence(a, b, 1.0),
    lambda a, b: shared_proportion(a, b, 1.0),
]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([[0, 0]], [[0, 0, 0]], r"equally many coordinates.*\(1, 2\) and \(1, 3\)"),
        ([[0, 0]], [[0]], r"equally many coordinates.*\(1, 2\) and \(1, 1\)"),
        (np.empty((0, 2)), [[0, 0]], "must have stations"),
        ([[0, 0]], np.empty((0, 2)), "must have stations"),
        ([0, 0], [[0, 0]], "a must have 2 axes"),
        ([[0, 0]], [[0, np.nan]], "b must be finite"),
        ([["x", "y"]], [[0, 0]], "a must be numbers"),
    ],
)
def test_journeys_that_do_not_fit_together_are_an_error(measure, a, b, message):
    with pytest.raises(InvalidInput, match=message):
        measure(a, b)


@pytest.mark.parametrize("measure", [divergence, convergence, shared_proportion])
@pytest.mark.parametrize("epsilon", [-0.1, math.nan, "near", None])
def test_a_threshold_that_is_no_distance_is_an_error(measure, epsilon):
    with pytest.raises(InvalidInput, match=f"epsilon must be zero or more, got {epsilon}"):
        measure(STRAIGHT, BULGING, epsilon)


def test_direction_difference_needs_equally_many_stations():
    with pytest.raises(InvalidInput, match="got 2 and 1; resample both"):
        direction_difference([[0, 0], [1, 1]], [[0, 0]])


@given(st.integers(1, 40), st.floats(0.01, 1.0))
def test_early_weights_fall_and_have_norm_one(n_sections, rate):
    weights = early(n_sections, rate)
    assert np.linalg.norm(weights) == pytest.approx(1.0)
    assert (np.diff(weights) <= 0).all()
    assert direction_difference(np.zeros((n_sections, 2)), np.ones((n_sections, 2)), weights) > 0


@pytest.mark.parametrize(("n_sections", "rate"), [(0, 0.5), (2.5, 0.5), (3, 0.0), (3, 1.5)])
def test_weights_that_do_not_fall_are_refused(n_sections, rate):
    with pytest.raises(InvalidInput):
        early(n_sections, rate)


@given(st.lists(st.tuples(*[st.floats(-5, 5)] * 2), min_size=2, max_size=6), st.integers(1, 4))
def test_resampling_strays_less_than_a_section_is_long(points, n):
    assert strays(points, n) <= length(points) / n / 2 + 1e-9
    corners = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]
    assert strays(corners, 3) == pytest.approx(0)
