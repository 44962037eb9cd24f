"""Which states there can be: what a row of the table can be, and what one person can become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats
from facelift.terrain.feature import Feature
from facelift.terrain.tables import pandas_dtype
from facelift.terrain.terrain import Terrain


@dataclass(frozen=True, eq=False)
class Rounding:
    """What rows of a table can be: whole numbers whole, ordered levels on one, one-hot ones one.

    One function per feature, from coordinates (n, width) to where a row can be; features that can
    take any number, such as pixels, have none.
    """

    functions: tuple[tuple[slice, Callable[[Floats], Floats]], ...]

    def rounded(self, points: Floats) -> Floats:
        """The nearest points that rows encode to; shape (n, m)."""
        rounded = points.copy()
        for place, function in self.functions:
            rounded[:, place] = function(points[:, place])
        return rounded


def rounding(terrain: Terrain) -> Rounding:
    """How points of a terrain become those of rows.

    >>> table = pd.DataFrame({"age": [20, 40], "housing": ["own", "rent"]})
    >>> rounding(Terrain.infer(table)).rounded(np.array([[0.51, 0.4, 0.3]])).tolist()
    [[0.5, 1.0, 0.0]]
    """
    needed = []
    columns = zip(terrain.features, terrain.slices, whole_columns(terrain), strict=True)
    for feature, place, whole in columns:
        if feature.kind == "categorical":
            needed.append((place, _one_level))
        elif feature.kind == "ordinal":
            needed.append((place, partial(_on_a_rank, feature=feature)))
        elif whole:
            needed.append((place, partial(_whole, feature=feature)))
    return Rounding(tuple(needed))


def whole_columns(terrain: Terrain) -> list[bool]:
    """Whether each column of the table holds whole numbers by its type."""
    schema = terrain.schema
    types = [pandas_dtype(column, schema.container) for column in schema.columns]
    return [bool(pd.api.types.is_integer_dtype(each)) for each in types]


@dataclass(frozen=True, eq=False)
class Reach:
    """What one person can become: every coordinate between `low` and `high`; shape (m,) each."""

    factual: Floats
    low: Floats
    high: Floats

    @property
    def free(self) -> Bools:
        """Coordinates that can change at all; shape (m,)."""
        return self.low < self.high

    @property
    def radius(self) -> float:
        """Distance to the farthest corner."""
        farthest = np.maximum(self.high - self.factual, self.factual - self.low)
        return float(np.sqrt((farthest**2).sum()))


def reach(terrain: Terrain, factual: Floats) -> Reach:
    """The box of what a person can become: within the range seen, bounds and directions.

    Rules between columns, and single changes of ordered levels, are no matter of a box.

    >>> terrain = Terrain.infer(np.array([[0.0, 0.0], [10.0, 1.0]]))
    >>> box = reach(terrain.increase_only("x0").freeze("x1"), np.array([0.4, 0.0]))
    >>> box.low.tolist(), box.high.tolist()
    ([0.4, 0.0], [1.0, 0.0])
    """
    low, high = np.zeros(len(factual)), np.ones(len(factual))
    for feature, place in zip(terrain.features, terrain.slices, strict=True):
        limits = _levels_allowed if feature.kind == "categorical" else _numbers_allowed
        low[place], high[place] = limits(feature, factual[place])
    return Reach(factual, low, high)


def permitted(terrain: Terrain, factual: Floats, points: Floats) -> Bools:
    """Whether the rules let a person become each of some states other than what they are; (n,)."""
    allowed = np.isfinite(terrain.prices.cost(factual, points))
    allowed &= (points != factual).any(axis=1)
    allowed[allowed] = terrain.admissible(points[allowed])
    return allowed


def _levels_allowed(feature: Feature, values: Floats) -> tuple[Floats, Floats]:
    start = int(values.argmax())
    allowed = np.isfinite(feature.transition_prices()[start])
    allowed[start] = True
    alone = allowed.sum() == 1
    return (values, values) if alone else (np.zeros(len(values)), allowed.astype(np.float64))


def _numbers_allowed(feature: Feature, values: Floats) -> tuple[float, float]:
    value = float(values[0])
    low, high = min(value, 0.0), max(value, 1.0)
    if feature.kind == "numeric":
        bounds = feature.scaled(np.array([feature.lower, feature.upper]))
        low, high = max(low, float(bounds[0])), min(high, float(bounds[1]))
    if feature.transitions:
        return low, high
    return (
        value if np.isinf(feature.decrease) else low,
        value if np.isinf(feature.increase) else high,
    )


def _one_level(values: Floats) -> Floats:
    return np.asarray(np.eye(values.shape[1])[values.argmax(axis=1)])


def _on_a_rank(values: Floats, feature: Feature) -> Floats:
    ranks = feature.ranks
    top = len(ranks) - 1
    return np.asarray(ranks[np.clip(np.rint(values * top), 0, top).astype(np.int64)])


def _whole(values: Floats, feature: Feature) -> Floats:
    return feature.scaled(np.rint(feature.low + values * feature.span))
