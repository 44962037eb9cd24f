"""The target: classes by name, sets of them, and rows to choose among."""

from __future__ import annotations

import numpy as np
import pytest
from tests.explainer.worlds import hopeful, line, upper

from facelift import FACElift
from facelift.errors import (
    InvalidInput,
)


@pytest.mark.parametrize(
    "target",
    [None, "granted", ["granted"], {"granted"}, ("granted", "granted"), np.array(["granted"])],
    ids=str,
)
def test_every_way_to_name_the_other_class_means_the_same(lending, target):
    row = lending.X.iloc[[hopeful(lending)[4]]]
    expected = lending.explainer.explain(row, target="granted").to_json()
    assert lending.explainer.explain(row, target=target).to_json() == expected


def test_the_own_class_as_target_is_already_there(lending):
    row = lending.X.iloc[[hopeful(lending)[4]]]
    assert lending.explainer.explain(row, target="declined").why_not.reason == "already there"


def test_without_a_target_a_granted_person_is_led_to_the_other_class(lending):
    best = int(np.argmax(lending.chances()))
    multiverse = lending.explainer.explain(lending.X.iloc[[best]])
    assert multiverse.goal.target == ("declined",)
    assert all(j.probabilities[-1, 0] >= 0.5 for j in multiverse)


def test_an_unknown_label_gets_the_nearest_name(lending):
    with pytest.raises(InvalidInput, match=r"no class 'grantd'; did you mean 'granted'\?"):
        lending.explainer.explain(lending.X.iloc[[0]], "grantd")


@pytest.mark.parametrize("target", [["declined", "granted"], []], ids=["all", "none"])
def test_the_target_is_some_but_not_all_of_the_classes(lending, target):
    with pytest.raises(InvalidInput, match="some but not all"):
        lending.explainer.explain(lending.X.iloc[[0]], target)


@pytest.mark.parametrize("label", [1, np.int64(1), [1], [np.int64(1)]], ids=str)
def test_numbers_can_be_labels(label):
    explainer = FACElift(upper, n_neighbors=2).fit(line())
    assert explainer.explain([0.1], label).goal.target == ("1",)


def test_any_of_two_classes_will_do_and_their_chances_add_up(iris):
    X, model, explainer = iris
    multiverse = explainer.explain(X.iloc[[0]], ["versicolor", "virginica"])
    assert len(multiverse) == 6
    assert multiverse.goal.target == ("versicolor", "virginica")
    for journey in multiverse:
        asked = model.predict_proba(journey.rows)
        assert journey.probabilities == pytest.approx(asked)
        assert journey.chances == pytest.approx(asked[:, 1] + asked[:, 2])
        assert journey.chances[-1] >= 0.5


def test_with_more_than_two_classes_the_target_must_be_named(iris):
    X, _, explainer = iris
    with pytest.raises(InvalidInput, match=r"3 classes.*setosa.*name the target"):
        explainer.explain(X.iloc[[0]])


def test_the_order_of_the_labels_does_not_matter(iris):
    X, _, explainer = iris
    one = explainer.explain(X.iloc[[0]], ["virginica", "versicolor"])
    other = explainer.explain(X.iloc[[0]], ("versicolor", "virginica"))
    assert one.to_json() == other.to_json()


def test_one_class_of_three_is_reached_when_it_is_asked_for(iris):
    X, model, explainer = iris
    for label in ("versicolor", "virginica"):
        multiverse = explainer.explain(X.iloc[[3]], label)
        assert len(multiverse) == 6
        assert {model.predict(j.rows)[-1] for j in multiverse} == {label}


def test_a_set_of_classes_can_be_reached_where_no_single_one_is():
    def thirds(points: np.ndarray) -> np.ndarray:
        return np.where(points > 0.5, [[0.2, 0.4, 0.4]], [[0.8, 0.1, 0.1]])

    explainer = FACElift(thirds, n_neighbors=2).fit(line())
    assert explainer.explain([0.0], 1).why_not.reason == "no candidate"
    together = explainer.explain([0.0], [1, 2])
    assert together[0].chances[-1] == pytest.approx(0.8)


def test_only_the_rows_asked_for_are_destinations(lending):
    row = lending.X.iloc[[hopeful(lending)[3]]]
    free = lending.explainer.explain(row)
    taken = free[0].rows["town"].iloc[-1]
    elsewhere = (lending.X["town"] != taken).to_numpy()
    multiverse = lending.explainer.explain(row, among=elsewhere)
    assert len(multiverse) == 5
    assert taken not in {journey.rows["town"].iloc[-1] for journey in multiverse}
    assert multiverse[0].cost > free[0].cost
    every = np.ones(len(lending.X), dtype=bool)
    assert lending.explainer.explain(row, among=every).to_json() == free.to_json()


def test_many_choose_among_the_same_rows_as_each_alone(lending):
    rows = lending.X.iloc[hopeful(lending)[:5]]
    renting = (lending.X["housing"] == "rent").to_numpy()
    together = lending.explainer.explain_many(rows, among=renting)
    for multiverse, (_, row) in zip(together, rows.iterrows(), strict=True):
        assert multiverse.to_json() == lending.explainer.explain(row, among=renting).to_json()
        assert {journey.rows["housing"].iloc[-1] for journey in multiverse} <= {"rent"}


def test_no_row_to_choose_among_leaves_no_candidate(lending):
    row = lending.X.iloc[[hopeful(lending)[3]]]
    declined = lending.chances() < 0.5
    why_not = lending.explainer.explain(row, among=declined).why_not
    assert why_not.reason == "no candidate"
    assert why_not.best_chance == pytest.approx(lending.chances()[declined].max())


@pytest.mark.parametrize("among", [[True], [1] * 160, np.ones((160, 2), dtype=bool), "all"])
def test_what_to_choose_among_is_one_boolean_per_row(lending, among):
    with pytest.raises(InvalidInput, match="one boolean per row"):
        lending.explainer.explain(lending.X.iloc[[hopeful(lending)[3]]], among=among)
