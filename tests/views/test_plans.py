"""Ways as plans: their days, what to do if a step falls through, and letters about them."""

from __future__ import annotations

import pytest

from facelift import FACElift, Terrain
from facelift.errors import InvalidInput
from facelift.views.page import document
from facelift.views.plans import way_letter, way_plan
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import SetLimits, Take, Walk


def test_a_plan_has_the_steps_of_its_way(guide):
    for way in document(guide, Walk()).ways:
        told = way_plan(guide, Walk(), way.letter)
        assert [stage.words for stage in told.stages] == [step.words for step in way.steps]
        assert (told.outlook, told.effort, told.days) == (way.outlook, way.effort, 0.0)
        assert "one step in ten" in told.advice


def test_a_step_that_takes_time_has_its_day(lending, people):
    terrain = Terrain.infer(people).rate("income", 2.0, per="month").freeze("town")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(people)
    row = lending.chances().argsort()[20]
    guide = Guide(explainer.explain(people.iloc[[row]], "granted"))
    plans = [way_plan(guide, Walk(), way.letter) for way in document(guide, Walk()).ways]
    slow = [plan for plan in plans if any("Income" in stage.words for stage in plan.stages)]
    assert slow
    for plan in slow:
        days = [stage.days for stage in plan.stages]
        assert days == sorted(days)
        assert plan.days == days[-1] > 25
        assert plan.time


def test_who_falls_back_needs_nothing_that_failed(guide):
    ways = {way.letter: way for way in document(guide, Walk()).ways}
    said = 0
    for way in ways.values():
        for step, stage in zip(way.steps, way_plan(guide, Walk(), way.letter).stages, strict=True):
            if "go on to way" not in stage.if_fails:
                continue
            said += 1
            other = ways[stage.if_fails.partition("go on to way ")[2][0]]
            failed = {change.name for change in step.changes}
            done = {c.name for s in way.steps[: way.steps.index(step)] for c in s.changes}
            assert not (failed - done) & {change.name for change in other.changes}
    assert said


def test_without_another_way_the_plan_says_so(guide):
    only = document(guide, Walk()).ways[0]
    names = {each.name for each in document(guide, Walk()).settings.settings}
    labels = {each.label: each.name for each in document(guide, Walk()).settings.settings}
    used = {labels[change.name] for change in only.changes}
    limits = Limits(ease=dict.fromkeys(names - used, "never"))
    shown = document(guide, Walk(), SetLimits(limits))
    told = [way_plan(guide, shown.walk, way.letter) for way in shown.ways]
    sentences = [stage.if_fails for plan in told for stage in plan.stages]
    assert any("look again then" in sentence for sentence in sentences)


def test_a_letter_is_about_the_way_from_where_one_stands(guide):
    first = document(guide, Walk())
    step = next(card for card in first.cards.cards if not card.arrives)
    after = document(guide, Walk(), Take(step.vertex))
    assert after.ways
    for language, word in (("en", "Dear"), ("de", "Sehr geehrte")):
        html = way_letter(guide, after.walk, after.ways[0].letter, language)
        assert f'<html lang="{language}">' in html
        assert word in html


def test_a_way_that_is_not_there_is_one_clear_line(guide):
    with pytest.raises(InvalidInput, match="no way Q"):
        way_plan(guide, Walk(), "Q")
