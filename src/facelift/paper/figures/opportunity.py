"""The paper's two worked examples of opportunity potential: straight vectors, the loan graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from facelift import geometry, toys
from facelift.paper.figures import style
from facelift.paper.figures.style import COLOURS, INK, QUIET, beside
from facelift.paper.results import Floats

ENDS = np.array([[1.0, 0.0], [0.88, 0.65], [0.37, 1.31]])
"""Counterfactuals, seen from the factual, whose table is the paper's to the nearest 0.05."""

PAPER_VECTORS = np.array([[1.0, 0.9, 0.35], [0.75, 1.0, 1.0], [0.2, 0.65, 1.0]])
PAPER_LOAN = np.array([[1, 0, 0], [0, 1, 4 / 7], [0, 7 / 8, 1]])
"""As printed, turned so that rows are the journey taken."""

NAMES = ("x₁", "x₂", "x₃")
_PLACES = np.array([[0, 1], [1.2, 2.1], [4.4, 2.1], [6, 0.1], [2.4, 0.1], [3.8, 0.1], [4.9, 0.1]])
"""Where the vertices of the loan graph are drawn."""


@dataclass(frozen=True, eq=False)
class Worked:
    """A table of opportunity potentials, rows taken, and the paper's beside it."""

    potentials: Floats
    paper: Floats

    @property
    def means(self) -> Floats:
        """Mean of each row, own included: the paper's score of each journey."""
        return np.asarray(self.potentials.mean(axis=1))


def vectors() -> Worked:
    """Algorithm 3 on three straight journeys.

    >>> vectors().potentials.round(2).tolist()
    [[1.0, 0.88, 0.37], [0.74, 1.0, 0.98], [0.2, 0.64, 1.0]]
    """
    found = geometry.direct_opportunity(np.zeros(2), ENDS[:, np.newaxis], ENDS)
    return Worked(found, PAPER_VECTORS)


def loan() -> Worked:
    """Algorithm 5 on the loan graph.

    >>> loan().potentials.round(3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.571], [0.0, 0.875, 1.0]]
    """
    return Worked(toys.loan().multiverse().opportunity, PAPER_LOAN)


def draw_vectors() -> Figure:
    """Three straight journeys, how far each serves the others, and the table of it."""
    subtitle = "Each end is projected on the journey taken: so far the walk also approaches it."
    with style.page(8.4, 3.9, "Opportunity potential of straight journeys", subtitle) as figure:
        axes = style.placed(figure, 0.3, 0.25, 3.2, 3.0)
        for taken, end in enumerate(ENDS):
            for compared in np.delete(np.arange(3), taken):
                _projection(axes, end, ENDS[compared], COLOURS[taken])
        for number, end in enumerate(ENDS):
            _arrow(axes, (0, 0), end, COLOURS[number], width=2.2)
            beside(axes, NAMES[number], end, (7, 3), weight="bold", color=COLOURS[number])
        style.dot(axes, (0, 0), 50, color=INK, zorder=6)
        axes.text(-0.04, -0.02, "x", ha="right", va="top", weight="bold")
        axes.set(xlim=(-0.15, 1.3), ylim=(-0.1, 1.42))
        style.blank(axes)
        _table(style.placed(figure, 4.1, 0.35, 4.0, 2.9), vectors(), "{:.2f}".format)
        return figure


def draw_loan() -> Figure:
    """The loan graph with its costs, and the table of opportunity potentials."""
    world = toys.loan()
    subtitle = "What steps cost; a step keeps an end open while the cost left to it falls."
    with style.page(8.4, 3.4, "Opportunity potential on a graph: a loan", subtitle) as figure:
        axes = style.placed(figure, 0.1, 0.2, 4.2, 2.55)
        costs = world.graph.costs.tocoo()
        for start, end, cost in zip(costs.row, costs.col, costs.data, strict=True):
            _edge(axes, _PLACES[start], _PLACES[end], f"{cost:g}")
        for vertex, place in enumerate(_PLACES):
            _vertex(axes, place, vertex, vertex in world.destinations)
        axes.set(xlim=(-0.5, 6.6), ylim=(-0.6, 2.75))
        style.blank(axes)
        _table(style.placed(figure, 4.6, 0.3, 3.6, 2.5), loan(), _fraction)
        return figure


