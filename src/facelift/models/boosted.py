"""scikit-learn's histogram gradient boosting, asked about all its trees in one compiled loop.

The estimator itself calls each tree by itself, which takes milliseconds however few the rows are;
a search asks about a few hundred rows a dozen times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from facelift._arrays import Floats
from facelift.graph.kernels import can_compile
from facelift.models.proving.search import kernels
from facelift.models.proving.trees import histogram_trees


class Boosted:
    """The answers of a fitted HistGradientBoostingClassifier of two classes, added up as it does.

    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = HistGradientBoostingClassifier(max_iter=5).fit(X, X[:, 0] > X[:, 1])
    >>> np.array_equal(Boosted(model).predict_proba(X), model.predict_proba(X))
    True
    """

    def __init__(self, model: Any) -> None:
        trees = histogram_trees(model)
        self.classes_, self.base = model.classes_, float(model._baseline_prediction.ravel()[0])
        self.trees = (
            trees.roots,
            trees.columns,
            trees.thresholds,
            trees.left,
            trees.right,
            np.ascontiguousarray(trees.values[:, 0]),
            trees.missing_left,
        )

    def predict_proba(self, rows: Any) -> Floats:
        """Chances of both classes; (n, 2)."""
        raw = np.full(len(rows), self.base)
        kernels().add_leaves(*self.trees, np.ascontiguousarray(rows, dtype=np.float64), raw)
        second = expit(raw)
        return np.column_stack([1 - second, second])


def quicker(model: Any) -> Any:
    """The same model in one loop, where it is such a one; itself otherwise."""
    if type(model).__name__ != "HistGradientBoostingClassifier" or not can_compile():
        return model
    if len(model.classes_) != 2 or np.any(model.is_categorical_):
        return model
    return Boosted(model)
