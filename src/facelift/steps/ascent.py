"""Ascent: a beam of states that climbs towards the goal, then steps back and swaps (SPEC 13).

Growing outward by cost alone does not reach far enough where a chance is small. Here a few states
at a time are changed in one feature, to any level of it, and those are kept that gain most for
their cost; successes are then made cheaper by taking changes back and by exchanging one for
another. The model is asked in large batches; plausibility is judged only of states that are wanted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.geometry import tied_ranks
from facelift.steps.growth import Judge, Register
from facelift.steps.lattice import Lattice, States

BEAM = 8
"""States that are climbed on from at a time."""

SPARE = 4
"""So many times the beam are judged, since not all of what gains is plausible."""

ROUNDS = 9
"""How often the beam is climbed on from."""

KEPT = 24
"""Successes that are made cheaper."""

SWAPPED, SWAPS, MOST_SWAPS = 6, 2, 4_000
"""Successes in which changes are exchanged, how often, and between how many states at once."""

Missing = Callable[[Floats], Floats]
"""How much each point still lacks of the goal: 0 where it is reached, infinite if not allowed."""


def climb(
    register: Register,
    lacking: float,
    missing: Missing,
    within: Callable[[States], Bools],
    judge: Judge,
) -> None:
    """Have the register judge successes that a beam finds, and cheaper ones made of them.

    `lacking` is what is `missing` at the start. `within` says which states a journey may lead to at
    all; `judge` is that of the register from
    now on: it remembers what `missing` was told.
    """
    register.judge = judge
    climber = _Climber(register, missing, within)
    successes = climber.lowered(climber.ascended(lacking))
    for _ in range(SWAPS):
        if not len(successes):
            return
        successes = climber.lowered(climber.swapped(successes))


class _Climber:
    """One climb: remembers which states the model was asked about."""

    def __init__(
        self, register: Register, missing: Missing, within: Callable[[States], Bools]
    ) -> None:
        self.register, self.lattice = register, register.lattice
        self.missing, self.within = missing, within
        self.asked = self.lattice.keys(self.lattice.start)

    def ascended(self, lacking: float) -> States:
        """Successes that a beam from the factual meets, cheapest first."""
        beam, successes = self.lattice.start, self.lattice.start[:0]
        for _ in range(ROUNDS):
            states, left = self._ask(single_changes(self.lattice, beam))
            successes = self._kept(successes, states[left == 0])
            gain = lacking - left
            promising = (left > 0) & (gain > 0)
            costs = self.lattice.costs(states)
            if len(successes):
                promising &= costs < self.lattice.costs(successes[:1])[0]
            states, rates = states[promising], (lacking / gain[promising]) * costs[promising]
            beam = self._plausible(self._first(states, rates, SPARE * BEAM))[:BEAM]
            if not len(beam):
                break
        return successes

    def lowered(self, successes: States) -> States:
        """Successes with changes taken back, as long as that leaves others."""
        while True:
            states, left = self._ask(lower_states(self.lattice, successes))
            better = self._kept(successes, states[left == 0])
            if len(better) == len(successes) and (better == successes).all():
                return successes
            successes = better

    def swapped(self, successes: States) -> States:
        """Successes in which one change was taken back and another made, for less."""
        found = [successes[:0]]
        for state in successes[:SWAPPED]:
            lower = lower_states(self.lattice, state[np.newaxis, :])
            states = single_changes(self.lattice, lower)
            found.append(states[self._cheaper(states, state)])
        states = np.concatenate(found)
        states = self._first(states, self.lattice.costs(states), MOST_SWAPS)
        states, left = self._ask(states)
        return self._kept(successes, states[left == 0])

    def _cheaper(self, states: States, other: States) -> Bools:
        return np.asarray(self.lattice.costs(states) < self.lattice.costs(other[np.newaxis, :])[0])

    def _ask(self, states: States) -> tuple[States, Floats]:
        """States not asked about before, and how much each of them lacks."""
        keys, first = np.unique(self.lattice.keys(states), return_index=True)
        fresh = first[~np.isin(keys, self.asked)]
        self.asked = np.union1d(self.asked, keys)
        states = states[fresh]
        states = states[self.within(states)] if len(states) else states
        known = self.register.places(self.lattice.keys(states)) >= 0
        judged, states = states[known], states[~known]
        left = np.empty(0)
        if len(states):
            left = self.missing(self.lattice.points(states))
            self.register.noted(states, int(np.isfinite(left).any()))
        wins = judged[self.register.succeeds(judged)]  # others were climbed on from already
        return np.concatenate([states, wins]), np.append(left, np.zeros(len(wins)))

    def _kept(self, known: States, states: States) -> States:
        """The cheapest plausible successes of both."""
        cheapest = self._plausible(self._first(states, self.lattice.costs(states), 2 * KEPT))
        both = np.concatenate([known, cheapest])
        return self._first(both, self.lattice.costs(both), KEPT)

    def _plausible(self, states: States) -> States:
        if not len(states):
            return states
        places = self.register.learn(states)
        return states[self.register.judged.admissible[places]]

    def _first(self, states: States, values: Floats, size: int) -> States:
        """The states with the smallest values; of equals, the smaller key."""
        order = np.lexsort((self.lattice.keys(states), tied_ranks(values)))
        return states[order[:size]]


def single_changes(lattice: Lattice, states: States) -> States:
    """States in which one ladder is anywhere else; duplicates included."""
    found = [states[:0]]
    for i, ladder in enumerate(lattice.ladders):
        moved = np.repeat(states, len(ladder), axis=0)
        moved[:, i] = np.tile(np.arange(len(ladder)), len(states))
        found.append(moved[moved[:, i] != np.repeat(states[:, i], len(ladder))])
    return np.concatenate(found)


def lower_states(lattice: Lattice, states: States) -> States:
    """States in which one ladder is nearer to the start, on its own way; duplicates included."""
    found = [states[:0]]
    for i, ladder in enumerate(lattice.ladders):
        for position in range(1, len(ladder)):
            here = states[states[:, i] == position]
            for lower in ladder.climb(position)[:-1]:
                moved = here.copy()
                moved[:, i] = lower
                found.append(moved)
    return np.concatenate(found)
