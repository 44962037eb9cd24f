"""Tables that tests of actions share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.steps.actions.worlds import credit_model

import facelift as fl


@pytest.fixture(scope="module")
def careers() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(20, 61, 300)
    grade = pd.cut(age + rng.normal(0, 6, 300), [-100, 30, 40, 50, 200], labels=list("dcba"))
    return pd.DataFrame(
        {
            "age": age,
            "years": (age - 20) * 0.5 + rng.uniform(0, 4, 300).round(1),
            "grade": pd.Categorical(grade, list("dcba"), ordered=True),
            "rate": rng.integers(1, 6, 300),
        }
    )


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, Any]:
    return fl.datasets.load_german_credit().data, credit_model
