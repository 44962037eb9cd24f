"""Cards: what the next steps do, ranked and one recommended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.graph.test_routes import random_graph

import facelift as fl
from facelift import FACElift, Terrain, datasets, recommend
from facelift.choosing import USUAL, scaled_scores
from facelift.errors import InvalidInput
from facelift.multiverse.words import effort_size
from facelift.toys import fork, loan
from facelift.views import table
from facelift.views.cards import cards, comparison
from facelift.views.page import document
from facelift.views.ways import way_words
from facelift.walking.guide import Guide
from facelift.walking.walk import RuleOut, Walk


def test_cards_say_what_the_options_do(guide):
    shown, plan = document(guide, Walk()), guide.plan(Walk())
    options = {option.end: option for option in plan.options}
    for card in shown.cards.cards:
        option = options[card.vertex]
        effects = {plan.names[b].letter: effect for b, effect in enumerate(option.effects)}
        assert {pip.letter: pip.effect for pip in card.pips} == effects
        assert card.effort == option.cost
        closed = [letter for letter, effect in effects.items() if effect == "closed"]
        assert card.closes.split() == sorted(closed)
        assert card.no_return == (2 * len(closed) > len(effects))
        for letter in effects:
            assert letter in card.words


def test_at_most_four_cards_and_one_recommended(guide):
    shown = document(guide, Walk())
    assert all(len(ranking) <= 4 for ranking in shown.cards.rankings.values())
    (tagged,) = [card for card in shown.cards.cards if card.tag == "recommended"]
    assert tagged.vertex == shown.cards.recommended == shown.cards.rankings["expected"][0]


def test_rankings_follow_what_they_are_called(guide):
    shown = document(guide, Walk())
    cards = {card.vertex: card for card in shown.cards.cards}
    by_effort = [cards[v].effort for v in shown.cards.rankings["effort"]]
    by_chance = [cards[v].after for v in shown.cards.rankings["chance"]]
    assert by_effort == sorted(by_effort)
    assert by_chance == sorted(by_chance, reverse=True)


def test_what_closes_a_way_comes_after_what_keeps_all_open():
    """Step 1 helps three ways and closes the fourth; step 5 helps two and closes none."""
    edges = [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0), (1, 4, 1.0), (0, 5, 1.0), (5, 2, 1.0)]
    edges += [(5, 3, 1.0), (5, 4, 9.0), (5, 6, 9.0), (0, 6, 1.5)]
    costs = np.zeros((7, 7))
    for start, end, cost in edges:
        costs[start, end] = cost
    graph = fl.Graph(np.arange(7.0)[:, np.newaxis], sparse.csr_array(costs))
    guide = Guide(fl.explore(graph, 0, [2, 3, 4, 6]))
    assert document(guide, Walk()).cards.rankings["open"][0] == 5


def test_every_step_names_the_nearest_way_to_go_on_to(guide):
    plan = guide.plan(Walk())
    letters = [name.letter for name in plan.lines]
    for way in document(guide, Walk()).ways:
        journey = plan.ways[letters.index(way.letter)]
        for left, step in zip(journey.in_steps.remaining[1:], way.steps, strict=True):
            others = [
                (cost, letter)
                for cost, letter in zip(left, letters, strict=True)
                if letter != way.letter
            ]
            cost, letter = min(others, key=lambda each: each[0])
            size = effort_size(cost)
            assert step.fallback == (f"{letter}, {size} effort" if np.isfinite(cost) else "–")


def test_what_ages_by_itself_is_listed_but_is_no_title_and_not_ruled_out(lending, people):
    table = people.copy()
    table.insert(0, "age", np.arange(20, 60).repeat(4))
    terrain = Terrain.infer(table).ages("age", per="year").rate("income", 2, per="year")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(table)
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(explainer.explain(table.iloc[[row]], "granted"))
    shown = document(guide, Walk()).cards.cards
    card = next(card for card in shown if "Income" in [each.name for each in card.changes])
    assert [each.name for each in card.changes] == ["Age", "Income"]
    assert card.title == "Income"
    (rule,) = guide.moved(Walk(), RuleOut(card.vertex)).limits.ruled_out
    assert rule.feature == "income"


def test_one_step_is_advised_the_first_of_the_advised_way(guide):
    """One card once said "recommended" while another said "do this first"."""
    plan, shown = guide.plan(Walk()), document(guide, Walk())
    way = recommend(guide.multiverse)
    assert shown.cards.recommended == way.in_steps.vertices[1]
    assert plan.ways[plan.advised].vertices.tolist() == way.vertices.tolist()
    assert shown.cards.cards[0].vertex == shown.cards.recommended


def declined_on_credit(credit):
    """What the page knows of some of those declined."""
    terrain = datasets.german_credit_rules(Terrain.infer(credit.X))
    explainer = FACElift(credit.model, terrain, steps="actions", n_counterfactuals=7).fit(credit.X)
    declined = credit.X[credit.model.predict(credit.X) == "bad"]
    for row in range(0, 60, 6):
        yield Guide(explainer.explain(declined.iloc[[row]], "good"))


def test_what_most_ways_begin_with_is_said_of_the_step_advised(credit):
    found = []
    for guide in declined_on_credit(credit):
        plan = guide.plan(Walk())
        trunk = plan.trunk
        for card in document(guide, Walk()).cards.cards:
            begins = trunk is not None and trunk.journey.vertices[1] == card.vertex
            assert bool(card.trunk) == (begins and len(trunk.keeps_open) == len(plan.ways))
            if card.trunk:
                found.append(card)
                assert card.tag == "recommended"
                n, total = len(trunk.ways), len(plan.ways)
                share = f"All {total}" if n == total else f"{n} of the {total}"
                assert f"{share} ways we found can begin so" in card.trunk
                assert not card.closes
    assert found


def test_a_way_that_a_step_is_no_help_for_does_not_begin_with_it(credit):
    told = []
    for guide in declined_on_credit(credit):
        plan = guide.plan(Walk())
        before = [card for card in cards(plan).cards if card.trunk]
        if not before:
            continue
        letter, n = before[0].nearer.split()[0], len(plan.trunk.ways)
        place = next(b for b, name in enumerate(plan.names) if name.letter == letter)
        plan.__dict__["options"] = [without(option, place) for option in plan.options]
        (card,) = [card for card in cards(plan).cards if card.vertex == before[0].vertex]
        told.append(card.trunk)
        assert bool(card.trunk) == (n - 1 > max(1, len(plan.ways) / 2))
        assert not card.trunk or f"{n - 1} of the {len(plan.ways)} ways we found" in card.trunk
    assert told


def without(option, place):
    """An option that is no help for a destination."""
    effects = list(option.effects)
    effects[place] = "open"
    return replace(option, effects=tuple(effects))


def compared(multiverse):
    plan = Guide(multiverse).plan(Walk())
    return comparison(plan, way_words(plan))


def test_a_way_that_costs_more_and_serves_less_is_beaten():
    told = compared(fork().multiverse())
    frame = table.criteria(fork().multiverse(), [fl.proximity, fl.opportunity, fl.lateness])
    assert [way.letter for way in told.ways] == frame["way"].tolist() == ["A", "B", "C"]
    assert told.orders["effort"] == ("A", "B", "C")
    assert told.orders["late"][0] == "A"
    assert [way.beaten for way in told.ways] == [
        not kept for kept in np.isin(range(3), fl.front(fork().multiverse(), _shown()))
    ]


def _shown():
    return [fl.proximity, fl.opportunity, fl.brevity, fl.sparsity, fl.lateness]


def test_the_table_of_the_loan_figure():
    frame = table.criteria(loan().multiverse())
    assert frame.columns.tolist() == ["way", *(each.__name__ for each in USUAL), "front"]
    assert frame["proximity"].tolist() == [-3, -14, -16]


def test_criteria_need_names():
    with pytest.raises(InvalidInput, match="must be named"):
        table.criteria(loan().multiverse(), [lambda m: -m.costs])
    named = table.criteria(loan().multiverse(), {"early": lambda m: -fl.lateness(m)})
    assert named["early"].tolist() == [0, 0, 0]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 7))
def test_early_is_the_opposite_of_late_and_shares_lie_between_worst_and_best(seed, n):
    graph = random_graph(np.random.default_rng(seed), n, share=0.5)
    multiverse = fl.explore(graph, 0, range(1, n))
    if not len(multiverse):
        return
    multiverse = replace(multiverse, graph=graph)
    told, late = compared(multiverse), fl.lateness(multiverse)
    scores = dict(zip("ABCDEFGHI", late, strict=False))
    falling = [scores[name] for name in told.orders["late"]]
    rising = [scores[name] for name in told.orders["early"]]
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
    for way in told.ways:
        assert all(share is None or 0 <= share <= 1 for share in way.shares)
    assert any(not way.beaten for way in told.ways)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_scaled_scores_keep_the_order(scores):
    scaled = scaled_scores(np.array(scores))
    order = np.argsort(scores, kind="stable")
    assert (np.diff(scaled[order]) >= 0).all()
    assert scaled.max() == 1
