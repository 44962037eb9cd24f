"""Tables that a command is given: read once, and refused at once where they cannot be right."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from facelift.cli.running import say
from facelift.errors import InvalidData, MissingValues, UnknownColumn

if TYPE_CHECKING:
    import pandas as pd

MOST_UNPACKED, MOST_RATIO = 100_000_000, 50
"""Bytes that a packed table may have in any case, and how many times its size beyond that."""

MOST_LEVELS, MOST_DISTINCT = 200, 0.1
"""Values of a column of text, in all or per row, from which on it is called an identifier."""

PACKED = {".gz", ".bz2", ".zip", ".xz", ".zst"}

FEW_ROWS = 50
"""In fewer rows, whole numbers may well differ."""

_ID = re.compile(r"(^|[_\W])(id|key|number|nr)$", re.IGNORECASE)


def read_table(path: Path, target_column: str | None) -> tuple[pd.DataFrame, Any]:
    """A CSV table and, where a column of it is named as such, its outcome."""
    table = _read_csv(path)
    if target_column is None:
        return table, None
    if target_column not in table.columns:
        raise UnknownColumn(
            f"{path} has no column {target_column!r}; known: {', '.join(map(str, table.columns))}"
            + _separator_hint(table)
        )
    outcome = table[target_column]
    if outcome.isna().any():
        raise MissingValues(
            f"Missing values in {target_column} ({outcome.isna().sum()}); every row needs an "
            "outcome: drop or fill them first."
        )
    return table.drop(columns=target_column), outcome


def _separator_hint(table: pd.DataFrame) -> str:
    only = str(table.columns[0]) if table.shape[1] == 1 else ""
    marks = [mark for mark in (";", "\t", "|") if mark in only]
    return f" (columns look separated by {marks[0]!r}: save them with commas)" if marks else ""


def _read_csv(path: Path) -> pd.DataFrame:
    """A table whose columns have names of their own, and which is no bomb."""
    import pandas as pd

    _check_unpacked_size(path)
    try:
        names = _header(path)
        table = pd.read_csv(path)
    except (ValueError, OSError, EOFError) as fault:
        raise InvalidData(f"Cannot read {path} as a CSV table: {fault}") from None
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidData(f"{path} has two columns {twice[0]!r}; give each a name of its own.")
    return table


def _header(path: Path) -> list[str]:
    """The names in the first line of a file, as they stand there; none of a pipe."""
    if not path.is_file() or path.suffix in PACKED:
        return []
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return [name for name in next(csv.reader(file), []) if name]


def _check_unpacked_size(path: Path) -> None:
    """Refuse a packed file that unpacks to very much more than it is."""
    if path.suffix != ".gz":
        return
    import gzip

    with gzip.open(path) as file:
        size, packed = 0, path.stat().st_size
        while part := file.read(1 << 20):
            size += len(part)
            if size > MOST_UNPACKED and size > MOST_RATIO * packed:
                raise InvalidData(
                    f"{path} holds {packed:,} bytes and unpacks to more than {size:,}; unpack it "
                    "yourself if you trust it."
                )


def check_identifiers(table: pd.DataFrame, terrain: Any) -> None:
    """Refuse columns of text in which nearly every row says something else: names, identifiers."""
    many = {
        str(feature.name): len(feature.levels)
        for feature in terrain.features
        if len(feature.levels) > max(MOST_LEVELS, MOST_DISTINCT * len(table))
    }
    if many:
        named = ", ".join(f"{name!r} ({n:,} different values)" for name, n in many.items())
        raise InvalidData(
            f"These columns look like names or identifiers, not like something to change: {named} "
            f"in {len(table):,} rows. Leave them out of the table, or write a date as a number."
        )
    for name, column in table.items():
        whole = column.dtype.kind in "iu" and len(column) >= FEW_ROWS and column.is_unique
        if whole and (column.is_monotonic_increasing or _ID.search(str(name))):
            say(f"{name!r} numbers the rows; if it is no number to change, leave it out.", err=True)
