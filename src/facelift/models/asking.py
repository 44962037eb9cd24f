"""Models as facelift sees them: tables in, answers out; small ones, and modules of torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift.errors import InvalidData, InvalidModel, optional
from facelift.models import files
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain

MOST_ROWS = 50_000
"""Rows from which a small model learns: more would teach it little, and take minutes."""


def probabilities(model: Any, table: Any, n_rows: int) -> Floats:
    """What a classifier says of every row; (n, classes). Anything else is one clear error.

    >>> probabilities(lambda rows: np.column_stack([1 - rows, rows]), np.array([0.25, 1.0]), 2)
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    return _checked(_answer(model, table, n_rows), n_rows)


def answers(model: Any, table: Any, n_rows: int) -> Floats:
    """What any model says of every row: (n, classes) probabilities, or (n, 1) predicted numbers.

    Predicted numbers are what a regressor gives, or a function that returns one per row.

    >>> answers(lambda rows: 100 * rows, np.array([0.25, 1.0]), 2)
    array([[ 25.],
           [100.]])
    """
    answer = _answer(model, table, n_rows)
    if is_regressor(model) and answer.ndim == 2 and answer.shape[1] == 1:
        answer = answer[:, 0]
    if answer.ndim != 1:
        return _checked(answer, n_rows)
    if len(answer) != n_rows:
        raise InvalidModel(f"The model returned {len(answer)} numbers for {n_rows} rows.")
    if not np.isfinite(answer).all():
        rows = int((~np.isfinite(answer)).sum())
        raise InvalidModel(f"The model returned NaN or infinity for {rows} of {n_rows} rows.")
    return answer[:, np.newaxis]


def check_no_labels(model: Any, answer: Floats) -> None:
    """An error if one number per row is always 0 or 1, as a classifier's decisions are."""
    if answer.shape[1] == 1 and not is_regressor(model) and np.isin(answer, (0.0, 1.0)).all():
        _checked(answer[:, 0], len(answer))


SAME = 1e-5
"""How far answers of the same model may be apart, as a share of the largest there are."""


def check_same(answer: Floats, before: Floats, largest: Floats) -> None:
    """An error if a model answers differently from before; the last digits may differ.

    Those of single precision do, with the number of rows asked about at once. `largest` are the
    largest answers there are, by column.

    >>> check_same(np.array([[1.0]]), np.array([[1.000001]]), np.array([2.0]))
    """
    if answer.shape != before.shape or (np.abs(answer - before) > SAME * largest).any():
        raise InvalidModel(
            "The model answers differently from the one this explainer was fitted with; "
            "fit a new explainer, or give this one the original model."
        )


def is_regressor(model: Any) -> bool:
    """Whether scikit-learn takes a model for a regressor; a function is none.

    >>> from sklearn.linear_model import LinearRegression, LogisticRegression
    >>> is_regressor(LinearRegression()), is_regressor(LogisticRegression()), is_regressor(len)
    (True, False, False)
    """
    from sklearn.base import is_regressor as known

    return hasattr(model, "predict") and hasattr(model, "get_params") and bool(known(model))


def _answer(model: Any, table: Any, n_rows: int) -> Floats:
    try:
        answer = _ask(model)(table)
    except InvalidModel:
        raise
    except Exception as fault:  # whatever goes wrong inside a model, it is the model's
        message = " ".join(str(fault).split())
        raise InvalidModel(
            f"The model could not answer for {n_rows} rows; {type(fault).__name__}: {message}"
        ) from fault
    return _numbers(answer)


def _ask(model: Any) -> Any:
    """The function that answers for a table."""
    ask = getattr(model, "predict_proba", None)
    if ask is None and is_regressor(model):
        ask = model.predict
    if ask is None:
        ask = files.asking(model)
    if ask is None and callable(model):
        ask = model
    if ask is None:
        raise InvalidModel(
            f"{type(model).__name__} has no predict_proba and cannot be called; give a "
            "classifier with predict_proba (wrap one without in CalibratedClassifierCV), a "
            "regressor, or a function from rows to probabilities or numbers."
        )
    return ask


