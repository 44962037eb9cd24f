"""One journey, stage by stage: what changes as a table, and pictures as a strip."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Rectangle

from facelift.drawing.parts import COLOURS, EDGE, INK, QUIET
from facelift.geometry import effects
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import PIPS, legend, letter, name_words, value_words
from facelift.terrain.feature import Feature
from facelift.views import table
from facelift.views.pictures import ADDED, REMOVED, difference_colours
from facelift.views.plot.style import bare_axes_or_new, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 20
"""So many columns of a table are shown; more are counted."""

SOFT = "#dfe7f5"
COLUMN = 2.2
"""Width of a stage, where the height of a row is 1."""


def steps(journey: Journey, *, ax: Axes | None = None) -> Axes:
    """A journey as a table: a row per thing that changes, a column per step.

    Below them effort and chance, and one pip per destination. As data: `fl.views.table.steps`.

    >>> from facelift.toys import loan
    >>> [text.get_text() for text in steps(loan().multiverse()[0]).texts][:4]
    ['now', '1', 'X1', '0']
    """
    if not journey.n_steps:
        return say(bare_axes_or_new(ax, (5, 2)), "Nothing changes: this journey has no steps.")
    journey = journey.in_steps
    values = table.steps(journey)
    shown = values.head(MOST_ROWS)
    n_more = len(values) - len(shown)
    n_rows = len(shown) + bool(n_more) + 2 + bool(journey.measure)
    names = [name_words(str(name), journey.features) for name in shown.index]
    margin = 0.135 * max([8, *map(len, names)])
    width = COLUMN * len(shown.columns)
    ax = bare_axes_or_new(ax, (0.6 * (margin + width), 0.36 * (n_rows + 2)))
    ax.set(xlim=(-margin, width), ylim=(n_rows + 0.9, -1))
    ax.set_axis_off()
    for stage, name in enumerate(shown.columns):
        _cell(ax, stage, -0.5, str(name), color=QUIET)
    for row, (name, words) in enumerate(zip(shown.index, names, strict=True)):
        _row(ax, row, words, shown.loc[name].tolist(), journey.features.get(str(name)))
    if n_more:
        _head(ax, len(shown), f"… and {n_more} more")
    _sums(ax, journey, len(shown) + bool(n_more))
    return ax


def _row(ax: Axes, row: int, name: str, values: list[Any], feature: Feature | None) -> None:
    """The value now, and every value that it changes to."""
    _head(ax, row, name)
    ax.plot([0, COLUMN * len(values)], [row, row], color=EDGE, lw=0.7, zorder=0)
    for stage, value in enumerate(values):
        changes = stage > 0 and value != values[stage - 1]
        if changes:
            place = (COLUMN * stage + 0.04, row + 0.08)
            ax.add_patch(Rectangle(place, COLUMN - 0.08, 0.84, fc=SOFT, ec="none"))
        if changes or not stage:
            looks = {"color": INK, "fontweight": "bold" if changes else "normal"}
            words = shorten(value_words(value, feature), 22, placeholder="…")
            _cell(ax, stage, row + 0.5, words, **looks)


def _sums(ax: Axes, journey: Journey, row: int) -> None:
    """Effort, what the model says if there is one, and pips, of every step."""
    pips = row + (2 if journey.measure else 1)
    _head(ax, row, "effort", QUIET)
    _head(ax, pips, "ways", QUIET)
    ax.plot([0, COLUMN * (journey.n_steps + 1)], [row, row], color=QUIET, lw=1)
    for stage in range(journey.n_steps + 1):
        if stage:
            _cell(ax, stage, row + 0.5, f"+{journey.step_costs[stage - 1]:.2f}", color=QUIET)
        if journey.measure:
            _cell(ax, stage, row + 1.5, journey.outlook(stage), color=INK)
        _marks(ax, journey, stage, (COLUMN * (stage + 0.5), pips + 0.5), COLUMN - 0.3)
    if journey.measure:
        _head(ax, row + 1, journey.measure, QUIET)
    ax.text(0, pips + 1.6, legend([journey]), color=QUIET, fontsize=8, va="center")


def _marks(
    ax: Axes, journey: Journey, stage: int, place: tuple[float, float], width: float
) -> None:
    """Under a stage, the letters of the destinations, or what the step did to each of them."""
    n_ways = journey.remaining.shape[1]
    did = effects(journey.remaining, journey.step_costs).tolist()[stage - 1] if stage else []
    marks = [PIPS[effect] for effect in did] or [letter(b) for b in range(n_ways)]
    gap = min(0.11 * width, width / max(n_ways, 1))
    for b, mark in enumerate(marks):
        known = mark != PIPS["closed"] and b < len(COLOURS)  # beyond seven, ways have no colours
        x = place[0] + (b - (n_ways - 1) / 2) * gap
        looks: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "fontsize": 8,
            "fontweight": "bold",
        }
        ax.text(x, place[1], mark, color=COLOURS[b] if known else QUIET, **looks)


def _cell(ax: Axes, stage: int, y: float, words: str, **looks: Any) -> None:
    x = COLUMN * (stage + 0.5)
    ax.text(x, y, words, ha="center", va="center", fontsize=9, **looks)


def _head(ax: Axes, row: int, name: str, colour: str = INK) -> None:
    ax.text(-0.1, row + 0.5, name, ha="right", va="center", fontsize=9, color=colour)


def pictures(journey: Journey, shape: tuple[int, int], *, ax: Axes | None = None) -> Axes:
    """A journey of pictures as a strip; below, the ink that each step added and removed.

    As data: `fl.views.table.pictures`.

    >>> from facelift.toys import loan
    >>> len(pictures(loan().multiverse()[2], (1, 2)).images)
    9
    """
    journey = journey.in_steps
    inks = table.pictures(journey, shape)
    ax = bare_axes_or_new(ax, (1.0 + 1.15 * len(inks), 2.9))
    tall = shape[0] / shape[1]
    for stage, ink in enumerate(inks):
        left = 1.35 * stage
        _picture(ax, ink, left, 0.0, 1.0, tall, cmap="gray_r", vmin=0, vmax=1)
        _write_chance(ax, journey, stage, left + 0.5, tall)
        _marks(ax, journey, stage, (left + 0.5, tall * 1.7 + 0.55), 1.2)
        if stage:
            ax.text(left - 0.175, tall / 2, "→", ha="center", va="center", color=QUIET, fontsize=12)
            change = difference_colours(inks[stage - 1], ink)
            _picture(ax, change, left + 0.15, tall + 0.42, 0.7, 0.7 * tall)
    ax.set(xlim=(-0.1, 1.35 * len(inks) - 0.25), ylim=(tall * 1.7 + 1.0, -0.12), aspect="equal")
    ax.set_axis_off()
    for x, words, tone in ((0.0, "■ ink added", ADDED), (1.35, "■ ink removed", REMOVED)):
        rgb = tuple(part / 255 for part in tone)
        ax.text(x, tall * 1.7 + 0.85, words, color=rgb, fontsize=9, va="center")
    return ax


def _picture(
    ax: Axes, pixels: Any, left: float, top: float, width: float, height: float, **looks: Any
) -> None:
    extent = (left, left + width, top + height, top)
    ax.imshow(pixels, extent=extent, interpolation="nearest", **looks)
    ax.add_patch(Rectangle((left, top), width, height, fill=False, ec=EDGE, lw=1))


def _write_chance(ax: Axes, journey: Journey, stage: int, x: float, tall: float) -> None:
    """The chance at a stage, and the effort of the step to it."""
    words = [journey.outlook(stage)] if journey.measure else []
    words += [f"+{journey.step_costs[stage - 1]:.2f}"] if stage else ["now"]
    ax.text(x, tall + 0.08, " · ".join(words), ha="center", va="top", fontsize=8, color=QUIET)
