"""Promises of actions on larger worlds, and the order of steps."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from tests.laws import examples
from tests.steps.slow_actions import (
    Slow,
    World,
    close,
    distances,
    encoded,
    raw,
    wide_worlds,
    world_of,
)

import facelift as fl


def faults(world: World, case: dict[str, Any], journey: fl.Journey, wanted: int) -> list[str]:
    """Everything that is wrong with a journey, judged by its raw rows and the model alone."""
    waypoints, slow = raw(journey.rows), Slow(world, case, wanted)
    found = [] if waypoints[0] == case else [f"starts elsewhere: {waypoints[0]}"]

    def rarity(row: dict[str, Any]) -> float:
        return float(
            np.sort(distances(slow.records, encoded(world.columns, row)))[slow.neighbour - 1]
        )

    bound = max(slow.bound, rarity(case))  # who is rare may pass through states as rare
    for row in waypoints[1:]:
        found += [f"out of bounds: {row}" for c in world.columns if not c.holds(row[c.name])]
        found += [f"against a rule: {row}, {r.text}" for r in world.rules if not r.holds(row)]
        found += [f"implausible: {row}"] * bool(rarity(row) > bound * (1 + 1e-8))
    for before, after in pairwise(waypoints):
        changed = [c for c in world.columns if before[c.name] != after[c.name]]
        names = tuple(c.name for c in changed)
        joint = any(set(names) <= set(link) and link[0] in names for link in world.links)
        linked = {name for link in world.links for name in link}
        single = len(names) == 1 and names[0] not in linked
        found += [] if single or joint else [f"not one change: {names}"]
        found += [
            f"forbidden: {c.name} {before[c.name]!r} to {after[c.name]!r}"
            for c in changed
            if math.isinf(c.price(before[c.name], after[c.name]))
        ]
    chances = world.model(world.frame(waypoints))[:, wanted]
    threshold, margin = world.parameters["threshold"], world.parameters["margin"]
    needed = min(threshold + margin, max(0.99, 1 - (1 - threshold) / 10))
    found += [] if chances[-1] >= needed - 1e-9 else ["does not arrive"]
    found += ["arrives before its end"] * int((chances[:-1] >= needed + 1e-9).any())
    found += ["wrong chances"] * (not np.allclose(chances, journey.chances))
    return found


def journeys_of(world: World) -> list[tuple[dict[str, Any], fl.Journey, int]]:
    """Journeys of every case that is admitted, with the case and the class it wants."""
    explainer, found = world.explainer(), []
    for case in world.cases:
        if world.admits(case):
            multiverse = explainer.explain(world.frame([case]))
            wanted = int(multiverse.goal.target[0])
            found += [(case, journey, wanted) for journey in multiverse]
    return found


def test_no_journey_passes_a_success_where_categories_are_chained() -> None:
    world = world_of(42177, wide=True)
    for case, journey, wanted in journeys_of(world):
        assert faults(world, case, journey, wanted) == []


@settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))
@given(wide_worlds())
def test_no_journey_of_actions_ever_breaks_a_promise(world: World) -> None:
    for case, journey, wanted in journeys_of(world):
        assert faults(world, case, journey, wanted) == []
        assert (journey.rarity[1:] <= max(1, journey.rarity[0]) * (1 + 1e-8)).all()
        assert journey.n_steps <= (world.parameters["max_steps"] or 7)
        assert journey.opportunity[journey.own] == 1


YES = {"savings": True, "job": True, "guarantor": True, "debts": True}
GOALS = [("savings", "job"), ("savings", "guarantor"), ("savings", "debts")]


def lender(frame: pd.DataFrame) -> np.ndarray:
    """Grants the loan to whoever saves and does one thing more."""
    others = frame[["job", "guarantor", "debts"]].any(axis=1)
    chance = np.where(frame["savings"] & others, 0.9, 0.1)
    return np.column_stack([1 - chance, chance])


@pytest.fixture
def crossroads() -> fl.Multiverse:
    X = pd.DataFrame(list(product([False, True], repeat=4)), columns=list(YES))
    explainer = fl.FACElift(lender, steps="actions", plausibility=1.0).fit(X)
    return explainer.explain(dict.fromkeys(YES, False))


def opportunity_of(multiverse: fl.Multiverse, steps: tuple[str, ...]) -> np.ndarray:
    """Opportunity of doing the changes in this order, walked on the graph of the multiverse."""
    graph, vertex = multiverse.walkable_graph()
    remaining = fl.graph.remaining_costs(graph, multiverse.destinations)
    columns = list(YES)
    way = [vertex]
    for name in steps:
        moved = graph.points[way[-1]].copy()
        moved[columns.index(name)] = 1.0
        way.append(int(np.flatnonzero((graph.points == moved).all(axis=1))[0]))
    costs = [graph.edge_cost(u, v) for u, v in pairwise(way)]
    return fl.geometry.opportunity_potential(costs, remaining[way])


def test_of_equally_cheap_orders_the_one_that_keeps_most_open_is_taken(crossroads):
    assert len(crossroads) == 3
    for journey in crossroads:
        changes = [str(name) for name in journey.to_frame()["feature"]]
        assert changes[0] == "savings"
        assert tuple(changes) in GOALS
        orders = [tuple(changes), tuple(changes[::-1])]
        values = [opportunity_of(crossroads, order).sum() for order in orders]
        assert journey.opportunity.sum() == close(max(values))
        assert max(values) > min(values)
    # Saving serves all three; the second step only one's own. The other order serves nobody else.
    own_first = np.full((3, 3), 0.5) + np.eye(3) / 2
    assert crossroads.opportunity == close(own_first)
    worst = opportunity_of(crossroads, ("job", "savings"))
    assert sorted(worst.tolist()) == [0, 0, 1]
