"""Proofs against enumeration of every state, HiGHS, and treecf; and bounds that are sabotaged."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise, product
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.laws import examples

from facelift.errors import InvalidInput
from facelift.models.proving import Levels, Problem
from facelift.models.proving import search as searching
from facelift.models.proving.certificate import ProofCertificate, _Lattice
from facelift.models.proving.reading import Score, read
from facelift.models.proving.search import Search
from facelift.models.proving.trees import Trees, joined

CLOSE = 1e-9


def cheapest(problem, **limits):
    return Search(problem, **limits).run()


def random_tree(rng, n_columns, depth, grid):
    """A tree that splits at random, whose leaves are whole multiples of 1/8 or any number."""
    columns, thresholds, left, right, values = [], [], [], [], []

    def grow(level):
        place = len(columns)
        split = level > 0 and rng.random() < 0.85
        columns.append(int(rng.integers(n_columns)) if split else -1)
        thresholds.append(float(rng.integers(4)) + 0.5)
        values.append(float(np.round(rng.normal() * 8) / 8 if grid else rng.normal()))
        left.append(0)
        right.append(0)
        if split:
            left[place], right[place] = grow(level - 1), grow(level - 1)
        return place

    grow(depth)
    n = len(columns)
    nothing = np.zeros(n, dtype=bool)
    as_ints = [np.array(each, dtype=np.int64) for each in (columns, left, right)]
    values = np.array(values)[:, np.newaxis]
    return Trees(
        np.zeros(1, np.int64),
        as_ints[0],
        np.array(thresholds),
        *as_ints[1:],
        values,
        nothing,
        nothing,
    )


def random_problem(seed):
    """A small lattice: up to six ladders of up to four levels, one column more that stays."""
    rng = np.random.default_rng(seed)
    n_ladders, grid = int(rng.integers(1, 7)), bool(rng.random() < 0.5)
    factual = rng.integers(0, 5, n_ladders + 1).astype(float)
    levels = []
    for i in range(n_ladders):
        k = int(rng.integers(2, 5))
        inputs = np.tile(factual, (k, 1))
        inputs[1:, i] = rng.permutation(5)[: k - 1]
        costs = np.round(rng.random(k) * 4, 1) if grid else rng.random(k) * 3
        costs[0] = 0.0
        levels.append(Levels(inputs, costs))
    if rng.random() < 0.25:
        score = Score(0.1, 0.0, weights=np.round(rng.normal(size=n_ladders + 1), 2))
    else:
        depth, n_trees = int(rng.integers(1, 6)), int(rng.integers(1, 25))
        trees = joined([random_tree(rng, n_ladders + 1, depth, grid) for _ in range(n_trees)])
        score = Score(0.25, 0.0, trees=trees)
    _, _, scores = all_states(Problem.of(score, factual, levels))
    reached = (
        rng.choice(np.unique(scores[scores >= scores[0]])) + (rng.random() < 0.1) * 100
    )  # or by nobody
    return Problem.of(replace(score, least=float(reached) - 1e-12), factual, levels)


def all_states(problem):
    states = np.array(list(product(*(range(len(each)) for each in problem.levels))))
    return states, problem.cost(states), problem.score.values(problem.inputs(states))


def best_of(problem, allowed=None):
    states, costs, scores = all_states(problem)
    good = scores >= problem.score.least
    if allowed is not None:
        good &= allowed(states)
    return costs[good].min(initial=np.inf)


@given(st.integers(0, 10**9))
@settings(max_examples=examples(300), deadline=None)
def test_the_cheapest_success_is_that_of_an_enumeration(seed):
    problem = random_problem(seed)
    proof, best = cheapest(problem), best_of(problem)
    assert proof.proven
    assert proof.cost == pytest.approx(best, rel=CLOSE, abs=1e-12)
    if proof.state is not None:
        state = proof.state[np.newaxis]
        assert problem.score.values(problem.inputs(state))[0] >= problem.score.least
        assert problem.cost(state)[0] == proof.cost


@given(st.integers(0, 10**9), st.integers(0, 3000))
@settings(max_examples=examples(200), deadline=None)
def test_a_bound_holds_wherever_the_search_stops(seed, work):
    problem = random_problem(seed)
    search, best = Search(problem), best_of(problem)
    for _ in range(4):
        proof = search.run(work)
        assert proof.bound <= best * (1 + CLOSE) + 1e-12
        assert proof.cost >= best * (1 - CLOSE)
        assert not proof.proven or proof.cost == pytest.approx(best, rel=CLOSE, abs=1e-12)


@given(st.integers(0, 10**9))
@settings(max_examples=examples(200), deadline=None)
def test_what_the_caller_rejects_is_left_out(seed):
    problem = random_problem(seed)

    def allowed(states):
        return states.sum(axis=1) % 3 != 1

    proof = cheapest(problem, accept=allowed)
    assert proof.proven
    assert proof.cost == pytest.approx(best_of(problem, allowed), rel=CLOSE, abs=1e-12)


@given(st.integers(0, 10**9), st.floats(0.0, 6.0))
@settings(max_examples=examples(100), deadline=None)
def test_a_limit_is_proven_too(seed, limit):
    problem = random_problem(seed)
    proof, best = cheapest(problem, limit=limit), best_of(problem)
    assert proof.proven
    if best < limit * (1 - CLOSE):
        assert proof.cost == pytest.approx(best, rel=CLOSE, abs=1e-12)
    elif best > limit * (1 + CLOSE):
        assert proof.state is None
        assert proof.bound == min(limit, problem.most)


@given(st.integers(0, 10**9))
@settings(max_examples=examples(150), deadline=None)
def test_boxes_alone_find_the_cheapest_success(seed):
    """Without a first success to start from, and without looking near what shares choose."""
    problem = random_problem(seed)
    search = Search(problem)
    search._descend = lambda _: None
    proof = search.run()
    assert proof.proven
    assert proof.cost == pytest.approx(best_of(problem), rel=CLOSE, abs=1e-12)


def test_a_bound_that_is_too_high_is_noticed(monkeypatch):
    """Sabotage: bounds are raised by a hundredth of the limit, and enumeration contradicts them."""

    def wrong(seed):
        problem = random_problem(seed)
        search = Search(problem)
        search._descend = lambda _: None
        proof = search.run()
        return proof.cost > best_of(problem) * (1 + CLOSE)

    assert not any(wrong(seed) for seed in range(150))
    true = searching._Box.raise_to
    monkeypatch.setattr(
        searching._Box, "raise_to", lambda box, bound, *more: true(box, bound * 1.3, *more)
    )
    assert any(wrong(seed) for seed in range(150))


def test_two_ladders_cannot_move_one_column():
    inputs = np.array([[0.0], [1.0]])
    levels = Levels(inputs, np.array([0.0, 1.0]))
    with pytest.raises(InvalidInput, match="the same column"):
        Problem.of(Score(0.0, 1.0, weights=np.ones(1)), np.zeros(1), [levels, levels])


def test_nothing_to_change_is_proven_at_once():
    reached = cheapest(Problem.of(Score(2.0, 1.0, weights=np.ones(1)), np.zeros(1), []))
    assert (reached.cost, reached.proven, reached.state.tolist()) == (0.0, True, [])
    never = cheapest(Problem.of(Score(0.0, 1.0, weights=np.ones(1)), np.zeros(1), []))
    assert (never.state, never.proven) == (None, True)


def test_the_same_search_gives_the_same_to_the_last_digit():
    for seed in range(20):
        first, second = (cheapest(random_problem(seed)) for _ in range(2))
        assert (first.cost, first.bound, first.work) == (second.cost, second.bound, second.work)


def cancer(n_trees):
    """People of a table of 30 numbers with five levels each, whom boosting takes for ill."""
    data = load_breast_cancer()
    model = GradientBoostingClassifier(n_estimators=n_trees, random_state=0)
    model.fit(data.data, data.target)
    reading = read(model, data.data)
    score = reading.towards([1], 0.5)
    spans = np.ptp(data.data, axis=0)
    stops = np.quantile(data.data, np.linspace(0.1, 0.9, 5), axis=0)
    people = data.data[model.predict(data.data) == 0][::25]
    return [moved_to(score, person, stops, 1 / spans) for person in people]


def moved_to(score, person, stops, prices):
    levels = []
    for i, own in enumerate(person):
        values = np.append(own, stops[:, i][stops[:, i] != own])
        inputs = np.tile(person, (len(values), 1))
        inputs[:, i] = values
        levels.append(Levels(inputs, np.abs(values - own) * prices[i]))
    return Problem.of(score, person, levels)


def by_highs(problem):
    """The least cost by integer programming: levels are chosen, each tree has one leaf."""
    proof = ProofCertificate(1e9, problem.cells, {}, (), np.zeros((0, len(problem.levels)), int))
    whole = _Lattice(problem.score, problem.factual, problem.levels, proof)
    n_levels, n_leaves = len(whole.costs), len(whole.values)
    one_level = np.array(
        [[part.start <= c < part.stop for c in range(n_levels)] for part in whole.parts]
    )
    rows = [np.hstack([one_level, np.zeros((len(one_level), n_leaves))])]
    least, most = [np.ones(len(one_level))], [np.ones(len(one_level))]
    for start, stop in pairwise(whole.at):
        row = np.zeros((1, n_levels + n_leaves))
        row[0, n_levels + start : n_levels + stop] = 1
        rows.append(row), least.append([1]), most.append([1])
        for f in range(start, stop):
            for part in whole.parts:
                if not whole.leaves[f, part].all():
                    row = np.zeros((1, n_levels + n_leaves))
                    row[0, part] = -1.0 * whole.leaves[f, part]
                    row[0, n_levels + f] = 1
                    rows.append(row), least.append([-np.inf]), most.append([0])
    rows.append(np.append(np.zeros(n_levels), whole.values)[np.newaxis])
    least.append([problem.score.least - whole.base]), most.append([np.inf])
    answer = milp(
        np.append(whole.costs, np.zeros(n_leaves)),
        integrality=np.append(np.ones(n_levels), np.zeros(n_leaves)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.vstack(rows), np.concatenate(least), np.concatenate(most)),
        options={"mip_rel_gap": 0.0},
    )
    return answer.fun


def test_highs_finds_nothing_cheaper():
    problems = cancer(n_trees=15)
    assert len(problems) > 5
    for problem in problems:
        proof = cheapest(problem)
        assert proof.proven
        assert proof.cost == pytest.approx(by_highs(problem), rel=1e-5)


def test_treecf_finds_nothing_cheaper():
    treecf = pytest.importorskip("treecf")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (600, 6)).astype(float)
    y = X[:, 0] + X[:, 1] * (X[:, 2] > 2) - X[:, 3] + rng.normal(size=600) > 3
    model = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(X, y)
    score = read(model, X).towards([1], 0.5)
    names = [f"f{i}" for i in range(6)]
    explainer = treecf.Explainer(
        model,
        constraints=[treecf.Range(name, 0.0, 5.0) for name in names],
        normalizers=np.ones(6),
        value_policy=dict.fromkeys(names, "integer"),
    )
    target = treecf.Target.probability(op=">=", value=0.5)
    stops = np.repeat(np.arange(6.0)[:, np.newaxis], 6, axis=1)
    for person in X[model.predict_proba(X)[:, 1] < 0.5][:25]:
        proof = cheapest(moved_to(score, person, stops, np.ones(6)))
        found = explainer.explain(person, target, "exact", seed=0)
        assert found.proof == "optimal"
        assert proof.proven
        assert proof.cost == pytest.approx(found.distance)


def fitted_models(seed):
    """Small models of all kinds that can be read, fitted to the same table of few values."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (300, 5)).astype(float)
    y = X[:, 0] * (X[:, 1] > 1) - X[:, 2] + 0.5 * X[:, 3] + rng.normal(size=300) > 2
    made = [
        DecisionTreeClassifier(max_depth=5, random_state=seed),
        RandomForestClassifier(15, random_state=seed),
        GradientBoostingClassifier(n_estimators=20, random_state=seed),
        HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ]
    if find_spec("xgboost"):
        made.append(import_module("xgboost").XGBClassifier(n_estimators=20, n_jobs=1))
    if find_spec("lightgbm"):
        boosting = import_module("lightgbm").LGBMClassifier
        made.append(boosting(n_estimators=20, min_child_samples=5, n_jobs=1, verbose=-1))
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # LightGBM misses names of columns
        return X, [model.fit(X, y) for model in made]


