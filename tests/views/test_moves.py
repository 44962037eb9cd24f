"""How a way stands that was shown before: nothing is called impossible that is not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift, Terrain
from facelift.views.moves import NOT_FOUND, Standing, standing
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Name, Other, SetLimits, Take, Walk


@pytest.fixture
def stepped(guide):
    """The first screen, and the plan after a step that does not arrive."""
    start = document(guide, Walk())
    card = next(card for card in start.cards.cards if not card.arrives)
    return start, guide.planned(guide.moved(start.walk, Take(card.vertex)))


def test_a_way_that_no_search_listed_is_not_called_impossible(guide, stepped):
    start, plan = stepped
    income = guide.case_row["income"] + 40
    name = Name("Z", json.dumps({"income": income}))
    other = {each.key for each in start.walk.names}
    assert name.key not in other
    stands = standing(replace(plan, walk=replace(plan.walk, names=(name,))), name)
    assert (stands.status, stands.reason) == ("gone", NOT_FOUND)
    assert "possible" not in stands.reason


def test_a_way_that_leaves_a_column_alone_undoes_nothing(guide, stepped):
    _, plan = stepped
    ((changed, *_),) = plan.walk.past[-1].changes
    others = {"income": guide.case_row["income"] + 40, "debts": 0}
    others.pop(changed, None)
    name = Name("Z", json.dumps(others))
    assert "undo" not in standing(plan, name).reason


def test_a_way_whose_rest_is_that_of_another_is_the_same_way(guide):
    start = document(guide, Walk())
    plans = [guide.planned(guide.moved(start.walk, Take(c.vertex))) for c in start.cards.cards]
    plan, other, end = next(
        (plan, name, end)
        for plan in plans
        for name in plan.lines
        if (end := json.loads(name.key)).items() & plan.row.items() and len(end) > 1
    )
    rest = dict(end.items() - plan.row.items())
    assert standing(plan, Name("Z", json.dumps(rest))).reason == (
        f"now the same way as {other.letter}"
    )
    more = {**rest, "income": guide.case_row["income"] + 77}
    assert standing(plan, Name("Y", json.dumps(more))).reason.startswith("not needed beside ")


def test_a_way_back_is_said_to_undo_unless_that_is_allowed(stepped):
    _, plan = stepped
    ((column, before, _),) = plan.walk.past[-1].changes
    name = Name("Z", json.dumps({column: before}))
    assert "undo" in standing(plan, name).reason
    free = replace(plan, walk=replace(plan.walk, limits=Limits(undo=True)))
    assert "undo" not in standing(free, name).reason


def test_a_limit_that_closes_ways_is_told_once(guide):
    start = document(guide, Walk())
    never = SetLimits(Limits(ease={"debts": "never"}))
    told = document(guide, start.walk, never)
    assert told.banner.startswith("Debts never changes now. ")
    assert "no longer possible." in told.banner
    assert told.banner.count("never") == 1
    gone = [each.words for each in told.badges if each.status == "gone"]
    assert any("you said never to Debts" in words for words in gone)


def test_a_way_that_is_not_enough_says_what_decides(guide):
    start = document(guide, Walk())
    sure = document(guide, start.walk, SetLimits(Limits(chance=0.9)))
    words = [badge.words for badge in sure.badges if "would end at" in badge.words]
    assert words
    assert all("(50% decides; ways end at 90% or more)" in each for each in words)
    name = Name("Z", json.dumps({"debts": guide.case_row["debts"] - 1}))
    plan = guide.planned(replace(start.walk, names=(*start.walk.names, name)))
    usual = standing(plan, name).reason
    assert usual.endswith("(50% decides; ways end at 52% or more)")


def test_a_way_that_also_puts_back_a_fact_is_not_one_that_leaves_it(guide):
    """A fact was corrected, and an open way ends with what it was said to be at first."""
    start = document(guide, Walk())
    corrected = guide.moved(start.walk, Other({"savings": "none"}, correction=True))
    plan = guide.planned(corrected)
    ends = [plan.values[int(way.vertices[-1])] for way in plan.ways]
    back = next(i for i, end in enumerate(ends) if end["savings"] == guide.case_row["savings"])
    rest = json.loads(plan.lines[back].key)
    leaves = Name("Z", json.dumps({**rest, "savings": "none"}))
    assert "savings" not in rest
    assert standing(plan, leaves).status == "gone"


def test_a_way_that_is_another_and_more_is_no_choice():
    """Whoever has done y needs only x 2; the way to x 3 alone goes as far, and farther."""
    grid = pd.DataFrame([(x, y) for x in range(5) for y in range(2)], columns=["x", "y"])

    class Model:
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, table):
            there = (table["x"] >= 3) | ((table["x"] >= 2) & (table["y"] >= 1))
            return np.column_stack([~there, there]).astype(float)

    explainer = FACElift(Model(), Terrain.infer(grid), steps="actions", n_counterfactuals=2)
    guide = Guide(explainer.fit(grid).explain(grid.iloc[[0]], "yes"))
    start = guide.plan(Walk())
    assert len(start.open) == 2
    assert not start.same
    option = next(
        each for each in start.options if start.changes(each.start, each.end)[0][0] == "y"
    )
    walk = guide.moved(Walk(), Take(option.end))
    after = guide.plan(walk)
    assert len(after.open) == 1
    ((folded, kept),) = after.same.items()
    letter = after.names[kept].letter
    assert standing(after, after.names[folded]) == Standing(
        "same", f"not needed beside {letter}, which changes less"
    )
    shown = document(guide, walk)
    assert [way.letter for way in shown.ways] == [letter]
