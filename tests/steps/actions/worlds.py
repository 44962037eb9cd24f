"""Tables and models that tests of actions share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import facelift as fl


def senior(frame: pd.DataFrame) -> np.ndarray:
    score = frame["age"] / 20 + frame["years"] / 10 + frame["grade"].cat.codes + frame["rate"] / 3
    chance = 1 / (1 + np.exp(3.9 - score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


CASE = {"age": 30, "years": 5.0, "grade": "d", "rate": 2}


def credit_model(frame: pd.DataFrame) -> np.ndarray:
    score = (
        frame["checking_account"].cat.codes * 0.6
        + frame["savings"].cat.codes * 0.5
        + (frame["housing"] == "own").astype(float)
        - frame["duration"] / 15
        - frame["credit_amount"] / 6000
    )
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


def credit_explainer(X: pd.DataFrame, model: Any, **changed: Any) -> fl.FACElift:
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(X))
    parameters = {"steps": "actions", "n_counterfactuals": 5, "max_states": 800, **changed}
    return fl.FACElift(model, terrain, **parameters).fit(X)
