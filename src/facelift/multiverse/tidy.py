"""Journeys as tidy data frames: one row per step and feature that changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from facelift.arrays import Bools

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey

COLUMNS = ["step", "feature", "from", "to", "probability", "cost", "open"]


def waypoint_rows(journey: Journey) -> pd.DataFrame:
    """The waypoints in the table's units, or their coordinates where there is no table."""
    if journey.rows is not None:
        return journey.rows
    names = [f"x{i}" for i in range(journey.waypoints.shape[1])]
    return pd.DataFrame(journey.waypoints, columns=names)


def changes(journey: Journey) -> list[list[tuple[str, Any, Any]]]:
    """For each step, the features that change: name, from, to."""
    rows = waypoint_rows(journey).astype(object)  # so that whole numbers stay whole in a row
    return [_differences(rows.iloc[i], rows.iloc[i + 1]) for i in range(len(rows) - 1)]


def journey_table(journey: Journey) -> pd.DataFrame:
    """One row per step and changed feature; `open` counts the alternatives kept open so far."""
    kept: Bools = journey.kept_open
    records = [
        (i + 1, *change, _chance(journey, i + 1), journey.step_costs[i], int(kept[i + 1].sum()) - 1)
        for i, step in enumerate(changes(journey))
        for change in step
    ]
    return pd.DataFrame(records, columns=COLUMNS)


def multiverse_table(journeys: Iterable[Journey]) -> pd.DataFrame:
    """The tables of all journeys below each other, numbered by a first column `journey`."""
    tables = [
        journey.to_frame().assign(journey=number)[["journey", *COLUMNS]]
        for number, journey in enumerate(journeys)
    ]
    empty = pd.DataFrame(columns=["journey", *COLUMNS])
    return pd.concat(tables, ignore_index=True) if tables else empty


def _differences(before: pd.Series[Any], after: pd.Series[Any]) -> list[tuple[str, Any, Any]]:
    return [
        (str(name), before[name], after[name])
        for name in before.index
        if before[name] != after[name]
    ]


def _chance(journey: Journey, waypoint: int) -> float:
    return float("nan") if journey.chances is None else float(journey.chances[waypoint])
