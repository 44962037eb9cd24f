"""Criteria that say what a way keeps open, when one must decide, and mixtures of criteria."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facelift as fl
from facelift.errors import InvalidInput
from facelift.multiverse.families import Family
from facelift.toys import fork, loan

weights = st.floats(-5, 5).filter(lambda weight: abs(weight) > 1e-3)


def scored(scores):
    return lambda _: np.array(scores, dtype=float)


def alone(multiverse):
    """Every journey a family of its own."""
    return [Family((i,), i, journey.vertices) for i, journey in enumerate(multiverse)]


@pytest.mark.parametrize("toy", [loan, fork])
def test_agency_over_destinations_is_opportunity_times_their_number(toy):
    multiverse = toy().multiverse()
    others = len(multiverse) - 1
    assert fl.agency(multiverse) == pytest.approx(others * fl.opportunity(multiverse))
    assert fl.agency(multiverse, alone(multiverse)) == pytest.approx(fl.agency(multiverse))


def test_near_copies_of_one_destination_are_no_more_agency_than_one():
    multiverse = loan().multiverse()
    together = [Family((0,), 0, np.array([0])), Family((1, 2), 1, np.array([0]))]
    by_hand = [0.0, 0.0, 0.0]  # the first step of 1 and 2 closes 0, and that of 0 closes both
    assert fl.agency(multiverse, together).tolist() == by_hand
    assert (fl.agency(multiverse, together) <= fl.agency(multiverse)).all()


def test_agency_of_the_only_journey_is_none():
    multiverse = loan().multiverse()
    assert fl.agency(multiverse, [Family((0, 1, 2), 0, np.array([0]))]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("toy", [loan, fork])
def test_simplicity_ranks_as_opportunity_does(toy):
    multiverse = toy().multiverse()
    assert fl.simplicity(multiverse) == pytest.approx(fl.opportunity(multiverse) - 1)


def test_lateness_is_the_share_before_the_first_loss():
    multiverse = fork().multiverse()
    by_hand = [
        min(fl.geometry.opportunity_potential(each.step_costs, each.alternatives))
        for each in multiverse
    ]
    assert fl.lateness(multiverse).tolist() == by_hand


def test_journeys_can_be_chosen_by_their_branching_factor():
    multiverse = fork().multiverse()
    for discount in (1.0, 0.5):
        chosen = fl.best(multiverse, partial(fl.branching, discount=discount))
        scores = multiverse.branching(discount)
        assert scores[chosen.own] == np.nanmax(scores)


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=3), weights)
def test_one_criterion_weighed_alone_ranks_as_it_does(scores, weight):
    multiverse = loan().multiverse()
    for by in ("ranks", "scores"):
        mixed = fl.weighed({scored(scores): weight}, by)
        turned = scored(np.sign(weight) * np.array(scores))
        assert fl.ranking(multiverse, mixed).tolist() == fl.ranking(multiverse, turned).tolist()


def test_weighing_by_hand():
    multiverse = loan().multiverse()
    first, second = scored([10, 0, 5]), scored([0, 1, np.nan])
    by_ranks = fl.weighed({first: 3, second: 1})(multiverse)
    assert by_ranks == pytest.approx([0.75 * 1 + 0.25 * 0.5, 0.25, 0.75 * 0.5])
    by_scores = fl.weighed({first: 3, second: 1}, by="scores")(multiverse)
    assert by_scores == pytest.approx([0.75, 0.25, 0.375])


def test_what_no_journey_has_decides_nothing():
    multiverse = loan().multiverse()
    unknown = scored([np.nan] * 3)
    for by in ("ranks", "scores"):
        mixed = fl.weighed({unknown: 1, fl.proximity: 1}, by)
        assert fl.best(multiverse, mixed).own == fl.best(multiverse, fl.proximity).own


@pytest.mark.parametrize(
    ("given_weights", "by"),
    [({}, "ranks"), ({fl.opportunity: 0}, "ranks"), ({fl.opportunity: np.inf}, "scores"),
     ({fl.opportunity: "much"}, "ranks"), ({fl.opportunity: 1}, "votes")],
)  # fmt: skip
def test_weights_that_weigh_nothing_are_refused(given_weights, by):
    with pytest.raises(InvalidInput):
        fl.weighed(given_weights, by)
