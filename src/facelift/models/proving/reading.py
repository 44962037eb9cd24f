"""Reading a model's structure: a raw score that is a sum, and what that sum must reach.

Trees, forests, gradient boosting and linear models, also at the end of a pipeline whose other steps
treat columns one by one. What was read is compared with what the model answers; a model that
cannot be read, or that answers differently from what was read, is `Unreadable`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from facelift._arrays import Floats
from facelift.geometry import TOLERANCE
from facelift.models.proving.trees import (
    Trees,
    Unreadable,
    histogram_trees,
    in_turn,
    joined,
    lightgbm_trees,
    scikit_tree,
    xgboost_trees,
)

DOUBLE, SINGLE = 1e-9, 1e-5
"""How far a probability that was read may be from the model's own, by the digits it keeps."""

NOISE = 1e-12
"""How far a sum of doubles may be from the exact one, as a share of the largest part."""

Inputs = Callable[[Any], Floats]


@dataclass(frozen=True, eq=False)
class Score:
    """A sum over trees or columns that is at least `least` where a goal is reached, only there.

    `base` + Σ leaves of `trees`, or `base` + inputs · `weights`. `least` is a little lower than the
    goal, by the noise of adding up: whoever reaches the goal reaches it, and a state within that
    noise must be shown to the model itself.
    """

    base: float
    least: float
    trees: Trees | None = None
    weights: Floats | None = None

    def values(self, inputs: Floats) -> Floats:
        """The score of every row of inputs; (n,)."""
        total = np.full(len(inputs), self.base)
        if self.trees is not None:
            total += self.trees.sums(inputs)[:, 0]
        if self.weights is not None:
            total += inputs @ self.weights
        return total


@dataclass(frozen=True, eq=False)
class Reading:
    """The structure of a model: raw scores are base + Σ trees, or base + inputs · weights.

    Answers are the raw scores themselves (`slope` 0: trees and forests, one per class, and models
    of a number), or the chances of two classes with `slope` · raw as the log-odds of the second, or
    those of several with `slope` · raw as their logarithms, up to a constant.
    """

    inputs: Inputs
    """From a table to what the trees or weights see; (n, columns)."""
    base: Floats
    slope: float
    trees: Trees | None = None
    weights: Floats | None = None
    noise: float = NOISE
    """How far the model's own sum may be from the exact one, by the digits it keeps."""

    def raw(self, inputs: Floats) -> Floats:
        """Raw scores of rows of inputs; (n, answers)."""
        total = np.tile(self.base, (len(inputs), 1))
        if self.trees is not None:
            total += self.trees.sums(inputs)
        if self.weights is not None:
            total += inputs @ self.weights
        return total

    @property
    def is_exact(self) -> bool:
        """Whether one sum says who reaches a goal; else it only leaves out some who do not."""
        return self.slope == 0.0 or len(self.base) == 1

    def probabilities(self, inputs: Floats) -> Floats:
        """What the model answers, from its structure; (n, classes)."""
        raw = self.raw(inputs)
        if self.slope == 0.0:
            return raw
        if len(self.base) > 1:
            shares = np.exp(self.slope * (raw - raw.max(axis=1, keepdims=True)))
            return np.asarray(shares / shares.sum(axis=1, keepdims=True))
        second = 1 / (1 + np.exp(-self.slope * raw[:, 0]))
        return np.column_stack([1 - second, second])

    def towards(self, columns: Sequence[int], threshold: float, own: Floats | None = None) -> Score:
        """The sum that says whether the classes `columns` together reach a chance.

        Of the chances of several classes, it compares the one wanted with one other, the likeliest
        for the inputs `own`: whoever reaches the chance reaches that sum, too. Where several of
        them are wanted, no sum is known.

        >>> from sklearn.linear_model import LogisticRegression
        >>> X = np.arange(20.0)[:, np.newaxis]
        >>> reading = read(LogisticRegression().fit(X, X[:, 0] > 9), X)
        >>> score = reading.towards([0], 0.5)
        >>> (score.values(X) >= score.least).sum()
        np.int64(10)
        """
        lowest, wanted = threshold * (1 - TOLERANCE), list(columns)
        if self.is_exact and self.slope:
            factors = np.array([1.0 if wanted == [1] else -1.0])
            return self._score(factors, _log_odds(lowest) / self.slope)
        factors, least = np.zeros(len(self.base)), lowest
        factors[wanted] = 1.0
        if not self.is_exact:
            if len(wanted) > 1 or own is None:
                raise Unreadable("The chance of several classes together is no sum.")
            others = np.where(factors > 0, -np.inf, self.raw(own[np.newaxis])[0])
            factors[others.argmax()] = -1.0
            least = _log_odds(lowest) / self.slope
        return self._score(factors, least)

    def within(self, low: float | None, high: float | None, own: Floats) -> Score:
        """The sum that says whether a number reaches the end of a range that `own` inputs miss.

        >>> from sklearn.linear_model import LinearRegression
        >>> X = np.arange(20.0)[:, np.newaxis]
        >>> reading = read(LinearRegression().fit(X, X[:, 0]), X, ask=lambda _: X)
        >>> score = reading.within(None, 4.0, np.array([9.0]))
        >>> (score.values(X) >= score.least).sum()
        np.int64(5)
        """
        number = float(self.raw(own[np.newaxis])[0, 0])
        if low is not None and (high is None or number <= high):
            return self._score(np.ones(1), low - TOLERANCE * abs(low))
        end = np.inf if high is None else high
        return self._score(-np.ones(1), -end - TOLERANCE * abs(end))

    def _score(self, factors: Floats, least: float) -> Score:
        """The sum of all raw scores, each times its factor."""
        base = float(self.base @ factors)
        trees = None if self.trees is None else self.trees.weighted(factors)
        weights = None if self.weights is None else self.weights @ factors
        return Score(base, least - self.noise, trees, weights)


