from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from facelift.errors import InvalidModel
from facelift.paper.quality import area_under_curve, quality_of


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
