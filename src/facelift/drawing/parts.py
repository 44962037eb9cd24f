"""What a map of journeys is made of: colours, the ways to draw, and everything drawn, in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelift.drawing.lettering import LINE

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
