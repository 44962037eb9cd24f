"""Reports and receipts, with values and without."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift, Terrain
from facelift.errors import InvalidInput
from facelift.views.page import document, to_json
from facelift.views.report import exported, way_letter, way_plan
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Other, SetLimits, Take, Walk


def test_a_report_holds_what_steps_lead_to(guide):
    text = exported(guide, Walk(), "html")[0].decode()
    told = json.loads(text.partition('id="told">')[2].partition("</script>")[0])
    first = told["first"]["cards"]["cards"][0]["vertex"]
    expected = json.loads(to_json(document(guide, Walk(), Take(first))))
    assert told["answers"][str(first)]["ways"] == expected["ways"]
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_words_from_a_table_cannot_end_the_report(lending, people):
    odd = people.rename(columns={"town": "</script><b>town"})
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=2).fit(odd)
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(explainer.explain(odd.iloc[[row]], "granted"), title="<i>Ada")
    text = exported(guide, Walk(), "html")[0].decode()
    assert text.count("</script>") == 2
    assert "<b>town" not in text
    assert "<i>Ada" not in text


def test_a_receipt_tells_model_data_rules_and_limits(guide):
    limits = Limits({"debts": "never"})
    told = json.loads(exported(guide, Walk(limits), "json")[0])["receipt"]
    assert told["limits"] == {"ease": {"debts": "never"}}
    assert told["model"].startswith("Lender ")
    assert 'change = "never"' in told["rules"]
    assert told["goal"] == "granted"
    assert told["n_records"] == 160
    again = json.loads(exported(guide, Walk(limits), "json")[0])["receipt"]
    assert (told["data"], told["model"]) == (again["data"], again["model"])


def test_a_receipt_names_facts_put_right(guide):
    other = {"Aarau": "Bern", "Bern": "Aarau"}[guide.plan(Walk()).row["town"]]
    walk = guide.moved(Walk(), Other({"town": other}, correction=True))
    assert f"→ {other}" in json.loads(exported(guide, walk, "json")[0])["receipt"]["corrected"]
    assert "Facts put right by the person" in exported(guide, walk, "html")[0].decode()
    assert "Facts put right" not in exported(guide, Walk(), "html")[0].decode()


@pytest.mark.parametrize("kind", ["json", "html", "svg"])
def test_without_values_nobody_can_be_told_from_an_export(guide, kind):
    income = str(guide.plan(Walk()).row["income"])
    walk = guide.moved(Walk(), Other({"debts": 3}))
    with_values = exported(guide, walk, kind)[0].decode()
    without = exported(guide, walk, kind, values=False)[0].decode()
    assert income not in without
    assert "Ada" not in without
    assert "Ada" in with_values


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


def test_getting_older_while_one_waits_is_nothing_that_fails():
    """A plan said that no way does without a step, of ways on which one ages as on this one."""
    rng = np.random.default_rng(3)
    values = {name: rng.integers(0, 6, 200) for name in ("income", "savings")}
    table = pd.DataFrame(values | {"age": rng.integers(20, 60, 200)})
    terrain = Terrain.infer(table).ages("age", per="year")
    for name in values:
        terrain = terrain.rate(name, 1.0, per="year")
    enough = lambda rows: np.eye(2)[rows[["income", "savings"]].max(axis=1).ge(4).astype(int)]  # noqa: E731
    explainer = FACElift(enough, terrain, steps="actions", n_counterfactuals=4).fit(table)
    guide = Guide(explainer.explain(pd.DataFrame({"income": [1], "savings": [1], "age": [30]}), 1))
    ways = document(guide, Walk()).ways
    assert sorted(change.name for way in ways for change in way.changes) == ["Income", "Savings"]
    for way, other in (ways, ways[::-1]):
        told = way_plan(guide, Walk(), way.letter).stages[0]
        assert "Age" in told.words
        assert told.if_fails.startswith(f"If this falls through, go on to way {other.letter}")


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
