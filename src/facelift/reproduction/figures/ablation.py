"""How opportunity and distance of the chosen journey grow with the number looked at, c."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from facelift.drawing.colours import COLOURS, EDGE, INK
from facelift.errors import InvalidInput
from facelift.reproduction.figures import style

RESULTS = "ablation.csv"
"""What `facelift reproduce ablation` leaves in its folder: a line per data set, factual and c."""

MEASURES = ("opportunity", "distance")
_TITLES = {"german_credit": "German Credit", "adult": "Adult Income"}


def read_ablation(folder: Path) -> pd.DataFrame | None:
    """The results of an ablation in a folder, or None if there are none."""
    path = folder / RESULTS
    if not path.exists():
        return None
    found = pd.read_csv(path)
    missing = {"column", "c", *MEASURES} - set(found.columns)
    if missing:
        raise InvalidInput(
            f"{path} has no column {', '.join(sorted(missing))}; delete it and run "
            "facelift reproduce ablation again."
        )
    return found


def curves(results: pd.DataFrame) -> pd.DataFrame:
    """Mean of both measures for every data set and c, and half the width of its 95 % interval.

    >>> lines = [("adult", 1, 0.2, 1.0), ("adult", 1, 0.4, 1.0), ("adult", 2, 0.6, 2.0)]
    >>> frame = pd.DataFrame(lines, columns=["column", "c", "opportunity", "distance"])
    >>> curves(frame)["opportunity", "mean"].round(2).to_dict()
    {('adult', 1): 0.3, ('adult', 2): 0.6}
    """
    grouped = results.groupby(["column", "c"], sort=True)[list(MEASURES)]
    means, errors = grouped.mean(), 1.96 * grouped.sem()
    return pd.concat({"mean": means, "margin": errors}, axis=1).swaplevel(axis=1)


def draw_ablation(results: pd.DataFrame) -> Figure:
    """Opportunity above, distance below, a column for every data set."""
    found = curves(results)
    names = list(dict.fromkeys(results["column"]))
    subtitle = "c: how many of the nearest journeys FACElift chooses from. Bands: 95 % of the mean."
    width = 0.8 + 3.8 * len(names)
    with style.page(width, 4.8, "What looking at more journeys brings", subtitle) as figure:
        for place, name in enumerate(names):
            for row, measure in enumerate(MEASURES):
                axes = style.placed(figure, 0.6 + 3.8 * place, 2.45 - 1.95 * row, 3.3, 1.45)
                _curve(axes, found.loc[name][measure], COLOURS[row])
                axes.set_title(measure, color=COLOURS[row], size=style.SMALL + 0.5)
                if row == 0:
                    title = _TITLES.get(name, name)
                    axes.set_title(title, loc="right", weight="bold", color=INK)
            axes.set_xlabel("c")
        return figure


def _curve(axes: Axes, line: pd.DataFrame, colour: str) -> None:
    mean, margin = line["mean"], line["margin"].fillna(0)
    axes.fill_between(
        line.index, mean - margin, mean + margin, color=colour, alpha=0.14, linewidth=0
    )
    axes.plot(line.index, mean, color=colour, linewidth=1.8, marker="o", markersize=3.5)
    axes.set_xticks(list(line.index))
    low, high = (mean - margin).min(), (mean + margin).max()
    axes.set_ylim(low - 0.15 * (high - low) - 1e-3, high + 0.15 * (high - low) + 1e-3)
    axes.grid(axis="y", color=EDGE, linewidth=0.6)
    axes.locator_params(axis="y", nbins=4)
    axes.set_axisbelow(True)
