"""What all plots share: axes to draw on, colours and letters of ways, and what to say of no way."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from facelift.drawing import COLOURS, EDGE, INK, ON_COLOURS, QUIET
from facelift.multiverse.html import shown
from facelift.multiverse.multiverse import Multiverse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^vPX"
"""One per colour, so that nobody needs colours."""

WRAP = 60
"""Letters on a line of a longer text."""


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes given, or those of a new figure of some size in inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def bare_axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The same for what needs no ticks: it fills its figure, but for a title."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.figure(figsize=size).add_axes((0.01, 0.01, 0.98, 0.93))


def plain(ax: Axes) -> None:
    """Quiet axes: no box, thin grid lines below everything."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(EDGE)
    ax.tick_params(colors=QUIET, length=0)
    ax.set_axisbelow(True)
    ax.grid(color=EDGE, linewidth=0.7)


def say(ax: Axes, words: str) -> Axes:
    """A sentence instead of a plot."""
    ax.set_axis_off()
    ax.text(
        0.5, 0.5, fill(words, WRAP), transform=ax.transAxes, ha="center", va="center", color=INK
    )
    return ax


def why_empty(multiverse: Multiverse) -> str:
    """What to say where there is no way."""
    return f"No way. {multiverse.why_not or ''}".strip()


def places(multiverse: Multiverse) -> dict[int, int]:
    """Which of the seven colours each way has that has one, by its number."""
    return {number: place for place, number in enumerate(shown(multiverse))}


def colour(place: int | None) -> str:
    """The colour of a way by its place; those without one are quiet."""
    return QUIET if place is None else COLOURS[place]


def marker(place: int | None) -> str:
    """The marker that goes with it."""
    return "." if place is None else MARKERS[place]


def badge(ax: Axes, x: float, y: float, name: str, place: int | None, size: float = 9.0) -> None:
    """A letter in a circle of its way's colour."""
    ink = "#fff" if place is None else ON_COLOURS[place]
    ax.annotate(
        name,
        (x, y),
        ha="center",
        va="center_baseline",
        color=ink,
        fontsize=size,
        fontweight="bold",
        zorder=6,
        annotation_clip=False,
        bbox={"boxstyle": "circle,pad=0.28", "facecolor": colour(place), "edgecolor": "white"},
    )


def beside(ax: Axes, words: str, x: float, y: float, by: tuple[float, float], **looks: Any) -> None:
    """Words beside a place, so many points to the right and above."""
    ax.annotate(words, (x, y), xytext=by, textcoords="offset points", **looks)
