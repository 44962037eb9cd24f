"""Tables and models whose explainers are saved, and how a folder is changed."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from facelift import Terrain


def rising(table) -> np.ndarray:
    """The chance of class 1 is the first column over 20."""
    first = table[:, 0] if isinstance(table, np.ndarray) else table["income"].to_numpy()
    chance = np.clip(np.asarray(first, dtype=np.float64) / 20, 0, 1)
    return np.column_stack([1 - chance, chance])


def falling(table) -> np.ndarray:
    return rising(table)[:, ::-1]


def pandas_table() -> pd.DataFrame:
    i = np.arange(21)
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    return pd.DataFrame(
        {
            "income": i * 1.0,
            "rate": np.sqrt(i),
            "debts": i % 4,
            "savings": pd.Categorical.from_codes(i % 3, dtype=levels),
            "grade": pd.Categorical.from_codes(i % 2, dtype=pd.CategoricalDtype([1, 2])),
            "town": np.where(i % 2 == 0, "Aarau", "Bern"),
            "employed": i % 3 == 0,
            "nullable": pd.array(i, dtype="Int16"),
            "yes": pd.array(i % 2 == 0, dtype="boolean"),
            "small": (i / 7).astype(np.float32),
        }
    )


def array_table() -> np.ndarray:
    i = np.arange(21)
    return np.column_stack([i * 1.0, np.sqrt(i), i % 3])


def ruled(terrain: Terrain) -> Terrain:
    """Every kind of refinement at once."""
    return (
        terrain.increase_only("rate")
        .price("debts", increase=3.0, decrease=0.5)
        .between("income", 0, 18)
        .forbid("town", "Bern", "Aarau")
        .transition("savings", "low", "high", price=4.0)
        .freeze("grade")
        .rate("nullable", 2.0, per="year")
        .levels("debts", [0, 2, 3])
        .require("income <= nullable + 1")
    )


def arrays(folder: Path) -> Path:
    """Where a saved explainer has its arrays."""
    (place,) = folder.glob("arrays-*")
    return place


def told(folder: Path) -> dict:
    return json.loads((folder / "explainer.json").read_text(encoding="utf-8"))


def reseal(folder: Path, **changes) -> None:
    """Make all checksums right again after arrays or the description were changed."""
    content = {**told(folder), **changes}
    content.pop("checksum")
    for name in content["checksums"]:
        data = (arrays(folder) / f"{name}.npy").read_bytes()
        content["checksums"][name] = sha256(data).hexdigest()
    text = json.dumps(content, indent=1)
    seal = sha256(text.encode()).hexdigest()
    (folder / "explainer.json").write_text(f'{text[:-2]},\n "checksum": "{seal}"\n}}\n')
