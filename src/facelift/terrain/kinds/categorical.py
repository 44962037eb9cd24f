"""Levels without an order: one coordinate each, 1 at the level a row has (one-hot)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift.errors import InvalidData
from facelift.terrain.kinds.base import Arms, Levels

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature


class Categorical(Levels):
    """Categories and text; any level is one action from any other, and so is a missing one."""

    name = "categorical"
    has_order = False
    flags_missing = False

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Unordered categories of pandas, and text."""
        if isinstance(column.dtype, pd.CategoricalDtype):
            return self.categories(name, column)
        if not (pd.api.types.is_string_dtype(column.dtype) or column.dtype == object):
            return None
        if pd.api.types.infer_dtype(column) != "string":
            odd = [value for value in column.tolist() if not isinstance(value, str)]
            raise InvalidData(
                f"Column {name!r} mixes text with other values such as {odd[0]!r}; "
                "make it all numbers (pd.to_numeric) or all text (astype(str))."
            )
        return {"levels": tuple(sorted(column.unique().tolist()))}

    def width(self, feature: Feature) -> int:
        """As many as levels."""
        return len(feature.levels)

    def places(self, feature: Feature) -> Floats:
        """One-hot."""
        return np.eye(len(feature.levels))

    def place(self, feature: Feature, code: int) -> list[float]:
        """One-hot."""
        return [0.0] * code + [1.0] + [0.0] * (len(feature.levels) - code - 1)

    def codes(self, feature: Feature, coordinates: Floats) -> Ints:
        """The largest coordinate."""
        return np.asarray(coordinates.argmax(axis=1))

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The level of the largest coordinate."""
        return np.asarray(np.eye(coordinates.shape[1])[coordinates.argmax(axis=1)])

    def reach(self, feature: Feature, own: Floats) -> tuple[Floats, Floats]:
        """Levels that a single change leads to."""
        start = int(own.argmax())
        allowed = np.isfinite(feature.transition_prices()[start])
        allowed[start] = True
        alone = allowed.sum() == 1
        return (own, own) if alone else (np.zeros(len(own)), allowed.astype(np.float64))

    def arms(self, feature: Feature, own: Floats) -> Arms:
        """Every other level, each by one action."""
        current = int(own.argmax())
        return [[place] for i, place in enumerate(self.places(feature)) if i != current]
