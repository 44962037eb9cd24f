"""People of two groups and a model of them, that tests of audits share."""

import numpy as np
import pandas as pd

import facelift as fl


def people(n=140, seed=0, *, coarse=False):
    """People of two groups; women (w) start with less, and sex cannot be changed."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["w", "m"], n, p=[0.4, 0.6])
    income = rng.normal(np.where(sex == "w", 35, 42), 9, n)
    return pd.DataFrame(
        {
            "income": (income / 5).round() * 5 if coarse else income.round(2),
            "debts": rng.integers(0, 4, n),
            "age": rng.integers(20, 60, n) if not coarse else rng.integers(2, 6, n) * 10,
            "sex": sex,
            "note": rng.random(n).round(3) if not coarse else rng.integers(0, 2, n) / 2,
        }
    )


def model(frame):
    score = (frame["income"] - 40) / 6 - 0.7 * frame["debts"] + 0.02 * (frame["age"] - 40)
    good = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - good, good])


def fitted(X, **options):
    terrain = fl.Terrain.infer(X).freeze("sex").increase_only("age").price("note", 0.0)
    settings = {"n_neighbors": 4, "n_counterfactuals": 4, **options}
    return fl.FACElift(model, terrain, **settings).fit(X)
