"""The map of journeys as coordinates: lines that run together while their steps are shared.

Pure arithmetic on a drawing: what a way is, and what its steps do, was decided before. The ways
from one place form a tree; lines keep the order of the tree, so they never cross, and an order
given (that of the map before) is kept as far as the tree allows, so the map stays put.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log10

from facelift.drawing.parts import End, Label, Leg, Line, Map, Scale, Station, Stroke, Tick

LEFT, RIGHT, TOP, BOTTOM = 30.0, 190.0, 48.0, 14.0
ROW, SPACING, BEND = 48.0, 6.0, 34.0
WIDTH, COLUMN = 720.0, 104.0
PICTURE = 56.0
PICTURE_ROW, PICTURE_COLUMN = 96.0, 116.0
NAME_LETTER, VALUE_LETTER = 7.1, 6.1
"""About how wide a letter is, above and below a line; so much of a label there is room for."""


@dataclass(eq=False)
class _Node:
    """A place on the map: the lines that come here, those that end here, where others go on."""

    x: float
    depth: int
    leg: Leg | None = None
    lines: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    children: dict[int, _Node] = field(default_factory=dict)
    y: float = 0.0

    def offset(self, line: int) -> float:
        """How far above or below the middle of its bundle a line runs."""
        return (self.lines.index(line) - (len(self.lines) - 1) / 2) * SPACING


def layout(
    lines: Sequence[Line],
    *,
    scale: Scale = "effort",
    order: Sequence[str] = (),
    you: Leg | None = None,
) -> Map:
    """Where everything goes; `order` has letters from top to bottom as they were before.

    >>> leg = Leg(1, 0.5, "Savings", "→ 2", "Savings: 1 → 2")
    >>> drawn = layout([Line("A", 0, (leg,), "approved", "effort 0.5", "Way A")])
    >>> [(end.letter, end.x, end.y) for end in drawn.ends]
    [('A', 530.0, 72.0)]
    """
    pictures = you is not None and bool(you.picture)
    row = PICTURE_ROW if pictures else ROW
    across = _Across.of(lines, scale, pictures)
    root = _tree(lines, across)
    rank = {letter: place for place, letter in enumerate(order)}
    slots = _ordered(root, [rank.get(line.letter, len(rank)) for line in lines])
    heights = {line: TOP + row * (slot + 0.5) for slot, line in enumerate(slots)}
    _place(root, heights, {line: slot for slot, line in enumerate(slots)})
    pieces = _Pieces(lines, heights, pictures)
    pieces.draw(root)
    return Map(
        width=across.width,
        height=TOP + row * max(len(lines), 1) + BOTTOM,
        scale=scale,
        axis="effort from here →" if scale == "effort" else "steps from here →",
        you=_start(root, you),
        ticks=across.ticks,
        strokes=tuple(pieces.strokes),
        labels=tuple(pieces.labels),
        stations=tuple(pieces.stations),
        ends=tuple(sorted(pieces.ends, key=lambda end: (end.y, end.x))),
    )


@dataclass(frozen=True)
class _Across:
    """The scale from left to right."""

    unit: float
    by_effort: bool
    width: float
    ticks: tuple[Tick, ...]

    @classmethod
    def of(cls, lines: Sequence[Line], scale: Scale, pictures: bool) -> _Across:
        steps = max((len(line.legs) for line in lines), default=1) or 1
        effort = max((sum(leg.effort for leg in line.legs) for line in lines), default=0.0)
        if scale == "effort" and effort > 0:
            unit = (WIDTH - LEFT - RIGHT) / effort
            gap = round_gap(effort / 5)
            marks = [i * gap for i in range(1, floor(effort / gap + 1e-9) + 1)]
            ticks = (Tick(LEFT, "now"), *(Tick(LEFT + m * unit, f"+{m:.3g}") for m in marks))
            return cls(unit, True, WIDTH, ticks)
        least = PICTURE_COLUMN if pictures else COLUMN
        unit = max((WIDTH - LEFT - RIGHT) / steps, least) if not pictures else least
        ticks = tuple(Tick(LEFT + i * unit, str(i) if i else "now") for i in range(steps + 1))
        return cls(unit, False, max(WIDTH, LEFT + steps * unit + RIGHT), ticks)

    def x(self, effort: float, depth: int) -> float:
        return LEFT + self.unit * (effort if self.by_effort else depth)


def round_gap(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`.

    >>> round_gap(0.3), round_gap(12)
    (0.5, 20.0)
    """
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _tree(lines: Sequence[Line], across: _Across) -> _Node:
    """Ways with the same first steps share them; what follows a fork is never joined again."""
    root = _Node(LEFT, 0)
    for number, line in enumerate(lines):
        node, effort = root, 0.0
        node.lines.append(number)
        for depth, leg in enumerate(line.legs, start=1):
            effort += leg.effort
            if leg.vertex not in node.children:
                node.children[leg.vertex] = _Node(across.x(effort, depth), depth, leg)
            node = node.children[leg.vertex]
            node.lines.append(number)
        node.ends.append(number)
    return root


def _ordered(node: _Node, rank: list[int]) -> list[int]:
    """Lines from top to bottom: branches by the first of their lines, then by its number."""

    def first(branch: list[int]) -> tuple[int, int]:
        return min((rank[line], line) for line in branch)

    branches = [[line] for line in node.ends]
    branches += [_ordered(child, rank) for child in node.children.values()]
    return [line for branch in sorted(branches, key=first) for line in branch]


