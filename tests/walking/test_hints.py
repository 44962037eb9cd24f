"""What would help where nothing leads there: limits to loosen, and what that opens."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift
from facelift.multiverse.words import name_words
from facelift.walking.guide import Guide
from facelift.walking.hints import loosenings, opened
from facelift.walking.limits import Limits
from facelift.walking.walk import SetLimits, Walk


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
    freed = [each.words for each in some if each.kind == "let change"]
    assert freed == [f"Let “{name_words(name)}” change" for name in names]
    found = {}
    for each in some:
        promised = opened(guide, walk, each.limits)
        plan = guide.plan(guide.moved(walk, SetLimits(each.limits)))
        assert promised.n_ways == len(plan.ways)
        found[each.words] = promised.n_ways
    assert found["Lift all your limits at once"] == 5
    assert found["Let “Town” change"] == 0
    assert found["Let “Income” change"] > 0


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


def test_who_has_not_searched_for_long_is_offered_to_search_longer(lending):
    hurried = FACElift(lending.model, steps="actions", patience=1, max_states=1).fit(lending.X)
    poor = lending.X.iloc[[int(np.argmin(lending.chances()))]]
    guide, walk = Guide(hurried.explain(poor, "granted")), Walk()
    assert not guide.plan(walk).ways
    first = loosenings(guide, walk)[0]
    assert (first.kind, first.limits) == ("longer", Limits(patience="thorough"))
    assert opened(guide, walk, first.limits).n_ways > 0
    longer = guide.moved(walk, SetLimits(first.limits))
    assert "longer" not in [each.kind for each in loosenings(guide, longer)]
