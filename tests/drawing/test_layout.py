"""The map as coordinates: shared steps run together, nothing crosses, and it stays put."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift.drawing import NAME, VALUE, Leg, Line, Map, width
from facelift.drawing.layout import LEFT, NARROW, WIDTH, layout, upright


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


times = st.lists(st.sampled_from([0.0, 0.0, 0.5, 3.0, 36.0]), min_size=1, max_size=9)


def timed(lines: list[Line], delays: list[float]) -> list[Line]:
    """The same lines; every step of them takes some time, or none."""
    made = []
    for each in lines:
        at = list(accumulate(delays[leg.vertex % len(delays)] for leg in each.legs))
        legs = (replace(leg, time=time) for leg, time in zip(each.legs, at, strict=True))
        made.append(replace(each, legs=tuple(legs)))
    return made


def height(path: str, x: float) -> float | None:
    """Where a stroke is at some x, on its level part."""
    numbers = [float(each) for each in re.findall(r"-?\d+\.?\d*", path)]
    level_from = numbers[-3] if "C" in path else numbers[0]
    return numbers[-2] if level_from <= x <= numbers[-1] else None


def test_shared_steps_run_together_until_the_fork():
    drawn = layout([line("A", 1, 2), line("B", 1, 3), line("C", 4)], scale="effort")
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


@given(routes, times, st.sampled_from(["effort", "steps", "time"]))
def test_lines_never_cross(found, delays, scale):
    drawn = layout(timed(lines_of(found), delays), scale=scale)
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
    drawn = layout([line("A", 1, effort=0.4), line("B", 2, effort=0.8)], scale="effort")
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


def boxes(drawn: Map) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of every line of words, and of every end."""
    found = []
    for text in [text for part in (*drawn.labels, *drawn.ends) for text in part.texts]:
        bold = text.role == "name"
        wide = width(text.words, NAME if bold else VALUE, bold=bold)
        found.append((text.x, text.y - 10, text.x + wide, text.y + 3))
    return found + [(end.x - 11, end.y - 11, end.x + 11, end.y + 11) for end in drawn.ends]


def overlapping(drawn: Map) -> list[tuple[float, ...]]:
    """Pairs of words that are printed over each other, and words that stick out."""
    found: list[tuple[float, ...]] = [
        a + b
        for a, b in combinations(boxes(drawn), 2)
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]
    return found + [
        box
        for box in boxes(drawn)
        if box[0] < 0 or box[1] < 0 or box[2] > drawn.width or box[3] > drawn.height
    ]


NAMES = ("Savings", "Duration of the loan", "NetFractionRevolvingBurden", "Most recent inquiry")
VALUES = ("→ 1", "→ management or self-employed", "→ 100 to 500 DM", "→ Married-civ-spouse")


def told(found: list[tuple[int, ...]], efforts: list[float]) -> list[Line]:
    """Lines with words as they are on real maps, and any efforts."""
    return [
        replace(
            each,
            legs=tuple(
                replace(
                    leg,
                    name=NAMES[leg.vertex % 4],
                    value=VALUES[leg.vertex % 3],
                    effort=efforts[leg.vertex % len(efforts)],
                )
                for leg in each.legs
            ),
            caption="no reoffence expected, 55%",
            note="about 3 years · medium effort · +2 similar",
        )
        for each in lines_of(found)
    ]


efforts = st.lists(st.floats(0.001, 3), min_size=3, max_size=9)


@given(routes, efforts, times, st.sampled_from(["effort", "steps", "time"]))
def test_no_words_are_printed_over_others_or_stick_out(found, prices, delays, scale):
    assert overlapping(layout(timed(told(found, prices), delays), scale=scale)) == []


@given(routes, times)
def test_by_time_whatever_is_later_stands_farther_right(found, delays):
    lines = timed(lines_of(found), delays)
    drawn = layout(lines, scale="time")
    when = {" ".join(leg.words.split()): leg.time for line in lines for leg in line.legs}
    stops = [(when[station.words], station.x) for station in drawn.stations]
    assert all(a[1] < b[1] for a in stops for b in stops if a[0] < b[0])
    latest = max(when.values())
    for tick in drawn.ticks[1:] if latest else ():
        assert all(x <= tick.x + 0.1 for time, x in stops if time < tick.amount)
        assert all(x >= tick.x - 0.1 for time, x in stops if time >= tick.amount)
    marks = [tick.x for tick in drawn.ticks]
    assert all(after - before >= 40 for before, after in pairwise(marks))


@given(routes, efforts, st.sampled_from(["effort", "steps"]))
def test_every_step_has_its_words_whole_or_a_number_told_below(found, prices, scale):
    drawn = layout(told(found, prices), scale=scale)
    for label in drawn.labels:
        shown = [text.words for text in label.texts]
        if label.number is not None:
            assert shown == [str(label.number)]
            assert scale == "effort"
        else:
            names = "".join(text.words for text in label.texts if text.role == "name")
            values = "".join(text.words for text in label.texts if text.role == "value")
            assert names.replace(" ", "") == label.name.replace(" ", "")
            assert values.replace(" ", "") == label.value.replace(" ", "")
    numbers = [label.number for label in drawn.numbered]
    assert numbers == list(range(1, len(numbers) + 1))


def test_columns_are_as_wide_as_their_words_need_and_no_map_is_narrower_than_the_rest():
    few = layout([line("A", 1)])
    many = layout([line("A", *range(9))])
    assert few.width == pytest.approx(WIDTH, abs=4)
    assert many.width > WIDTH


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


def test_ways_that_meet_again_are_tied_where_they_do():
    drawn = layout([line("A", 1, 3, 4), line("B", 2, 3, 5)])
    (tie,) = drawn.meetings
    assert tie.letters == "A B"
    met = sorted(each.y for each in drawn.stations if each.words.startswith("thing 3"))
    ends = [each.split() for each in tie.path[1:].split("L")]
    assert [float(y) for _, y in ends] == met


def test_ways_that_part_for_good_are_not_tied():
    assert layout([line("A", 1, 3), line("B", 1, 4)]).meetings == ()


@given(routes)
def test_no_words_upright_are_printed_over_others_or_stick_out(found):
    drawn = upright(lines_of(found))
    assert overlapping(drawn) == []
    assert drawn.width == NARROW
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
