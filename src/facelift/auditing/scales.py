"""Other ways to weigh the same changes: by how values spread, or by how many people lie between.

A cost adds up changes of different columns, each divided by the range of its column. That is one
choice of several; a finding that another choice turns round is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from facelift._arrays import Floats, Ints
from facelift.terrain.prices import Prices
from facelift.terrain.terrain import Terrain

Scale = Callable[[Floats, Floats], Floats]
"""Starts and ends of moves to what each costs."""


def scales(terrain: Terrain, points: Floats, multiplicity: Ints) -> dict[str, Scale]:
    """By the range of every column (the terrain's own cost), by its spread, and by ranks."""
    ranked = _ranking(terrain, points, multiplicity)
    return {
        "range": terrain.prices.cost,
        "spread": _by_spread(terrain, points, multiplicity).cost,
        "rank": lambda starts, ends: terrain.prices.cost(ranked(starts), ranked(ends)),
    }


def _by_spread(terrain: Terrain, points: Floats, multiplicity: Ints) -> Prices:
    """Prices per standard deviation of a column instead of per range."""
    mean = np.average(points, axis=0, weights=multiplicity)
    variance = np.average((points - mean) ** 2, axis=0, weights=multiplicity)
    spreads = [float(np.sqrt(variance[part].sum())) for part in terrain.slices]
    increase, decrease = terrain.prices.increase.copy(), terrain.prices.decrease.copy()
    per_slice = {}
    for part, spread in zip(terrain.slices, spreads, strict=True):
        factor = 1 / spread if spread > 0 else 1.0  # a constant column never changes
        increase[part] *= factor
        decrease[part] *= factor
        per_slice[part.start] = factor
    blocks = tuple(
        replace(block, prices=block.prices * per_slice[block.coordinates.start])
        for block in terrain.prices.blocks
    )
    return Prices(increase, decrease, blocks, terrain.prices.gaps)


def _ranking(terrain: Terrain, points: Floats, multiplicity: Ints) -> Callable[[Floats], Floats]:
    """Points with numbers and ordered levels replaced by the share of records below them.

    Half of the records with the same value count. Columns whose single changes of level have prices
    of their own stay as they are: these know levels by their place.
    """
    priced = {block.coordinates.start for block in terrain.prices.blocks}
    columns = [
        part.start
        for feature, part in zip(terrain.features, terrain.slices, strict=True)
        if feature.has_order and part.start not in priced
    ]
    known = {column: _shares_below(points[:, column], multiplicity) for column in columns}

    def ranked(given: Floats) -> Floats:
        found = np.array(given, dtype=np.float64)
        for column, (values, shares) in known.items():
            found[..., column] = np.interp(found[..., column], values, shares)
        return found

    return ranked


def _shares_below(values: Floats, multiplicity: Ints) -> tuple[Floats, Floats]:
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights=multiplicity)
    return distinct, (np.cumsum(counts) - counts / 2) / counts.sum()
