"""Levels with an order, booleans among them: one coordinate, evenly spaced ranks."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift.terrain.kinds.base import Levels

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature


class Ordinal(Levels):
    """Ordered categories and booleans; a person climbs them one level at a time."""

    name = "ordinal"

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Ordered categories of pandas, and columns of True and False."""
        if isinstance(column.dtype, pd.CategoricalDtype):
            return self.categories(name, column)
        truths = pd.api.types.is_bool_dtype(column.dtype) or _all_truths(column)
        return {"levels": (False, True)} if truths else None

    def places(self, feature: Feature) -> Floats:
        """The ranks."""
        return feature.ranks[:, np.newaxis]

    def place(self, feature: Feature, code: int) -> list[float]:
        """The rank of one level."""
        return [code / max(len(feature.levels) - 1, 1)]

    def codes(self, feature: Feature, coordinates: Floats) -> Ints:
        """The nearest rank."""
        top = len(feature.levels) - 1
        return np.clip(np.rint(coordinates[:, 0] * top), 0, top).astype(np.intp)

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The nearest rank."""
        top = len(feature.levels) - 1
        codes = np.clip(np.rint(coordinates * top), 0, top).astype(np.int64)
        return np.asarray(feature.ranks[codes])


def _all_truths(column: pd.Series[Any]) -> bool:
    """Whether objects are all True or False, as where some are missing beside them."""
    return column.dtype == object and all(isinstance(each, bool) for each in column.tolist())
