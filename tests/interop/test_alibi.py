"""Results of alibi, by their shape, as multiverses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from facelift import FACElift, from_alibi, from_dice
from facelift.errors import InvalidInput


@pytest.fixture(scope="module")
def plane() -> FACElift:
    points = np.random.default_rng(0).random((200, 2)).round(2)
    model = lambda x: np.column_stack([x.sum(axis=1) < 1, x.sum(axis=1) >= 1])  # noqa: E731
    return FACElift(model).fit(points)


@pytest.mark.parametrize(
    "others",
    [
        {0: [], 1: [{"X": np.array([[0.9, 0.8]]), "class": 1}]},
        {0: [np.array([[0.9, 0.8]])], 1: []},
        [np.array([0.9, 0.8])],
    ],
    ids=["Counterfactual", "CounterfactualProto", "plain"],
)
def test_what_alibi_found_on_the_way_counts_too(plane, others):
    data = {"cf": {"X": np.array([[0.6, 0.6]]), "class": 1}, "all": others}
    found = from_alibi(SimpleNamespace(data=data), plane, x=[0.1, 0.2])
    ends = [plane.terrain_.decode(journey.waypoints)[-1].tolist() for journey in found]
    assert sorted(ends) == [[0.6, 0.6], [0.9, 0.8]]


def test_an_explanation_may_hold_the_case_itself(plane):
    data = {"orig": {"X": np.array([[0.1, 0.2]])}, "cf": {"X": np.array([[0.6, 0.6]])}}
    found = from_alibi(SimpleNamespace(data=data), plane)
    assert plane.terrain_.decode(found[0].waypoints)[0].tolist() == [0.1, 0.2]


def test_alibi_may_have_found_nothing(plane):
    found = from_alibi(SimpleNamespace(data={"cf": None, "all": {0: []}}), plane, x=[0.1, 0.2])
    assert str(found.why_not).startswith("alibi found no")


def test_arrays_of_alibi_fit_frames_by_their_place(X):
    numbers = X.drop(columns="job")
    model = LogisticRegression(max_iter=500).fit(numbers, numbers["savings"] > numbers["debt"])
    explainer = FACElift(model).fit(numbers)
    data = {"cf": {"X": np.array([[30.0, 90.0, 10.0]])}}
    found = from_alibi(data, explainer, x={"age": 30, "savings": 10, "debt": 60}, target=True)
    assert found[0].rows.iloc[-1].tolist() == [30, 90, 10]


def test_what_is_no_result_is_one_clear_error(plane):
    with pytest.raises(InvalidInput, match="cf_examples_list"):
        from_dice({}, plane)
    with pytest.raises(InvalidInput, match="'cf'"):
        from_alibi([1], plane)
    with pytest.raises(InvalidInput, match="give it as x"):
        from_alibi({"cf": {"X": [[0.6, 0.6]]}}, plane)
