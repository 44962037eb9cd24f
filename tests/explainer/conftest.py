"""Explanations that tests of the explainer share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from tests.explainer.worlds import hopeful

from facelift import FACElift


@pytest.fixture(scope="module")
def declined(lending):
    """A multiverse of one declined person, as rich as the world allows."""
    return lending.explainer.explain(lending.X.iloc[[hopeful(lending)[5]]], "granted")


@pytest.fixture(scope="module")
def iris():
    flowers = load_iris(as_frame=True)
    names = np.array(flowers.target_names)[flowers.target]
    model = LogisticRegression(max_iter=1000).fit(flowers.data, names)
    explainer = FACElift(model, n_neighbors=30, n_counterfactuals=6).fit(flowers.data)
    return flowers.data, model, explainer
