"""Results at a glance: what each method of a table keeps open, and what looking at more brings."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from facelift.errors import InvalidData
from facelift.paper.figures import style
from facelift.paper.figures.style import COLOURS, EDGE, INK
from facelift.paper.protocol import METHODS
from facelift.paper.results import Line, Lines, read_results
from facelift.paper.studies import PAPER, TABLES

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
    with style.page(max(width, 4.6), _HEIGHT + 2.0, title, subtitle) as figure:
        for place, column in enumerate(columns):
            panel = style.placed(figure, 0.5 + (_WIDTH + 0.3) * place, 1.15, _WIDTH, _HEIGHT)
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
    with style.page(width, 4.8, "What looking at more journeys brings", subtitle) as figure:
        for place, name in enumerate(names):
            for row, measure in enumerate(MEASURES):
                axes = style.placed(figure, 0.6 + 3.8 * place, 2.45 - 1.95 * row, 3.3, 1.45)
                _panel(axes, found.loc[name], measure)
                axes.set_title(measure, color=_colour(measure), size=style.SMALL + 0.5)
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
