"""The register: what is known of states, judged as late as possible, and the best successes.

The model is asked about many states at once, since a call costs as much as hundreds of rows.
Whether a state is plausible, and whether a way leads there, is found out only of states that are
wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import distances, tied_ranks
from facelift.steps.lattice import Keys, Lattice, States

CALL_WORK, ROW_WORK, PLAUSIBLE_WORK = 300, 1, 2
"""Units of work: a call of the model, a row of it, and judging whether a state is plausible."""

WANTED_AT_ONCE = 64
"""Successes whose plausibility is judged together at first; each time twice as many."""

KEPT = 24
"""So many of the cheapest successes are looked for at once."""

MOST_BETWEEN = 64
"""So many states, as many actions away, are gone on from in looking for a way to a success."""

JUDGED_AT_ONCE = 256
"""So many states between the factual and a success are judged together."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Answers about points; the register decides what to ask, and when.

    `allowed` says which points keep the rules, `answers` what the model says of these, `merits`
    how near that is to the goal (the higher the better) and `wins` whether it is reached;
    `plausible` which points are like real records.
    """

    allowed: Callable[[Floats], Bools]
    answers: Callable[[Floats], Floats]
    merits: Callable[[Floats], Floats]
    wins: Callable[[Floats, Floats], Bools]
    plausible: Callable[[Floats], Bools]


class Register:
    """What was learned about states so far; asks about none twice.

    `accepted` are the incumbents when they were last asked for, `cheapest` is the cost of the
    cheapest success that may be one. `in_reach` counts the states that admissible changes lead to,
    where all of them are known and none succeeds; else it is 0. `work` counts units: the same
    search does the same work on every machine.
    """

    def __init__(
        self,
        lattice: Lattice,
        judge: Judge,
        answers: Floats,
        *,
        max_steps: int = 0,
        apart: float = 0.0,
    ) -> None:
        self.lattice, self.judge, self.max_steps, self.apart = lattice, judge, max_steps, apart
        self.states: States = lattice.start
        self.answers: Floats = answers[np.newaxis, :]
        self.merits: Floats = judge.merits(self.answers)
        self.costs, self.n_steps = np.zeros(1), np.zeros(1, dtype=np.int64)
        self.wins = np.zeros(1, dtype=bool)
        self.n_calls = self.work = 0
        self.keys: Keys = lattice.keys(self.states)
        self._known: Keys = self.keys
        self._places = np.zeros(1, dtype=np.int64)
        self.accepted: States = lattice.start[:0]
        self.cheapest, self.in_reach = np.inf, 0
        self._n_wins = 0
        self._found: dict[tuple[int, int], States] = {}
        self._likely = {int(self._known[0]): True}
        self._led_to = dict(self._likely)

    @property
    def n_states(self) -> int:
        """How many states were looked at, the factual included."""
        return len(self.states)

    @property
    def n_successes(self) -> int:
        """How many of them succeed and are few enough steps away, admissible or not."""
        return len(self._successes(self.max_steps))

    @property
    def n_judged(self) -> int:
        """Of how many states it is known whether they are admissible."""
        return len(self._likely)

    def answers_of(self, states: States) -> Floats:
        """What the model says of states."""
        places = self.ask(states)  # which replaces the answers
        return self.answers[places]

    def ask(self, states: States) -> Ints:
        """Ask the model about the states not known yet, in one call; places of all of them."""
        keys = self.lattice.keys(states)
        new = self._first_unknown(keys)
        if len(new):
            self._learn(states[new], keys[new])
        return self.places(keys)

    def unknown(self, states: States) -> States:
        """The states not known yet, each once, in order of their keys."""
        return states[self._first_unknown(self.lattice.keys(states))]

    def _first_unknown(self, keys: Keys) -> Ints:
        """Where each key that is not known comes first, in order of these keys."""
        distinct, first = np.unique(keys, return_index=True)
        return np.asarray(first[self.places(distinct) < 0])

    def _learn(self, states: States, keys: Keys) -> None:
        points = self.lattice.points(states)
        allowed = self.judge.allowed(points)
        answers = np.full((len(states), self.answers.shape[1]), np.nan)
        merits, wins = np.full(len(states), -np.inf), np.zeros(len(states), dtype=bool)
        if allowed.any():
            some = points[allowed]
            answers[allowed] = self.judge.answers(some)
            merits[allowed] = self.judge.merits(answers[allowed])
            wins[allowed] = self.judge.wins(some, answers[allowed])
            self.n_calls += 1
            self.work += CALL_WORK + ROW_WORK * len(some)
        there = np.searchsorted(self._known, keys)
        self._places = np.insert(self._places, there, len(self.states) + np.arange(len(states)))
        self._known = np.insert(self._known, there, keys)
        self.states, self.keys = np.concatenate([self.states, states]), np.append(self.keys, keys)
        self.costs = np.append(self.costs, self.lattice.costs(states))
        self.n_steps = np.append(self.n_steps, self.lattice.n_steps(states))
        self.answers = np.concatenate([self.answers, answers])
        self.merits, self.wins = np.append(self.merits, merits), np.append(self.wins, wins)

    def places(self, keys: Keys) -> Ints:
        """Row of each key among the known states, -1 if it is not known."""
        rank = np.minimum(np.searchsorted(self._known, keys), len(self._known) - 1)
        return np.where(self._known[rank] == keys, self._places[rank], -1)

    def admissible(self, states: States) -> Bools:
        """Whether states keep the rules and are plausible; the model is not asked."""
        keys = self.lattice.keys(states).tolist()
        new = [i for i, key in enumerate(keys) if key not in self._likely]
        if new:
            points = self.lattice.points(states[new])
            good = self.judge.allowed(points)
            good[good] = self.judge.plausible(points[good])
            self.work += PLAUSIBLE_WORK * len(new)
            self._likely.update(zip([keys[i] for i in new], good.tolist(), strict=True))
        return np.array([self._likely[key] for key in keys], dtype=bool)

    def accept(self, states: States) -> Bools:
        """Whether states keep the rules, are plausible, and an admissible way leads there."""
        good = self.lattice.n_steps(states) <= self.max_steps
        good[good] = self.admissible(states[good])
        good[good] = [self._way_leads_to(state) for state in states[good]]
        return good

    def incumbents(self, n: int) -> States:
        """The cheapest successes that are accepted, with no part that is, apart; cheapest first."""
        self.accepted = self._cheapest(self._successes(self.max_steps), n, accept=True)
        return self.accepted

    def known_parts(self, state: Ints) -> States:
        """Admissible states known to lie between the factual and a state."""
        between = self.states[self.lattice.is_part(self.states, state)]
        return between[self.admissible(between)]

    def nearest(self) -> tuple[Floats, Floats]:
        """Points of some accepted states that come nearest to the goal, and what the model says."""
        order = np.lexsort((self.keys, -self.merits))
        order, batch = order[np.isfinite(self.merits[order])], WANTED_AT_ONCE
        chosen = np.zeros(1, dtype=np.int64)
        while len(order) and len(chosen) == 1:
            some, order = order[:batch], order[batch:]
            chosen = np.union1d(some[self.accept(self.states[some])], [0])
            batch *= 2
        return self.lattice.points(self.states[chosen]), self.answers[chosen]

    def likely(self, n: int, *, steps: int | None = None) -> States:
        """The same without looking for ways; with other `steps`, such as too many of them."""
        n_wins, places = int(self.wins.sum()), self._successes(steps or self.max_steps)
        if self._n_wins != n_wins:
            self._n_wins, self._found = n_wins, {}
        about = len(places), max(n, KEPT)
        if about not in self._found:
            self._found[about] = self._cheapest(places, about[1], accept=False)
        found = self._found[about][:n]
        if steps is None:
            self.cheapest = float(self.lattice.costs(found[:1]).min(initial=np.inf))
        return found

    def _successes(self, steps: int) -> Ints:
        """Places of successes that take at most so many steps."""
        return np.flatnonzero(self.wins & (self.n_steps <= steps))

    def in_order(self, states: States, values: Floats) -> States:
        """States with the smallest values first; of equals, the smaller key."""
        return states[np.lexsort((self.lattice.keys(states), tied_ranks(values)))]

    def _cheapest(self, places: Ints, n: int, *, accept: bool) -> States:
        """The cheapest admissible ones of some states that contain no other of them."""
        order = np.lexsort((self.keys[places], tied_ranks(self.costs[places])))
        states = self.states[places[order]]
        chosen, minimal, batch = states[:0], list[Ints](), WANTED_AT_ONCE
        while len(chosen) < n and len(states):
            some, states, batch = states[:batch], states[batch:], 2 * batch
            for part in minimal:
                some = some[~self.lattice.parts(some, part)]
            some = some[self.admissible(some)]
            while len(chosen) < n and len(some):
                # The first is minimal: a part of it would be cheaper, or as cheap and earlier.
                first, some = some[:1], some[1:]
                if accept and not self._way_leads_to(first[0]):
                    continue
                minimal.append(first[0])
                some = some[~self.lattice.parts(some, first[0])]
                if self._distance(chosen, first) >= self.apart:
                    chosen = np.concatenate([chosen, first])
        return chosen

    def _distance(self, states: States, other: States) -> float:
        """Euclidean distance of a state to the nearest of some others."""
        if not self.apart:
            return 0.0
        points = self.lattice.points
        return float(distances(points(states), points(other)).min(initial=np.inf))

    def _way_leads_to(self, state: Ints) -> bool:
        key = int(self.lattice.keys(state))
        if key not in self._led_to:
            lattice = self.lattice
            levels = (find([state]) for find in (lattice.corners, lattice.ways))
            self._led_to[key] = any(map(self._is_passable, levels))
        return self._led_to[key]

    def _is_passable(self, levels: list[list[int]]) -> bool:
        """Whether few enough actions lead through admissible states from first to last levels.

        Where there are very many states between, not all of them are tried.
        """
        box = _Box.of(self.lattice, levels)
        frontier, seen, good = [0], {0}, None
        if box.size <= JUDGED_AT_ONCE:
            good = self.admissible(self.lattice.box(levels)).tolist()
            if all(good):
                return box.fewest_actions <= self.max_steps
        for _ in range(self.max_steps):
            farther = sorted({each for place in frontier for each in box.on(place)} - seen)
            if good is None:
                judged = self.admissible(box.states(farther)).tolist()
            else:
                judged = [good[place] for place in farther]
            frontier = [place for place, is_good in zip(farther, judged, strict=True) if is_good]
            frontier = frontier[:MOST_BETWEEN]
            if frontier[-1:] == [box.size - 1] or not frontier:
                break
            seen.update(farther)
        return frontier[-1:] == [box.size - 1]


@dataclass(frozen=True, eq=False)
class _Box:
    """States made of some levels of each ladder, numbered in their order."""

    levels: list[list[int]]
    size: int
    axes: list[tuple[int, int, bool]]
    """Of each ladder with several levels: what one adds to a number, how many, whether to jump."""

    @classmethod
    def of(cls, lattice: Lattice, levels: list[list[int]]) -> Self:
        """The box of some levels."""
        size, axes = 1, []
        for ladder, each in zip(reversed(lattice.ladders), reversed(levels), strict=True):
            if len(each) > 1:
                axes.append((size, len(each), ladder.jumps))
            size *= len(each)
        return cls(levels, size, axes)

    @property
    def fewest_actions(self) -> int:
        """Actions from the first state to the last."""
        return sum(1 if jumps else n - 1 for _, n, jumps in self.axes)

    def on(self, place: int) -> Iterator[int]:
        """Where single actions lead on: a jump to any farther level, or the next category."""
        for weight, n, jumps in self.axes:
            left = n - 1 - place // weight % n
            for there in range(1, (left if jumps else min(left, 1)) + 1):
                yield place + there * weight

    def states(self, places: list[int]) -> States:
        """The states of some numbers."""
        states = np.empty((len(places), len(self.levels)), dtype=np.int64)
        left = places
        for i in reversed(range(len(self.levels))):
            each = self.levels[i]
            states[:, i] = [each[place % len(each)] for place in left]
            left = [place // len(each) for place in left] if len(each) > 1 else left
        return states
