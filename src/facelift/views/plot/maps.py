"""The map of journeys: lines that run together while their steps are shared."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib.image import imread
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch
from matplotlib.path import Path

from facelift.drawing.layout import PICTURE, layout
from facelift.drawing.parts import (
    COLOURS,
    EDGE,
    INK,
    LINE,
    NAME,
    ON_COLOURS,
    PAPER,
    QUIET,
    VALUE,
    WARNING,
    End,
    Leg,
    Line,
    Map,
    Scale,
    Station,
    Text,
)
from facelift.multiverse.goal import Goal, chance_words
from facelift.multiverse.html import heading, lines, shown
from facelift.multiverse.multiverse import Multiverse
from facelift.views.pictures import ink
from facelift.views.plot.style import bare_axes_or_new, say, why_empty
from facelift.views.table import pictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_PER_INCH = 80.0


def journeys(
    multiverse: Multiverse,
    *,
    scale: Scale = "steps",
    picture: tuple[int, int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The map of journeys: one line per way, together while steps are shared, a bar at each fork.

    Parameters
    ----------
    multiverse
        Journeys; of more than seven, those that run alike are drawn as one.
    scale
        What runs from left to right: "steps" or "effort".
    picture
        Height and width, where the columns of the table are pixels; stations are then pictures,
        one step apart.
    ax
        Where to draw. As data: `multiverse.to_frame()`.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> journeys(loan().multiverse()).get_title(loc="left")
    '3 ways'
    """
    if not len(multiverse):
        return say(bare_axes_or_new(ax, (7, 2)), why_empty(multiverse))
    drawn, you = list(lines(multiverse)), None
    if picture is not None:
        drawn, you = _pictured(multiverse, drawn, picture)
    found = layout(drawn, scale=scale if picture is None else "steps", you=you)
    ax = bare_axes_or_new(ax, (found.width / PIXELS_PER_INCH, found.full_height / PIXELS_PER_INCH))
    ax.set_title(heading(multiverse), loc="left", fontsize=11)
    _Sheet(ax, found).draw()
    return ax


def _pictured(
    multiverse: Multiverse, drawn: Sequence[Line], shape: tuple[int, int]
) -> tuple[list[Line], Leg]:
    """Lines whose stations are pictures, and the picture they start from."""
    made = []
    for line, number in zip(drawn, shown(multiverse), strict=True):
        inks = [ink(each) for each in pictures(multiverse[number], shape)]
        seen = _seen(multiverse, number)
        legs = tuple(
            replace(leg, picture=picture, caption=caption)
            for leg, picture, caption in zip(line.legs, inks[1:], seen[1:], strict=True)
        )
        note = line.note.partition(" · ")[0]  # pixels are not things that people count
        made.append(replace(line, legs=legs, caption=seen[-1] or line.caption, note=note))
    return made, Leg(-1, 0.0, "", "", "", picture=inks[0], caption=seen[0])


def _seen(multiverse: Multiverse, number: int) -> list[str]:
    """What the model takes each waypoint for."""
    journey, goal = multiverse[number].in_steps, multiverse.goal
    if not isinstance(goal, Goal) or journey.probabilities is None:
        return [journey.outlook(waypoint) for waypoint in range(len(journey.vertices))]
    likeliest = journey.probabilities.argmax(axis=1).tolist()
    return [
        f"{goal.classes[best]} · {chance_words(probabilities[best], goal.threshold)}"
        for best, probabilities in zip(likeliest, journey.probabilities, strict=True)
    ]


