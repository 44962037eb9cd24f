"""Groups of an audit by one measure, with its intervals, and pockets of people with equal ways."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from facelift._arrays import Floats
from facelift.auditing import name_of
from facelift.drawing import COLOURS, EDGE, INK, PAPER, QUIET, WARNING
from facelift.errors import InvalidInput
from facelift.multiverse.words import name_words
from facelift.views.plot.style import axes_or_new, beside, plain, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FEW = 30
"""Groups of fewer people are drawn hollow and grey: little can be said about them."""

LABEL = 22
"""Letters of a group's name on a line."""

SHARES = ("coverage", "opportunity", "commitment", "destinations_share")
"""Measures that are shares, shown in percent; so are they at equal chance (matched)."""


def fairness(audit: pd.DataFrame, measure: str = "coverage", *, ax: Axes | None = None) -> Axes:
    """One measure per group, with its interval and how many people it rests on.

    The title says whether the intervals leave room for no difference at all. Two that overlap may
    still differ: an audit's differences have intervals of their own (`Audit.differences`).

    Parameters
    ----------
    audit
        What `fl.audit` gives, or any frame with a row per group: `group` (or the index), how many
        people its numbers rest on (`rejected`, or `n`), and the measure with its interval in
        columns `<measure>`, `<measure>_low` and `<measure>_high`.
    measure
        Which one.
    ax
        Where to draw. As data: the audit itself.

    Examples
    --------
    >>> audit = pd.DataFrame({"group": ["women", "men"], "n": [109, 148], "coverage": [0.97, 0.96],
    ...                       "coverage_low": [0.93, 0.92], "coverage_high": [0.99, 0.98]})
    >>> fairness(audit).get_title(loc="left")
    'Coverage: intervals overlap, not conclusive'
    """
    _check(audit, measure)
    if audit.empty:
        return say(axes_or_new(ax, (6, 2)), "No groups: the audit is empty.")
    ax = axes_or_new(ax, (5.4, 1.1 + 0.55 * len(audit)))
    plain(ax)
    ax.grid(visible=False, axis="y")
    value, low, high = (
        audit[name].to_numpy(dtype=np.float64)
        for name in (measure, f"{measure}_low", f"{measure}_high")
    )
    counts = _counts(audit)
    for row in range(len(audit)):
        _group(ax, row, (value[row], low[row], high[row]), bool(counts[row] < FEW), measure)
    ax.set_yticks(range(len(audit)), _labels(audit, counts))
    ax.set_ylim(len(audit) - 0.4, -0.75)
    if _is_share(measure):
        ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set_title(f"{name_words(measure)}: {_verdict(low, high, counts)}", loc="left", fontsize=11)
    return ax


def _counts(audit: pd.DataFrame) -> Floats:
    """How many people the numbers of each group rest on; NaN where it is not said."""
    named = next((name for name in ("rejected", "n") if name in audit.columns), None)
    given = np.full(len(audit), np.nan) if named is None else audit[named]
    return np.asarray(given, dtype=np.float64)


def _labels(audit: pd.DataFrame, counts: Floats) -> list[str]:
    groups = audit["group"] if "group" in audit.columns else audit.index
    return [
        fill(name_of(group), LABEL) + ("" if np.isnan(n) else f"\nn = {n:,.0f}")
        for group, n in zip(groups, counts.tolist(), strict=True)
    ]


def _is_share(measure: str) -> bool:
    return measure.removesuffix("_matched") in SHARES


def _group(
    ax: Axes, row: int, interval: tuple[float, float, float], few: bool, measure: str
) -> None:
    value, low, high = interval
    tone = QUIET if few else COLOURS[0]
    ax.plot([low, high], [row, row], color=EDGE if few else QUIET, lw=2.4, solid_capstyle="butt")
    face = PAPER if few else tone
    ax.plot([value], [row], marker="o", ms=9, color=tone, mfc=face, zorder=3, ls="")
    if not np.isnan(value):
        words = f"{value:.0%}" if _is_share(measure) else f"{value:.3g}"
        words += " (few)" if few else ""
        beside(ax, words, value, row, (0, 9), ha="center", color=QUIET if few else INK, fontsize=9)


def _verdict(low: np.ndarray, high: np.ndarray, counts: np.ndarray) -> str:
    """Whether some value lies in every interval of the groups that are large enough."""
    known = ~(counts < FEW) & ~np.isnan(low) & ~np.isnan(high)
    if known.sum() < 2:
        return "too few people to compare"
    if low[known].max() <= high[known].min():
        return "intervals overlap, not conclusive"
    return "some intervals do not overlap"


def _check(audit: pd.DataFrame, measure: str) -> None:
    needed = [measure, f"{measure}_low", f"{measure}_high"]
    missing = [name for name in needed if name not in audit.columns]
    if missing:
        known = [
            str(name).removesuffix("_low") for name in audit.columns if str(name).endswith("_low")
        ]
        raise InvalidInput(
            f"The audit has no column {missing[0]!r}; measures with an interval are {known}."
        )


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
