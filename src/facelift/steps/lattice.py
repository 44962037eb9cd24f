"""The lattice of states around a factual: some features moved along their ladders, others not.

A `Ladder` has the single changes a person can make from where they stand: the positions a feature
(or several linked ones) can take. Position 0 is where the person stands; every other position has a
parent, which is nearer to that start. Ordered features have up to two arms, the rising one first,
one level after the other; one action leads to any level of an arm, unless single changes of level
have prices of their own. A categorical feature reaches every allowed value directly, in the order
of its levels, and the others through those, by the cheapest chain of allowed changes, each an
action of its own. A value that is missing reaches all directly; one that is there can also get
lost, where that has a price.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints, slices
from facelift.geometry import TOLERANCE
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain


@dataclass(frozen=True, eq=False)
class Ladder:
    """Positions of one or more features that move together.

    `coordinates` are the columns of a point it moves, `values` (positions, coordinates) where it
    moves them; `parents` (positions,) the position before, -1 for the start.
    """

    names: tuple[Hashable, ...]
    coordinates: Ints
    values: Floats
    parents: Ints
    step_costs: Floats
    """Cost of the action that leads to each position from its parent; 0 for the start."""
    unordered: bool = False
    """Whether any position can be reached from any other (a categorical feature)."""
    jumps: bool = False
    """Whether one action leads to any level of an arm; else each level is an action of its own."""

    def __len__(self) -> int:
        return len(self.parents)

    @cached_property
    def costs(self) -> Floats:
        """Cost from the start to each position."""
        totals = self.step_costs.copy()
        for position in range(1, len(self)):  # parents come first; a sum that can only grow
            totals[position] += totals[self.parents[position]]
        return totals

    @cached_property
    def n_steps(self) -> Ints:
        """Number of actions from the start to each position."""
        depths = np.asarray(self.contains.sum(axis=1) - 1)
        return np.minimum(depths, 1) if self.jumps else depths

    def before(self, position: int) -> list[int]:
        """Positions from which one action leads farther out to `position`."""
        return self.climb(position)[:-1] if self.jumps else self.climb(position)[-2:-1]

    @cached_property
    def contains(self) -> Bools:
        """`contains[p, q]`: whether one passes position q on the way to p; (positions,) * 2."""
        table = np.eye(len(self), dtype=bool)
        for position in range(1, len(self)):  # parents come first
            table[position] |= table[self.parents[position]]
        return table

    def joined(self, other: Ladder) -> Ladder:
        """The ladder with the positions that another one of the same features reaches otherwise."""
        chains = {self._chain(position): position for position in range(len(self))}
        ladder = self
        for position in range(len(other)):  # parents come first
            if (way := other._chain(position)) not in chains:
                chains[way] = len(ladder)
                ladder = replace(
                    ladder,
                    values=np.vstack([ladder.values, other.values[position]]),
                    parents=np.append(ladder.parents, chains[way[:-1]]),
                    step_costs=np.append(ladder.step_costs, other.step_costs[position]),
                )
        return ladder

    def _chain(self, position: int) -> tuple[bytes, ...]:
        """The values on the way to a position."""
        return tuple(self.values[place].tobytes() for place in self.climb(position))

    def climb(self, position: int) -> list[int]:
        """Positions from the start to `position`, both included."""
        return self._climbs[position]

    def between(self, first: int, last: int) -> list[int]:
        """Levels that one action passes on its way from one position to another, in order."""
        if not self.jumps:
            return []
        back, out = self.climb(first)[::-1], self.climb(last)
        turn = max(set(back) & set(out), key=out.index)
        return [*back[: back.index(turn) + 1], *out[out.index(turn) + 1 :]][1:-1]

    @cached_property
    def _climbs(self) -> list[list[int]]:
        climbs: list[list[int]] = []
        for position, parent in enumerate(self.parents.tolist()):  # parents come first
            climbs.append([*(climbs[parent] if parent >= 0 else []), position])
        return climbs


def ladders(terrain: Terrain, point: Floats) -> list[Ladder]:
    """Ladders of all features that can change from `point`, in column order; linked ones as one."""
    places = {feature.name: i for i, feature in enumerate(terrain.features)}
    linked = {name: link for link in terrain.links for name in link}
    found = []
    for feature in terrain.features:
        group = linked.get(feature.name, (feature.name,))
        if group[0] == feature.name and feature.ages is None:
            ladder = _ladder(terrain, [places[name] for name in group], point)
            found += [ladder] if len(ladder) > 1 else []
    return found


def _ladder(terrain: Terrain, group: list[int], point: Floats) -> Ladder:
    leader = terrain.features[group[0]]
    coordinates = np.concatenate([np.r_[terrain.slices[i]] for i in group])
    own = point[terrain.slices[group[0]]]
    values, parents = [point[coordinates]], [-1]
    costs = [0.0]
    arms = _arms(leader, own)
    found = [_values(terrain, group, point, arm) for arm in arms]
    prices = _action_costs(terrain, point, coordinates, values[0], found)
    for arm, prices_of_arm in zip(found, prices, strict=True):
        last = 0
        for value, cost in zip(arm, prices_of_arm, strict=True):
            if math.isinf(cost):
                break
            values.append(value)
            parents.append(last)
            costs.append(cost)
            last = len(values) - 1
    names = tuple(terrain.features[i].name for i in group)
    unordered = not leader.has_order and all(len(arm) == 1 for arm in arms)
    jumps = leader.has_order and not any(terrain.features[i].transitions for i in group)
    ladder = Ladder(
        names, coordinates, np.array(values), np.array(parents), np.array(costs), unordered, jumps
    )
    if not unordered or len(group) > 1:
        return ladder
    return _through_others(terrain, point, ladder, [block for (block,) in arms])


def _through_others(terrain: Terrain, point: Floats, ladder: Ladder, all_: list[Floats]) -> Ladder:
    """The ladder of a category with the values that only chains of changes lead to, nearest first.

    Each has one chain, the cheapest. A value that is allowed directly keeps its direct change.
    """
    known = {value.tobytes() for value in ladder.values}
    missed = [value for value in all_ if value.tobytes() not in known]
    while missed and len(ladder) > 1:
        starts, ends = (
            _placed(point, ladder.coordinates, values) for values in (ladder.values, missed)
        )
        steps = terrain.cost(starts[:, np.newaxis], ends)
        totals = ladder.costs[:, np.newaxis] + steps
        parent, nearest = np.unravel_index(np.argmin(totals), totals.shape)
        if np.isinf(totals[parent, nearest]):
            break
        ladder = replace(
            ladder,
            values=np.vstack([ladder.values, missed.pop(int(nearest))]),
            parents=np.append(ladder.parents, parent),
            step_costs=np.append(ladder.step_costs, steps[parent, nearest]),
        )
    return ladder


def _placed(point: Floats, coordinates: Ints, values: Iterable[Floats]) -> Floats:
    """The point with values of a ladder in its place; one row each."""
    rows = np.array(list(values))
    points = np.repeat(point[np.newaxis], len(rows), axis=0)
    points[:, coordinates] = rows
    return points


def _values(terrain: Terrain, group: list[int], point: Floats, arm: list[Floats]) -> list[Floats]:
    """Coordinates of a group along an arm of its leader, as far as all can follow."""
    found = []
    for depth, block in enumerate(arm, start=1):
        value = _joined(terrain, group, point, block, depth)
        if value is None:
            break
        found.append(value)
    return found


def _joined(
    terrain: Terrain, group: list[int], point: Floats, block: Floats, depth: int
) -> Floats | None:
    """Coordinates of a group whose leader is at `block`, as their row encodes them.

    So a whole number that follows stays whole, and a state that equals a record equals its point.
    None where a number that follows is one that the type of its column cannot hold.
    """
    if len(group) == 1:
        return block
    there = point.copy()
    there[terrain.slices[group[0]]] = block
    leader, own = terrain.features[group[0]], point[terrain.slices[group[0]]]
    for i in group[1:]:
        here = point[terrain.slices[i]]
        moved = terrain.features[i].following(here, leader, own, block, depth)
        there[terrain.slices[i]] = moved
        if not _held(terrain, i, moved):
            return None
    settled = np.asarray(terrain.encode(terrain.decode(there[np.newaxis, :])))[0]
    return np.concatenate([settled[terrain.slices[i]] for i in group])


def _held(terrain: Terrain, i: int, place: Floats) -> bool:
    """Whether the type of a column can hold the number at a coordinate."""
    feature, held = terrain.features[i], terrain.schema.held[i]
    return bool(held.low <= np.rint(feature.raw(place))[0] <= held.high)


def _action_costs(
    terrain: Terrain, point: Floats, coordinates: Ints, own: Floats, arms: list[list[Floats]]
) -> list[list[float]]:
    """Cost of each action of arms, inf when it is forbidden or its result lies out of bounds."""
    starts = [value for arm in arms for value in [own, *arm[:-1]][: len(arm)]]
    ends = [value for arm in arms for value in arm]
    if not ends:
        return [[] for _ in arms]
    before, after = (_placed(point, coordinates, values) for values in (starts, ends))
    costs = np.where(terrain.within_bounds(after), terrain.cost(before, after), math.inf)
    return [costs[part].tolist() for part in slices(map(len, arms))]


def _arms(feature: Feature, own: Floats) -> list[list[Floats]]:
    """Sequences of coordinates a feature can move through, one action after the other."""
    kind = kind_of(feature)
    if not feature.missing:
        return kind.arms(feature, own)
    if feature.is_missing(own):
        return [[np.append(stop, 0.0)] for stop in kind.choices(feature)]
    arms = [[np.append(stop, 0.0) for stop in arm] for arm in kind.arms(feature, own[:-1])]
    return [*arms, [kind.missing_point(feature)]]


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
