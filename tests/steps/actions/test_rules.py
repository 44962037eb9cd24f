"""Links, requirements and time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.steps.actions.worlds import CASE, senior
from tests.steps.slow_actions import (
    close,
)

import facelift as fl
from facelift.errors import InvalidData


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
