"""How points are laid out for the compiled search: narrow coordinates, in blocks of near ones.

Every bound the search prunes by comes from here:

- the quadratic part, `Σ (least price · Δ)²`, as a matrix product;
- a column that takes only two values costs `q · Δ² + l · Δ` exactly, whatever its two prices are,
  with `q` the mean of their squares: product and a term per point give its full cost;
- a value that may be missing counts only between blocks whose points all have it, or none has it;
- for other columns that are dearer one way, `Σ_g (Σ_i∈g t_i · Δ_i)₊² ÷ |g|` may be added, with
  `t_i²` the difference of the squared prices, signed by the dearer direction (Cauchy-Schwarz on
  groups `g` of columns that vary together).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from facelift._arrays import FEW_CELLS, Bools, Floats, Ints, chunks
from facelift.terrain.prices import Codes, Prices

Singles = npt.NDArray[np.float32]

ROUNDING = 2.0**-24
"""Largest relative error of one operation on 32-bit floats."""

TINY, HUGE = 1e-150, 1e150
"""Sizes of numbers between which squares are safe."""

N_GROUPS = 64
"""Columns that are dearer one way are summed in about so many groups."""

N_SAMPLED, N_COMPARED = 1024, 256
"""Points, evenly spaced, that tell where all are spread, and which columns vary together."""

N_AXES = 16
"""Blocks are made, and kept apart, along at most so many directions of the largest spread."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Which coordinates count in a search, how they are scaled, and what they cost.

    Arrays have one entry per kept column. Costs in these units are `unit` times as large.
    """

    prices: Prices
    columns: Ints
    centre: Floats
    two_valued: Bools
    width: Floats
    scale: float
    rate: float
    sample: Floats

    @classmethod
    def of(cls, starts: Floats, ends: Floats, prices: Prices) -> Layout | None:
        """The layout of a search; None where numbers are too large or nothing has a cost."""
        both = [ends] if starts is ends else [starts, ends]
        low = np.min([points.min(axis=0) for points in both], axis=0)
        high = np.max([points.max(axis=0) for points in both], axis=0)
        two_valued = np.zeros(len(low), dtype=bool)
        for c in np.flatnonzero(prices.increase != prices.decrease):
            two_valued[c] = all(
                ((points[:, c] == low[c]) | (points[:, c] == high[c])).all() for points in both
            )
        with np.errstate(over="ignore"):
            width = high - low
        return cls._with(ends, prices, width, two_valued, _counting(prices) & (width > 0))

    @classmethod
    def for_any(cls, ends: Floats, prices: Prices) -> Layout | None:
        """The layout of searches from starts that are not known yet."""
        with np.errstate(over="ignore"):
            width = ends.max(axis=0) - ends.min(axis=0)
        return cls._with(ends, prices, width, np.zeros(len(width), dtype=bool), _counting(prices))

    @classmethod
    def _with(
        cls, ends: Floats, prices: Prices, width: Floats, two_valued: Bools, counting: Bools
    ) -> Layout | None:
        for block in prices.blocks:
            counting[block.coordinates] = not isinstance(block, Codes)
        columns = np.flatnonzero(counting)
        spread, dearest = float(width[columns].max(initial=0.0)), _dearest(prices)
        if not (TINY < spread < HUGE and TINY < dearest < HUGE):
            return None
        scale, rate = (2.0 ** -math.ceil(math.log2(each)) for each in (spread, dearest))
        centre, step = ends.mean(axis=0)[columns], max(1, len(ends) // N_SAMPLED)
        sample = ends[::step][:N_SAMPLED, columns] - centre
        kept = two_valued[columns], width[columns]
        return cls(prices, columns, centre, *kept, scale, rate, sample)

    @cached_property
    def up(self) -> Floats:
        """Price of rising, at most 1; that of falling where rising is forbidden."""
        rise, fall = self.prices.increase[self.columns], self.prices.decrease[self.columns]
        return np.where(np.isinf(rise), fall, rise) * self.rate

    @cached_property
    def down(self) -> Floats:
        """Price of falling, at most 1; that of rising where falling is forbidden."""
        rise, fall = self.prices.increase[self.columns], self.prices.decrease[self.columns]
        return np.where(np.isinf(fall), rise, fall) * self.rate

    @cached_property
    def least(self) -> Floats:
        """Price below which no admissible move of a column is, between values that are there."""
        return self.prices.least[self.columns] * self.rate

    @cached_property
    def weights(self) -> Floats:
        """What coordinates are multiplied by for the product."""
        mean_square = np.sqrt((self.up**2 + self.down**2) / 2)
        return np.where(self.two_valued, mean_square, self.least)

    @cached_property
    def narrow_weights(self) -> Singles:
        """The same as the coordinates are."""
        return self.weights.astype(np.float32)

    @cached_property
    def one_way(self) -> tuple[Ints, Ints]:
        """Coordinates that must not fall, and those that must not rise."""
        no_fall, no_rise = np.isinf(self.prices.decrease), np.isinf(self.prices.increase)
        changing = ~self.prices.fixed
        return np.flatnonzero(no_fall & changing), np.flatnonzero(no_rise & changing)

    @cached_property
    def linear(self) -> Floats:
        """What a rise of a two-valued column by 1 adds to the squared cost beside the product."""
        slope = (self.up**2 - self.down**2) / 2 * self.width * self.scale
        return np.where(self.two_valued, slope, 0.0)

    @cached_property
    def dearer(self) -> Floats:
        """Weight of moves in dearer directions, positive where rising is dearer."""
        difference = np.where(self.two_valued, 0.0, self.up**2 - self.down**2)
        return np.sign(difference) * np.sqrt(np.abs(difference))

    @cached_property
    def gaps(self) -> Ints:
        """The gap of the prices that each kept column is the value of; -1 for none."""
        gap_of = {value: gap for gap, (value, _) in enumerate(self.prices.gaps)}
        return np.array([gap_of.get(c, -1) for c in self.columns.tolist()], dtype=np.int64)

    @cached_property
    def axes(self) -> Floats:
        """Directions of the largest spread at the least prices: kept columns (rows) on axes.

        What points are apart along axes at right angles, a move between them costs at least. Those
        of columns that are never missing come first.
        """
        sure, unsure = self._axes(self.gaps < 0), self._axes(self.gaps >= 0)
        return np.hstack([sure, unsure])

    @property
    def n_sure_axes(self) -> int:
        """How many axes hold whatever is missing."""
        return min(int((self.gaps < 0).sum()), N_AXES)

    def _axes(self, which: Bools) -> Floats:
        values = (self.sample * self.least)[:, which]
        values = values - values.mean(axis=0)
        _, directions = np.linalg.eigh(values.T @ values)
        axes = np.zeros((len(which), min(N_AXES, directions.shape[1])))
        axes[which] = directions[:, ::-1][:, :N_AXES]
        return axes * self.least[:, np.newaxis]

    @property
    def unit(self) -> float:
        """What a cost is multiplied by."""
        return self.scale * self.rate

    def coordinates(self, points: Floats) -> Singles:
        """Points as the search sees them."""
        return self.scaled(points).astype(np.float32)

    def places(self, points: Floats) -> Singles:
        """Where points are along the axes."""
        places = np.empty((len(points), self.axes.shape[1]), dtype=np.float32)
        for part in chunks(len(points), len(self.columns), FEW_CELLS):
            places[part] = self.coordinates(points[part]) @ self.axes
        return places

    def scaled(self, points: Floats) -> Floats:
        """Kept columns of points, around 0 and of about the size of 1."""
        every = len(self.columns) == points.shape[1]
        values = (points if every else points[:, self.columns]) - self.centre
        values *= self.scale
        return np.asarray(values)

    @cached_property
    def groups(self) -> Floats:
        """Weights of the columns (rows) in sums over groups (columns of this array)."""
        directed = np.flatnonzero(self.dearer)
        matrix = np.zeros((len(self.columns), 0))
        if len(directed):
            sample = self.sample[:: max(1, len(self.sample) // N_COMPARED)]
            values = sample[:, directed] * self.dearer[directed] * self.scale
            parts = _together(values, np.arange(len(directed)), -(-len(directed) // N_GROUPS))
            matrix = np.zeros((len(self.columns), len(parts)))
            for g, part in enumerate(parts):
                matrix[directed[part], g] = self.dearer[directed[part]] / math.sqrt(len(part))
        return matrix


def _counting(prices: Prices) -> Bools:
    """Columns that have a price of their own."""
    never = np.isinf(prices.increase) & np.isinf(prices.decrease)
    free = (prices.increase == 0) & (prices.decrease == 0)
    return np.asarray(~never & ~free)


def _dearest(prices: Prices) -> float:
    """The highest finite price."""
    tables = [block.prices.ravel() for block in prices.blocks]
    every = np.concatenate([prices.increase, prices.decrease, *tables])
    return float(every[np.isfinite(every)].max(initial=0.0))


def _together(sample: Floats, columns: Ints, size: int) -> list[Ints]:
    """Columns in groups of at most `size` that vary together, halved along the main direction."""
    if len(columns) <= size:
        return [columns]
    values = sample[:, columns]
    values = values - values.mean(axis=1, keepdims=True)
    if len(values) < len(columns):
        along = np.linalg.eigh(values @ values.T)[1][:, -1] @ values
    else:
        along = np.linalg.eigh(values.T @ values)[1][:, -1]
    order = columns[np.argsort(along, kind="stable")]
    half = len(order) // 2
    return _together(sample, order[:half], size) + _together(sample, order[half:], size)


def levels_of(points: Floats, prices: Prices) -> Ints:
    """Level of each point in each block of levels; (n, blocks)."""
    return _by_block([block.levels(points) for block in prices.blocks], len(points))


def price_rows(points: Floats, prices: Prices) -> Ints:
    """Where the level of each point stands in the prices of each block of levels; (n, blocks)."""
    return _by_block([block.price_rows(points) for block in prices.blocks], len(points))


def _by_block(columns: list[Ints], n: int) -> Ints:
    return np.ascontiguousarray(np.array(columns, dtype=np.int64).reshape(len(columns), n).T)


def blocks(places: Singles | None, kinds: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Points of one kind and near each other in blocks: their order, where blocks begin, the kinds.

    The last of the beginnings is the number of points. Kinds ascend. Without places, points of one
    kind stay in their order.
    """
    order = np.argsort(kinds, kind="stable")
    _, first = np.unique(kinds[order], return_index=True)
    leaves: list[Ints] = []
    for rows in np.split(order, first[1:]):
        leaves += _leaves(places, rows, size)
    lengths = np.array([len(leaf) for leaf in leaves], dtype=np.int64)
    beginnings = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    order = np.concatenate(leaves)
    return order, beginnings, kinds[order[beginnings[:-1]]]


def _leaves(places: Singles | None, rows: Ints, size: int) -> list[Ints]:
    if len(rows) <= size:
        return [rows]
    if places is None:
        return np.split(rows, range(size, len(rows), size))
    part = places[rows]
    column, half = int(part.var(axis=0).argmax()), len(rows) // 2
    order = np.argpartition(part[:, column], half)
    return _leaves(places, rows[order[:half]], size) + _leaves(places, rows[order[half:]], size)
