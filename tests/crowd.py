"""A small table of applicants, some of whom have no way, and a front door for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from facelift import FACElift, Terrain
from facelift.walking.population import Population
from facelift.web.tables import Example, Tables


def applicants(n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    banned = np.arange(n) % 6 == 3
    rich = np.arange(n) % 12 == 3  # so that the model sees that money does not help
    table = pd.DataFrame(
        {
            "income": np.where(rich, 59, rng.integers(10, 60, n)),
            "debts": np.where(rich, 0, rng.integers(0, 6, n)),
            "banned": 100 * banned,
            "sex": rng.choice(["female", "male"], n),
        }
    )
    return table.assign(
        risk=np.where(
            table["income"] - 6 * table["debts"] - 2 * table["banned"] > 10, "good", "bad"
        )
    )


def population(n: int = 120, steps: str = "actions") -> Population:
    """Nobody who is banned has a way."""
    table = applicants(n)
    people, outcome = table.drop(columns="risk"), table["risk"]
    kept = ColumnTransformer([("kept", "passthrough", ["income", "debts", "banned"])])
    model = make_pipeline(kept, LogisticRegression(C=100, max_iter=5000)).fit(people, outcome)
    terrain = Terrain.infer(people).freeze("banned", "sex").personal("sex")
    explainer = FACElift(model, terrain, steps=steps, n_counterfactuals=3).fit(people)
    return Population.of(
        explainer,
        people,
        "good",
        title="Loans",
        person="Applicant",
        words={"bad": "declined"},
        outcome=outcome,
        start=0,
    )


def door(n: int = 120) -> Tables:
    return Tables(
        {"loans": Example("loans", "Loans", "Who gets a loan?", lambda: population(n))}, "loans"
    )