def _log_odds(chance: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(chance) - np.log1p(-chance))


def read(model: Any, sample: Any, *, ask: Callable[[Any], Any] | None = None) -> Reading:
    """The structure of a fitted model, compared with what it answers for a sample of rows.

    Parameters
    ----------
    model
        A fitted classifier or regressor of scikit-learn (decision tree, random forest, extra trees,
        gradient boosting, histogram gradient boosting, logistic and linear regression), of XGBoost
        or LightGBM (their boosters, too); or a pipeline that ends with one and treats columns one
        by one before.
    sample
        Rows as the model takes them; the more, the better they cover what can be asked.
    ask
        What gives the model's probabilities, (n, classes), where it is not its `predict_proba`.

    Raises
    ------
    Unreadable
        If the model is none of these, or if it answers differently from what was read.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.arange(10.0)[:, np.newaxis]
    >>> reading = read(DecisionTreeClassifier().fit(X, X[:, 0] > 4), X)
    >>> reading.probabilities(reading.inputs(X))[[0, 9]]
    array([[1., 0.],
           [0., 1.]])
    """
    steps, last = split_steps(model)
    reading = _reader(last)(last)
    if steps is not None:
        reading = _after(steps, reading)
    return _checked(reading, sample, ask or _asking(model))


def split_steps(model: Any) -> tuple[Any, Any]:
    """What comes before the last estimator of a pipeline, None if nothing; and that estimator."""
    if type(model).__name__ == "Pipeline" and hasattr(model, "steps"):
        before = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
        for step in before:
            check_columnwise(step)
        return (model[:-1] if before else None), model.steps[-1][1]
    return None, model


COLUMNWISE = {
    "OneHotEncoder",
    "OrdinalEncoder",
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "QuantileTransformer",
    "PowerTransformer",
    "KBinsDiscretizer",
    "SimpleImputer",
    "MissingIndicator",
}
"""Transformers of scikit-learn that make of each column what depends on that column alone."""


def check_columnwise(step: Any) -> None:
    """An error if a transformer may mix columns."""
    if step is None or step in ("passthrough", "drop"):
        return
    name, own = type(step).__name__, type(step).__module__.startswith("sklearn.")
    if own and name == "ColumnTransformer":
        for _, each, _ in step.transformers_:
            check_columnwise(each)
    elif own and name in ("Pipeline", "FeatureUnion"):
        for _, each in step.steps if name == "Pipeline" else step.transformer_list:
            check_columnwise(each)
    elif own and name == "FunctionTransformer" and step.func is None:
        return  # passes everything on
    elif not (own and name in COLUMNWISE):
        raise Unreadable(f"{name} may mix columns; what comes before the model must not.")


