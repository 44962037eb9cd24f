"""The map of journeys as coordinates: lines that run together while their steps are shared.

Pure arithmetic on a drawing: what a way is, and what its steps do, was decided before. No word
is ever cut: by steps, columns are as wide as their words; by effort, a step that is too short for
its words has a number, which stands for them below the map.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

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
    slots,
    tree,
    width,
    wrapped,
)
from facelift.drawing.across import (
    BEND,
    CLEAR,
    END,
    LEFT,
    Across,
    by_effort,
    by_steps,
    by_time,
    captions,
)

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
