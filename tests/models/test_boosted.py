"""Histogram gradient boosting in one compiled loop answers as the estimator itself does."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from facelift.models import shortcut
from facelift.models.boosted import Boosted, quicker
from facelift.models.shortcut import Shortcut
from facelift.terrain.terrain import Terrain


def rows_with_gaps(n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, 4)).round(1)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    return rows


@pytest.fixture(scope="module")
def model() -> HistGradientBoostingClassifier:
    rows = rows_with_gaps(500)
    return HistGradientBoostingClassifier(max_iter=20).fit(rows, np.nansum(rows, axis=1) > 0)


def test_answers_have_the_same_bits_also_where_values_are_missing(model):
    rows = rows_with_gaps(300)
    assert np.array_equal(Boosted(model).predict_proba(rows), model.predict_proba(rows))


def test_other_models_and_splits_by_category_are_left_as_they_are(model):
    rows = np.nan_to_num(rows_with_gaps(200))
    wanted = rows[:, 0] > 0
    categories = HistGradientBoostingClassifier(max_iter=2, categorical_features=[0])
    several = HistGradientBoostingClassifier(max_iter=2).fit(rows, np.arange(200) % 3)
    for other in (
        LogisticRegression().fit(rows, wanted),
        categories.fit(np.column_stack([wanted, rows[:, 1:]]), wanted),
        several,
    ):
        assert quicker(other) is other
    assert isinstance(quicker(model), Boosted)


def test_a_shortcut_in_a_large_table_takes_it(model, monkeypatch):
    rows = np.nan_to_num(rows_with_gaps(200))
    terrain = Terrain.infer(rows)
    points = np.asarray(terrain.encode(rows))
    monkeypatch.setattr(shortcut, "LARGE", 10)
    found = Shortcut(model, terrain, points)
    assert np.array_equal(found.answers(points), model.predict_proba(rows))
    assert isinstance(found._known.last, Boosted)
