"""What would help where nothing leads there: limits to loosen, and what that opens."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift
from facelift.walking import Guide, Limits, SetLimits, Walk
from facelift.walking.hints import loosenings, opened


@pytest.fixture(scope="module")
def guide(lending, people):
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=5).fit(people)
    row = int(np.argsort(lending.chances())[20])
    return Guide(explainer.explain(people.iloc[[row]], "granted"), title="Ada")


def test_what_loosening_opens_is_what_one_then_finds(guide):
    names = [str(feature.name) for feature in guide.explainer.terrain_.features]
    walk = guide.moved(Walk(), SetLimits(Limits(dict.fromkeys(names, "never"))))
    assert not guide.plan(walk).ways
    some = loosenings(guide, walk)
    assert [each.subject for each in some if each.kind == "let change"] == names
    found = {}
    for each in some:
        promised = opened(guide, walk, each.limits)
        plan = guide.plan(guide.moved(walk, SetLimits(each.limits)))
        assert promised.n_ways == len(plan.ways)
        found[each.kind, each.subject] = promised.n_ways
    assert found["all", ""] == 5
    assert found["let change", "town"] == 0
    assert found["let change", "income"] > 0


def test_rules_of_the_terrain_are_offered_and_open_what_they_promise(lending):
    terrain = lending.explainer.terrain_.freeze("income", "debts", "savings", "housing")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=3)
    explainer.fit(lending.X)
    poor = lending.X.iloc[[int(np.argmin(lending.chances()))]]
    guide = Guide(explainer.explain(poor, "granted"))
    walk = Walk()
    assert not guide.plan(walk).ways
    offered = [each for each in loosenings(guide, walk) if each.kind == "rules"]
    assert offered
    for each in offered:
        assert each.limits.lifted
        plan = guide.plan(guide.moved(walk, SetLimits(each.limits)))
        assert len(plan.ways) == opened(guide, walk, each.limits).n_ways > 0


def test_what_a_person_never_changes_is_freed_before_any_rule_is_lifted(guide):
    names = [str(feature.name) for feature in guide.explainer.terrain_.features]
    walk = guide.moved(Walk(), SetLimits(Limits(dict.fromkeys(names, "never"))))
    for each in loosenings(guide, walk):
        if each.kind == "rules":
            assert each.limits.lifted == ()
            assert opened(guide, walk, each.limits).n_ways > 0
