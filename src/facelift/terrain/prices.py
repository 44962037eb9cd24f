"""What a move costs, coordinate by coordinate: the one place of SPEC 1's formula."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints

FARTHEST = 1e100
"""Coordinates, and prices, beyond which squares could no longer be told apart."""


@dataclass(frozen=True, eq=False)
class Block:
    """Coordinates of one feature whose single changes of level have prices of their own.

    `prices[a, b]` is the price of changing from level a to level b, infinite when forbidden. One
    coordinate holds evenly spaced ranks, several are one-hot.
    """

    coordinates: slice
    prices: Floats

    def levels(self, points: Floats) -> Ints:
        """Index of the level each point is at (the nearest one, for points in between)."""
        values = points[..., self.coordinates]
        if values.shape[-1] > 1:
            return np.asarray(values.argmax(axis=-1))
        top = len(self.prices) - 1
        return np.clip(np.rint(values[..., 0] * top), 0, top).astype(np.int64)

    def price_rows(self, points: Floats) -> Ints:
        """The row, and the column, of `prices` that the level of each point has."""
        return self.levels(points)

    def moved(self, start: Floats, end: Floats) -> Floats:
        """Squared distance between points on its coordinates."""
        return np.asarray(((end - start)[..., self.coordinates] ** 2).sum(axis=-1))

    def squared_costs(self, start: Floats, end: Floats) -> Floats:
        """Its share of the squared cost: `(price · ‖end − start‖)²` on its coordinates."""
        moved = self.moved(start, end)
        prices = self.prices[self.price_rows(start), self.price_rows(end)]
        squares: Floats = np.multiply(prices**2, moved, out=np.zeros_like(moved), where=moved > 0)
        return squares

    def never(self, start: Floats, end: Floats) -> Bools:
        """Whether the change from the level of each start to that of each end is ruled out."""
        changes = np.isinf(self.prices) & ~np.eye(len(self.prices), dtype=bool)
        return np.asarray(changes[np.ix_(self.levels(start), self.levels(end))])

    @property
    def least(self) -> float:
        """The lowest price of a change, infinite if there is none."""
        changes = self.prices[~np.eye(len(self.prices), dtype=bool)]
        return float(changes.min(initial=np.inf))


GRAIN = 2.0**-30
"""Distance between the codes of two levels: too little to count, whoever measures by coordinates.

