"""The nearest vertices a point may move to, exactly, under a directed cost.

Searching among the admissible ones matters: filtering after an unconstrained search leaves many
people without any way on. Block by block, so nothing of size n × n is ever held. Candidates come
from cheap lower bounds of the cost; the exact cost is computed only for the most promising, and the
result is accepted once the bounds prove that no other vertex could come before.

Large searches run compiled (`nearest.tiles`); small ones are plain NumPy, with the same
answers to the bit, and do not wait for a compiler.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from facelift._arrays import Floats, Ints, chunks
from facelift.graph.nearest.plain import plain_nearest, squared_bounds
from facelift.graph.nearest.weighing import Search, compiled_nearest
from facelift.graph.points import move_costs
from facelift.terrain.prices import Prices

COMPILED_FROM = 2e9
"""Pairs times columns from which a search runs compiled; below, NumPy takes about a second."""


class Nearest(Protocol):
    """Something that finds what `nearest_admissible` does."""

    def __call__(
        self,
        starts: Floats,
        ends: Floats,
        prices: Prices,
        n_neighbors: int,
        *,
        itself: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Indices into `ends` and costs of the nearest admissible ones."""


def nearest_admissible(
    starts: Floats,
    ends: Floats,
    prices: Prices,
    n_neighbors: int,
    *,
    itself: Ints | None = None,
    limits: Floats | None = None,
    n_threads: int = 1,
) -> tuple[Ints, Floats]:
    """Indices into `ends` and costs of the nearest admissible ones, cheapest first; (s, k) each.

    Ties go to the smaller index. Rows with fewer than k admissible ends are filled with -1 and
    inf. `itself[i]` is the end that start i is, and is passed over (-1 for none). Ends that cost
    clearly more than `limits[i]` may be left out.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> nearest_admissible(points, points, prices, 1, itself=np.arange(3))
    (array([[ 1],
           [ 2],
           [-1]]), array([[ 1.],
           [ 2.],
           [inf]]))
    """
    if _work(starts, ends, prices) >= COMPILED_FROM:
        search = Search(starts, ends, prices, n_neighbors, itself, limits, n_threads)
        found = compiled_nearest(search)
        if found is not None:
            return found
    return plain_nearest(starts, ends, prices, n_neighbors, itself=itself)


def _work(starts: Floats, ends: Floats, prices: Prices) -> float:
    """About how much NumPy would have to do; bounds help it less where directions matter much."""
    low, high = np.minimum(prices.increase, prices.decrease), prices.increase + prices.decrease
    steep = bool((np.isfinite(high) & (high > 2.5 * low)).any())  # one is 1.5 times the other
    pairs = float(len(starts)) * len(ends)
    return pairs * (len(low) + 32) * (4 if steep else 1)


def within(
    starts: Floats, ends: Floats, prices: Prices, radius: float, *, itself: Ints | None = None
) -> tuple[Ints, Ints, Floats]:
    """Every admissible move of cost at most `radius`: starts, ends and costs of an edge list.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> within(points, points, prices, 2.5, itself=np.arange(3))
    (array([0, 1]), array([1, 2]), array([1., 2.]))
    """
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))]
    for rows in chunks(len(starts), len(ends)):
        own = None if itself is None else itself[rows]
        bounds = squared_bounds(starts[rows], ends, prices, own)
        near, far = np.nonzero((bounds <= radius * radius) & np.isfinite(bounds))
        costs = move_costs(prices, starts[rows], ends, (near, far))
        kept = (costs <= radius) & np.isfinite(costs)
        found.append((near[kept] + rows.start, far[kept], costs[kept]))
    first, second, third = zip(*found, strict=True)
    return np.concatenate(first), np.concatenate(second), np.concatenate(third)
