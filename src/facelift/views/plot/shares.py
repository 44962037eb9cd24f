"""Ways against each other: what they share, what stays open along each, costs, all criteria.

Criteria have an axis each, ways a line each. One journey, stage by stage, is a table or a strip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import ScaledTranslation

from facelift.choosing import USUAL, Criterion, named, scaled_scores, scores_of
from facelift.drawing import COLOURS, EDGE, INK, PAPER, QUIET, WARNING
from facelift.geometry import effects
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import PIPS, legend, letter, name_words, value_words
from facelift.terrain.feature import Feature
from facelift.views import table
from facelift.views.inline import ADDED, REMOVED, difference_colours
from facelift.views.plot.style import (
    axes_or_new,
    badge,
    bare_axes_or_new,
    beside,
    colour,
    marker,
    places,
    plain,
    say,
    why_empty,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HEAT = LinearSegmentedColormap.from_list("facelift", [PAPER, "#c3cfe8", "#6f8bc4", COLOURS[0]])
"""One hue, from nothing to all."""

ALONE = "Only one way was found: there is no other to compare it with."

APART = 0.035
"""So far apart, as a share of an axis, lines pass that would hide each other."""

MOST_ROWS = 20
"""So many columns of a table are shown; more are counted."""

SOFT = "#dfe7f5"
COLUMN = 2.2
"""Width of a stage, where the height of a row is 1."""


def opportunity(multiverse: Multiverse, *, ax: Axes | None = None) -> Axes:
    """Heat map of opportunity potential: heading for the row, one also comes towards the column.

    The last column is the mean over the others, a way's score. As data:
    `fl.views.table.opportunity` and `multiverse.scores`.

    >>> from facelift.toys import loan
    >>> len(opportunity(loan().multiverse()).images)
    1
    """
    if len(multiverse) < 2:
        return _too_few(multiverse, ax)
    shares = table.opportunity(multiverse)
    n = len(shares)
    ax = axes_or_new(ax, (1.6 + 0.5 * (n + 1), 1.2 + 0.45 * n))
    cells = shares.to_numpy(copy=True)
    np.fill_diagonal(cells, np.nan)
    ax.imshow(cells, cmap=HEAT, vmin=0, vmax=1, aspect="auto")
    for i, row in enumerate(cells):
        for j, share in enumerate(row):
            if i == j:
                ax.text(j, i, "–", ha="center", va="center", color=EDGE)
            else:
                ink = PAPER if share > 0.72 else INK
                ax.text(j, i, _short(share), ha="center", va="center", color=ink, fontsize=9)
        mean = _short(multiverse.scores[i])
        ax.text(n, i, mean, ha="center", va="center", color=INK, fontsize=9, fontweight="bold")
    _lettered(ax, multiverse, n)
    return ax


def _lettered(ax: Axes, multiverse: Multiverse, n: int) -> None:
    """Letters around a matrix, with the colours of their ways."""
    ax.set(xlim=(-0.5, n + 0.5), ylim=(n - 0.5, -0.5))
    names = [letter(number) for number in range(n)]
    ax.set_xticks(range(n + 1), [*names, "mean"])
    ax.set_yticks(range(n), names)
    ax.xaxis.tick_top()
    ax.tick_params(length=0, colors=QUIET)
    for labels in (ax.get_xticklabels()[:n], ax.get_yticklabels()):
        for number, label in enumerate(labels):
            label.set(color=colour(places(multiverse).get(number)), fontweight="bold")
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=PAPER, linewidth=2)
    ax.tick_params(which="minor", length=0)
    ax.set_title("Heading for ↓ also brings you towards →", loc="left", fontsize=11, pad=10)


def stays_open(multiverse: Multiverse, *, ax: Axes | None = None) -> Axes:
    """What stays open as one goes: the share of other ways served so far, per way.

    Over the share of a way's cost travelled; a cross marks a step that puts another way out of
    reach for good. As data: `fl.views.table.stays_open`.

    >>> from facelift.toys import loan
    >>> len(stays_open(loan().multiverse()).lines) >= 3
    True
    """
    if len(multiverse) < 2:
        return _too_few(multiverse, ax)
    ax = axes_or_new(ax, (6.4, 3.6))
    plain(ax)
    found = table.stays_open(multiverse)
    ways = [found[found["way"] == letter(number)] for number in range(len(multiverse))]
    for number, way in enumerate(ways):
        _curve(ax, multiverse, number, way)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    ax.set(xlim=(0, 1), ylim=(-0.04, 1.06))
    ax.set_xlabel("share of the effort travelled", color=QUIET)
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.yaxis.set_major_formatter(PercentFormatter(1))
    ax.set_title("Other ways that every step so far has also served", loc="left", fontsize=11)
    return ax


def _curve(ax: Axes, multiverse: Multiverse, number: int, way: pd.DataFrame) -> None:
    """One way's curve, a little above or below the others so that none hides another."""
    place = places(multiverse).get(number)
    lane = (number - (len(multiverse) - 1) / 2) * 1.3 / 72
    figure = ax.get_figure(root=True)
    shift = ScaledTranslation(0, -lane, figure.dpi_scale_trans)  # type: ignore[union-attr]
    moved = ax.transData + shift
    ax.plot(
        way["travelled"],
        way["open"],
        drawstyle="steps-pre",
        marker=marker(place),
        ms=4.5,
        lw=1.8 if place is not None else 1.0,
        label=letter(number),
        color=colour(place),
        transform=moved,
        clip_on=False,
    )
    lost = way[way["in_reach"].diff() < 0]
    looks: dict[str, Any] = {"ls": "", "marker": "x", "ms": 6.5, "mew": 1.8, "color": WARNING}
    if len(lost):
        ax.plot(lost["travelled"], lost["open"], transform=moved, zorder=5, clip_on=False, **looks)


