"""What somebody may say about each column."""

from __future__ import annotations

from facelift.views.page import document
from facelift.walking.walk import Walk


def test_limits_list_what_may_change_and_what_is_fixed(guide):
    settings = document(guide, Walk()).settings
    assert settings.fixed == ("Town",)
    savings = next(each for each in settings.settings if each.name == "savings")
    assert savings.direction == "can only rise"
    assert savings.levels == ("none", "low", "high")
    assert savings.ease == "ok"
