"""Maps: of journeys, whose lines run together while their steps are shared; and of two numbers."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, ListedColormap, to_rgba
from matplotlib.image import imread
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch
from matplotlib.path import Path

from facelift.drawing import (
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
from facelift.drawing.layout import PICTURE, layout
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal, Range, chance_words
from facelift.multiverse.html import heading, lines, shown
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import letter
from facelift.views import table
from facelift.views.inline import ink
from facelift.views.plot.style import (
    axes_or_new,
    badge,
    bare_axes_or_new,
    beside,
    colour,
    places,
    plain,
    say,
    why_empty,
)
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


GROUND = LinearSegmentedColormap.from_list("facelift ground", [PAPER, "#cfdcf0"])
FEW_WAYPOINTS = 12
"""So many waypoints of a journey are marked; more would hide its line."""

MOST_EDGES = 5_000
"""A graph with more edges is not drawn: one would see nothing else."""

N_ARROWS = 20
"""Most arrows along an axis; with more one would see only black."""


def world(multiverse: Multiverse, *, n_points: int = 80, ax: Axes | None = None) -> Axes:
    """Journeys across a world of two numbers, over what the model says of each place.

    The dashed line is the decision: beyond it the chance (or the number predicted) will do. Dots
    are the records that the explainer learnt from; a graph of one's own shows its edges instead.
    Lines that run together get thinner towards the last, so that none hides another.

    Parameters
    ----------
    multiverse
        Of a table with exactly two numeric columns, or of a graph on points of the plane.
    n_points
        Points of the grid that the model is asked about, per axis.
    ax
        Where to draw. As data: `fl.views.table.world` and `fl.views.table.surface`.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> world(loan().multiverse()).get_xlabel()
    'x0'
    """
    found = table.world(multiverse)
    ground = table.surface(multiverse, n_points)
    if found.empty and ground.empty:
        return say(axes_or_new(ax, (6, 2)), why_empty(multiverse))
    ax = axes_or_new(ax, (6.0, 5.0))
    plain(ax)
    ax.grid(visible=False)
    ax.margins(0.1)
    names = [str(name) for name in (ground.columns[:2] if found.empty else found.columns[2:])]
    ax.set_xlabel(names[0], color=QUIET)
    ax.set_ylabel(names[1], color=QUIET)
    if ground.empty:
        _edges(ax, multiverse)
    else:
        _surface(ax, multiverse, ground.to_numpy(dtype=np.float64), n_points)
    shown = places(multiverse)
    for number, place in shown.items():
        points = found.loc[found["way"] == letter(number), names].to_numpy(dtype=np.float64)
        _way(ax, points, letter(number), place, n_above=len(shown) - 1 - place)
    if found.empty:
        ax.set_title(why_empty(multiverse), loc="left", fontsize=9, wrap=True)
    else:
        x, y = found[names].iloc[0].tolist()
        ax.plot(x, y, marker="o", ms=9, color=INK, zorder=6, mec="white")
        looks = {"color": INK, "fontweight": "bold", "zorder": 6}
        beside(ax, "you", x, y, (0, -9), ha="center", va="top", **looks)
    return ax


def _surface(ax: Axes, multiverse: Multiverse, ground: np.ndarray, n_points: int) -> None:
    """The chance everywhere, the line that decides, and the records."""
    x, y, values = (column.reshape(n_points, n_points) for column in ground.T)
    goal = multiverse.goal
    chances = isinstance(goal, Goal)
    ax.contourf(
        x, y, values, levels=np.linspace(0, 1, 11) if chances else 10, cmap=GROUND, zorder=0
    )
    known = [level for level in _decisions(goal) if values.min() < level < values.max()]
    if known:
        lines = ax.contour(x, y, values, known, colors=QUIET, linestyles="dashed", zorder=1)
        needs = f"chance {goal.decides}" if isinstance(goal, Goal) else ""
        words = {level: needs or f"{level:g}" for level in known}
        ax.clabel(lines, fmt=words, fontsize=8)
    if multiverse.question is not None:
        explainer = multiverse.question.explainer
        rows = explainer.terrain_.to_pandas(explainer.graph_.points)
        x, y = rows.to_numpy(dtype=np.float64).T
        ax.scatter(x, y, s=7, color=QUIET, alpha=0.35, linewidths=0, zorder=1)


def _decisions(goal: Goal | Range | None) -> list[float]:
    """What the model must say at least or at most, in order."""
    if isinstance(goal, Range):
        return [end for end in (goal.low, goal.high) if end is not None]
    return [] if goal is None else [goal.threshold]


def _edges(ax: Axes, multiverse: Multiverse) -> None:
    """The edges of a graph of one's own, as thin lines between its vertices."""
    if multiverse.graph is None:
        return
    points, costs = multiverse.graph.points, multiverse.graph.costs.tocoo()
    ax.scatter(points[:, 0], points[:, 1], s=14, color=QUIET, linewidths=0, zorder=1)
    if costs.nnz <= MOST_EDGES:
        ends = np.stack([points[costs.row], points[costs.col]], axis=1)
        ax.add_collection(LineCollection(list(ends), colors=EDGE, linewidths=1, zorder=0))


def _way(ax: Axes, points: np.ndarray, name: str, place: int, n_above: int) -> None:
    """A way's line, wider than the lines drawn above it."""
    looks: dict[str, Any] = {
        "color": colour(place),
        "solid_capstyle": "round",
        "solid_joinstyle": "round",
    }
    ax.plot(*points.T, lw=2.0 + 1.8 * n_above, zorder=2 + place / 10, **looks)
    if len(points) <= FEW_WAYPOINTS:
        ax.plot(*points[1:-1].T, ls="", marker="o", ms=4, color=PAPER, mec=INK, zorder=3)
    badge(ax, points[-1, 0], points[-1, 1], name, place)


