"""Boosters of XGBoost, LightGBM and CatBoost, asked as they are.

They take frames; text becomes the categories that a booster was trained with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidModel


def asking(model: Any) -> Callable[[Any], Floats] | None:
    """The function that asks a booster about a table; None if the model is none.

    >>> asking(len) is None
    True
    """
    ask = _ASK.get(_kind(model))
    return None if ask is None else partial(ask, model)


def column_names(model: Any) -> list[str] | None:
    """The columns that a model was trained on, where it says so.

    >>> column_names(len) is None
    True
    """
    kind = _kind(model)
    if kind == ("xgboost", "Booster"):
        names = model.feature_names
    elif kind == ("lightgbm", "Booster"):
        names = model.feature_name()
    elif kind[0] == "catboost":
        names = model.feature_names_
    else:
        names = getattr(model, "feature_names_in_", None)
    return None if names is None else list(names)


def _kind(model: Any) -> tuple[str, str]:
    return type(model).__module__.partition(".")[0], type(model).__name__


def _ask_xgboost(model: Any, table: Any) -> Floats:
    xgboost = import_module("xgboost")
    if isinstance(table, pd.DataFrame):
        table = _with_categories(table, partial(_xgboost_levels, model))
    answer = model.predict(xgboost.DMatrix(table, enable_categorical=True))
    objective = json.loads(model.save_config())["learner"]["objective"]["name"]
    return _both(answer) if objective == "binary:logistic" else np.asarray(answer)


def _xgboost_levels(model: Any, name: Any) -> list[str]:
    """The levels of a column as a booster keeps them; older ones keep none."""
    kept = getattr(model, "get_categories", None)
    known = None if kept is None else kept(export_to_arrow=True).to_arrow()
    levels = next((each for column, each in known or [] if column == name), None)
    if levels is None:
        raise InvalidModel(
            f"The booster does not say which categories it knows of {name!r}; give that column as "
            "one of pandas' categories, with those it was trained on."
        )
    return list(levels.to_pylist())


def _ask_lightgbm(model: Any, table: Any) -> Floats:
    if isinstance(table, pd.DataFrame):
        table = _with_categories(table)
    answer = model.predict(table)
    binary = model.dump_model(num_iteration=1)["objective"].split()[0]
    return _both(answer) if binary in ("binary", "cross_entropy") else np.asarray(answer)


def _ask_catboost(model: Any, table: Any) -> Floats:
    predicts = str(model.get_all_params().get("loss_function", ""))
    classes = predicts in ("Logloss", "CrossEntropy") or predicts.startswith("MultiClass")
    return np.asarray(model.predict(table, "Probability" if classes else "RawFormulaVal"))


def _with_categories(
    table: pd.DataFrame, levels: Callable[[Any], list[str]] | None = None
) -> pd.DataFrame:
    """A table with categories in the place of text."""
    text = {
        name: column.astype(pd.CategoricalDtype(None if levels is None else levels(name)))
        for name, column in table.select_dtypes(["object", "string"]).items()
    }
    return pd.DataFrame({name: text.get(name, table[name]) for name in table.columns})


def _both(chances: Any) -> Floats:
    """The chances of both classes, from those of the second."""
    second = np.asarray(chances, dtype=np.float64)
    return np.column_stack([1 - second, second])


_ASK: dict[tuple[str, str], Callable[[Any, Any], Floats]] = {
    ("xgboost", "Booster"): _ask_xgboost,
    ("lightgbm", "Booster"): _ask_lightgbm,
    ("catboost", "CatBoost"): _ask_catboost,
}
