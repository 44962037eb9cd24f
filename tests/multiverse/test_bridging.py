"""Bridges: Algorithm 6 as printed, no forbidden step, and crossings between several."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

import facelift as fl
from facelift import Terrain, bridge, bridge_many
from facelift.errors import InvalidInput
from facelift.multiverse import bridging
from facelift.multiverse.bridging import bridged, permitted_bridge
from facelift.terrain.prices import Block, Prices

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


def world(seed: int) -> tuple[Terrain, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(0, 7, 60),
            "savings": rng.integers(0, 7, 60),
            "home": rng.choice(["own", "rent"], 60),
        }
    )
    terrain = Terrain.infer(X)
    if rng.random() < 0.7:
        terrain = terrain.increase_only("age")
    if rng.random() < 0.5:
        terrain = terrain.forbid("home", "own", "rent").between("savings", 0, 5)
    return terrain, X


def allowed_edges(terrain, bridges):
    """Every step of a bridge, and every crossing no dearer than the dearest step; by points."""
    on = [{point.tobytes() for point in each} for each in bridges]
    points = {point.tobytes(): point for each in bridges for point in each}
    steps = {(u.tobytes(), v.tobytes()) for each in bridges for u, v in pairwise(each)}
    cost = {(u, v): float(terrain.cost(points[u], points[v])) for u in points for v in points}
    dearest = max(cost[edge] for edge in steps)
    shares = {(u, v): any(u in each and v in each for each in on) for u, v in cost}
    return {e: c for e, c in cost.items() if e in steps or (not shares[e] and c <= dearest)}


def cheapest(edges, start, end):
    """Least cost by relaxing every edge again and again."""
    costs = {start: 0.0}
    for _ in range(len(edges)):
        before = dict(costs)
        for (u, v), cost in edges.items():
            if u in costs:
                costs[v] = min(costs.get(v, np.inf), costs[u] + cost)
        if costs == before:
            break
    return costs[end]


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(40), deadline=None)
def test_journeys_are_the_cheapest_on_the_graph_of_bridges_and_break_no_rule(seed):
    terrain, X = world(seed)
    points = np.asarray(terrain.encode(X))
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(X), 5, replace=False)
    start, ends = points[chosen[0]], points[chosen[1:]]
    if not terrain.admissible(points[chosen[:1]])[0]:
        return
    found = bridge_many(start, ends, points, terrain=terrain)
    passable = points[terrain.admissible(points)]
    may = [
        end
        for end in ends
        if np.isfinite(terrain.cost(start, end))
        and (end != start).any()
        and terrain.admissible(end[np.newaxis])[0]
    ]
    assert {j.counterfactual.tobytes() for j in found} == {end.tobytes() for end in may}
    if not may:
        assert found.why_not.reason == "no route"
        return
    bridges = [permitted_bridge(start, end, passable, terrain.prices) for end in may]
    edges = allowed_edges(terrain, bridges)
    for journey in found:
        steps = [(u.tobytes(), v.tobytes()) for u, v in pairwise(journey.waypoints)]
        assert all(np.isfinite(edges[step]) for step in steps)
        assert terrain.admissible(journey.waypoints[1:]).all()
        slow = cheapest(edges, start.tobytes(), journey.counterfactual.tobytes())
        assert journey.cost == pytest.approx(slow)


def test_one_counterfactual_is_bridged_as_by_itself():
    rng = np.random.default_rng(1)
    points = rng.random((80, 3))
    (journey,) = bridge_many(np.zeros(3), np.ones((1, 3)), points)
    np.testing.assert_array_equal(journey.waypoints, bridge(np.zeros(3), np.ones(3), points))


def test_the_same_counterfactual_twice_is_one_destination():
    found = bridge_many([0.0], [[1.0], [1.0], [0.0]], [[0.5]])
    assert len(found) == 1


def test_rows_come_back_where_there_is_a_terrain():
    terrain, X = world(3)
    points = np.asarray(terrain.encode(X))
    found = bridge_many(points[0], points, points, terrain=terrain)
    assert found[0].rows.dtypes.equals(X.dtypes)
    assert bridge_many([0.0], [[1.0]], [[0.5]])[0].rows is None


def test_coordinates_must_fit():
    with pytest.raises(InvalidInput, match="got 1, 2 and 1"):
        bridge_many([0.0], [[1.0, 2.0]], [[0.5]])


def free(m: int) -> Prices:
    return Prices(np.ones(m), np.ones(m))


def test_with_nothing_forbidden_it_is_the_bridge():
    rng = np.random.default_rng(0)
    points, start, end = rng.random((80, 3)), np.zeros(3), np.ones(3)
    found = permitted_bridge(start, end, points, free(3))
    np.testing.assert_array_equal(found, bridge(start, end, points))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(60))
def test_no_step_is_forbidden_and_each_comes_closer(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, size=(60, 4)) / 5
    points[:, 2:] = np.eye(2)[rng.integers(0, 2, 60)]
    increase, decrease = np.ones(4), np.ones(4)
    increase[2:] = decrease[2:] = 0.0
    decrease[0] = np.inf if rng.random() < 0.5 else 1.0
    change = np.array([[1.0, rng.choice([1.0, np.inf])], [1.0, 1.0]])
    prices = Prices(increase, decrease, (Block(slice(2, 4), change),))
    start, end = points[0], points[1]
    if (start == end).all() or np.isinf(prices.cost(start, end)):
        return
    (journey,) = bridged(start, end, points, prices)
    np.testing.assert_array_equal(journey.waypoints[0], start)
    np.testing.assert_array_equal(journey.waypoints[-1], end)
    assert np.isfinite(prices.cost(journey.waypoints[:-1], journey.waypoints[1:])).all()
    left = np.sqrt(((journey.waypoints - end) ** 2).sum(axis=1))
    assert (np.diff(left) < 0).all()


def test_the_journey_costs_what_its_steps_cost():
    prices = Prices(np.array([2.0]), np.array([1.0]))
    multiverse = bridged(np.zeros(1), np.ones(1), np.array([[0.25], [0.5]]), prices)
    (journey,) = multiverse
    np.testing.assert_allclose(journey.step_costs, [0.5, 0.5, 1.0])
    np.testing.assert_allclose(journey.remaining[:, 0], [2.0, 1.5, 1.0, 0.0])
    assert multiverse.opportunity.tolist() == [[1.0]]
    assert multiverse.factual == 0


def test_a_counterfactual_that_is_ruled_out_cannot_be_bridged():
    one_way = Prices(np.array([1.0]), np.array([np.inf]))
    with pytest.raises(InvalidInput, match="forbid"):
        bridged(np.ones(1), np.zeros(1), np.array([[0.5]]), one_way)
