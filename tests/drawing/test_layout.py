"""The map as coordinates: shared steps run together, nothing crosses, and it stays put."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift.drawing.layout import LEFT, _fitted_values, layout
from facelift.drawing.parts import Leg, Line


def line(letter: str, *vertices: int, effort: float = 0.5) -> Line:
    legs = tuple(Leg(v, effort, f"thing {v}", f"→ {v}", f"thing {v}: now → {v}") for v in vertices)
    return Line(letter, ord(letter) % 7, legs, "there", "note", f"Way {letter}")


routes = st.lists(
    st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple),
    min_size=1,
    max_size=7,
    unique=True,
)


def lines_of(found: list[tuple[int, ...]], effort: float = 0.5) -> list[Line]:
    """Lines along routes in a tree: a vertex is named by how one got there."""
    numbers: dict[tuple[int, ...], int] = {}
    made = []
    for letter, route in zip("ABCDEFG", found, strict=False):
        prefixes = [route[: i + 1] for i in range(len(route))]
        vertices = [numbers.setdefault(prefix, len(numbers)) for prefix in prefixes]
        made.append(line(letter, *vertices, effort=effort))
    return made


def height(path: str, x: float) -> float | None:
    """Where a stroke is at some x, on its level part."""
    numbers = [float(each) for each in re.findall(r"-?\d+\.?\d*", path)]
    level_from = numbers[-3] if "C" in path else numbers[0]
    return numbers[-2] if level_from <= x <= numbers[-1] else None


def test_shared_steps_run_together_until_the_fork():
    drawn = layout([line("A", 1, 2), line("B", 1, 3), line("C", 4)])
    first = [stroke for stroke in drawn.strokes if stroke.letter in "AB"][:2]
    assert {stroke.letter for stroke in first} == {"A", "B"}
    forks = [station for station in drawn.stations if station.fork]
    assert [fork.letters for fork in forks] == ["A B"]
    assert forks[0].x == pytest.approx(LEFT + (drawn.ends[0].x - LEFT) / 2, abs=0.1)


@given(routes)
def test_every_way_has_one_end_and_a_row_of_its_own(found):
    drawn = layout(lines_of(found))
    assert sorted(end.letter for end in drawn.ends) == list("ABCDEFG")[: len(found)]
    heights = [end.y for end in drawn.ends]
    assert all(abs(a - b) > 20 for a, b in combinations(heights, 2))
    assert all(0 < end.y < drawn.height for end in drawn.ends)


@given(routes, st.sampled_from(["effort", "steps"]))
def test_lines_never_cross(found, scale):
    drawn = layout(lines_of(found), scale=scale)
    rows = {end.letter: end.y for end in drawn.ends}
    level = [(stroke.letter, stroke.path) for stroke in drawn.strokes]
    for (one, first), (two, second) in combinations(level, 2):
        if one == two:
            continue
        for x in (LEFT + 60 * i for i in range(12)):
            above, below = height(first, x), height(second, x)
            if above is not None and below is not None and abs(above - below) > 0.2:
                assert (above < below) == (rows[one] < rows[two])


@given(routes, st.permutations("ABCDEFG"))
def test_the_order_of_the_map_before_is_kept_where_the_tree_allows(found, order):
    lines = lines_of(found)
    again = layout(lines, order=[end.letter for end in layout(lines, order=order).ends])
    assert [e.letter for e in again.ends] == [e.letter for e in layout(lines, order=order).ends]
    apart = [line(letter, number) for number, letter in enumerate("ABCDEFG")]
    assert [end.letter for end in layout(apart, order=order).ends] == list(order)


def test_a_way_that_closes_leaves_the_others_in_their_order():
    lines = [line(letter, number) for number, letter in enumerate("ABCDEFG")]
    before = [end.letter for end in layout(lines, order="DCBAGFE").ends]
    after = [end.letter for end in layout(lines[:2] + lines[4:], order=before).ends]
    assert after == [letter for letter in before if letter not in "CD"]


def test_across_is_effort_and_the_scale_says_so():
    drawn = layout([line("A", 1, effort=0.4), line("B", 2, effort=0.8)])
    xs = {end.letter: end.x for end in drawn.ends}
    assert (xs["A"] - LEFT) * 2 == pytest.approx(xs["B"] - LEFT, abs=0.2)
    marks = {tick.label: tick.x for tick in drawn.ticks}
    assert marks["+0.4"] == pytest.approx(xs["A"], abs=0.2)


def test_by_steps_every_step_is_as_wide():
    drawn = layout([line("A", 1, 2, effort=0.01), line("B", 3, effort=5.0)], scale="steps")
    xs = {end.letter: end.x for end in drawn.ends}
    assert (xs["B"] - LEFT) * 2 == pytest.approx(xs["A"] - LEFT, abs=0.2)


def test_a_destination_on_the_way_to_another_has_its_own_end():
    drawn = layout([line("A", 1), line("B", 1, 2)])
    assert len({end.y for end in drawn.ends}) == 2
    assert [station.fork for station in drawn.stations] == [True, False]


def test_steps_on_the_same_thing_share_a_label_and_others_do_not():
    legs = [Leg(i, 0.5, "Duration", f"→ {v}", f"Duration → {v}") for i, v in enumerate((18, 12), 1)]
    drawn = layout([Line("A", 0, tuple(legs), "", "", "")])
    assert [(label.name, label.value) for label in drawn.labels] == [("Duration", "→ 18 → 12")]
    closing = [legs[0], Leg(2, 0.5, "Duration", "→ 12", "", closes="B")]
    assert len(layout([Line("A", 0, tuple(closing), "", "", "")]).labels) == 2


def test_labels_are_cut_to_the_room_there_is_and_told_in_full():
    tight = [line("A", 1, effort=0.02), line("B", 2, effort=3.0)]
    cut, whole = (label for label in layout(tight).labels)
    assert cut.name == ""
    assert cut.words == "thing 1: now → 1"
    assert whole.name == "thing 2"


@pytest.mark.parametrize(
    ("values", "room", "shown"),
    [
        (["→ 18", "→ 12"], 11, "→ 18 → 12"),
        (["→ 18", "→ 12"], 6, "→ 12"),
        (["→ 2500"], 5, ""),
        (["→ 100 to 500 DM"], 9, ""),
        (["→ real estate"], 9, "→ real e…"),
    ],
)
def test_a_number_is_shown_whole_or_not_at_all(values, room, shown):
    assert _fitted_values(values, room) == shown


@pytest.mark.parametrize("scale", ["effort", "steps"])
def test_steps_that_cost_nothing_can_be_drawn(scale):
    drawn = layout([line("A", 1, effort=0.0), line("B", 2, effort=0.0)], scale=scale)
    assert len(drawn.ends) == 2


def test_pictures_stand_at_every_station():
    legs = tuple(Leg(i, 1.0, "", "", "", picture=f"data:{i}", caption="8 · 99%") for i in (1, 2))
    you = Leg(-1, 0.0, "", "", "", picture="data:0")
    drawn = layout([Line("A", 0, legs, "8", "effort 2", "")], scale="steps", you=you)
    assert [station.picture for station in drawn.stations] == ["data:1", "data:2"]
    assert drawn.you.picture == "data:0"
    assert not drawn.labels
