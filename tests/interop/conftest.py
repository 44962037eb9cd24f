"""A table and a model that tests of other explainers share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from facelift import FACElift, Terrain

COLUMNS = {"features_to_vary": ["savings", "debt", "job"], "permitted_range": {"savings": [0, 80]}}


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:  # noqa: N802  (scikit-learn's name)
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, 300),
            "savings": rng.integers(0, 100, 300),
            "debt": rng.integers(0, 100, 300),
            "job": rng.choice(["none", "part", "full"], 300),
        }
    )


@pytest.fixture(scope="module")
def y(X) -> pd.Series:
    return (X["savings"] - X["debt"] + 20 * (X["job"] == "full") > 20).astype(int)


@pytest.fixture(scope="module")
def model(X, y):
    columns = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    return make_pipeline(columns, LogisticRegression(max_iter=2000)).fit(X, y)


@pytest.fixture(scope="module")
def explainer(X, model) -> FACElift:
    return FACElift(model, Terrain.infer(X, **COLUMNS)).fit(X)
