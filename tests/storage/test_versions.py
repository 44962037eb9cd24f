"""Explainers that earlier versions saved are read, and explain as they did."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift

SAVED = Path(__file__).parent / "version_0_1_0"
"""Twelve made-up rows under rules of every kind, saved by version 0.1.0 with what it explained."""

CASE = {"income": 2.0, "debts": 1, "town": "Bern", "savings": "mid"}


def rising(table: pd.DataFrame) -> np.ndarray:
    chance = np.clip(table["income"].to_numpy(dtype=float) / 20, 0, 1)
    return np.column_stack([1 - chance, chance])


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_an_explainer_of_version_0_1_0_explains_as_before(steps):
    explainer = FACElift.load(SAVED / steps, model=rising)
    expected = json.loads((SAVED / f"{steps}.json").read_text(encoding="utf-8"))
    assert json.loads(explainer.explain(CASE, 1).to_json()) == expected
    assert expected["journeys"]


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_saved_again_it_is_the_same_but_for_the_name_of_its_arrays(steps, tmp_path):
    shutil.copytree(SAVED / steps, tmp_path / "saved")
    FACElift.load(tmp_path / "saved", model=rising).save(tmp_path / "again")
    told = [
        json.loads((folder / "explainer.json").read_text(encoding="utf-8"))
        for folder in (tmp_path / "saved", tmp_path / "again")
    ]
    assert told[0]["fingerprints"] == told[1]["fingerprints"]
    assert told[0]["checksums"] == told[1]["checksums"]
    assert told[0]["parameters"] == told[1]["parameters"]
