"""Categories with many levels: one coordinate that holds the number of the level."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.terrain.kinds.levels import Categorical, common_levels
from facelift.terrain.prices import GRAIN, Codes

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature

MOST_ONE_HOT = 256
"""Levels up to which a category has a coordinate for each of them."""


class Many(Categorical):
    """Categories of which nobody could keep a coordinate for each level of each row.

    What a change costs is the same as if they were one-hot (`Codes`).
    """

    name = "many levels"

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Unordered categories and text with many different values."""
        if isinstance(column.dtype, pd.CategoricalDtype):
            few = len(column.cat.categories) <= MOST_ONE_HOT
        else:
            text = pd.api.types.infer_dtype(column) == "string"  # what else there is has no count
            few = not text or column.nunique() <= MOST_ONE_HOT
        fields = None if few else super().infer(name, column)
        if fields is None:
            return None
        return fields | {"stops": common_levels(list(fields["levels"]), column.value_counts())}

    def width(self, feature: Feature) -> int:
        """One."""
        return 1

    def places(self, feature: Feature) -> Floats:
        """The number of each level, so small that distances between coordinates do not count it."""
        return np.arange(float(len(feature.levels)))[:, np.newaxis] * GRAIN

    def codes(self, feature: Feature, coordinates: Floats) -> Ints:
        """The nearest number."""
        codes = np.rint(coordinates[:, 0] / GRAIN)
        return np.clip(codes, 0, len(feature.levels) - 1).astype(np.intp)

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The place of the nearest number."""
        return np.asarray(feature.places[self.codes(feature, coordinates)])

    def missing_point(self, feature: Feature) -> Floats:
        """A number of its own, and that it is missing."""
        return np.array([len(feature.levels) * GRAIN, 1.0])

    def is_missing(self, coordinates: Floats) -> Bools:
        """The last coordinate says so."""
        return np.asarray(coordinates[..., -1] > 0.5)

    def reach(self, feature: Feature, own: Floats) -> tuple[Floats, Floats]:
        """One's own: there is nothing between levels that a state could be made up from."""
        return own, own

    def arms(self, feature: Feature, own: Floats) -> list[list[Floats]]:
        """Every level to choose among but one's own, each by one action."""
        return [[place] for place in self.choices(feature) if place[0] != own[0]]

    def block(self, feature: Feature, coordinates: slice) -> Codes | None:
        """What changes cost, level by level; None where none is ever allowed."""
        if feature.frozen:
            return None
        rows, prices = _price_table(feature)
        return Codes(coordinates, prices, rows)


def _price_table(feature: Feature) -> tuple[Ints, Floats]:
    """The row of each level in a table of prices, and the table; missing is one more level.

    Levels with the same prices to all and from all share a row. There can be no price of their own
    between two of them: one of them would then have it with itself.
    """
    single: dict[tuple[int, int], float] = {
        (feature.codes[start], feature.codes[end]): price
        for start, end, price in feature.transitions
    }
    n = len(feature.levels)
    if feature.missing:
        single |= {(code, n): feature.losing for code in range(n)}
        single |= {(n, code): feature.found for code in range(n)}
    leaving = _by_level(single, n + feature.missing)
    entered = _by_level({(end, start): each for (start, end), each in single.items()}, len(leaving))
    known: dict[Any, int] = {}
    rows = [known.setdefault(each, len(known)) for each in zip(leaving, entered, strict=True)]
    first = {row: code for code, row in reversed(list(enumerate(rows)))}
    prices = np.full((len(known), len(known)), feature.increase)
    for row, start in first.items():
        for column, end in first.items():
            prices[row, column] = single.get((start, end), feature.increase)
    return np.array(rows, dtype=np.int64), prices


def _by_level(single: Mapping[tuple[int, int], float], n: int) -> list[frozenset[Any]]:
    """The single prices of each level, with what they lead to."""
    found: list[set[Any]] = [set() for _ in range(n)]
    for (start, end), price in single.items():
        found[start].add((end, price))
    return [frozenset(each) for each in found]
