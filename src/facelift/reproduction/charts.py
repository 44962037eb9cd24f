"""Results as vector graphics; without Matplotlib, one line says how to get it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from facelift.errors import MissingExtra
from facelift.extras import optional
from facelift.files import written_whole
from facelift.reproduction.finding import Line, Lines
from facelift.reproduction.methods import METHODS
from facelift.reproduction.paper import PAPER
from facelift.reproduction.settings import TABLES

_log = logging.getLogger("facelift")

Draw = Callable[[Any], Any]
"""Draws a figure, given Matplotlib's class of figures."""

_RED, _BLUE = "#8b1a1e", "#4c72b0"
_COLOURS = (_BLUE, "#8c8c8c", "#b8a04a", "#c44e52", _RED, "#e0a3a5", "#b97a7c")


def drawn(draw: Draw, path: Path) -> list[Path]:
    """The file of a figure, or none, with a line that says how to get one."""
    try:
        matplotlib = optional("matplotlib", extra="plot", what="A figure of the results")
    except MissingExtra as fault:
        _log.warning("%s", fault)
        return []
    from matplotlib.figure import Figure

    settings = {"svg.hashsalt": "facelift", "font.size": 8, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings), written_whole(path) as fresh:
        figure = draw(Figure)
        figure.savefig(fresh, format="svg", metadata={"Date": None})
    return [path]


def table_chart(part: str, cells: Lines) -> Draw:
    """Opportunity potential of every method with its 95 % interval; the paper's is hollow."""
    columns = [column for setting in TABLES[part] for column in setting.columns]
    found = {(line["column"], line["method"]): line for line in cells}

    def draw(figures: Any) -> Any:
        figure = figures(figsize=(2.4 * len(columns), 3.2), layout="constrained")
        panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
        for panel, column in zip(panels, columns, strict=True):
            for place, method in enumerate(METHODS):
                _mark(panel, place, found[column.name, method])
            panel.set_title(column.title)
            panel.set_xticks(range(len(METHODS)), METHODS, rotation=60, ha="right")
            panel.set_ylim(0, 1)
        figure.axes[0].set_ylabel("opportunity potential (hollow: the paper)")
        return figure

    return draw


def _mark(panel: Any, place: int, cell: Line) -> None:
    """Our mean with its interval, and the paper's."""
    colour = _COLOURS[place]
    if cell["opportunity"] is not None:
        half = 1.96 * (cell["opportunity_sd"] or 0) / math.sqrt(cell["compared"])
        panel.errorbar(place, cell["opportunity"], yerr=half, fmt="o", color=colour, capsize=2)
    printed = PAPER.get((cell["column"], cell["method"]))
    if printed is not None:
        panel.plot(place, printed.opportunity, "D", mfc="none", mec=colour)


def ablation_chart(curves: Lines) -> Draw:
    """Opportunity and distance of the choice as c grows, one panel per data set."""
    columns = list(dict.fromkeys(line["column"] for line in curves))

    def draw(figures: Any) -> Any:
        figure = figures(figsize=(4.0 * len(columns), 3.0), layout="constrained")
        panels = figure.subplots(1, len(columns), squeeze=False)[0]
        for panel, column in zip(panels, columns, strict=True):
            _curves(panel, [line for line in curves if line["column"] == column])
            panel.set(title=column, xlabel="c", xscale="log", ylim=(0, 1))
            counts = sorted({line["c"] for line in curves})
            panel.set_xticks(counts, list(map(str, counts)))
            panel.minorticks_off()
            panel.legend(loc="lower right")
        return figure

    return draw


def _curves(panel: Any, curves: Lines) -> None:
    """Opportunity on the left, distance on the right; dashed where it was told."""
    beside = panel.twinx()
    for told, style in ((False, "-"), (True, "--")):
        own = [line for line in curves if line["told"] == told]
        counts, chosen, away = (
            [line[name] for line in own] for name in ("c", "opportunity", "distance")
        )
        label = "told" if told else "own choice"
        panel.plot(counts, chosen, "o" + style, color=_RED, label=label)
        beside.plot(counts, away, "s" + style, color=_BLUE, markersize=3)
    panel.set_ylabel("opportunity potential", color=_RED)
    beside.set_ylabel("distance", color=_BLUE)
