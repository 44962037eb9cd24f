"""A multiverse of actions: walked, measured, written and saved like any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.steps.actions.worlds import CASE, credit_explainer, senior
from tests.steps.slow_actions import (
    close,
    raw,
)

import facelift as fl


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


@pytest.mark.parametrize("onward", [False, True])
def test_a_category_is_reached_through_another_where_no_order_of_changes_is_plausible(onward):
    kinds = [("a", "no"), ("b", "no"), ("b", "yes"), ("c", "yes")]
    rows = [(job, degree, 20 + i) for job, degree in kinds for i in range(30)]
    people = pd.DataFrame(rows, columns=["job", "degree", "age"])

    def model(table: pd.DataFrame) -> Any:
        wanted = (table["job"].eq("c") & table["degree"].eq("yes")).to_numpy(dtype=float)
        return np.column_stack([1 - wanted, wanted])

    terrain = fl.Terrain.infer(people).freeze("age")
    explainer = fl.FACElift(model, terrain, steps="actions").fit(people)
    (way,) = found = explainer.explain(people.iloc[15], 1, onward=onward)
    assert way.to_frame()["to"].tolist() == ["b", "yes", "c"]
    assert found.proof.kind == "within"
    here = fl.Position.start(found)
    for _ in range(3):
        (option,) = (
            each
            for each in here.options()
            if each.end in way.vertices and each.end not in here.walked
        )
        here = here.step(option)
    assert here.arrived
    stricter = explainer.under(terrain.forbid("job", "a", "b"))
    assert not len(stricter.explain(people.iloc[15], 1, onward=onward))
