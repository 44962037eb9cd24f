"""Tables that a command is given: read once, and refused at once where they cannot be right.

`facelift rules` drafts a first rules file for one.
"""

from __future__ import annotations

import csv
import json
import shlex
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift.cli import options
from facelift.cli.running import guarded, say
from facelift.errors import InvalidData, UnknownColumn, optional

if TYPE_CHECKING:
    import pandas as pd


MOST_UNPACKED, MOST_RATIO = 100_000_000, 50
"""Bytes that a packed table may have in any case, and how many times its size beyond that."""

PARQUET, ARROW = {".parquet", ".pq"}, {".feather", ".arrow", ".ipc"}
"""Endings of files that hold columns with their types."""

MARKS = (",", ";", "\t", "|")
"""What stands between the columns of a CSV file; commas, unless another mark gives more names."""

COMMA_NUMBER = r"\s*[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?\s*"
"""A number as files whose columns stand between semicolons have them."""

LONGEST_HEADER = 1_000_000
"""Characters in which the first line of a CSV file must end."""

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
        )
    return table.drop(columns=target_column), whole_numbers(table[target_column])


def whole_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of floats as integers, where that is what it holds: CSV files say 1.0 for 1.

    >>> import pandas as pd
    >>> whole_numbers(pd.Series([0.0, 1.0])).tolist(), whole_numbers(pd.Series([0.5])).tolist()
    ([0, 1], [0.5])
    >>> whole_numbers(pd.Series([1.0, None], dtype="Float64")).dtype
    Float64Dtype()
    """
    if column.dtype.kind != "f" or column.isna().any():
        return column
    whole = ((column % 1 == 0) & (column.abs() < 2**53)).all()
    return column.astype("int64") if whole else column


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
        written = _encoding(path)
        names, mark = _header(path, written)
        table = pd.read_csv(path, sep=mark, encoding=written)
    except UnicodeError:
        raise InvalidData(
            f"Cannot read {path} as a CSV table: it is not written in UTF-8; save it as UTF-8."
        ) from None
    except (ValueError, OSError, EOFError, csv.Error) as fault:
        raise InvalidData(f"Cannot read {path} as a CSV table: {fault}") from None
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise InvalidData(f"{path} has two columns {twice[0]!r}; give each a name of its own.")
    nameless = [f"Unnamed: {i}" for i, name in enumerate(names) if not name]
    empty = [name for name in nameless if name in table and table[name].isna().all()]
    table = table.drop(columns=empty)  # a mark that ends every line makes one
    return _with_decimal_commas(table) if mark == ";" else table


def _with_decimal_commas(table: pd.DataFrame) -> pd.DataFrame:
    """The table with numbers such as 1.234,5 as numbers, where all of a column reads so."""
    for name, column in table.select_dtypes(exclude="number").items():
        cells = column.dropna().astype(str)
        if len(cells) and cells.str.fullmatch(COMMA_NUMBER).all():
            plain = cells.str.replace(".", "").str.replace(",", ".").astype(float)
            table[name] = plain.reindex(column.index)
    return table


def _encoding(path: Path) -> str:
    """UTF-8, unless a file begins as UTF-16 and has lines; Excel saves "Unicode text" so."""
    if not path.is_file() or path.suffix in PACKED:
        return "utf-8-sig"
    with path.open("rb") as file:
        beginning = file.read(2 * LONGEST_HEADER)
    wide = beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    return "utf-16" if wide and "\n" in beginning.decode("utf-16", "ignore") else "utf-8-sig"


def _header(path: Path, written: str) -> tuple[list[str], str]:
    """The names in the first line of a file, and the mark between them; none of a pipe."""
    if not path.is_file() or path.suffix in PACKED:
        return [], ","
    with path.open(encoding=written, errors="replace") as file:  # a lone "\r" ends a line, too
        start = file.read(LONGEST_HEADER)
    found = {mark: next(csv.reader(StringIO(start), delimiter=mark), []) for mark in MARKS}
    mark = max(found, key=lambda mark: len(found[mark]))  # of as many, the first
    return found[mark], mark


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


def check_levels(table: pd.DataFrame, source: str, target_column: str | None) -> None:
    """Refuse columns of text with more levels than anybody chooses among, before any work."""
    from facelift.terrain.drafting import numbers_rows, too_many_levels

    if many := too_many_levels(table):
        n_rows = len(table)
        but = "" if target_column is None else f" --target-column {shlex.quote(target_column)}"
        named = ", ".join(
            f"{str(name)!r} ({n:,} different values, {n / n_rows:.0%} of the rows)"
            for name, n in many.items()
        )
        raise InvalidData(
            f"These columns look like names or identifiers: {named}. `facelift rules {source}{but} "
            "--output rules.toml` drafts rules that leave them out, or read them; check it and add "
            "--rules rules.toml."
        )
    for name, column in table.items():
        if numbers_rows(name, column):
            say(
                f"{name!r} differs in every row; if it is no number to change, leave it out.",
                err=True,
            )


@click.command(epilog="Example: facelift rules loans.csv --target-column risk --output rules.toml")
@click.argument("data", type=options.FILE)
@options.column_without_rules
@click.option("--output", type=options.OUTPUT, help="File to write; printed when left out.")
@options.as_json
@guarded
def rules(data: Path, target_column: str | None, output: Path | None, json_output: bool) -> int:
    """Draft a rules file for a table: what may change, and which columns to leave out."""
    from facelift._files import written_whole
    from facelift.terrain.drafting import draft_rules

    table, outcome = read_table(data, target_column)
    if target_column is not None:
        table[target_column] = outcome  # of which copies are left out
    text = draft_rules(table, target_column)
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