def _fraction(share: float) -> str:
    known = {0.0: "0", 1.0: "1", 4 / 7: "4/7", 7 / 8: "7/8"}
    return next((name for value, name in known.items() if np.isclose(share, value)), f"{share:.2f}")


def _table(axes: Axes, worked: Worked, form: Any) -> None:
    """Rows taken, columns compared with, the mean at the end and the best of them in bold."""
    n = len(worked.potentials)
    axes.set(xlim=(-0.75, n + 1.15), ylim=(n + 0.1, -0.95))
    axes.set_axis_off()
    headings = [(column + 0.5, name) for column, name in enumerate(NAMES)]
    for x, name in [*headings, (n + 0.65, "mean")]:
        axes.text(x, -0.18, name, ha="center", weight="bold", color=_tone(name))
    axes.text(n / 2, -0.6, "compared with", ha="center", color=QUIET, size=style.SMALL)
    axes.text(-0.12, -0.18, "taken", ha="right", color=QUIET, size=style.SMALL)
    best = int(np.argmax(worked.means))
    for row, name in enumerate(NAMES):
        weight = "bold" if row == best else "normal"
        axes.text(-0.12, row + 0.5, name, ha="right", va="center", weight="bold", color=_tone(name))
        pair = worked.means[row], worked.paper[row].mean()
        ours, theirs = (f"{mean + 1e-9:.2f}" for mean in pair)
        _number(axes, (n + 0.65, row), ours, theirs, weight)
        for column in range(n):
            _cell(axes, row, column, worked, form)


def _tone(name: str) -> str:
    return COLOURS[NAMES.index(name)] if name in NAMES else QUIET


def _cell(axes: Axes, row: int, column: int, worked: Worked, form: Any) -> None:
    """A number on a ground as dark as it is large."""
    value, paper = worked.potentials[row, column], worked.paper[row, column]
    shade = (1 / 255, 38 / 255, 163 / 255, 0.05 + 0.3 * value)
    axes.add_patch(Rectangle((column + 0.03, row + 0.04), 0.94, 0.92, facecolor=shade))
    _number(axes, (column + 0.5, row), form(value), form(paper))


def _number(
    axes: Axes, place: tuple[float, float], value: str, paper: str, weight: str = "normal"
) -> None:
    """Our number; the paper's below where it is another."""
    x, top = place
    middle = top + (0.5 if value == paper else 0.42)
    axes.text(x, middle, value, ha="center", va="center", weight=weight)
    if value != paper:
        text = f"paper {paper}"
        axes.text(x, top + 0.72, text, ha="center", va="center", size=6.5, color=QUIET)


def _projection(axes: Axes, taken: Floats, compared: Floats, colour: str) -> None:
    share = geometry.direct_opportunity([0, 0], taken, compared)
    foot = share * taken
    line = np.array([compared, foot])
    axes.plot(*line.T, color=colour, linewidth=0.9, linestyle=(0, (3, 2.5)), zorder=2)
    style.dot(axes, foot, 26, facecolor="white", edgecolor=colour, linewidth=1.4, zorder=5)


def _arrow(axes: Axes, start: Any, end: Any, colour: str, width: float, shrink: float = 0) -> None:
    axes.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.28,head_length=0.55",
            "color": colour,
            "linewidth": width,
            "shrinkA": shrink,
            "shrinkB": shrink,
        },
    )


def _edge(axes: Axes, start: Floats, end: Floats, cost: str) -> None:
    _arrow(axes, start, end, QUIET, 1.2, shrink=11)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    style.words(axes, (start + end) / 2, cost, size=style.SMALL + 0.5, bbox=ground)


def _vertex(axes: Axes, place: Sequence[float], vertex: int, is_end: bool) -> None:
    fill = COLOURS[vertex - 1] if is_end else INK if vertex == 0 else "white"
    edge = fill if is_end else INK
    style.dot(axes, place, 330, facecolor=fill, edgecolor=edge, zorder=4)
    name = "x" if vertex == 0 else "x" + "₀₁₂₃₄₅₆"[vertex]
    colour = INK if fill == "white" else "white"
    style.words(axes, place, name, color=colour, weight="bold", zorder=5)
