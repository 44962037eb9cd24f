"""Drawing the plane of the first figure: its multiverse, normalised journeys, where two part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from facelift import geometry
from facelift._arrays import Floats
from facelift.drawing.parts import COLOURS, EDGE, INK, QUIET
from facelift.paper.figures import style
from facelift.paper.figures.plane import LETTERS, SHARED, Plane, chance, traits
from facelift.views.plot.style import badge, beside

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
    with style.page(8.4, 4.9, "A multiverse on a plane", subtitle) as figure:
        axes = style.placed(figure, 0.16, 0.2, 4.1, 4.1)
        _ground(axes, world)
        for letter in LETTERS:
            _line(axes, world.journeys[letter], letter)
        _beginnings(axes, world)
        _you(axes, world)
        for letter in LETTERS:
            _badge(axes, world.journeys[letter][-1], letter)
        _list(style.placed(figure, 4.5, 0.2, 3.75, 4.1), world)
        return figure


def draw_normalisation(world: Plane) -> Figure:
    """Two journeys split into 5, 10 and 25 sections."""
    facts = normalisation(world).set_index(["o", "journey"])
    subtitle = "Stations at equal shares of the length; few of them cut corners."
    with style.page(8.4, 3.7, "Journeys in sections", subtitle) as figure:
        for column, o in enumerate(SECTIONS):
            axes = style.placed(figure, 0.16 + 2.74 * column, 0.22, 2.6, 2.6)
            _ground(axes, world, size=2.2)
            for letter, places in stations(world, BENT, o).items():
                axes.plot(*world.journeys[letter].T, color=QUIET, linewidth=0.8)
                _stops(axes, np.vstack([world.factual, places]), letter)
                _badge(axes, places[-1], letter)
            _you(axes, world)
            strays = facts.loc[o]["strays"].max()
            axes.set_title(f"o = {o}", weight="bold", pad=4)
            text = f"up to {strays:.2f} off the way"
            axes.set_title(text, loc="right", color=QUIET, size=style.SMALL, pad=4)
        return figure


def draw_divergence(world: Plane) -> Figure:
    """Where one journey parts from another, for three thresholds."""
    (taken, a), (other, b) = stations(world, PARTING, 10).items()
    title = f"Where {taken} parts from {other}"
    subtitle = "The first station farther than ε from every station of the other journey."
    with style.page(8.4, 4.0, title, subtitle) as figure:
        axes = style.placed(figure, 0.16, 0.2, 3.1, 3.1)
        _ground(axes, world, size=2.2)
        for letter, places in ((other, b), (taken, a)):
            _stops(axes, np.vstack([world.factual, places]), letter)
        for number, place in enumerate(a[:-1], start=1):
            _number(axes, place, number)
        _you(axes, world)
        for letter, places in ((taken, a), (other, b)):
            _badge(axes, places[-1], letter)
        _separations(style.placed(figure, 4.0, 0.62, 4.1, 2.5), world)
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
        axes.text(0.45, epsilon + 0.008, f"ε = {epsilon:g}: {text}", size=style.SMALL)
        if station is not None:
            axes.scatter(
                station, apart[station - 1], s=110, facecolor="none", edgecolor=INK, zorder=4
            )
    axes.set(xlim=(0.4, len(a) + 0.6), ylim=(0, 0.56), xticks=places, yticks=(0, *EPSILONS))
    axes.set_xlabel(f"station of {PARTING[0]}")
    axes.set_title(f"separation of {PARTING[0]} from {PARTING[1]}", color=QUIET, size=style.SMALL)


def _ground(axes: Axes, world: Plane, size: float = 2.8) -> None:
    """What the model says, and the records: filled where the outcome is the one wanted."""
    steps = np.linspace(0, 1, 101)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1)
    axes.contourf(steps, steps, chance(grid), [0.5, 1], colors=[style.SHADE], zorder=0)
    axes.contour(steps, steps, chance(grid), [0.5], colors=[QUIET], linewidths=0.7, zorder=0)
    style.dots(axes, world.points, "#9aa4b2", size)
    style.dots(axes, world.points[~world.labels], "white", size - 1)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    style.blank(axes)


def _line(axes: Axes, waypoints: Floats, letter: str) -> None:
    dashes = (0, (4, 2.5)) if len(waypoints) == 2 else "solid"
    axes.plot(*waypoints.T, color=_COLOUR[letter], linewidth=1.8, linestyle=dashes, zorder=4)


def _badge(axes: Axes, place: Floats, letter: str) -> None:
    x, y = place
    badge(axes, x, y, letter, _PLACE[letter], size=7.5)


def _beginnings(axes: Axes, world: Plane) -> None:
    """What journeys share before they part, with the paper's names on the part that is new."""
    axes.plot(*world.trunk("CH").T, color=INK, linewidth=1.8, zorder=5)
    before = 0
    for name, letters in SHARED.items():
        trunk = world.trunk(letters)
        axes.plot(*trunk.T, color=INK, linewidth=1.8, zorder=5)
        (x, y), before = trunk[(before + len(trunk)) // 2], len(trunk)
        beside(axes, name, x, y, (-6, 7), weight="bold", ha="right")


def _stops(axes: Axes, places: Floats, letter: str) -> None:
    axes.plot(*places.T, color=_COLOUR[letter], linewidth=1.5, zorder=4)
    axes.scatter(places[1:, 0], places[1:, 1], s=14, color=_COLOUR[letter], zorder=5)


def _number(axes: Axes, place: Floats, number: int) -> None:
    x, y = place
    beside(axes, str(number), x, y, (-4, 5), size=6.5, ha="center", zorder=8)


def _you(axes: Axes, world: Plane) -> None:
    style.dot(axes, world.factual, 60, color=INK, edgecolor="white", linewidth=1, zorder=6)


def _list(axes: Axes, world: Plane) -> None:
    """The traits of every journey, with what speaks against it in bold."""
    facts = traits(world)
    axes.set(xlim=(0, 3.75), ylim=(0, 4.1))
    axes.set_axis_off()
    columns = np.linspace(1.0, 3.55, len(_HEADINGS))
    for x, (heading, _) in zip(columns, _HEADINGS.values(), strict=True):
        axes.text(x, 3.78, heading, size=style.SMALL, color=QUIET, ha="right", va="bottom")
    axes.plot([0, 3.6], [3.7, 3.7], color=EDGE, linewidth=0.8)
    for row, letter in enumerate(LETTERS):
        y = 3.45 - 0.36 * row
        badge(axes, 0.15, y, letter, _PLACE[letter], size=8)
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
        axes.text(0, 0.62 - 0.2 * line, note, size=style.SMALL, color=QUIET)
