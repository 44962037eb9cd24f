"""What a kind of column does its own way: a new kind is a class with these methods in a file."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats
from facelift.errors import InvalidData
from facelift.terrain.prices import Block
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature

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
    settled: ClassVar[bool] = False
    """Whether values never change unless rules say otherwise."""

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

    def is_missing(self, coordinates: Floats) -> Bools:
        """Whether a value is missing, from all coordinates of a column where some are."""
        if self.flags_missing:
            return np.asarray(coordinates[..., -1] > 0.5)
        return np.asarray(coordinates.argmax(axis=-1) == coordinates.shape[-1] - 1)

    def block(self, feature: Feature, coordinates: slice) -> Block | None:
        """The prices of single changes of level; None where each coordinate has its own prices."""
        if feature.transitions or (feature.missing and not self.flags_missing):
            return Block(coordinates, feature.transition_prices())
        return None

    def decode_cell(self, number: float, dtype: Any) -> Any:
        """One number as a column of that type, quickly; None if only `decode` can tell."""
        return None

    def with_codes(self, feature: Feature, codes: Sequence[float]) -> Feature:
        """The feature of a column of which some numbers are codes; an error if it has none."""
        raise InvalidData(
            f"Codes of {feature.name!r} are for columns of numbers, and numbers themselves, got "
            f"{list(codes)}; in text, `codes` of facelift.prepare say what means missing."
        )

    @abstractmethod
    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The nearest coordinates that a row can have; numbers are rounded to `decimals`."""

    def middle(self, feature: Feature, means: Floats) -> Floats:
        """The middle of groups of rows, from their means; missing where most of a group's are."""
        if not (feature.missing and self.flags_missing):
            return self.rounded(feature, means, feature.decimals)
        gone = means[:, -1:]
        known = (means[:, :-1] - NOWHERE * gone) / np.where(gone < 1, 1 - gone, 1.0)
        middle = self.rounded(replace(feature, missing=False), known, feature.decimals)
        whole = np.column_stack([middle, np.zeros(len(middle))])
        return np.where(gone > 0.5, self.missing_point(feature), whole)

    def without_rare_values(self, feature: Feature, coordinates: Floats, k: int) -> Feature:
        """The feature without numbers that fewer than k of these rows have or exceed."""
        return feature

    @abstractmethod
    def grain(self, feature: Feature, *, whole: bool) -> float | None:
        """Least move of a coordinate that changes the value; `whole` if only to whole numbers.

        0 where any move does; None where a value is left for another, not moved.
        """

    def reach(self, feature: Feature, own: Floats) -> tuple[Any, Any]:
        """Least and largest coordinates that a person can come to: range, bounds and directions."""
        feature = feature.harmless
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

    def choices(self, feature: Feature) -> Floats:
        """The same where somebody finds a value that is missing."""
        return feature.places

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
        """Values as numbers to compare and bound, NaN where one is missing; levels are none."""
        return np.full(len(column), np.nan)

    def amount(self, feature: Feature, value: object) -> float:
        """The same of one value; an error if it should be a number and is none."""
        return math.nan

    def operand(self, feature: Feature, column: pd.Series[Any]) -> Any:
        """What a requirement compares: numbers, booleans, or `LevelCodes`."""
        return self.amounts(feature, column)

    def rank(self, feature: Feature, value: object) -> float | None:
        """Where a value stands in the order of its column; None where there is none."""
        return None

    def fault(self, feature: Feature, value: object) -> str:
        """Why a value cannot be anybody's, as what follows the column's name; empty if it can."""
        return ""

    @abstractmethod
    def counts(
        self, feature: Feature, column: pd.Series[Any], weights: Floats, n_bars: int
    ) -> tuple[int, ...]:
        """How many have which values: one count per level, or per part of equal width."""

    def drawn(
        self, feature: Feature, column: pd.Series[Any], weights: Floats
    ) -> tuple[float, float] | None:
        """The range that has parts of equal width; None where there is no such range."""
        return None

    def can_have(self, levels: Sequence[object], *, missing: bool) -> bool:
        """Whether a column of this kind, as somebody wrote it down, can have these levels."""
        return self.has_levels == bool(levels) and len(set(levels)) == len(levels)

    def n_reasons(self, feature: Feature) -> int:
        """How many of the last coordinates say why a value is missing; nobody moves along them."""
        return 0

    def gone(self, feature: Feature, encoded: Floats) -> Floats | float:
        """Which values that are there stand for a missing one: 1 in the place of the flag."""
        return 0.0

    def told(self, feature: Feature, number: float) -> float | str:
        """A number of this kind as a rules file has it; `amount` reads it."""
        return number

    def range(self, feature: Feature) -> tuple[float, float] | None:
        """Numbers between which a person may set bounds; None where there is no such range."""
        return None


def two_arms(stops: Floats, own: Floats) -> Arms:
    """Stops above a coordinate, nearest first, and those below it."""
    up = [stop for stop in stops if stop[0] > own[0]]
    down = [stop for stop in stops[::-1] if stop[0] < own[0]]
    return [up, down]
