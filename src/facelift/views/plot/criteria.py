"""Ways against all criteria at once: an axis for each criterion, a line for each way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from facelift.drawing.parts import EDGE, QUIET
from facelift.multiverse.multiverse import Multiverse
from facelift.selection import USUAL, Criterion, named, scaled_scores, scores_of
from facelift.views import table
from facelift.views.plot.style import (
    axes_or_new,
    badge,
    colour,
    marker,
    places,
    say,
    why_empty,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APART = 0.035
"""So far apart, as a share of an axis, lines pass that would hide each other."""


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