class _Sheet:
    """A drawing on axes whose units are the pixels of the layout."""

    def __init__(self, ax: Axes, drawn: Map) -> None:
        self.ax, self.drawn = ax, drawn
        ax.set(xlim=(0, drawn.width), ylim=(drawn.full_height, 0), aspect="equal")
        ax.set_axis_off()
        size = ax.get_figure(root=True).get_size_inches()  # type: ignore[union-attr]
        room = ax.get_position()
        across, down = room.width * size[0] / drawn.width, room.height * size[1] / drawn.full_height
        self.points = 72 * min(across, down) or 72 / PIXELS_PER_INCH

    def draw(self) -> None:
        drawn = self.drawn
        self.text(drawn.you.x - 8, 16, drawn.axis, VALUE, QUIET)
        for tick in drawn.ticks:
            ends = [drawn.top, drawn.height - 8]
            self.ax.plot([tick.x, tick.x], ends, color=EDGE, lw=0.8, zorder=0)
            self.text(tick.x, drawn.top - 7, tick.label, VALUE, QUIET, ha="center")
        for stroke in drawn.strokes:
            self.stroke(stroke.path, COLOURS[stroke.colour])
        for meeting in drawn.meetings:
            tie = {"ec": INK, "lw": 1.6 * self.points, "ls": (0, (1.2, 2.4))}
            self.ax.add_patch(PathPatch(_path(meeting.path), fill=False, zorder=2, **tie))
        for station in drawn.stations:
            self.station(station)
        for label in drawn.labels:
            self.texts(label.texts)
        for i, label in enumerate(drawn.numbered):
            words = f"{label.number} {label.name} {label.value}"
            self.text(8, drawn.height + LINE * i + 6, words, VALUE, QUIET)
        self.you(drawn.you)
        for end in drawn.ends:
            self.end(end)

    def text(self, x: float, y: float, words: str, size: float, colour: str, **looks: Any) -> None:
        self.ax.text(x, y, words, fontsize=size * self.points, color=colour, zorder=5, **looks)

    def texts(self, texts: Sequence[Text]) -> None:
        for each in texts:
            if each.role == "name":
                self.text(each.x, each.y, each.words, NAME, INK, weight="bold")
            else:
                self.text(each.x, each.y, each.words, VALUE, QUIET)

    def stroke(self, path: str, colour: str) -> None:
        width = 4.2 * self.points
        self.ax.add_patch(PathPatch(_path(path), fill=False, ec=colour, lw=width, zorder=1))

    def box(self, x: float, y: float, width: float, height: float, **looks: Any) -> None:
        rounding = min(width, height) / 2.01 if height != width else 4
        shape = f"round,pad=0,rounding_size={rounding}"
        self.ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=shape, zorder=3, **looks))

    def station(self, station: Station) -> None:
        if station.picture:
            return self.picture(station)
        top, line = station.y - station.height / 2, 1.4 * self.points
        if station.fork:
            self.box(station.x - 5, top, 10, station.height, fc=PAPER, ec=INK, lw=line)
        else:
            self.box(station.x - 1.5, top + 3, 3, station.height - 6, fc=PAPER, ec=PAPER, lw=0)
        if station.closes:
            self.text(station.x, top - 4, "⚠", NAME, WARNING, ha="center")
        return None

    def picture(self, station: Station) -> None:
        edge = INK if station.colour is None else COLOURS[station.colour]
        left, top = station.x - PICTURE / 2, station.y - PICTURE / 2
        self.box(left, top, PICTURE, PICTURE, fc=PAPER, ec=edge, lw=2.6 * self.points)
        pixels = imread(BytesIO(b64decode(station.picture.partition(",")[2])), format="png")
        extent = (left + 3, left + PICTURE - 3, top + PICTURE - 3, top + 3)
        limits = self.ax.get_xlim(), self.ax.get_ylim()
        self.ax.imshow(pixels, extent=extent, interpolation="nearest", zorder=4, aspect="equal")
        self.ax.set(xlim=limits[0], ylim=limits[1])
        below = station.y + PICTURE / 2 + 14
        self.text(station.x, below, station.caption, VALUE, QUIET, ha="center")

    def you(self, you: Station) -> None:
        if you.picture:
            self.picture(you)
            above = you.y - PICTURE / 2 - 6
            return self.text(you.x, above, "you", NAME, INK, ha="center", weight="bold")
        top = you.y - you.height / 2
        self.box(you.x - 6, top, 12, you.height, fc=INK, ec=INK, lw=0)
        return self.text(you.x - 11, you.y + 4, "you", NAME, INK, ha="right", weight="bold")

    def end(self, end: End) -> None:
        looks = {"ha": "center", "va": "center_baseline", "weight": "bold"}
        self.ax.add_patch(Circle((end.x, end.y), 11, fc=COLOURS[end.colour], ec="none", zorder=4))
        self.text(end.x, end.y, end.letter, NAME, ON_COLOURS[end.colour], **looks)
        self.texts(end.texts)


CODES = {"M": int(Path.MOVETO), "H": int(Path.LINETO), "L": int(Path.LINETO), "C": int(Path.CURVE4)}


def _path(drawn: str) -> Path:
    """A path of the layout, which moves (M), runs level (H) or straight (L) and bends (C)."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for kind, text in re.findall(r"([MHLC])([^MHLC]*)", drawn):
        numbers = [float(each) for each in text.split()]
        if kind == "H":
            numbers.append(points[-1][1])
        new = list(zip(numbers[::2], numbers[1::2], strict=True))
        points += new
        codes += [CODES[kind]] * len(new)
    return Path(points, codes)
