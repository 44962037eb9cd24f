"""What a part of the reproduction came to: text to read, a document for machines, files written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finding:
    """Markdown for people, a JSON-able document with the same content, and the files it is in."""

    text: str
    document: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
