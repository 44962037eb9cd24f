"""Cases with nothing to do, nowhere to go or nothing to judge."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from tests.steps.actions.worlds import CASE, senior
from tests.steps.slow_actions import (
    close,
    raw,
)

import facelift as fl


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
    assert "max_states=20" in spent.explain(CASE, 1).why_not.hint
    assert spent.explain(CASE, 1).survey.stopped == "budget"


def test_where_only_rare_states_have_the_outcome_that_is_said():
    places = [*product(range(4), range(4)), (9, 9)]
    X = pd.DataFrame(places, columns=["x", "y"])
    terrain = fl.Terrain.infer(X).levels("x", [0, 1, 2, 3, 9]).levels("y", [0, 1, 2, 3])

    def model(frame: pd.DataFrame) -> np.ndarray:
        return np.column_stack([frame["x"] < 9, frame["x"] >= 9]).astype(float)

    explainer = fl.FACElift(model, terrain, steps="actions").fit(X)
    found = explainer.explain({"x": 0, "y": 0}, 1)
    assert found.why_not.message.startswith("States that reach a chance of 52% for 1 (4 of 20 wi")
    free = explainer.under(terrain.freeze("x"))
    assert free.explain({"x": 0, "y": 0}, 1).why_not.message.startswith("None of 4 states")


def test_an_implausible_person_can_still_start():
    X = pd.DataFrame(list(product(range(10), range(10))), columns=["x", "y"])

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where(frame["x"] >= 2, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(X)
    multiverse = explainer.explain({"x": -5, "y": 5}, 1)
    assert [journey.in_steps.rows["x"].tolist() for journey in multiverse] == [[-5, 2]]
    assert multiverse[0].rarity[0] > 1
    assert (multiverse[0].rarity[1:] <= 1).all()


def test_several_outcomes_will_do():
    X = pd.DataFrame(list(product(range(4), range(4))), columns=["a", "b"])

    def model(frame: pd.DataFrame) -> np.ndarray:
        one = np.where(frame["a"] >= 2, 0.5, 0.05)
        two = np.where(frame["b"] >= 2, 0.5, 0.05)
        return np.column_stack([1 - one - two, one, two])

    explainer = fl.FACElift(model, steps="actions", plausibility=1.0).fit(X)
    both = explainer.explain({"a": 0, "b": 0}, {1, 2})
    assert [raw(journey.rows)[-1] for journey in both] == [{"a": 0, "b": 2}, {"a": 2, "b": 0}]
    assert both[0].chances[-1] == close(0.55)
    assert len(explainer.explain({"a": 0, "b": 0}, 1)) == 0  # ways end at 0.52


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
