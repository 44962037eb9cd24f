"""Where no way leads there: how close one can get."""

from __future__ import annotations

from facelift.views.page import document
from facelift.walking import Limits, SetLimits, Walk


def test_nothing_says_how_close_one_can_get(guide):
    limits = Limits({"income": "never", "employed": "never"}, chance=0.999)
    none = document(guide, Walk(), SetLimits(limits))
    assert none.state == "none"
    assert none.nothing.closest
    assert none.header.chance < none.nothing.best < 0.999
    assert "situations you could get to were checked" in none.nothing.text
    words = [each.words for each in none.nothing.loosen]
    assert "Let “Income” change" in words
    assert "Accept a chance of 50%" in words
