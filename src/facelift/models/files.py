"""Models from files, and boosters as they are.

skops, ONNX and boosters run nothing; pickles are opened on the user's word. Boosters of XGBoost,
LightGBM and CatBoost take frames; text becomes the categories that a booster was trained with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import FaceliftError, InvalidModel, UnknownColumn, nearest_name, optional

HARMLESS = ("numpy.dtype",)
"""Types in skops files that run nothing, though skops does not list them; imputers hold one."""


def load_model(path: str | Path, *, trust_pickle: bool = False, trusted: Sequence[str] = ()) -> Any:
    """A fitted model from a file; an error that says why not.

    Parameters
    ----------
    path
        A `.skops` file (extra `skops`), an `.onnx` file (extra `onnx`), what XGBoost (`.json`,
        `.ubj`), LightGBM (`.txt`) or CatBoost (`.cbm`) saves, or a pickle or joblib file.
    trust_pickle
        Whether to unpickle, which can run any code.
    trusted
        Types in a skops file to trust, besides those that skops knows to be harmless.

    Examples
    --------
    >>> load_model("model.joblib")
    Traceback (most recent call last):
        ...
    facelift.errors.InvalidModel: model.joblib would be unpickled, which can run any code; ...
    """
    file = Path(path)
    try:
        if file.suffix.lower() == ".skops":
            return _from_skops(file, trusted)
        if read := _READ.get(file.suffix.lower()):
            return read(file)
        return _unpickled(file, trust_pickle)
    except FaceliftError:
        raise
    except Exception as fault:  # whatever is wrong inside a file, it is the file's
        message = " ".join(str(fault).split()) or type(fault).__name__
        raise InvalidModel(f"Cannot load a model from {file}: {message}") from None


def _unpickled(file: Path, trust_pickle: bool) -> Any:
    if not trust_pickle:
        raise InvalidModel(
            f"{file} would be unpickled, which can run any code; add --trust-pickle "
            "(trust_pickle=True) if you trust where it comes from, or save the model with skops."
        )
    import joblib

    return joblib.load(file)


def _from_skops(file: Path, trusted: Sequence[str]) -> Any:
    skops = optional("skops.io", extra="skops", what="A skops file")
    trusted = [*trusted, *HARMLESS]
    unknown = sorted(set(skops.get_untrusted_types(file=file)) - set(trusted))
    if unknown:
        raise InvalidModel(
            f"{file} holds types that skops does not trust: {', '.join(unknown)}; if you do, name "
            "each with --trust-type (trusted=[...])."
        )
    return skops.load(file, trusted=trusted)


def _from_xgboost(file: Path) -> Any:
    xgboost = optional("xgboost", extra="trees", what="A booster of XGBoost")
    return xgboost.Booster(model_file=str(file))


def _from_lightgbm(file: Path) -> Any:
    lightgbm = optional("lightgbm", extra="trees", what="A booster of LightGBM")
    return lightgbm.Booster(model_file=str(file))


def _from_catboost(file: Path) -> Any:
    catboost = optional("catboost", extra="catboost", what="A model of CatBoost")
    model = catboost.CatBoostClassifier().load_model(str(file))
    if not len(model.classes_):
        model = catboost.CatBoostRegressor().load_model(str(file))
    return model


def _from_onnx(file: Path) -> OnnxModel:
    runtime = optional("onnxruntime", extra="onnx", what="An ONNX file")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # the same sums in the same order
    options.log_severity_level = 4
    content, providers = file.read_bytes(), ["CPUExecutionProvider"]
    return OnnxModel(runtime.InferenceSession(content, options, providers=providers))


_READ: dict[str, Callable[[Path], Any]] = {
    ".onnx": _from_onnx,
    ".json": _from_xgboost,
    ".ubj": _from_xgboost,
    ".txt": _from_lightgbm,
    ".cbm": _from_catboost,
}
"""Files of models that run nothing of their own, by their ending."""


class OnnxModel:
    """A classifier in ONNX, asked like one of scikit-learn.

    It takes one matrix of numbers, or one input per column, named like it. Its last output has the
    probabilities: a matrix, or a map from class to probability per row, which names the classes
    (`classes_`, once it was asked); else they are numbered.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        inputs = session.get_inputs()
        if unknown := [each.type for each in inputs if each.type not in _TYPES]:
            raise InvalidModel(f"An ONNX model takes numbers, text or truths, got {unknown[0]}.")
        if len(inputs) > 1:
            self.feature_names_in_ = np.array([each.name for each in inputs], dtype=object)

    def predict_proba(self, table: Any) -> Floats:
        """What the model says of every row; shape (n, classes)."""
        answer = self._session.run(None, self._inputs(table))[-1]
        if isinstance(answer, list):
            self.classes_ = np.array(list(answer[0]))
            answer = [list(row.values()) for row in answer]
        chances = np.asarray(answer, dtype=np.float64)
        near = np.clip(chances, 0.0, 1.0)  # single precision goes a little beyond
        return np.where(np.abs(chances - near) < 1e-6, near, chances)

    def _inputs(self, table: Any) -> dict[str, Any]:
        inputs = self._session.get_inputs()
        if len(inputs) == 1:
            (only,) = inputs
            return {only.name: np.asarray(table).astype(_TYPES[only.type])}
        return {each.name: _column(table, each.name, _TYPES[each.type]) for each in inputs}


_TYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": object,
}


def _column(table: Any, name: str, dtype: Any) -> Any:
    if name not in table.columns:
        raise UnknownColumn(f"The model needs a column {name!r}; {nearest_name(name, table)}")
    return np.asarray(table[name]).astype(dtype).reshape(-1, 1)


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
