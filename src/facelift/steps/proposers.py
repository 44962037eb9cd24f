"""Proposers: which states to ask the model about next (SPEC 13).

Each is asked in turn for a batch of states and sees in the register what came of the last one. None
of them serves everybody: growing outward by cost misses whoever has far to go, climbing and records
miss cheap combinations that do not help one by one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.steps.lattice import Keys, Lattice, States
from facelift.steps.register import KEPT, Register

FIRST_BATCH = 256
"""States that growing outward proposes first; each later batch is twice as large."""

SPARE = 4
"""So many times the beam are judged at first, since not all of what gains is plausible."""

ROUNDS = 9
"""How often the beam is climbed on from."""

CHOSEN = 64
"""Of the nearest records, so many that are cheapest to be like are proposed."""

SWAPS, SWAPPED = 8, 250
"""How often changes are exchanged, and for how many states of each success."""

FAR = 1.25
"""States that cost so many times the cheapest success are not worth asking about."""


class Proposer(Protocol):
    """Gives batches of states to ask the model about."""

    def propose(self, register: Register) -> States:
        """The next batch; none when there is nothing to propose for now."""


class UniformCost:
    """All states outward from the factual, the cheapest first, each once.

    A state comes from the one without its last change, so that none comes twice. No state cheaper
    than `radius` is left to propose. States that contain an accepted success are left out: they
    are no destinations.
    """

    def __init__(self, lattice: Lattice, *, max_steps: int, max_states: int) -> None:
        self.lattice, self.max_steps, self.room = lattice, max_steps, max_states
        self.batch = FIRST_BATCH
        self.frontier: States = lattice.start[:0]
        self.costs = np.empty(0)
        self._next = _next_positions(lattice)
        self._add(lattice.start)

    @property
    def radius(self) -> float:
        """Every state that costs less was proposed; infinite when all were."""
        return float(self.costs.min(initial=np.inf)) * (1 - TOLERANCE)

    def propose(self, register: Register) -> States:
        """The cheapest states not proposed yet."""
        found, wanted = [self.frontier[:0]], min(self.batch, self.room)
        while wanted > 0 and len(self.frontier):  # in parts, so that few dear states come early
            size = min(wanted, max(FIRST_BATCH, self.batch // 4))
            states, self.frontier = self.frontier[:size], self.frontier[size:]
            self.costs, self.room = self.costs[size:], self.room - len(states)
            wanted -= len(states)
            for end in register.accepted:
                states = states[~self.lattice.parts(states, end)]
            self._add(states)
            found.append(states)
        self.batch *= 2
        return np.concatenate(found)

    def _add(self, states: States) -> None:
        """Put what lies one level or one feature beyond some states in its place by cost."""
        limit = self.costs[-1] if len(self.costs) > self.room else np.inf
        farther = self._farther(states, limit)
        farther = farther[self.lattice.n_steps(farther) <= self.max_steps]
        states = np.concatenate([self.frontier, farther])
        costs = np.append(self.costs, self.lattice.costs(farther))
        if len(costs) > self.room + 1:  # one more than fits tells that there is more
            near = costs <= np.partition(costs, self.room)[self.room] * (1 + TOLERANCE)
            states, costs = states[near], costs[near]
        order = np.lexsort((self.lattice.keys(states), tied_ranks(costs)))[: self.room + 1]
        self.frontier, self.costs = states[order], costs[order]

    def _farther(self, states: States, limit: float) -> States:
        """States with one more level on the last ladder changed, or a first one on a later one."""
        changed, costs = states > 0, self.lattice.costs(states)
        last = (changed * np.arange(changed.shape[1])).max(axis=1, initial=0)
        found, limit = [states[:0]], limit * (1 + TOLERANCE)
        for i, (ladder, after) in enumerate(zip(self.lattice.ladders, self._next, strict=True)):
            for next_ in after[states[:, i]].T:
                more = costs + ladder.step_costs[next_]
                chosen = np.flatnonzero((last <= i) & (next_ > 0) & (more <= limit))
                there = states[chosen]
                there[:, i] = next_[chosen]
                found.append(there)
        return np.concatenate(found)


class Ascent:
    """A beam that climbs from the factual by single changes to any level.

    Those states come first that gain most for their cost: cost plus what is missing, at the rate
    gained so far.
    """

    def __init__(self, lattice: Lattice, *, width: int) -> None:
        self.lattice, self.width, self.rounds = lattice, width, ROUNDS
        self.beam, self.proposed = lattice.start, lattice.start[:0]
        self.climbed = lattice.keys(lattice.start)

    def propose(self, register: Register) -> States:
        """All single changes of the beam."""
        if len(self.proposed):
            self.beam = self._climbed(register)
        self.rounds -= 1
        self.proposed = single_changes(
            self.lattice, self.beam if self.rounds >= 0 else self.beam[:0]
        )
        limit = FAR * register.cheapest
        self.proposed = self.proposed[self.lattice.costs(self.proposed) < limit]
        return self.proposed

    def _climbed(self, register: Register) -> States:
        keys, first = np.unique(self.lattice.keys(self.proposed), return_index=True)
        fresh, self.climbed = _added(keys, self.climbed)
        states, places = self.proposed[first[fresh]], register.places(keys[fresh])
        gain = register.merits[places] - register.merits[0]
        costs = self.lattice.costs(states)
        promising = ~register.wins[places] & (gain > 0) & (costs < register.cheapest)
        states, values = states[promising], costs[promising] / gain[promising]
        return self._admissible(register, register.in_order(states, values))

    def _admissible(self, register: Register, states: States) -> States:
        """The first admissible ones of some states, as many as the beam is wide.

        While nothing is known to succeed all are judged, if need be: little is plausible around
        somebody rare.
        """
        chosen, batch = states[:0], SPARE * self.width
        while len(states) and len(chosen) < self.width:
            some, states, batch = states[:batch], states[batch:], 2 * batch
            chosen = np.concatenate([chosen, some[register.admissible(some)]])
            if np.isfinite(register.cheapest):
                break
        return chosen[: self.width]


class Reach:
    """A beam of what is plausible and nearest to the goal, at any cost, while no way is known.

    Around somebody rare little is plausible, and what leads on may gain little for its cost. Where
    nothing had to be left out and nothing succeeds, the register learns that all is known that
    anybody can get to from here (`in_reach`).
    """

    def __init__(self, lattice: Lattice, *, width: int) -> None:
        self.lattice, self.width = lattice, width
        self.beam, self.proposed = lattice.start, lattice.start[:0]
        self.passed = lattice.keys(lattice.start)
        self.n_passable, self.whole, self.rounds = 1, True, 0

    def propose(self, register: Register) -> States:
        """The next single changes of the beam that the model was not asked about."""
        if register.cheapest < np.inf and len(register.incumbents(1)):
            return self.lattice.start[:0]
        while self.whole or self.rounds < register.max_steps:
            if len(self.proposed):
                self.beam = self._passable(register)
            self.rounds += 1
            self.proposed = self._changed(register)
            if len(register.unknown(self.proposed)):
                return self.proposed
            if not len(self.proposed):
                register.in_reach = self.n_passable if self.whole else 0
                break
        return self.lattice.start[:0]

    @classmethod
    def everywhere(cls, register: Register) -> None:
        """Let a register learn whether all is known that anybody can get to, and none succeeds."""
        reach = cls(register.lattice, width=register.n_states)
        while len(states := reach.propose(register)):
            register.ask(states)

    def _changed(self, register: Register) -> States:
        """Single changes of the beam, none proposed before."""
        states = single_changes(self.lattice, self.beam)
        states = states[self.lattice.n_steps(states) <= register.max_steps]
        keys, first = np.unique(self.lattice.keys(states), return_index=True)
        fresh, self.passed = _added(keys, self.passed)
        return states[first[fresh]]

    def _passable(self, register: Register) -> States:
        """Admissible ones of what was proposed that come nearest to the goal, as many as fit."""
        places = register.places(self.lattice.keys(self.proposed))
        merits, wins = register.merits[places], register.wins[places]
        self.whole &= not register.admissible(self.proposed[wins]).any()
        left = np.isfinite(merits) & ~wins
        states, batch = register.in_order(self.proposed[left], -merits[left]), 2 * self.width
        chosen = states[:0]
        while len(states) and len(chosen) <= self.width:
            some, states, batch = states[:batch], states[batch:], 2 * batch
            chosen = np.concatenate([chosen, some[register.admissible(some)]])
        self.whole &= len(chosen) <= self.width
        self.n_passable += len(chosen)
        return chosen[: self.width]


class Records:
    """The nearest records that have the outcome, put on the levels within the rules."""

    def __init__(self, lattice: Lattice, records: Floats) -> None:
        self.lattice, self.records = lattice, records

    def propose(self, register: Register) -> States:
        """All of them at once."""
        states = nearest_states(self.lattice, self.records)
        self.records = self.records[:0]
        states = np.unique(states, axis=0)
        return register.in_order(states, self.lattice.costs(states))[:CHOSEN]


class Back:
    """Successes with changes taken back, one at a time and then as many as may still succeed."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.lowered: set[int] = set()
        self.undone: set[int] = set()

    def propose(self, register: Register) -> States:
        """States nearer to the factual than the cheapest plausible successes."""
        states = register.likely(KEPT, steps=len(self.lattice.ladders))
        keys = self.lattice.keys(states).tolist()
        fresh = [key not in self.lowered for key in keys]
        found = [lower_states(self.lattice, states[fresh])]
        for state, key in zip(states, keys, strict=True):
            if key in self.lowered and key not in self.undone:
                self.undone.add(key)
                found.append(self._undone(register, state))
        self.lowered.update(keys)
        return np.concatenate(found)

    def _undone(self, register: Register, state: Ints) -> States:
        """The state without its least useful changes, one, two and so on of them."""
        changed = np.flatnonzero(state)
        without = np.repeat(state[np.newaxis, :], len(changed), axis=0)
        without[np.arange(len(changed)), changed] = 0
        places = register.places(self.lattice.keys(without))
        order = np.argsort(-register.merits[places], kind="stable")
        states = np.repeat(state[np.newaxis, :], len(changed), axis=0)
        for i, ladder in enumerate(changed[order]):
            states[i:, ladder] = 0
        return states[1:-1]


