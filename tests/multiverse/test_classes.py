from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facelift as fl
from facelift.errors import InvalidInput
from facelift.geometry import opportunity_potential
from facelift.multiverse.words import shift_words
from facelift.views.page import document
from facelift.views.text import multiverse_text
from facelift.walking import Position
from facelift.walking.guide import Guide
from facelift.walking.walk import Other, Take, Walk

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


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_the_page_tells_what_ways_do_for_classes_to_keep_open(steps):
    settings = {"plausibility": 1.0} if steps == "actions" else {"n_neighbors": 4}
    multiverse = explainer(steps, **settings).explain([1.0, 1.0], target=1, keep_open=2)
    guide = Guide(multiverse, words={"2": "above"})
    told = document(guide, Walk()).comparison
    assert helping(told, "above") == [f"{x:.0%}" for x in multiverse.class_opportunity[:, 0]]
    assert "towards 2" not in told.orders


def helping(told, outcome):
    """What every way does for an outcome, as the page has it."""
    names = [str(aspect.name) for aspect in told.aspects]
    place = names.index(f"helps towards {outcome}")
    return [str(way.cells[place]) for way in told.ways]


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_a_new_plan_on_the_page_keeps_the_same_classes_open(steps):
    settings = {"plausibility": 1.0} if steps == "actions" else {"n_neighbors": 4}
    made = explainer(steps, **settings)
    guide = Guide(made.explain([1.0, 1.0], target=1, keep_open=2))
    plan = guide.plan(guide.moved(Walk(), Other({"x0": 1.0, "x1": 2.0})))
    asked = made.explain([1.0, 2.0], target=1, keep_open=2)
    expected = dict(zip(map(end_of, asked), asked.class_opportunity[:, 0], strict=True))
    found = dict(zip(map(end_of, plan.ways), plan.class_opportunity[:, 0], strict=True))
    shared = expected.keys() & found.keys()
    assert shared
    assert [found[end] for end in shared] == pytest.approx([expected[end] for end in shared])


def end_of(journey):
    return tuple(journey.counterfactual.tolist())


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_after_a_step_classes_are_measured_from_there(steps):
    settings = {"plausibility": 1.0} if steps == "actions" else {"n_neighbors": 4}
    multiverse = explainer(steps, **settings).explain([1.0, 1.0], target=1, keep_open=2)
    guide, rests = Guide(multiverse), {}
    for way in multiverse:
        rest = opportunity_potential(way.step_costs[1:], way.towards[1:])
        rests[tuple(way.vertices[1:].tolist())] = rest
    n_compared = 0
    for option in guide.plan(Walk()).options:
        plan = guide.plan(guide.moved(Walk(), Take(option.end)))
        for way, told in zip(plan.ways, plan.class_opportunity, strict=True):
            if (rest := rests.get(tuple(way.vertices.tolist()))) is not None:
                assert told == pytest.approx(rest)
                n_compared += 1
    assert n_compared


def test_with_a_step_ruled_out_classes_are_measured_without_it():
    multiverse = explainer(n_neighbors=4).explain([1.0, 1.0], target=1, keep_open=2)
    here = Position.start(multiverse)
    left = here.block(here.options()[0]).replan().multiverse
    assert left.kept == ("2",)
    free = explainer(n_neighbors=4).explain([1.0, 1.0], target=2)[0].cost
    assert len(left)
    assert all(way.towards[0, 0] >= free * (1 - 1e-9) for way in left)
    assert ((left.class_opportunity >= 0) & (left.class_opportunity <= 1)).all()


def test_classes_to_keep_open_outlive_a_search_that_finds_nothing():
    level = fl.Terrain.infer(GRID).freeze("x0").freeze("x1")
    made = fl.FACElift(thirds, level, steps="actions", threshold=0.4).fit(GRID)
    found = made.explain([1.0, 1.0], target=1, keep_open=2)
    assert (len(found), found.kept, found.class_opportunity.shape) == (0, ("2",), (0, 1))
