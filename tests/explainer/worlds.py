"""Small worlds of rows that tests of the explainer share."""

from __future__ import annotations

import numpy as np


def upper(points: np.ndarray) -> np.ndarray:
    """A model of arrays: the chance of class 1 is the first column, cut to [0, 1]."""
    chance = np.clip(np.asarray(points, dtype=np.float64)[:, 0], 0, 1)
    return np.column_stack([1 - chance, chance])


def line(n: int = 11) -> np.ndarray:
    """Points 0, 0.1, …, 1 on a line; `upper` grants from the middle on."""
    return np.linspace(0, 1, n)[:, np.newaxis]


def hopeful(world) -> list[int]:
    """Rows the model declines, the least hopeful first."""
    chances = world.chances()
    return [int(i) for i in np.argsort(chances, kind="stable") if chances[i] < 0.5]


def outsider() -> dict[str, object]:
    return {
        "income": 21.37,
        "debts": 3,
        "savings": "none",
        "housing": "own",
        "town": "Bern",
        "employed": False,
    }