def _place(node: _Node, heights: dict[int, float], slots: dict[int, int]) -> None:
    node.lines.sort(key=slots.__getitem__)
    node.y = sum(heights[line] for line in node.lines) / max(len(node.lines), 1) or TOP + ROW / 2
    for child in node.children.values():
        _place(child, heights, slots)


class _Pieces:
    """What is drawn, collected from the tree."""

    def __init__(self, lines: Sequence[Line], heights: dict[int, float], pictures: bool) -> None:
        self.lines, self.heights, self.pictures = lines, heights, pictures
        self.strokes: list[Stroke] = []
        self.labels: list[Label] = []
        self.stations: list[Station] = []
        self.ends: list[End] = []

    def draw(self, node: _Node) -> None:
        """Everything from a node on."""
        for line in node.ends:
            self._end(node, line)
        if node.leg is not None:
            self.stations.append(self._station(node))
        for child in sorted(node.children.values(), key=lambda child: child.y):
            for line in child.lines:
                start = node.y + node.offset(line)
                self._stroke(line, node.x, start, child.x, child.y + child.offset(line))
            if not self.pictures and not _goes_on(node, child):
                self._label(node, child)
            self.draw(child)

    def _stroke(self, line: int, x0: float, y0: float, x1: float, y1: float) -> None:
        drawn, lead = self.lines[line], PICTURE / 2 if self.pictures else 0.0
        path = _path(x0, y0, x1, y1, lead)
        self.strokes.append(Stroke(drawn.letter, drawn.colour, path))

    def _end(self, node: _Node, line: int) -> None:
        """A destination: at the end of its line, or beside a line that goes on."""
        drawn, x, y = self.lines[line], node.x, node.y + node.offset(line)
        if node.children or self.pictures:
            beside = PICTURE / 2 + 20 if self.pictures else 34
            self._stroke(line, x, y, x + beside, self.heights[line])
            x, y = x + beside, self.heights[line]
        words = (drawn.caption, drawn.note, drawn.words)
        self.ends.append(End(drawn.letter, drawn.colour, round(x, 1), round(y, 1), *words))

    def _station(self, node: _Node) -> Station:
        leg = node.leg or Leg(-1, 0.0, "", "", "")
        alone = self.lines[node.lines[0]].colour if len(node.lines) == 1 else None
        return Station(
            x=round(node.x, 1),
            y=round(node.y, 1),
            height=(len(node.lines) - 1) * SPACING + 14,
            fork=len(node.children) + len(node.ends) > 1,
            letters=" ".join(self.lines[line].letter for line in node.lines),
            words=leg.words,
            closes=leg.closes if node.children else "",
            picture=leg.picture,
            caption=leg.caption,
            colour=alone,
        )

    def _label(self, node: _Node, child: _Node) -> None:
        """Say what a step changes; one label for all steps on that change the same thing again."""
        legs, last = [], child
        while last.leg is not None:
            legs.append(last.leg)
            onward = _onward(last)
            if onward is None:
                break
            last = onward
        bent = abs(child.y - node.y) > 1 or len(node.lines) != len(child.lines)
        x = node.x + (_bend(child.x - node.x) if bent else 10.0) + 2
        half = (len(child.lines) - 1) * SPACING / 2
        room = last.x - x - (14 if last.ends or len(last.children) > 1 else 6)
        self.labels.append(
            Label(
                round(x, 1),
                round(child.y - half - 9, 1),
                round(child.y + half + 18, 1),
                _fitted(legs[0].name, room / NAME_LETTER),
                _fitted_values([leg.value for leg in legs], room / VALUE_LETTER),
                "; ".join(leg.words for leg in legs),
            )
        )


def _onward(node: _Node) -> _Node | None:
    """The next node, if all lines go there and the same thing changes again."""
    child = next(iter(node.children.values()), None)
    return child if child is not None and _goes_on(node, child) else None


def _goes_on(node: _Node, child: _Node) -> bool:
    if len(node.children) != 1 or node.ends or node.leg is None or child.leg is None:
        return False
    return node.leg.name == child.leg.name and not node.leg.closes and not child.leg.closes


def _start(root: _Node, you: Leg | None) -> Station:
    return Station(
        x=LEFT,
        y=round(root.y, 1),
        height=max((len(root.lines) - 1) * SPACING + 16, 30),
        fork=False,
        letters="",
        words="where you stand",
        closes="",
        picture="" if you is None else you.picture,
        caption="" if you is None else you.caption,
        colour=None,
    )


def _bend(length: float) -> float:
    """How far a line takes to change its height."""
    return min(BEND, 0.6 * length)


def _path(x0: float, y0: float, x1: float, y1: float, lead: float = 0.0) -> str:
    """A line that runs level for a while, bends to its height, then runs level again."""
    if abs(y1 - y0) < 0.05:
        return f"M{x0:.1f} {y0:.1f}H{x1:.1f}"
    start = x0 + lead
    bend = start + _bend(x1 - start)
    middle = (start + bend) / 2
    curve = f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {bend:.1f} {y1:.1f}"
    return f"M{x0:.1f} {y0:.1f}H{start:.1f}{curve}H{x1:.1f}"


def _fitted(text: str, room: float) -> str:
    """As much of a text as there is room for, in letters."""
    if len(text) <= room:
        return text
    return text[: floor(room) - 1].rstrip() + "…" if room >= 4 else ""


def _fitted_values(values: list[str], room: float) -> str:
    """All values if there is room, or the last; never a part of one with a number in it."""
    for text in (" ".join(values), values[-1]):
        if len(text) <= room:
            return text
    return "" if any(letter.isdigit() for letter in values[-1]) else _fitted(values[-1], room)
