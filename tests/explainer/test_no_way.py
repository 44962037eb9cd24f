"""No way: the reason, and how far one could get."""

from __future__ import annotations

import numpy as np
import pytest
from tests.explainer.worlds import line, upper

from facelift import FACElift, Terrain


def test_no_candidate_says_the_best_chance_there_is():
    explainer = FACElift(lambda x: upper(x * 0.4), n_neighbors=2).fit(line())
    multiverse = explainer.explain([0.1])
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "no candidate"
    assert multiverse.why_not.best_chance == pytest.approx(0.4)
    assert multiverse.why_not.n_candidates == 0
    assert "40.0%" in str(multiverse.why_not)
    assert multiverse.to_frame().empty


def test_candidates_out_of_bounds_do_not_count():
    terrain = Terrain.infer(line()).between("x0", 0.0, 0.4)
    why_not = FACElift(upper, terrain, n_neighbors=2).fit(line()).explain([0.1]).why_not
    assert why_not.reason == "no candidate"
    assert why_not.best_chance == pytest.approx(0.4)


def test_no_route_says_how_many_are_in_reach():
    islands = np.concatenate([line(5) * 0.2, 0.7 + line(7) * 0.3])
    explainer = FACElift(upper, n_neighbors=3, max_step=0.2).fit(islands)
    multiverse = explainer.explain(islands[0])
    assert len(multiverse) == 0
    why_not = multiverse.why_not
    assert why_not.reason == "no route"
    assert why_not.n_candidates == 7
    assert why_not.n_in_reach == 4
    assert "7 destinations" in str(why_not)
    assert "other states in reach: 4" in str(why_not)
    assert "n_neighbors=6" in why_not.hint


def test_a_frozen_column_that_decides_leaves_no_route():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.repeat([0.1, 0.9], 10), rng.random(20)])
    explainer = FACElift(upper, Terrain.infer(X).freeze("x0"), n_neighbors=4).fit(X)
    why_not = explainer.explain(X[0]).why_not
    assert (why_not.reason, why_not.n_candidates, why_not.n_in_reach) == ("no route", 10, 9)


def test_an_outsider_with_no_admissible_neighbour_has_no_route():
    explainer = FACElift(upper, Terrain.infer(line()).decrease_only("x0"), n_neighbors=3)
    multiverse = explainer.fit(line()).explain([-0.5])
    assert multiverse.why_not.reason == "no route"
    assert multiverse.why_not.n_in_reach == 0
    assert multiverse.why_not.hint == ""  # more neighbours would be no more admissible


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_where_the_rules_allow_nothing_no_rarer_states_are_proposed(steps):
    explainer = FACElift(upper, Terrain.infer(line()).freeze("x0"), steps=steps).fit(line())
    assert explainer.explain([0.2]).why_not.hint == ""


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_where_nothing_leads_there_the_closest_point_in_reach_is_told(lending, people, steps):
    row = people.iloc[[int(np.argmin(lending.chances()))]]
    terrain = lending.explainer.terrain_.freeze("income")
    if steps == "rows":
        terrain = lending.explainer.terrain_.between("income", 0, row["income"].iloc[0] + 5)
    explainer = FACElift(lending.model, terrain, steps=steps, threshold=0.99).fit(people)
    multiverse = explainer.explain(row, target="granted")
    assert multiverse.why_not.reason in ("no candidate", "no route")
    closest = explainer.terrain_.decode([multiverse.closest])
    chance = lending.model.predict_proba(closest)[0, 1]
    assert lending.chances().min() < chance < 0.99
    assert chance == pytest.approx(multiverse.why_not.best_chance)