def class_labels(model: Any, n_classes: int) -> tuple[Any, ...]:
    """Labels of the model's columns: its `classes_`, or 0, 1, 2 and so on; none of one number.

    >>> from types import SimpleNamespace
    >>> class_labels(SimpleNamespace(classes_=["bad", "good"]), 2), class_labels(len, 3)
    (('bad', 'good'), (0, 1, 2))
    """
    if n_classes == 1:
        return ()
    labels = np.asarray(getattr(model, "classes_", np.arange(n_classes))).tolist()
    if len(labels) != n_classes:
        raise InvalidModel(
            f"The model names {len(labels)} classes but gives {n_classes} probabilities per row."
        )
    if len(set(map(str, labels))) < len(labels):
        raise InvalidModel(f"Two of the model's classes read alike: {labels}; rename one.")
    return tuple(labels)


def small_classifier(X: Any, y: Any, *, seed: int = 0) -> Any:
    """A seeded network of 50 neurons on one-hot and scaled columns, fitted to a pandas table.

    The size the paper uses for tables, with a little more regularisation. Ordered and other
    categories, text and booleans are one-hot; numbers are standardised, and so are those that are
    written as dates, money and the like. Rows without an outcome teach nothing. Of a table of more
    than 50,000 rows it learns from so many, drawn by the seed.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": range(20, 60)})
    >>> model = small_classifier(X, np.where(X["age"] < 40, "bad", "good"))
    >>> model.predict(X.iloc[[0, -1]]).tolist()
    ['bad', 'good']
    """
    from sklearn.neural_network import MLPClassifier

    return _fitted(MLPClassifier, X, y, seed)


def small_regressor(X: Any, y: Any, *, seed: int = 0) -> Any:
    """The same network for a number: `small_classifier`'s size, on a standardised outcome.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": range(20, 60)})
    >>> youngest, oldest = small_regressor(X, 100.0 * X["age"]).predict(X.iloc[[0, -1]])
    >>> bool(youngest < 3000 < oldest)
    True
    """
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import StandardScaler

    def network(**settings: Any) -> Any:
        return TransformedTargetRegressor(MLPRegressor(**settings), transformer=StandardScaler())

    return _fitted(network, X, y, seed)


def committee(model: Any, X: Any, y: Any, *, n: int = 10, random_state: int = 0) -> list[Any]:
    """Copies of a scikit-learn model fitted to bootstrap samples of a table, with other seeds.

    What they agree on does not hang on single records or on luck. Of classes, each sample has as
    many rows as the table.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(20.0)[:, np.newaxis], np.repeat([0, 1], 10)
    >>> members = committee(LogisticRegression(), X, y, n=3)
    >>> [len(member.classes_) for member in members]
    [2, 2, 2]
    """
    import warnings

    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import resample

    if not (hasattr(model, "get_params") and hasattr(model, "fit")):
        raise InvalidModel(
            f"{type(model).__name__} cannot be fitted again: a committee is made of a scikit-learn "
            "estimator; give a list of your own models instead."
        )
    X, y = _with_outcome(X, y)
    seeds = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    members = []
    for seed in range(random_state, random_state + n):
        strata = None if is_regressor(model) else y
        sample = resample(X, y, stratify=strata, random_state=seed)
        member = clone(model).set_params(**dict.fromkeys(seeds, seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            members.append(member.fit(*sample))
    return members


def _fitted(network: Any, X: Any, y: Any, seed: int) -> Any:
    """A network of 50 neurons on one-hot and scaled columns, fitted."""
    import warnings

    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    if not isinstance(X, pd.DataFrame):
        raise InvalidData(
            f"A small model learns from a pandas DataFrame, got {type(X).__name__}; give "
            "pandas.DataFrame(X)."
        )
    X, y = _with_outcome(X, y)
    if len(X) > MOST_ROWS:
        chosen = rows_to_learn_from(len(X), seed)
        X, y = X.iloc[chosen], np.asarray(y)[chosen]
    written = _written_numbers(X)
    names = [feature.name for feature in written]
    numbers = make_column_selector(dtype_include="number")
    others: Any = make_column_selector(dtype_exclude="number")
    if written:
        others = [name for name in others(X) if name not in names]
    scaled: Any = StandardScaler()
    if X[[*numbers(X), *names]].isna().any(axis=None):  # a column more says what is missing
        scaled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), scaled)
    columns = ColumnTransformer(
        [
            ("numbers", scaled, numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore"), others),
        ]
    )
    if written:
        read = FunctionTransformer(_read_numbers, kw_args={"features": written})
        columns.transformers.append(("written", make_pipeline(read, scaled), names))
    made = network(
        hidden_layer_sizes=(50,),
        alpha=3.0,
        learning_rate_init=0.005,
        max_iter=500,
        random_state=seed,
    )
    with warnings.catch_warnings():  # a network stopped early still answers; no one can act on it
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(columns, made).fit(X, y)


def _with_outcome(X: Any, y: Any) -> tuple[Any, Any]:
    """The rows whose outcome is known, and these outcomes, of the type they have without gaps."""
    known = ~np.asarray(pd.isna(y))
    if known.ndim != 1 or known.all():
        return X, y
    X, y = X[known], pd.Series(y)[known].infer_objects()
    whole = y.dtype.kind == "f" and (y == np.rint(y)).all()
    return X, y.astype(np.int64) if whole else y


def rows_to_learn_from(n_rows: int, seed: int = 0) -> Ints:
    """The rows of a table that a small model learns from: all, or some of many.

    >>> rows_to_learn_from(3).tolist(), len(rows_to_learn_from(10 * MOST_ROWS)) == MOST_ROWS
    ([0, 1, 2], True)
    """
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, MOST_ROWS, replace=False))


