"""Pockets of an audit: how many people have the same ways, and what these change."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import pandas as pd

from facelift.drawing.parts import COLOURS, INK, QUIET, WARNING
from facelift.views.plot.style import axes_or_new, beside, plain, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 12
"""So many pockets are drawn; smaller ones are counted together."""


def pockets(found: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """A bar for each pocket of `fl.pockets`: its people, what their ways change, their number.

    People without any way stand at the bottom, hatched. As data: `fl.pockets` itself.

    >>> import facelift as fl
    >>> line, model = fl.toys.line()
    >>> explainer = fl.FACElift(model, n_neighbors=2).fit(line)
    >>> len(pockets(fl.pockets(explainer.explain_many(line[:3], target=1))).patches)
    1
    """
    if not len(found):
        return say(axes_or_new(ax, (6, 3)), "Nobody was asked about.")
    nobody = found[found["ways"] == 0]
    shown = found[found["ways"] > 0]
    rest = shown.iloc[MOST:]
    shown = pd.concat([shown.iloc[:MOST], nobody])
    ax = axes_or_new(ax, (8, 1.0 + 0.5 * len(shown)))
    plain(ax)
    ax.grid(visible=False, axis="y")
    for place, (_, row) in enumerate(shown.iterrows()):
        none = row["ways"] == 0
        looks = {"color": WARNING, "hatch": "//", "alpha": 0.5} if none else {"color": COLOURS[0]}
        ax.barh(place, row["people"], height=0.62, **looks)
        words = "no way" if none else f"{row['people']} · {row['ways']:.1f} ways each"
        looks = {"va": "center", "color": INK, "fontsize": 8}
        beside(ax, words, row["people"], place, (4, 0), **looks)
    ax.set_yticks(range(len(shown)), [fill(each, 34) for each in shown["changes"]])
    ax.invert_yaxis()
    ax.set_xlabel("people", color=QUIET)
    if len(rest):
        ax.set_title(f"{len(rest)} smaller pockets of {rest['people'].sum()} people are not drawn")
    ax.margins(x=0.18)
    return ax
