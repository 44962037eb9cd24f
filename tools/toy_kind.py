"""A toy kind of column in one file: shares written as text, such as "12 %" or "12.5%"."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from facelift.errors import InvalidData
from facelift.terrain.kinds.numeric import Numeric, number_scale

SHARE = re.compile(r"-?\d+(\.\d+)? ?%")
STYLES = ("{:g} %", "{:g}%", "{:.1f} %", "{:.1f}%", "{:.2f} %", "{:.2f}%")


class Percent(Numeric):
    """Numbers with a sign behind them; a column is of this kind if one style writes all of it."""

    name = "share"

    def infer(self, name, column):
        """Text in one of the styles."""
        cells = column.tolist()
        if not all(isinstance(cell, str) and SHARE.fullmatch(cell) for cell in cells):
            return None
        numbers = self.numbers(name, column)
        for style in STYLES:
            if [style.format(number) for number in numbers] == cells:
                return number_scale(name, numbers) | {"written": style}
        return None

    def numbers(self, name, column):
        """The numbers before the signs."""
        return np.array([self._number(name, cell) for cell in column])

    def column(self, feature, values, dtype):
        """Text as it was written."""
        cells = [feature.written.format(value) for value in values]
        return pd.Series(cells, dtype=object).astype(dtype)

    def parsed(self, feature, column):
        """Text is what it is."""
        return column

    def _number(self, name, cell):
        try:
            return float(str(cell).removesuffix("%"))
        except ValueError:
            raise InvalidData(
                f"Column {name!r} holds shares such as '12 %', but was given {cell!r}."
            ) from None