def flow(
    multiverse: Multiverse,
    arrows: pd.DataFrame,
    *,
    towards: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Where a field leads from everywhere: basins in the colours of ways, arrows, where they part.

    A place has the colour of the destination that is nearest by the field's own length. An arrow is
    the steepest way to it; the dark line runs where ways part.

    Parameters
    ----------
    multiverse
        Of `steps="field"` and a table of two columns.
    arrows
        What `fl.flow` found of it.
    towards
        The letter of a destination, to see the arrows to it from everywhere; None for those to the
        nearest.
    ax
        Where to draw. As data: `fl.flow`.

    Examples
    --------
    >>> import facelift as fl
    >>> points = fl.toys.moons(200).points
    >>> model = lambda points: np.column_stack([points[:, 0] < 0.9, points[:, 0] >= 0.9]) * 1.0
    >>> explainer = fl.FACElift(model, steps="field", n_counterfactuals=2)
    >>> multiverse = explainer.fit(points).explain(points[0])
    >>> flow(multiverse, fl.flow(multiverse, n_points=10)).get_xlabel()
    'x0'
    """
    known = sorted(arrows["way"].unique())
    if towards is not None and towards not in known:
        raise InvalidInput(f"towards must be one of {', '.join(known)}, got {towards!r}.")
    names = [str(name) for name in arrows.columns[:2]]
    ax = axes_or_new(ax, (6.0, 5.0))
    plain(ax)
    ax.grid(visible=False)
    ax.set_xlabel(names[0], color=QUIET)
    ax.set_ylabel(names[1], color=QUIET)
    _basins(ax, arrows, names)
    chosen = arrows["nearest"] if towards is None else arrows["way"] == towards
    _arrows(ax, arrows[chosen], names)
    explainer = multiverse.question.explainer if multiverse.question else None
    if explainer is not None:
        records = explainer.terrain_.to_pandas(explainer.graph_.points).to_numpy(dtype=np.float64)
        x, y = records.T
        ax.scatter(x, y, s=7, color=QUIET, alpha=0.35, linewidths=0, zorder=1)
    found = table.world(multiverse)
    for number, place in places(multiverse).items():
        way = found.loc[found["way"] == letter(number), names].to_numpy(dtype=np.float64)
        ax.plot(*way.T, lw=2.5, color=colour(place), zorder=4, solid_capstyle="round")
        badge(ax, way[-1, 0], way[-1, 1], letter(number), place)
    x, y = found[names].iloc[0].tolist()
    ax.plot(x, y, marker="o", ms=9, color=INK, zorder=6, mec="white")
    beside(ax, "you", x, y, (0, -9), ha="center", va="top", color=INK, fontweight="bold", zorder=6)
    return ax


def _basins(ax: Axes, arrows: pd.DataFrame, names: list[str]) -> None:
    """The nearest destination of every place as a colour, and a line where they meet."""
    letters = sorted(arrows["way"].unique(), key=lambda name: (len(name), name))
    nearest = arrows[arrows["nearest"]]
    codes = nearest.assign(code=nearest["way"].map(letters.index).astype(float))
    grid = codes.pivot_table(index=names[1], columns=names[0], values="code", sort=True)
    every = arrows.pivot_table(index=names[1], columns=names[0], values="divergence", sort=True)
    grid = grid.reindex(index=every.index, columns=every.columns)
    tints = [to_rgba(colour(place), 0.25) for place in range(min(len(letters), 7))]
    tints += [to_rgba(QUIET, 0.2)] * (len(letters) - len(tints))
    x, y = grid.columns.to_numpy(dtype=np.float64), grid.index.to_numpy(dtype=np.float64)
    tints = tints * 2 if len(tints) == 1 else tints  # a map of one colour has none
    ax.pcolormesh(
        x,
        y,
        grid.to_numpy(),
        cmap=ListedColormap(tints),
        vmin=-0.5,
        vmax=len(tints) - 0.5,
        zorder=0,
    )
    for code in range(len(letters)):
        mine = (grid == code).to_numpy(dtype=np.float64)
        if 0 < mine.sum() < mine.size:
            ax.contour(x, y, mine, [0.5], colors=INK, linewidths=0.8, zorder=2)


def _arrows(ax: Axes, chosen: pd.DataFrame, names: list[str]) -> None:
    """Some of the steepest ways, evenly spaced, all of one length on the page."""
    steps = [max(1, -(-chosen[name].nunique() // N_ARROWS)) for name in names]
    kept = np.ones(len(chosen), dtype=bool)
    for name, step in zip(names, steps, strict=True):
        kept &= pd.factorize(chosen[name], sort=True)[0] % step == step // 2
    shown = chosen[kept & ((chosen["dx"] != 0) | (chosen["dy"] != 0)).to_numpy()]
    spans = [float(np.ptp(chosen[name])) or 1.0 for name in names]
    # Arrows are as long as their share of the plane, whatever the units of the columns.
    across, up = (shown[side] / span for side, span in zip(("dx", "dy"), spans, strict=True))
    sizes = np.sqrt(across**2 + up**2)
    ax.quiver(
        *(shown[name] for name in names),
        across / sizes,
        up / sizes,
        angles="uv",
        scale=32,
        width=0.003,
        color=INK,
        edgecolor=PAPER,
        zorder=3,
    )
