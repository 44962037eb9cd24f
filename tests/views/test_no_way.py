"""Where no way leads there: how close one can get."""

from __future__ import annotations

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
