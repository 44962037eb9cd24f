"""Proposers find ways where growing outward runs out of states, and never a forbidden one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift.steps.lattice import Lattice, ladders
from facelift.steps.proposers import (
    Ascent,
    Reach,
    UniformCost,
    lower_states,
    nearest_states,
    single_changes,
)
from facelift.steps.register import Judge, Register

N_COLUMNS = 14


def far_world(seed: int = 0) -> tuple[pd.DataFrame, object]:
    """Many columns, and an outcome that takes four changes: far beyond the cheapest states."""
    rng = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(N_COLUMNS)]
    X = pd.DataFrame(rng.integers(0, 6, size=(900, N_COLUMNS)).astype(float), columns=names)

    def model(rows: pd.DataFrame) -> np.ndarray:
        score = rows[["c0", "c3", "c7", "c9"]].to_numpy(dtype=float).sum(axis=1)
        chance = 1 / (1 + np.exp(-(score - 13.5)))
        return np.column_stack([1 - chance, chance])

    return X, model


@pytest.fixture(scope="module")
def world():
    X, model = far_world()
    explainer = fl.FACElift(
        model, steps="actions", plausibility=1.0, max_states=400, max_steps=20
    ).fit(X)
    score = X[["c0", "c3", "c7", "c9"]].sum(axis=1)
    return X, model, explainer, X[score < 4].head(6)


def test_people_beyond_the_budget_get_a_way(world):
    _, _, explainer, cases = world
    for multiverse in explainer.explain_many(cases, 1):
        assert multiverse.survey.stopped == "budget"
        assert len(multiverse) > 0
        assert multiverse[0].chances[-1] >= 0.5
        assert (multiverse[0].chances[:-1] < 0.5).all()


def test_what_climbing_finds_cannot_be_made_cheaper_by_taking_one_change_back(world):
    X, model, explainer, cases = world
    for i in range(len(cases)):
        journey = explainer.explain(cases.iloc[[i]], 1)[0]
        start, end = journey.rows.iloc[0], journey.rows.iloc[-1]
        for name in X.columns[(start != end).to_numpy()]:
            without = end.copy()
            without[name] = start[name]
            assert model(without.to_frame().T)[0, 1] < 0.5


def test_climbing_keeps_the_rules(world):
    X, model, _, cases = world
    terrain = fl.Terrain.infer(X).freeze("c0").increase_only("c3", "c7", "c9").require("c7 <= 4")
    explainer = fl.FACElift(model, terrain, steps="actions", plausibility=1.0, max_states=300)
    for multiverse in explainer.fit(X).explain_many(cases[cases["c7"] <= 4], 1):
        for journey in multiverse:
            rows = journey.rows
            assert (rows["c0"] == rows["c0"].iloc[0]).all()
            assert (rows["c7"] <= 4).all()
            assert (np.diff(rows[["c3", "c7", "c9"]], axis=0) >= 0).all()


def test_a_limit_on_steps_holds_for_climbing_too(world):
    X, model, _, cases = world
    explainer = fl.FACElift(
        model, steps="actions", plausibility=1.0, max_states=300, max_steps=5
    ).fit(X)
    for multiverse in explainer.explain_many(cases, 1):
        assert all(journey.n_steps <= 5 for journey in multiverse)


def test_who_is_rarer_than_most_may_pass_through_states_as_rare():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(0, 1, 300).round(1), "b": rng.normal(0, 1, 300).round(1)})
    X.loc[300] = [6.0, -6.0]

    def model(rows: pd.DataFrame) -> np.ndarray:
        good = (rows["b"].to_numpy() > -3.0).astype(float)
        return np.column_stack([1 - good, good])

    explainer = fl.FACElift(model, steps="actions").fit(X)
    multiverse = explainer.explain(X.iloc[[300]], 1)
    assert len(multiverse) > 0
    assert multiverse[0].rarity[0] > 1
    assert (multiverse[0].rarity <= multiverse[0].rarity[0] * (1 + 1e-8)).all()


def test_single_changes_and_lower_states_are_all_there_are():
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": ["u", "v", "w"]})
    terrain = fl.Terrain.infer(X)
    point = terrain.point(X.iloc[0])
    lattice = Lattice(point, tuple(ladders(terrain, point)))
    assert len(single_changes(lattice, lattice.start)) == 4
    both = np.array([[2, 1]])
    assert {tuple(state) for state in lower_states(lattice, both).tolist()} == {
        (0, 1),
        (1, 1),
        (2, 0),
    }


class Nothing:
    """A register in which nothing was accepted."""

    accepted = ()


@pytest.mark.parametrize("batch", [1, 7, 256])
@pytest.mark.parametrize("max_steps", [1, 2, 9])
def test_growing_outward_proposes_every_state_once_the_cheapest_first(
    monkeypatch, batch, max_steps
):
    monkeypatch.setattr("facelift.steps.proposers.FIRST_BATCH", batch)
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 5.0], "b": list("uvwu"), "c": [3.0, 1.0, 2.0, 2.0]})
    terrain = fl.Terrain.infer(X).forbid("b", "u", "w")
    point = terrain.point(X.iloc[0])
    lattice = Lattice(point, tuple(ladders(terrain, point)))
    every = lattice.box([range(len(ladder)) for ladder in lattice.ladders])[1:]
    every = every[lattice.n_steps(every) <= max_steps]
    outward = UniformCost(lattice, max_steps=max_steps, max_states=10_000)
    found = []
    while outward.radius < np.inf:
        radius, states = outward.radius, outward.propose(Nothing())
        assert (lattice.costs(states) >= radius * (1 - 1e-9)).all()
        found += map(tuple, states.tolist())
    assert len(found) == len(set(found))
    assert set(found) == set(map(tuple, every.tolist()))


def test_growing_outward_keeps_its_budget_and_says_how_far_it_came():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 6)).round(1))
    terrain = fl.Terrain.infer(X)
    point = terrain.point(X.iloc[0])
    lattice = Lattice(point, tuple(ladders(terrain, point)))
    outward = UniformCost(lattice, max_steps=7, max_states=700)
    found = np.concatenate([outward.propose(Nothing()) for _ in range(4)])
    assert len(found) == 700
    every = lattice.box([range(len(ladder)) for ladder in lattice.ladders])[1:]
    cheap = every[lattice.costs(every) < outward.radius]
    assert len(cheap) > 350
    assert np.isin(lattice.keys(cheap), lattice.keys(found)).all()


def test_records_are_put_on_the_nearest_levels_that_the_rules_allow():
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": ["u", "v", "w", "u"]})
    terrain = fl.Terrain.infer(X).increase_only("a").forbid("b", "v", "w")
    point = terrain.point(X.iloc[1])
    lattice = Lattice(point, tuple(ladders(terrain.freeze("b"), point)))
    states = nearest_states(lattice, np.asarray(terrain.encode(X)))
    assert lattice.points(states)[:, 0].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1])


def test_climbing_goes_on_where_all_that_gains_most_is_implausible():
    X = pd.DataFrame({f"c{i:02}": [0.0, 1.0] for i in range(20)})
    terrain = fl.Terrain.infer(X)
    point = terrain.point(X.iloc[0])
    lattice = Lattice(point, tuple(ladders(terrain, point)))
    gains = np.arange(20, 0, -1.0)  # the last column gains least, and is alone plausible

    def alone(points: np.ndarray) -> np.ndarray:
        return (points[:, :-1] == 0).all(axis=1)

    def answers(points: np.ndarray) -> np.ndarray:
        return (points @ gains)[:, np.newaxis]

    judge = Judge(
        allowed=lambda points: np.ones(len(points), dtype=bool),
        answers=answers,
        merits=lambda found: found[:, 0],
        wins=lambda points, _: np.zeros(len(points), dtype=bool),
        plausible=alone,
    )
    register = Register(lattice, judge, answers(point[np.newaxis])[0], max_steps=7)
    ascent = Ascent(lattice, width=2)
    register.ask(ascent.propose(register))
    ascent.propose(register)
    assert ascent.beam.tolist() == [[0] * 19 + [1]]


def reach_of(register, width):
    """A reach that was asked until it had nothing more to propose."""
    reach = Reach(register.lattice, width=width)
    while len(states := reach.propose(register)):
        register.ask(states)
        register.likely(1)
    return reach


def corridor(*, end: bool) -> Register:
    """One way alone is plausible, through changes that gain hardly anything until the last."""
    n = 6
    X = pd.DataFrame({f"c{i}": [0.0, 1.0] for i in range(n)})
    terrain = fl.Terrain.infer(X)
    point = terrain.point(X.iloc[0])
    lattice = Lattice(point, tuple(ladders(terrain, point)))

    def answers(points: np.ndarray) -> np.ndarray:
        done = points.sum(axis=1)
        return np.where(done == n, 1.0 if end else 0.4, done / 100 + points[:, -1] / 10)[:, None]

    judge = Judge(
        allowed=lambda points: np.ones(len(points), dtype=bool),
        answers=answers,
        merits=lambda found: found[:, 0],
        wins=lambda _, found: found[:, 0] >= 0.5,
        plausible=lambda points: (np.diff(points, axis=1) <= 0).all(axis=1),
    )
    return Register(lattice, judge, answers(point[np.newaxis])[0], max_steps=7)


def test_reaching_finds_the_only_way_that_is_plausible():
    register = corridor(end=True)
    reach_of(register, width=1)
    assert register.incumbents(1).tolist() == [[1] * 6]
    assert not register.in_reach


def test_reaching_knows_when_it_has_seen_all_that_can_be_got_to():
    register = corridor(end=False)
    reach_of(register, width=1)
    assert register.in_reach == 7


def test_reaching_that_left_something_out_proves_nothing():
    register = corridor(end=False)
    everything = register.judge.__dict__ | {"plausible": register.judge.allowed}
    wide = Register(
        register.lattice, Judge(**everything), register.answers[0], max_steps=register.max_steps
    )
    reach_of(wide, width=3)
    assert not wide.in_reach
    short = Register(register.lattice, register.judge, register.answers[0], max_steps=3)
    reach_of(short, width=1)
    assert short.in_reach == 4  # of at most three steps, which is what is said
