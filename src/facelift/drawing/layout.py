"""The map of journeys as coordinates: lines that run together while their steps are shared.

Pure arithmetic on a drawing: what a way is, and what its steps do, was decided before. From left to
right, places stand by steps, by effort, or by time; then everything below each other. No word
is ever cut: by steps, columns are as wide as their words; by effort, a step that is too short for
its words has a number, which stands for them below the map.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import floor, inf, log10

from facelift.drawing import (
    LINE,
    NAME,
    VALUE,
    End,
    Label,
    Leg,
    Line,
    Map,
    Meeting,
    Node,
    Scale,
    Station,
    Stroke,
    Text,
    Tick,
    slots,
    tree,
    width,
    wrapped,
)

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


BOTTOM = 14.0
ROW, SPACING = 48.0, 6.0
BESIDE = 34.0
"""From a place to an end beside it."""

PICTURE = 56.0
PICTURE_ROW = 96.0

NARROW = 286.0
"""How wide a map is that stands upright: lanes on its left, words on its right."""

MARGIN, LANE, GAP = 16.0, 11.0, 14.0
TURN, WORDS = 14.0, 19.0
"""From the last lane to where ways end, and from there to the words."""


def layout(
    lines: Sequence[Line],
    *,
    scale: Scale = "steps",
    order: Sequence[str] = (),
    you: Leg | None = None,
) -> Map:
    """Where everything goes; `order` has letters from top to bottom as they were before.

    >>> leg = Leg(1, 0.5, "Savings", "→ 2", "Savings: 1 → 2")
    >>> drawn = layout([Line("A", 0, (leg,), "approved", "small effort", "Way A")])
    >>> [(text.words, text.role) for text in (*drawn.labels[0].texts, *drawn.ends[0].texts)]
    [('Savings', 'name'), ('→ 2', 'value'), ('approved', 'name'), ('small effort', 'value')]
    """
    pictures = you is not None and bool(you.picture)
    root = tree(lines)
    places = slots(root, lines, order)
    if scale == "effort" and any(node.effort > 0 for node in root.all()):
        across = by_effort(root, lines)
    elif scale == "time" and any(node.time > 0 for node in root.all()):
        across = by_time(root, lines)
    else:
        across = by_steps(root, lines, pictures)
    row = max(ROW, PICTURE_ROW if pictures else _row(across, lines))
    heights = {line: across.top + row * (slot + 0.5) for line, slot in places.items()}
    pieces = _Pieces(lines, across, heights, pictures)
    pieces.draw(root)
    wide = max([across.last, *(_right(end) for end in pieces.ends)])
    return Map(
        width=round(wide + 2, 1),
        height=across.top + row * max(len(lines), 1) + BOTTOM,
        scale=scale,
        axis="" if scale == "steps" else f"{scale} from here →",
        you=_start(pieces.y(root), len(root.lines), you),
        ticks=across.ticks,
        strokes=tuple(pieces.strokes),
        labels=tuple(pieces.labels),
        stations=tuple(pieces.stations),
        ends=tuple(sorted(pieces.ends, key=lambda end: (end.y, end.x))),
        top=across.top - 10,
        right=round(wide + 2 - across.last, 1),
        meetings=tuple(pieces.meetings(root)),
    )


def _row(across: Across, lines: Sequence[Line]) -> float:
    """How high a row is, so that words at its line touch none of the next."""
    above = max((len(said.names) for said in across.words.values()), default=0)
    below = max((len(said.values) for said in across.words.values()), default=0)
    ends = [captions(line) for line in lines]
    most = max((len(said.names) + len(said.values) for said in ends), default=0)
    return max((above + below) * LINE + 18, most * LINE + 8)


def _right(end: End) -> float:
    sizes = {"name": (NAME, True), "value": (VALUE, False)}
    looks = [(text, *sizes[text.role]) for text in end.texts]
    return max(
        (text.x + width(text.words, size, bold=bold) for text, size, bold in looks), default=end.x
    )


class _Pieces:
    """What is drawn, collected from the tree."""

    def __init__(
        self, lines: Sequence[Line], across: Across, heights: dict[int, float], pictures: bool
    ) -> None:
        self.lines, self.across, self.heights, self.pictures = lines, across, heights, pictures
        self.strokes: list[Stroke] = []
        self.labels: list[Label] = []
        self.stations: list[Station] = []
        self.ends: list[End] = []
        self.n_numbers = 0

    def x(self, node: Node) -> float:
        return self.across.xs[id(node)]

    def y(self, node: Node) -> float:
        """The middle of the lines that pass."""
        if not node.lines:
            return self.across.top + ROW / 2
        return sum(self.heights[line] for line in node.lines) / len(node.lines)

    def on_line(self, node: Node, line: int) -> float:
        """Where a line of a bundle passes."""
        return self.y(node) + (node.lines.index(line) - (len(node.lines) - 1) / 2) * SPACING

    def draw(self, node: Node) -> None:
        """Everything from a node on."""
        for line in node.ends:
            self._end(node, line)
        if node.leg is not None:
            self.stations.append(self._station(node))
        for child in sorted(node.children.values(), key=self.y):
            for line in child.lines:
                start, end = self.on_line(node, line), self.on_line(child, line)
                self._stroke(line, self.x(node), start, self.x(child), end)
            if not self.pictures:
                self._label(node, child)
            self.draw(child)

    def meetings(self, root: Node) -> Iterator[Meeting]:
        """Places that lines come to again after they parted, tied to each other."""
        places: dict[int, list[Node]] = {}
        for node in root.all():
            if node.leg is not None:
                places.setdefault(node.leg.vertex, []).append(node)
        for same in places.values():
            for one, other in pairwise(sorted(same, key=self.y)):
                letters = self._letters(one), self._letters(other)
                ends = [f"{self.x(each):.1f} {self.y(each):.1f}" for each in (one, other)]
                yield Meeting(" ".join(letters), f"M{ends[0]}L{ends[1]}")

    def _stroke(self, line: int, x0: float, y0: float, x1: float, y1: float) -> None:
        drawn, lead = self.lines[line], PICTURE / 2 if self.pictures else 0.0
        self.strokes.append(Stroke(drawn.letter, drawn.colour, _path(x0, y0, x1, y1, lead)))

    def _end(self, node: Node, line: int) -> None:
        """A destination: at the end of its line, or beside a line that goes on."""
        drawn, x, y = self.lines[line], self.x(node), self.on_line(node, line)
        if node.children or self.pictures:
            beside = PICTURE / 2 + 20 if self.pictures else BESIDE
            self._stroke(line, x, y, x + beside, self.heights[line])
            x, y = x + beside, self.heights[line]
        said = captions(drawn)
        top = y - (len(said.names) + len(said.values)) * LINE / 2 + LINE - 4
        texts = stacked(x + END, top, said.names, said.values)
        words = (drawn.caption, drawn.note, drawn.words)
        self.ends.append(End(drawn.letter, drawn.colour, round(x, 1), round(y, 1), *words, texts))

    def _station(self, node: Node) -> Station:
        leg = node.leg or Leg(-1, 0.0, "", "", "")
        alone = self.lines[node.lines[0]].colour if len(node.lines) == 1 else None
        return Station(
            x=round(self.x(node), 1),
            y=round(self.y(node), 1),
            height=(len(node.lines) - 1) * SPACING + 14,
            fork=len(node.children) + len(node.ends) > 1,
            letters=self._letters(node),
            words=leg.words,
            closes=leg.closes if node.children else "",
            picture=leg.picture,
            caption=leg.caption,
            colour=alone,
        )

    def _letters(self, node: Node) -> str:
        return " ".join(self.lines[line].letter for line in node.lines)

    def _label(self, node: Node, child: Node) -> None:
        """Say what a step changes, or give it a number."""
        leg = child.leg or Leg(-1, 0.0, "", "", "")
        said = self.across.words[id(child)]
        x, y = self.x(node) + BEND + 2, self.y(child)
        half = (len(child.lines) - 1) * SPACING / 2
        above, below, number = y - half - 8, y + half + LINE + 2, None
        first = above - (len(said.names) - 1) * LINE
        texts = (
            *stacked(x, first, said.names, ()),
            *stacked(x, below, (), said.values),
        )
        if leg.name and not said.names:
            self.n_numbers += 1
            number = self.n_numbers
            x = self.x(child) - CLEAR - width(str(number))
            texts = stacked(x, above, (str(number),), ())
        self.labels.append(
            Label(
                round(x, 1),
                round(above, 1),
                round(below, 1),
                leg.name,
                leg.value,
                leg.words,
                self._letters(child),
                number,
                texts,
            )
        )


def stacked(x: float, y: float, names: Sequence[str], values: Sequence[str]) -> tuple[Text, ...]:
    """Lines of words below each other, the first at a height; names come before values."""
    said = [(words, "name") for words in names] + [(words, "value") for words in values]
    return tuple(
        Text(round(x, 1), round(y + i * LINE, 1), words, "name" if role == "name" else "value")
        for i, (words, role) in enumerate(said)
    )


def _start(y: float, n_lines: int, you: Leg | None) -> Station:
    return Station(
        x=LEFT,
        y=round(y, 1),
        height=max((n_lines - 1) * SPACING + 16, 30),
        fork=False,
        letters="",
        words="where you stand",
        closes="",
        picture="" if you is None else you.picture,
        caption="" if you is None else you.caption,
        colour=None,
        width=12,
    )


def _path(x0: float, y0: float, x1: float, y1: float, lead: float = 0.0) -> str:
    """A line that runs level for a while, bends to its height, then runs level again."""
    if abs(y1 - y0) < 0.05:
        return f"M{x0:.1f} {y0:.1f}H{x1:.1f}"
    start = x0 + lead
    bend = start + min(BEND, 0.6 * (x1 - start))
    middle = (start + bend) / 2
    curve = f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {bend:.1f} {y1:.1f}"
    return f"M{x0:.1f} {y0:.1f}H{start:.1f}{curve}H{x1:.1f}"


def upright(lines: Sequence[Line], *, order: Sequence[str] = ()) -> Map:
    """Where everything goes from top to bottom; words take as many lines as they need.

    >>> leg = Leg(1, 0.5, "Savings", "→ 2", "Savings: 1 → 2")
    >>> drawn = upright([Line("A", 0, (leg,), "approved", "small effort", "Way A")])
    >>> [text.words for text in drawn.ends[0].texts]
    ['Savings', '→ 2', 'approved', 'small effort']
    """
    root = tree(lines)
    rows = _Rows(lines, slots(root, lines, order))
    you = rows.station(root, rows.y)
    rows.y += 22
    rows.go_on(root)
    return Map(
        width=NARROW,
        height=rows.y + 4,
        scale="steps",
        axis="",
        you=you,
        ticks=(),
        strokes=tuple(rows.strokes),
        labels=tuple(rows.labels),
        stations=tuple(rows.stations),
        ends=tuple(rows.ends),
    )


class _Rows:
    """Rows of the map: one per step, one per end."""

    def __init__(self, lines: Sequence[Line], places: dict[int, int]) -> None:
        self.lines, self.places = lines, places
        self.end_x = MARGIN + LANE * len(lines) + TURN
        self.y = 24.0
        self.strokes: list[Stroke] = []
        self.labels: list[Label] = []
        self.stations: list[Station] = []
        self.ends: list[End] = []

    def lane(self, line: int) -> float:
        return MARGIN + LANE * (len(self.lines) - 1 - self.places[line])

    def go_on(self, node: Node) -> None:
        """All that follows a place, the first way first."""
        branches: list[tuple[int, Node | None]] = [(line, None) for line in node.ends]
        branches += [(child.lines[0], child) for child in node.children.values()]
        for line, child in sorted(branches, key=lambda branch: self.places[branch[0]]):
            if child is None:
                self._end(line, None)
            elif child.children or len(child.lines) > 1:
                self._step(child)
                self.go_on(child)
            else:
                self._end(line, child.leg)

    def _step(self, node: Node) -> None:
        leg = node.leg or Leg(-1, 0.0, "", "", "")
        y, x = self.y, self.end_x + WORDS
        names, values = self._wrapped(leg)
        letters = " ".join(self.lines[line].letter for line in node.lines)
        texts = stacked(x, y + 4, names, values)
        below = y + 4 + LINE * len(names)
        self.labels.append(
            Label(x, y + 4, below, leg.name, leg.value, leg.words, letters, None, texts)
        )
        self.stations.append(self.station(node, y))
        self.y += LINE * len(texts) + GAP

    def _end(self, line: int, leg: Leg | None) -> None:
        drawn, lane, y = self.lines[line], self.lane(line), self.y + 4
        names, values = ((), ()) if leg is None else self._wrapped(leg)
        notes = [
            each
            for words in (drawn.caption, drawn.note)
            for each in wrapped(words, self._room, VALUE, bold=False)
        ]
        texts = stacked(self.end_x + WORDS, self.y + 4, names, (*values, *notes))
        turn = f"Q{lane:.1f} {y:.1f} {lane + 8:.1f} {y:.1f}"
        path = f"M{lane:.1f} 24.0V{y - 8:.1f}{turn}H{self.end_x:.1f}"
        self.strokes.append(Stroke(drawn.letter, drawn.colour, path))
        words = (drawn.caption, drawn.note, drawn.words)
        self.ends.append(End(drawn.letter, drawn.colour, self.end_x, y, *words, texts))
        self.y += LINE * max(len(texts), 2) + GAP

    @property
    def _room(self) -> float:
        return NARROW - self.end_x - WORDS

    def _wrapped(self, leg: Leg) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return wrapped(leg.name, self._room), wrapped(leg.value, self._room, VALUE, bold=False)

    def station(self, node: Node, y: float) -> Station:
        """A bar over the lanes that pass."""
        leg = node.leg or Leg(-1, 0.0, "", "", "where you stand")
        lanes = [self.lane(line) for line in node.lines] or [MARGIN]
        return Station(
            x=(min(lanes) + max(lanes)) / 2,
            y=y,
            height=12 if node.leg is None else 10,
            fork=node.leg is not None and len(node.lines) > 1,
            letters="" if node.leg is None else " ".join(self.lines[i].letter for i in node.lines),
            words=leg.words,
            closes=leg.closes,
            picture="",
            caption="",
            colour=self.lines[node.lines[0]].colour if len(node.lines) == 1 else None,
            width=max(lanes) - min(lanes) + 14,
        )
