"""The map from top to bottom: no word over another, no line over another."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from tests.drawing.test_layout import line, lines_of, overlapping, routes

from facelift.drawing.upright import WIDTH, upright


@given(routes)
def test_no_words_are_printed_over_others_or_stick_out(found):
    drawn = upright(lines_of(found))
    assert overlapping(drawn) == []
    assert drawn.width == WIDTH
    assert all(0 < end.y < drawn.height for end in drawn.ends)


@given(routes)
def test_every_step_is_told_once_and_every_way_ends_once(found):
    lines = lines_of(found)
    drawn = upright(lines)
    assert sorted(end.letter for end in drawn.ends) == [each.letter for each in lines]
    shared = {leg.vertex for each in lines for leg in each.legs}
    last = sum(bool(end.texts[0].role == "name") for end in drawn.ends)
    assert len(drawn.labels) + last == len(shared)


def test_what_ends_first_runs_on_the_right_so_that_no_line_crosses():
    drawn = upright([line("A", 1), line("B", 2), line("C", 3)])
    assert [end.letter for end in drawn.ends] == ["A", "B", "C"]
    lanes = [float(stroke.path[1:].split()[0]) for stroke in drawn.strokes]
    assert all(before > after for before, after in pairwise(lanes))


def test_the_bar_of_a_shared_step_lies_over_its_lanes_only():
    drawn = upright([line("A", 1, 2), line("B", 1, 3), line("C", 4)])
    (shared,) = drawn.stations
    lanes = {s.letter: float(s.path[1:].split()[0]) for s in drawn.strokes}
    left, right = shared.x - shared.width / 2, shared.x + shared.width / 2
    assert [letter for letter, x in lanes.items() if left < x < right] == ["A", "B"]
