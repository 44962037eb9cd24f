from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facelift as fl
from facelift.errors import InvalidInput
from facelift.multiverse.words import shift_words
from facelift.views.text import multiverse_text

GRID = np.array([[x, y] for x in range(6) for y in range(6)], dtype=float)


def thirds(points):
    """Three classes: one by default, one to the right, one above."""
    points = np.asarray(points, dtype=float)
    weights = np.column_stack([np.full(len(points), 0.6), points[:, 0] / 5, points[:, 1] / 5])
    return np.exp(5 * weights) / np.exp(5 * weights).sum(axis=1, keepdims=True)


def explainer(steps="rows", **settings):
    made = fl.FACElift(thirds, steps=steps, n_counterfactuals=4, threshold=0.4, **settings)
    return made.fit(GRID)


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_what_is_left_to_a_class_is_what_is_left_to_its_nearest_member(steps):
    made = explainer(steps, plausibility=1.0) if steps == "actions" else explainer(n_neighbors=4)
    multiverse = made.explain([1.0, 1.0], target=1, keep_open=2)
    assert multiverse.kept == ("2",)
    for journey in multiverse:
        for waypoint, left in zip(journey.waypoints, journey.towards[:, 0], strict=True):
            row = made.terrain_.to_pandas(waypoint[np.newaxis]).iloc[0].to_numpy()
            ways = made.explain(row, target=2)
            there = ways.why_not is not None and ways.why_not.reason == "already there"
            assert left == pytest.approx(0.0 if there else ways[0].cost, abs=1e-9)


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_a_class_that_nothing_leads_to_is_out_of_reach(steps):
    level = fl.Terrain.infer(GRID).freeze("x1")
    settings = {"plausibility": 1.0} if steps == "actions" else {"n_neighbors": 4}
    made = fl.FACElift(thirds, level, steps=steps, n_counterfactuals=2, threshold=0.4, **settings)
    multiverse = made.fit(GRID).explain([1.0, 0.0], target=1, keep_open=2)
    assert len(multiverse)
    assert all(np.isinf(way.towards).all() for way in multiverse)
    assert fl.keeping(multiverse).tolist() == [0.0] * len(multiverse)


def test_opportunity_towards_a_class_of_one_record_is_that_towards_the_record():
    multiverse = explainer(n_neighbors=4).explain([1.0, 1.0], target=1)
    own = tuple(replace(way, towards=way.remaining[:, [0]]) for way in multiverse)
    kept = replace(multiverse, journeys=own, kept=("first",))
    assert kept.class_opportunity[:, 0].tolist() == multiverse.opportunity[:, 0].tolist()
    assert fl.keeping(kept).tolist() == multiverse.opportunity[:, 0].tolist()


def test_a_way_to_several_classes_says_which_it_reaches():
    multiverse = explainer(n_neighbors=4).explain([1.0, 1.0], target=[1, 2])
    assert {way.reaches for way in multiverse} == {"1", "2"}
    for way in multiverse:
        assert 1 + way.probabilities[-1, 1:].argmax() == int(way.reaches)
        assert f"{way.reaches}" in multiverse_text(multiverse)
    assert [way["reaches"] for way in _json(multiverse)["journeys"]] == [
        way.reaches for way in multiverse
    ]


def _json(multiverse):
    import json

    return json.loads(multiverse.to_json())


def test_documents_keep_what_is_left_to_classes():
    multiverse = explainer(n_neighbors=4).explain([1.0, 1.0], target=1, keep_open=[2])
    read = fl.Multiverse.from_json(multiverse.to_json())
    assert read.to_json() == multiverse.to_json()
    assert read.class_opportunity.tolist() == multiverse.class_opportunity.tolist()
    assert "serves 2" in multiverse_text(multiverse, width=120)


def test_classes_that_cannot_be_kept_open_are_refused():
    made = explainer(n_neighbors=4)
    with pytest.raises(InvalidInput, match="wanted already"):
        made.explain([1.0, 1.0], target=1, keep_open=[1])
    with pytest.raises(InvalidInput, match="no class 7"):
        made.explain([1.0, 1.0], target=1, keep_open=7)


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
def test_shifts_say_what_rises_and_what_falls_and_nothing_else(weights):
    before, after = (np.array(each) / sum(each) for each in (weights[:3], weights[3:]))
    rising, _, falling = shift_words(before, after, "abc").partition("less likely")
    for i, name in enumerate("abc"):
        change = after[i] - before[i]
        assert (f"{name} (+" in rising) == (change >= 0.005)
        assert (f"{name} (−" in rising + falling) == (change <= -0.005)


def test_two_classes_need_no_shifts():
    assert shift_words(np.array([0.2, 0.8]), np.array([0.5, 0.5]), ["a", "b"]) == ""
