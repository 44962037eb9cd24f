"""What is proven of the states around a case: that none cheaper than a bound succeeds (SPEC 13).

Where the model can be read, a search over boxes of states proves it (`facelift.proving`). Cheaper
successes that it comes by are handed to the register, so that they become destinations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, slices
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal, Range
from facelift.proving.problem import Levels, Problem
from facelift.proving.reading import Reading
from facelift.proving.search import Search
from facelift.steps.growth import Judge, Register, leads_to
from facelift.steps.lattice import Lattice, States

WORK_PER_STATE = 120
"""Units of work of a proof for each state that may be judged: at most 0.3 s by default."""

UNREADABLE = "this model cannot be read"
UNFINISHED = "the search stopped first"


@dataclass(frozen=True, eq=False)
class Bound:
    """No admissible success costs less than `least`; all that cost less than `all_below` are known.

    `least` is infinite where none exists at all. `why` says what kept it low; `of_steps` that
    states with more steps than asked for were left out; `prover` can prove it again.
    """

    least: float
    all_below: float
    why: str
    of_steps: bool = False
    prover: Prover | None = None


@dataclass(frozen=True, eq=False)
class Prover:
    """What to prove of a case, and how: the states, who judges them, and the model if readable.

    States may take `max_steps`; the work grows with `max_states`, and a way is made of up to `room`
    states.
    """

    lattice: Lattice
    goal: Goal | Range
    decode: Callable[[Floats], Any]
    reading: Reading | None
    judge: Judge
    max_steps: int
    max_states: int
    room: int

    def __call__(self, register: Register, ends: States) -> Bound:
        """The bound of a case whose destinations are `ends` so far."""
        costs = self.lattice.costs(ends)
        attempt = _Attempt(self, register)
        search = self.search(attempt, costs.min(initial=np.inf))
        if search is not None and self._reads_right(search, register):
            return attempt.by_boxes(search)
        return Bound(0.0, 0.0, UNREADABLE)

    def search(
        self, attempt: _Attempt | None, limit: float, *, record: bool = False
    ) -> Search | None:
        """The search for a success below a limit; None where the model cannot be read."""
        if self.problem is None:
            return None
        accept = None if attempt is None else attempt.accept
        return Search(self.problem, limit=limit, accept=accept, record=record)

    @cached_property
    def problem(self) -> Problem | None:
        """The levels of the case as the model sees them; None where it cannot be read."""
        if self.reading is None or isinstance(self.goal, Range):
            return None
        score = self.reading.towards(self.columns, self.goal.needed)
        factual, levels = levels_of(self.lattice, self.reading, self.decode)
        try:
            return Problem.of(score, factual, levels)
        except InvalidInput:  # two ladders move one column
            return None

    @property
    def columns(self) -> list[int]:
        """The columns of the model's answers that are wanted; none of a number."""
        if isinstance(self.goal, Range):
            return []
        return [self.goal.classes.index(label) for label in self.goal.target]

    @property
    def work(self) -> int:
        """Units of work of a proof."""
        return WORK_PER_STATE * self.max_states

    def _reads_right(self, search: Search, register: Register) -> bool:
        """Whether every success that the model told of is one by what was read of it."""
        told = register.states[register.judged.succeeds]
        return bool(search.reaches(told).all())


def levels_of(
    lattice: Lattice, reading: Reading, decode: Callable[[Floats], Any]
) -> tuple[Floats, list[Levels]]:
    """What the model sees of the case, and of each level of its ladders."""
    inputs = reading.inputs(decode(lattice.points(single_moves(lattice))))
    found = [
        Levels(inputs[1:][part], ladder.costs)
        for ladder, part in zip(lattice.ladders, slices(map(len, lattice.ladders)), strict=True)
    ]
    return inputs[0], found


def single_moves(lattice: Lattice) -> States:
    """The start, and then every position of every ladder by itself."""
    sizes = [len(ladder) for ladder in lattice.ladders]
    states = np.repeat(lattice.start, 1 + sum(sizes), axis=0)
    for i, part in enumerate(slices(sizes)):
        states[1:][part, i] = np.arange(sizes[i])
    return states


class _Attempt:
    """One proof: knows which successes no way leads to, and whether any took too many steps."""

    def __init__(self, prover: Prover, register: Register) -> None:
        self.prover, self.register = prover, register
        self.stranded, self.of_steps = np.inf, False

    def by_boxes(self, search: Search) -> Bound:
        """The bound that the structure of a model proves."""
        best = search.run(self.prover.work)
        least = best.bound
        if best.proven and best.state is None and search.limit >= search.problem.most:
            least = np.inf
        least = min(least, self.stranded)
        why = "" if best.proven else UNFINISHED
        return Bound(least, least, why, self.of_steps, self.prover)

    def accept(self, states: States) -> Bools:
        """Which successes are admissible, and have a way; the register learns of these."""
        short = self._short_enough(states)
        judged = self.prover.judge(self.prover.lattice.points(short))
        good = short[judged.admissible & judged.succeeds]
        led = self._with_way(good)
        keys = self.prover.lattice.keys
        return np.isin(keys(states), keys(led))

    def _short_enough(self, states: States) -> States:
        short = self.prover.lattice.n_steps(states) <= self.prover.max_steps
        self.of_steps |= not short.all()
        return states[short]

    def _with_way(self, states: States) -> States:
        """Admissible successes to which a way leads; the others are remembered by their cost."""
        if not len(states):
            return states
        self.register.learn(states)
        led = np.array([leads_to(self.register, each, self.prover.room) for each in states])
        costs = self.prover.lattice.costs(states[~led])
        self.stranded = min(self.stranded, float(costs.min(initial=np.inf)))
        return np.asarray(states[led])
