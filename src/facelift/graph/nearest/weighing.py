"""Compiled neighbours: candidates from tiles, weighed exactly, and more where that leaves doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.geometry import TOLERANCE
from facelift.graph.kernels import kernel
from facelift.graph.nearest.blocks import Layout, levels_of
from facelift.graph.nearest.plain import plain_nearest
from facelift.graph.nearest.tiles import candidates, in_threads
from facelift.graph.points import move_costs
from facelift.terrain.prices import Prices

EXTRA = 4
"""Candidates beyond the neighbours asked for: most rows are then certain at once."""

WIDEST = 512
"""Rows that are not certain with so many candidates are searched with NumPy."""

N_CHECKED = 64
"""Costs of each portion that are compared with those of `Prices.cost`, to the bit."""


@dataclass(frozen=True, eq=False)
class Search:
    """What is looked for; see `nearest_admissible`. Points are kept as contiguous arrays."""

    starts: Floats
    ends: Floats
    prices: Prices
    n_neighbors: int
    itself: Ints | None
    limits: Floats | None
    n_threads: int

    def __post_init__(self) -> None:
        ends = np.ascontiguousarray(self.ends, dtype=np.float64)
        same = self.starts is self.ends  # then every pair is looked at once for both directions
        starts = ends if same else np.ascontiguousarray(self.starts, dtype=np.float64)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "ends", ends)

    def of(self, rows: Ints) -> Search:
        """The same for some of the starts."""
        itself = None if self.itself is None else self.itself[rows]
        limits = None if self.limits is None else self.limits[rows]
        return replace(self, starts=self.starts[rows], itself=itself, limits=limits)


def compiled_nearest(search: Search) -> tuple[Ints, Floats] | None:
    """What `nearest_admissible` returns; None where narrow floats cannot tell numbers apart."""
    layout = Layout.of(search.starts, search.ends, search.prices)
    if layout is None:
        return None
    width = search.n_neighbors + EXTRA
    indices, costs, certain = _attempt(search, layout, width)
    rows = np.flatnonzero(~certain)
    while len(rows):
        width *= 4
        for part in chunks(len(rows), 8 * width):
            some = rows[part]
            indices[some], costs[some], certain[some] = _attempt(search.of(some), layout, width)
        rows = rows[~certain[rows]]
    return indices, costs


def _attempt(search: Search, layout: Layout, width: int) -> tuple[Ints, Floats, Bools]:
    """The nearest of the `width` best candidates, and for which starts they are certain."""
    starts, k = search.starts, search.n_neighbors
    if width > min(WIDEST, len(search.ends)):
        found = plain_nearest(starts, search.ends, search.prices, k, itself=search.itself)
        return *found, np.ones(len(starts), dtype=bool)
    ends, beyond = candidates(
        starts,
        search.ends,
        layout,
        width,
        itself=search.itself,
        limits=search.limits,
        n_threads=search.n_threads,
    )
    costs, certain = np.empty(ends.shape), np.empty(len(ends), dtype=bool)
    enough = np.full(len(starts), np.inf) if search.limits is None else search.limits
    weights = _weights(search)
    loops = kernel("weighing")

    def weigh(part: slice) -> None:
        rows = np.arange(part.start, part.stop)
        loops.weigh(starts, search.ends, weights, rows, ends[part], costs[part])
        _check(search, rows, ends[part], costs[part])
        loops.rank(ends[part], costs[part], beyond[part], enough[part], k, TOLERANCE, certain[part])

    in_threads(weigh, list(chunks(len(starts), 64 * width)), search.n_threads)
    ends, costs = ends[:, :k].copy(), costs[:, :k].copy()
    ends[np.isinf(costs)] = -1
    return ends, costs, certain


def _weights(search: Search) -> Any:
    """What exact costs are made of, as the compiled loop wants it."""
    prices = search.prices
    size = max((len(block.prices) for block in prices.blocks), default=0)
    tables = np.zeros((len(prices.blocks), size, size))
    for table, block in zip(tables, prices.blocks, strict=True):
        table[: len(block.prices), : len(block.prices)] = block.prices
    spans = [(block.coordinates.start, block.coordinates.stop) for block in prices.blocks]
    return kernel("weighing").Weights(
        np.where(np.isinf(prices.increase), 0.0, prices.increase),
        np.where(np.isinf(prices.decrease), 0.0, prices.decrease),
        np.array(spans, dtype=np.int64).reshape(-1, 2),
        tables,
        levels_of(search.starts, prices),
        levels_of(search.ends, prices),
    )


def _check(search: Search, rows: Ints, ends: Ints, costs: Floats) -> None:
    """Costs must be those of `Prices.cost`, to the bit; if NumPy adds otherwise here, use NumPy."""
    near, rank = np.nonzero(ends >= 0)
    step = max(1, len(near) // N_CHECKED)
    some = (near[::step], rank[::step])
    pairs = (rows[some[0]], ends[some])
    if (costs[some] != move_costs(search.prices, search.starts, search.ends, pairs)).any():
        every = (rows[near], ends[near, rank])
        costs[near, rank] = move_costs(search.prices, search.starts, search.ends, every)
