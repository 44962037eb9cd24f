"""Journeys as tidy data frames: one row per step and feature that changes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey

Change = tuple[str, Any, Any]
"""A feature, its value before and its value after."""

COLUMNS = ["step", "feature", "from", "to", "probability", "cost", "open", "closes", "dips"]


def waypoint_rows(journey: Journey) -> pd.DataFrame:
    """The waypoints in the table's units, or their coordinates where there is no table."""
    return coordinate_rows(journey.waypoints) if journey.rows is None else journey.rows


def coordinate_rows(points: Floats) -> pd.DataFrame:
    """Points as a table of their coordinates x0, x1 and so on."""
    return pd.DataFrame(points, columns=[f"x{i}" for i in range(points.shape[1])])


def row_values(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The values of each row of a table, by column; None where one is missing."""
    names = [str(name) for name in rows.columns]
    cells = rows.astype(object).where(rows.notna(), None).to_numpy().tolist()
    return [dict(zip(names, row, strict=True)) for row in cells]


def changes(journey: Journey) -> list[list[Change]]:
    """For each step, the features that change: name, from, to."""
    return row_changes(waypoint_rows(journey))


def row_changes(rows: pd.DataFrame) -> list[list[Change]]:
    """What differs between each row of a table and the next: name, from, to."""
    names = [str(name) for name in rows.columns]
    values = rows.astype(object).to_numpy()  # as objects, so that whole numbers stay whole
    gone = rows.isna().to_numpy(dtype=bool)
    return [
        [(names[i], before[i], after[i]) for i in np.flatnonzero(_differ(before, after, *holes))]
        for (before, after), holes in zip(pairwise(values), pairwise(gone), strict=True)
    ]


def differ(before: Any, after: Any) -> bool:
    """Whether two values differ; two that are missing do not."""
    if pd.isna(before) or pd.isna(after):
        return bool(pd.isna(before)) != bool(pd.isna(after))
    return bool(before != after)


def _differ(before: Any, after: Any, gone_before: Bools, gone_after: Bools) -> Bools:
    """Where two rows differ: in what both have, or in what one of them has."""
    changed = gone_before != gone_after
    known = ~gone_before & ~gone_after
    changed[known] = before[known] != after[known]
    return np.asarray(changed)


def journey_table(journey: Journey) -> pd.DataFrame:
    """One row per step and changed feature.

    `open` counts the alternatives kept open so far; `closes` numbers the destinations that the step
    puts out of reach for good; `dips` says whether the step leads to a lower chance than the
    factual's.
    The column `probability` is called `prediction` where the model predicts a number; `agreement`
    is there where a committee was asked, `time` (in the terrain's periods) where steps take any.
    """
    kept: Bools = journey.kept_open
    n_open, costs, closes = kept.sum(axis=1).tolist(), journey.step_costs, journey.closes
    dips = journey.below[1:].tolist()
    records = [
        (i + 1, *change, _figure(journey, i + 1), costs[i], n_open[i + 1] - 1, closes[i], dips[i])
        for i, step in enumerate(changes(journey))
        for change in step
    ]
    table = pd.DataFrame(records, columns=COLUMNS)
    if journey.measure == "predicted":
        table = table.rename(columns={"probability": "prediction"})
    if journey.times is not None:
        table["time"] = journey.times[table["step"].to_numpy(dtype=np.int64)]
    return table if journey.agreement is None else _with_agreement(table, journey.agreement)


def multiverse_table(journeys: Iterable[Journey]) -> pd.DataFrame:
    """The tables of all journeys below each other, numbered by a first column `journey`."""
    tables = [journey.to_frame() for journey in journeys]
    for number, table in enumerate(tables):
        table.insert(0, "journey", number)
    empty = pd.DataFrame(columns=["journey", *COLUMNS])
    return pd.concat(tables, ignore_index=True) if tables else empty


def _with_agreement(table: pd.DataFrame, agreement: Floats) -> pd.DataFrame:
    """The table with the share of other models that agree, after what the model itself says."""
    shares = agreement[table["step"].to_numpy(dtype=np.int64)]
    table.insert(COLUMNS.index("probability") + 1, "agreement", shares)
    return table


def _figure(journey: Journey, waypoint: int) -> float:
    return float("nan") if journey.figures is None else float(journey.figures[waypoint])