class Swap:
    """Cheap successes in which one change is taken back and another made, for less."""

    def __init__(self, lattice: Lattice, *, width: int) -> None:
        self.lattice, self.width, self.rounds = lattice, width, SWAPS
        self.swapped: set[int] = set()

    def propose(self, register: Register) -> States:
        """Swaps within the cheapest successes that had none yet."""
        found = [self.lattice.start[:0]]
        self.rounds -= 1
        for state in register.likely(self.width) if self.rounds >= 0 else found[0]:
            key = int(self.lattice.keys(state))
            if key not in self.swapped:
                self.swapped.add(key)
                lower = lower_states(self.lattice, state[np.newaxis, :])
                states = single_changes(self.lattice, lower)
                found.append(states[self._cheaper(states, state)])
        states = register.unknown(np.concatenate(found))
        return register.in_order(states, self.lattice.costs(states))[: SWAPPED * self.width]

    def _cheaper(self, states: States, other: Ints) -> Bools:
        limit = self.lattice.costs(other[np.newaxis, :])[0] * (1 - TOLERANCE)
        return np.asarray(self.lattice.costs(states) < limit)


def _added(keys: Keys, known: Keys) -> tuple[Bools, Keys]:
    """Which keys are not known, and all of them; everything in order."""
    there = np.searchsorted(known, keys)
    fresh = known[np.minimum(there, len(known) - 1)] != keys
    return fresh, np.insert(known, there[fresh], keys[fresh])


