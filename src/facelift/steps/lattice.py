"""The lattice of states around a factual: some features moved along their ladders, others not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE
from facelift.terrain.ladder import Ladder, ladders
from facelift.terrain.terrain import Terrain

States = npt.NDArray[np.int64]
"""One row per state, one column per ladder: the position on it, 0 where nothing changed."""

Keys = npt.NDArray[np.int64]
"""Whole numbers, one per state."""

LARGEST = 2**63 - 1
"""The largest key."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """All combinations of positions on some ladders, seen from one point."""

    point: Floats
    ladders: tuple[Ladder, ...]
    terrain: Terrain | None = None
    """What ages by itself on the way to states; None where nothing does."""

    @classmethod
    def of(cls, terrain: Terrain, point: Floats) -> Self:
        """The lattice of all that somebody at a point can change."""
        return cls(point, tuple(ladders(terrain, point)), ageing(terrain))

    @property
    def start(self) -> States:
        """The state in which nothing has changed; shape (1, ladders)."""
        return np.zeros((1, len(self.ladders)), dtype=np.int64)

    @property
    def longest(self) -> int:
        """The most steps that any state takes."""
        return sum(int(ladder.n_steps.max()) for ladder in self.ladders)

    def points(self, states: States) -> Floats:
        """Coordinates of states; shape (s, m)."""
        found = np.repeat(self.point[np.newaxis, :], len(states), axis=0)
        for ladder, positions in zip(self.ladders, states.T, strict=True):
            found[:, ladder.coordinates] = ladder.values[positions]
        return found if self.terrain is None else self.terrain.aged(self.point, found)

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
        if self.terrain is not None:
            aged = [part.start for feature, part in self.terrain.parts if feature.ages is not None]
            moved[aged] = False
        stays = (points[:, moved] == self.point[moved]).all(axis=1)
        return np.where(stays, totals, np.inf)

    def states_of(self, points: Floats) -> States:
        """The states of points, by the columns that ladders change; no others."""
        states = np.zeros((len(points), len(self.ladders)), dtype=np.int64)
        known = np.ones(len(points), dtype=bool)
        for i, ladder in enumerate(self.ladders):
            gaps = np.abs(points[:, np.newaxis, ladder.coordinates] - ladder.values).max(axis=2)
            states[:, i] = gaps.argmin(axis=1)
            known &= gaps.min(axis=1) <= TOLERANCE
        return states[known]

    def n_steps(self, states: States) -> Ints:
        """Fewest actions that can lead from the start to states; shape (s,)."""
        steps = [ladder.n_steps.astype(np.float64) for ladder in self.ladders]
        return self._summed(steps, states).astype(np.int64)

    def parts(self, wholes: States, part: Ints) -> Bools:
        """Whether each state contains all changes of one; shape (s,)."""
        contained = np.ones(len(wholes), dtype=bool)
        for i in np.flatnonzero(part):
            contained &= self.ladders[i].contains[:, part[i]][wholes[:, i]]
        return contained

    def is_part(self, states: States, whole: Ints) -> Bools:
        """Whether one state contains all changes of each; shape (s,)."""
        contained = np.ones(len(states), dtype=bool)
        for ladder, position, positions in zip(self.ladders, whole, states.T, strict=True):
            contained &= ladder.contains[position][positions]
        return contained

    def box(self, levels: Sequence[Sequence[int]]) -> States:
        """All states made of some positions on each ladder."""
        left = np.arange(prod(map(len, levels)))
        states = np.empty((len(left), len(self.ladders)), dtype=np.int64)
        for i in reversed(range(len(levels))):
            if len(levels[i]) == 1:
                states[:, i] = levels[i][0]
                continue
            left, place = np.divmod(left, len(levels[i]))
            states[:, i] = np.asarray(levels[i])[place]
        return states

    def ways(self, ends: Sequence[Ints] | States) -> list[list[int]]:
        """Positions on the ways to the given ends, ladder by ladder."""
        return self._levels(ends, [True] * len(self.ladders))

    def corners(self, ends: Sequence[Ints] | States) -> list[list[int]]:
        """The same without levels that actions can leave out."""
        return self._levels(ends, [not ladder.jumps for ladder in self.ladders])

    def _levels(self, ends: Sequence[Ints] | States, between: list[bool]) -> list[list[int]]:
        """Positions of ends, ladder by ladder, and on some ladders those between."""
        levels = [[0]] * len(self.ladders)
        for i in np.flatnonzero(np.any(ends, axis=0)):
            own, ladder = {0, *(int(end[i]) for end in ends)}, self.ladders[i]
            passed = {place for end in own for place in ladder.climb(end)} if between[i] else own
            levels[i] = sorted(passed)
        return levels

    @cached_property
    def moves(self) -> tuple[Ints, Ints]:
        """All positions of all ladders in a row: the ladder of each, and the position on it."""
        sizes = [len(ladder) for ladder in self.ladders]
        positions = [np.empty(0, dtype=np.int64), *map(np.arange, sizes)]
        return np.repeat(np.arange(len(sizes)), sizes), np.concatenate(positions)

    def keys(self, states: States) -> Keys:
        """One number per state, ordered as the states are where 63 bits hold them all."""
        return np.asarray((states @ self.radices) & LARGEST)

    def shifted(self, keys: Keys, ladder: int, positions: Ints) -> Keys:
        """Keys of states that are so many positions farther on a ladder."""
        return np.asarray((keys + positions * self.radices[ladder]) & LARGEST)

    @cached_property
    def radices(self) -> Keys:
        """What one position on each ladder adds to a state's key, modulo 2**63.

        Where states are too many to number they get random numbers, always the same: among a
        million states, two share one with a chance of one in ten million.
        """
        exact = numbering(self)
        if exact.dtype != object:
            return exact
        drawn = np.random.default_rng(0).integers(2**62, size=len(exact), dtype=np.int64)
        return np.asarray(2 * drawn + 1)

    def _summed(self, tables: list[Floats], states: States) -> Floats:
        totals = np.zeros(len(states))
        for table, positions in zip(tables, states.T, strict=True):
            totals += table[positions]
        return totals


@dataclass(frozen=True, eq=False)
class Levels:
    """Which of some states lie between two others: the levels that one action passes.

    States are told by their places among those that are known.
    """

    lattice: Lattice
    states: States

    def __call__(self, start: int, end: int) -> list[int]:
        """Places of the states between two others that one action leads between, in its order."""
        if (start, end) not in self._between:
            self._between[start, end] = self._passed(start, end)
        return self._between[start, end]

    @cached_property
    def _between(self) -> dict[tuple[int, int], list[int]]:
        """What was asked before: the same states are in several graphs."""
        return {}

    def _passed(self, start: int, end: int) -> list[int]:
        changed = [
            (i, positions[start], positions[end])
            for i, positions in self._positions
            if positions[start] != positions[end]
        ]
        if len(changed) != 1:
            return []
        ((i, here, there),) = changed
        passed = self.lattice.ladders[i].between(here, there)
        key, radix = self._keys[start], int(self.lattice.radices[i])
        keys = [(key + (position - here) * radix) & LARGEST for position in passed]
        return [self._places[each] for each in keys if each in self._places]

    @cached_property
    def _positions(self) -> list[tuple[int, list[int]]]:
        """Each ladder on which any state has changed, and the position of every state."""
        moved = np.flatnonzero(self.states.any(axis=0)).tolist()
        return [(i, self.states[:, i].tolist()) for i in moved]

    @cached_property
    def _keys(self) -> list[int]:
        keys: list[int] = self.lattice.keys(self.states).tolist()
        return keys

    @cached_property
    def _places(self) -> dict[int, int]:
        return {key: place for place, key in enumerate(self._keys)}


def ageing(terrain: Terrain) -> Terrain | None:
    """The terrain, if something ages by itself on it while something else takes time."""
    slow = any(
        each.rate is not None and each.ages is None and not each.frozen for each in terrain.features
    )
    return terrain if slow and terrain.waiting is not terrain else None


def numbering(lattice: Lattice) -> npt.NDArray[Any]:
    """What one position on each ladder adds to the number of a state; Python integers if need be.

    Numbers are ordered as the states are, column by column.
    """
    sizes = [1, *(len(ladder) for ladder in lattice.ladders[:0:-1])]
    products = list(accumulate(sizes[: len(lattice.ladders)], mul))[::-1]
    large = prod(map(len, lattice.ladders)) >= 2**62
    return np.array(products, dtype=object if large else np.int64)