def lattice_of(reading, person, prices):
    """Every column of a person can have each of five values."""
    rows = [np.tile(person, (6, 1)) for _ in person]
    for i, each in enumerate(rows):
        each[1:, i] = np.arange(5)
    raw = [np.abs(each[:, i] - person[i]) * prices[i] for i, each in enumerate(rows)]
    levels = [Levels(reading.inputs(each), cost) for each, cost in zip(rows, raw, strict=True)]
    return Problem.of(reading.towards([1], 0.6), reading.inputs(person[np.newaxis])[0], levels)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_of_fitted_models_no_state_at_all_is_cheaper(seed):
    """Ask the model itself about every state that there is."""
    X, models = fitted_models(seed)
    every = np.array(list(product(range(5), repeat=5)), dtype=float)
    prices = np.random.default_rng(seed).random(5) + 0.1
    for model in models:
        reading, chances = read(model, X), model.predict_proba(every)[:, 1]
        reached = chances >= 0.6 * (1 - CLOSE)
        for person in X[model.predict_proba(X)[:, 1] < 0.6][:6]:

            def accept(states, person=person, reached=reached):
                there = np.where(states == 0, person, states - 1)
                return reached[(there @ 5 ** np.arange(4, -1, -1)).astype(int)]

            costs = (np.abs(every - person) * prices).sum(axis=1)
            proof = cheapest(lattice_of(reading, person, prices), accept=accept)
            assert proof.proven
            assert proof.cost == pytest.approx(costs[reached].min(initial=np.inf), rel=CLOSE)
