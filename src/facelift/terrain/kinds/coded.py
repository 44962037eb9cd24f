"""Numbers among which some are codes, such as -9 for "not asked": each code a state of its own.

Beside the number's coordinate there is one per code, 1 where the value is that code, and the flag
of a missing value: a code says why there is no number. Nobody moves from one code to another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats
from facelift.terrain.kinds.base import NOWHERE
from facelift.terrain.kinds.numeric import Numeric
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature


class Coded(Numeric):
    """Numbers with special codes; a column is of this kind only where somebody names the codes."""

    name = "coded"

    def infer(self, name: object, column: pd.Series[Any]) -> None:
        """Nothing tells a code from a number but a person."""

    def width(self, feature: Feature) -> int:
        """The number's, and one per code."""
        return 1 + self.n_reasons(feature)

    def n_reasons(self, feature: Feature) -> int:
        """As many as codes."""
        return len(feature.coded)

    def encode(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Numbers in the first coordinate, codes in their own."""
        numbers = self.values(feature, column)
        codes = numbers[:, np.newaxis] == np.array(feature.coded, dtype=np.float64)
        coded = codes.any(axis=1)
        places = np.full(len(numbers), NOWHERE)
        places[~coded] = feature.placed(numbers[~coded])
        return np.column_stack([places, codes.astype(np.float64)])

    def gone(self, feature: Feature, encoded: Floats) -> Floats:
        """1 where there is a code instead of a number."""
        return np.asarray(encoded[:, 1:].max(axis=1))

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The same of one number that is no code."""
        place = None if cell in feature.coded else super().encode_cell(feature, cell, held)
        return place and place + [0.0] * len(feature.coded)

    def decode(self, feature: Feature, coordinates: Floats, gone: Bools, dtype: Any) -> Any:
        """Numbers, and codes as they were; NaN where neither is."""
        codes = np.array([*feature.coded, np.nan], dtype=np.float64)
        known = np.column_stack([coordinates[:, 1:], np.full(len(coordinates), 0.5)])
        numbers = feature.raw(coordinates[:, 0])
        return self.column(feature, np.where(gone, codes[known.argmax(axis=1)], numbers), dtype)

    def missing_point(self, feature: Feature) -> Floats:
        """No number, and no code that says why."""
        return np.array([NOWHERE, *[0.0] * len(feature.coded), 1.0])

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The number rounded, the nearest code or none."""
        numbers = super().rounded(feature, coordinates[:, :1], decimals)
        return np.column_stack([numbers, coordinates[:, 1:] > 0.5])

    def stops(self, feature: Feature) -> Floats:
        """Numbers only: nobody can choose a code."""
        numbers = super().stops(feature)
        return np.hstack([numbers, np.zeros((len(numbers), len(feature.coded)))])

    def values_text(self, feature: Feature) -> str:
        """The numbers, and the codes beside them."""
        codes = ", ".join(f"{code:g}" for code in feature.coded)
        return f"{super().values_text(feature)}; or a code: {codes}"

    def amounts(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """The numbers; a code is none."""
        amounts = super().amounts(feature, column)
        return np.where(np.isin(amounts, feature.coded), np.nan, amounts)

    def amount(self, feature: Feature, value: object) -> float:
        """The same of one value."""
        return np.nan if value in feature.coded else super().amount(feature, value)
