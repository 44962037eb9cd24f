"""Explainers that earlier versions saved are read, and explain as they did."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift

SAVED = Path(__file__).parent / "version_0_1_0"
"""Twelve made-up rows under rules of every kind, saved by version 0.1.0 with what it explained."""

TEXT = str(pd.Series(["text"]).dtype)
"""What this pandas calls a column of text: `str`, or `object` before 3.0."""

CASE = {"income": 2.0, "debts": 1, "town": "Bern", "savings": "mid"}


def rising(table: pd.DataFrame) -> np.ndarray:
    chance = np.clip(table["income"].to_numpy(dtype=float) / 20, 0, 1)
    return np.column_stack([1 - chance, chance])


def read(path: Path) -> dict[str, Any]:
    """A document whose columns of text have the type that this pandas gives them."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text.replace('"str"', f'"{TEXT}"'))


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_an_explainer_of_version_0_1_0_explains_as_before(steps):
    explainer = FACElift.load(SAVED / steps, model=rising)
    expected = read(SAVED / f"{steps}.json")
    found = told_before(json.loads(explainer.explain(CASE, 1).to_json()))
    if steps == "rows":
        assert found == expected
    ends = [[each["cost"], each["waypoints"][-1]] for each in found["journeys"]]
    assert ends == [[each["cost"], each["waypoints"][-1]] for each in expected["journeys"]]
    assert ends


def told_before(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what version 0.1.0 did not tell; its ways ended at the threshold."""
    assert document["goal"].pop("margin") == 0
    del document["proof"], document["offers"]
    for journey in document["journeys"]:
        del journey["dips"]
    return document


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_saved_again_it_is_the_same_but_for_the_name_of_its_arrays(steps, tmp_path):
    shutil.copytree(SAVED / steps, tmp_path / "saved")
    FACElift.load(tmp_path / "saved", model=rising).save(tmp_path / "again")
    before, after = (read(tmp_path / name / "explainer.json") for name in ("saved", "again"))
    assert after["parameters"].pop("margin") == 0
    for name in ("checksums", "classes", "terrain"):
        assert before[name] == after[name]
    assert before["parameters"] | {"patience": "normal"} == after["parameters"]
    for name in ("data", "model"):
        assert before["fingerprints"][name] == after["fingerprints"][name]
