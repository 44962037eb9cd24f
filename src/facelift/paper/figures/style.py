"""How our figures look, and how they are written: the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from facelift.paper.results import Floats, write

SHADE = "#e9eef5"
SMALL = 7.5
"""Size of small type, in points."""

LOOKS = mpl.rc_params_from_file(
    Path(__file__).with_name("looks.mplstyle"), use_default_template=False
)
INK, QUIET, EDGE = (LOOKS[name] for name in ("text.color", "axes.labelcolor", "axes.edgecolor"))
"""What is said, what is said beside it, thin lines."""

COLOURS = ("#0126a3", "#c21b0d", "#1a726a", "#9b980b", "#5978fd", "#d96cb4", "#690f51")
ON_COLOURS = ("#fff", "#fff", "#fff", "#111", "#111", "#111", "#fff")
"""The colours of journeys, and what is readable on each of them."""


@contextmanager
def page(width: float, height: float, title: str, subtitle: str = "") -> Iterator[Figure]:
    """A blank figure of that many inches, with a title, to draw on in our style."""
    with mpl.rc_context({**mpl.rcParamsDefault, **LOOKS, "backend": "agg"}):
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


def badge(axes: Axes, place: npt.ArrayLike, letter: str, number: int, size: float) -> None:
    """A letter in a circle of its journey's colour."""
    circle = {"boxstyle": "circle,pad=0.28", "facecolor": COLOURS[number], "edgecolor": "white"}
    ink = ON_COLOURS[number]
    words(axes, place, letter, color=ink, size=size, weight="bold", zorder=6, bbox=circle)


def beside(
    axes: Axes, text: str, place: npt.ArrayLike, by: tuple[float, float], **looks: Any
) -> None:
    """Words beside a place, so many points to the right and above."""
    x, y = np.asarray(place, dtype=np.float64).tolist()
    axes.annotate(text, (x, y), xytext=by, textcoords="offset points", **looks)


def write_svg(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG, without date or anything else that differs from run to run."""
    content = BytesIO()
    with mpl.rc_context(LOOKS):
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": "facelift"})
    return write(path, content.getvalue())