def _after(steps: Any, reading: Reading) -> Reading:
    """The same where tables are transformed first."""
    inner = reading.inputs
    return replace(reading, inputs=lambda table: inner(steps.transform(table)))


def plain_inputs(table: Any) -> Floats:
    """A table or an array, sparse or not, as numbers."""
    dense = table.toarray() if hasattr(table, "toarray") else table
    try:
        return np.ascontiguousarray(np.asarray(dense), dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise Unreadable(f"The model takes more than numbers: {fault}") from None


def _reader(estimator: Any) -> Callable[[Any], Reading]:
    kind = type(estimator)
    reader = _READERS.get((kind.__module__.split(".")[0], kind.__name__))
    if reader is None:
        raise Unreadable(
            f"{kind.__name__} cannot be read; trees, forests, gradient boosting, logistic and "
            "linear regression can."
        )
    return reader


def _tree(model: Any) -> Reading:
    trees = scikit_tree(model)
    return Reading(plain_inputs, np.zeros(trees.values.shape[1]), 0.0, trees)


def _forest(model: Any) -> Reading:
    trees = joined([scikit_tree(each) for each in model.estimators_]).scaled(
        1 / len(model.estimators_)
    )
    return Reading(plain_inputs, np.zeros(trees.values.shape[1]), 0.0, trees)


def _boosting(model: Any) -> Reading:
    if model.init_ != "zero" and not type(model.init_).__name__.startswith("Dummy"):
        raise Unreadable("Gradient boosting that starts from another model cannot be read.")
    start = model._raw_predict_init(np.zeros((1, model.n_features_in_)))[0]
    trees = in_turn([scikit_tree(each) for each in model.estimators_.ravel()], len(start))
    slope = {"exponential": 2.0, "log_loss": 1.0}.get(model.loss, 0.0)
    return Reading(plain_inputs, start, slope, trees.scaled(model.learning_rate))


def _histogram(model: Any) -> Reading:
    return Reading(
        lambda table: plain_inputs(model._preprocess_X(table, reset=False)),
        np.asarray(model._baseline_prediction, dtype=np.float64).reshape(-1),
        1.0 if hasattr(model, "classes_") else 0.0,
        histogram_trees(model),
    )


def _linear(model: Any) -> Reading:
    if getattr(model, "loss", "log_loss") != "log_loss":
        raise Unreadable(f"A linear model with loss {model.loss!r} has no log-odds.")
    base, weights = np.atleast_1d(model.intercept_), model.coef_.T
    return Reading(plain_inputs, base.astype(np.float64), 1.0, weights=weights.astype(np.float64))


def _line(model: Any) -> Reading:
    base, weights = np.atleast_1d(model.intercept_), np.atleast_2d(model.coef_).T
    return Reading(plain_inputs, base.astype(np.float64), 0.0, weights=weights.astype(np.float64))


def _xgboost(model: Any) -> Reading:
    booster, n_rounds = model, None
    if hasattr(model, "get_booster"):
        booster = model.get_booster()
        best = booster.attr("best_iteration")
        n_rounds = None if best is None else int(best) + 1
    trees, start, slope = xgboost_trees(booster, n_rounds)
    most = sum(_largest(trees)) + float(np.abs(start).max())
    noise = len(trees.roots) * float(np.finfo(np.float32).eps) / 2 * most
    return Reading(plain_inputs, start, slope, trees, noise=noise)


def _largest(trees: Trees) -> list[float]:
    """The largest leaf of each tree, without its sign."""
    return [float(np.abs(part).max()) for part in np.split(trees.values, trees.roots[1:])]


def _lightgbm(model: Any) -> Reading:
    booster = model
    if hasattr(model, "booster_"):
        booster = model.booster_
    trees, slope = lightgbm_trees(booster)
    known = booster.pandas_categorical
    return Reading(
        (lambda table: plain_inputs(_coded(table, known))) if known else plain_inputs,
        np.zeros(trees.values.shape[1]),
        slope,
        trees,
    )


def _coded(table: Any, known: list[list[Any]]) -> Any:
    """A frame with the categories of its columns as LightGBM numbers them."""
    words = [name for name in table if table[name].dtype == "category"]
    codes = {
        name: table[name].cat.set_categories(levels).cat.codes.replace(-1, np.nan)
        for name, levels in zip(words, known, strict=True)
    }
    return table.assign(**codes)


_READERS: dict[tuple[str, str], Callable[[Any], Reading]] = {
    ("sklearn", "DecisionTreeClassifier"): _tree,
    ("sklearn", "ExtraTreeClassifier"): _tree,
    ("sklearn", "RandomForestClassifier"): _forest,
    ("sklearn", "ExtraTreesClassifier"): _forest,
    ("sklearn", "GradientBoostingClassifier"): _boosting,
    ("sklearn", "HistGradientBoostingClassifier"): _histogram,
    ("sklearn", "DecisionTreeRegressor"): _tree,
    ("sklearn", "ExtraTreeRegressor"): _tree,
    ("sklearn", "RandomForestRegressor"): _forest,
    ("sklearn", "ExtraTreesRegressor"): _forest,
    ("sklearn", "GradientBoostingRegressor"): _boosting,
    ("sklearn", "HistGradientBoostingRegressor"): _histogram,
    ("sklearn", "LinearRegression"): _line,
    ("sklearn", "Ridge"): _line,
    ("sklearn", "RidgeCV"): _line,
    ("sklearn", "Lasso"): _line,
    ("sklearn", "LassoCV"): _line,
    ("sklearn", "ElasticNet"): _line,
    ("sklearn", "ElasticNetCV"): _line,
    ("sklearn", "LogisticRegression"): _linear,
    ("sklearn", "LogisticRegressionCV"): _linear,
    ("sklearn", "SGDClassifier"): _linear,
    ("sklearn", "LinearDiscriminantAnalysis"): _linear,
    ("xgboost", "XGBClassifier"): _xgboost,
    ("xgboost", "XGBRegressor"): _xgboost,
    ("xgboost", "Booster"): _xgboost,
    ("lightgbm", "LGBMClassifier"): _lightgbm,
    ("lightgbm", "LGBMRegressor"): _lightgbm,
    ("lightgbm", "Booster"): _lightgbm,
}


def _asking(model: Any) -> Callable[[Any], Any]:
    """What gives the probabilities of a model."""
    if hasattr(model, "predict_proba"):
        return cast("Callable[[Any], Any]", model.predict_proba)
    return lambda table: _second(_booster_answers(model, table))


def _booster_answers(model: Any, table: Any) -> Floats:
    if type(model).__module__.startswith("xgboost"):
        from xgboost import DMatrix

        return np.asarray(model.predict(DMatrix(table)))
    return np.asarray(model.predict(table))


def _second(chances: Floats) -> Floats:
    return np.column_stack([1 - chances, chances])


def _checked(reading: Reading, sample: Any, ask: Callable[[Any], Any]) -> Reading:
    """What was read, if it answers as the model does; its noise as large as its numbers are."""
    answers, inputs = np.asarray(ask(sample)), reading.inputs(sample)
    own = reading.probabilities(inputs)
    close = SINGLE if answers.dtype == np.float32 or reading.noise > DOUBLE else DOUBLE
    largest = max(1.0, float(np.abs(answers).max(initial=1.0)))  # numbers may be large
    close *= largest
    if own.shape != answers.shape or not np.abs(own - answers).max(initial=0.0) <= close:
        raise Unreadable(
            "What was read of the model answers differently from the model itself; "
            "it can be asked, but nothing can be proven of it."
        )
    if reading.weights is not None:  # parts of a sum may be larger than the sum
        with np.errstate(invalid="ignore"):
            parts = np.abs(inputs) @ np.abs(reading.weights)
        largest = max(largest, float(np.nanmax(parts, initial=1.0)))
    return replace(reading, noise=max(reading.noise, NOISE * largest))
