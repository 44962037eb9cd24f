"""Bridges to several counterfactuals: one graph, no forbidden step, nothing cheaper left out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import Terrain, bridge, bridge_many
from facelift.errors import InvalidInput
from facelift.multiverse.bridging import permitted_bridge


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
