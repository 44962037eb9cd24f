"""How often each claim was checked, and what contradicts one."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HAIR = 1e-9


@dataclass
class Checks:
    """Counts of claims checked by name, and the faults found."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def claim(self, name: str, holds: Any, said: object = "") -> None:
        """Count a claim; what was said is kept if it does not hold."""
        self.counts[name] += 1
        if not holds:
            self.faults.append(f"{name}: {said}")
            print(f"move {self.counts['moves']}: {self.faults[-1]}", file=sys.stderr, flush=True)


def all_claims() -> set[str]:
    """Every claim that there is a check of, as the sources name it."""
    sources = [each.read_text(encoding="utf-8") for each in Path(__file__).parent.glob("*.py")]
    return {name for text in sources for name in re.findall(r'claim\(\s*"([^"]+)"', text)}


def percents(words: str) -> list[float]:
    """All percentages in some words, as shares."""
    return [float(number) / 100 for number in re.findall(r"([\d.]+)%", words)]
