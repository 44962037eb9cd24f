"""Journeys as tidy data frames: one row per step and feature that changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Floats, Ints, slices
from facelift.geometry.agency import all_keep_open
from facelift.terrain.terrain import Terrain

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey
    from facelift.multiverse.multiverse import Multiverse

Change = tuple[str, Any, Any]
"""A feature, its value before and its value after."""

WHOLE, DECIMAL = np.dtype(np.int64), np.dtype(np.float64)
TYPES = {"journey": WHOLE, "step": WHOLE, "probability": DECIMAL, "cost": DECIMAL, "open": WHOLE}
"""Columns whose type pandas need not find out."""

COLUMNS = ["step", "feature", "from", "to", "probability", "cost", "open", "closes", "dips"]


@dataclass(frozen=True)
class Decoder:
    """What makes rows of a terrain's table of points: the `decode` of a journey."""

    terrain: Terrain

    def __call__(self, points: Floats) -> pd.DataFrame:
        """The rows, as a frame."""
        return self.terrain.to_pandas(points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decoder) and self.terrain is other.terrain

    def __hash__(self) -> int:
        return id(self.terrain)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [str(name) for name in self.terrain.schema.names]


def waypoint_rows(journey: Journey) -> pd.DataFrame:
    """The waypoints in the table's units, or their coordinates where there is no table."""
    return coordinate_rows(journey.waypoints) if journey.rows is None else journey.rows


def coordinate_rows(points: Floats) -> pd.DataFrame:
    """Points as a table of their coordinates x0, x1 and so on."""
    return pd.DataFrame(points, columns=[f"x{i}" for i in range(points.shape[1])])


