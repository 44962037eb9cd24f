"""Models from files: skops, ONNX and boosters, which run nothing; pickles on the user's word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from facelift._arrays import Floats
from facelift._checks import optional
from facelift.errors import FaceliftError, InvalidModel, UnknownColumn, nearest_name

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
