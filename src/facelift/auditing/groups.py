"""Groups of people: by columns of their table, or by whatever else is known of each of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Ints
from facelift.errors import InvalidInput, UnknownColumn, nearest_name
from facelift.terrain import tables

MAX_GROUPS = 50
"""More groups than that are no groups."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of every person, by number, and the names of the groups."""

    numbers: Ints
    names: pd.Index[Any]

    def __len__(self) -> int:
        return len(self.names)


def grouped(X: Any, by: Any, columns: Sequence[Hashable]) -> tuple[pd.DataFrame, Groups]:
    """The table with its known columns, and the groups of its rows.

    `by` is a column or a list of columns (known or beside the known ones), or one value per row (a
    frame: several, of which each combination is a group).
    """
    frame, schema = tables.describe(X)
    if schema.container == "array" and frame.shape[1] == len(columns):
        frame = frame.set_axis(list(columns), axis=1)
    labels = _labels(frame, by)
    if labels.isna().any().any():
        raise InvalidInput("by has missing values; every person needs a group: fill or drop them.")
    found = labels.groupby(list(labels.columns), observed=True, sort=True)
    names = found.size().index
    if len(names) > MAX_GROUPS:
        raise InvalidInput(
            f"by gives {len(names)} groups, {MAX_GROUPS} at most are of use; cut numbers into "
            "bands, such as by=pd.cut(X['age'], [0, 25, 40, 100])."
        )
    known = frame[[name for name in frame.columns if name in columns]]
    return known, Groups(np.asarray(found.ngroup(), dtype=np.int64), names)


def _labels(frame: pd.DataFrame, by: Any) -> pd.DataFrame:
    """The values that make the groups, one column or several, in the order of the table."""
    if isinstance(by, pd.DataFrame):
        _check_length(by, frame)
        return by.reset_index(drop=True)
    if isinstance(by, Hashable) and not isinstance(by, tuple) and not hasattr(by, "__array__"):
        by = [by]
    if isinstance(by, list | tuple) and all(_is_name(name, frame) for name in by):
        return frame[list(by)].reset_index(drop=True)
    if isinstance(by, list | tuple) and len(by) != len(frame):
        unknown = next(name for name in by if not _is_name(name, frame))
        raise UnknownColumn(
            f"There is no column {unknown!r} to group by; {nearest_name(unknown, frame.columns)}"
        )
    values = by if isinstance(by, pd.Series) else pd.Series(by)
    _check_length(values, frame)
    name = "group" if values.name is None else values.name
    return values.reset_index(drop=True).to_frame(name)


def _check_length(given: pd.DataFrame | pd.Series[Any], frame: pd.DataFrame) -> None:
    if len(given) != len(frame):
        raise InvalidInput(f"by must hold one value per row of X ({len(frame)}), got {len(given)}.")


def _is_name(name: object, frame: pd.DataFrame) -> bool:
    return isinstance(name, Hashable) and name in frame.columns
