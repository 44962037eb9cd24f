"""Which states there can be: what a row of the table can be, and what one person can become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain

Rounding = Callable[[Floats], Floats]
"""The nearest points that rows of a table encode to; shape (n, m)."""


def rounding(terrain: Terrain) -> Rounding:
    """How points of a terrain become those of rows: whole numbers whole, levels on one level.

    Features that can take any number, such as pixels, stay as they are.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 40], "housing": ["own", "rent"]})
    >>> rounding(Terrain.infer(table))(np.array([[0.51, 0.4, 0.3]])).tolist()
    [[0.5, 1.0, 0.0]]
    """
    functions = [
        (place, partial(kind_of(feature).rounded, feature, decimals=0))
        for (feature, place), held in zip(terrain.parts, terrain.schema.held, strict=True)
        if kind_of(feature).grain(feature, whole=held.whole) != 0
    ]

    def rounded(points: Floats) -> Floats:
        found = points.copy()
        for place, function in functions:
            found[:, place] = function(points[:, place])
        return found

    return rounded


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
        low[place], high[place] = kind_of(feature).reach(feature, factual[place])
    return Reach(factual, low, high)


def permitted(terrain: Terrain, factual: Floats, points: Floats) -> Bools:
    """Whether the rules let a person become each of some states other than what they are; (n,)."""
    allowed = np.isfinite(terrain.prices.cost(factual, points))
    allowed &= (points != factual).any(axis=1)
    allowed[allowed] = terrain.admissible(points[allowed])
    return allowed
