"""Lines of results in a file, so that a run that was cut off goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Line = dict[str, Any]
Key = tuple[Any, ...]

KEY = ("part", "table", "model", "seed", "person", "rival", "size")


def key_of(line: Line) -> Key:
    """What a line is about."""
    return tuple(line.get(name) for name in KEY)


class Results:
    """Lines of JSON in a file, one per person and part; a broken last line is forgotten."""

    def __init__(self, path: Path) -> None:
        self.path, self.lines = path, {}
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = path.read_text().splitlines() if path.exists() else []
        whole = [text for text in texts if text.endswith("}")]
        for text in whole:
            line = json.loads(text)
            self.lines[key_of(line)] = line
        path.write_text("".join(f"{text}\n" for text in whole))

    def has(self, line: Line) -> bool:
        return key_of(line) in self.lines

    def add(self, line: Line) -> None:
        self.lines[key_of(line)] = line
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")
