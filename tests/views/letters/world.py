"""A small world with a letter for everything: labels, units, times, a personal column."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

import facelift as fl


def people() -> pd.DataFrame:
    rows = product(range(0, 2100, 300), range(6, 54, 6), ["female", "male"])
    return pd.DataFrame(rows, columns=["savings", "months", "sex"])


class Lending:
    """Chances that rise with savings and fall with the duration, the same for everybody."""

    classes_ = np.array(["bad", "good"])

    def predict_proba(self, table: pd.DataFrame) -> np.ndarray:
        good = 0.15 + table["savings"] / 4000 + (48 - table["months"]) / 100
        return np.column_stack([1 - good, good]).clip(0, 1)


def terrain() -> fl.Terrain:
    inferred = fl.Terrain.infer(people()).freeze("sex").personal("sex")
    labelled = inferred.label("savings", "Savings", unit="DM").label("sex", "Sex")
    timed = labelled.rate("savings", 100, per="month").increase_only("savings")
    return timed.label("months", "Duration of the loan", unit="months")


def explained(rules: fl.Terrain | None = None, **settings: object) -> fl.Multiverse:
    rules = terrain() if rules is None else rules
    settings = {"steps": "actions", "n_counterfactuals": 4} | settings
    explainer = fl.FACElift(Lending(), rules, **settings).fit(people())
    case = pd.DataFrame([[300, 48, "female"]], columns=["savings", "months", "sex"])
    return explainer.explain(case)
