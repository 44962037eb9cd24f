"""The map upright, for narrow screens: lanes on the left, words on the right, from top to bottom.

The way that ends first runs on the right, so no line crosses another.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelift.drawing.layout import stacked
from facelift.drawing.parts import (
    LINE,
    VALUE,
    End,
    Label,
    Leg,
    Line,
    Map,
    Node,
    Station,
    Stroke,
    slots,
    tree,
    wrapped,
)

WIDTH = 286.0
LEFT, LANE, GAP = 16.0, 11.0, 14.0
END, WORDS = 14.0, 19.0
"""From the last lane to where ways end, and from there to the words."""


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
        width=WIDTH,
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
        self.end_x = LEFT + LANE * len(lines) + END
        self.y = 24.0
        self.strokes: list[Stroke] = []
        self.labels: list[Label] = []
        self.stations: list[Station] = []
        self.ends: list[End] = []

    def lane(self, line: int) -> float:
        return LEFT + LANE * (len(self.lines) - 1 - self.places[line])

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
        return WIDTH - self.end_x - WORDS

    def _wrapped(self, leg: Leg) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return wrapped(leg.name, self._room), wrapped(leg.value, self._room, VALUE, bold=False)

    def station(self, node: Node, y: float) -> Station:
        """A bar over the lanes that pass."""
        leg = node.leg or Leg(-1, 0.0, "", "", "where you stand")
        lanes = [self.lane(line) for line in node.lines] or [LEFT]
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