def _written_numbers(X: Any) -> list[Feature]:
    """Columns whose numbers are written as dates, money and the like."""
    others = X.select_dtypes(exclude="number")
    if not others.shape[1]:
        return []
    return Terrain.infer(others).numbers


def _read_numbers(table: Any, features: Sequence[Feature]) -> Floats:
    """These columns as numbers, NaN where one is missing; (n, columns)."""
    return np.column_stack([kind_of(each).amounts(each, table[each.name]) for each in features])


def _numbers(answer: Any) -> Floats:
    """An answer as numbers of our own: a model may use its array again for the next answer."""
    if np.ma.is_masked(answer):
        raise InvalidModel("The model returned a masked array; every row needs an answer.")
    try:
        numbers = np.asarray(answer)
        if numbers.dtype.kind == "c":
            raise InvalidModel("The model returned complex numbers; probabilities are real.")
        return np.array(numbers, dtype=np.float64)
    except InvalidModel:
        raise
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


class TorchModel:
    """A torch module as a model: rows of numbers in, probabilities and their gradients out.

    Parameters
    ----------
    module
        A function from a tensor (n, columns), of doubles, to probabilities (n, classes).
    classes
        Labels of the classes, in the order of its columns.

    Examples
    --------
    >>> import torch
    >>> logits = torch.nn.Linear(2, 2).double()
    >>> model = TorchModel(lambda rows: torch.softmax(logits(rows), dim=1), ["no", "yes"])
    >>> model.predict_proba(np.zeros((3, 2))).shape, model.gradient(np.zeros((3, 2))).shape
    ((3, 2), (3, 2, 2))
    """

    def __init__(self, module: Callable[[Any], Any], classes: Sequence[Any]) -> None:
        self.module = module
        self.classes_ = np.array(classes)

    def predict_proba(self, rows: Any) -> Floats:
        """Probability of each class; shape (n, classes)."""
        torch = optional("torch", extra="torch", what="A TorchModel")
        with torch.no_grad():
            return np.asarray(self.module(torch.tensor(np.asarray(rows, dtype=np.float64))).numpy())

    def gradient(self, rows: Any) -> Floats:
        """How each probability changes with each column; shape (n, classes, columns)."""
        torch = optional("torch", extra="torch", what="A gradient")
        values = torch.tensor(np.asarray(rows, dtype=np.float64), requires_grad=True)
        answers = self.module(values)
        parts = [
            torch.autograd.grad(answers[:, k].sum(), values, retain_graph=True)[0]
            for k in range(answers.shape[1])
        ]
        return np.stack([part.numpy() for part in parts], axis=1)
