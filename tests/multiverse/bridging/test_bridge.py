import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

import facelift as fl
from facelift.errors import InvalidInput
from facelift.multiverse import bridging

seeds = st.integers(0, 2**32 - 1)


def distance(a, b):
    return np.sqrt(((np.asarray(a) - np.asarray(b)) ** 2).sum(axis=-1))


def random_case(seed, n, m=2, top=17):
    """Whole coordinates, so that distances can be compared exactly."""
    rng = np.random.default_rng(seed)
    start, end, *points = rng.integers(0, top, size=(n + 2, m)).astype(float)
    if (start == end).all():
        end = end + 1
    return start, end, np.reshape(points, (n, m))


def slow_bridge(start, end, points, smallest=None, shrink=lambda d: d / 2):
    """Algorithm 6 as printed, within the lens, with the member nearest the midpoint."""
    reach = distance(start, end)
    smallest = reach / 8 if smallest is None else smallest

    def near(indices, a, b, d):
        return [i for i in indices if distance(points[i], a) <= d and distance(points[i], b) <= d]

    def recurse(indices, a, b, d):
        middle = (a + b) / 2
        nearest = min(indices, key=lambda i: (((points[i] - middle) ** 2).sum(), i))
        if d < smallest:
            return {nearest}
        d = shrink(d)
        left, right = near(indices, a, middle, d), near(indices, middle, b, d)
        if not left and not right:
            return {nearest}
        first = recurse(left, a, middle, d) if left else set()
        return first | (recurse(right, middle, b, d) if right else set())

    lens = near(range(len(points)), start, end, reach)
    lens = [i for i in lens if 0 < distance(points[i], end) < reach]
    found = recurse(lens, start, end, reach) if lens else set()
    waypoints = [start]
    for i in sorted(found, key=lambda i: (-distance(points[i], end), i)):
        if 0 < distance(points[i], end) < distance(waypoints[-1], end):
            waypoints.append(points[i])
    return np.array([*waypoints, end])


@given(seed=seeds, n=st.integers(0, 60), share=st.sampled_from([None, 0.05, 0.3, 0.9]))
@settings(max_examples=examples(200))
def test_the_bridge_is_that_of_algorithm_6(seed, n, share):
    start, end, points = random_case(seed, n)
    smallest = None if share is None else share * float(distance(start, end))
    expected = slow_bridge(start, end, points, smallest)
    assert fl.bridge(start, end, points, smallest=smallest).tolist() == expected.tolist()


@given(seed=seeds, n=st.integers(0, 30), smallest=st.sampled_from([None, 0.5, 2.0]))
@settings(max_examples=examples(100))
def test_with_the_published_schedule_the_reach_shrinks_by_one(seed, n, smallest):
    start, end, points = random_case(seed, n, top=6)
    expected = slow_bridge(start, end, points, smallest, lambda d: d - 1)
    found = fl.bridge(start, end, points, smallest=smallest, schedule="unit")
    assert found.tolist() == expected.tolist()


@given(
    seed=seeds,
    n=st.integers(0, 80),
    m=st.integers(1, 5),
    random=st.booleans(),
    schedule=st.sampled_from(["halve", "unit"]),
)
@settings(max_examples=examples(200))
def test_every_step_comes_strictly_closer_through_data_points_within_the_lens(
    seed, n, m, random, schedule
):
    start, end, points = random_case(seed, n, m, top=6)
    rng = np.random.default_rng(seed) if random else None
    waypoints = fl.bridge(start, end, points, schedule=schedule, rng=rng)
    assert waypoints[0].tolist() == start.tolist()
    assert waypoints[-1].tolist() == end.tolist()
    assert (np.diff(distance(waypoints, end)) < 0).all()
    known = set(map(tuple, points.tolist()))
    reach = distance(start, end) * (1 + 1e-12)
    for waypoint in waypoints[1:-1]:
        assert tuple(waypoint.tolist()) in known
        assert distance(waypoint, start) <= reach
        assert distance(waypoint, end) <= reach


@given(seed=seeds, n=st.integers(1, 60))
def test_without_a_generator_the_order_of_the_points_does_not_matter(seed, n):
    rng = np.random.default_rng(seed)
    start, end, points = rng.random(3), rng.random(3), rng.random((n, 3))
    expected = fl.bridge(start, end, points)
    assert fl.bridge(start, end, rng.permutation(points)).tolist() == expected.tolist()


