"""Trying values: what would be is what will be, and nothing of it is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from facelift.errors import FaceliftError
from facelift.views.page import document
from facelift.views.trying import compared, trial
from facelift.walking.limits import Limits
from facelift.walking.walk import Other, SetLimits, Walk


def a_way_out(guide):
    """The value of one column that a way ends at."""
    plan = guide.plan(Walk())
    name, _, after = plan.changes(*plan.ways[0].vertices[[0, -1]].tolist())[0]
    return {name: after}


def test_what_is_tried_is_what_would_be(guide):
    values = a_way_out(guide)
    told = trial(guide, Walk(), Other(values), ways=True)
    there = document(guide, Walk(), Other(values))
    assert told.document.ways == there.ways
    assert told.figure == there.header.chance
    assert told.outlook in told.words[0]
    assert told.document.walk.past[-1].kind == "other"
    assert trial(guide, Walk(), Other(values)).document is None


def test_ways_keep_their_letters_when_something_beside_them_is_different(guide):
    now = document(guide, Walk())
    other = {"Aarau": "Bern", "Bern": "Aarau"}[guide.plan(Walk()).row["town"]]
    told = trial(guide, Walk(), Other({"town": other}, correction=True), ways=True)
    words = {way.letter: list(map(str, way.changes)) for way in told.document.ways}
    assert words == {way.letter: list(map(str, way.changes)) for way in now.ways}
    assert not any("new" in sentence for sentence in told.words)


def test_the_value_of_now_changes_nothing(guide):
    income = guide.plan(Walk()).row["income"]
    told = trial(guide, Walk(), Other({"income": income}), ways=True)
    assert told.words == ("This is how it is now.",)
    assert told.figure == document(guide, Walk()).header.chance
    assert told.document is None


def test_a_way_whose_step_is_tried_gets_shorter(guide):
    ways = document(guide, Walk()).ways
    longest = max(ways, key=lambda way: len(way.steps))
    assert len(longest.steps) > 1
    name, _, after = guide.plan(Walk()).changes(
        *guide.plan(Walk()).ways[ways.index(longest)].in_steps.vertices[:2].tolist()
    )[0]
    told = trial(guide, Walk(), Other({name: after}), ways=True)
    assert told.reached or any("fewer steps" in sentence for sentence in told.words)


def test_a_value_that_cannot_be_is_one_clear_line(guide):
    with pytest.raises(FaceliftError, match="income"):
        trial(guide, Walk(), Other({"income": "much"}))


def test_a_fact_put_right_is_told_as_such(guide):
    town = next(fact for fact in document(guide, Walk()).settings.facts if fact.name == "town")
    other = next(level for level in town.levels if level != town.value)
    shown = document(guide, Walk(), Other({"town": other}, correction=True))
    assert shown.history[-1].kind == "correction"
    assert [fact.value for fact in shown.settings.facts if fact.name == "town"] == [other]


def test_what_decides_is_not_called_enough_for_who_aims_higher(guide):
    richer = [Other({"income": float(income)}) for income in range(30, 100, 2)]
    rich = next(each for each in richer if 0.55 < trial(guide, Walk(), each).figure < 0.9)
    high = guide.moved(Walk(), SetLimits(Limits(chance=0.95)))
    told = trial(guide, high, rich, ways=True)
    assert told.reached
    assert "enough" not in " ".join(told.words)
    assert told.words[1].startswith("That decides it (50%), but is below the ")
    there = document(guide, high, rich)
    assert there.state != "arrived"
    assert not any("only just" in note for note in there.notes)
    assert any("50% decides. You aim at" in note for note in there.notes)


def test_ways_that_change_alike_are_told_together(guide):
    ways = document(guide, Walk()).ways[:4]
    less = [replace(way, effort=way.effort - 0.18) for way in ways[:3]]
    assert compared(ways, [*less, replace(ways[3], effort=ways[3].effort + 0.5)]) == [
        f"Ways A, B and C would take less effort (A: {less[0].effort:.2f} instead of "
        f"{ways[0].effort:.2f}).",
        f"Way D would take more effort ({ways[3].effort + 0.5:.2f} instead of "
        f"{ways[3].effort:.2f}).",
    ]
