"""Growing a local graph: what is judged, how often, when it stops, and what it finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift.steps import growth
from facelift.steps.growth import (
    FIRST_BATCH,
    LEAST_ROOM,
    Growth,
    Judgement,
    Register,
    _first_to_succeed,
    grow,
)
from facelift.steps.lattice import Lattice
from facelift.terrain.ladder import Ladder
from facelift.terrain.prices import Block, Prices

State = tuple[int, ...]


def ladder(column: int, costs: list[float], *, unordered: bool = False) -> Ladder:
    """A ladder whose position p moves coordinate `column` to p; each step has its own cost."""
    n = len(costs) + 1
    parents = [-1] + [0] * len(costs) if unordered else list(range(-1, n - 1))
    values = np.arange(float(n))[:, np.newaxis]
    names, places = (f"x{column}",), np.array([column])
    return Ladder(names, places, values, np.array(parents), np.array([0.0, *costs]), unordered)


class Judge:
    """Judges states by two functions of a state, and remembers what it was asked."""

    def __init__(
        self,
        succeeds: Callable[[State], Any],
        admissible: Callable[[State], Any] = lambda _: True,
    ) -> None:
        self.succeeds, self.admissible = succeeds, admissible
        self.batches: list[list[State]] = []

    def __call__(self, points: np.ndarray) -> Judgement:
        assert isinstance(points, np.ndarray)
        states = [tuple(int(x) for x in point) for point in points]
        self.batches.append(states)
        admissible = np.array([bool(self.admissible(s)) for s in states])
        succeeds = np.array([bool(self.succeeds(s)) for s in states]) & admissible
        return Judgement(admissible, succeeds, np.column_stack([~succeeds, succeeds]).astype(float))

    @property
    def asked(self) -> list[State]:
        return [state for batch in self.batches for state in batch]


def unit_prices(n: int) -> Prices:
    return Prices(np.ones(n), np.ones(n))


def grown(
    ladders: list[Ladder], judge: Judge, prices: Prices | None = None, **changed: Any
) -> Growth:
    lattice = Lattice(np.zeros(len(ladders)), tuple(ladders))
    start = Judgement(np.ones(1, dtype=bool), np.zeros(1, dtype=bool), np.array([[1.0, 0.0]]))
    options = {"n_destinations": 3, "max_steps": 7, "max_states": 5000, **changed}
    return grow(lattice, prices or unit_prices(len(ladders)), judge, start, **options)


def ends(found: Growth) -> list[State]:
    return [tuple(state) for state in found.states[found.ends].tolist()]


def cube(n: int, cost: float = 1.0) -> list[Ladder]:
    return [ladder(i, [cost]) for i in range(n)]


def test_destinations_are_the_cheapest_minimal_successes_in_order():
    judge = Judge(lambda s: s[0] + s[1] >= 2 or s[2] >= 3)
    found = grown([ladder(0, [1, 1]), ladder(1, [1]), ladder(2, [0.5] * 3)], judge)
    assert ends(found) == [(0, 0, 3), (1, 1, 0), (2, 0, 0)]
    assert found.stopped == "enough"
    assert tuple(found.states[0]) == (0, 0, 0)


def test_of_equally_cheap_ones_the_earlier_state_comes_first():
    found = grown(cube(4), Judge(lambda s: sum(s) == 1), n_destinations=2)
    assert ends(found) == [(0, 0, 0, 1), (0, 0, 1, 0)]


def test_a_success_on_the_way_hides_what_contains_it():
    judge = Judge(lambda s: s[0] >= 1 or (s[1] >= 1 and s[2] >= 1))
    found = grown([ladder(0, [1, 1, 1]), ladder(1, [1]), ladder(2, [1])], judge)
    assert ends(found) == [(1, 0, 0), (0, 1, 1)]
    assert found.stopped == "exhausted"


def test_ways_do_not_lead_through_inadmissible_states():
    judge = Judge(lambda s: s == (1, 1, 0), lambda s: s not in {(1, 0, 0), (0, 1, 0)})
    assert ends(grown(cube(3), judge)) == []
    judge = Judge(lambda s: s == (1, 1, 0), lambda s: s != (1, 0, 0))
    found = grown(cube(3), judge)
    assert ends(found) == [(1, 1, 0)]
    assert [tuple(s) for s in found.states.tolist()] == [(0, 0, 0), (0, 1, 0), (1, 1, 0)]


def test_a_success_out_of_reach_hides_nothing():
    """(1, 1, 0) succeeds, but no way leads there; (1, 1, 1) does, past it."""
    judge = Judge(lambda s: s[:2] == (1, 1), lambda s: s not in {(1, 0, 0), (0, 1, 0), (0, 0, 0)})
    found = grown(cube(3), judge)
    assert ends(found) == [(1, 1, 1)]
    assert (1, 1, 0) in {tuple(s) for s in found.states.tolist()}


def test_destinations_keep_their_distance():
    judge = Judge(lambda s: sum(s) == 1 and s[0] < 2)
    ladders = [ladder(0, [0.1]), ladder(1, [0.2]), ladder(2, [0.3])]
    assert len(grown(ladders, judge, min_separation=1.4).ends) == 3
    assert len(grown(ladders, judge, min_separation=1.5).ends) == 1


def test_no_destination_takes_more_than_the_largest_number_of_steps():
    judge = Judge(lambda s: s[0] == 3 or s[1] == 1)
    ladders = [ladder(0, [0.1] * 3), ladder(1, [5.0])]
    assert ends(grown(ladders, judge, max_steps=2)) == [(0, 1)]
    assert ends(grown(ladders, judge, max_steps=3)) == [(3, 0), (0, 1)]
    assert max(sum(s) for s in judge.asked) <= 4  # 3 steps, and hulls of two destinations


def test_the_sets_of_destinations_hold_the_successes_that_contain_them():
    judge = Judge(lambda s: s[0] >= 1 or s[1] >= 1)
    found = grown([ladder(0, [1]), ladder(1, [2])], judge)
    sets = [{tuple(found.states[i]) for i in members} for members in found.destinations]
    assert sets == [{(1, 0), (1, 1)}, {(0, 1), (1, 1)}]


# Judging


def test_nothing_is_judged_twice_and_the_start_never():
    judge = Judge(lambda s: hash(s) % 97 == 0)
    found = grown([ladder(i, [1.0, 0.5, 0.3]) for i in range(7)], judge, max_states=3000)
    assert len(judge.asked) == len(set(judge.asked)) == found.n_states - 1
    assert (0,) * 7 not in judge.asked
    assert found.n_calls == len(judge.batches)


def test_batches_double():
    judge = Judge(lambda _: False)
    found = grown([ladder(i, [1.0] * 4) for i in range(8)], judge, max_states=5000)
    sizes = [len(batch) for batch in judge.batches]
    assert sizes[0] == 8  # all there is within one step
    full = [size for size in sizes if size in {FIRST_BATCH * 2**i for i in range(10)}]
    assert full == sorted(set(full))
    assert sum(sizes) + 1 == found.n_states == 5000
    assert found.stopped == "budget"
    assert not len(found.ends)


def n_calls_at_most(max_states: int, max_steps: int) -> int:
    """Every call either holds a full batch, twice the one before, or all there is one step on.

    Two more: the parts of uncertain destinations, and the hulls of all of them.
    """
    return math.ceil(math.log2(max_states / FIRST_BATCH + 1)) + max_steps + 2


@pytest.mark.parametrize("max_states", [1, 50, 300, 2000])
@pytest.mark.parametrize("rarely", [7, 50, 400])
def test_calls_are_few_and_the_budget_is_kept(max_states, rarely):
    judge = Judge(lambda s: sum(s) > 1 and hash(s) % rarely == 0)
    ladders = [ladder(i, [0.2 + i / 10, 1.0, 0.4]) for i in range(9)]
    found = grown(ladders, judge, max_states=max_states, n_destinations=10)
    assert found.n_calls == len(judge.batches) <= n_calls_at_most(max_states, 7)
    lattice = Lattice(np.zeros(9), tuple(ladders))
    ways = sum(lattice.hull_size([end]) for end in found.states[found.ends])
    tried = 10 * 2**7 if found.stopped == "budget" else 0
    assert found.n_states <= max_states + ways + max(max_states, LEAST_ROOM) + tried
    if found.stopped == "budget":
        assert len(judge.asked) >= max_states - 1


def test_one_more_call_settles_what_the_budget_left_open():
    """Three hundred likely destinations have a part that succeeds too and was not judged yet.

    Positions of the second ladder are inadmissible alone; with the first or the third they are
    not. The third is dear, so that the states with all three are judged in the same batch as it.
    """
    likely, fillers = 300, 400

    def admissible(state: State) -> bool:
        return state[1] == 0 or (state[1] <= likely and (state[0] == 1 or state[2] == 1))

    judge = Judge(lambda s: 0 < s[1] <= likely and s[2] == 1, admissible)
    costs = [1e-4 + i * 1e-7 for i in range(likely)] + [1e-3 + i * 1e-6 for i in range(fillers)]
    ladders = [ladder(0, [1e-4]), ladder(1, costs, unordered=True), ladder(2, [1.0])]
    found = grown(ladders, judge, max_states=1700, n_destinations=10)
    assert found.stopped == "budget"
    assert found.n_calls <= 5
    assert len(found.ends) == 10
    assert all(state[0] == 0 and state[2] == 1 for state in ends(found))  # the parts, not them


def test_a_destination_with_a_part_that_was_not_judged_is_not_certain():
    judge = Judge(lambda s: s[1] == 1)
    lattice = Lattice(np.zeros(2), tuple(cube(2)))
    start = Judgement(np.ones(1, dtype=bool), np.zeros(1, dtype=bool), np.array([[1.0, 0.0]]))
    register = Register(lattice, judge, start)
    whole = np.array([[1, 1]])
    register.learn(np.array([[1, 0], [1, 1]]))
    assert not _first_to_succeed(register, whole, all_judged=False, room=99)  # (0, 1) may succeed
    assert _first_to_succeed(register, whole, all_judged=True, room=99)  # (0, 1) is out of reach
    register.learn(np.array([[0, 1]]))
    assert not _first_to_succeed(register, whole, all_judged=True, room=99)  # (0, 1) does succeed
    assert _first_to_succeed(register, np.array([[0, 1]]), all_judged=False, room=99)


def test_calls_that_hold_nothing_admissible_are_no_calls_of_the_model():
    judge = Judge(lambda _: True, lambda _: False)
    found = grown(cube(3), judge)
    assert len(judge.batches) == 1
    assert found.n_calls == 0
    assert found.n_states == 4


@pytest.mark.parametrize("first_batch", [1, 2, 7])
def test_the_size_of_batches_changes_nothing(monkeypatch, first_batch):
    judge = Judge(lambda s: sum(s) > 1 and sum((i + 2) * x for i, x in enumerate(s)) % 11 == 0)
    ladders = [ladder(i, [0.3 + i / 7, 0.2, 1.1]) for i in range(4)]
    usual = grown(ladders, judge, n_destinations=6)
    monkeypatch.setattr(growth, "FIRST_BATCH", first_batch)
    found = grown(ladders, judge, n_destinations=6)
    assert ends(found) == ends(usual)
    assert found.states.tolist() == usual.states.tolist()
    assert found.n_calls >= usual.n_calls


def test_nothing_can_change():
    judge = Judge(lambda _: True)
    found = grown([], judge)
    assert found.stopped == "exhausted"
    assert (found.n_states, found.n_calls, len(found.ends)) == (1, 0, 0)
    assert judge.batches == []


# Large hulls


def test_a_long_narrow_way_does_not_ask_about_everything_beside_it():
    """Thirty steps in a fixed order: the hull has 2**30 states, the way thirty."""
    n = 30
    judge = Judge(lambda s: sum(s) == n, lambda s: list(s) == sorted(s, reverse=True))
    found = grown(cube(n), judge, max_steps=n, max_states=1000)
    assert ends(found) == [(1,) * n]
    assert len(found.states) == n + 1
    assert found.n_states <= 1000
    assert found.stopped == "budget"  # what lies beside the way was not looked at


def test_large_hulls_of_two_destinations_are_left_out():
    n = 7
    judge = Judge(
        lambda s: sum(s[:n]) == n or sum(s[n:]) == n, lambda s: not (any(s[:n]) and any(s[n:]))
    )
    found = grown(cube(2 * n), judge, max_steps=n, max_states=5000, n_destinations=2)
    assert len(found.ends) == 2
    assert found.stopped == "budget"
    assert found.n_states < 5000 < 2 ** (2 * n)
    assert len(found.states) == 2 * 2**n - 1


def test_more_states_than_63_bits_can_number():
    judge = Judge(lambda s: sum(x > 0 for x in s) >= 2)
    ladders = [ladder(i, [0.1 * (i + 1)] * 8, unordered=True) for i in range(30)]
    found = grown(ladders, judge, max_states=600, n_destinations=4)
    assert found.n_states >= 240
    assert all(sum(x > 0 for x in state) == 2 for state in ends(found))
    assert len(found.ends) == 4
    assert found.graph.costs.nnz > 8


# The graph


def test_the_graph_has_every_single_action_both_ways_where_allowed():
    judge = Judge(lambda s: s[0] == 2 or s[1] == 1)
    prices = Prices(np.array([1.0, 2.0]), np.array([3.0, np.inf]))
    found = grown([ladder(0, [1, 1]), ladder(1, [2])], judge, prices)
    states = [tuple(s) for s in found.states.tolist()]
    assert states == sorted(product(range(3), range(2)))
    expected = {}
    for a, b in product(states, states):
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 and not b[1] < a[1]:
            up = (b[0] > a[0]) * 1.0 + (b[1] > a[1]) * 2.0
            expected[a, b] = up or 3.0
    matrix = found.graph.costs.tocoo()
    edges = zip(*(each.tolist() for each in (*matrix.coords, matrix.data)), strict=True)
    assert {(states[u], states[v]): cost for u, v, cost in edges} == expected


def one_hot_world(direct: float, first: float, second: float) -> tuple[list[Ladder], Prices]:
    """Values a, b, c of one category (from a), and a yes or no that costs 1."""
    table = np.array([[0, first, direct], [1.0, 0, second], [1.0, 1.0, 0]])
    values = np.eye(3)
    costs = np.array([0, first, direct]) * math.sqrt(2)
    category = Ladder(("x",), np.arange(3), values, np.array([-1, 0, 0]), costs, unordered=True)
    yes = Ladder(
        ("y",), np.array([3]), np.array([[0.0], [1.0]]), np.array([-1, 0]), np.array([0, 1.0])
    )
    zeros = np.array([0.0, 0, 0, 1])
    return [category, yes], Prices(zeros, zeros, (Block(slice(0, 3), table),))


class OneHotJudge(Judge):
    def __call__(self, points: np.ndarray) -> Judgement:
        states = np.column_stack([points[:, :3].argmax(axis=1), points[:, 3]])
        return super().__call__(states)


@pytest.mark.parametrize(
    ("direct", "step"), [(10, 9), (2, 1), (1.5, 1)], ids=["dear", "as dear", "cheaper"]
)
def test_no_detour_through_another_value_undercuts_the_direct_change(direct, step):
    ladders, prices = one_hot_world(direct, 1.0, 1.0)
    judge = OneHotJudge(lambda s: s[0] == 2 or s == (1, 1))
    lattice = Lattice(np.array([1.0, 0, 0, 0]), tuple(ladders))
    start = Judgement(np.ones(1, dtype=bool), np.zeros(1, dtype=bool), np.array([[1.0, 0.0]]))
    found = grow(lattice, prices, judge, start, n_destinations=3, max_steps=7, max_states=500)
    states = [tuple(s) for s in found.states.tolist()]
    assert set(ends(found)) == {(2, 0), (1, 1)}
    cost = found.graph.edge_cost
    assert cost(0, states.index((2, 0))) == pytest.approx(direct * math.sqrt(2))
    assert cost(states.index((1, 0)), states.index((2, 0))) == pytest.approx(step * math.sqrt(2))
    assert cost(states.index((2, 0)), states.index((1, 0))) == pytest.approx(math.sqrt(2))


# Against looking at everything


@st.composite
def small_worlds(draw: st.DrawFn) -> tuple[list[Ladder], Judge, dict[str, Any]]:
    prices = st.sampled_from([0.0, 0.5, 1.0, 1.0, 0.3, 2.7])
    ladders = []
    for column in range(draw(st.integers(1, 4))):
        costs = draw(st.lists(prices, min_size=1, max_size=3))
        ladders.append(ladder(column, costs, unordered=draw(st.booleans())))
    seed = draw(st.integers(0, 2**32 - 1))
    often, open_ = draw(st.sampled_from([0.05, 0.2, 0.5])), draw(st.sampled_from([0.5, 0.8, 1.0]))
    sizes = [len(each) for each in ladders]
    rng = np.random.default_rng(seed)
    success, admissible = rng.random(sizes) < often, rng.random(sizes) < open_
    judge = Judge(lambda s: success[s], lambda s: admissible[s])
    options = {
        "n_destinations": draw(st.integers(1, 6)),
        "max_steps": draw(st.integers(1, 7)),
        "max_states": draw(st.sampled_from([1, 2, 5, 12, 40, 5000])),
    }
    return ladders, judge, options


def slow_minimal(lattice: Lattice, judge: Judge, max_steps: int) -> list[State]:
    """Minimal first successes of all outward ways, cheapest first."""
    found, seen = set(), set()
    frontier: list[State] = [tuple(lattice.start[0].tolist())]
    for _ in range(max_steps):
        children = lattice.children(np.array(frontier).reshape(-1, len(lattice.ladders)))
        farther = {tuple(s) for s in children.tolist()} - seen
        seen |= farther
        frontier = [s for s in farther if judge.admissible(s)]
        found |= {s for s in frontier if judge.succeeds(s)}
        frontier = [s for s in frontier if not judge.succeeds(s)]

    def is_part(part: State, whole: State) -> bool:
        sides = zip(lattice.ladders, part, whole, strict=True)
        return all(p in each.climb(w) for each, p, w in sides)

    kept = [s for s in found if not any(is_part(t, s) for t in found - {s})]
    return sorted(kept, key=lambda s: (lattice.costs(np.array([s]))[0], s))


@settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
@given(small_worlds(), st.sampled_from([1, 3, FIRST_BATCH]))
def test_whatever_the_batches_and_the_budget_destinations_are_minimal(world, first_batch):
    ladders, judge, options = world
    lattice = Lattice(np.zeros(len(ladders)), tuple(ladders))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth, "FIRST_BATCH", first_batch)
        found = grown(ladders, judge, **options)
    expected = slow_minimal(lattice, judge, options["max_steps"])
    assert len(judge.asked) == len(set(judge.asked)) == found.n_states - 1
    if found.stopped == "budget":
        assert set(ends(found)) <= set(expected)
        assert found.n_states >= options["max_states"]
    else:
        assert ends(found) == expected[: options["n_destinations"]]
        assert (found.stopped == "enough") == (len(found.ends) == options["n_destinations"])


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(small_worlds())
def test_a_larger_budget_finds_no_fewer_cheap_destinations(world):
    """What was found below the certain cost is found again with more states."""
    ladders, judge, options = world
    lattice = Lattice(np.zeros(len(ladders)), tuple(ladders))
    small = grown(ladders, judge, **options)
    large = grown(ladders, judge, **{**options, "max_states": 100_000})
    assert large.stopped != "budget"
    assert len(large.ends) >= min(len(small.ends), options["n_destinations"])
    if len(small.ends) and small.stopped != "budget":
        costs = [lattice.costs(each.states[each.ends]).tolist() for each in (small, large)]
        assert costs[0] == costs[1]


def test_what_the_model_said_of_every_plausible_state_is_kept():
    judge = Judge(lambda s: s[0] == 1, lambda s: s[1] == 0)
    found = grown([ladder(0, [1, 1]), ladder(1, [1])], judge)
    assert ends(found) == [(1, 0)]
    assert found.probabilities.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert found.n_states == 3