def single_changes(lattice: Lattice, states: States) -> States:
    """States in which one ladder is anywhere else; duplicates included."""
    ladders, positions = lattice.moves
    rows, moves = np.nonzero(states[:, ladders] != positions)
    changed = states[rows]
    changed[np.arange(len(rows)), ladders[moves]] = positions[moves]
    return changed


def lower_states(lattice: Lattice, states: States) -> States:
    """States in which one ladder is nearer to the start, on its own way; duplicates included."""
    found = [states[:0]]
    for i in np.flatnonzero(states.any(axis=0)).tolist():
        rows, lower = np.nonzero(lattice.ladders[i].contains[states[:, i]])
        moved = states[rows]
        moved[:, i] = lower
        found.append(moved[lower != states[rows, i]])
    return np.concatenate(found)


def nearest_states(lattice: Lattice, points: Floats) -> States:
    """The state of a lattice that is nearest to each point, ladder by ladder; (n, ladders)."""
    states = np.zeros((len(points), len(lattice.ladders)), dtype=np.int64)
    for i, ladder in enumerate(lattice.ladders):
        gaps = points[:, np.newaxis, ladder.coordinates] - ladder.values
        states[:, i] = (gaps * gaps).sum(axis=2).argmin(axis=1)
    return states


def _next_positions(lattice: Lattice) -> list[Ints]:
    """For each ladder and position on it, the positions right behind it; filled up with zeros."""
    found = []
    for ladder in lattice.ladders:
        after = [np.flatnonzero(ladder.parents == position) for position in range(len(ladder))]
        table = np.zeros((len(ladder), max(map(len, after))), dtype=np.int64)
        for position, each in enumerate(after):
            table[position, : len(each)] = each
        found.append(table)
    return found
