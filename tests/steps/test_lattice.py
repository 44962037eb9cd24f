"""The lattice of states: positions on ladders, their numbers, parts and hulls."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift.steps.lattice import Ladder, Lattice, numbering


def arms(up: int, down: int, column: int = 0, cost: float = 1.0) -> Ladder:
    """A ladder of an ordered feature: levels above and below the start."""
    parents = [-1, *range(up), *([0] if down else []), *range(up + 1, up + down)]
    values = [0.0, *range(1, up + 1), *range(-1, -down - 1, -1)]
    costs = [0.0, *[cost] * (up + down)]
    return Ladder(
        (f"x{column}",),
        np.array([column]),
        np.array(values, dtype=float)[:, np.newaxis],
        np.array(parents),
        np.array(costs),
    )


def star(n_values: int, column: int = 0, cost: float = 1.0) -> Ladder:
    """A ladder of a categorical feature with so many other values."""
    return Ladder(
        (f"x{column}",),
        np.array([column]),
        np.arange(n_values + 1.0)[:, np.newaxis],
        np.array([-1] + [0] * n_values),
        np.array([0.0] + [cost] * n_values),
        unordered=True,
    )


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    made = []
    for column in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            made.append(star(draw(st.integers(1, 3)), column, column + 0.5))
        else:
            up = draw(st.integers(0, 2))
            made.append(arms(up, draw(st.integers(0 if up else 1, 2)), column, 2.0**-column))
    return Lattice(np.zeros(len(made)), tuple(made))


def all_states(lattice: Lattice) -> np.ndarray:
    sizes = [range(len(ladder)) for ladder in lattice.ladders]
    return np.array(list(product(*sizes)), dtype=np.int64)


@given(lattices())
def test_states_are_numbered_in_their_lexicographic_order(lattice):
    states = all_states(lattice)
    assert lattice.keys(states).tolist() == list(range(len(states)))


def test_exact_numbers_beyond_64_bits_keep_the_same_order():
    large = Lattice(np.zeros(30), tuple(star(8, i) for i in range(30)))
    states = np.random.default_rng(0).integers(0, 9, (50, 30))
    states[1] = 8  # the last of all
    numbers = states @ numbering(large)
    assert numbers[1] == 9**30 - 1
    assert np.argsort(numbers, kind="stable").tolist() == np.lexsort(states.T[::-1]).tolist()


@pytest.mark.parametrize("n_ladders", [61, 62, 63, 200])
def test_keys_tell_states_apart_however_many_there_are(n_ladders):
    lattice = Lattice(np.zeros(n_ladders), tuple(star(1, i) for i in range(n_ladders)))
    states = np.unique(np.random.default_rng(0).integers(0, 2, (5000, n_ladders)), axis=0)
    keys = lattice.keys(states)
    assert len(np.unique(keys)) == len(states)
    assert keys.min() >= 0 == lattice.keys(lattice.start)[0]
    moved, more = states.copy(), 1 - states[:, 5]
    moved[:, 5] = 1
    assert (lattice.shifted(keys, 5, more) == lattice.keys(moved)).all()


@given(lattices())
def test_a_part_is_a_state_that_some_way_to_the_whole_passes(lattice):
    states = all_states(lattice)
    for whole in states:
        # Walk back from the whole, one action at a time.
        passed, frontier = {tuple(whole)}, [tuple(whole)]
        while frontier:
            back = {
                (*s[:i], int(ladder.parents[s[i]]), *s[i + 1 :])
                for s in frontier
                for i, ladder in enumerate(lattice.ladders)
                if s[i]
            }
            frontier = list(back - passed)
            passed |= back
        parts = {tuple(state) for state in states[lattice.is_part(states, whole)].tolist()}
        assert parts == passed
        assert parts == {
            tuple(s) for s in states.tolist() if lattice.parts(whole[None], np.array(s))
        }
        assert {tuple(state) for state in lattice.box(lattice.ways([whole])).tolist()} == passed


@given(lattices(), st.data())
def test_the_box_of_some_ends_mixes_the_ways_to_them(lattice, data):
    states = all_states(lattice)
    places = st.integers(0, len(states) - 1)
    ends = states[data.draw(st.lists(places, min_size=1, max_size=3))]
    hull = lattice.box(lattice.ways(ends))
    assert len(hull) == len(np.unique(hull, axis=0))
    for i in range(len(lattice.ladders)):
        passed = {p for end in ends for p in lattice.ladders[i].climb(int(end[i]))}
        assert set(hull[:, i].tolist()) == passed
    assert lattice.keys(lattice.start)[0] in lattice.keys(hull)


@given(lattices())
def test_cost_and_steps_add_up_over_the_ladders(lattice):
    states = all_states(lattice)
    costs = [
        sum(ladder.costs[p] for ladder, p in zip(lattice.ladders, state, strict=True))
        for state in states
    ]
    assert lattice.costs(states).tolist() == costs
    points = lattice.points(states)
    assert points.shape == (len(states), len(lattice.point))
    assert len(np.unique(points, axis=0)) == len(states)


def test_where_nothing_can_change_there_is_one_state():
    lattice = Lattice(np.array([0.5, 1.0]), ())
    assert lattice.start.shape == (1, 0)
    assert lattice.keys(lattice.start).tolist() == [0]
    assert lattice.points(lattice.start).tolist() == [[0.5, 1.0]]
    assert lattice.costs(lattice.start).tolist() == [0]
    assert lattice.box([]).shape == (1, 0)
    assert lattice.parts(lattice.start, lattice.start[0]).tolist() == [True]
