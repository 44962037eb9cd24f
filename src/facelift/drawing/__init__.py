"""The map of ways as coordinates and as SVG: knows lines, letters and colours, not journeys.

Here are its parts: words in the width there is, the tree that ways form, and what is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal

NAME, VALUE = 12.5, 12.0
"""Sizes of letters: what changes, and what is said about it."""

LINE = 15.0
"""From one line of words to the next."""

WIDTHS = {
    **dict.fromkeys("ijlIJ.,:;'|!/\\ ", 0.4),
    **dict.fromkeys('ftr()[]-"·', 0.52),
    **dict.fromkeys("mwMW@%→…+−<=>", 1.0),
}
CAPITAL, LETTER, FAR = 0.85, 0.72, 1.1
"""Widths of bold letters in DejaVu Sans, the widest of the fonts in use, as a share of the size."""


def width(words: str, size: float = NAME, *, bold: bool = True) -> float:
    """About how many pixels wide words are, rather more than less.

    >>> round(width("Savings")), round(width("Savings", 12.0, bold=False))
    (61, 54)
    """
    share = sum(map(_letter, words))
    return size * share * (1.0 if bold else 0.92)


@cache
def _letter(letter: str) -> float:
    if letter in WIDTHS:
        return WIDTHS[letter]
    if ord(letter) >= 0x2E80:
        return FAR
    return CAPITAL if letter.isupper() else LETTER


@lru_cache(maxsize=4_096)
def wrapped(words: str, room: float, size: float = NAME, *, bold: bool = True) -> tuple[str, ...]:
    """Words on as many lines as they need; only a single part may be wider than the room.

    Parts end at spaces, after hyphens and slashes, and between small and capital letters. Facts
    between middle dots that do not fit on one line begin a line each.

    >>> wrapped("Duration of the loan", 110)
    ('Duration of', 'the loan')
    >>> wrapped("MSinceMostRecentTradeOpen", 110)
    ('MSinceMost', 'RecentTrade', 'Open')
    """
    if " · " in words and width(words, size, bold=bold) > room:
        facts = [wrapped(fact, room, size, bold=bold) for fact in words.split(" · ")]
        return tuple(line for fact in facts for line in fact)
    lines: list[str] = []
    for part in parts(words):
        longer = lines[-1] + part if lines else part
        if lines and width(longer.rstrip(), size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(part.lstrip())
    return tuple(line.rstrip() for line in lines)


def parts(words: str) -> list[str]:
    """Words in pieces between which a line may end; an arrow stays with what follows it.

    >>> parts("→ 100 to 500 DM"), parts("NetFraction"), parts("self-employed")
    (['→ 100 ', 'to ', '500 ', 'DM'], ['Net', 'Fraction'], ['self-', 'employed'])
    """
    found = r"(?:→ )?.+?(?:(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z][-/_])(?=\w)|\s+|$)"
    return re.findall(found, words)


Scale = Literal["effort", "steps", "time"]

COLOURS = ("#0126a3", "#c21b0d", "#1a726a", "#9b980b", "#5978fd", "#d96cb4", "#690f51")
"""Seven colours of lines on white, computed so that people who see fewer colours can tell them
apart too; more cannot be told apart."""

ON_COLOURS = ("#fff", "#fff", "#fff", "#111", "#111", "#111", "#fff")
"""What is readable on each of them."""

INK, QUIET, EDGE, PAPER, WARNING = "#14171c", "#4f5763", "#d8dee6", "#fff", "#a3081f"
"""What is said, what is said beside it, thin lines, the ground, points of no return."""


@dataclass(frozen=True)
class Leg:
    """A step of a way: where it leads, its effort, and what is said about it.

    `time` is when it is done at the earliest, from now on.
    """

    vertex: int
    effort: float
    name: str
    value: str
    words: str
    closes: str = ""
    picture: str = ""
    caption: str = ""
    time: float = 0.0


@dataclass(frozen=True)
class Line:
    """A way to draw: its letter and colour, its steps, and what stands at its end."""

    letter: str
    colour: int
    legs: tuple[Leg, ...]
    caption: str
    note: str
    words: str


@dataclass(frozen=True)
class Tick:
    """A mark of the scale: so many steps, so much effort or time from here."""

    x: float
    label: str
    amount: float = 0.0


@dataclass(frozen=True)
class Stroke:
    """A piece of a line, as an SVG path."""

    letter: str
    colour: int
    path: str


@dataclass(frozen=True)
class Text:
    """A line of words and where it starts; names are said, values and notes are said beside it."""

    x: float
    y: float
    words: str
    role: Literal["name", "value"]


@dataclass(frozen=True)
class Label:
    """What a step changes, as lines of words at its line; `words` has it in full.

    `number` stands there instead where the step is too short for its words; it is told below.
    """

    x: float
    above: float
    below: float
    name: str
    value: str
    words: str
    letters: str = ""
    number: int | None = None
    texts: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Station:
    """The end of a step: a stop, or a fork where lines part; `closes` marks points of no return."""

    x: float
    y: float
    height: float
    fork: bool
    letters: str
    words: str
    closes: str
    picture: str
    caption: str
    colour: int | None
    width: float = 10.0


@dataclass(frozen=True)
class End:
    """Where a line ends: a destination."""

    letter: str
    colour: int
    x: float
    y: float
    caption: str
    note: str
    words: str
    texts: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Meeting:
    """Two places of the map that are the same: ways that parted meet again there."""

    letters: str
    path: str
    words: str = ""


@dataclass(frozen=True)
class Map:
    """Everything there is to draw, in pixels of a picture of this width and height.

    `right` is what the last words take beside the last place: between the first place and the
    last, a wider map may be stretched. `top` is where lines of the scale begin.
    """

    width: float
    height: float
    scale: Scale
    axis: str
    you: Station
    ticks: tuple[Tick, ...]
    strokes: tuple[Stroke, ...]
    labels: tuple[Label, ...]
    stations: tuple[Station, ...]
    ends: tuple[End, ...]
    top: float = 38.0
    right: float = 0.0
    meetings: tuple[Meeting, ...] = ()

    @property
    def numbered(self) -> list[Label]:
        """Labels that have a number on the map, to be told below it."""
        return [label for label in self.labels if label.number is not None]

    @property
    def full_height(self) -> float:
        """The height with what numbers stand for, one line each, below."""
        return self.height + LINE * len(self.numbered) + (6 if self.numbered else 0)


@dataclass(eq=False)
class Node:
    """A place on the map: the lines that come here, those that end here, where others go on."""

    depth: int = 0
    effort: float = 0.0
    time: float = 0.0
    leg: Leg | None = None
    lines: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)

    def all(self) -> Iterator[Node]:
        """The place itself and all that follow."""
        yield self
        for child in self.children.values():
            yield from child.all()


def tree(lines: Sequence[Line]) -> Node:
    """Ways with the same first steps share them; a place met again after a fork is a new node.

    >>> legs = [Leg(v, 0.5, "", "", "") for v in (1, 2, 3)]
    >>> ways = [Line(n, 0, (legs[0], last), "", "", "") for n, last in zip("AB", legs[1:])]
    >>> [node.lines for node in tree(ways).all()]
    [[0, 1], [0, 1], [0], [1]]
    """
    root = Node()
    for number, line in enumerate(lines):
        node = root
        node.lines.append(number)
        for leg in line.legs:
            if leg.vertex not in node.children:
                effort = node.effort + leg.effort
                time = max(node.time, leg.time)
                node.children[leg.vertex] = Node(node.depth + 1, effort, time, leg)
            node = node.children[leg.vertex]
            node.lines.append(number)
        node.ends.append(number)
    return root


def slots(root: Node, lines: Sequence[Line], order: Sequence[str]) -> dict[int, int]:
    """The row of each line; `order` has letters from top to bottom as they were before.

    Lines of every node are put into the order of their rows.
    """
    rank = {letter: place for place, letter in enumerate(order)}
    ranks = [rank.get(line.letter, len(rank)) for line in lines]
    found = {line: slot for slot, line in enumerate(_ordered(root, ranks))}
    for node in root.all():
        node.lines.sort(key=found.__getitem__)
    return found


def _ordered(node: Node, rank: list[int]) -> list[int]:
    """Lines from top to bottom: branches by the first of their lines, then by its number."""

    def first(branch: list[int]) -> tuple[int, int]:
        return min((rank[line], line) for line in branch)

    branches = [[line] for line in node.ends]
    branches += [_ordered(child, rank) for child in node.children.values()]
    return [line for branch in sorted(branches, key=first) for line in branch]
