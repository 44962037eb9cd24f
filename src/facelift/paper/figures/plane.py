"""The world of the paper's first figure: two features, a model, and journeys A to H.

The paper describes its picture in words; its data are not published. This world is made so that
the words are true of it, and `traits` measures each of them. Three figures show it: the multiverse,
journeys split into sections, and where two journeys part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial import KDTree

from facelift import FACElift, Terrain, explore, geometry
from facelift.datasets import pixel_rules
from facelift.graph import power
from facelift.paper import Bools, Floats
from facelift.paper.figures import charts
from facelift.paper.figures.charts import COLOURS, EDGE, INK, QUIET, badge, beside

FACTUAL = (0.10, 0.34)
DIRECT = {"A": (0.74, 0.34), "B": (0.378, 0.48)}
"""Ends of the journeys that go straight."""

THROUGH_RECORDS = {
    "C": (0.635, 0.085),
    "D": (0.82, 0.94),
    "F": (0.94, 0.76),
    "G": (0.64, 0.63),
    "H": (0.67, 0.53),
}
"""Ends of the journeys that follow records."""

LETTERS = tuple(sorted({**DIRECT, **THROUGH_RECORDS}))
SHARED = {"E₁": ("D", "F", "G"), "E₂": ("D", "F")}
"""Beginnings that are no journey by themselves, and the journeys that share them."""

NEARBY = 0.06
"""Radius around an end within which instability and errors are counted."""

SECTIONS = (5, 10, 25)
"""How many sections the paper splits journeys into."""

EPSILONS = (0.1, 0.25, 0.5)
"""The paper's branching thresholds."""

BENT, PARTING = ("F", "H"), ("F", "G")
"""The journeys that are split into sections, and those whose parting is looked for."""

_PLACE = {letter: place for place, letter in enumerate(LETTERS)}
_COLOUR = {letter: COLOURS[place] for letter, place in _PLACE.items()}
_WORST = {
    "A": ("emptiest",),
    "B": ("emptiest", "chance"),
    "C": ("unstable",),
    "D": ("length",),
    "F": ("length",),
    "G": ("errors",),
    "H": ("errors",),
}
"""What the paper says against each journey."""

_HEADINGS = {
    "length": ("length", "{:.2f}"),
    "emptiest": ("gap in\nthe data", "{:.2f}"),
    "chance": ("chance at\nthe end", "{:.0%}"),
    "unstable": ("undone\nnearby", "{:.0%}"),
    "errors": ("errors\nnearby", "{:.0%}"),
}


@dataclass(frozen=True, eq=False)
class Plane:
    """Records on a plane with their labels, the factual, and journeys by letter."""

    points: Floats
    labels: Bools
    factual: Floats
    journeys: dict[str, Floats]

    def trunk(self, letters: Sequence[str]) -> Floats:
        """The waypoints that some journeys share before they part."""
        lines = [self.journeys[letter] for letter in letters]
        together = zip(*lines, strict=False)
        same = takewhile(lambda places: (np.ptp(places, axis=0) == 0).all(), together)
        return np.array([places[0] for places in same])


def chance(points: Floats) -> Floats:
    """Probability of the outcome wanted: high on the right, uneasy at the bottom.

    >>> chance(np.array([[0.1, 0.3], [0.9, 0.8]])).round(2).tolist()
    [0.0, 1.0]
    """
    x, y = np.moveaxis(np.asarray(points), -1, 0)
    border = 0.36 + 0.9 * (y - 0.5) ** 2
    near = np.exp(-((x - 0.63) ** 2 + (y - 0.09) ** 2) / (2 * 0.06**2))
    ripple = 0.3 * near * np.sin(75 * x) * np.sin(75 * y)
    return np.asarray(1 / (1 + np.exp(-(x - border + ripple) / 0.03)))


