"""What every baseline promises, whatever it does inside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from facelift import Multiverse, Terrain
from facelift.baselines import FACE, DiverseNearest, GrowingSpheres, Prototype
from facelift.errors import InvalidData, InvalidInput, NotFitted

EXPLAINERS = {
    "FACE": lambda model, terrain=None: FACE(model, terrain, n_neighbors=16),
    "DiverseNearest": lambda model, terrain=None: DiverseNearest(model, terrain, n_neighbors=16),
    "GrowingSpheres": lambda model, terrain=None: GrowingSpheres(model, terrain, n_samples=100),
    "Prototype": lambda model, terrain=None: Prototype(model, terrain, max_iter=60, n_c_steps=3),
}


@pytest.fixture(params=EXPLAINERS, scope="module")
def make(request):
    return EXPLAINERS[request.param]


@pytest.fixture(scope="module")
def rejected(lending) -> pd.DataFrame:
    return lending.X[lending.chances() < 0.5].iloc[:12]


@pytest.fixture(scope="module")
def fitted(make, lending):
    return make(lending.model).fit(lending.X)


@pytest.fixture(scope="module")
def explained(fitted, rejected):
    """What is found for all of them, asked once for whoever looks at it."""
    return fitted.explain_many(rejected)


def same(one: Multiverse, other: Multiverse) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.waypoints, b.waypoints, atol=1e-9)
    assert (one.why_not is None) == (other.why_not is None)


def test_every_counterfactual_has_the_outcome_by_the_models_own_word(fitted, lending, rejected):
    found = fitted.explain_many(rejected, target="granted")
    assert sum(len(multiverse) > 0 for multiverse in found) >= 11
    for multiverse in found:
        for journey in multiverse:
            answers = lending.model.predict_proba(journey.rows)
            np.testing.assert_allclose(journey.probabilities, answers, atol=1e-9)
            assert answers[-1, 1] >= 0.5


def test_journeys_begin_at_the_case(explained, rejected):
    for multiverse, (_, row) in zip(explained, rejected.iterrows(), strict=True):
        for journey in multiverse:
            assert journey.rows.iloc[0].to_dict() == pytest.approx(row.to_dict())


def test_waypoints_between_the_ends_are_records(explained, lending):
    for multiverse in explained:
        for journey in multiverse:
            between = journey.rows.iloc[1:-1]
            assert len(between.merge(lending.X.drop_duplicates())) == len(between)


def test_many_are_explained_as_each_alone(explained, fitted, rejected):
    some = rejected.iloc[:4]
    for multiverse, (_, row) in zip(explained[:4], some.iterrows(), strict=True):
        same(multiverse, fitted.explain(row))


def test_the_same_question_has_the_same_answer(make, explained, lending, rejected):
    again = make(lending.model).fit(lending.X)
    for one, other in zip(
        explained[:4],
        again.explain_many(rejected.iloc[3::-1])[::-1],
        strict=True,
    ):
        same(one, other)


def test_what_is_ruled_out_never_happens(make, lending, rejected):
    terrain = (
        Terrain.infer(lending.X)
        .freeze("town", "employed")
        .increase_only("income")
        .forbid("housing", "own", "rent")
        .between("debts", 0, 3)
    )
    explainer = make(lending.model, terrain).fit(lending.X)
    n_found = 0
    for multiverse in explainer.explain_many(rejected):
        for journey in multiverse:
            n_found += 1
            rows = journey.rows
            assert len(set(rows["town"])) == 1
            assert len(set(rows["employed"])) == 1
            assert rows["income"].is_monotonic_increasing
            moves = set(zip(rows["housing"][:-1], rows["housing"][1:], strict=True))
            assert ("own", "rent") not in moves
            assert np.isfinite(terrain.cost(journey.waypoints[:-1], journey.waypoints[1:])).all()
    assert n_found >= 8


def test_requirements_hold_at_every_waypoint(make, lending):
    terrain = Terrain.infer(lending.X).require("debts <= 2 or income >= 30")
    explainer = make(lending.model, terrain).fit(lending.X)
    good = (lending.X["debts"] <= 2) | (lending.X["income"] >= 30)
    cases = lending.X[good & (lending.chances() < 0.5)].iloc[:8]
    for multiverse in explainer.explain_many(cases):
        for journey in multiverse:
            rows = journey.rows
            assert ((rows["debts"] <= 2) | (rows["income"] >= 30)).all()


def test_a_case_that_has_the_outcome_needs_nothing(fitted, lending):
    lucky = lending.X[lending.chances() >= 0.5].iloc[0]
    multiverse = fitted.explain(lucky, target="granted")
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "already there"


def test_no_way_is_a_finding_with_a_reason(make, lending, rejected):
    terrain = Terrain.infer(lending.X).freeze(*lending.X.columns)
    explainer = make(lending.model, terrain).fit(lending.X)
    for multiverse in explainer.explain_many(rejected.iloc[:3]):
        assert len(multiverse) == 0
        assert multiverse.why_not.reason in ("no candidate", "no route")


def test_a_bad_row_does_not_spoil_the_batch(fitted, rejected):
    rows = rejected.iloc[:3].astype({"town": object})
    rows.iloc[1, rows.columns.get_loc("town")] = "Atlantis"
    first, bad, last = fitted.explain_many(rows)
    assert len(first) > 0
    assert len(last) > 0
    assert bad.why_not.reason == "bad row"
    assert "Atlantis" in bad.why_not.message
    with pytest.raises(InvalidData, match="Atlantis"):
        fitted.explain(rows.iloc[1])


def test_an_empty_batch_is_an_empty_list(fitted, rejected):
    assert fitted.explain_many(rejected.iloc[:0]) == []


def test_a_class_that_is_not_there_is_refused(fitted, rejected):
    with pytest.raises(InvalidInput, match="did you mean 'granted'"):
        fitted.explain(rejected.iloc[0], target="grantd")


def test_explaining_before_fitting_is_an_error(make, lending):
    for ask in ("explain", "explain_many"):
        with pytest.raises(NotFitted, match="call fit"):
            getattr(make(lending.model), ask)(lending.X)


def test_a_clone_is_unfitted_and_shares_the_model(fitted, lending, rejected):
    copy = clone(fitted)
    assert copy.model is fitted.model
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFitted):
        copy.explain(rejected.iloc[0])
    same(copy.fit(lending.X).explain(rejected.iloc[0]), fitted.explain(rejected.iloc[0]))


def test_fitted_attributes_are_named_as_in_facelift(fitted, lending):
    assert fitted.classes_.tolist() == ["declined", "granted"]
    assert fitted.probabilities_.shape[1] == 2
    assert fitted.vertices_.shape == (len(lending.X),)
    assert fitted.terrain_.schema.names == lending.X.columns.to_list()


class Corners:
    """Three classes: which corner of a triangle is nearest."""

    classes_ = np.array(["a", "b", "c"])

    def predict_proba(self, points: np.ndarray) -> np.ndarray:
        corners = np.array([[0, 0], [1, 0], [0.5, 1]])
        distances = ((points[:, np.newaxis] - corners) ** 2).sum(axis=2)
        odds = np.exp(-20 * distances)
        return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("target", ["c", ["b", "c"]])
def test_one_of_many_classes_or_several_can_be_asked_for(make, target):
    points = np.random.default_rng(0).random((150, 2))
    model = Corners()
    explainer = make(model).fit(points)
    wanted = [list(model.classes_).index(label) for label in target]
    for point in points[model.predict_proba(points)[:, 0] > 0.6][:3]:
        for journey in explainer.explain(point, target=target):
            assert journey.probabilities[-1, wanted].sum() >= 0.5 - 1e-9
    with pytest.raises(InvalidInput, match="name the target"):
        explainer.explain(points[0])


@pytest.mark.parametrize("kind", ["array", "polars"])
def test_other_kinds_of_tables_are_taken_and_given(make, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(80).round(3), "b": rng.integers(0, 9, 80)})

    def model(rows: Any) -> np.ndarray:
        if kind == "polars":
            assert isinstance(rows, pl.DataFrame)
        values = np.asarray(rows.to_numpy() if kind == "polars" else rows, dtype=float)
        good = (values[:, 0] + values[:, 1] / 9 > 1).astype(float)
        return np.column_stack([1 - good, good])

    table = pl.from_pandas(frame) if kind == "polars" else frame.to_numpy()
    explainer = make(model).fit(table)
    bad = [0.1, 2] if kind == "array" else {"a": 0.1, "b": 2}
    for journey in explainer.explain(bad, target=1):
        assert journey.chances[-1] == 1.0
        if kind == "polars":
            assert (journey.rows["b"] % 1 == 0).all()


def test_results_can_be_told_as_tables_and_documents(explained):
    multiverse = next(m for m in explained if len(m))
    table = multiverse.to_frame()
    assert {"journey", "step", "feature", "from", "to", "probability"} <= set(table.columns)
    again = Multiverse.from_json(multiverse.to_json())
    same(again, multiverse)
