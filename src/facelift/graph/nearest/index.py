"""Ends in blocks, made once, in which the nearest of any start are found without looking at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.graph.kernels import can_compile
from facelift.graph.nearest.exact import Search, nearest_prepared
from facelift.graph.nearest.plain import plain_nearest
from facelift.graph.nearest.tiles import Prepared
from facelift.terrain.prices import Prices

FARTHEST = 64.0
"""Starts farther out, in spreads of the ends, are compared with all of them."""


@dataclass(frozen=True, eq=False)
class Index:
    """Points to move to at some prices; blocks are made when first asked for.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> index = Index(np.array([[0.0], [1.0], [3.0]]), prices)
    >>> index.nearest(np.array([[0.5]]), 1)
    (array([[1]]), array([[0.5]]))
    """

    ends: Floats
    prices: Prices

    @cached_property
    def prepared(self) -> Prepared | None:
        """The ends as the compiled search wants them; None where it cannot tell them apart."""
        return Prepared.of(self.ends, self.prices) if can_compile() else None

    def nearest(self, starts: Floats, n_neighbors: int) -> tuple[Ints, Floats]:
        """What `nearest_admissible` returns, to the bit."""
        prepared, near = self.prepared, self._near(starts)
        if prepared is not None and near.all():
            return nearest_prepared(Search(starts, self.ends, self.prices, n_neighbors), prepared)
        if not near.any():
            return plain_nearest(starts, self.ends, self.prices, n_neighbors)
        indices = np.empty((len(starts), n_neighbors), dtype=np.int64)
        costs = np.empty(indices.shape)
        for some in (near, ~near):
            indices[some], costs[some] = self.nearest(starts[some], n_neighbors)
        return indices, costs

    def _near(self, starts: Floats) -> Bools:
        """Which starts narrow numbers can tell from the ends."""
        if self.prepared is None:
            return np.zeros(len(starts), dtype=bool)
        scaled = self.prepared.layout.scaled(starts)
        return np.asarray((np.abs(scaled) <= FARTHEST).all(axis=1))

    def __getstate__(self) -> dict[str, Any]:
        return {"ends": self.ends, "prices": self.prices}