A power of two, so that codes are exact."""

APART = 2.0
"""Squared distance between two of many levels: that of one-hot coordinates."""


@dataclass(frozen=True, eq=False)
class Codes(Block):
    """The one coordinate of a feature with many levels: the number of its level, times `GRAIN`.

    Any two levels are as far apart as if they were one-hot. `rows[level]` is the row and column of
    `prices` of a level: levels with the same prices to and from all others share one, whose price
    with itself is that of a change between two of them.
    """

    rows: Ints

    def levels(self, points: Floats) -> Ints:
        """Number of the level each point is at."""
        codes = np.rint(points[..., self.coordinates.start] / GRAIN)
        return np.clip(codes, 0, len(self.rows) - 1).astype(np.int64)

    def price_rows(self, points: Floats) -> Ints:
        """The row, and the column, of `prices` that the level of each point has."""
        return np.asarray(self.rows[self.levels(points)])

    def moved(self, start: Floats, end: Floats) -> Floats:
        """Squared distance between levels: 0 or that of one-hot coordinates."""
        place = self.coordinates.start
        return np.where(start[..., place] != end[..., place], APART, 0.0)

    def differ(self, start: Floats, end: Floats) -> Bools:
        """Whether each start has another level than each end; (s, e)."""
        place = self.coordinates.start
        return np.asarray(start[:, np.newaxis, place] != end[:, place])

    def never(self, start: Floats, end: Floats) -> Bools:
        """Whether the change from the level of each start to that of each end is ruled out."""
        changes = np.isinf(self.prices)[np.ix_(self.price_rows(start), self.price_rows(end))]
        return np.asarray(changes & self.differ(start, end))

    @property
    def least(self) -> float:
        """The lowest price of a change."""
        alone = np.bincount(self.rows, minlength=len(self.prices)) < 2  # no change within
        return float(self.prices[~np.diag(alone)].min(initial=np.inf))


@dataclass(frozen=True, eq=False)
class Prices:
    """Price of raising and of lowering each coordinate; shape (m,) each.

    Coordinates of `blocks` have price 0 here and are priced by their block instead. `gaps` are
    pairs of coordinates: a value, and whether it is missing. Where only one end of a move has the
    value, the value's own coordinate costs nothing: there is no distance to what is not known.
    """

    increase: Floats
    decrease: Floats
    blocks: tuple[Block, ...] = ()
    gaps: tuple[tuple[int, int], ...] = ()

    def cost(self, start: npt.ArrayLike, end: npt.ArrayLike) -> Floats:
        """Cost of moving between points, broadcast over leading axes; infinite when forbidden.

        `sqrt(Σ_i (price_i · (end_i − start_i))²)`, where the price depends on the direction.
        The sum runs over a C-ordered last axis, so it is the same to the last bit everywhere.
        """
        u = np.asarray(start, dtype=np.float64)
        v = np.asarray(end, dtype=np.float64)
        if self.gaps:
            u, v = self._without_gaps(*np.broadcast_arrays(u, v))
        moves = np.ascontiguousarray(v - u)
        prices = np.where(moves > 0, self.increase, self.decrease)
        priced = np.multiply(prices, moves, out=np.zeros_like(moves), where=moves != 0)
        squares = (priced**2).sum(axis=-1)
        for block in self.blocks:
            squares = squares + block.squared_costs(*np.broadcast_arrays(u, v))
        return np.asarray(np.sqrt(squares))

    def _without_gaps(self, start: Floats, end: Floats) -> tuple[Floats, Floats]:
        """Both ends of moves, with values that only one of them has taken for equal."""
        start = start.copy()
        for value, flag in self.gaps:
            apart = start[..., flag] != end[..., flag]
            start[..., value] = np.where(apart, end[..., value], start[..., value])
        return start, end

    @property
    def reversible(self) -> Prices:
        """The same prices where the way back is allowed, too; infinite where it is not."""
        blocks = (
            replace(each, prices=np.where(np.isinf(each.prices.T), np.inf, each.prices))
            for each in self.blocks
        )
        return Prices(
            np.where(np.isinf(self.decrease), np.inf, self.increase),
            np.where(np.isinf(self.increase), np.inf, self.decrease),
            tuple(blocks),
            self.gaps,
        )

    @cached_property
    def lower_bounds(self) -> Floats:
        """Price per coordinate below which no admissible move can be; shape (m,), finite.

        `Σ (lower_bound_i · Δ_i)² ≤ cost²`, the bound a search may prune by.
        """
        least = self.least.copy()
        for value, _ in self.gaps:
            least[value] = 0.0
        return least

    @cached_property
    def least(self) -> Floats:
        """The same between ends that have the same values missing."""
        least = np.minimum(self.increase, self.decrease)
        for block in self.blocks:
            least[block.coordinates] = 0.0 if isinstance(block, Codes) else block.least
        return np.where(np.isfinite(least), least, 0.0)

    @cached_property
    def fixed(self) -> Bools:
        """Coordinates that never change; a value that may be found at any place is none of them."""
        fixed = np.isinf(self.increase) & np.isinf(self.decrease)
        for value, flag in self.gaps:
            fixed[value] &= fixed[flag]
        return np.asarray(fixed)

    @property
    def codes(self) -> tuple[Codes, ...]:
        """The blocks that are codes: their coordinates say nothing of what a change costs."""
        return tuple(block for block in self.blocks if isinstance(block, Codes))

    def code_bounds(self, start: Floats, end: Floats) -> Floats:
        """What changes of codes add at least to the squared cost of a move; (s, e) or (1, 1)."""
        bounds = np.zeros((1, 1))
        for block in self.codes:
            if np.isfinite(block.least):
                bounds = bounds + block.differ(start, end) * (APART * block.least**2)
        return bounds

    def forbidden(self, start: Floats, end: Floats) -> Bools:
        """Whether moving from each row of `start` to each row of `end` is ruled out; (s, e)."""
        ruled_out = np.zeros((len(start), len(end)), dtype=bool)
        flags = dict(self.gaps)
        no_rise, no_fall = np.isinf(self.increase), np.isinf(self.decrease)
        for rule, compare in (
            (no_rise & no_fall, np.not_equal),
            (no_rise & ~no_fall, np.greater),
            (no_fall & ~no_rise, np.less),
        ):
            for i in np.flatnonzero(rule):
                never = compare(np.ascontiguousarray(end[:, i]), start[:, np.newaxis, i])
                ruled_out |= _where_known(never, flags.get(int(i)), start, end)
        for block in self.blocks:
            never = block.never(start, end)
            ruled_out |= _where_known(never, flags.get(block.coordinates.start), start, end)
        return ruled_out


def _where_known(never: Bools, flag: int | None, start: Floats, end: Floats) -> Bools:
    """What is ruled out of a value, where both ends have it or neither; (s, e)."""
    if flag is None:
        return never
    return np.asarray(never & (start[:, np.newaxis, flag] == end[:, flag]))
