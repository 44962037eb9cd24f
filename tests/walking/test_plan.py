"""What a click costs: how many plans are made and how often graphs are searched."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from facelift import FACElift
from facelift.graph import power, routes
from facelift.toys import moons
from facelift.views.page import document
from facelift.walking import Option
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan
from facelift.walking.walk import Again, RuleOut, SetLimits, Take, Walk


class Counted:
    """Counts plans, explanations, and searches of graphs outside of explanations."""

    def __init__(self, monkeypatch):
        self.counts, self.searches, self.explaining = Counter(), Counter(), False
        monkeypatch.setattr(Guide, "plan", self._counting("plans", Guide.plan))
        monkeypatch.setattr(FACElift, "explain", self._explaining(FACElift.explain))
        for search in (routes.forward, routes.remaining_costs):
            for module in [m for n, m in sys.modules.items() if n.startswith("facelift.")]:
                if getattr(module, search.__name__, None) is search:
                    monkeypatch.setattr(module, search.__name__, self._searching(search))

    def _counting(self, name, function):
        def counting(*given, **named):
            self.counts[name] += 1
            return function(*given, **named)

        return counting

    def _explaining(self, function):
        def explaining(*given, **named):
            self.counts["explanations"] += 1
            self.explaining = True
            try:
                return function(*given, **named)
            finally:
                self.explaining = False

        return explaining

    def _searching(self, function):
        def searching(graph, ends):
            if not self.explaining:
                self.counts[function.__name__] += 1
                self.searches[function.__name__, id(graph), str(ends)] += 1
            return function(graph, ends)

        return searching

    @contextmanager
    def click(self, **expected):
        """Count what happens within, and check it.

        A search is made once for a new plan and once for the first position on it.
        """
        self.counts.clear(), self.searches.clear()
        yield
        assert dict(self.counts) == expected
        assert max(self.searches.values(), default=1) <= expected.get("forward", 1)


@pytest.fixture
def person(lending, people):
    return people.iloc[[int(np.argsort(lending.chances())[20])]]


def test_a_click_plans_once_where_steps_are_single_changes(lending, people, person, monkeypatch):
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=5).fit(people)
    guide = Guide(explainer.explain(person, "granted"))
    ends = {int(journey.vertices[-1]) for journey in guide.multiverse}
    (first, *_) = (each.end for each in guide.plan(Walk()).options if each.end not in ends)
    guide = Guide(guide.multiverse)
    clicks = Counted(monkeypatch)
    with clicks.click(plans=1, remaining_costs=2, forward=2):  # once without what leads back
        shown = document(guide, Walk())
    with clicks.click(plans=1, forward=1):
        taken = document(guide, shown.walk, Take(first))
    with clicks.click(plans=1, explanations=1, remaining_costs=1, forward=1):
        ruled = document(guide, taken.walk, RuleOut(taken.cards.recommended))
    limits = Limits({"town": "never"})
    with clicks.click(plans=1, explanations=1, remaining_costs=1, forward=1):
        limited = document(guide, ruled.walk, SetLimits(limits))
    with clicks.click(plans=1, explanations=1, remaining_costs=1, forward=1):
        document(guide, limited.walk, Again(6))
    with clicks.click(plans=1, forward=1):  # undone: what was searched for is remembered
        document(guide, shown.walk)


def test_a_click_plans_once_where_steps_lead_through_records(lending, person, monkeypatch):
    guide = Guide(lending.explainer.explain(person, "granted"))
    clicks = Counted(monkeypatch)
    with clicks.click(plans=1, remaining_costs=1, forward=1):
        shown = document(guide, Walk())
    with clicks.click(plans=1, remaining_costs=1, forward=1):
        ruled = document(guide, shown.walk, RuleOut(shown.cards.recommended))
    onward = next(card.vertex for card in ruled.cards.cards if not card.arrives)
    with clicks.click(plans=1, remaining_costs=1, forward=1):  # nobody goes back to a record
        document(guide, ruled.walk, Take(onward))
    with clicks.click(plans=1, explanations=1, remaining_costs=1, forward=1):
        document(guide, ruled.walk, Again(6))


def stepping(plan: Plan, depth: int) -> Iterator[tuple[Plan, Option, Plan]]:
    """Plans, their steps that do not arrive, and the plans after these."""
    for option in plan.options:
        if plan.succeeds(option.end):
            continue
        there = replace(plan, position=plan.position.step(option))
        yield plan, option, there
        yield from stepping(there, depth - 1) if depth else ()


@pytest.mark.parametrize(("seed", "row"), [(2, 7), (16, 2), (39, 6)])
def test_what_a_step_brings_nearer_takes_less_after_it(seed, row):
    """A way shown ends where it first succeeds; a step towards its destination may miss that."""
    dice = np.random.default_rng(seed)
    m = int(dice.integers(3, 5))
    people = pd.DataFrame(dice.integers(0, 5, (60, m)).astype(float), columns=list("abcd")[:m])
    score = people.to_numpy() @ dice.normal(size=m) + dice.normal(size=60) * 1.5
    score += (people["a"] * people["b"] / 3).to_numpy()
    granted = (score > np.quantile(score, 0.6)).astype(int)
    model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5, random_state=0)
    model.fit(people, granted)
    settings = {"steps": "actions", "n_counterfactuals": 7, "plausibility": 1.0, "margin": 0.0}
    explainer = FACElift(model, **settings).fit(people)
    person = people[model.predict(people) == 0].iloc[[row]]
    n_nearer = 0
    for plan, option, there in stepping(Guide(explainer.explain(person, 1)).plan(Walk()), 2):
        before, after = (
            {n.key: w.cost for n, w in zip(p.lines, p.ways, strict=True)} for p in (plan, there)
        )
        for b in plan.open:
            key = plan.names[b].key
            if option.effects[b] == "nearer" and key in after:
                n_nearer += 1
                assert after[key] < before[key]
    assert n_nearer


@pytest.mark.parametrize("row", [63, 72, 90])
def test_what_all_ways_need_is_needed_by_the_steps_offered(row):
    """Through a field the lines bend, while a step may lead straight to an end."""
    points = moons(200).points

    def model(places):
        chance = 1 / (1 + np.exp(-12 * (places[:, 0] - 0.9)))
        return np.column_stack([1 - chance, chance])

    explainer = FACElift(model, steps="field", edge_cost=power(3), n_counterfactuals=3)
    multiverse = explainer.fit(points).explain(points[row], target=1)
    plan = Guide(multiverse).plan(Walk())
    straight = [option.end for option in plan.options if plan.succeeds(option.end)]
    assert straight
    assert plan.resilience.needs
    for end in straight:
        for need in plan.resilience.needs:
            value = plan.values[end][need.feature]
            assert value >= need.value if need.kind == "at least" else value <= need.value
