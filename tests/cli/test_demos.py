"""The demonstrations show what they are for."""

from __future__ import annotations

from facelift.cli import demos
from facelift.views.cards import cards
from facelift.walking.walk import Walk


def test_the_first_applicant_shows_that_the_biggest_jump_closes_ways_and_the_wisest_does_not():
    plan = demos.german_credit().plan(Walk())
    found = cards(plan)
    by_vertex = {card.vertex: card for card in found.cards}
    shown = [by_vertex[vertex] for vertex in found.rankings["expected"]]
    (wisest,) = [card for card in shown if card.tag == "recommended"]
    (biggest,) = [card for card in shown if card.tag == "biggest jump"]
    assert not wisest.closes
    assert all(pip.effect == "nearer" for pip in wisest.pips)
    assert biggest.closes
    assert biggest.after > wisest.after
