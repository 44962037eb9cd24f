"""Raw tables made ready: columns left out, codes that mean missing, money, percent and dates read.

What to do stands in the rules file of the table, column by column (`facelift.terrain.rules`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from facelift.errors import InvalidData
from facelift.terrain import tables
from facelift.terrain.feature import Level
from facelift.terrain.kinds.written import SIGN
from facelift.terrain.rules import column_rules
from facelift.terrain.terrain import Terrain

_GROUPED = (
    r"\d{1,3}([.,'’ \u00a0\u202f])\d{3}(?:\4\d{3})*(?:(?!\4)[.,]\d+)?"
    r"|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?"  # as in India
)
LONGEST = 60
"""Characters of an amount, at most; longer texts, read as one, take time that grows fast."""

_MONEY = re.compile(
    rf"\(?([-+−]?)\s*{SIGN}?\s*([-+−]?)\s*({_GROUPED}|\d+(?:[.,]\d*)?)(?:[.,][-–—])?\s*{SIGN}?\)?"
)
_PERCENT = re.compile(r"([-+−]?)()\s*(\d[\d.,]*)\s*%")
_DAY_FIRST = re.compile(r"(1[3-9]|2\d|3[01])[./-]")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.*|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( .*)?"
    r"|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{4}|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_ZONE = re.compile(r"(:\d\d(?:\.\d+)?)\s*(?:Z|UTC|[+-]\d\d:?\d\d)$")


class ColumnReading(NamedTuple):
    """What becomes of a column of a raw table."""

    leave_out: bool = False
    codes: Sequence[Level] = ()
    read: str | None = None


def prepare(X: Any, rules: str | Path | Terrain) -> pd.DataFrame:
    """A raw table made ready for a terrain and a model, by what its rules say of columns.

    `leave_out = true` drops a column; `codes = [-9, -8]` are values that mean missing;
    `read = "money"` and `"percent"` turn text such as "$60,000.00" and "12 %" into numbers,
    `"date"` turns it into years with decimals. Other columns stay as they are.

    Parameters
    ----------
    X
        A pandas or polars frame, or an array.
    rules
        A rules file, or a terrain that was refined by one (which knows no columns to leave out).

    Returns
    -------
    pandas.DataFrame
        A new frame; the table given stays as it was.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> X = pd.DataFrame({"id": [7, 8], "price": ["$60,000.00", "n/a"], "since": [-9, 12]})
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "rules.toml")
    ...     _ = path.write_text('''
    ...         id.leave_out = true
    ...         price = { read = "money", codes = ["n/a"] }
    ...         since.codes = [-9]
    ...     ''')
    ...     prepare(X, path)
         price  since
    0  60000.0    NaN
    1      NaN   12.0
    """
    frame, _ = tables.describe(X)
    tables.check_unique(frame.columns)
    readings = _of_terrain(rules) if isinstance(rules, Terrain) else _of_file(rules)
    plain = ColumnReading()
    columns = {name: readings.get(str(name), plain) for name in frame.columns}
    kept = {
        name: read_column(frame[name], reading)
        for name, reading in columns.items()
        if not reading.leave_out
    }
    return pd.DataFrame(kept, index=frame.index)


def read_column(column: pd.Series[Any], reading: ColumnReading) -> pd.Series[Any]:
    """A column with its codes as missing values and its text as numbers.

    >>> read_column(pd.Series(["12.5 %", "?"]), ColumnReading(codes=["?"], read="percent")).tolist()
    [12.5, nan]
    """
    if reading.codes:
        column = _without_codes(column, reading.codes)
    if reading.read is None or pd.api.types.is_numeric_dtype(column.dtype):
        return column
    cells = column.dropna().astype(str).str.strip()
    texts = cells.unique().tolist()
    numbers = dict(zip(texts, as_numbers(texts, reading.read), strict=True))
    odd = next((cell for cell, number in numbers.items() if np.isnan(number)), None)
    if odd is not None:
        raise InvalidData(
            f"Column {column.name!r} is read as {reading.read}, which {odd!r} is not; "
            "add it to the codes of that column if it means missing."
        )
    return cells.map(numbers).astype(np.float64).reindex(column.index)


def as_numbers(cells: Sequence[str], read: str) -> list[float]:
    """What texts say as numbers, NaN where one is no money, percentage or date.

    >>> as_numbers(["$60,000.00 ", "1.234,50 €", "(120)", "dear"], "money")
    [60000.0, 1234.5, -120.0, nan]
    >>> as_numbers(["2012-07-01", "soon"], "date")
    [2012.497, nan]
    """
    if read == "date":
        return _years(cells)
    return [_amount(cell.strip(), read) for cell in cells]


def _amount(cell: str, read: str) -> float:
    """One amount; in money, a mark before exactly three last digits parts thousands."""
    found = (_MONEY if read == "money" else _PERCENT).fullmatch(cell[:LONGEST])
    if found is None or len(cell) > LONGEST or cell.startswith("(") != cell.endswith(")"):
        return np.nan
    digits = re.sub(r"['’ \u00a0\u202f]", "", found[3])
    marks = [mark for mark in digits if mark in ".,"]
    decimal = marks[-1] if marks and digits.count(marks[-1]) == 1 else ""
    whole, _, rest = digits.rpartition(decimal) if decimal else (digits, "", "")
    alone = len(marks) == 1 and read == "money"
    if alone and len(rest) == 3 and whole.strip("0"):
        whole, rest = whole + rest, ""
    number = float(f"{re.sub('[.,]', '', whole) or '0'}.{rest or '0'}")
    negative = cell.startswith("(") or {found[1], found[2]} & {"-", "−"}
    return -number if negative else number


def _years(cells: Sequence[str]) -> list[float]:
    """Dates as years with decimals; days come first where a first number can be no month.

    Times are those of the place they were written at.
    """
    texts = pd.Series([_local(cell.strip()) for cell in cells], dtype=object)
    day_first = any(_DAY_FIRST.match(text) for text in texts)
    year_first = texts.str[:4].str.isdigit().fillna(True).astype(bool)
    times = pd.Series(pd.NaT, index=texts.index, dtype="M8[us]")
    with warnings.catch_warnings(action="ignore"):  # pandas has doubts where days come first
        for some, days in ((year_first, False), (~year_first, day_first)):
            options: dict[str, Any] = {"dayfirst": days, "errors": "coerce", "format": "mixed"}
            times[some] = pd.to_datetime(texts[some], **options).astype("M8[us]")
    parts = (times.dt.day_of_year - 1) / np.where(times.dt.is_leap_year, 366, 365)
    years: list[float] = (times.dt.year + parts).round(3).tolist()
    return years


def _local(cell: str) -> str:
    """A date without the zone of its time; empty if it is none."""
    return _ZONE.sub(r"\1", cell) if _DATE.fullmatch(cell) else ""


def _without_codes(column: pd.Series[Any], codes: Sequence[Level]) -> pd.Series[Any]:
    """Missing values in place of codes; numbers that only the codes had turned into text return."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        coded = column.isin([code for code in codes if not isinstance(code, str)])
        return column.astype(np.float64).mask(coded) if coded.any() else column
    words = {str(code).strip() for code in codes}
    left = column.mask(column.astype(object).map(lambda cell: str(cell).strip() in words))
    numbers = pd.to_numeric(left, errors="coerce")
    return numbers if left.notna().equals(numbers.notna()) else left


def _of_terrain(terrain: Terrain) -> dict[str, ColumnReading]:
    return {
        str(f.name): ColumnReading(False, f.read_codes, f.read or None) for f in terrain.features
    }


def _of_file(path: str | Path) -> dict[str, ColumnReading]:
    return {
        name: ColumnReading(rule.leave_out, rule.codes, rule.read)
        for name, rule in column_rules(path).items()
    }
