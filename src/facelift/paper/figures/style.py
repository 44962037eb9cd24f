"""How our figures look, and how they are written: the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from facelift._arrays import Floats
from facelift._files import written_whole
from facelift.drawing.parts import EDGE, INK, QUIET

SHADE = "#e9eef5"
MAIN, SMALL = 9.0, 7.5
"""Sizes of type, in points."""

_LOOKS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": MAIN,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": EDGE,
    "axes.labelcolor": QUIET,
    "axes.labelsize": SMALL,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": MAIN,
    "axes.titlelocation": "left",
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
}
_WRITING: dict[Any, Any] = {
    "svg.hashsalt": "facelift",
    "svg.fonttype": "none",
    "svg.image_inline": True,
}


@contextmanager
def page(width: float, height: float, title: str, subtitle: str = "") -> Iterator[Figure]:
    """A blank figure of that many inches, with a title, to draw on in our style."""
    with mpl.rc_context({**mpl.rcParamsDefault, **_LOOKS, "backend": "agg"}):
        figure = Figure(figsize=(width, height), facecolor="white")
        left = 0.16 / width
        figure.text(left, 1 - 0.14 / height, title, size=11.5, weight="bold", va="top")
        figure.text(left, 1 - 0.38 / height, subtitle, size=SMALL + 0.5, color=QUIET, va="top")
        yield figure


def placed(figure: Figure, x: float, y: float, width: float, height: float) -> Axes:
    """Axes at a place given in inches from the lower left of the figure."""
    whole, high = figure.get_size_inches()
    return figure.add_axes((x / whole, y / high, width / whole, height / high))


def blank(axes: Axes) -> None:
    """Axes without frame and ticks, for a drawing in its own units."""
    axes.set_axis_off()
    axes.set_aspect("equal")


def dot(axes: Axes, place: npt.ArrayLike, size: float, **looks: Any) -> None:
    """A dot at a place."""
    x, y = np.asarray(place, dtype=np.float64).tolist()
    axes.scatter(x, y, s=size, **looks)


def words(axes: Axes, place: npt.ArrayLike, text: str, **looks: Any) -> None:
    """Words centred at a place."""
    x, y = np.asarray(place, dtype=np.float64).tolist()
    axes.text(x, y, text, ha="center", va="center_baseline", **looks)


def dots(axes: Axes, points: Floats, colour: str, width: float) -> None:
    """Many dots as one short line of round ends each, which is small when written."""
    ends = np.stack([points, points + np.array([1e-4, 0])], axis=1).reshape(-1, 2)
    codes = np.tile([Outline.MOVETO, Outline.LINETO], len(points))
    outline = Outline(ends, codes)
    axes.add_patch(
        PathPatch(outline, edgecolor=colour, linewidth=width, capstyle="round", zorder=1)
    )


def write_svg(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG, without date or anything else that differs from run to run."""
    about = {"Date": None, "Creator": "facelift"}
    with mpl.rc_context(_WRITING), written_whole(path) as fresh:
        figure.savefig(fresh, format="svg", metadata=about)
    return path