def test_a_generator_of_the_same_seed_gives_the_same_bridge_and_others_give_others():
    points = np.random.default_rng(0).random((300, 2))

    def bridge(seed):
        return fl.bridge([0, 0], [1, 1], points, rng=np.random.default_rng(seed)).tolist()

    assert bridge(1) == bridge(1)
    assert len({str(bridge(seed)) for seed in range(5)}) > 1


def test_points_beside_or_behind_the_ends_are_not_used():
    points = [[-1, 0], [5, 0], [2, 4], [2, 0.5]]
    assert fl.bridge([0, 0], [4, 0], points).tolist() == [[0, 0], [2, 0.5], [4, 0]]


def test_the_ends_themselves_are_no_waypoints_in_between():
    points = [[0.0, 0.0], [4.0, 0.0], [0.0, 0.0]]
    assert fl.bridge([0, 0], [4, 0], points).tolist() == [[0, 0], [4, 0]]


def test_the_row_of_the_factual_takes_no_other_points_place():
    points = np.array([[2.0, 2.0], [1.0, 1.0]])
    expected = fl.bridge([0, 0], [4, 0], points)
    assert len(expected) == 3
    with_ends = np.vstack([points, [[0, 0], [4, 0]]])
    assert fl.bridge([0, 0], [4, 0], with_ends).tolist() == expected.tolist()


def test_without_points_the_bridge_is_one_jump():
    assert fl.bridge([0, 0], [4, 0], np.empty((0, 2))).tolist() == [[0, 0], [4, 0]]


def test_the_smaller_the_last_cell_the_more_waypoints():
    points = np.random.default_rng(0).random((2000, 2))
    counts = [
        len(fl.bridge([0.1, 0.1], [0.9, 0.9], points, smallest=smallest))
        for smallest in (2.0, 0.5, 0.2, 0.1, 0.05)
    ]
    assert counts[0] == 3
    assert counts == sorted(counts)
    assert counts[-1] > 10


@pytest.mark.parametrize("smallest", [1e-12, 1e-30, 1e-300])
def test_cells_of_no_size_are_not_split_for_ever(smallest):
    points = [[0.5], [0.25], [0.3]]
    expected = [[0], [0.25], [0.3], [0.5], [1]]
    assert fl.bridge([0.0], [1.0], points, smallest=smallest).tolist() == expected


def test_the_published_schedule_is_refused_where_it_would_not_end(monkeypatch):
    """Each level doubles the cells but shortens the reach by 1 only."""
    points = np.random.default_rng(0).random((50, 2)) * 1000
    monkeypatch.setattr(bridging, "MAX_CELLS", 512)
    with pytest.raises(InvalidInput, match="halve"):
        fl.bridge([0, 0], [1000, 1000], points, schedule="unit")


@pytest.mark.parametrize(
    ("factual", "counterfactual", "points", "options", "message"),
    [
        ([1, 2], [1, 2], [[0, 0]], {}, "same point"),
        ([0, 0], [1, 1, 1], [[0, 0]], {}, "coordinates"),
        ([0, 0], [1, 1], [[0, 0, 0]], {}, "coordinates"),
        ([0, 0], [1, 1], [[0.5]], {}, "coordinates"),
        ([[0, 0]], [1, 1], [[0, 0]], {}, "factual must have 1 axes"),
        ([0, 0], [[1, 1]], [[0, 0]], {}, "counterfactual must have 1 axes"),
        ([0, 0], [1, 1], [0, 0], {}, "points must have 2 axes"),
        ([0, np.nan], [1, 1], [[0, 0]], {}, "factual must be finite"),
        ([0, 0], [1, np.inf], [[0, 0]], {}, "counterfactual must be finite"),
        ([0, 0], [1, 1], [[0, np.nan]], {}, "points must be finite"),
        ([0, 0], [1, 1], [[0, 0]], {"smallest": 0.0}, "smallest must be positive, got 0.0"),
        ([0, 0], [1, 1], [[0, 0]], {"smallest": -1.0}, "smallest must be positive"),
        ([0, 0], [1, 1], [[0, 0]], {"smallest": np.nan}, "smallest must be positive"),
        ([0, 0], [1, 1], [[0, 0]], {"schedule": "third"}, "'halve' or 'unit', got 'third'"),
    ],
)
def test_what_cannot_be_bridged_is_refused_with_the_reason(
    factual, counterfactual, points, options, message
):
    with pytest.raises(InvalidInput, match=message):
        fl.bridge(factual, counterfactual, points, **options)
