"""Where no way leads there: how close one can get."""

from __future__ import annotations

from dataclasses import replace

from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import SetLimits, Walk


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
