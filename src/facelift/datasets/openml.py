"""The publishers' files of Adult and Credit Default, written again from OpenML's tables.

OpenML has the same rows in a format of its own. Written as the publisher wrote them, the files
must have the publisher's checksums: one proof for the download, the order of rows and every value.
(scikit-learn fetches a table whole or not at all; these have a few megabytes.)
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from facelift._files import written_whole
from facelift._progress import announced
from facelift.datasets.fetching import Source, dataset

ADULT = 1590
CREDIT_DEFAULT = 42477
"""Numbers of the data sets on OpenML."""

N_ADULT_TEST = 16_281
"""Rows of Adult's test file, which come first on OpenML."""


def fetch_adult(source: Source, home: Path) -> None:
    """Write `adult.data` or `adult.test` into a data home."""
    table = _table(ADULT, home)
    lines = [", ".join(row) for row in zip(*map(_words, _columns(table)), strict=True)]
    test, train = lines[:N_ADULT_TEST], lines[N_ADULT_TEST:]
    if source.path.endswith(".test"):
        text = "\n".join(["|1x3 Cross validator", *(f"{line}." for line in test)])
    else:
        text = "\n".join(train)
    _write(home / source.path, text + "\n\n")


def fetch_credit_default(source: Source, home: Path) -> None:
    """Write `UCI_Credit_Card.csv` into a data home."""
    table = _table(CREDIT_DEFAULT, home)
    columns = [[str(i + 1) for i in range(len(table))], *map(_numbers, _columns(table))]
    header = ",".join(f'"{name}"' for name in ["ID", *dataset("credit_default").names])
    lines = [",".join(row) for row in zip(*columns, strict=True)]
    _write(home / source.path, "\n".join([header, *lines, ""]))


def _table(number: int, home: Path) -> Any:
    """A data set of OpenML as a frame, the target last."""
    from sklearn.datasets import fetch_openml

    home.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=home, prefix=".openml-") as folder,
        announced(f"Fetching data set {number} from OpenML"),
        warnings.catch_warnings(action="ignore"),  # of every attempt; the last one's error is told
    ):
        try:
            found = fetch_openml(data_id=number, data_home=folder, as_frame=True, parser="pandas")
        except ValueError as fault:  # a wrong checksum, or an answer scikit-learn cannot read
            raise OSError(f"OpenML's answer was no use: {fault}") from None
    return found.frame.drop(columns="ID", errors="ignore")


def _columns(table: Any) -> list[Sequence[Any]]:
    return [table[name].astype(object).tolist() for name in table.columns]


def _words(column: Iterable[Any]) -> list[str]:
    """Cells as Adult's publisher writes them: whole numbers, words, ? where nothing is known."""
    return [_word(cell) for cell in column]


def _word(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    return "?" if cell is None or math.isnan(cell) else str(int(cell))


def _numbers(column: Iterable[Any]) -> list[str]:
    """Whole numbers as R writes them: 1e+05 where that is shorter than 100000."""
    return [_as_in_r(int(float(value))) for value in column]


def _as_in_r(number: int) -> str:
    digits, exponent = f"{number:e}".split("e")
    short = f"{digits.rstrip('0').rstrip('.')}e{exponent}"
    return short if len(short) < len(str(number)) and float(short) == number else str(number)


def _write(path: Path, text: str) -> None:
    with written_whole(path) as fresh:
        fresh.write_text(text, encoding="ascii", newline="\n")
