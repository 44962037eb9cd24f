"""A slow model is asked seldom, about many states at once, and never twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift.models.oracle import Memory
from facelift.steps import PATIENCE, actions


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
    assert survey.n_calls <= 20
    work = 300 * survey.n_calls + len(rows)
    assert work <= PATIENCE["normal"].work + 2 * 5_000


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


def test_a_longer_search_with_a_memory_asks_what_is_new_and_finds_what_one_at_once_finds(
    lending, people
):
    asked: list[int] = []

    def model(rows):
        asked.append(len(rows))
        return lending.model.predict_proba(rows)

    explainer = fl.FACElift(model, steps="actions").fit(people)
    memory, row = Memory(), people.iloc[np.flatnonzero(lending.chances() < 0.5)[0]]
    counts, documents = [], []
    for patience, known in (("quick", memory), ("normal", memory), ("normal", None)):
        asked.clear()
        one = explainer.under(explainer.terrain_, patience=patience, memory=known)
        documents.append(one.explain(row, 1).to_json())
        counts.append(sum(asked))
    assert documents[1] == documents[2]
    assert counts[1] < counts[2] - counts[0] / 2


def combination(rows: np.ndarray) -> np.ndarray:
    """A model that likes one combination of four columns, and says nothing on the way there."""
    won = (np.asarray(rows)[:, :4] == 3).all(axis=1)
    return np.column_stack([~won, won]) * 0.8 + 0.1


def test_a_normal_search_that_found_nothing_goes_on(monkeypatch):
    X = np.random.default_rng(0).integers(0, 4, (400, 9)).astype(float)
    X = X[~(X[:, :4] == 3).all(axis=1)]
    X[0] = 2
    explainer = fl.FACElift(combination, steps="actions", plausibility=1.0).fit(X)
    found = explainer.explain(X[0], 1)
    assert (found[0].counterfactual[:4] == found[0].counterfactual[0]).all()
    assert found.survey.n_states > PATIENCE["normal"].states + 1
    monkeypatch.setattr(actions, "insisting", lambda _: None)
    assert not len(explainer.explain(X[0], 1))
