"""What a kind of column does its own way: a new kind is a class with these methods in a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, InvalidInput, nearest_name
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature, Level

NOWHERE = 0.5
"""Coordinate of a number or rank that is missing: a place to draw it, not a value."""

Arms = list[list[Floats]]
"""Sequences of coordinates that a value can move through, one action after the other."""


class Kind(ABC):
    """A kind of column. `encode` and `decode` see only values that are there.

    A value has `width` coordinates. In a column with missing values one more says which are: a
    flag beside the value, or, where `flags_missing` is false, a level of its own.
    """

    name: ClassVar[str]
    has_order: ClassVar[bool] = True
    """Whether values rise and fall, so that each direction can have a price."""
    has_levels: ClassVar[bool] = False
    """Whether values are levels of a list; else they are numbers on a scale."""
    flags_missing: ClassVar[bool] = True

    @abstractmethod
    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Fields of the feature of a column of this kind; None if the column is of another."""

    def width(self, feature: Feature) -> int:
        """Number of coordinates of a value."""
        return 1

    @abstractmethod
    def encode(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Coordinates of values; shape (n, width)."""

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """Coordinates of one plain value, quickly; None if only `encode` can tell."""
        return None

    @abstractmethod
    def decode(self, feature: Feature, coordinates: Floats, gone: Bools, dtype: Any) -> Any:
        """Values of coordinates as a column of that type, missing where `gone`."""

    def missing_point(self, feature: Feature) -> Floats:
        """All coordinates of a value that is missing."""
        value = np.full(self.width(feature), NOWHERE if self.flags_missing else 0.0)
        return np.append(value, 1.0)

    @abstractmethod
    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The nearest coordinates that a row can have; numbers are rounded to `decimals`."""

    @abstractmethod
    def grain(self, feature: Feature, *, whole: bool) -> float:
        """Least move of a coordinate that changes the value; `whole` if only to whole numbers."""

    def reach(self, feature: Feature, own: Floats) -> tuple[Any, Any]:
        """Least and largest coordinates that a person can come to: range, bounds and directions."""
        value = float(own[0])
        lower, upper, top = feature.scaled(np.array([feature.lower, feature.upper, feature.high]))
        low, high = max(min(value, 0.0), float(lower)), min(max(value, float(top)), float(upper))
        if feature.transitions:
            return low, high
        return (
            value if np.isinf(feature.decrease) else low,
            value if np.isinf(feature.increase) else high,
        )

    @abstractmethod
    def stops(self, feature: Feature) -> Floats:
        """Coordinates that a person can choose among, lowest first; shape (stops, width)."""

    def arms(self, feature: Feature, own: Floats) -> Arms:
        """Sequences of stops from where a person stands, one action each: up, then down."""
        return two_arms(self.stops(feature), own)

    @abstractmethod
    def values_text(self, feature: Feature) -> str:
        """The values as a printed terrain shows them."""

    def words(self, value: Any) -> str | None:
        """A value as one would say it; None where this kind has no words of its own for it."""
        return None

    @abstractmethod
    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """Values of a column that another program may have turned into text."""

    def amounts(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """Values as numbers to compare and bound, NaN where one is missing."""
        raise InvalidInput(f"{feature.name!r} has levels, which are no numbers.")

    def amount(self, feature: Feature, value: object) -> float:
        """The same of one value; an error if it is no number."""
        raise InvalidInput(f"{feature.name!r} has levels, which are no numbers.")

    def range(self, feature: Feature) -> tuple[float, float] | None:
        """Numbers between which a person may set bounds; None where there is no such range."""
        return None


def two_arms(stops: Floats, own: Floats) -> Arms:
    """Stops above a coordinate, nearest first, and those below it."""
    up = [stop for stop in stops if stop[0] > own[0]]
    down = [stop for stop in stops[::-1] if stop[0] < own[0]]
    return [up, down]


class Levels(Kind):
    """A kind whose values are levels of a list: each has its place, a row of `places`."""

    has_levels = True

    @abstractmethod
    def places(self, feature: Feature) -> Floats:
        """Coordinates of each level; shape (levels, width)."""

    def categories(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Levels of a pandas column of categories, if they have an order as this kind does."""
        if column.cat.ordered != self.has_order:
            return None
        levels = column.cat.categories.tolist()
        odd = [level for level in levels if not isinstance(level, str | bool | int | float)]
        if odd:
            raise InvalidData(
                f"Column {name!r} has a level of type {type(odd[0]).__name__}; levels are text, "
                "numbers or booleans: turn them into text (cat.rename_categories(str))."
            )
        return {"levels": tuple(levels)}

    @abstractmethod
    def codes(self, feature: Feature, coordinates: Floats) -> Ints:
        """Index of the level nearest to each value's coordinates."""

    def encode(self, feature: Feature, column: pd.Series[Any]) -> Floats:
        """The places of levels; an error names one that is not known."""
        return np.asarray(self.places(feature)[_known_codes(feature, column)])

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The place of a level that is text."""
        code = feature.codes.get(cell) if isinstance(cell, str) else None
        return None if code is None else self.place(feature, code)

    @abstractmethod
    def place(self, feature: Feature, code: int) -> list[float]:
        """Coordinates of one level."""

    def decode(self, feature: Feature, coordinates: Floats, gone: Bools, dtype: Any) -> Any:
        """Levels as text, booleans, numbers or categories, as the column's type has them."""
        codes = self.codes(feature, coordinates)
        codes[gone] = len(feature.levels)
        if isinstance(dtype, pd.CategoricalDtype):
            places = np.append(_category_places(feature.levels, tuple(dtype.categories)), -1)
            return pd.Categorical.from_codes(places[codes], dtype=dtype, validate=False)
        levels = np.empty(len(feature.levels) + 1, dtype=object)
        levels[:-1] = feature.levels
        levels[-1] = None if feature.blank == "none" else np.nan
        return pd.Series(levels[codes], dtype=object).astype(dtype)  # an array would become `str`

    def grain(self, feature: Feature, *, whole: bool) -> float:
        """From one level to the next."""
        return 1 / max(len(feature.levels) - 1, 1)

    def stops(self, feature: Feature) -> Floats:
        """All levels."""
        return self.places(feature)

    def values_text(self, feature: Feature) -> str:
        """The levels, and what single changes between them cost."""
        separator = " < " if self.has_order else ", "
        single = [
            f"never {start} → {end}" if np.isinf(price) else f"{start} → {end} at {price:g}"
            for start, end, price in feature.transitions
        ]
        return "; ".join([separator.join(map(str, feature.levels)), *single])

    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """The levels that some text stands for; what is none stays."""
        known = {str(level): level for level in feature.levels}
        cells = [v if pd.isna(v) else known.get(str(v), v) for v in column]
        return pd.Series(cells, index=column.index, dtype=object)


def _known_codes(feature: Feature, column: pd.Series[Any]) -> npt.NDArray[np.intp]:
    values = pd.Index(column, dtype=object)
    try:
        codes = pd.Index(list(feature.levels), dtype=object).get_indexer(values)
    except TypeError:  # one cannot be looked up, as a list
        codes = np.array([_code(value, feature) for value in values])
    if (codes < 0).any():
        value = values[int(np.argmax(codes < 0))]
        raise InvalidData(
            f"{value!r} is not a known value of column {feature.name!r}; "
            f"{nearest_name(value, feature.levels)}"
        )
    return codes


def _code(value: object, feature: Feature) -> int:
    try:
        return feature.codes.get(value, -1)
    except TypeError:
        return -1


@lru_cache(maxsize=1024)
def _category_places(levels: tuple[Level, ...], categories: tuple[Any, ...]) -> Any:
    """Which category of a pandas type each level is; looked up for every batch of states.

    By the categories in their order: pandas calls unordered types equal whatever that is.
    """
    return pd.Index(categories, dtype=object).get_indexer(pd.Index(levels, dtype=object))