def row_values(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The values of each row of a table, by column; None where one is missing."""
    names = [str(name) for name in rows.columns]
    cells = [_cells(column) for _, column in rows.items()]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def _cells(column: pd.Series) -> list[Any]:
    """The values of a column; None where one is missing."""
    values = column.tolist()
    gone = column.isna().to_numpy()
    return [None if gone[i] else value for i, value in enumerate(values)] if gone.any() else values


def changes(journey: Journey) -> list[list[Change]]:
    """For each step, the features that change: name, from, to."""
    return row_changes(waypoint_rows(journey.in_steps))


def row_changes(rows: pd.DataFrame) -> list[list[Change]]:
    """What differs between each row of a table and the next: name, from, to."""
    # As objects, so that whole numbers stay whole.
    return _cell_changes([str(name) for name in rows.columns], rows.to_numpy(dtype=object))


def _cell_changes(names: list[str], values: npt.NDArray[np.object_]) -> list[list[Change]]:
    """What differs between each row of cells and the next."""
    there = values.copy()
    there[pd.isna(values)] = None  # two that are missing do not differ
    steps: list[list[Change]] = [[] for _ in range(len(values) - 1)]
    changed, cells = np.nonzero(there[1:] != there[:-1]), values.tolist()
    for step, column in zip(*(each.tolist() for each in changed), strict=True):
        change = names[column], cells[step][column], cells[step + 1][column]
        steps[step].append(change)
    return steps


def differ(before: Any, after: Any) -> bool:
    """Whether two values differ; two that are missing do not."""
    if before is after or (type(before) is type(after) and before == after):
        return False  # by far the most frequent
    if pd.isna(before) or pd.isna(after):
        return bool(pd.isna(before)) != bool(pd.isna(after))
    return bool(before != after)


def journey_table(journey: Journey) -> pd.DataFrame:
    """One row per step and changed feature.

    `open` counts the alternatives kept open so far; `closes` numbers the destinations that the step
    puts out of reach for good; `dips` says whether the step leads to a lower chance than the
    factual's.
    The column `probability` is called `prediction` where the model predicts a number; `agreement`
    is there where a committee was asked, `time` (in the terrain's periods) where steps take any.
    """
    return _table([journey]).drop(columns="journey")


def multiverse_table(routes: Sequence[tuple[int, int, Journey]]) -> pd.DataFrame:
    """The tables of all journeys below each other, numbered by a first column `journey`.

    `routes` are journeys with their numbers; where some are further routes to a destination, a
    column `route` says which.
    """
    table = _table([journey for *_, journey in routes])
    if any(variant for _, variant, _ in routes):
        own, variants = np.array([[number, variant] for number, variant, _ in routes]).T
        table.insert(1, "route", variants[table["journey"]])
        table["journey"] = own[table["journey"]]
    return table


def _table(journeys: Sequence[Journey]) -> pd.DataFrame:
    """All journeys in one table; see `journey_table`."""
    n_open, journeys = _numbers_open(journeys), [journey.in_steps for journey in journeys]
    told = zip(journeys, all_changes(journeys), n_open, strict=True)
    records = [(number, *record) for number, each in enumerate(told) for record in _records(*each)]
    table = _tidy(["journey", *COLUMNS], records)
    if not journeys:
        return table
    if journeys[0].measure == "predicted":
        table = table.rename(columns={"probability": "prediction"})
    places = [record[0] for record in records], [record[1] for record in records]
    if (times := [journey.times for journey in journeys])[0] is not None:
        table["time"] = _at(times, *places)
    if (shares := [journey.agreement for journey in journeys])[0] is not None:
        table.insert(COLUMNS.index("probability") + 2, "agreement", _at(shares, *places))
    return table


def _tidy(names: list[str], records: list[tuple[Any, ...]]) -> pd.DataFrame:
    """The frame of some records, whose types pandas finds out where they are not known."""
    if not records:
        return pd.DataFrame(columns=names)
    columns = dict(zip(names, zip(*records, strict=True), strict=True))
    typed = {name: np.array(columns[name], dtype=dtype) for name, dtype in TYPES.items()}
    return pd.DataFrame({name: typed.get(name, list(cells)) for name, cells in columns.items()})


def all_changes(journeys: Sequence[Journey]) -> list[list[list[Change]]]:
    """The `changes` of each journey, decoded at once where one table has all their waypoints."""
    journeys = [journey.in_steps for journey in journeys]
    decode = journeys[0].decode if journeys else None
    if decode is None or any(journey.decode != decode for journey in journeys):
        return [changes(journey) for journey in journeys]
    waypoints = np.concatenate([journey.waypoints for journey in journeys])
    if isinstance(decode, Decoder):
        rows = _cell_changes(decode.names, decode.terrain.to_cells(waypoints))
    else:
        rows = row_changes(decode(waypoints))
    parts = slices([len(journey.waypoints) for journey in journeys])
    return [rows[part.start : part.stop - 1] for part in parts]


def _numbers_open(journeys: Sequence[Journey]) -> list[list[int]]:
    """How many destinations each step of journeys has kept open, own ones included.

    Judged at every waypoint: a step that passes a place where another way parts leaves that way.
    """
    if not journeys:
        return []
    left, costs = [each.remaining for each in journeys], [each.step_costs for each in journeys]
    numbers: Ints = all_keep_open(left, costs).sum(axis=2)
    stops = [slice(None) if each.stops is None else each.stops for each in journeys]
    return [own[some].tolist() for own, some in zip(numbers, stops, strict=True)]


def _records(
    journey: Journey, steps: list[list[Change]], n_open: list[int]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a journey's table."""
    costs, closes = journey.step_costs, journey.closes
    dips = journey.below[1:].tolist()
    for i, step in enumerate(steps):
        told = (_figure(journey, i + 1), costs[i], n_open[i + 1] - 1, closes[i], dips[i])
        yield from ((i + 1, *change, *told) for change in step)


def _at(values: Sequence[Floats | None], journeys: list[int], steps: list[int]) -> list[float]:
    """What is known of the waypoints that some steps of journeys lead to."""
    return [
        float("nan") if (known := values[number]) is None else float(known[step])
        for number, step in zip(journeys, steps, strict=True)
    ]


def _figure(journey: Journey, waypoint: int) -> float:
    return float("nan") if journey.figures is None else float(journey.figures[waypoint])


def points_of_no_return(multiverse: Multiverse) -> pd.DataFrame:
    """The steps that put a destination out of reach for good: one row per step and destination.

    Out of reach means that no route of the whole graph leads there any more, whatever it costs; a
    destination that only gets dearer is not closed (SPEC 6, hard loss). The graph is that of the
    multiverse: all records, or all states that were grown for actions.

    Returns
    -------
    pandas.DataFrame
        `journey` and `step` (from 1) say where, `changes` how many features the step changes,
        `closes` is the number of the destination, `remaining` what was left to go to it just
        before.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> points_of_no_return(loan().multiverse())
       journey  step  changes  closes  remaining
    0        0     1        1       1       14.0
    1        0     1        1       2       16.0
    2        1     1        1       0        3.0
    3        1     2        2       2        8.0
    4        2     1        1       0        3.0
    5        2     3        1       1        5.0
    """
    records = [
        (number, i + 1, len(step), b, float(journey.in_steps.remaining[i, b]))
        for number, journey in enumerate(multiverse)
        for i, (step, lost) in enumerate(zip(changes(journey), journey.closes, strict=True))
        for b in lost
    ]
    return pd.DataFrame(records, columns=["journey", "step", "changes", "closes", "remaining"])
