"""The oracle: one place asks the model, and what it says is remembered, compared and agreed on."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift
from facelift.errors import InvalidModel
from facelift.models import Committee, Memory

LINE = np.arange(11.0)[:, np.newaxis]


class Counting:
    """A model that remembers how many rows it was asked about."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.slope = 1.0

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        self.asked.append(len(rows))
        chance = (self.slope * rows / 10).clip(0, 1)
        return np.hstack([1 - chance, chance])


@pytest.fixture
def model():
    return Counting()


@pytest.fixture
def oracle(model):
    return FACElift(model, n_neighbors=2).fit(LINE).oracle_


def test_records_keep_the_answers_of_the_fit(oracle, model):
    model.asked.clear()
    found = oracle.recorded(np.array([[0.2], [0.25], [1.0]]))
    assert found[:, 1].tolist() == [0.2, 0.25, 1.0]
    assert model.asked == [1]


def test_without_a_memory_the_model_is_asked_each_time(oracle, model):
    model.asked.clear()
    for _ in range(2):
        oracle.answers(np.array([[0.25]]))
    assert model.asked == [1, 1]


def test_with_a_memory_only_new_points_are_asked_about(oracle, model):
    remembering = oracle.remembering()
    remembering.answers(np.array([[0.25], [0.35]]))
    model.asked.clear()
    again = remembering.answers(np.array([[0.45], [0.35]]))
    assert again[:, 1] == pytest.approx([0.45, 0.35])
    assert model.asked == [1]


def test_a_memory_forgets_kinds_of_findings_too():
    memory, points = Memory(), np.ones((1, 1))
    for bound in range(100):
        memory.recall(points, lambda some: some, ("plausible", bound))
    assert len(memory._known) < 20


def test_a_memory_forgets_kinds_of_findings_that_nobody_asks_about():
    memory, points, asked = Memory(), np.ones((1, 1)), []
    for bound in range(20):
        memory.recall(points, lambda some: some, ("plausible", bound))
        memory.recall(points, lambda some: asked.append(1) or some)
    assert asked == [1]


def test_a_memory_forgets_rather_than_grow_without_end():
    memory, found = Memory(most=10), []
    points = np.arange(16.0).reshape(8, 2)

    def twice(some):
        found.append(len(some))
        return some * 2

    for start in (0.0, 100.0, 200.0, 200.0, 0.0):
        assert np.array_equal(memory.recall(points + start, twice), (points + start) * 2)
    assert found == [8, 8, 8, 8]


def test_findings_of_different_kinds_do_not_mix():
    memory, points = Memory(), np.ones((1, 1))
    assert memory.recall(points, lambda some: some * 2).tolist() == [[2.0]]
    assert memory.recall(points, lambda some: some * 3, "thrice").tolist() == [[3.0]]


def test_a_model_that_changed_is_noticed(oracle, model):
    points, said = oracle.points[[3, 3, 4]], oracle.known[[3, 3, 4]]
    oracle.check_unchanged(points, said)
    oracle.check_records()
    model.slope = 0.9
    with pytest.raises(InvalidModel, match="answers differently"):
        oracle.check_unchanged(points, said)
    with pytest.raises(InvalidModel, match="answers differently"):
        oracle.check_records()


def test_a_committee_is_one_value_or_a_list_of_which_nobody_must_agree(model):
    members = [lambda rows: model(rows - 2), lambda rows: model(rows - 4)]
    one = FACElift(model, committee=Committee(members, min_agreement=1.0)).fit(LINE)
    listed = FACElift(model, committee=members).fit(LINE)
    loose = one.under(one.terrain_, committee=one.committee.needing(0.0))
    assert loose.explain([2.0]).to_json() == listed.explain([2.0]).to_json()
    assert one.explain([2.0])[0].rows["x0"].iloc[-1] == 9.0


def test_who_must_agree_decides_what_reaches_a_goal(model):
    members = [lambda rows: model(rows - 2), lambda rows: model(rows - 4)]
    points = np.array([[0.5], [0.7], [0.9]])
    for needed, expected in ((0.0, [1, 1, 1]), (0.5, [0, 1, 1]), (1.0, [0, 0, 1])):
        explainer = FACElift(model, committee=Committee(members, needed)).fit(LINE)
        oracle = explainer.oracle_
        goal = oracle.goal(1, oracle.known[0], 0.5)
        assert oracle.reaches(points, goal).tolist() == expected
        assert oracle.records_reaching(goal)[[5, 7, 9]].tolist() == expected
        assert oracle.agreement(points, goal).tolist() == [0.0, 0.5, 1.0]
        vertices = np.array([5, 7, len(LINE)])
        shares = oracle.record_agreement(vertices, np.array([0.9]), goal)
        assert shares.tolist() == [0.0, 0.5, 1.0]
