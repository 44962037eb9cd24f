"""What a part of the reproduction came to: text to read, a document for machines, files written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from facelift.errors import InvalidData

if TYPE_CHECKING:
    import pandas as pd

Line = Mapping[str, Any]
Lines = Sequence[Line]
"""A table as plain values: a mapping per line, None where there is no number."""


@dataclass(frozen=True)
class Finding:
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


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value
