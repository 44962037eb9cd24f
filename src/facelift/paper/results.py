"""What a part of the evaluation came to, and its files: texts, tables, charts, blocks of work."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from facelift._files import written_whole
from facelift.errors import InvalidData, MissingExtra

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger("facelift")

BLOCK_SIZE = 10
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
    import pandas as pd

    try:
        return pd.read_csv(path)
    except ValueError as fault:
        raise InvalidData(
            f"Cannot read {path} as a CSV table: {fault}; delete it and run its part again."
        ) from None


def write_text(text: str, path: Path) -> Path:
    """A text as a file, whole or not there."""
    with written_whole(path) as fresh:
        fresh.write_text(text.strip() + "\n", encoding="utf-8")
    return path


def write_table(table: pd.DataFrame, path: Path) -> Path:
    """A table as CSV, six digits of every number; whole or not there."""
    with written_whole(path) as fresh:
        table.to_csv(fresh, index=False, float_format="%.6g", lineterminator="\n")
    return path


def write_chart(path: Path, draw: Callable[[], Any]) -> list[Path]:
    """The file of a figure, or none where it cannot be drawn; `draw` loads what it needs."""
    try:
        figure = draw()
    except MissingExtra as fault:
        _log.warning("%s", fault)
        return []
    from facelift.paper.figures.style import write_svg

    return [write_svg(figure, path)]


def in_blocks(
    folder: Path, name: str, keys: Sequence[str], work: Callable[[int], list[dict[str, Any]]]
) -> Iterator[list[dict[str, Any]]]:
    """What came of each block of some work, from its file, or worked out now and kept.

    A key stands for everything that decides what comes of a block. A file that cannot be read is
    made anew.

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
            rows = work(number)
            with written_whole(path) as fresh:
                fresh.write_text(json.dumps(rows), encoding="utf-8")
        yield rows


def _read_block(path: Path) -> list[dict[str, Any]] | None:
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return rows


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value
