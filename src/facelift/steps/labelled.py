"""Growing states of single actions past the rules, labelled by the rules that are broken.

One growth answers for all sets of rules at once. A state's label is the set of rules that the
actions leading to it break, with the requirements that it and the states before it do not meet; a
way under a set of relaxed rules is one whose label lies in that set. Labels only grow along a way,
so whatever lies behind a label that contains one of a success need not be looked at. Small labels
come first, then cheap states: what is found first is minimal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.steps.growth import FIRST_BATCH, Judge, Judgement, Register
from facelift.steps.lattice import Keys, Lattice, States
from facelift.terrain.rulebook import UNBREAKABLE, Masks, smallest

Labeller = Callable[[Floats], Masks]
"""Points to the rules that being there breaks, whatever the way."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """A smallest set of rules that opens a way, and the points of the cheapest one."""

    mask: int
    points: Floats
    step_costs: Floats

    @property
    def cost(self) -> float:
        """Cost of the way."""
        return float(self.step_costs.sum())


@dataclass(frozen=True, eq=False)
class World:
    """A lattice whose ladders reach past the rules, and what it takes to judge its states.

    `positions` are the rules that getting to each position of each ladder breaks, `of_states` those
    that being at a point does.
    """

    lattice: Lattice
    positions: tuple[Masks, ...]
    of_states: Labeller
    judge: Judge
    start: Judgement
    max_steps: int
    allowed_steps: int | None = None
    """So many steps break no rule (None: any number within `max_steps`)."""
    steps_mask: int = 0
    """The rule that more of them break."""


@dataclass(frozen=True, eq=False)
class Entries:
    """States with a label each, what they cost, and the place of the entry before."""

    keys: Keys
    labels: Masks
    costs: Floats
    n_steps: Ints
    before: Ints

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, chosen: Ints | Bools | slice) -> Entries:
        return Entries(*(getattr(self, each.name)[chosen] for each in fields(self)))


def labelled_ways(
    world: World, max_states: int, *, by_size: bool = True
) -> tuple[list[Labelled], bool]:
    """The smallest labels of successes, cheapest first, and whether these are all there are.

    At most `max_states` states are judged. Without `by_size` cheap states come first, whatever
    their label; then labels are the smallest of those found only.
    """
    register = Register(world.lattice, world.judge, world.start)
    none = np.zeros(1, dtype=np.uint64)
    taken = Entries(register.keys, none, np.zeros(1), np.zeros(1, np.int64), np.full(1, -1))
    frontier, ends, batch = _beyond(world, taken, 0), dict[int, int](), FIRST_BATCH
    frontier = frontier[_order(frontier, by_size=by_size)]
    left = (64.0, np.inf)  # no label has more rules
    while len(frontier) and len(register.states) < max_states:
        size = min(batch, max_states - len(register.states))
        if by_size:  # labels as small as any left
            sizes = np.bitwise_count(frontier.labels[:size])
            size = int(np.searchsorted(sizes, sizes[0], side="right"))
        now, frontier = frontier[:size], frontier[size:]
        taken, on = _taken(world, register, taken, now, ends)
        farther = _beyond(world, taken[on], on)
        found = _pruned(_fresh(_joined(frontier, farther), taken), taken, ends)
        order = _order(found, by_size=by_size)
        room = max_states - len(register.states)
        if len(order) > room:
            left = min(left, _rank(found, order[room]))
        frontier = found[order[:room]]
        batch *= 2
    complete = not len(frontier) and left[0] > 63
    return _ways(world, taken, frontier, ends, left, by_size=by_size), complete


def position_masks(
    lattice: Lattice, moves: Callable[[Floats, Floats], Masks], bounds: Labeller
) -> tuple[Masks, ...]:
    """The rules that getting to each position of each ladder breaks, action by action."""
    found = []
    for i, ladder in enumerate(lattice.ladders):
        states = np.zeros((len(ladder), len(lattice.ladders)), dtype=np.int64)
        states[:, i] = np.arange(len(ladder))
        points = lattice.points(states)
        before = points[np.maximum(ladder.parents, 0)]
        masks = moves(before, points) | bounds(points)
        for position in range(1, len(ladder)):  # parents come first
            masks[position] |= masks[ladder.parents[position]]
        found.append(masks)
    return tuple(found)


def _taken(
    world: World, register: Register, taken: Entries, now: Entries, ends: dict[int, int]
) -> tuple[Entries, Ints]:
    """All entries with those judged now, and the places of those to go on from."""
    states = _states(world.lattice, now.keys)
    labels = now.labels | world.of_states(world.lattice.points(states))
    now = Entries(now.keys, labels, now.costs, now.n_steps, now.before)
    places, judged = register.learn(states), register.judged
    open_ = judged.admissible[places] & (labels & UNBREAKABLE == 0)
    won = open_ & judged.succeeds[places]
    first, taken = len(taken), _joined(taken, now)
    for place in (first + np.flatnonzero(won)).tolist():
        mask = int(taken.labels[place])
        if mask not in ends or taken.costs[place] < taken.costs[ends[mask]]:
            ends[mask] = place
    return taken, first + np.flatnonzero(open_ & ~won)


def _beyond(world: World, entries: Entries, places: Ints | int) -> Entries:
    """All entries one action farther than some, which are at `places`."""
    lattice, near = world.lattice, entries.n_steps < world.max_steps
    entries, places = entries[near], np.broadcast_to(places, near.shape)[near]
    states, labels = _states(lattice, entries.keys), entries.labels
    if world.allowed_steps is not None:
        too_many = entries.n_steps >= world.allowed_steps
        labels = labels | np.where(too_many, np.uint64(world.steps_mask), np.uint64(0))
    found = [entries[:0]]
    for i, (ladder, masks) in enumerate(zip(lattice.ladders, world.positions, strict=True)):
        for position in range(1, len(ladder)):
            parent = int(ladder.parents[position])
            here = np.flatnonzero(states[:, i] == parent)
            found.append(
                Entries(
                    entries.keys[here] + (position - parent) * lattice.radices[i],
                    labels[here] | masks[position],
                    entries.costs[here] + ladder.step_costs[position],
                    entries.n_steps[here] + 1,
                    places[here],
                )
            )
    return _joined(*found)


def _joined(*parts: Entries) -> Entries:
    names = [each.name for each in fields(Entries)]
    return Entries(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _states(lattice: Lattice, keys: Keys) -> States:
    """The states of keys."""
    states = np.empty((len(keys), len(lattice.ladders)), dtype=np.int64)
    rest = keys
    for i, radix in enumerate(lattice.radices.tolist()):
        states[:, i], rest = rest // radix, rest % radix
    return states


def _fresh(frontier: Entries, taken: Entries) -> Entries:
    """Entries not taken yet, each state and label once: the first of them."""
    _, keys = np.unique(np.append(taken.keys, frontier.keys), return_inverse=True)
    labels = np.append(taken.labels, frontier.labels)
    order = np.lexsort((labels, keys))  # stable: taken ones come first
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(keys[order]) != 0) | (labels[order][1:] != labels[order][:-1])
    chosen = np.sort(order[new])
    return frontier[chosen[chosen >= len(taken)] - len(taken)]


def _pruned(frontier: Entries, taken: Entries, ends: dict[int, int]) -> Entries:
    """Entries behind which there may be a smaller label than those found, or a cheaper way."""
    kept = np.ones(len(frontier), dtype=bool)
    for mask in smallest(ends):
        same = frontier.labels == np.uint64(mask)
        contains = np.uint64(mask) & ~frontier.labels == 0
        kept &= ~contains | (same & (frontier.costs < taken.costs[ends[mask]]))
    return frontier[kept]


def _order(frontier: Entries, *, by_size: bool) -> Ints:
    sizes = np.bitwise_count(frontier.labels) if by_size else np.zeros(len(frontier))
    return np.lexsort((frontier.costs, sizes))


def _rank(entries: Entries, place: int) -> tuple[float, float]:
    return float(np.bitwise_count(entries.labels[place])), float(entries.costs[place])


def _ways(
    world: World,
    taken: Entries,
    frontier: Entries,
    ends: dict[int, int],
    left: tuple[float, float],
    *,
    by_size: bool,
) -> list[Labelled]:
    """The ways to the smallest labels, as far as nothing `left` to look at could come before."""
    if len(frontier):
        left = min(left, _rank(frontier, 0))
    known = [(mask.bit_count(), float(taken.costs[ends[mask]]), mask) for mask in smallest(ends)]
    certain = [ends[mask] for size, cost, mask in known if not by_size or (size, cost) <= left]
    if not certain:  # no smaller label is left, but perhaps a cheaper way
        certain = [ends[mask] for size, _, mask in known if size <= left[0]]
    found = [_way(world, taken, place) for place in certain]
    return sorted(found, key=lambda each: (each.cost, each.mask.bit_count(), each.mask))


def _way(world: World, taken: Entries, place: int) -> Labelled:
    """The points from the start to an entry."""
    places = [place]
    while taken.before[places[-1]] >= 0:
        places.append(int(taken.before[places[-1]]))
    way = taken[np.array(places[::-1])]
    points = world.lattice.points(_states(world.lattice, way.keys))
    return Labelled(int(taken.labels[place]), points, np.diff(way.costs))
