"""Cases that no row of the table equals: journeys begin at them, and rules judge them, as given."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain, audit, retrospect
from facelift.errors import InvalidData
from facelift.walking.guide import Guide
from facelift.walking.walk import Other, SetLimits, Walk

KINDS = pytest.mark.parametrize("steps", ["rows", "actions"])
LAWS = settings(max_examples=examples(60), deadline=None)
NUMBERS = st.floats(-4e3, 4e3).map(lambda x: x + 0.0)  # no -0.0


def rich(rows: pd.DataFrame) -> np.ndarray:
    """A model that grants whoever has much income and little debt."""
    chance = 1 / (1 + np.exp(-(rows["income"] - 300 * rows["debts"] - 1500) / 300))
    return np.column_stack([1 - chance, chance])


def people(n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "income": rng.normal(1000, 900, n),
            "debts": rng.integers(0, 6, n),
            "share": rng.random(n).round(2),
            "home": rng.choice(["own", "rent"], n),
        }
    )


FITTED = {
    (steps, share_rows): FACElift(rich, steps=steps, n_counterfactuals=3, plausibility=1.0).fit(
        people(), share_rows=share_rows
    )
    for steps in ("rows", "actions")
    for share_rows in (True, False)
}
EVERY_FIT = pytest.mark.parametrize("fitted", FITTED.values(), ids=map(str, FITTED))


def person(income: float, share: float = 0.5) -> dict[str, object]:
    return {"income": income, "debts": 3, "share": share, "home": "rent"}


def test_decoding_300_numbers_changes_none():
    rng = np.random.default_rng(0)
    for terrain in (each.terrain_ for each in FITTED.values()):
        for income, share in zip(rng.normal(1000, 900, 300), rng.random(300), strict=True):
            point, own = terrain.case(row := person(income, share))
            assert own.decode(point[np.newaxis]).to_dict("records") == [row]


@EVERY_FIT
@LAWS
@given(income=NUMBERS, share=st.floats(0, 1))
def test_journeys_begin_at_the_case_and_keep_what_they_do_not_change(fitted, income, share):
    row = person(income, share)
    multiverse = fitted.explain(row, target=1)
    for journey in multiverse:
        assert journey.rows.iloc[0].to_dict() == row
        kept = journey.waypoints[:, 0] == journey.waypoints[0, 0]
        assert (journey.rows["income"][kept] == income).all()
    (again,) = fitted.explain_many(pd.DataFrame([row]), target=1)
    assert again.to_json() == multiverse.to_json()


@EVERY_FIT
@LAWS
@given(bound=NUMBERS, side=st.sampled_from([-1, 1]), required=st.booleans())
def test_a_case_is_let_in_at_its_bound_and_refused_an_ulp_beyond(fitted, bound, side, required):
    terrain = fitted.terrain_
    if required:
        terrain = terrain.require(f"income {'>=' if side < 0 else '<='} {bound!r}")
    else:
        ends = (bound, 1e6) if side < 0 else (-1e6, bound)
        terrain = terrain.between("income", *ends)
    explainer = fitted.under(terrain)
    beyond = float(np.nextafter(bound, side * math.inf))
    assume(beyond != 0 or bound != 0)
    explainer.explain(person(bound), target=1)
    with pytest.raises(InvalidData, match="The case itself"):
        explainer.explain(person(beyond), target=1)
    at, out = explainer.explain_many(pd.DataFrame([person(bound), person(beyond)]), target=1)
    assert at.why_not is None or at.why_not.reason != "bad row"
    assert out.why_not is not None
    assert out.why_not.reason == "bad row"


def test_200_cases_an_ulp_outside_are_refused_and_200_at_the_bound_let_in():
    fitted = FITTED["rows", True]
    rng = np.random.default_rng(1)
    for bound in [*rng.normal(1000, 900, 140), *people()["income"][:60]]:
        terrain = fitted.terrain_.between("income", bound, 1e6)
        for income, allowed in ((bound, True), (np.nextafter(bound, -math.inf), False)):
            point, own = terrain.case(person(income))
            assert own.admissible(point[np.newaxis])[0] == allowed


def test_a_state_that_keeps_the_value_of_a_case_is_judged_by_it():
    fitted, rng = FITTED["actions", True], np.random.default_rng(2)
    n_rounded = 0
    for income in rng.uniform(1700, 2300, 60):
        point = fitted.terrain_.point(person(income))
        n_rounded += fitted.terrain_.decode(point[np.newaxis])["income"][0] < income
        terrain = fitted.terrain_.between("income", income, 1e6).freeze("income", "share", "home")
        (journey,) = fitted.under(terrain, n_counterfactuals=1).explain(person(income), target=1)
        assert (journey.rows["income"] == income).all()
    assert n_rounded > 0


def test_a_row_of_the_table_costs_no_terrain_of_its_own():
    X, terrain = people(), FITTED["rows", True].terrain_
    assert all(each is terrain for each in terrain.keeping_each(X))
    assert terrain.case(X.iloc[3])[1] is terrain
    assert terrain.case(person(1664.6475731499827))[1] is not terrain
    assert terrain.case(person(1664.6475731499827))[1] == terrain


def test_the_model_is_asked_about_a_case_as_it_is_also_beside_a_record():
    X = pd.DataFrame({"x": [-1.0, 0.0, 0.5, 1.0]})
    tiny = 1e-20  # the same point as 0: too near for a coordinate

    def above(rows: pd.DataFrame) -> np.ndarray:
        good = ((rows["x"] >= tiny) & (rows["x"] < 0.1)) | (rows["x"] > 0.9)
        return np.column_stack([~good, good]).astype(float)

    explainer = FACElift(above, n_neighbors=2).fit(X)
    assert explainer.explain({"x": 0.0}, target=1)[0].rows["x"].tolist()[0] == 0.0
    assert explainer.explain({"x": tiny}, target=1).why_not.reason == "already there"
    back = explainer.explain({"x": tiny}, target=0)
    assert back[0].rows["x"].iloc[0] == tiny


def test_rows_that_the_terrain_has_not_seen_come_back_exactly(tmp_path):
    X = people()
    rounded = X.assign(income=X["income"].round(1))
    terrain = Terrain.infer(rounded)
    fitted = FACElift(rich, terrain).fit(X)
    grown = FACElift(rich, terrain).fit(rounded[:60]).partial_fit(X[60:])
    for explainer, rows in ((fitted, X), (grown, pd.concat([rounded[:60], X[60:]]))):
        points = explainer.graph_.points[explainer.vertices_]
        assert explainer.terrain_.decode(points).equals(rows.reset_index(drop=True))
        assert explainer.steps_.case(explainer.terrain_.point(X.iloc[70])).vertex is not None
    grown.save(tmp_path)
    loaded = FACElift.load(tmp_path, model=rich)
    assert loaded.terrain_.decode(loaded.graph_.points[60:]).equals(
        grown.terrain_.decode(grown.graph_.points[60:])
    )


@KINDS
def test_replanning_starts_at_the_case_as_it_is(steps):
    income, other = 1064.6475731499827, 949.4072098001847
    fitted = FITTED[steps, True]
    fitted = fitted.under(fitted.terrain_.between("income", income, 1e6))
    guide = Guide(fitted.explain(person(income), target=1))
    plan = guide.plan(Walk())
    assert plan.row["income"] == income
    again = guide.moved(Walk(), SetLimits(plan.walk.limits))
    assert guide.plan(again).row["income"] == income
    free = FITTED[steps, True].explain(person(income), target=1)
    guide = Guide(free)
    elsewhere = guide.moved(Walk(), Other({"income": other}))
    assert elsewhere.origin[0] == other
    plan = guide.plan(elsewhere)
    assert plan.row["income"] == other
    assert all(way.rows["income"].iloc[0] == other for way in guide.searched(elsewhere))


@KINDS
def test_an_audit_takes_people_at_their_own_bound_and_no_others(steps):
    bound = 49.40720980018477
    fitted = FITTED[steps, True]
    explainer = fitted.under(fitted.terrain_.between("income", bound, 1e6))
    incomes = [bound, float(np.nextafter(bound, -math.inf)), 1064.6475731499827, 900.0]
    table = pd.DataFrame([person(income) for income in incomes])
    found = audit(explainer, table, by="home", target=1)
    assert found["n"].tolist() == [3]


def test_a_history_ends_at_the_case_as_it_is():
    income = 949.4072098001847
    for history in retrospect(FITTED["rows", True], person(income), n_histories=2):
        assert history.journey.rows["income"].iloc[-1] == income


def numbered(chances):
    """A model that knows numbers to the last digit."""
    return lambda x: np.array([[1 - chances[each], chances[each]] for each in x[:, 0].tolist()])


@pytest.mark.parametrize("n_neighbors", [1, 2])
def test_a_record_that_no_distance_tells_from_the_case_is_nowhere_to_go(n_neighbors):
    table = np.array([[-1.1e16], [0.0], [1.0], [1e15]])  # 0 and 1 are one place beside that range
    model = numbered({-1.1e16: 0.4, 0.0: 0.7, 1.0: 0.1, 1e15: 0.8})
    explainer = FACElift(model, n_neighbors=n_neighbors).fit(table)
    assert len(explainer.graph_) == 3
    (journey,) = explainer.explain([1.0], target=1)
    assert journey.rows["x0"].tolist() == [1.0, 1e15]
    assert journey.chances.tolist() == [0.1, 0.8]
    (alike,) = explainer.explain_many(np.array([[1.0]]), target=1)
    assert alike.to_json() == explainer.explain([1.0], target=1).to_json()
    alone = FACElift(numbered({-1.1e16: 0.4, 0.0: 0.7, 1.0: 0.1})).fit(table[:3])
    assert not alone.explain([1.0], target=1)
