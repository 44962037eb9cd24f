"""The ground that ways run over: how empty, how firm at the end, how often the model errs there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift.errors import InvalidInput

LINE = np.arange(11.0)[:, np.newaxis]


def model(x):
    """Yes from 6 on."""
    return np.hstack([x < 6, x >= 6]).astype(float)


def explained(y=None, **parameters):
    settings = {"n_neighbors": 2, "n_counterfactuals": 2} | parameters
    return fl.FACElift(model, **settings).fit(LINE, y).explain([3.0])


def test_the_emptiest_stretch_is_half_the_widest_gap():
    table = np.array([0.0, 1, 2, 3, 7, 8, 10])[:, np.newaxis]
    found = fl.FACElift(model, n_neighbors=3, n_counterfactuals=1).fit(table).explain([2.0])
    half_a_gap = 0.2  # from 3 to 7, in spans of 10
    assert fl.ground(found)["emptiest"].tolist() == pytest.approx([half_a_gap])
    assert fl.feasibility(found).tolist() == pytest.approx([-0.2])


def test_the_emptiest_place_is_exact_wherever_it_lies():
    """On a line the nearest record changes halfway between any two: there it is emptiest."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        records = np.sort(np.append(rng.uniform(0, 100, size=rng.integers(3, 40)), [0.0, 100.0]))
        explainer = fl.FACElift(lambda x: np.hstack([x < 90, x >= 90]), n_neighbors=2).fit(
            records[:, np.newaxis]
        )
        found = explainer.explain([records[1]])
        for journey, emptiest in zip(found, fl.ground(found)["emptiest"], strict=True):
            end = journey.counterfactual[0] * 100
            middles = (records[1:] + records[:-1]) / 2
            passed = (middles > records[1]) & (middles < end)
            places = np.append(middles[passed], end)
            apart = np.abs(places[:, np.newaxis] - records).min(axis=1)
            assert emptiest == pytest.approx(apart.max() / 100, abs=1e-12)


def test_no_place_on_a_way_is_emptier_than_the_emptiest():
    rng = np.random.default_rng(1)
    for _ in range(20):
        table = rng.normal(size=(40, int(rng.integers(1, 4))))
        chance = lambda rows: np.column_stack([rows[:, 0] < 0.5, rows[:, 0] >= 0.5]) * 1.0  # noqa: E731
        explainer = fl.FACElift(chance, n_neighbors=4).fit(table)
        found = explainer.explain(table[np.argmin(table[:, 0])])
        points = explainer.graph_.points
        for journey, emptiest in zip(found, fl.ground(found)["emptiest"], strict=True):
            places, moves = journey.waypoints[:-1, np.newaxis], np.diff(journey.waypoints, axis=0)
            every = places + np.linspace(0, 1, 401)[:, np.newaxis] * moves[:, np.newaxis]
            apart = np.linalg.norm(every[..., np.newaxis, :] - points, axis=-1).min(axis=-1).max()
            widest = np.linalg.norm(moves, axis=1).max()
            assert apart - 1e-12 <= emptiest <= apart + widest / 800


def test_states_that_are_no_records_are_as_empty_as_they_are_far():
    table = pd.DataFrame({"a": [0.0, 10, 0, 10], "b": [0.0, 0, 10, 10]})

    def corner(rows):
        good = (rows["a"] + rows["b"]).to_numpy() > 12
        return np.column_stack([~good, good]).astype(float)

    found = fl.FACElift(corner, steps="actions", plausibility=1.0).fit(table).explain(table.iloc[0])
    told = fl.ground(found)
    for journey, emptiest in zip(found, told["emptiest"], strict=True):
        points = found.question.explainer.graph_.points
        apart = np.linalg.norm(journey.waypoints[:, None] - points[None], axis=2).min(axis=1)
        assert emptiest >= apart.max() - 1e-12


def test_the_end_is_as_firm_as_the_records_around_it():
    told = fl.ground(explained(), nearby=5)
    assert told["undone"].tolist() == [0.4, 0.2]  # around 6: 4 to 8; around 7: 5 to 9


