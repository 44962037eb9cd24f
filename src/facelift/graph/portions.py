"""Portions: work on large arrays a bounded piece at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from facelift._arrays import Floats, Ints
from facelift.terrain.prices import Prices

CELLS = 4_000_000
"""Largest number of cells of an array made in one go: 32 MB."""


def portions(n_rows: int, cells_per_row: int) -> Iterator[slice]:
    """Slices that cover `n_rows` rows, each of at most `CELLS` cells (and at least one row).

    >>> list(portions(5, CELLS // 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, CELLS // max(cells_per_row, 1))
    return (slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size))


def move_costs(prices: Prices, starts: Floats, ends: Floats, pairs: tuple[Ints, Ints]) -> Floats:
    """Cost of the moves between pairs of rows of `starts` and `ends`, given by their indices."""
    first, second = pairs
    parts = portions(len(first), starts.shape[1])
    costs = [prices.cost(starts[first[part]], ends[second[part]]) for part in parts]
    return np.concatenate([np.empty(0), *costs])
