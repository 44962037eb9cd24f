"""What a move costs, coordinate by coordinate: the one place of SPEC 1's formula."""

from __future__ import annotations

from dataclasses import dataclass
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

    def squared_costs(self, start: Floats, end: Floats) -> Floats:
        """Its share of the squared cost: `(price · ‖end − start‖)²` on its coordinates."""
        moved = ((end - start)[..., self.coordinates] ** 2).sum(axis=-1)
        prices = self.prices[self.levels(start), self.levels(end)]
        squares: Floats = np.multiply(prices**2, moved, out=np.zeros_like(moved), where=moved > 0)
        return squares


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
            Block(each.coordinates, np.where(np.isinf(each.prices.T), np.inf, each.prices))
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
            prices = block.prices[~np.eye(len(block.prices), dtype=bool)]
            least[block.coordinates] = prices.min(initial=np.inf)
        return np.where(np.isfinite(least), least, 0.0)

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
            changes = np.isinf(block.prices) & ~np.eye(len(block.prices), dtype=bool)
            never = changes[np.ix_(block.levels(start), block.levels(end))]
            ruled_out |= _where_known(never, flags.get(block.coordinates.start), start, end)
        return ruled_out


def _where_known(never: Bools, flag: int | None, start: Floats, end: Floats) -> Bools:
    """What is ruled out of a value, where both ends have it or neither; (s, e)."""
    if flag is None:
        return never
    return np.asarray(never & (start[:, np.newaxis, flag] == end[:, flag]))
