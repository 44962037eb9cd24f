"""The paper's tables at a glance: what each method keeps open, ours beside what was printed."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from facelift.drawing.parts import COLOURS, EDGE, INK
from facelift.paper.figures import style
from facelift.paper.finding import Line, Lines
from facelift.paper.methods import METHODS
from facelift.paper.paper import PAPER
from facelift.paper.settings import TABLES

_WIDTH, _HEIGHT = 2.1, 2.0
"""Inches of a panel."""


def draw_table(part: str, cells: Lines) -> Figure:
    """Opportunity potential of every method, a panel for every column."""
    columns = [column for setting in TABLES[part] for column in setting.columns]
    found = {(line["column"], line["method"]): line for line in cells}
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