@cache
def plane() -> Plane:
    """The world with its journeys; always the same."""
    rng = np.random.default_rng(0)
    points = _records(rng)
    labels = _labels(points, rng)
    factual = np.array(FACTUAL)
    as_drawn = pixel_rules(Terrain.infer(points))  # not stretched to the range of the records
    explainer = FACElift(_answers, as_drawn, n_neighbors=30, edge_cost=power(1.2), margin=0).fit(
        points
    )
    graph = explainer.graph_
    tree = KDTree(graph.points)
    start = int(tree.query(factual)[1])
    ends = {int(tree.query(end)[1]): letter for letter, end in THROUGH_RECORDS.items()}
    found = explore(graph, start, ends)
    routes = {ends[int(each.vertices[-1])]: each.waypoints for each in found}
    straight = {letter: np.array([graph.points[start], end]) for letter, end in DIRECT.items()}
    return Plane(points, labels, graph.points[start], {**straight, **routes})


def traits(world: Plane) -> pd.DataFrame:
    """What the paper says of each journey, measured; one row per letter.

    `length`; `emptiest`, the farthest that a station is from any record; `chance` at the end;
    `unstable`, the share of places nearby that the model decides otherwise; `errors`, the share of
    records nearby that it is wrong about.
    """
    rows = {letter: _traits(world, world.journeys[letter]) for letter in LETTERS}
    return pd.DataFrame.from_dict(rows, orient="index")


def emptiest(world: Plane, waypoints: Floats) -> float:
    """The farthest that a journey is from any record."""
    stations = geometry.resample(waypoints, 100)
    return float(np.max(KDTree(world.points).query(stations)[0]))


def _traits(world: Plane, waypoints: Floats) -> dict[str, float]:
    tree, end = KDTree(world.points), waypoints[-1]
    near = np.array(tree.query_ball_point(end, NEARBY), dtype=np.int64)
    wrong = (chance(world.points[near]) > 0.5) != world.labels[near]
    return {
        "length": geometry.length(waypoints),
        "emptiest": emptiest(world, waypoints),
        "chance": float(chance(end)),
        "unstable": float((chance(_disc(end)) <= 0.5).mean()),
        "errors": float(wrong.mean()) if len(near) else 0.0,
    }


def _disc(center: Floats) -> Floats:
    """Places nearby, evenly spread."""
    steps = np.linspace(-NEARBY, NEARBY, 41)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    return np.asarray(center + grid[(grid**2).sum(axis=1) <= NEARBY**2])


def _answers(points: Floats) -> Floats:
    good = chance(points)
    return np.column_stack([1 - good, good])


def _records(rng: np.random.Generator) -> Floats:
    """Clouds around where people are, and the ways between them; none in the middle."""
    ways = [
        [FACTUAL, (0.11, 0.58), (0.20, 0.74), (0.40, 0.81)],
        [(0.40, 0.81), (0.62, 0.87), (0.82, 0.94)],
        [(0.40, 0.81), (0.62, 0.82), (0.80, 0.79), (0.94, 0.76)],
        [(0.40, 0.81), (0.54, 0.76), (0.64, 0.63)],
        [FACTUAL, (0.17, 0.18), (0.38, 0.10), (0.63, 0.085)],
        [(0.38, 0.10), (0.52, 0.24), (0.62, 0.38), (0.67, 0.53)],
    ]
    clouds = [(FACTUAL, 0.035, 60), ((0.82, 0.94), 0.03, 45), ((0.94, 0.76), 0.03, 45)]
    clouds += [((0.655, 0.58), 0.04, 80), ((0.63, 0.085), 0.035, 40), ((0.75, 0.34), 0.025, 30)]
    parts = [_along(rng, np.array(way)) for way in ways]
    parts += [rng.normal(center, spread, (n, 2)) for center, spread, n in clouds]
    return np.asarray(np.clip(np.vstack([[FACTUAL], *parts]), 0.01, 0.99))


def _along(rng: np.random.Generator, corners: Floats) -> Floats:
    line = geometry.resample(corners, int(110 * geometry.length(corners)))
    return np.asarray(line + rng.normal(scale=0.018, size=line.shape))


def _labels(points: Floats, rng: np.random.Generator) -> Bools:
    """What is true: what the model says, but for many around G and H."""
    above = chance(points) > 0.5
    odd = np.linalg.norm(points - np.array([0.655, 0.58]), axis=1) < 0.12
    return np.asarray(above ^ (odd & (rng.random(len(points)) < 0.45)))


def stations(world: Plane, letters: Sequence[str], n_sections: int) -> dict[str, Floats]:
    """Some journeys, each as so many stations."""
    return {letter: geometry.resample(world.journeys[letter], n_sections) for letter in letters}


