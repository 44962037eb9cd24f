"""The paper's data sets with their models; large ones with a network trained on a few rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from facelift.errors import InvalidInput, InvalidModel
from facelift.paper import studies
from facelift.paper.networks import DenseNetwork, train_dense
from facelift.paper.studies import area_under_curve, quality_of, study


@pytest.fixture
def hasty(monkeypatch):
    """Networks that are trained on a few rows of each class."""

    def train(points: Any, labels: Any, n_hidden: int, *, seed: int) -> DenseNetwork:
        few = np.concatenate([np.flatnonzero(labels == each)[:150] for each in np.unique(labels)])
        return train_dense(points[few], labels[few], n_hidden, seed=seed)

    monkeypatch.setattr(studies, "train_dense", train)


def test_german_credit_has_the_papers_network(tmp_path):
    found = study("german_credit", models_home=tmp_path)
    assert found.model.network.hidden.shape[1] == 50
    assert found.tested.sum() == 200
    assert (found.labels[found.tested] == "good").sum() == 140
    assert found.quality.n_tested == 200
    assert found.quality.accuracy > 0.68
    assert found.quality.auc > 0.7
    bad = found.model.predict_proba(found.rows)[:, 0] > 0.5
    assert 200 < bad.sum() < 320  # the paper explains 257
    points = np.asarray(found.terrain.encode(found.rows))
    np.testing.assert_array_equal(
        found.model.predict_proba(found.rows), found.model.network.predict_proba(points)
    )


def test_a_study_is_the_same_when_its_model_comes_from_the_shelf(tmp_path):
    first = study("german_credit", seed=3, models_home=tmp_path)
    (path,) = tmp_path.iterdir()
    written = path.stat().st_mtime_ns
    again = study("german_credit", seed=3, models_home=tmp_path)
    assert path.stat().st_mtime_ns == written
    assert again.quality == first.quality
    np.testing.assert_array_equal(again.tested, first.tested)
    np.testing.assert_array_equal(
        again.model.predict_proba(again.rows), first.model.predict_proba(first.rows)
    )


def test_another_seed_is_another_split_and_another_model(tmp_path):
    first, other = (study("german_credit", seed=seed, models_home=tmp_path) for seed in (0, 1))
    assert not np.array_equal(first.tested, other.tested)
    assert len(list(tmp_path.iterdir())) == 2


def test_rows_that_are_tested_were_not_trained_on(tmp_path, monkeypatch):
    seen = []

    def train(points: Any, labels: Any, n_hidden: int, *, seed: int) -> DenseNetwork:
        seen.append(points)
        return train_dense(points, labels, n_hidden, seed=seed)

    monkeypatch.setattr(studies, "train_dense", train)
    found = study("german_credit", models_home=tmp_path)
    points = np.asarray(found.terrain.encode(found.rows))
    np.testing.assert_array_equal(seen[0], points[~found.tested])


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("name", "n_rows", "n_tested", "n_inputs", "n_hidden"),
    [
        ("adult", 48_842, 9_769, 108, 50),
        ("credit_default", 30_000, 6_000, 33, 50),
        ("mnist", 10_000, 2_000, 784, 100),
    ],
)
def test_larger_studies_have_the_papers_sizes(
    name, n_rows, n_tested, n_inputs, n_hidden, data_home, tmp_path
):
    found = study(name, data_home=data_home, models_home=tmp_path)
    assert len(found.rows) == len(found.labels) == n_rows
    assert found.tested.sum() == found.quality.n_tested == n_tested
    network = getattr(found.model, "network", found.model)
    assert network.hidden.shape == (n_inputs, n_hidden)
    assert found.terrain.n_coordinates == n_inputs
    assert found.quality.auc > 0.65
    sample = found.rows[:50]
    np.testing.assert_allclose(
        found.model.predict_proba(found.terrain.decode(found.terrain.encode(sample))),
        found.model.predict_proba(sample),
    )


@pytest.mark.usefixtures("torch")
def test_scans_have_a_resnet_that_tells_them_apart(data_home, tmp_path, monkeypatch):
    quick = {"breastmnist": replace(studies.RECIPES["breastmnist"], n_epochs=8)}
    monkeypatch.setattr(studies, "RECIPES", quick)
    found = study("breastmnist", data_home=data_home, models_home=tmp_path)
    assert found.tested.sum() == found.quality.n_tested == 156
    assert found.quality.auc > 0.7
    assert found.model.classes_.tolist() == ["malignant", "normal, benign"]
    again = study("breastmnist", data_home=data_home, models_home=tmp_path)
    assert again.quality == found.quality


@pytest.mark.usefixtures("torch")
def test_a_constant_resnet_is_an_error(data_home, tmp_path, monkeypatch):
    never = {"breastmnist": replace(studies.RECIPES["breastmnist"], n_epochs=1, learning_rate=1e-9)}
    monkeypatch.setattr(studies, "RECIPES", never)
    with pytest.raises(InvalidModel, match=r"breastmnist says .* of all 156 tested rows"):
        study("breastmnist", data_home=data_home, models_home=tmp_path)


def test_a_study_that_is_not_there_is_refused_with_the_nearest_name():
    with pytest.raises(InvalidInput, match="did you mean 'german_credit'"):
        study("german")


class Told:
    """A model that answers what it was told."""

    def __init__(self, answers: np.ndarray, classes: list[str]) -> None:
        self.answers, self.classes_ = answers, np.array(classes)

    def predict_proba(self, _: object) -> np.ndarray:
        return self.answers


def test_accuracy_is_the_share_of_right_answers():
    answers = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3]])
    quality = quality_of(Told(answers, ["a", "b"]), None, ["a", "a", "b", "b"], "letters")
    assert quality.accuracy == 0.5
    assert quality.n_tested == 4


def test_a_model_that_says_the_same_of_everybody_is_an_error():
    """The published model of BreastMNIST was one."""
    answers = np.array([[0.4, 0.6], [0.1, 0.9], [0.2, 0.8]])
    with pytest.raises(InvalidModel, match=r"of scans says 'b' of all 3 tested rows"):
        quality_of(Told(answers, ["a", "b"]), None, ["a", "b", "b"], "scans")


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=25))
def test_the_area_is_the_share_of_pairs_in_the_right_order(cases):
    scores, hits = np.array([s / 6 for s, _ in cases]), np.array([hit for _, hit in cases])
    assume(hits.any() and not hits.all())
    pairs = [(a > b) + (a == b) / 2 for a in scores[hits] for b in scores[~hits]]
    answers = np.column_stack([1 - scores, scores])
    labels, classes = np.where(hits, "yes", "no"), np.array(["no", "yes"])
    assert area_under_curve(answers, labels, classes) == pytest.approx(np.mean(pairs))


def test_with_many_classes_the_area_is_the_mean_of_each_against_the_others():
    rng = np.random.default_rng(0)
    answers = rng.dirichlet([1, 1, 1], size=40)
    labels, classes = rng.choice(["a", "b", "c"], 40), np.array(["a", "b", "c"])
    each = [
        area_under_curve(
            np.column_stack([1 - answers[:, i], answers[:, i]]),
            np.where(labels == name, "yes", "no"),
            np.array(["no", "yes"]),
        )
        for i, name in enumerate(classes)
    ]
    assert area_under_curve(answers, labels, classes) == pytest.approx(np.mean(each))
