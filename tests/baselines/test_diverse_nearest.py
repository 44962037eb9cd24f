from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import Terrain
from facelift.baselines import DiverseNearest
from facelift.errors import InvalidInput, NotFitted


def north(points: np.ndarray) -> np.ndarray:
    good = (points[:, 1] > 0.6).astype(float)
    return np.column_stack([1 - good, good])


def slow_choice(points, good, start, n, apart, allowed):
    """Walk the records from near to far, and take those that are apart from all taken before."""
    chosen = []
    order = sorted(range(len(points)), key=lambda i: (np.linalg.norm(points[i] - start), i))
    for i in order:
        far = all(np.linalg.norm(points[i] - points[j]) >= apart for j in chosen)
        if good[i] and allowed[i] and far and len(chosen) < n:
            chosen.append(i)
    return chosen


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 6), apart=st.sampled_from([0.0, 0.1, 0.4]))
@settings(max_examples=examples(25))
def test_the_nearest_that_lie_apart_are_chosen(seed, n, apart):
    points = np.random.default_rng(seed).random((40, 2)).round(3)
    points = np.unique(points, axis=0)
    points[0], points[-1] = [0, 0], [1, 1]  # so that the scale is that of the numbers
    explainer = DiverseNearest(north, n_counterfactuals=n, min_separation=apart).fit(points)
    good = north(points)[:, 1] >= 0.5
    start = np.array([0.3, 0.2])
    expected = slow_choice(points, good, start, n, apart, np.ones(len(points), dtype=bool))
    assert explainer.nearest(start, target=1).tolist() == expected


def test_records_that_the_rules_rule_out_are_not_chosen():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((60, 2)), [[0, 0], [1, 1]]])
    terrain = Terrain.infer(points).increase_only("x0")
    explainer = DiverseNearest(north, terrain, min_separation=0.05).fit(points)
    start = np.array([0.5, 0.3])
    chosen = explainer.nearest(start, target=1)
    assert len(chosen) == 5
    assert (points[chosen, 0] >= 0.5).all()


def test_journeys_lead_to_the_chosen_records_through_others():
    rng = np.random.default_rng(1)
    points = rng.random((200, 2))
    explainer = DiverseNearest(north, n_neighbors=4, min_separation=0.2).fit(points)
    row = points[north(points)[:, 1] < 0.5][0]
    multiverse = explainer.explain(row)
    ends = {int(journey.vertices[-1]) for journey in multiverse}
    assert ends == set(explainer.nearest(row).tolist())
    assert max(journey.n_steps for journey in multiverse) > 1
    assert multiverse.opportunity.shape == (5, 5)


@pytest.mark.parametrize(
    "options", [{"n_counterfactuals": 0}, {"n_counterfactuals": 1.5}, {"min_separation": -1}]
)
def test_what_cannot_be_right_is_refused(options):
    with pytest.raises(InvalidInput, match=next(iter(options))):
        DiverseNearest(north, **options).fit(np.random.default_rng(0).random((9, 2)))


def test_explaining_before_fitting_is_an_error():
    with pytest.raises(NotFitted, match="DiverseNearest is not fitted"):
        DiverseNearest(north).explain([0.0, 0.0])
