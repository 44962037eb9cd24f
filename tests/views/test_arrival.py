"""The way walked, told where it ends."""

from __future__ import annotations

from facelift.language import language_of, told
from facelift.views.page import Document, document
from facelift.walking.walk import Take, Walk


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


def test_whether_it_lasts_is_said_of_people_most_alike(guide):
    last = walked(guide)[-1]
    assert "most like you now" in last.arrival.lasts


def test_what_decides_is_told_in_the_language_of_the_page(guide):
    german = told(walked(guide)[-1].arrival, language_of("de"))
    assert "entscheiden" in german.terms
