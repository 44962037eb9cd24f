"""The register: asks about nothing twice, judges late, and accepts what a way leads to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from facelift.steps.lattice import Ladder, Lattice
from facelift.steps.register import Judge, Register

State = tuple[int, ...]


def ladder(
    column: int, costs: list[float], *, unordered: bool = False, jumps: bool = True
) -> Ladder:
    """A ladder whose position p moves coordinate `column` to p; each level has its own cost."""
    n = len(costs) + 1
    parents = [-1] + [0] * len(costs) if unordered else list(range(-1, n - 1))
    values = np.arange(float(n))[:, np.newaxis]
    names, places = (f"x{column}",), np.array([column])
    costs = np.array([0.0, *costs])
    jumps = jumps and not unordered
    return Ladder(names, places, values, np.array(parents), costs, unordered, jumps)


class Asked:
    """Judges states by functions of a state, and remembers what it was asked."""

    def __init__(
        self,
        succeeds: Callable[[State], Any],
        plausible: Callable[[State], Any] = lambda _: True,
        allowed: Callable[[State], Any] = lambda _: True,
    ) -> None:
        self.succeeds, self.is_plausible, self.is_allowed = succeeds, plausible, allowed
        self.batches: list[list[State]] = []
        self.judged: list[State] = []

    def judge(self) -> Judge:
        return Judge(self._allowed, self._answers, self._merits, self._wins, self._plausible)

    def register(self, ladders: list[Ladder], **options: Any) -> Register:
        lattice = Lattice(np.zeros(len(ladders)), tuple(ladders))
        options = {"max_steps": 7, **options}
        return Register(lattice, self.judge(), np.array([1.0, 0.0]), **options)

    @property
    def asked(self) -> list[State]:
        return [state for batch in self.batches for state in batch]

    def admits(self, state: State) -> bool:
        return not any(state) or bool(self.is_plausible(state) and self.is_allowed(state))

    def _allowed(self, points: np.ndarray) -> np.ndarray:
        return np.array([bool(self.is_allowed(state)) for state in states_of(points)])

    def _answers(self, points: np.ndarray) -> np.ndarray:
        self.batches.append(states_of(points))
        yes = np.array([bool(self.succeeds(state)) for state in self.batches[-1]], dtype=float)
        return np.column_stack([1 - yes, yes])

    def _merits(self, answers: np.ndarray) -> np.ndarray:
        return answers[:, 1]

    def _wins(self, points: np.ndarray, answers: np.ndarray) -> np.ndarray:
        assert len(points) == len(answers)
        return answers[:, 1] >= 0.5

    def _plausible(self, points: np.ndarray) -> np.ndarray:
        self.judged += states_of(points)
        return np.array([bool(self.is_plausible(state)) for state in states_of(points)], dtype=bool)


def states_of(points: np.ndarray) -> list[State]:
    return [tuple(int(x) for x in point) for point in points]


def cube(n: int) -> list[Ladder]:
    return [ladder(i, [1.0]) for i in range(n)]


def every(register: Register) -> np.ndarray:
    return register.lattice.box([range(len(each)) for each in register.lattice.ladders])


def test_the_model_is_asked_once_about_each_state_and_not_about_forbidden_ones():
    asked = Asked(lambda s: s[0], allowed=lambda s: s != (1, 1, 0))
    register = asked.register(cube(3))
    register.ask(every(register)[[1, 2, 1]])
    register.ask(every(register))
    register.ask(every(register))
    assert len(asked.batches) == register.n_calls == 2
    assert sorted(asked.asked) == sorted(set(asked.asked))
    assert (1, 1, 0) not in asked.asked
    assert (0, 0, 0) not in asked.asked
    assert register.n_states == 8
    assert register.work == 2 * 300 + 6


def test_a_batch_that_the_rules_forbid_is_no_call():
    register = Asked(lambda _: True, allowed=lambda _: False).register(cube(2))
    register.ask(every(register))
    assert (register.n_calls, register.n_states) == (0, 4)


def test_plausibility_is_judged_only_of_what_is_wanted():
    asked = Asked(lambda s: sum(s) >= 3)
    register = asked.register(cube(8))
    register.ask(every(register))
    assert not asked.judged
    assert register.incumbents(1).sum() == 3
    assert len(asked.judged) < 80 < len(asked.asked)


def test_incumbents_are_the_cheapest_successes_without_parts_that_are():
    asked = Asked(lambda s: s[0] + s[1] >= 2 or s[2] >= 3)
    register = asked.register([ladder(0, [1, 1]), ladder(1, [1]), ladder(2, [0.5] * 3)])
    register.ask(every(register))
    assert register.incumbents(9).tolist() == [[0, 0, 3], [1, 1, 0], [2, 0, 0]]
    assert register.incumbents(2).tolist() == [[0, 0, 3], [1, 1, 0]]
    assert register.likely(2).tolist() == [[0, 0, 3], [1, 1, 0]]
    assert register.cheapest == 1.5


def test_a_success_without_a_way_hides_nothing():
    asked = Asked(lambda s: s[:2] == (1, 1), lambda s: s not in {(1, 0, 0), (0, 1, 0)})
    register = asked.register(cube(3))
    register.ask(every(register))
    assert register.accept(np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1]])).tolist() == [
        False,
        True,
        True,
    ]
    assert register.incumbents(9).tolist() == [[1, 1, 1]]


def test_an_action_jumps_over_implausible_levels_and_counts_once():
    asked = Asked(lambda s: s[0] == 3, lambda s: s[0] not in {1, 2})
    register = asked.register([ladder(0, [1, 1, 1])], max_steps=1)
    assert register.accept(np.array([[3]])).all()
    register = asked.register([ladder(0, [1, 1, 1], jumps=False)])
    assert not register.accept(np.array([[3]])).any()


def test_destinations_keep_their_distance():
    asked = Asked(lambda s: sum(s) == 1)
    for apart, n in ((1.4, 3), (1.5, 1)):
        register = asked.register(cube(3), apart=apart)
        register.ask(every(register))
        assert len(register.incumbents(9)) == n


@pytest.mark.parametrize("seed", range(40))
def test_states_are_accepted_if_and_only_if_some_order_of_actions_leads_there(seed):
    rng = np.random.default_rng(seed)
    ladders = [
        ladder(i, [1.0] * int(rng.integers(1, 4)), jumps=bool(rng.integers(2))) for i in range(3)
    ]
    open_ = rng.random([len(each) for each in ladders]) < 0.5
    asked = Asked(lambda _: False, lambda s: open_[s])
    steps = int(rng.integers(1, 6))
    register = asked.register(ladders, max_steps=steps)
    for state in every(register):
        assert register.accept(state[np.newaxis])[0] == leads(asked, ladders, tuple(state), steps)


def leads(asked: Asked, ladders: list[Ladder], end: State, steps: int) -> bool:
    """By trying everything."""
    frontier = {(0,) * len(end)}
    for _ in range(steps):
        frontier |= {
            (*s[:i], q, *s[i + 1 :])
            for s in frontier
            for i, each in enumerate(ladders)
            for q in range(s[i] + 1, (end[i] if each.jumps else min(s[i] + 1, end[i])) + 1)
            if asked.admits((*s[:i], q, *s[i + 1 :]))
        }
    return end in frontier


def test_many_features_in_one_possible_order_only():
    """Thirty actions, each possible only after the one before: 2**30 states lie between."""
    n = 30
    asked = Asked(lambda s: sum(s) == n, lambda s: list(s) == sorted(s, reverse=True))
    register = asked.register(cube(n), max_steps=n)
    assert register.accept(np.ones((1, n), dtype=np.int64)).all()
    assert len(asked.judged) < 1000
