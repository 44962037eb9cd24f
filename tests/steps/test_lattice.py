"""The lattice of states: positions on ladders, their numbers, parts and hulls."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift.steps.lattice import Lattice
from facelift.terrain.ladder import Ladder


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


def test_numbers_beyond_64_bits_keep_the_same_order():
    small = Lattice(np.zeros(4), tuple(star(8, i) for i in range(4)))
    large = Lattice(np.zeros(30), tuple(star(8, i) for i in range(30)))
    assert small.radices.dtype == np.int64
    assert large.radices.dtype == object
    states = np.random.default_rng(0).integers(0, 9, (50, 30))
    states[1] = 8  # the last of all
    keys = large.keys(states)
    assert keys[1] == 9**30 - 1
    assert max(keys) > 2**64
    order = np.argsort(keys, kind="stable")
    assert order.tolist() == np.lexsort(states.T[::-1]).tolist()


@pytest.mark.parametrize(("n_ladders", "dtype"), [(61, np.int64), (62, object), (63, object)])
def test_the_largest_number_decides_how_numbers_are_held(n_ladders, dtype):
    lattice = Lattice(np.zeros(n_ladders), tuple(star(1, i) for i in range(n_ladders)))
    assert lattice.radices.dtype == dtype
    last = np.ones((1, n_ladders), dtype=np.int64)
    assert int(lattice.keys(last)[0]) == 2**n_ladders - 1


@given(lattices())
def test_children_are_all_states_one_action_farther(lattice):
    for state in all_states(lattice):
        expected = [
            (*state[:i], position, *state[i + 1 :])
            for i, ladder in enumerate(lattice.ladders)
            for position in range(len(ladder))
            if ladder.parents[position] == state[i]
        ]
        found = [tuple(child) for child in lattice.children(state[np.newaxis, :]).tolist()]
        assert sorted(found) == sorted(expected)
        steps = lattice.n_steps(state[np.newaxis, :])[0]
        children = lattice.children(state[np.newaxis, :])
        assert (lattice.n_steps(children) == steps + 1).all()


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
        wholes = np.repeat(whole[np.newaxis, :], len(states), axis=0)
        parts = {tuple(state) for state in states[lattice.parts(wholes, states)].tolist()}
        assert parts == passed
        assert {tuple(state) for state in lattice.hull([whole]).tolist()} == passed


@given(lattices(), st.data())
def test_the_hull_of_some_ends_mixes_the_ways_to_them(lattice, data):
    states = all_states(lattice)
    places = st.integers(0, len(states) - 1)
    ends = states[data.draw(st.lists(places, min_size=1, max_size=3))]
    hull = lattice.hull(ends)
    assert len(hull) == lattice.hull_size(ends) == len(np.unique(hull, axis=0))
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


@given(lattices(), st.data())
def test_moves_are_the_single_actions_among_the_positions_there_are(lattice, data):
    states = all_states(lattice)
    chosen = states[data.draw(st.lists(st.integers(0, len(states) - 1), min_size=1, max_size=6))]
    expected = {
        (i, p, q)
        for i, ladder in enumerate(lattice.ladders)
        for p in chosen[:, i].tolist()
        for q in chosen[:, i].tolist()
        if p != q and (ladder.unordered or ladder.parents[q] == p or ladder.parents[p] == q)
    }
    found = lattice.moves(chosen)
    assert set(found) == expected
    assert len(found) == len(expected)


def test_where_nothing_can_change_there_is_one_state():
    lattice = Lattice(np.array([0.5, 1.0]), ())
    assert lattice.start.shape == (1, 0)
    assert lattice.keys(lattice.start).tolist() == [0]
    assert lattice.children(lattice.start).shape == (0, 0)
    assert lattice.points(lattice.start).tolist() == [[0.5, 1.0]]
    assert lattice.costs(lattice.start).tolist() == [0]
    assert lattice.hull(lattice.start).shape == (1, 0)
    assert lattice.parts(lattice.start, lattice.start).tolist() == [True]
