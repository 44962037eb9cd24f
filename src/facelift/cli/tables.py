"""Tables that a command is given: read once, and refused at once where they cannot be right."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from facelift.cli.running import say
from facelift.errors import InvalidData, MissingValues, UnknownColumn

if TYPE_CHECKING:
    import pandas as pd

MOST_UNPACKED, MOST_RATIO = 100_000_000, 50
"""Bytes that a packed table may have in any case, and how many times its size beyond that."""

PACKED = {".gz", ".bz2", ".zip", ".xz", ".zst"}


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


def check_levels(table: pd.DataFrame, source: str) -> None:
    """Refuse columns of text with more levels than anybody chooses among, before any work."""
    from facelift.terrain.drafting import numbers_rows, too_many_levels

    if many := too_many_levels(table):
        named = ", ".join(f"{str(name)!r} ({n:,} different values)" for name, n in many.items())
        raise InvalidData(
            "These columns look like names, identifiers, dates or amounts written as text: "
            f"{named} in {len(table):,} rows. `facelift rules {source}` drafts a rules file that "
            "leaves them out or reads them; give it as --rules."
        )
    for name, column in table.items():
        if numbers_rows(name, column):
            say(f"{name!r} numbers the rows; if it is no number to change, leave it out.", err=True)
