"""The way walked, told where it ends."""

from __future__ import annotations

from dataclasses import replace

from facelift.language import language_of, told
from facelift.views.page import Document, document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import SetLimits, Take, Walk


def walked(guide) -> list[Document]:
    """The documents of a walk along the first card, until it is over."""
    shown = [document(guide, Walk())]
    while shown[-1].cards.recommended is not None:
        last = shown[-1]
        shown.append(document(guide, last.walk, Take(last.cards.recommended)))
    return shown


def test_the_way_walked_is_drawn_step_by_step_once_somebody_is_there(guide):
    *before, last = walked(guide)
    assert all(shown.arrival is None for shown in before)
    assert last.state == "arrived"
    assert last.arrival is not None
    assert len(last.arrival.map.labels) == len(before) == len(last.history)
    assert len(last.arrival.map.ends) == 1
    assert last.arrival.map.you.caption == "start"


def test_what_it_took_is_what_happened(guide):
    last = walked(guide)[-1]
    took = dict(last.arrival.took)
    assert took["steps"] == str(len(last.history))
    names = {change.name for event in last.history for change in event.changes}
    assert int(took["things changed"].split()[0]) <= len(names)
    assert last.arrival.chances[0] in last.history[0].outlook
    assert last.arrival.chances[-1] in last.header.outlook
    assert len(last.arrival.figures) == len(last.history) + 1
    assert last.arrival.figures[0] < last.arrival.decides[0] <= last.arrival.figures[-1]


def test_whether_it_lasts_is_said_of_people_most_alike(guide):
    last = walked(guide)[-1]
    assert "most like you now" in last.arrival.lasts


def test_what_decides_is_told_in_the_language_of_the_page(guide):
    german = told(walked(guide)[-1].arrival, language_of("de"))
    assert "entscheiden" in german.terms


def test_nothing_says_how_close_one_can_get(guide):
    limits = Limits({"income": "never", "employed": "never"}, chance=0.999)
    none = document(guide, Walk(), SetLimits(limits))
    assert none.state == "none"
    assert none.nothing.closest
    assert none.header.chance < none.nothing.best < 0.999
    assert "situations you could get to were checked" in none.nothing.text
    words = [each.words for each in none.nothing.loosen]
    assert "Let “Income” change" in words
    assert "Accept a chance of 52%" in words


def test_nobody_is_asked_to_be_somebody_else(guide, people):
    case = people.iloc[[3]]
    rules = guide.explainer.terrain_.personal("town")
    other = Guide(guide.explainer.under(rules).explain(case, "granted"))
    limits = Limits({"income": "never", "employed": "never"}, chance=0.999)
    none = document(other, Walk(), SetLimits(limits))
    assert none.nothing.text.endswith(" Who you are stays as it is: Town.")
    assert not any("Town" in each.words for each in none.nothing.loosen)


def test_without_enough_time_the_quickest_way_is_named_and_more_time_offered(guide):
    rates = guide.explainer.terrain_
    for name in ("income", "debts", "savings"):
        rates = rates.rate(name, 1, per="month")
    case = rates.to_pandas(guide.multiverse[0].waypoints[:1])
    hurried = Guide(guide.explainer.under(rates).explain(case, "granted"))
    limits = Limits(dict.fromkeys(["housing", "employed"], "never"))
    unhurried = document(hurried, Walk(), SetLimits(limits))
    assert unhurried.ways
    none = document(hurried, unhurried.walk, SetLimits(replace(limits, deadline=1.0)))
    assert "Within 1 month there is no way; the quickest found takes" in none.nothing.text
    assert "Take as long as it takes" in [each.words for each in none.nothing.loosen]
    assert all("and you have 1 month" in each.words for each in none.badges)
