"""Models as facelift sees them: tables in, one probability per class out; and a small one."""

from __future__ import annotations

from typing import Any

import numpy as np

from facelift.arrays import Floats
from facelift.errors import InvalidModel


def probabilities(model: Any, table: Any, n_rows: int) -> Floats:
    """What the model says of every row; shape (n, classes). Anything else is one clear error."""
    ask = getattr(model, "predict_proba", None)
    if ask is None:
        if not callable(model):
            raise InvalidModel(
                f"{type(model).__name__} has no predict_proba and cannot be called; give a "
                "classifier with predict_proba (wrap one without in CalibratedClassifierCV), or a "
                "function from rows to probabilities."
            )
        ask = model
    try:
        answer = ask(table)
    except Exception as fault:  # whatever goes wrong inside a model, it is the model's
        told = " ".join(str(fault).split())
        raise InvalidModel(
            f"The model could not answer for {n_rows} rows; {type(fault).__name__}: {told}"
        ) from fault
    return _checked(_numbers(answer), n_rows)


def class_labels(model: Any, n_classes: int) -> tuple[Any, ...]:
    """Labels of the model's probability columns: its `classes_`, or 0, 1, 2 and so on."""
    labels = np.asarray(getattr(model, "classes_", np.arange(n_classes))).tolist()
    if len(labels) != n_classes:
        raise InvalidModel(
            f"The model names {len(labels)} classes but gives {n_classes} probabilities per row."
        )
    return tuple(labels)


def small_classifier(X: Any, y: Any, *, seed: int = 0) -> Any:
    """A seeded network of 50 neurons on one-hot and scaled columns, fitted to a pandas table.

    The size the paper uses for tables, with a little more regularisation. Ordered and other
    categories, text and booleans are one-hot; numbers are standardised.
    """
    import warnings

    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    columns = ColumnTransformer(
        [
            ("numbers", StandardScaler(), numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore"), others),
        ]
    )
    network = MLPClassifier(
        (50,), alpha=3.0, learning_rate_init=0.005, max_iter=500, random_state=seed
    )
    with warnings.catch_warnings():  # a network stopped early still answers; no one can act on it
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(columns, network).fit(X, y)


def _numbers(answer: Any) -> Floats:
    try:
        return np.asarray(answer, dtype=np.float64)
    except Exception as fault:
        raise InvalidModel(
            f"The model returned {type(answer).__name__} of what are no numbers, as labels are; "
            "one probability column per class is needed."
        ) from fault


def _checked(answer: Floats, n_rows: int) -> Floats:
    if answer.ndim != 2:
        raise InvalidModel(
            f"The model returned shape {answer.shape} for {n_rows} rows, as labels or scores do; "
            "one probability column per class is needed (for one probability p of class 1 return "
            "np.column_stack([1 - p, p]))."
        )
    if len(answer) != n_rows:
        raise InvalidModel(f"The model returned {len(answer)} rows of probabilities for {n_rows}.")
    if answer.shape[1] < 2:
        raise InvalidModel(
            "The model knows one class only; there is no other outcome to find a way to."
        )
    if np.isnan(answer).any():
        rows = int(np.isnan(answer).any(axis=1).sum())
        raise InvalidModel(f"The model returned NaN for {rows} of {n_rows} rows.")
    if (answer < -1e-9).any() or (answer > 1 + 1e-9).any():
        raise InvalidModel(
            f"The model returned values from {answer.min():.4g} to {answer.max():.4g}; "
            "probabilities lie between 0 and 1."
        )
    return answer
