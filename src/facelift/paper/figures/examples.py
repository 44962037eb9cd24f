"""The paper's examples: opportunity potential worked out, and strips of digits from 1 to 9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from facelift import FACElift, Journey, Terrain, geometry, toys
from facelift.errors import InvalidData
from facelift.graph import forward, remaining_costs
from facelift.paper import Floats, Ints
from facelift.paper.figures import charts
from facelift.paper.figures.charts import COLOURS, EDGE, INK, QUIET, beside
from facelift.paper.studies import Home, study

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
    with charts.page(8.4, 3.9, "Opportunity potential of straight journeys", subtitle) as figure:
        axes = charts.placed(figure, 0.3, 0.25, 3.2, 3.0)
        for taken, end in enumerate(ENDS):
            for compared in np.delete(np.arange(3), taken):
                _projection(axes, end, ENDS[compared], COLOURS[taken])
        for number, end in enumerate(ENDS):
            _arrow(axes, (0, 0), end, COLOURS[number], width=2.2)
            beside(axes, NAMES[number], end, (7, 3), weight="bold", color=COLOURS[number])
        charts.dot(axes, (0, 0), 50, color=INK, zorder=6)
        axes.text(-0.04, -0.02, "x", ha="right", va="top", weight="bold")
        axes.set(xlim=(-0.15, 1.3), ylim=(-0.1, 1.42))
        charts.blank(axes)
        _table(charts.placed(figure, 4.1, 0.35, 4.0, 2.9), vectors(), "{:.2f}".format)
        return figure


def draw_loan() -> Figure:
    """The loan graph with its costs, and the table of opportunity potentials."""
    world = toys.loan()
    subtitle = "What steps cost; a step keeps an end open while the cost left to it falls."
    with charts.page(8.4, 3.4, "Opportunity potential on a graph: a loan", subtitle) as figure:
        axes = charts.placed(figure, 0.1, 0.2, 4.2, 2.55)
        costs = world.graph.costs.tocoo()
        for start, end, cost in zip(costs.row, costs.col, costs.data, strict=True):
            _edge(axes, _PLACES[start], _PLACES[end], f"{cost:g}")
        for vertex, place in enumerate(_PLACES):
            _vertex(axes, place, vertex, vertex in world.destinations)
        axes.set(xlim=(-0.5, 6.6), ylim=(-0.6, 2.75))
        charts.blank(axes)
        _table(charts.placed(figure, 4.6, 0.3, 3.6, 2.5), loan(), _fraction)
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
    axes.text(n / 2, -0.6, "compared with", ha="center", color=QUIET, size=charts.SMALL)
    axes.text(-0.12, -0.18, "taken", ha="right", color=QUIET, size=charts.SMALL)
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
    charts.dot(axes, foot, 26, facecolor="white", edgecolor=colour, linewidth=1.4, zorder=5)


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
    charts.words(axes, (start + end) / 2, cost, size=charts.SMALL + 0.5, bbox=ground)


def _vertex(axes: Axes, place: Sequence[float], vertex: int, is_end: bool) -> None:
    fill = COLOURS[vertex - 1] if is_end else INK if vertex == 0 else "white"
    edge = fill if is_end else INK
    charts.dot(axes, place, 330, facecolor=fill, edgecolor=edge, zorder=4)
    name = "x" if vertex == 0 else "x" + "₀₁₂₃₄₅₆"[vertex]
    colour = INK if fill == "white" else "white"
    charts.words(axes, place, name, color=colour, weight="bold", zorder=5)


N_STRIPS, N_NEIGHBORS, PENALTY, APART = 4, 20, 1.1, 5.0
"""Journeys shown, and the paper's k, its λ on ink taken away and its spacing of alternatives."""

N_LOOKED_AT = 100
"""Factuals among which the one to show is looked for."""


@dataclass(frozen=True, eq=False)
class Strip:
    """A journey as images (k, side, side), with the nearest image of another digit at each."""

    images: Floats
    turns: Floats
    turn_digits: Ints
    branching: Floats
    """Branching factor of each waypoint towards all other digits, 0 at the factual; (k,)."""

    cost: float
    branching_factor: float
    opportunity: float
    """Mean opportunity potential towards the other digits."""


def digit_explainer(images: Floats, terrain: Terrain, model: Any) -> FACElift:
    """The paper's graph of images: λ on ink taken away, steps weighed by density."""
    pixels = tuple(pixel.priced(decrease=PENALTY) for pixel in terrain.features)
    explainer = FACElift(
        model,
        replace(terrain, features=pixels),
        n_neighbors=N_NEIGHBORS,
        edge_cost="density",
        n_counterfactuals=N_STRIPS,
        min_separation=APART,
        margin=0,
    )
    return explainer.fit(images)


def strips(explainer: FACElift, factual: Any, start: Any, target: Any) -> list[Strip]:
    """The nearest journeys of one image to the target digit, nearest first."""
    classes = list(explainer.classes_)
    columns = [place for place, digit in enumerate(classes) if digit not in (start, target)]
    predicted = explainer.probabilities_.argmax(axis=1)
    groups = [np.flatnonzero(predicted == column) for column in columns]
    left = remaining_costs(explainer.graph_, groups)
    found = explainer.explain(factual, target)
    digits = np.where(np.isin(predicted, columns), np.asarray(classes)[predicted], -1)
    return [_strip(explainer, journey, left, digits) for journey in found]


