"""One protocol for all methods: the same factuals, the same alternatives, the same measures.

`measured` makes records; `cells` and `tests` make tables of them: means, and how methods differ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from facelift import Journey, Multiverse, best
from facelift.geometry import distances
from facelift.paper.methods import BASELINES, METHODS, Method
from facelift.paper.results import Floats, Ints
from facelift.paper.settings import Column
from facelift.paper.world import Alternatives, World

MEASURES = ("distance", "cost", "steps", "opportunity")


SIGNIFICANT = 0.05
"""Below this chance of a difference as large where there is none, we say that there is one."""

NAN = float("nan")


@dataclass(frozen=True)
class Record:
    """What one method came to for one factual in one column.

    `distance` is Euclidean, between factual and counterfactual; `cost` is what the journey costs at
    the setting's prices. Where nothing was found, these are NaN and `failure` says why.
    `is_alternative` says that it led to one of the alternatives, which was then left out of the
    mean. `seconds` are of processor time, for one factual, without the fit.
    """

    column: str
    method: str
    row: int
    failure: str
    n_alternatives: int
    seconds: float
    distance: float = NAN
    cost: float = NAN
    steps: float = NAN
    opportunity: float = NAN
    is_alternative: bool = False


def measured(world: World, numbers: Ints, methods: Iterable[Method]) -> list[Record]:
    """What every method comes to for some rows, in every column of the setting."""
    vertices = world.explainer.vertices_[numbers].tolist()
    instead = {
        column: [world.alternatives(column, vertex) for vertex in vertices]
        for column in world.setting.columns
    }
    records: list[Record] = []
    for method in methods:
        start = time.process_time()
        found = method.explain(world.rows(numbers))
        seconds = (time.process_time() - start) / len(numbers)
        for column, sets in instead.items():
            for row, multiverse, others in zip(numbers.tolist(), found, sets, strict=True):
                records += _records(world, column, method, row, multiverse, others, seconds)
    return records


def _records(
    world: World,
    column: Column,
    method: Method,
    row: int,
    found: Multiverse,
    instead: Alternatives,
    seconds: float,
) -> Iterator[Record]:
    """What comes of each of a method's choices among the journeys it found for a row."""
    for name, choice in method.choices.items():
        nothing = Record(column.name, name, row, "nothing found", len(instead.vertices), seconds)
        if not len(found):
            yield nothing
            continue
        journey = best(found, choice(world, column, instead))
        if world.confirmed(journey.counterfactual, method.target):
            yield replace(nothing, failure="", **_measures(world, journey, instead))
        else:
            yield replace(nothing, failure="not confirmed by the model")


def _measures(world: World, journey: Journey, instead: Alternatives) -> dict[str, Any]:
    return {
        "distance": float(distances(journey.waypoints[0], journey.counterfactual)),
        "cost": journey.cost,
        "steps": journey.n_steps,
        "opportunity": world.opportunity(journey, instead),
        "is_alternative": world.is_alternative(journey, instead),
    }


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
    from scipy.stats import ttest_ind

    difference = float(a.mean() - b.mean())
    if np.ptp(a) == np.ptp(b) == 0:
        return (0.0, 1.0) if difference == 0 else (math.copysign(math.inf, difference), 0.0)
    t, p = ttest_ind(a, b, equal_var=False)
    return float(t), float(p)


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
