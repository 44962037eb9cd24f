"""The lattice of states around a factual: some features moved along their ladders, others not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, permutations, product
from math import prod
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints
from facelift.terrain.ladder import Ladder

States = npt.NDArray[np.int64]
"""One row per state, one column per ladder: the position on it, 0 where nothing changed."""

Keys = npt.NDArray[Any]
"""Whole numbers, one per state; Python's own where 64 bits do not hold them."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """All combinations of positions on some ladders, seen from one point."""

    point: Floats
    ladders: tuple[Ladder, ...]

    @property
    def start(self) -> States:
        """The state in which nothing has changed; shape (1, ladders)."""
        return np.zeros((1, len(self.ladders)), dtype=np.int64)

    def points(self, states: States) -> Floats:
        """Coordinates of states; shape (s, m)."""
        found = np.repeat(self.point[np.newaxis, :], len(states), axis=0)
        for ladder, positions in zip(self.ladders, states.T, strict=True):
            found[:, ladder.coordinates] = ladder.values[positions]
        return found

    def costs(self, states: States) -> Floats:
        """Cost of reaching states by single actions, each away from the start; shape (s,)."""
        return self._summed([ladder.costs for ladder in self.ladders], states)

    def costs_of(self, points: Floats) -> Floats:
        """The same for points; infinite where one is no state; shape (n,)."""
        totals = np.zeros(len(points))
        moved = np.ones(points.shape[1], dtype=bool)
        for ladder in self.ladders:
            own, moved[ladder.coordinates] = points[:, ladder.coordinates], False
            same = (own[:, np.newaxis, :] == ladder.values[np.newaxis]).all(axis=2)
            totals += np.where(same.any(axis=1), ladder.costs[same.argmax(axis=1)], np.inf)
        stays = (points[:, moved] == self.point[moved]).all(axis=1)
        return np.where(stays, totals, np.inf)

    def n_steps(self, states: States) -> Ints:
        """Number of actions that states are away from the start; shape (s,)."""
        steps = [ladder.depths.astype(np.float64) for ladder in self.ladders]
        return self._summed(steps, states).astype(np.int64)

    def children(self, states: States) -> States:
        """All states one action farther from the start, duplicates included."""
        found = [np.empty((0, len(self.ladders)), dtype=np.int64)]
        for i, ladder in enumerate(self.ladders):
            for position in range(1, len(ladder)):
                next_ = states[states[:, i] == ladder.parents[position]].copy()
                next_[:, i] = position
                found.append(next_)
        return np.concatenate(found)

    def parts(self, wholes: States, part: States) -> Bools:
        """Whether each state contains all changes of `part`, one state or as many; shape (s,)."""
        contained = [
            ladder.contains[whole, some]
            for ladder, whole, some in zip(
                self.ladders, wholes.T, np.atleast_2d(part).T, strict=True
            )
        ]
        return np.asarray(np.logical_and.reduce(contained)) if contained else np.ones(1, dtype=bool)

    def hull(self, ends: Sequence[Ints] | States) -> States:
        """All states made of positions on the ways to the given ends."""
        return np.array(list(product(*self._ways(ends))), dtype=np.int64)

    def hull_size(self, ends: Sequence[Ints] | States) -> int:
        """Number of states in the hull of some ends."""
        return prod(map(len, self._ways(ends)))

    def _ways(self, ends: Sequence[Ints] | States) -> list[list[int]]:
        """Positions on the ways to the given ends, ladder by ladder."""
        return [
            sorted({place for end in ends for place in ladder.climb(int(end[i]))})
            for i, ladder in enumerate(self.ladders)
        ]

    def keys(self, states: States) -> Keys:
        """One number per state, ordered as the states are (column by column)."""
        return np.asarray(states @ self.radices)

    @cached_property
    def radices(self) -> Keys:
        """What one position on each ladder adds to a state's key; Python integers if need be."""
        sizes = [1, *(len(ladder) for ladder in self.ladders[:0:-1])]
        products = list(accumulate(sizes[: len(self.ladders)], mul))[::-1]
        large = prod(len(ladder) for ladder in self.ladders) >= 2**62
        return np.array(products, dtype=object if large else np.int64)

    def moves(self, states: States) -> list[tuple[int, int, int]]:
        """Single actions among some states: on which ladder, from position, to position.

        To the parent, from the parent, and between any two values of a categorical feature.
        """
        positions = [np.unique(column).tolist() for column in states.T]
        return [
            (i, start, end)
            for i, ladder in enumerate(self.ladders)
            for start, end in permutations(positions[i], 2)
            if ladder.unordered or ladder.parents[end] == start or ladder.parents[start] == end
        ]

    def _summed(self, tables: list[Floats], states: States) -> Floats:
        totals = np.zeros(len(states))
        for table, positions in zip(tables, states.T, strict=True):
            totals += table[positions]
        return totals