def _strip(explainer: FACElift, journey: Journey, left: Floats, digits: Ints) -> Strip:
    graph, remaining = explainer.graph_, left[journey.vertices]
    turns = [_nearest_other(explainer, int(vertex), digits) for vertex in journey.vertices]
    return Strip(
        _squares(journey.waypoints),
        _squares(graph.points[turns]),
        digits[turns],
        geometry.vertex_branching(remaining, scale=float(remaining[0].mean())),
        journey.cost,
        geometry.branching_factor(remaining),
        float(geometry.opportunity_potential(journey.step_costs, remaining).mean()),
    )


def _nearest_other(explainer: FACElift, vertex: int, digits: Ints) -> int:
    """The nearest vertex of any of the other digits."""
    costs = forward(explainer.graph_, vertex).costs
    return int(np.argmin(np.where(digits >= 0, costs, np.inf)))


def _squares(points: Floats) -> Floats:
    side = round(points.shape[1] ** 0.5)
    return points.reshape(-1, side, side)


def paper_strips(*, seed: int = 0, data_home: Home = None) -> list[Strip]:
    """Strips of an MNIST image of a 1: the first with no direct journey and a choice to make.

    That is, where the journey of the highest branching factor is not the nearest one.
    """
    digits = study("mnist", seed=seed, data_home=data_home)
    explainer = digit_explainer(digits.rows, digits.terrain, digits.model)
    ones = digits.rows[digits.labels == 1][:N_LOOKED_AT]
    many = (strips(explainer, one, 1, 9) for one in ones)
    chosen = next(filter(worth_showing, many), None)
    if chosen is None:
        raise InvalidData(f"None of {len(ones)} ones has journeys worth showing; try another seed.")
    return chosen


def worth_showing(found: Sequence[Strip]) -> bool:
    """Whether there are enough journeys, none of them a jump, and the nearest is not the best."""
    between = [strip.branching_factor for strip in found]
    return len(found) == N_STRIPS and bool(np.isfinite(between).all() and np.argmax(between) > 0)


def draw_strips(found: Sequence[Strip]) -> Figure:
    """Journeys as rows of digits, with branching factors and where one could turn instead."""
    longest = max(len(strip.images) for strip in found)
    width, height = 2.3 + 1.18 * longest, 0.82 + 1.52 * len(found)
    title = "From a 1 to a 9, through digits that somebody wrote"
    subtitle = (
        "Branching factor r: above 0, the other digits are nearer than at the start. "
        "Small: the nearest."
    )
    with charts.page(width, height, title, subtitle) as figure:
        axes = charts.placed(figure, 0, 0, width, height)
        best = int(np.argmax([strip.branching_factor for strip in found]))
        for row, strip in enumerate(found):
            _draw_strip(axes, strip, row, height - 1.7 - 1.52 * row, bold=row == best)
        axes.set(xlim=(0, width), ylim=(0, height))
        charts.blank(axes)
        return figure


def _draw_strip(axes: Axes, strip: Strip, row: int, y: float, *, bold: bool) -> None:
    colour = COLOURS[row]
    weight = "bold" if bold else "normal"
    axes.text(0.16, y + 0.72, f"Way {row + 1}", weight="bold", color=colour)
    facts = (f"cost {strip.cost:.1f}", f"opportunity {strip.opportunity:.2f}")
    for line, fact in enumerate(facts):
        axes.text(0.16, y + 0.5 - 0.18 * line, fact, size=charts.SMALL + 0.5, color=QUIET)
    text = f"branching {strip.branching_factor:+.2f}"
    axes.text(0.16, y + 0.14, text, weight=weight, size=charts.SMALL + 0.5)
    for place, image in enumerate(strip.images):
        x = 1.9 + 1.18 * place
        _image(axes, image, x, y, 0.84, colour)
        if place:
            axes.annotate(
                "", (x, y + 0.42), (x - 0.34, y + 0.42), arrowprops=_ARROW | {"color": colour}
            )
        _turn(axes, strip, place, x, y)


_ARROW = {"arrowstyle": "-|>,head_width=0.2,head_length=0.35", "linewidth": 1.4, "shrinkA": 3}


def _turn(axes: Axes, strip: Strip, place: int, x: float, y: float) -> None:
    """Below a waypoint: its branching factor, and the nearest other digit."""
    if place == len(strip.images) - 1:
        return
    text = f"r {strip.branching[place]:+.2f}" if place else "r 0"
    axes.text(x, y - 0.2, text, size=charts.SMALL, color=INK)
    _image(axes, strip.turns[place], x + 0.52, y - 0.4, 0.32, EDGE, faint=True)


def _image(
    axes: Axes, image: Floats, x: float, y: float, side: float, edge: str, *, faint: bool = False
) -> None:
    axes.imshow(
        image,
        extent=(x, x + side, y, y + side),
        cmap="gray_r",
        vmin=0,
        vmax=1.8 if faint else 1,
        interpolation="none",
        zorder=2,
    )
    frame = Rectangle((x, y), side, side, facecolor="none", edgecolor=edge, linewidth=1.1, zorder=3)
    axes.add_patch(frame)
