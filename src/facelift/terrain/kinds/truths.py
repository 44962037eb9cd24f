"""Yes or no in words: two levels of text, of which the one that says yes is the higher."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from facelift.terrain.kinds.levels import Ordinal

PAIRS = {"no": "yes", "n": "y", "false": "true", "f": "t", "off": "on", "nein": "ja", "non": "oui"}
"""What says no, and what says yes beside it, in any case."""


class Truth(Ordinal):
    """Texts such as "Y" and "N"."""

    name = "truth"

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Two texts, of which one says no and the other yes."""
        if isinstance(column.dtype, pd.CategoricalDtype) or not isinstance(column.iloc[0], str):
            return None
        levels = column.unique().tolist()
        if len(levels) != 2 or not all(isinstance(level, str) for level in levels):
            return None
        first, second = (level.strip().lower() for level in levels)
        if PAIRS.get(first) == second:
            return {"levels": tuple(levels)}
        return {"levels": tuple(levels[::-1])} if PAIRS.get(second) == first else None
