"""A table of people to measure on: Adult where FACELIFT_DATA names a folder that has it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education_years", "marital_status", "occupation"),
    *("relationship", "race", "sex", "capital_gain", "capital_loss", "hours", "country", "income"),
]


def adult() -> pd.DataFrame:
    """The 48,842 people of Adult without their income, or as many made-up ones."""
    folder = Path(os.environ.get("FACELIFT_DATA", "")) / "adult"
    if not (folder / "adult.data").exists():
        return made_up_people()
    files = [(folder / "adult.data", 0), (folder / "adult.test", 1)]
    parts = [
        pd.read_csv(path, names=ADULT, skipinitialspace=True, skiprows=skipped)
        for path, skipped in files
    ]
    return pd.concat(parts, ignore_index=True).drop(columns="income")


def made_up_people(n: int = 48_842) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    levels = {"workclass": 9, "education": 16, "marital_status": 7, "occupation": 15}
    levels |= {"relationship": 6, "race": 5, "sex": 2, "country": 42}
    words = {name: rng.zipf(1.5, n).clip(max=count).astype(str) for name, count in levels.items()}
    years = rng.integers(1, 17, n)
    numbers = {"age": rng.integers(17, 91, n), "hours": rng.integers(1, 100, n)}
    return pd.DataFrame({**numbers, "education_years": years, "fnlwgt": rng.random(n), **words})
