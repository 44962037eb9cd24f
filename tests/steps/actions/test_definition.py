"""Journeys of actions against their definition: every state and every order looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.steps.slow_actions import (
    Slow,
    World,
    close,
    explained,
    raw,
    worlds,
)

import facelift as fl


@settings(max_examples=examples(160), suppress_health_check=list(HealthCheck))
@given(worlds(), st.sampled_from([1, 4, 256]))
def test_the_result_is_that_of_looking_at_every_state_and_every_order(
    world: World, first_batch: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("facelift.steps.proposers.FIRST_BATCH", first_batch)
        pairs = explained(world)
    for slow, multiverse in pairs:
        check_same(slow, multiverse)


def check_same(slow: Slow, multiverse: fl.Multiverse) -> None:
    """The same destinations, costs, orders, remaining costs and opportunities."""
    ends = [raw(journey.rows)[-1] for journey in multiverse]
    expected = [slow.row(state) for state in slow.destinations]
    assert sorted(map(repr, ends)) == sorted(map(repr, expected))
    assert (np.diff(multiverse.costs) >= -1e-9).all()
    order = [ends.index(row) for row in expected]
    for i, state in enumerate(slow.destinations):
        journey, steps = multiverse[order[i]], slow.best_order(state)
        way = slow.waypoints(steps)
        assert journey.n_steps == len(steps) - 1
        assert raw(journey.in_steps.rows) == [slow.row(each) for each in steps]
        assert journey.in_steps.step_costs == close(slow.steps(steps))
        assert journey.cost == close(slow.cost(state))
        assert journey.cost == close(slow.between[0, slow.vertices.index(state)])
        assert raw(journey.rows) == [slow.row(each) for each in way]
        assert journey.step_costs == close(slow.steps(way))
        assert journey.remaining[:, order] == close(slow.left(way))
        assert journey.rarity == close([slow.rarity(each) for each in way])
        assert journey.chances == close([slow.chance(each) for each in way])
    ways = [slow.waypoints(slow.best_order(state)) for state in slow.destinations]
    matrix = [slow.opportunity(way) for way in ways]
    if matrix:
        assert multiverse.opportunity[np.ix_(order, order)] == close(np.array(matrix))
    stopped = multiverse.survey.stopped
    full = len(expected) == slow.parameters["n_counterfactuals"]
    assert stopped == ("enough" if full else "exhausted")
    if not expected:
        judged = [slow.start, *slow.passed]
        best = max(slow.chance(state) for state in judged)
        assert multiverse.why_not.best_chance == close(best)


@settings(max_examples=examples(80), suppress_health_check=list(HealthCheck))
@given(worlds(), st.sampled_from([1, 4]), st.sampled_from([2, 6, 15, 40]))
def test_with_a_small_budget_every_destination_is_still_minimal(
    world: World, first_batch: int, max_states: int
) -> None:
    world.parameters["max_states"] = max_states
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("facelift.steps.proposers.FIRST_BATCH", first_batch)
        pairs = explained(world)
    for slow, multiverse in pairs:
        ends = [raw(journey.rows)[-1] for journey in multiverse]
        if multiverse.survey.stopped == "budget":
            minimal = [slow.row(state) for state in slow.minimal]
            assert all(end in minimal for end in ends)
        else:
            assert sorted(map(repr, ends)) == sorted(
                repr(slow.row(state)) for state in slow.destinations
            )


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(worlds(), st.sampled_from([0.125, 8.0]))
def test_scaling_all_prices_scales_costs_and_changes_nothing_else(world, scale):
    scaled = tuple(
        replace(
            column,
            up=column.up * scale,
            down=column.down * scale,
            pairs=tuple((a, b, price * scale) for a, b, price in column.pairs),
        )
        for column in world.columns
    )
    other = replace(world, columns=scaled)
    for case in world.cases:
        if not world.admits(case):
            continue
        one, two = (w.explainer().explain(w.frame([case])) for w in (world, other))
        assert [raw(j.rows) for j in one] == [raw(j.rows) for j in two]
        assert two.costs == close(one.costs * scale)
        assert two.opportunity == close(one.opportunity)
