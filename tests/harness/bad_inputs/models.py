"""Models, and files of models."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from facelift import FACElift, load_model

from .frames import people
from .table import Answer, BadInput, called


def asked(name: str, model: Any, words: str) -> BadInput:
    call = lambda: FACElift(model).fit(people())  # noqa: E731
    return called(f"model: {name}", call, "InvalidModel", words)


def file(name: str, content: bytes, words: str, **trust: Any) -> BadInput:
    def give(home: Path) -> Answer:
        path = home / f"given{name[name.rindex('.') :]}"
        path.write_bytes(content)
        return called(name, lambda: load_model(path, **trust), "", "").give(home)

    return BadInput(f"model file: {name}", give, "InvalidModel", words)


def failing(_rows: Any) -> Any:
    raise RuntimeError("out of\nmemory")


def columns(*values: float) -> Callable[[Any], np.ndarray]:
    return lambda rows: np.tile(values, (len(rows), 1))


class NamesOne:
    classes_ = ("good",)
    predict_proba = staticmethod(columns(0.5, 0.5))


CASES = [
    asked("none", None, "NoneType has no predict_proba"),
    asked("text", "model.joblib", "str has no predict_proba"),
    asked("a class without predict_proba", object(), "CalibratedClassifierCV"),
    asked("one that fails", failing, "RuntimeError: out of memory"),
    asked("labels", lambda rows: np.zeros(len(rows)), "as labels or scores do"),
    asked("labels of text", lambda rows: ["good"] * len(rows), "labels"),
    asked("nothing", lambda _: None, "returned shape ()"),
    asked("too few rows", lambda rows: np.full((len(rows) - 1, 2), 0.5), "9 rows"),
    asked("one class", columns(1.0), "one class only"),
    asked("NaN", columns(np.nan, 0.5), "NaN for 10 of 10 rows"),
    asked("scores", columns(-3.0, 3.0), "between 0 and 1"),
    asked("more classes than names", NamesOne(), "names 1 classes but gives 2"),
    asked("no file of its own", Path("model.joblib"), "no predict_proba"),
    file("a pickle.pkl", pickle.dumps(3), "--trust-pickle"),
    file("a broken pickle.joblib", b"\x80\x04.", "Cannot load a model", trust_pickle=True),
    file("no archive.skops", b"nothing", "Cannot load a model"),
    file("an empty archive.skops", b"PK\x05\x06" + bytes(18), "Cannot load a model"),
    file("no graph.onnx", b"nothing", "Cannot load a model"),
    file("nothing.onnx", b"", "Cannot load a model"),
]
