"""Criteria that say what a way keeps open, when one must decide, and mixtures of criteria."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import facelift as fl
from facelift.errors import InvalidInput
from facelift.multiverse.families import Family
from facelift.multiverse.journey import Journey
from facelift.multiverse.whynot import no_route
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


def test_who_loses_nothing_scores_zero_and_not_minus_zero():
    line = sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 2])), shape=(3, 3))
    world = fl.Graph(np.arange(3.0)[:, np.newaxis], line)
    first = fl.simplicity(fl.explore(world, 0, [1, 2]))[0]
    assert (first, math.copysign(1.0, first)) == (0.0, 1.0)


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


@pytest.mark.parametrize("by", ["ranks", "scores"])
def test_a_criterion_turned_round_does_not_crown_what_has_none(by):
    multiverse = loan().multiverse()
    few = fl.weighed({scored([np.nan, 3, 2]): -1}, by)
    assert fl.best(multiverse, few).own == 2
    assert few(multiverse)[0] == 0.0


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


GOAL = fl.Goal(target=("yes",), classes=("no", "yes"), threshold=0.5)
CRITERIA = [fl.opportunity, fl.proximity, fl.confidence, fl.brevity, fl.sparsity]


def multiverse_of(costs, chances=None):
    """Direct journeys of these costs, in this order."""
    journeys = [
        Journey(
            np.array([0, i + 1]),
            np.array([[0.0, 0.0], [i + 1.0, 0.0]]),
            np.array([float(cost)]),
            np.full((2, len(costs)), np.inf),
            i,
            probabilities=None if chances is None else np.array([[0.9, 0.1], [0.0, chances[i]]]),
            goal=GOAL,
        )
        for i, cost in enumerate(costs)
    ]
    return fl.Multiverse(tuple(journeys), tuple(np.array([i + 1]) for i in range(len(costs))))


def empty():
    return fl.Multiverse((), (), why_not=no_route(3, 2))


def test_the_criteria_of_the_loan_figure():
    multiverse = loan().multiverse()
    assert fl.opportunity(multiverse).tolist() == [0, 2 / 7, 7 / 16]
    assert fl.proximity(multiverse).tolist() == [-3, -14, -16]
    assert fl.brevity(multiverse).tolist() == [-1, -2, -4]
    assert np.isnan(fl.confidence(multiverse)).all()


def test_confidence_is_the_chance_at_the_end():
    assert fl.confidence(multiverse_of([1, 2], chances=[0.6, 0.9])).tolist() == [0.6, 0.9]


def test_sparsity_counts_the_features_that_differ_between_the_ends():
    multiverse = fork().multiverse()
    assert fl.sparsity(multiverse).tolist() == [-1, -1, -2]


def test_sparsity_counts_columns_of_the_table_where_there_is_one():
    rows = pd.DataFrame({"age": [20, 30, 20], "housing": ["rent", "own", "own"], "n": [1, 2, 2]})
    journey = replace(multiverse_of([1])[0], waypoints=np.zeros((3, 5)), decode=lambda _: rows)
    assert fl.sparsity(fl.Multiverse((journey,), ())).tolist() == [-2]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_gives_one_score_per_journey_and_a_whole_ranking(criterion):
    for multiverse in (loan().multiverse(), fork().multiverse(), multiverse_of([1]), empty()):
        assert criterion(multiverse).shape == (len(multiverse),)
        assert criterion(multiverse).dtype == np.float64
        ranks = fl.ranking(multiverse, criterion).tolist()
        assert sorted(ranks) == list(range(len(multiverse)))


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, np.nan]), st.integers(1, 3)), min_size=1))
def test_ranking_is_by_score_then_by_cost_then_by_number_and_undefined_last(pairs):
    scores, costs = zip(*pairs, strict=True)
    multiverse = multiverse_of(costs)
    worst = [-np.inf if np.isnan(score) else score for score in scores]
    expected = sorted(range(len(pairs)), key=lambda i: (-worst[i], costs[i], i))
    assert fl.ranking(multiverse, scored(scores)).tolist() == expected
    assert fl.best(multiverse, scored(scores)) is multiverse[expected[0]]


def test_ties_go_to_the_cheaper():
    multiverse = multiverse_of([5, 2, 3])
    assert fl.best(multiverse, scored([1, 1, 1])) is multiverse[1]
    assert fl.ranking(multiverse, scored([1, 0, 1])).tolist() == [2, 0, 1]


def test_scores_that_differ_by_rounding_only_are_ties():
    multiverse = multiverse_of([2, 5, 3])
    third = 1 / 3
    assert fl.ranking(multiverse, scored([third, third + 1e-16, 0.5])).tolist() == [2, 0, 1]
    assert fl.best(multiverse, scored([0.1 + 0.2, 0.3, 0.3])) is multiverse[0]
    assert fl.best(multiverse, scored([0.3, 0.1 + 0.2, 0.3])) is multiverse[0]


def test_scores_that_really_differ_are_no_ties_however_little():
    multiverse = multiverse_of([2, 5])
    assert fl.best(multiverse, scored([0.5, 0.5 + 1e-7])) is multiverse[1]


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, np.nan])] * 3), min_size=1, max_size=8))
def test_the_front_are_those_that_no_other_beats(table):
    def beats(a, b):
        a, b = ([-np.inf if np.isnan(x) else x for x in row] for row in (a, b))
        return all(x >= y for x, y in zip(a, b, strict=True)) and a != b

    multiverse = multiverse_of(range(1, len(table) + 1))
    criteria = [scored(column) for column in zip(*table, strict=True)]
    expected = [i for i, own in enumerate(table) if not any(beats(other, own) for other in table)]
    assert fl.front(multiverse, criteria).tolist() == expected


def test_the_front_of_the_loan_figure_leaves_out_what_is_beaten():
    assert fl.front(loan().multiverse()).tolist() == [0, 1, 2]
    assert fl.front(loan().multiverse(), [fl.proximity, fl.brevity]).tolist() == [0]
    assert fl.front(empty()).tolist() == []


@pytest.mark.parametrize(
    "scores", [[1.0], [1.0] * 4, [[1.0] * 3], 1.0, None, ["a", "b", "c"], [[1.0], [1.0, 2.0], []]]
)
@pytest.mark.parametrize("choose", [fl.best, fl.ranking, lambda m, c: fl.front(m, [c])])
def test_a_criterion_that_does_not_score_every_journey_is_refused(scores, choose):
    with pytest.raises(InvalidInput, match=r"one score per journey \(3\)"):
        choose(loan().multiverse(), lambda _: scores)


def test_a_front_needs_a_criterion():
    with pytest.raises(InvalidInput, match="at least one criterion"):
        fl.front(loan().multiverse(), [])


def test_the_best_of_nothing_is_refused_with_the_reason():
    with pytest.raises(InvalidInput, match=r"no journey to choose from. None of the 3"):
        fl.best(empty())


def passing(costs, chances, scores):
    """Journeys of these costs through these chances of a goal at one half, with these scores."""
    plain = multiverse_of(costs)
    journeys = tuple(
        replace(journey, probabilities=np.array([[1 - chance, chance] for chance in way]))
        for journey, way in zip(plain, chances, strict=True)
    )
    found = replace(plain, journeys=journeys, goal=GOAL)
    found.__dict__["scores"] = np.array(scores)
    return found


STEADY = (0.2, 0.6)


def test_the_most_open_of_the_cheap_ones_is_recommended():
    found = passing([1.0, 1.05, 1.2], [STEADY] * 3, [0.1, 0.3, 0.9])
    assert fl.recommend(found) is found[1]
    assert fl.recommend(found, slack=0.0) is found[0]
    assert fl.recommend(found, slack=np.inf) is found[2]


def test_a_cost_on_the_edge_of_the_slack_is_within_it():
    found = passing([1.0, 1.1], [STEADY] * 2, [0.1, 0.3])
    assert fl.recommend(found, slack=0.1) is found[1]


def test_where_a_way_costs_nothing_any_slack_finds_one():
    free = passing([0.0, 3.0], [STEADY] * 2, [0.1, 0.3])
    assert fl.recommend(free) is free[0]
    assert fl.recommend(free, slack=np.inf) is free[1]


def test_a_way_that_dips_is_recommended_only_without_another():
    found = passing([1.0, 1.05], [STEADY, (0.2, 0.1)], [0.1, 0.9])
    assert fl.recommend(found) is found[0]
    dipping = passing([1.0, 1.05, 5.0], [(0.2, 0.1)] * 2 + [STEADY], [0.1, 0.9, 0.5])
    assert fl.recommend(dipping) is dipping[1]


def test_ties_of_openness_go_to_the_cheaper():
    found = passing([1.0, 1.05], [STEADY] * 2, [0.3, 0.3])
    assert fl.recommend(found) is found[0]


def test_an_only_way_is_recommended():
    found = multiverse_of([2.0])
    assert fl.recommend(found) is found[0]


@given(
    st.lists(st.tuples(st.floats(0.1, 9), st.floats(0, 1), st.floats(0, 1)), min_size=1),
    st.floats(0, 2),
)
def test_nothing_recommended_is_dearer_than_the_slack_allows(ways, slack):
    ways = sorted(ways)
    costs, scores = [way[0] for way in ways], [way[1] for way in ways]
    chances = [(0.3, way[2], 0.6)[:2] for way in ways]
    found = passing(costs, chances, scores)
    chosen = fl.recommend(found, slack)
    allowed = [j for j in found if j.cost <= (1 + slack) * costs[0] * (1 + 1e-9)]
    assert any(chosen is each for each in allowed)
    steady = [j for j in allowed if j.probabilities[-1, 1] >= 0.3 - 1e-9]
    if steady:
        assert any(chosen is each for each in steady)
    pool = steady or allowed
    mine = scores[next(i for i, j in enumerate(found) if j is chosen)]
    assert mine >= max(scores[i] for i, j in enumerate(found) if any(j is k for k in pool)) - 1e-9


@pytest.mark.parametrize("slack", [-0.1, np.nan, "little"])
def test_a_slack_that_is_no_share_is_refused(slack):
    with pytest.raises(InvalidInput, match="slack must be a number, 0 or more"):
        fl.recommend(fork().multiverse(), slack)


def test_nothing_can_be_recommended_of_nothing():
    with pytest.raises(InvalidInput, match="There is no journey to choose from"):
        fl.recommend(empty())


def test_steadiness_is_proximity_where_nothing_fails():
    found = loan().multiverse()
    assert found.expected_effort(0.0).tolist() == found.costs.tolist()
    assert fl.steadiness(found).tolist() == (-found.expected_effort(0.1)).tolist()


def test_a_criterion_that_is_no_function_is_one_clear_error():
    with pytest.raises(InvalidInput, match="A criterion is a function such as"):
        fl.best(loan().multiverse(), "cost")


def test_scores_that_are_equal_but_for_rounding_are_all_best():
    scores = np.array([-0.33333333333333337, -0.3333333333333333])
    assert fl.choosing.scaled_scores(scores).tolist() == [1.0, 1.0]
