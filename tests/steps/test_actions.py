"""Journeys of single actions equal what looking at every state and every order of steps finds."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.steps.slow_actions import (
    Slow,
    World,
    close,
    distances,
    encoded,
    explained,
    raw,
    wide_worlds,
    worlds,
)

import facelift as fl
from facelift.errors import InvalidData
from facelift.steps.actions import Memory

# 1. The definition


def test_the_result_is_that_of_looking_at_every_state_and_every_order():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(320), suppress_health_check=list(HealthCheck))
    @given(worlds(), st.sampled_from([1, 4, 256]))
    def check(world: World, first_batch: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("facelift.steps.growth.FIRST_BATCH", first_batch)
            pairs = explained(world, seen)
        for slow, multiverse in pairs:
            check_same(slow, multiverse, seen)

    check()
    assert seen["journeys"] > 400
    assert seen["no candidate"] > 100
    assert seen["refused"] > 30
    assert seen["steps"] > 1.5 * seen["journeys"]
    assert seen["order matters"] > 30
    assert seen["enough"] > 30
    assert seen["exhausted"] > 50


def check_same(slow: Slow, multiverse: fl.Multiverse, seen: Counter[str]) -> None:
    """The same destinations, costs, orders, remaining costs and opportunities."""
    ends = [raw(journey.rows)[-1] for journey in multiverse]
    expected = [slow.row(state) for state in slow.destinations]
    assert sorted(map(repr, ends)) == sorted(map(repr, expected))
    assert (np.diff(multiverse.costs) >= -1e-9).all()
    order = [ends.index(row) for row in expected]
    for i, state in enumerate(slow.destinations):
        journey, way = multiverse[order[i]], slow.best_order(state)
        assert journey.cost == close(slow.cost(state))
        assert journey.cost == close(slow.between[0, slow.vertices.index(state)])
        assert raw(journey.rows) == [slow.row(each) for each in way]
        assert journey.step_costs == close(slow.steps(way))
        assert journey.remaining[:, order] == close(slow.left(way))
        assert journey.rarity == close([slow.rarity(each) for each in way])
        assert journey.chances == close([slow.chance(each) for each in way])
        seen["journeys"] += 1
        seen["steps"] += journey.n_steps
        seen["order matters"] += len({slow.area(each) for each in slow.orders(state)}) > 1
    matrix = [slow.opportunity(slow.best_order(state)) for state in slow.destinations]
    if matrix:
        assert multiverse.opportunity[np.ix_(order, order)] == close(np.array(matrix))
    stopped = multiverse.survey.stopped
    seen[stopped] += 1
    full = len(expected) == slow.parameters["n_counterfactuals"]
    assert stopped == ("enough" if full else "exhausted")
    if not expected:
        judged = [slow.start, *slow.passed]
        best = max(slow.chance(state) for state in judged)
        assert multiverse.why_not.best_chance == close(best)


def test_with_a_small_budget_every_destination_is_still_minimal():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(80), suppress_health_check=list(HealthCheck))
    @given(worlds(), st.sampled_from([1, 4]), st.sampled_from([2, 6, 15, 40]))
    def check(world: World, first_batch: int, max_states: int) -> None:
        world.parameters["max_states"] = max_states
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("facelift.steps.growth.FIRST_BATCH", first_batch)
            pairs = explained(world, seen)
        for slow, multiverse in pairs:
            ends = [raw(journey.rows)[-1] for journey in multiverse]
            seen[multiverse.survey.stopped] += 1
            if multiverse.survey.stopped == "budget":
                assert multiverse.survey.n_states >= max_states
                minimal = [slow.row(state) for state in slow.minimal]
                assert all(end in minimal for end in ends)
                seen["found"] += len(ends)
            else:
                assert sorted(map(repr, ends)) == sorted(
                    repr(slow.row(state)) for state in slow.destinations
                )

    check()
    assert seen["budget"] > 30
    assert seen["found"] > 5
    assert seen["enough"] > 5
    assert seen["exhausted"] > 10


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(worlds(), st.sampled_from([0.125, 8.0]))
def test_scaling_all_prices_scales_costs_and_changes_nothing_else(world, scale):
    scaled = tuple(
        replace(
            column,
            up=column.up * scale,
            down=column.down * scale,
            pairs=tuple((a, b, price * scale) for a, b, price in column.pairs),
        )
        for column in world.columns
    )
    other = replace(world, columns=scaled)
    for case in world.cases:
        if not world.admits(case):
            continue
        one, two = (w.explainer().explain(w.frame([case])) for w in (world, other))
        assert [raw(j.rows) for j in one] == [raw(j.rows) for j in two]
        assert two.costs == close(one.costs * scale)
        assert two.opportunity == close(one.opportunity)


# 2. Promises, on larger worlds


def faults(world: World, case: dict[str, Any], journey: fl.Journey, wanted: int) -> list[str]:
    """Everything that is wrong with a journey, judged by its raw rows and the model alone."""
    waypoints, slow = raw(journey.rows), Slow(world, case, wanted)
    found = [] if waypoints[0] == case else [f"starts elsewhere: {waypoints[0]}"]
    for row in waypoints[1:]:
        found += [f"out of bounds: {row}" for c in world.columns if not c.holds(row[c.name])]
        found += [f"against a rule: {row}, {r.text}" for r in world.rules if not r.holds(row)]
        far = np.sort(distances(slow.records, encoded(world.columns, row)))[slow.neighbour - 1]
        found += [f"implausible: {row}"] * bool(far > slow.bound * (1 + 1e-9))
    for before, after in pairwise(waypoints):
        changed = [c for c in world.columns if before[c.name] != after[c.name]]
        names = tuple(c.name for c in changed)
        joint = any(set(names) <= set(link) and link[0] in names for link in world.links)
        linked = {name for link in world.links for name in link}
        single = len(names) == 1 and names[0] not in linked
        found += [] if single or joint else [f"not one change: {names}"]
        found += [
            f"forbidden: {c.name} {before[c.name]!r} to {after[c.name]!r}"
            for c in changed
            if math.isinf(c.price(before[c.name], after[c.name]))
        ]
    chances = world.model(world.frame(waypoints))[:, wanted]
    threshold = world.parameters["threshold"]
    found += [] if chances[-1] >= threshold - 1e-9 else ["does not arrive"]
    found += ["arrives before its end"] * int((chances[:-1] >= threshold + 1e-9).any())
    found += ["wrong chances"] * (not np.allclose(chances, journey.chances))
    return found


def journeys_of(
    world: World, explainer: fl.FACElift, seen: Counter[str]
) -> list[tuple[dict[str, Any], fl.Journey, int]]:
    found = []
    for case in world.cases:
        if world.admits(case):
            multiverse = explainer.explain(world.frame([case]))
            seen[multiverse.why_not.reason if multiverse.why_not else "explained"] += 1
            wanted = int(multiverse.goal.target[0])
            found += [(case, journey, wanted) for journey in multiverse]
    return found


def test_no_journey_of_actions_ever_breaks_a_promise():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))
    @given(wide_worlds())
    def check(world: World) -> None:
        for case, journey, wanted in journeys_of(world, world.explainer(), seen):
            assert faults(world, case, journey, wanted) == []
            assert (journey.rarity[1:] <= 1).all()
            assert journey.n_steps <= (world.parameters["max_steps"] or 7)
            assert journey.opportunity[journey.own] == 1
            seen["waypoints"] += len(journey.vertices)
            seen["joint"] += bool(world.links)
            seen["rules"] += bool(world.rules)

    check()
    assert seen["waypoints"] > 600
    assert min(seen["joint"], seen["rules"]) > 40
    assert min(seen["explained"], seen["no candidate"]) > 50


def test_the_checker_notices_when_rules_are_ignored():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(80), suppress_health_check=list(HealthCheck), database=None)
    @given(wide_worlds())
    def check(world: World) -> None:
        parameters = {**world.parameters, "plausibility": 1.0, "threshold": 0.5}
        free = fl.FACElift(world.model, fl.Terrain.infer(world.X), steps="actions", **parameters)
        for case, journey, wanted in journeys_of(world, free.fit(world.X), seen):
            for fault in faults(world, case, journey, wanted):
                seen[fault.split(":")[0]] += 1

    check()
    kinds = ["forbidden", "out of bounds", "against a rule", "not one change", "implausible"]
    assert all(seen[kind] > 3 for kind in [*kinds, "does not arrive"])


# 3. Order matters


YES = {"savings": True, "job": True, "guarantor": True, "debts": True}
GOALS = [("savings", "job"), ("savings", "guarantor"), ("savings", "debts")]


def lender(frame: pd.DataFrame) -> np.ndarray:
    """Grants the loan to whoever saves and does one thing more."""
    others = frame[["job", "guarantor", "debts"]].any(axis=1)
    chance = np.where(frame["savings"] & others, 0.9, 0.1)
    return np.column_stack([1 - chance, chance])


@pytest.fixture
def crossroads() -> fl.Multiverse:
    X = pd.DataFrame(list(product([False, True], repeat=4)), columns=list(YES))
    explainer = fl.FACElift(lender, steps="actions", plausibility=1.0).fit(X)
    return explainer.explain(dict.fromkeys(YES, False))


def opportunity_of(multiverse: fl.Multiverse, steps: tuple[str, ...]) -> np.ndarray:
    """Opportunity of doing the changes in this order, walked on the graph of the multiverse."""
    graph, vertex = multiverse.walkable_graph()
    remaining = fl.graph.remaining_costs(graph, multiverse.destinations)
    columns = list(YES)
    way = [vertex]
    for name in steps:
        moved = graph.points[way[-1]].copy()
        moved[columns.index(name)] = 1.0
        way.append(int(np.flatnonzero((graph.points == moved).all(axis=1))[0]))
    costs = [graph.edge_cost(u, v) for u, v in pairwise(way)]
    return fl.geometry.opportunity_potential(costs, remaining[way])


def test_of_equally_cheap_orders_the_one_that_keeps_most_open_is_taken(crossroads):
    assert len(crossroads) == 3
    for journey in crossroads:
        changes = [str(name) for name in journey.to_frame()["feature"]]
        assert changes[0] == "savings"
        assert tuple(changes) in GOALS
        orders = [tuple(changes), tuple(changes[::-1])]
        values = [opportunity_of(crossroads, order).sum() for order in orders]
        assert journey.opportunity.sum() == close(max(values))
        assert max(values) > min(values)
    # Saving serves all three; the second step only one's own. The other order serves nobody else.
    own_first = np.full((3, 3), 0.5) + np.eye(3) / 2
    assert crossroads.opportunity == close(own_first)
    worst = opportunity_of(crossroads, ("job", "savings"))
    assert sorted(worst.tolist()) == [0, 0, 1]


# 4. A slow model


class Recorder:
    """A model on arrays that remembers what it was asked."""

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share, self.seed = share, seed
        self.asked: list[np.ndarray] = []

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        assert isinstance(rows, np.ndarray)
        assert rows.ndim == 2
        self.asked.append(rows.copy())
        weights = np.random.default_rng(self.seed).normal(size=rows.shape[1])
        spread = np.abs(np.sin(rows @ weights * 37.7))
        chance = np.where(spread < self.share, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])


def counted(share: float, **parameters: Any) -> tuple[fl.Multiverse, Recorder, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, size=(300, 9)).astype(float)
    model = Recorder(share)
    asked = {"plausibility": 1.0, "verify": False, **parameters}
    explainer = fl.FACElift(model, steps="actions", **asked).fit(X)
    declined = X[model(X)[:, 1] < 0.5][0]
    model.asked.clear()
    return explainer.explain(declined, 1), model, declined


@pytest.mark.parametrize(
    ("share", "parameters", "stopped"),
    [
        (0.2, {"n_counterfactuals": 5}, "enough"),
        (0.02, {"n_counterfactuals": 3}, "enough"),
        (0.01, {"n_counterfactuals": 50, "max_steps": 2}, "exhausted"),
        (0.002, {"max_states": 700}, "budget"),
        (0.002, {"max_states": 5000}, "budget"),
        (0.0, {"max_states": 3000}, "budget"),
        (0.0, {"max_states": 1}, "budget"),
        (0.0, {"max_steps": 1}, "exhausted"),
    ],
)
def test_a_model_is_asked_seldom_about_many_and_never_twice(share, parameters, stopped):
    multiverse, model, case = counted(share, **parameters)
    survey = multiverse.survey
    assert survey.stopped == stopped
    assert survey.n_calls == len(model.asked)
    rows = [tuple(row) for batch in model.asked for row in batch.tolist()]
    assert len(rows) == len(set(rows))
    assert tuple(case) not in rows
    assert len(rows) <= survey.n_states - 1
    max_states, max_steps = parameters.get("max_states", 5000), parameters.get("max_steps", 7)
    assert survey.n_calls <= math.log2(max_states / 256 + 1) + max_steps + 3
    if stopped == "budget":
        assert survey.n_states >= max_states
    ways = sum(2**journey.n_steps for journey in multiverse)
    tried = 2**7 * parameters.get("n_counterfactuals", 10) if stopped == "budget" else 0
    assert survey.n_states <= max_states + ways + max(max_states, 256) + tried


def test_frames_are_asked_as_frames_with_the_types_of_the_table(people):
    asked = []

    def model(frame: pd.DataFrame) -> np.ndarray:
        asked.append(frame)
        chance = (frame["income"] > 45).to_numpy() * 0.5 + frame["employed"].to_numpy() * 0.4
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(people)
    multiverse = explainer.explain(people[people["income"] < 30].iloc[[0]], 1)
    assert len(multiverse) > 0
    assert len(asked) > 1
    assert all(frame.dtypes.equals(people.dtypes) for frame in asked)


def test_polars_frames_are_asked_as_polars_frames(people):
    pl = pytest.importorskip("polars")
    table_ = pl.DataFrame(people[["income", "debts", "employed"]].to_dict("list"))
    asked = []

    def model(frame: Any) -> np.ndarray:
        asked.append(frame)
        chance = (frame["income"].to_numpy() > 45) * 0.5 + frame["employed"].to_numpy() * 0.4
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(table_)
    multiverse = explainer.explain({"income": 20.0, "debts": 1, "employed": False}, 1)
    assert len(multiverse) > 0
    assert all(isinstance(frame, pl.DataFrame) for frame in asked)


# 5. Links, requirements and time


@pytest.fixture(scope="module")
def careers() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(20, 61, 300)
    grade = pd.cut(age + rng.normal(0, 6, 300), [-100, 30, 40, 50, 200], labels=list("dcba"))
    return pd.DataFrame(
        {
            "age": age,
            "years": (age - 20) * 0.5 + rng.uniform(0, 4, 300).round(1),
            "grade": pd.Categorical(grade, list("dcba"), ordered=True),
            "rate": rng.integers(1, 6, 300),
        }
    )


def senior(frame: pd.DataFrame) -> np.ndarray:
    score = frame["age"] / 20 + frame["years"] / 10 + frame["grade"].cat.codes + frame["rate"] / 3
    chance = 1 / (1 + np.exp(3.9 - score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


CASE = {"age": 30, "years": 5.0, "grade": "d", "rate": 2}


def test_linked_columns_move_together_and_time_is_counted(careers):
    terrain = (
        fl.Terrain.infer(careers)
        .levels("age", step=5)
        .link("age", "years")
        .rate("age", per="year")
        .rate("years", 0.5, per="year")
        .increase_only("age", "years")
    )
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=1.0).fit(careers)
    multiverse = explainer.explain(CASE, 1)
    older = 0
    for journey in multiverse:
        assert journey.period == "year"
        rows = journey.rows
        assert journey.times.tolist() == (rows["age"] - 30).tolist()
        assert (np.diff(journey.times) >= 0).all()
        assert (rows["years"] - 5).tolist() == close(((rows["age"] - 30) * 0.5).tolist())
        older += int(rows["age"].iloc[-1] > 30)
        assert set(rows["age"]) <= {30, 35, 40, 45, 50, 55, 60}
    assert older > 0
    alone = fl.FACElift(senior, steps="actions", plausibility=1.0).fit(careers).explain(CASE, 1)
    assert any(set(j.rows["years"]) != {5.0} and set(j.rows["age"]) == {30} for j in alone)
    assert alone[0].times is None
    assert alone[0].period == ""


def test_a_frozen_follower_keeps_its_leader_where_it_is(careers):
    terrain = fl.Terrain.infer(careers).link("age", "grade").freeze("grade")
    multiverse = fl.FACElift(senior, terrain, steps="actions").fit(careers).explain(CASE, 1)
    assert len(multiverse) > 0
    assert all(set(journey.rows["age"]) == {30} for journey in multiverse)


@pytest.mark.parametrize(
    "rule",
    ["years <= (age - 20) / 2 + 3", lambda frame: frame["years"] <= (frame["age"] - 20) / 2 + 3],
    ids=["expression", "function"],
)
def test_every_state_satisfies_a_requirement(careers, rule):
    def breaks(multiverse: fl.Multiverse) -> list[bool]:
        return [bool((j.rows["years"] > (j.rows["age"] - 20) / 2 + 3).any()) for j in multiverse]

    free = fl.Terrain.infer(careers).freeze("grade")
    settings_ = {"steps": "actions", "plausibility": 1.0}
    without = fl.FACElift(senior, free, **settings_).fit(careers).explain(CASE, 1)
    ruled = fl.FACElift(senior, free.require(rule), **settings_).fit(careers).explain(CASE, 1)
    assert any(breaks(without))
    assert len(ruled) > 0
    assert not any(breaks(ruled))


def test_whoever_breaks_a_requirement_is_told_so(careers):
    terrain = fl.Terrain.infer(careers).require("rate <= 1")
    explainer = fl.FACElift(senior, terrain, steps="actions").fit(careers)
    with pytest.raises(InvalidData, match="The case itself breaks a requirement"):
        explainer.explain(CASE, 1)
    assert "requirement" in str(explainer.explain_many(pd.DataFrame([CASE]))[0].why_not)


# 7. Determinism


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, Any]:
    return fl.datasets.load_german_credit().data, credit_model


def credit_model(frame: pd.DataFrame) -> np.ndarray:
    score = (
        frame["checking_account"].cat.codes * 0.6
        + frame["savings"].cat.codes * 0.5
        + (frame["housing"] == "own").astype(float)
        - frame["duration"] / 15
        - frame["credit_amount"] / 6000
    )
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


def credit_explainer(X: pd.DataFrame, model: Any, **changed: Any) -> fl.FACElift:
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(X))
    parameters = {"steps": "actions", "n_counterfactuals": 5, "max_states": 800, **changed}
    return fl.FACElift(model, terrain, **parameters).fit(X)


def test_the_same_bytes_twice_for_every_order_of_rows_and_in_threads(loans):
    X, model = loans
    chances = model(X)[:, 1]
    cases = X[(chances > 0.3) & (chances < 0.4)].head(6)
    once = [m.to_json() for m in credit_explainer(X, model).explain_many(cases, 1)]
    again = [m.to_json() for m in credit_explainer(X, model).explain_many(cases, 1)]
    shuffled = X.iloc[np.random.default_rng(0).permutation(len(X))]
    other = [m.to_json() for m in credit_explainer(shuffled, model).explain_many(cases, 1)]
    threads = [m.to_json() for m in credit_explainer(X, model, n_jobs=2).explain_many(cases, 1)]
    assert once == again == other == threads
    assert len(set(once)) == len(once)
    assert all(len(fl.Multiverse.from_json(each)) > 0 for each in once)


@settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))
@given(wide_worlds(), st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_no_journey(world, seed):
    shuffled = replace(world, X=world.X.iloc[np.random.default_rng(seed).permutation(len(world.X))])
    for case in world.cases:
        if world.admits(case):
            one, two = (w.explainer().explain(w.frame([case])) for w in (world, shuffled))
            assert one.to_json() == two.to_json()


# 8. The same measures and views


def test_one_can_walk_a_multiverse_of_actions(loans):
    X, model = loans
    multiverse = credit_explainer(X, model).explain(
        X[np.abs(model(X)[:, 1] - 0.3) < 0.05].iloc[[0]], 1
    )
    here = fl.Position.start(multiverse)
    decode = multiverse[0].decode
    graph, _ = multiverse.walkable_graph()
    while not here.arrived:
        options = here.options()
        assert options
        for option in options:
            rows = decode(graph.points[[option.start, option.end]]).astype(object)
            assert (rows.iloc[0] != rows.iloc[1]).sum() == 1
        here = here.step(options[0])
    assert len(here.walked) <= 8
    chance = model(decode(graph.points[[here.vertex]]))[0, 1]
    assert chance >= 0.5
    assert here.back().walked == here.walked[:-1]
    blocked = fl.Position.start(multiverse)
    first = blocked.options()[0]
    assert first.end not in [option.end for option in blocked.block(first).options()]


def test_measures_obey_their_laws_on_actions(loans):
    X, model = loans
    multiverse = credit_explainer(X, model).explain(
        X[np.abs(model(X)[:, 1] - 0.3) < 0.05].iloc[[1]], 1
    )
    assert len(multiverse) > 2
    for journey in multiverse:
        own = journey.remaining[:, journey.own]
        assert -np.diff(own) == close(journey.step_costs)
        assert own[-1] == 0
        area = fl.geometry.open_area(journey.step_costs, journey.alternatives)
        assert area == close(np.delete(journey.opportunity, journey.own).mean())
    assert np.diag(multiverse.opportunity).tolist() == [1.0] * len(multiverse)
    assert fl.best(multiverse) in list(multiverse)
    members = [number for family in multiverse.families(n_families=2) for number in family.members]
    assert sorted(members) == list(range(len(multiverse)))


def test_a_multiverse_of_actions_survives_json(careers):
    terrain = fl.Terrain.infer(careers).rate("age", per="year").increase_only("age")
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=1.0).fit(careers)
    multiverse = explainer.explain(CASE, 1)
    back = fl.Multiverse.from_json(multiverse.to_json())
    assert back.survey == multiverse.survey
    assert back.survey.n_calls > 0
    assert back.to_json() == multiverse.to_json()
    for one, two in zip(multiverse, back, strict=True):
        assert one.rarity.tolist() == two.rarity.tolist()
        assert one.times.tolist() == two.times.tolist()
        assert two.period == "year"
        assert raw(one.rows) == raw(two.rows)


def test_a_saved_explainer_gives_the_same_journeys(careers, tmp_path):
    terrain = (
        fl.Terrain.infer(careers)
        .levels("age", step=10)
        .link("age", "years")
        .rate("age", per="year")
        .require("rate <= 4")
    )
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=0.9).fit(careers)
    explainer.save(tmp_path / "saved")
    loaded = fl.FACElift.load(tmp_path / "saved", model=senior)
    one, two = explainer.explain(CASE, 1), loaded.explain(CASE, 1)
    assert len(one) > 0
    assert one.to_json() == two.to_json()


def test_who_has_the_outcome_needs_nothing(careers):
    explainer = fl.FACElift(senior, steps="actions").fit(careers)
    multiverse = explainer.explain({**CASE, "age": 60, "years": 20.0, "grade": "a"}, 1)
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "already there"
    assert multiverse.survey is None


def test_no_way_within_the_rules_says_how_far_one_could_get(careers):
    terrain = fl.Terrain.infer(careers).freeze("age", "years", "grade")
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=1.0).fit(careers)
    multiverse = explainer.explain(CASE, 1)
    why_not = multiverse.why_not
    assert len(multiverse) == 0
    assert why_not.reason == "no candidate"
    best = senior(
        explainer.terrain_.to_pandas(
            explainer.terrain_.encode(
                pd.DataFrame([{**CASE, "rate": rate} for rate in range(1, 6)]).astype(
                    careers.dtypes.to_dict()
                )
            )
        )
    )[:, 1].max()
    assert why_not.best_chance == close(best)
    assert multiverse.survey.n_states == 5
    assert "5 states" in why_not.message
    assert f"{best:.1%}" in why_not.message
    assert "plausibility" in why_not.hint
    spent = fl.FACElift(senior, terrain, steps="actions", max_states=2).fit(careers)
    assert "raise max_states" in spent.explain(CASE, 1).why_not.hint
    assert spent.explain(CASE, 1).survey.stopped == "budget"


def test_an_implausible_person_can_still_start():
    X = pd.DataFrame(list(product(range(10), range(10))), columns=["x", "y"])

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where(frame["x"] >= 2, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(X)
    multiverse = explainer.explain({"x": -5, "y": 5}, 1)
    assert [journey.rows["x"].tolist() for journey in multiverse] == [[-5, 0, 1, 2]]
    assert multiverse[0].rarity[0] > 1
    assert (multiverse[0].rarity[1:] <= 1).all()


def test_several_outcomes_will_do():
    X = pd.DataFrame(list(product(range(4), range(4))), columns=["a", "b"])

    def model(frame: pd.DataFrame) -> np.ndarray:
        one = np.where(frame["a"] >= 2, 0.45, 0.05)
        two = np.where(frame["b"] >= 2, 0.45, 0.05)
        return np.column_stack([1 - one - two, one, two])

    explainer = fl.FACElift(model, steps="actions", plausibility=1.0).fit(X)
    both = explainer.explain({"a": 0, "b": 0}, {1, 2})
    assert [raw(journey.rows)[-1] for journey in both] == [{"a": 0, "b": 2}, {"a": 2, "b": 0}]
    assert both[0].chances[-1] == close(0.5)
    assert len(explainer.explain({"a": 0, "b": 0}, 1)) == 0


# 9. Edge cases


@pytest.mark.parametrize("columns", [["x"], ["x", "y"]])
def test_where_nothing_may_change_there_is_nothing_to_judge(columns):
    X = pd.DataFrame({name: [0.0, 1.0, 2.0, 3.0] for name in columns})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = frame["x"].to_numpy() / 3
        return np.column_stack([1 - chance, chance])

    terrain = fl.Terrain.infer(X).freeze(*columns)
    multiverse = fl.FACElift(model, terrain, steps="actions").fit(X).explain(X.iloc[[0]], 1)
    assert len(multiverse) == 0
    assert multiverse.survey.n_states == 1
    assert multiverse.survey.n_calls == 0
    assert multiverse.survey.stopped == "exhausted"
    assert multiverse.why_not.best_chance == 0


def test_where_all_records_are_alike_nobody_can_go_anywhere():
    X = pd.DataFrame({"x": [1.0, 1.0], "y": ["a", "a"]})
    explainer = fl.FACElift(lambda rows: np.tile([0.9, 0.1], (len(rows), 1)), steps="actions")
    multiverse = explainer.fit(X).explain(X.iloc[[0]], 1)
    assert multiverse.survey.n_states == 1


def test_thirty_columns_of_eight_levels_are_no_trouble():
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(30)]
    letters = np.array(list("abcdefgh"))
    X = pd.DataFrame({name: rng.choice(letters, 120) for name in names})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where((frame[names[:6]] == "h").sum(axis=1) >= 3, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    terrain = fl.Terrain.infer(X)
    for name in names[:6]:
        terrain = terrain.price(name, 0.1)
    parameters = {"steps": "actions", "max_states": 900, "plausibility": 1.0}
    explainer = fl.FACElift(model, terrain, **parameters).fit(X)
    case = dict.fromkeys(names, "a") | {"c0": "h"}
    multiverse = explainer.explain(case, 1)
    assert len(multiverse) > 0
    for journey in multiverse:
        assert journey.n_steps == 2
        assert (journey.rows.iloc[-1][names[:6]] == "h").sum() == 3


def test_a_person_beyond_all_stops_can_come_back():
    X = pd.DataFrame({"x": np.arange(0.0, 100.0, 2.5), "y": np.tile([0.0, 1.0], 20)})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where(np.abs(frame["x"] - 50) < 25, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions", plausibility=1.0).fit(X)
    for beyond, sign in ((-40.0, 1), (180.0, -1)):
        multiverse = explainer.explain({"x": beyond, "y": 0.0}, 1)
        steps = multiverse[0].rows["x"].to_numpy()
        assert steps[0] == beyond
        assert (np.diff(steps) * sign > 0).all()
        assert multiverse[0].rarity[0] > 1


def test_a_memory_is_asked_about_no_state_twice_and_changes_no_answer(lending, people):
    asked: list[int] = []

    def model(rows):
        asked.append(len(rows))
        return lending.model.predict_proba(rows)

    explainer = fl.FACElift(model, steps="actions", n_counterfactuals=4).fit(people)
    memory = Memory()
    rows = [people.iloc[row] for row in np.flatnonzero(lending.chances() < 0.5)[:3]]
    terrain = explainer.terrain_.freeze("town").price("income", 2.0)
    for row in rows:
        first = explainer.under(explainer.terrain_, memory=memory).explain(row, 1)
        assert first.to_json() == explainer.explain(row, 1).to_json()
        asked.clear()
        again = explainer.under(terrain, memory=memory).explain(row, 1)
        remembered = sum(asked)
        asked.clear()
        assert again.to_json() == explainer.under(terrain).explain(row, 1).to_json()
        assert remembered < sum(asked) / 2


def test_a_memory_forgets_rather_than_grow_without_end():
    memory = Memory(most=10)
    points = np.arange(16.0).reshape(8, 2)
    for start in (0.0, 100.0, 200.0):
        said = memory.recall(points + start, 2, lambda some, n: some[:, :n] * 2)
        assert np.array_equal(said, (points + start) * 2)
        assert len(memory) <= 10
    assert memory.known(points + 200.0)[0] is not None
    assert memory.known(points)[0] is None
