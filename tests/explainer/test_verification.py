"""Every counterfactual is put to the model again when it is explained."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift, audit
from facelift.errors import InvalidModel

POINTS = np.random.default_rng(0).random((300, 2))


class Mutable:
    """A model whose border can be moved after it was fitted, and that counts what it is asked."""

    def __init__(self) -> None:
        self.border, self.asked = 1.2, 0

    def __call__(self, points: np.ndarray) -> np.ndarray:
        self.asked += len(points)
        good = (points.sum(axis=1) > self.border).astype(float)
        return np.column_stack([1 - good, good])


@pytest.fixture
def model():
    return Mutable()


def declined(model, n):
    return POINTS[model(POINTS)[:, 1] < 0.5][:n]


def explainer_of(model, **parameters):
    return FACElift(model, n_neighbors=6, n_counterfactuals=4, **parameters).fit(POINTS)


def test_a_model_that_changed_since_the_fit_is_noticed(model):
    explainer, people = explainer_of(model), declined(model, 20)
    assert len(explainer.explain(people[0])) == 4
    model.border = 1.6
    with pytest.raises(InvalidModel, match="answers differently"):
        explainer.explain(people[0])
    with pytest.raises(InvalidModel, match="answers differently"):
        explainer.explain_many(people)


def test_the_case_and_all_destinations_are_asked_about(model):
    explainer, people = explainer_of(model), declined(model, 20)
    ends = [journey.rows.iloc[-1].tolist() for journey in explainer.explain(people[3])]
    for changed in [people[3].tolist(), *ends]:
        answers = explainer.model

        def other(points, changed=changed, answers=answers):
            flipped = (points == changed).all(axis=1)
            return np.where(flipped[:, np.newaxis], answers(points)[:, ::-1], answers(points))

        with pytest.raises(InvalidModel, match="answers differently"):
            explainer.set_params(model=other).explain(people[3])
        explainer.set_params(model=answers)


def test_a_model_that_answers_at_random_is_noticed():
    rng = np.random.default_rng(0)

    def moody(points):
        good = rng.random(len(points))
        return np.column_stack([1 - good, good])

    with pytest.raises(InvalidModel, match="answers differently"):
        explainer_of(moody).explain_many(POINTS[:20], 1)


def test_of_many_people_the_model_is_asked_at_once(model, monkeypatch):
    monkeypatch.setattr("facelift.explainer.GATHERED_FOR", 60.0)
    explainer, people = explainer_of(model, verify=False), declined(model, 60)
    expected = [found.to_json() for found in explainer.explain_many(people)]
    model.asked = 0
    found = explainer.set_params(verify=True).explain_many(people)
    assert [each.to_json() for each in found] == expected
    first, *others = [{tuple(each.waypoints[-1].tolist()) for each in some} for some in found]
    n_ends = len(first) + len(set().union(*others))  # each once, whoever heads for it
    assert n_ends + len(people) == model.asked


def test_nobody_asks_when_told_not_to(model):
    explainer, people = explainer_of(model, verify=False), declined(model, 5)
    model.asked = 0
    explainer.explain(people[0])
    explainer.explain_many(people)
    assert model.asked == 0


def test_a_case_that_needs_nothing_or_has_no_way_is_asked_about_too(model):
    explainer = explainer_of(model)
    granted = POINTS[model(POINTS)[:, 1] > 0.5][0]
    frozen = explainer.under(explainer.terrain_.freeze("x0", "x1"))
    declined_one = declined(model, 1)[0]
    assert explainer.explain(granted, 1).why_not.reason == "already there"
    assert frozen.explain(declined_one, 1).why_not.reason == "no route"
    model.border = 1.9
    with pytest.raises(InvalidModel, match="answers differently"):
        explainer.explain(granted, 1)
    model.border = -1.0
    with pytest.raises(InvalidModel, match="answers differently"):
        frozen.explain(declined_one, 1)


def test_an_audit_notices_too(model):
    explainer = explainer_of(model)
    groups = np.array(["a", "b"] * 30)
    audit(explainer, POINTS[:60], by=groups, target=1)
    model.border = 1.6
    with pytest.raises(InvalidModel, match="answers differently"):
        audit(explainer, POINTS[:60], by=groups, target=1)


def test_through_actions_the_case_is_asked_about_again(model):
    explainer = explainer_of(model, steps="actions")
    person = declined(model, 1)[0]
    assert len(explainer.explain(person))
    model.border = 0.1
    with pytest.raises(InvalidModel, match="answers differently"):
        explainer.explain(person, 1)


def test_single_precision_that_adds_up_in_another_order_is_the_same_model():
    rng = np.random.default_rng(1)
    weights = (rng.normal(size=40) * 1e5).astype(np.float32)
    rows = rng.random((800, 40))
    middle = np.float32(np.median(rows.astype(np.float32) @ weights))

    def regressor(points):
        return (np.asarray(points, np.float32) @ weights - middle).astype(float)

    explainer = FACElift(regressor, n_neighbors=6).fit(rows[:400])
    new = rows[400:]
    low = new[regressor(new) < 0]
    assert len(explainer.explain_many(low, (0, None))) == len(low) > 100


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e6])
def test_another_regressor_is_noticed_whatever_its_unit(scale):
    factor = [scale]

    def regressor(points):
        return factor[-1] * points.sum(axis=1)

    explainer = FACElift(regressor, n_neighbors=6).fit(POINTS)
    person = POINTS[POINTS.sum(axis=1) < 1][0]
    assert len(explainer.explain(person, (1.2 * scale, None)))
    factor.append(0.999 * scale)
    with pytest.raises(InvalidModel, match="answers differently"):
        explainer.explain(person, (1.2 * scale, None))
