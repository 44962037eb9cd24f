"""From records to the cells of a table, and how much one method differs from another."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.paper.methods import BASELINES, METHODS

MEASURES = ("distance", "cost", "steps", "opportunity")

NAN = float("nan")

SIGNIFICANT = 0.05
"""Below this chance of a difference as large where there is none, we say that there is one."""


def cells(records: pd.DataFrame) -> pd.DataFrame:
    """Means and deviations of every method in every column; failures are counted and left out."""
    groups = records.groupby(["column", "method"], sort=False)
    found = records["failure"] == ""
    table = pd.DataFrame(
        {
            "factuals": groups.size(),
            "success": found.groupby([records["column"], records["method"]], sort=False).mean(),
            "compared": groups["opportunity"].count(),
            "is_alternative": groups["is_alternative"].mean(),
            "seconds": groups["seconds"].mean(),
        }
    )
    for measure in MEASURES:
        table[measure], table[f"{measure}_sd"] = groups[measure].mean(), groups[measure].std()
    return table.reset_index()


def tests(records: pd.DataFrame) -> pd.DataFrame:
    """FACElift against every baseline in every column: Welch's t-test and Hedges' g."""
    ours = [name for name in METHODS if name not in BASELINES]
    return pd.DataFrame(
        [
            _compared(own, column, name, baseline, measure)
            for column, own in records.groupby("column", sort=False)
            for measure in ("opportunity", "distance")
            for name in ours
            for baseline in BASELINES
        ]
    )


def _compared(
    records: pd.DataFrame, column: object, ours: str, baseline: str, measure: str
) -> dict[str, object]:
    a, b = (
        records.loc[records["method"] == name, measure].dropna().to_numpy(dtype=np.float64)
        for name in (ours, baseline)
    )
    about = {"column": column, "measure": measure, "ours": ours, "baseline": baseline}
    if min(len(a), len(b)) < 2:
        return {**about, "difference": NAN, "t": NAN, "p": NAN, "g": NAN}
    t, p = welch(a, b)
    return {**about, "difference": a.mean() - b.mean(), "t": t, "p": p, "g": hedges(a, b)}


def welch(a: Floats, b: Floats) -> tuple[float, float]:
    """Statistic and p of an independent t-test with unequal variances (Welch 1947).

    Numbers that are all the same differ for certain, or not at all.

    >>> [round(each, 4) for each in welch(np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 6.0]))]
    [-3.0237, 0.0401]
    """
    from scipy.stats import t as student

    difference = float(a.mean() - b.mean())
    parts = [float(each.var(ddof=1)) / len(each) for each in (a, b)]
    if sum(parts) == 0:
        return (0.0, 1.0) if difference == 0 else (math.copysign(math.inf, difference), 0.0)
    t = difference / math.sqrt(sum(parts))
    n, m = len(a) - 1, len(b) - 1
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / n + parts[1] ** 2 / m)
    return t, float(2 * student.sf(abs(t), freedom))


def hedges(a: Floats, b: Floats) -> float:
    """Difference of the means in units of the pooled deviation, corrected for few cases.

    Hedges 1981: `g = (1 − 3 / (4·(n₁ + n₂) − 9)) · (mean₁ − mean₂) / s`; NaN where s is 0.

    >>> round(hedges(np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 6.0])), 4)
    -1.9751
    """
    n = len(a) + len(b)
    squares = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
    if squares == 0:
        return NAN
    return float((1 - 3 / (4 * n - 9)) * (a.mean() - b.mean()) / math.sqrt(squares / (n - 2)))


def verdict(difference: float, p: float) -> str:
    """Whether one is higher than, lower than, or not shown to differ from the other.

    >>> verdict(0.2, 0.01), verdict(-0.2, 0.01), verdict(0.2, 0.3)
    ('higher', 'lower', 'not shown')
    """
    if not p < SIGNIFICANT:
        return "not shown"
    return "higher" if difference > 0 else "lower"
