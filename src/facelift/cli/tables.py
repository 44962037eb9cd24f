"""Tables that a command is given: read once, and refused at once where they cannot be right.

`facelift rules` drafts a first rules file for one.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift._checks import optional
from facelift.cli import options
from facelift.cli.running import guarded, say
from facelift.errors import InvalidData, MissingValues, UnknownColumn

if TYPE_CHECKING:
    import pandas as pd


MOST_UNPACKED, MOST_RATIO = 100_000_000, 50
"""Bytes that a packed table may have in any case, and how many times its size beyond that."""

PARQUET, ARROW = {".parquet", ".pq"}, {".feather", ".arrow", ".ipc"}
"""Endings of files that hold columns with their types."""

PACKED = {".gz", ".bz2", ".zip", ".xz", ".zst"}


def read_table(
    path: Path, target_column: str | None, more: Sequence[Path] = ()
) -> tuple[pd.DataFrame, Any]:
    """A table and, where a column of it is named as such, its outcome.

    More files are more rows of the same table.
    """
    table = _read_file(path)
    if more:
        table = _joined(path, table, more)
    if target_column is None:
        return table, None
    if target_column not in table.columns:
        raise UnknownColumn(
            f"{path} has no column {target_column!r}; known: {', '.join(map(str, table.columns))}"
            + _separator_hint(table)
        )
    outcome = table[target_column]
    check_outcome(outcome)
    return table.drop(columns=target_column), outcome


def check_outcome(outcome: pd.Series[Any]) -> None:
    """Refuse outcomes of which some are missing."""
    if outcome.isna().any():
        raise MissingValues(
            f"Missing values in {outcome.name} ({outcome.isna().sum()}); every row needs an "
            "outcome: drop or fill them first."
        )


def _separator_hint(table: pd.DataFrame) -> str:
    only = str(table.columns[0]) if table.shape[1] == 1 else ""
    marks = [mark for mark in (";", "\t", "|") if mark in only]
    return f" (columns look separated by {marks[0]!r}: save them with commas)" if marks else ""


def _read_file(path: Path) -> pd.DataFrame:
    """A CSV, Parquet or Arrow file, as its ending says."""
    ending = path.suffix.lower()
    return _read_columns(path) if ending in PARQUET | ARROW else _read_csv(path)


def _joined(path: Path, first: pd.DataFrame, more: Sequence[Path]) -> pd.DataFrame:
    """The rows of several files, which must have the same columns."""
    import pandas as pd

    parts = [first]
    for each in more:
        part = _read_file(each)
        if set(part.columns) != set(first.columns):
            odd = sorted(map(str, set(part.columns) ^ set(first.columns)))[0]
            raise InvalidData(f"{path} and {each} are no parts of one table: one lacks {odd!r}.")
        parts.append(part[first.columns])
    return pd.concat(parts, ignore_index=True)


def _read_columns(path: Path) -> pd.DataFrame:
    """A Parquet or Arrow file, handed over column by column: few stand in memory twice."""
    arrow = optional("pyarrow", extra="files", what="A Parquet or Arrow file")
    try:
        name = "parquet" if path.suffix.lower() in PARQUET else "feather"
        table = import_module(f"pyarrow.{name}").read_table(path)
        frame: pd.DataFrame = table.to_pandas(self_destruct=True, split_blocks=True)
    except (arrow.ArrowException, OSError, ValueError) as fault:
        message = " ".join(str(fault).split())
        raise InvalidData(f"Cannot read {path} as a table: {message}") from None
    return frame


def _read_csv(path: Path) -> pd.DataFrame:
    """A table whose columns have names of their own, and which is no bomb."""
    import pandas as pd

    _check_unpacked_size(path)
    try:
        names = _header(path)
        table = pd.read_csv(path)
    except UnicodeDecodeError:
        raise InvalidData(
            f"Cannot read {path} as a CSV table: it is not written in UTF-8; save it as UTF-8."
        ) from None
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
        n_rows = len(table)
        named = ", ".join(
            f"{str(name)!r} ({n:,} different values, {n / n_rows:.0%} of the rows)"
            for name, n in many.items()
        )
        raise InvalidData(
            f"These columns look like names or identifiers: {named}. `facelift rules {source}` "
            "drafts a rules file that leaves them out, or reads them; give it as --rules."
        )
    for name, column in table.items():
        if numbers_rows(name, column):
            say(f"{name!r} numbers the rows; if it is no number to change, leave it out.", err=True)


@click.command(epilog="Example: facelift rules loans.csv --target-column risk --output rules.toml")
@click.argument("data", type=options.FILE)
@options.target_column
@click.option("--output", type=options.OUTPUT, help="File to write; printed when left out.")
@options.as_json
@guarded
def rules(data: Path, target_column: str | None, output: Path | None, json_output: bool) -> int:
    """Draft a rules file for a CSV table: what may change, and what to leave out or to read."""
    from facelift._files import written_whole
    from facelift.terrain.drafting import draft_rules

    table, _ = read_table(data, target_column)
    text = draft_rules(table)
    if output is not None:
        with written_whole(output) as fresh:
            fresh.write_text(text, encoding="utf-8")
    if json_output:
        say(json.dumps({"rules": text}, ensure_ascii=False), as_json=True)
    elif output is None:
        say(text, nl=False)
    else:
        n = text.count("check this") - 1
        say(f"{output}: a draft of rules; {n} line{'' if n == 1 else 's'} to check.")
    return 0