def normalisation(world: Plane) -> pd.DataFrame:
    """What sections make of two journeys: share of the length kept, and how far off they stray."""
    rows = [
        {
            "o": o,
            "journey": letter,
            "kept": geometry.length(line) / geometry.length(world.journeys[letter]),
            "strays": float(geometry.separation_from_line(_finely(world, letter), line).max()),
        }
        for o in SECTIONS
        for letter, places in stations(world, BENT, o).items()
        for line in [np.vstack([world.factual, places])]
    ]
    return pd.DataFrame(rows)


def _finely(world: Plane, letter: str) -> Floats:
    return geometry.resample(world.journeys[letter], 500)


def divergences(world: Plane, n_sections: int = 10) -> dict[float, int | None]:
    """At which station the first journey parts from the second, for every threshold."""
    a, b = stations(world, PARTING, n_sections).values()
    return {epsilon: geometry.divergence(a, b, epsilon) for epsilon in EPSILONS}


def draw_multiverse(world: Plane) -> Figure:
    """The explanatory multiverse of the first figure, and what there is to say of each journey."""
    subtitle = "Two features, one factual, seven ends. In bold what the paper says against each."
    with charts.page(8.4, 4.9, "A multiverse on a plane", subtitle) as figure:
        axes = charts.placed(figure, 0.16, 0.2, 4.1, 4.1)
        _ground(axes, world)
        for letter in LETTERS:
            _line(axes, world.journeys[letter], letter)
        _beginnings(axes, world)
        _you(axes, world)
        for letter in LETTERS:
            badge(axes, world.journeys[letter][-1], letter, _PLACE[letter], 7.5)
        _list(charts.placed(figure, 4.5, 0.2, 3.75, 4.1), world)
        return figure


def draw_normalisation(world: Plane) -> Figure:
    """Two journeys split into 5, 10 and 25 sections."""
    facts = normalisation(world).set_index(["o", "journey"])
    subtitle = "Stations at equal shares of the length; few of them cut corners."
    with charts.page(8.4, 3.7, "Journeys in sections", subtitle) as figure:
        for column, o in enumerate(SECTIONS):
            axes = charts.placed(figure, 0.16 + 2.74 * column, 0.22, 2.6, 2.6)
            _ground(axes, world, size=2.2)
            for letter, places in stations(world, BENT, o).items():
                axes.plot(*world.journeys[letter].T, color=QUIET, linewidth=0.8)
                _stops(axes, np.vstack([world.factual, places]), letter)
                badge(axes, places[-1], letter, _PLACE[letter], 7.5)
            _you(axes, world)
            strays = facts.loc[o]["strays"].max()
            axes.set_title(f"o = {o}", weight="bold", pad=4)
            text = f"up to {strays:.2f} off the way"
            axes.set_title(text, loc="right", color=QUIET, size=charts.SMALL, pad=4)
        return figure


def draw_divergence(world: Plane) -> Figure:
    """Where one journey parts from another, for three thresholds."""
    (taken, a), (other, b) = stations(world, PARTING, 10).items()
    title = f"Where {taken} parts from {other}"
    subtitle = "The first station farther than ε from every station of the other journey."
    with charts.page(8.4, 4.0, title, subtitle) as figure:
        axes = charts.placed(figure, 0.16, 0.2, 3.1, 3.1)
        _ground(axes, world, size=2.2)
        for letter, places in ((other, b), (taken, a)):
            _stops(axes, np.vstack([world.factual, places]), letter)
        for number, place in enumerate(a[:-1], start=1):
            beside(axes, str(number), place, (-4, 5), size=6.5, ha="center", zorder=8)
        _you(axes, world)
        for letter, places in ((taken, a), (other, b)):
            badge(axes, places[-1], letter, _PLACE[letter], 7.5)
        _separations(charts.placed(figure, 4.0, 0.62, 4.1, 2.5), world)
        return figure


