"""How dear places are to cross: the emptier, the dearer (SPEC 16)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from facelift._arrays import Floats
from facelift.graph.edge_costs import Power, likely_bandwidth, log_density

DEAREST = 50.0
"""Logarithm of the dearest weight: beyond all records a kernel density is 0 to the last digit."""


class Density:
    """The density weight of places: 1 where records are as dense as they are for most.

    `(d_k(x) ÷ median d_k)^(p − 1)` with d_k the distance to the k-th nearest record. With a kernel
    estimate f it is `(median f ÷ f(x))^((p − 1) ÷ m)`, as d_k goes with `f^(−1/m)` in m dimensions.

    >>> line = np.array([0.0, 1, 2, 3, 8, 9, 10])[:, np.newaxis]
    >>> places = np.array([[1.0], [5.5]])
    >>> Density(line, Power(2.0), 2).weights(places)
    array([1. , 2.5])
    >>> Density(line, Power(2.0, "kde", 1.0), 2).weights(places).round(1)
    array([ 0.7, 19. ])
    """

    def __init__(self, points: Floats, shape: Power, k: int) -> None:
        self._points, self._shape = points, shape
        self._k = min(k, len(points))

    def weights(self, places: Floats) -> Floats:
        """How dear places are to cross; shape (n,)."""
        power = self._shape.exponent - 1
        if power == 0:
            return np.ones(len(places))
        if self._shape.density == "kde":
            emptier = (self._typical - self._logarithms(places)) * power / places.shape[1]
            return np.asarray(np.exp(np.minimum(emptier, DEAREST)))
        apart, _ = self.tree.query(places, [self._k])
        return np.asarray((apart[:, 0] / self._typical) ** power)

    def crowd(self, places: Floats) -> Floats:
        """The middle of the k records nearest to each place; shape (n, m)."""
        _, near = self.tree.query(places, self._k)
        return np.asarray(self._points[near].mean(axis=1))

    @cached_property
    def tree(self) -> Any:
        """The records, to look neighbours up in."""
        return cKDTree(self._points)

    @cached_property
    def _logarithms(self) -> Any:
        bandwidth = self._shape.bandwidth or likely_bandwidth(self._points)
        return log_density(self._points, bandwidth)

    @cached_property
    def _typical(self) -> float:
        """The density, or the distance that stands for it, at the median over the records."""
        if self._shape.density == "kde":
            return float(np.median(self._logarithms(self._points)))
        apart, _ = self.tree.query(self._points, [self._k])
        return float(np.median(apart)) or 1.0
