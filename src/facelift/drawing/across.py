"""Where places of a map stand from left to right: by steps, by effort, or by time.

And what is written at each step: everything where columns are as wide as their words, else what
there is room for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import floor, inf, log10

from facelift.drawing import VALUE, Leg, Line, Node, Tick, width, wrapped

LEFT, BEND = 46.0, 26.0
WIDTH = 640.0
"""A map is as narrow as this if its words let it; whoever shows it may stretch it."""

ROOMS = (176.0, 150.0, 120.0, 96.0, 80.0)
"""Words on a line are at most this wide, unless a single one is; the first that fits is taken."""

CAPTION = 128.0
"""The same at the ends of lines."""

LONGEST = 2
"""So many lines a name or a value may take where the scale is fixed; then a number stands there."""

SHORTEST = 42.0
"""No step is drawn shorter than the number that may stand for it."""

PICTURE_COLUMN = 116.0

N_TICKS = 5
"""About how many numbers stand below an axis."""

CLEAR, END = 14.0, 18.0
"""From words to the next place; from an end to its words."""

TIME, AT_ONCE, APART = 150.0, 130.0, 60.0
"""At least so much of a map is for time; a step that takes none is at most so wide; and so far
apart are marks of time."""


@dataclass(frozen=True)
class Words:
    """What is written at a step, line by line; nothing where there is no room for it."""

    names: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def wide(self) -> float:
        """How wide the widest line is."""
        names = [width(words) for words in self.names]
        return max([*names, *(width(words, VALUE, bold=False) for words in self.values)], default=0)


def _words(leg: Leg, room: float) -> Words:
    return Words(wrapped(leg.name, room), wrapped(leg.value, room, VALUE, bold=False))


@dataclass(frozen=True, eq=False)
class Across:
    """From left to right: where every place is, and what is written at the step to it."""

    xs: dict[int, float]
    words: dict[int, Words]
    ticks: tuple[Tick, ...]
    top: float

    @property
    def last(self) -> float:
        """The place farthest right."""
        return max(self.xs.values())


def by_steps(root: Node, lines: Sequence[Line], pictures: bool) -> Across:
    """Every step is a column, as wide as what is written in it."""
    nodes = [node for node in root.all() if node.leg is not None]
    words: dict[int, Words] = {}
    if pictures:
        columns = [PICTURE_COLUMN] * max((node.depth for node in nodes), default=1)
    else:
        words, columns = _columns(nodes, WIDTH - LEFT - _tail(lines))
    starts = list(accumulate(columns, initial=LEFT))
    xs = {id(node): starts[node.depth] for node in root.all()}
    names = ["now", "1 step", *(f"{i} steps" for i in range(2, len(starts)))]
    ticks = tuple(Tick(x, name) for x, name in zip(starts, names, strict=False))
    return Across(xs, words, ticks, 34.0)


def _columns(nodes: list[Node], room: float) -> tuple[dict[int, Words], list[float]]:
    """What is written at each step, and how wide columns are: in few lines, if all fits so."""
    words: dict[int, Words] = {}
    columns: list[float] = []
    for most in ROOMS:
        words = {id(node): _words(node.leg, most) for node in nodes if node.leg is not None}
        columns = [
            max(words[id(node)].wide for node in nodes if node.depth == depth) + BEND + CLEAR + 2
            for depth in range(1, max((node.depth for node in nodes), default=0) + 1)
        ]
        if sum(columns) <= room:
            spare = (room - sum(columns)) / max(len(columns), 1)
            return words, [column + spare for column in columns]
    return words, columns


def by_effort(root: Node, lines: Sequence[Line]) -> Across:
    """Farther right is more effort; what has no room is left to a number."""
    most = max(node.effort for node in root.all())
    unit = (WIDTH - LEFT - _tail(lines)) / most
    xs, words = {id(root): LEFT}, {}
    for node in root.all():
        for child in node.children.values():
            start = xs[id(node)]
            xs[id(child)] = max(LEFT + child.effort * unit, start + SHORTEST)
            words[id(child)] = _fitting(child, xs[id(child)] - start)
    gap = round_gap(most / 5)
    marks = [i * gap for i in range(1, floor(most / gap + 1e-9) + 1)]
    ticks = (NOW, *(Tick(LEFT + mark * unit, f"+{mark:.3g}", mark) for mark in marks))
    return Across(xs, words, ticks, 48.0)


NOW = Tick(LEFT, "now")


def _fitting(node: Node, long: float) -> Words:
    """What is written at a step that is so long; nothing where that is too short for it."""
    room = long - BEND - CLEAR - 2
    said = _words(node.leg or Leg(-1, 0.0, "", "", ""), room)
    fits = said.wide <= room and max(len(said.names), len(said.values)) <= LONGEST
    return said if fits else Words((), ())


def by_time(root: Node, lines: Sequence[Line]) -> Across:
    """Farther right is later; steps that take no time follow each other at their moment.

    Every moment has room for as many of those as any way takes then, so whatever is later stands
    farther right.
    """
    ranks, most = {id(root): 0}, dict[float, int]()
    for node in root.all():
        most[node.time] = max(most.get(node.time, 0), ranks[id(node)])
        for child in node.children.values():
            ranks[id(child)] = ranks[id(node)] + 1 if child.time == node.time else 0
    room = WIDTH - LEFT - _tail(lines)
    n_at_once = sum(most.values())
    wide = min(AT_ONCE, max(SHORTEST, (room - TIME) / max(n_at_once, 1)))
    moments = sorted(most)
    gaps = [after - before for before, after in pairwise(moments)]
    spans = _shared_out(gaps, max(room - n_at_once * wide, TIME))
    begins, at = {}, LEFT
    for moment, span in zip(moments, [*spans, 0.0], strict=True):
        begins[moment] = at
        at += most[moment] * wide + span
    xs = {id(node): begins[node.time] + ranks[id(node)] * wide for node in root.all()}
    words = {
        id(child): _fitting(child, xs[id(child)] - xs[id(node)])
        for node in root.all()
        for child in node.children.values()
    }
    return Across(xs, words, (NOW, *_marks(moments, begins)), 48.0)


def _shared_out(times: Sequence[float], room: float) -> list[float]:
    """Room for some times as they are long, none of them shorter than the shortest step.

    >>> [round(room) for room in _shared_out([1.0, 1.0, 98.0], 300.0)]
    [42, 42, 216]
    """
    short: set[int] = set()
    while True:
        free = sum(time for i, time in enumerate(times) if i not in short)
        unit = max(room - SHORTEST * len(short), 0.0) / free if free else 0.0
        more = {i for i, time in enumerate(times) if time * unit < SHORTEST} - short
        if not more:
            return [SHORTEST if i in short else time * unit for i, time in enumerate(times)]
        short |= more


def _marks(moments: Sequence[float], begins: dict[float, float]) -> list[Tick]:
    """Marks at the moments when something is done, the last first, where there is room for words.

    >>> [mark.amount for mark in _marks([0.0, 3.0, 6.0, 36.0], {3.0: 300, 6.0: 342, 36.0: 460})]
    [6.0, 36.0]
    """
    marks: list[Tick] = []
    after = inf
    for moment in reversed(moments[1:]):
        if begins[moment] - LEFT >= APART and begins[moment] + APART <= after:
            after = begins[moment]
            marks.insert(0, Tick(after, f"+{moment:.3g}", moment))
    return marks


def ticks_over(low: float, high: float) -> list[float]:
    """Round numbers, evenly spaced, from at most `low` to at least `high`.

    >>> ticks_over(0.0, 2.44)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    >>> ticks_over(0.0, 0.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    high = high if high > low else low + 1.0
    step = round_gap((high - low) / N_TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def round_gap(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`.

    >>> round_gap(0.3), round_gap(12)
    (0.5, 20.0)
    """
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def captions(line: Line) -> Words:
    """What stands at the end of a line, line by line."""
    return Words(wrapped(line.caption, CAPTION), wrapped(line.note, CAPTION, VALUE, bold=False))


def _tail(lines: Sequence[Line]) -> float:
    """What words at the end of a line take, at most."""
    return END + max((captions(line).wide for line in lines), default=0.0) + 2