def test_where_the_model_is_wrong_is_told_if_the_truth_is_known():
    truth = (LINE[:, 0] >= 8).astype(int)  # the model errs at 6 and 7
    told = fl.ground(explained(truth), nearby=5)
    assert told["wrong"].tolist() == [2, 2]
    assert told["known"].tolist() == [5, 5]
    assert fl.ground(explained(), nearby=5)["known"].tolist() == [0, 0]
    assert np.isnan(fl.correctness(explained())).all()


def test_correctness_can_be_chosen_by():
    truth = (LINE[:, 0] >= 9).astype(int)
    found = explained(truth, n_counterfactuals=4)
    told = fl.ground(found)
    right = 1 - told["wrong"] / told["known"]
    assert fl.correctness(found).tolist() == right.tolist()
    assert fl.correctness(found)[fl.best(found, fl.correctness).own] == right.max()


def test_truths_that_are_missing_are_not_counted():
    truth = [None, *[0] * 5, *[1] * 5]
    explainer = fl.FACElift(model, n_neighbors=2).fit(LINE, truth)
    assert explainer.truths_.sum() == 10
    assert explainer.truths_[0].tolist() == [0, 0, 0]


def test_who_truly_has_another_outcome_does_not_have_the_one_wanted():
    truth = ["0" if x < 6 else "neither" for x in LINE[:, 0]]
    parts = {"classes_": np.array(["0", "1"]), "predict_proba": lambda _, x: model(x)}
    named = type("Named", (), parts)()
    found = fl.FACElift(named, n_neighbors=2, n_counterfactuals=1).fit(LINE, truth)
    told = fl.ground(found.explain([3.0]), nearby=5)
    assert (told["wrong"].tolist(), told["known"].tolist()) == ([3], [5])  # 6, 7 and 8


def test_truths_are_kept_by_saving_adding_and_other_rules(tmp_path):
    truth = (LINE[:, 0] >= 8).astype(int)
    explainer = fl.FACElift(model, n_neighbors=2).fit(LINE, truth)
    explainer.save(tmp_path / "folder")
    loaded = fl.FACElift.load(tmp_path / "folder", model=model)
    pd.testing.assert_frame_equal(
        fl.ground(explainer.explain([3.0])), fl.ground(loaded.explain([3.0]))
    )
    other = explainer.under(explainer.terrain_.price("x0", 2.0))
    assert other.truths_.tolist() == explainer.truths_.tolist()
    grown = explainer.partial_fit(np.array([[11.0], [3.0]]), [1, 1])
    assert grown.truths_[3].tolist() == [1, 1, 0]
    assert grown.truths_.shape == (12, 3)
    assert grown.partial_fit(np.array([[12.0]])).truths_[12].tolist() == [0, 0, 0]


def test_numbers_are_wrong_on_the_other_side_of_the_range():
    explainer = fl.FACElift(lambda x: x[:, 0], n_neighbors=2).fit(LINE, LINE[:, 0] - 1.5)
    found = explainer.explain([3.0], target=(6, None))
    assert fl.ground(found, nearby=5)["wrong"].tolist()[0] == 2  # predicted 6 and 7, truly 4.5, 5.5


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([0, 1], "one true outcome per row"),
        (["maybe"] * 11, "none of which is a class of the model"),
    ],
)
def test_truths_that_cannot_be_right_are_refused(y, match):
    with pytest.raises(InvalidInput, match=match):
        fl.FACElift(model).fit(LINE, y)


def test_true_numbers_must_be_numbers():
    with pytest.raises(InvalidInput, match="must hold numbers"):
        fl.FACElift(lambda x: x[:, 0]).fit(LINE, ["a"] * 11)


def test_a_multiverse_made_by_hand_has_no_ground():
    with pytest.raises(InvalidInput, match="knows no records"):
        fl.ground(fl.toys.loan().multiverse())
