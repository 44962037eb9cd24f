"""Ways against each other: what they share, what stays open along each, costs, all criteria.

Criteria have an axis each, ways a line each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import ScaledTranslation

from facelift.drawing.parts import COLOURS, EDGE, INK, PAPER, QUIET, WARNING
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import letter
from facelift.views import table
from facelift.views.plot.style import (
    axes_or_new,
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

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from facelift.selection import USUAL, Criterion, named, scaled_scores, scores_of
from facelift.views.plot.style import (
    badge,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEAT = LinearSegmentedColormap.from_list("facelift", [PAPER, "#c3cfe8", "#6f8bc4", COLOURS[0]])
"""One hue, from nothing to all."""

ALONE = "Only one way was found: there is no other to compare it with."

APART = 0.035
"""So far apart, as a share of an axis, lines pass that would hide each other."""


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