def _separations(axes: Axes, world: Plane) -> None:
    """Separation at every station, and the thresholds with where they are first exceeded."""
    a, b = stations(world, PARTING, 10).values()
    apart, colour = geometry.separation(a, b), _COLOUR[PARTING[0]]
    places = np.arange(1, len(a) + 1)
    axes.vlines(places, 0, apart, color=colour, linewidth=2.5)
    axes.scatter(places, apart, s=26, color=colour, zorder=3)
    for epsilon, station in divergences(world).items():
        axes.axhline(epsilon, color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
        text = "never parts" if station is None else f"parts at station {station}"
        axes.text(0.45, epsilon + 0.008, f"ε = {epsilon:g}: {text}", size=charts.SMALL)
        if station is not None:
            axes.scatter(
                station, apart[station - 1], s=110, facecolor="none", edgecolor=INK, zorder=4
            )
    axes.set(xlim=(0.4, len(a) + 0.6), ylim=(0, 0.56), xticks=places, yticks=(0, *EPSILONS))
    axes.set_xlabel(f"station of {PARTING[0]}")
    axes.set_title(f"separation of {PARTING[0]} from {PARTING[1]}", color=QUIET, size=charts.SMALL)


def _ground(axes: Axes, world: Plane, size: float = 2.8) -> None:
    """What the model says, and the records: filled where the outcome is the one wanted."""
    steps = np.linspace(0, 1, 101)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1)
    axes.contourf(steps, steps, chance(grid), [0.5, 1], colors=[charts.SHADE], zorder=0)
    axes.contour(steps, steps, chance(grid), [0.5], colors=[QUIET], linewidths=0.7, zorder=0)
    charts.dots(axes, world.points, "#9aa4b2", size)
    charts.dots(axes, world.points[~world.labels], "white", size - 1)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    charts.blank(axes)


def _line(axes: Axes, waypoints: Floats, letter: str) -> None:
    dashes = (0, (4, 2.5)) if len(waypoints) == 2 else "solid"
    axes.plot(*waypoints.T, color=_COLOUR[letter], linewidth=1.8, linestyle=dashes, zorder=4)


def _beginnings(axes: Axes, world: Plane) -> None:
    """What journeys share before they part, with the paper's names on the part that is new."""
    axes.plot(*world.trunk("CH").T, color=INK, linewidth=1.8, zorder=5)
    before = 0
    for name, letters in SHARED.items():
        trunk = world.trunk(letters)
        axes.plot(*trunk.T, color=INK, linewidth=1.8, zorder=5)
        middle, before = trunk[(before + len(trunk)) // 2], len(trunk)
        beside(axes, name, middle, (-6, 7), weight="bold", ha="right")


def _stops(axes: Axes, places: Floats, letter: str) -> None:
    axes.plot(*places.T, color=_COLOUR[letter], linewidth=1.5, zorder=4)
    axes.scatter(places[1:, 0], places[1:, 1], s=14, color=_COLOUR[letter], zorder=5)


def _you(axes: Axes, world: Plane) -> None:
    charts.dot(axes, world.factual, 60, color=INK, edgecolor="white", linewidth=1, zorder=6)


def _list(axes: Axes, world: Plane) -> None:
    """The traits of every journey, with what speaks against it in bold."""
    facts = traits(world)
    axes.set(xlim=(0, 3.75), ylim=(0, 4.1))
    axes.set_axis_off()
    columns = np.linspace(1.0, 3.55, len(_HEADINGS))
    for x, (heading, _) in zip(columns, _HEADINGS.values(), strict=True):
        axes.text(x, 3.78, heading, size=charts.SMALL, color=QUIET, ha="right", va="bottom")
    axes.plot([0, 3.6], [3.7, 3.7], color=EDGE, linewidth=0.8)
    for row, letter in enumerate(LETTERS):
        y = 3.45 - 0.36 * row
        badge(axes, (0.15, y), letter, _PLACE[letter], 8)
        for x, (name, (_, form)) in zip(columns, _HEADINGS.items(), strict=True):
            heavy = "bold" if name in _WORST[letter] else "normal"
            value = form.format(facts.loc[letter, name])
            axes.text(x, y, value, ha="right", va="center_baseline", weight=heavy)
    notes = (
        "Black: shared beginnings. E₁ and E₂ lead nowhere by themselves",
        "and keep D, F and G open. Dashed: straight, with no records between.",
        "Shaded: the model decides as wanted. Filled: it is really so.",
    )
    for line, note in enumerate(notes):
        axes.text(0, 0.62 - 0.2 * line, note, size=charts.SMALL, color=QUIET)
