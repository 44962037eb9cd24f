"""On German Credit with the paper's network: verified, counted, and no farther than FACE."""

from __future__ import annotations

import numpy as np
import pytest

from facelift.baselines import FACE, GrowingSpheres, Prototype
from facelift.paper.studies import study

pytestmark = pytest.mark.harness


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    return study("german_credit", models_home=tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def rejected(german):
    bad = german.model.predict_proba(german.rows)[:, 0] > 0.5
    return german.rows[bad].iloc[:40]


def lengths(found) -> np.ndarray:
    """Direct distances from cases to their counterfactuals."""
    ends = [(multiverse[0].waypoints[0], multiverse[0].waypoints[-1]) for multiverse in found]
    return np.array([np.linalg.norm(end - start) for start, end in ends])


@pytest.fixture(scope="module")
def face_lengths(german, rejected):
    return lengths(FACE(german.model, german.terrain).fit(german.rows).explain_many(rejected))


@pytest.mark.parametrize(
    "make",
    [
        lambda german: GrowingSpheres(german.model, german.terrain, n_samples=500),
        lambda german: Prototype(german.model, german.terrain, max_iter=100, n_c_steps=3),
    ],
    ids=["GrowingSpheres", "Prototype"],
)
def test_counterfactuals_are_verified_and_on_average_no_farther_than_those_of_face(
    german, rejected, face_lengths, make
):
    found = make(german).fit(german.rows).explain_many(rejected, target="good")
    successes = [multiverse for multiverse in found if len(multiverse)]
    failures = [multiverse for multiverse in found if not len(multiverse)]
    assert len(failures) <= 2
    assert all(multiverse.why_not.reason == "no candidate" for multiverse in failures)
    for multiverse in successes:
        row = multiverse[0].rows.iloc[[-1]]
        assert german.model.predict_proba(row)[0, 1] >= 0.5
        for name in row.select_dtypes("category"):
            assert row[name].iloc[0] in german.rows[name].cat.categories
    assert lengths(successes).mean() <= face_lengths.mean()
