"""Ladders: the single changes a person can make from where they stand, feature by feature.

A ladder lists the positions a feature (or several linked ones) can take. Position 0 is where the
person stands; every other position has a parent, which is nearer to that start. Ordered features
have up to two arms, the rising one first, one level after the other; one action leads to any level
of an arm, unless single changes of level have prices of their own. A categorical feature reaches
every allowed value directly, in the order of its levels, and the others through those, by the
cheapest chain of allowed changes, each an action of its own. A value that is missing reaches all
directly; one that is there can also get lost, where that has a price.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from facelift._arrays import Bools, Floats, Ints, slices
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of

if TYPE_CHECKING:
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
