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


def test_settings_count_the_people_at_each_value(guide, people):
    settings = document(guide, Walk()).settings
    by_name = {each.name: each for each in (*settings.settings, *settings.facts)}
    for level, count in zip(by_name["town"].levels, by_name["town"].people, strict=True):
        assert count == (people["town"] == level).sum()
    assert sum(by_name["income"].people) == len(people)
    assert len(by_name["income"].people) > 10
