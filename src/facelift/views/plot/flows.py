"""The flow of a field in a plane: basins of destinations, and the steepest ways to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, to_rgba

from facelift.drawing.parts import INK, PAPER, QUIET
from facelift.errors import InvalidInput
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import letter
from facelift.views import table
from facelift.views.plot.style import axes_or_new, badge, beside, colour, places, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_ARROWS = 20
"""Most arrows along an axis; with more one would see only black."""


def flow(
    multiverse: Multiverse,
    arrows: pd.DataFrame,
    *,
    towards: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Where a field leads from everywhere: basins in the colours of ways, arrows, where they part.

    A place has the colour of the destination that is nearest by the field's own length. An arrow is
    the steepest way to it; the dark line runs where ways part.

    Parameters
    ----------
    multiverse
        Of `steps="field"` and a table of two columns.
    arrows
        What `fl.flow` found of it.
    towards
        The letter of a destination, to see the arrows to it from everywhere; None for those to the
        nearest.
    ax
        Where to draw. As data: `fl.flow`.

    Examples
    --------
    >>> import facelift as fl
    >>> points = fl.toys.moons(200).points
    >>> model = lambda points: np.column_stack([points[:, 0] < 0.9, points[:, 0] >= 0.9]) * 1.0
    >>> explainer = fl.FACElift(model, steps="field", edge_cost="power", n_counterfactuals=2)
    >>> multiverse = explainer.fit(points).explain(points[0])
    >>> flow(multiverse, fl.flow(multiverse, n_points=10)).get_xlabel()
    'x0'
    """
    known = sorted(arrows["way"].unique())
    if towards is not None and towards not in known:
        raise InvalidInput(f"towards must be one of {', '.join(known)}, got {towards!r}.")
    names = [str(name) for name in arrows.columns[:2]]
    ax = axes_or_new(ax, (6.0, 5.0))
    plain(ax)
    ax.grid(visible=False)
    ax.set_xlabel(names[0], color=QUIET)
    ax.set_ylabel(names[1], color=QUIET)
    _basins(ax, arrows, names)
    chosen = arrows["nearest"] if towards is None else arrows["way"] == towards
    _arrows(ax, arrows[chosen], names)
    explainer = multiverse.question.explainer if multiverse.question else None
    if explainer is not None:
        records = explainer.terrain_.to_pandas(explainer.graph_.points).to_numpy(dtype=np.float64)
        x, y = records.T
        ax.scatter(x, y, s=7, color=QUIET, alpha=0.35, linewidths=0, zorder=1)
    found = table.world(multiverse)
    for number, place in places(multiverse).items():
        way = found.loc[found["way"] == letter(number), names].to_numpy(dtype=np.float64)
        ax.plot(*way.T, lw=2.5, color=colour(place), zorder=4, solid_capstyle="round")
        badge(ax, way[-1, 0], way[-1, 1], letter(number), place)
    x, y = found[names].iloc[0].tolist()
    ax.plot(x, y, marker="o", ms=9, color=INK, zorder=6, mec="white")
    beside(ax, "you", x, y, (0, -9), ha="center", va="top", color=INK, fontweight="bold", zorder=6)
    return ax


def _basins(ax: Axes, arrows: pd.DataFrame, names: list[str]) -> None:
    """The nearest destination of every place as a colour, and a line where they meet."""
    letters = sorted(arrows["way"].unique(), key=lambda name: (len(name), name))
    nearest = arrows[arrows["nearest"]]
    codes = nearest.assign(code=nearest["way"].map(letters.index).astype(float))
    grid = codes.pivot_table(index=names[1], columns=names[0], values="code", sort=True)
    every = arrows.pivot_table(index=names[1], columns=names[0], values="divergence", sort=True)
    grid = grid.reindex(index=every.index, columns=every.columns)
    tints = [to_rgba(colour(place), 0.25) for place in range(min(len(letters), 7))]
    tints += [to_rgba(QUIET, 0.2)] * (len(letters) - len(tints))
    x, y = grid.columns.to_numpy(dtype=np.float64), grid.index.to_numpy(dtype=np.float64)
    tints = tints * 2 if len(tints) == 1 else tints  # a map of one colour has none
    ax.pcolormesh(
        x,
        y,
        grid.to_numpy(),
        cmap=ListedColormap(tints),
        vmin=-0.5,
        vmax=len(tints) - 0.5,
        zorder=0,
    )
    for code in range(len(letters)):
        mine = (grid == code).to_numpy(dtype=np.float64)
        if 0 < mine.sum() < mine.size:
            ax.contour(x, y, mine, [0.5], colors=INK, linewidths=0.8, zorder=2)


def _arrows(ax: Axes, chosen: pd.DataFrame, names: list[str]) -> None:
    """Some of the steepest ways, evenly spaced, all of one length on the page."""
    steps = [max(1, -(-chosen[name].nunique() // N_ARROWS)) for name in names]
    kept = np.ones(len(chosen), dtype=bool)
    for name, step in zip(names, steps, strict=True):
        kept &= pd.factorize(chosen[name], sort=True)[0] % step == step // 2
    shown = chosen[kept & ((chosen["dx"] != 0) | (chosen["dy"] != 0)).to_numpy()]
    spans = [float(np.ptp(chosen[name])) or 1.0 for name in names]
    # Arrows are as long as their share of the plane, whatever the units of the columns.
    across, up = (shown[side] / span for side, span in zip(("dx", "dy"), spans, strict=True))
    sizes = np.sqrt(across**2 + up**2)
    ax.quiver(
        *(shown[name] for name in names),
        across / sizes,
        up / sizes,
        angles="uv",
        scale=32,
        width=0.003,
        color=INK,
        edgecolor=PAPER,
        zorder=3,
    )
