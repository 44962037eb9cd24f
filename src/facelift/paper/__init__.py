"""The paper's evaluation, from its data and models on; nothing else in facelift needs it.

Here is what a part of it comes to, and its files: texts, tables, charts, blocks of work.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift.errors import InvalidData, MissingExtra

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_log = logging.getLogger("facelift")

BLOCK_SIZE = 25
"""Factuals of a block."""

Line = Mapping[str, Any]
Lines = Sequence[Line]
"""A table as plain values: a mapping per line, None where there is no number."""


@dataclass(frozen=True)
class Result:
    """Markdown for people, a JSON-able document with the same content, and the files it is in."""

    text: str
    document: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()


def lines(table: pd.DataFrame) -> Lines:
    """The lines of a table, with the six digits that go to files.

    >>> import pandas as pd
    >>> lines(pd.DataFrame({"name": ["a"], "mean": [1 / 3], "sd": [float("nan")]}))
    [{'name': 'a', 'mean': 0.333333, 'sd': None}]
    """
    found: Lines = json.loads(table.to_json(orient="records", double_precision=15))
    return [{name: _short(value) for name, value in line.items()} for line in found]


def read_results(path: Path) -> pd.DataFrame:
    """A table of results that a part wrote; an error that says which is damaged."""
    try:
        return pd.read_csv(path)
    except ValueError as fault:
        raise InvalidData(
            f"Cannot read {path} as a CSV table: {fault}; delete it and run its part again."
        ) from None


def write(path: Path, content: bytes) -> Path:
    """A file with that content, whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        fresh.write_bytes(content)
        return fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def write_text(text: str, path: Path) -> Path:
    """A text as a file."""
    return write(path, (text.strip() + "\n").encode())


def write_table(table: pd.DataFrame, path: Path) -> Path:
    """A table as CSV, six digits of every number."""
    return write_text(table.to_csv(index=False, float_format="%.6g", lineterminator="\n"), path)


def write_chart(path: Path, name: str, *shown: Any) -> list[Path]:
    """The file of a chart (a function of `figures.charts`), or none without matplotlib."""
    try:
        from facelift.paper.figures import charts
    except MissingExtra as fault:
        _log.warning("%s", fault)
        return []
    return [charts.write_svg(getattr(charts, name)(*shown), path)]


def in_blocks(
    folder: Path,
    name: str,
    keys: Sequence[str],
    work: Callable[[int], list[dict[str, Any]]] | None,
) -> Iterator[list[dict[str, Any]]]:
    """What came of each block of some work, from its file, or worked out now and kept.

    A key stands for everything that decides what comes of a block. A file that cannot be read is
    made anew. Without work, blocks end at the first that is not known.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> list(in_blocks(folder, "squares", ["a", "b"], lambda i: [{"square": i * i}]))
    [[{'square': 0}], [{'square': 1}]]
    >>> list(in_blocks(folder, "squares", ["b"], lambda i: [{"square": -1}]))
    [[{'square': 1}]]
    """
    for number, key in enumerate(keys):
        path = folder / f"{name}-{key}.json"
        rows = _read_block(path)
        if rows is None:
            if work is None:
                return
            rows = work(number)
            write(path, json.dumps(rows).encode())
        yield rows


def _read_block(path: Path) -> list[dict[str, Any]] | None:
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return rows


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value
