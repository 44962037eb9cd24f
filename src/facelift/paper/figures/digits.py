"""Journeys from a 1 to a 9 as strips of digits: how easily one could turn to another digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from facelift import FACElift, Journey, Terrain, geometry
from facelift.errors import InvalidData
from facelift.graph import forward, remaining_costs
from facelift.paper.figures import style
from facelift.paper.figures.style import COLOURS, EDGE, INK, QUIET
from facelift.paper.results import Floats, Ints
from facelift.paper.studies import Home, study

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
    with style.page(width, height, title, subtitle) as figure:
        axes = style.placed(figure, 0, 0, width, height)
        best = int(np.argmax([strip.branching_factor for strip in found]))
        for row, strip in enumerate(found):
            _draw_strip(axes, strip, row, height - 1.7 - 1.52 * row, bold=row == best)
        axes.set(xlim=(0, width), ylim=(0, height))
        style.blank(axes)
        return figure


def _draw_strip(axes: Axes, strip: Strip, row: int, y: float, *, bold: bool) -> None:
    colour = COLOURS[row]
    weight = "bold" if bold else "normal"
    axes.text(0.16, y + 0.72, f"Way {row + 1}", weight="bold", color=colour)
    facts = (f"cost {strip.cost:.1f}", f"opportunity {strip.opportunity:.2f}")
    for line, fact in enumerate(facts):
        axes.text(0.16, y + 0.5 - 0.18 * line, fact, size=style.SMALL + 0.5, color=QUIET)
    text = f"branching {strip.branching_factor:+.2f}"
    axes.text(0.16, y + 0.14, text, weight=weight, size=style.SMALL + 0.5)
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
    axes.text(x, y - 0.2, text, size=style.SMALL, color=INK)
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