def trade_off(multiverse: Multiverse, *, ax: Axes | None = None) -> Axes:
    """Effort against opportunity, one marker per way; those beaten by none are joined by a line.

    Cheaper is farther left, keeping more open is higher. As data: `fl.views.table.trade_off`.

    >>> from facelift.toys import loan
    >>> trade_off(loan().multiverse()).get_xlabel()
    'effort'
    """
    if len(multiverse) < 2:
        return _too_few(multiverse, ax)
    ax = axes_or_new(ax, (5.6, 3.8))
    plain(ax)
    found = table.trade_off(multiverse)
    best = found[found["front"]].sort_values("cost")
    ax.plot(best["cost"], best["opportunity"], color=INK, lw=1, ls=":", zorder=1, label="front")
    for number, (cost, score) in enumerate(found[["cost", "opportunity"]].to_numpy().tolist()):
        place = places(multiverse).get(number)
        ax.scatter([cost], [score], s=70, marker=marker(place), color=colour(place))
    _named(ax, found)
    ax.set_xlabel("effort", color=QUIET)
    ax.set_ylabel("serves other ways", color=QUIET)
    ax.margins(0.12)
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_title("Effort and what it keeps open (dotted: beaten by none)", loc="left", fontsize=11)
    return ax


def _named(ax: Axes, found: pd.DataFrame) -> None:
    """Letters beside the markers, those of equal markers behind each other."""
    at: dict[tuple[float, float], list[str]] = {}
    for name, cost, score in found[["way", "cost", "opportunity"]].to_numpy().tolist():
        at.setdefault((round(cost, 9), round(score, 9)), []).append(name)
    for (x, y), names in at.items():
        beside(ax, " ".join(names), x, y, (7, 5), color=INK, fontsize=9, fontweight="bold")


def _too_few(multiverse: Multiverse, ax: Axes | None) -> Axes:
    return say(axes_or_new(ax, (6, 2)), ALONE if len(multiverse) else why_empty(multiverse))


def _short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0") if share < 0.995 else "1"


def criteria(
    multiverse: Multiverse,
    by: Mapping[str, Criterion] | Sequence[Criterion] = USUAL,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Parallel lines: on every axis the best way is on top, the worst at the bottom.

    Dashed ways are beaten by another on every criterion. Scores stand at the ends of each axis;
    equal ones lie a little apart, so that each line can be followed. As data:
    `fl.views.table.criteria`.

    >>> from facelift.toys import loan
    >>> len(criteria(loan().multiverse()).lines) >= 3
    True
    """
    if not len(multiverse):
        return say(axes_or_new(ax, (6, 3)), why_empty(multiverse))
    chosen, told = named(by), table.criteria(multiverse, by)
    ax = axes_or_new(ax, (1.6 + 1.25 * len(chosen), 3.6))
    heights = np.column_stack(
        [scaled_scores(scores_of(multiverse, each)) for each in chosen.values()]
    )
    shifted = heights + ((np.arange(len(heights)) - (len(heights) - 1) / 2) * APART)[:, None]
    slots = np.linspace(0, 1, len(heights)) if len(heights) > 1 else np.array([0.5])
    slots = slots[np.argsort(np.argsort(shifted[:, 0]))]  # letters stand apart, in this order
    for number, (line, slot) in enumerate(zip(shifted, slots.tolist(), strict=True)):
        place = places(multiverse).get(number)
        ax.plot([-0.5, 0], [slot, line[0]], color=colour(place), linewidth=0.8, zorder=1)
        ax.plot(
            range(len(chosen)),
            line,
            color=colour(place),
            marker=marker(place),
            linestyle="-" if told["front"][number] else "--",
            linewidth=2,
            clip_on=False,
        )
        badge(ax, -0.5, slot, told["way"][number], place)
    for x, name in enumerate(chosen):
        ax.axvline(x, color=EDGE, linewidth=0.8, zorder=0)
        finite = told[name][np.isfinite(told[name])]
        for y, score in ((1.16, finite.max()), (-0.16, finite.min())) if len(finite) else ():
            ax.text(x, y, f"{score:.3g}", ha="center", va="center", color=QUIET, fontsize=8)
    ax.set(xlim=(-0.7, len(chosen) - 0.7), ylim=(-0.25, 1.25))
    ax.set_xticks(range(len(chosen)), list(chosen))
    ax.set_yticks([])
    ax.tick_params(length=0, colors=QUIET)
    ax.spines[:].set_visible(False)
    return ax


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
