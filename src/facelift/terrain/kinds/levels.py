"""Columns of levels: with an order (one coordinate, evenly spaced ranks), or without (one-hot).

Yes or no in words has an order; a category of very many levels has one coordinate, the number of
its level.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, nearest_name
from facelift.terrain.kinds.base import Arms, Kind
from facelift.terrain.prices import GRAIN, Codes
from facelift.terrain.tables import Held

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature, Level


MANY, MOST_CHOICES, MOST_SHOWN = 200, 50, 40
"""Levels from which on those of nearly every row are names; how many anybody chooses among, the
most common ones; how many are printed."""


@dataclass(frozen=True, eq=False)
class LevelCodes:
    """Places of a column's values in the list of its levels; -1 where one is missing."""

    feature: Feature
    codes: Ints


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
        return np.asarray(feature.places[_known_codes(feature, column)])

    def encode_cell(self, feature: Feature, cell: object, held: Held) -> list[float] | None:
        """The place of a level that is text."""
        code = feature.codes.get(cell) if isinstance(cell, str) else None
        return None if code is None else feature.places[code].tolist()

    def decode(self, feature: Feature, coordinates: Floats, gone: Bools, dtype: Any) -> Any:
        """Levels as text, booleans, numbers or categories, as the column's type has them."""
        codes = self.codes(feature, coordinates)
        codes[gone] = len(feature.levels)
        if isinstance(dtype, pd.CategoricalDtype):
            places = np.append(_category_places(feature.levels, tuple(dtype.categories)), -1)
            return pd.Categorical.from_codes(places[codes], dtype=dtype, validate=False)
        if gone.any():
            return feature.cells.take(codes).astype(dtype)
        cells = feature.cells_of(dtype)
        if len(codes) == 1:  # a tenth as long
            return cells[codes[0] : codes[0] + 1].copy()
        return cells.take(codes)

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The place of the nearest level."""
        return np.asarray(feature.places[self.codes(feature, coordinates)])

    def grain(self, feature: Feature, *, whole: bool) -> float | None:
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
        shown = [str(level) for level in feature.levels[:MOST_SHOWN]]
        n = len(feature.levels)
        if n > MOST_SHOWN:
            shown[-1] += f" and more, {n:,} in all"
        if feature.stops:
            single.insert(0, f"{len(feature.stops)} of them to choose among")
        return "; ".join([separator.join(shown), *single])

    def operand(self, feature: Feature, column: pd.Series[Any]) -> Any:
        """The places of levels; booleans stay what they are."""
        if {*map(type, feature.levels)} == {bool}:
            return (column == True).to_numpy(dtype=bool, na_value=False)  # noqa: E712  (or missing)
        return LevelCodes(feature, pd.Index(feature.levels).get_indexer(pd.Index(column)))

    def counts(
        self, feature: Feature, column: pd.Series[Any], weights: Floats, n_bars: int
    ) -> tuple[int, ...]:
        """One per level."""
        places = pd.Index(feature.levels, dtype=object).get_indexer(pd.Index(column, dtype=object))
        known = places >= 0
        found = np.bincount(places[known], weights[known], minlength=len(feature.levels))
        return tuple(found.astype(int).tolist())

    def parsed(self, feature: Feature, column: pd.Series[Any]) -> pd.Series[Any]:
        """The levels that some text stands for; what is none stays."""
        known = {str(level): level for level in feature.levels}
        cells = [v if pd.isna(v) else known.get(str(v), v) for v in column]
        return pd.Series(cells, index=column.index, dtype=object)


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
        """Ranks, evenly spaced from 0 to 1."""
        n = len(feature.levels)
        return np.arange(n)[:, np.newaxis] / max(n - 1, 1)

    def rank(self, feature: Feature, value: object) -> float | None:
        """The place of a level in the list."""
        place = feature.codes.get(value)
        return None if place is None else float(place)

    def codes(self, feature: Feature, coordinates: Floats) -> Ints:
        """The nearest rank."""
        top = len(feature.levels) - 1
        return np.clip(np.rint(coordinates[:, 0] * top), 0, top).astype(np.intp)


class Categorical(Levels):
    """Categories and text; any level is one action from any other, and so is a missing one."""

    name = "categorical"
    has_order = False
    flags_missing = False

    def infer(self, name: Hashable, column: pd.Series[Any]) -> dict[str, Any] | None:
        """Unordered categories of pandas, and text; "many" where there are many levels."""
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
        counts = column.value_counts()
        _check_no_names(name, len(counts), len(column))
        levels = sorted(counts.index.tolist())
        return {"levels": tuple(levels), "stops": common_levels(levels, counts)}

    def width(self, feature: Feature) -> int:
        """As many as levels."""
        return len(feature.levels)

    def places(self, feature: Feature) -> Floats:
        """One-hot."""
        return np.eye(len(feature.levels))

    def codes(self, feature: Feature, coordinates: Floats) -> Ints:
        """The largest coordinate."""
        return np.asarray(coordinates.argmax(axis=1))

    def rounded(self, feature: Feature, coordinates: Floats, decimals: int | None) -> Floats:
        """The level of the largest coordinate."""
        return np.asarray(np.eye(coordinates.shape[1])[coordinates.argmax(axis=1)])

    def grain(self, feature: Feature, *, whole: bool) -> None:
        """There is nothing between levels without an order."""

    def reach(self, feature: Feature, own: Floats) -> tuple[Floats, Floats]:
        """Levels that a single change leads to."""
        start = int(own.argmax())
        allowed = np.isfinite(feature.harmless.transition_prices()[start])
        allowed[start] = True
        alone = allowed.sum() == 1
        return (own, own) if alone else (np.zeros(len(own)), allowed.astype(np.float64))

    def arms(self, feature: Feature, own: Floats) -> Arms:
        """Every other level, each by one action."""
        current = int(own.argmax())
        return [[feature.places[i]] for i in _choices(feature) if i != current]

    def choices(self, feature: Feature) -> Floats:
        """Levels to choose among: all, or the most common where there are many."""
        return np.asarray(feature.places[_choices(feature)])

    def told(self, feature: Feature, number: float) -> Any:
        """The level of that number in the list."""
        return feature.levels[int(number)]


def _check_no_names(name: Hashable, n: int, n_rows: int) -> None:
    if n > max(MANY, n_rows / 2):
        raise InvalidData(
            f"Column {name!r} has {n:,} different values in {n_rows:,} rows ({n / n_rows:.0%}), as "
            "names and identifiers have: drop it, or put it into groups."
        )


def common_levels(levels: list[Any], counts: pd.Series[Any]) -> tuple[float, ...]:
    """Places of the most common levels; none where there are few enough to choose among all."""
    if len(levels) <= MOST_CHOICES:
        return ()
    common = set(counts.index[:MOST_CHOICES])
    return tuple(float(i) for i, level in enumerate(levels) if level in common)


def _choices(feature: Feature) -> list[int]:
    return [int(stop) for stop in feature.stops] or list(range(len(feature.levels)))


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


def _all_truths(column: pd.Series[Any]) -> bool:
    """Whether objects are all True or False, as where some are missing beside them."""
    return column.dtype == object and all(isinstance(each, bool) for each in column.tolist())


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
