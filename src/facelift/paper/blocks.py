"""Work done in blocks, each kept in a file: a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from facelift._files import written_whole

SIZE = 10
"""Factuals of a block."""

Rows = list[dict[str, Any]]


def done(
    folder: Path, name: str, keys: Sequence[str], work: Callable[[int], Rows]
) -> Iterator[Rows]:
    """What came of each block of some work, from its file, or worked out now and kept.

    A key stands for everything that decides what comes of a block. A file that cannot be read is
    made anew.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> list(done(folder, "squares", ["a", "b"], lambda i: [{"square": i * i}]))
    [[{'square': 0}], [{'square': 1}]]
    >>> list(done(folder, "squares", ["b"], lambda i: [{"square": -1}]))
    [[{'square': 1}]]
    """
    for number, key in enumerate(keys):
        path = folder / f"{name}-{key}.json"
        rows = _read(path)
        if rows is None:
            rows = work(number)
            with written_whole(path) as fresh:
                fresh.write_text(json.dumps(rows), encoding="utf-8")
        yield rows


def _read(path: Path) -> Rows | None:
    try:
        rows: Rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return rows
