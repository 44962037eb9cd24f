"""How our figures look and are written (the same input, the same bytes), and charts of results."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from facelift.errors import InvalidData
from facelift.paper import Floats, Line, Lines, read_results, write
from facelift.paper.protocol import METHODS
from facelift.paper.studies import PAPER, TABLES

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


RESULTS = "ablation.csv"
"""What `facelift reproduce ablation` leaves in its folder: a line per data set, c and choice."""

MEASURES = ("opportunity", "distance")
_WIDTH, _HEIGHT = 2.1, 2.0
"""Inches of a panel of a table."""

_NEEDED = ("column", "c", "told", "factuals", "success", "compared")
_TITLES = {"german_credit": "German Credit", "adult": "Adult Income"}
_DASHES = {True: "solid", False: (0, (4, 2.5))}
"""Whether the choice was told the alternatives, and how its line is drawn."""


def draw_table(part: str, cells: Lines) -> Figure:
    """Opportunity potential of every method, a panel for every column."""
    found = {(line["column"], line["method"]): line for line in cells}
    known = {name for name, _ in found}
    every = [column for setting in TABLES[part] for column in setting.columns]
    columns = [column for column in every if column.name in known]
    subtitle = "Opportunity potential: mean, 95 % interval; hollow: as the paper prints it."
    title, width = f"Table {part[-1]}", 0.6 + (_WIDTH + 0.3) * len(columns)
    with page(max(width, 4.6), _HEIGHT + 2.0, title, subtitle) as figure:
        for place, column in enumerate(columns):
            panel = placed(figure, 0.5 + (_WIDTH + 0.3) * place, 1.15, _WIDTH, _HEIGHT)
            panel.set_title(column.title, color=INK)
            for i, method in enumerate(METHODS):
                _mark(panel, i, found[column.name, method])
            panel.set_xticks(range(len(METHODS)), METHODS, rotation=55, ha="right")
            panel.set_ylim(0, 1)
            panel.grid(axis="y", color=EDGE, linewidth=0.6)
            panel.set_axisbelow(True)
        return figure


def _mark(panel: Axes, place: int, cell: Line) -> None:
    """Our mean with its interval, and the paper's."""
    colour = COLOURS[place]
    if cell["opportunity"] is not None:
        margin = 1.96 * (cell["opportunity_sd"] or 0.0) / math.sqrt(cell["compared"])
        panel.errorbar(place, cell["opportunity"], yerr=margin, fmt="o", markersize=4, color=colour)
    printed = PAPER.get((cell["column"], cell["method"]))
    if printed is not None:
        panel.plot(place, printed.opportunity, "D", markersize=5, mfc="none", mec=colour)


def read_ablation(folder: Path) -> pd.DataFrame | None:
    """The results of an ablation in a folder, or None if there are none."""
    path = folder / RESULTS
    if not path.exists():
        return None
    found = read_results(path)
    needed = {*_NEEDED, *MEASURES, *(f"{measure}_sd" for measure in MEASURES)}
    missing = needed - set(found.columns)
    if missing:
        raise InvalidData(
            f"{path} has no column {', '.join(sorted(missing))}; delete it and run "
            "facelift reproduce ablation again."
        )
    return found


def curves(results: pd.DataFrame) -> pd.DataFrame:
    """Both measures for every data set, choice and c, with half the width of a 95 % interval.

    >>> names = "column c told factuals success compared"
    >>> names += " opportunity opportunity_sd distance distance_sd"
    >>> line = ["adult", 5, True, 50, 0.5, 16, 0.6, 0.2, 2.0, 1.0]
    >>> curves(pd.DataFrame([line], columns=names.split())).round(3).to_dict("records")
    [{'opportunity': 0.6, 'opportunity_margin': 0.098, 'distance': 2.0, 'distance_margin': 0.392}]
    """
    counted = {"opportunity": results["compared"], "distance": results["factuals"]}
    counted["distance"] = counted["distance"] * results["success"]
    table = results[["column", "told", "c"]].copy()
    for measure in MEASURES:
        table[measure] = results[measure]
        table[f"{measure}_margin"] = 1.96 * results[f"{measure}_sd"] / np.sqrt(counted[measure])
    return table.set_index(["column", "told", "c"]).sort_index()


def draw_ablation(results: pd.DataFrame) -> Figure:
    """Opportunity above, distance below, a column for every data set."""
    found = curves(results)
    names = list(dict.fromkeys(results["column"]))
    subtitle = (
        "c: how many of the nearest journeys FACElift chooses from, told what it will be compared "
        "with (solid) or not (dashed). Bands: 95 %."
    )
    width = 0.8 + 3.8 * len(names)
    with page(width, 4.8, "What looking at more journeys brings", subtitle) as figure:
        for place, name in enumerate(names):
            for row, measure in enumerate(MEASURES):
                axes = placed(figure, 0.6 + 3.8 * place, 2.45 - 1.95 * row, 3.3, 1.45)
                _panel(axes, found.loc[name], measure)
                axes.set_title(measure, color=_colour(measure), size=SMALL + 0.5)
                if row == 0:
                    axes.set_title(_TITLES.get(name, name), loc="right", weight="bold", color=INK)
            axes.set_xlabel("c")
        return figure


def _panel(axes: Axes, lines: pd.DataFrame, measure: str) -> None:
    """One measure: a line for each choice, within the 95 % interval of its means."""
    for told, dashes in _DASHES.items():
        if told not in lines.index.get_level_values("told"):
            continue
        line = lines.loc[told]
        counts, mean = line.index.to_numpy(), line[measure].to_numpy()
        margin = np.nan_to_num(line[f"{measure}_margin"].to_numpy())
        colour = _colour(measure)
        axes.fill_between(
            counts, mean - margin, mean + margin, color=colour, alpha=0.1, linewidth=0
        )
        axes.plot(
            counts, mean, color=colour, linewidth=1.7, linestyle=dashes, marker="o", markersize=3
        )
    ticks = sorted(set(lines.index.get_level_values("c")))
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="y", color=EDGE, linewidth=0.6)
    axes.locator_params(axis="y", nbins=4)
    axes.set_axisbelow(True)


def _colour(measure: str) -> str:
    return COLOURS[MEASURES.index(measure)]
