"""Small random tables, with missing values or without, and terrains of up to six rules."""

from __future__ import annotations

import numpy as np
import pandas as pd

from facelift import Terrain

LEVELS = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
KINDS = pd.CategoricalDtype(["p", "q", "r"])


def table(rng, n):
    return pd.DataFrame(
        {
            "amount": rng.integers(0, 5, n),
            "level": pd.Categorical.from_codes(rng.integers(0, 3, n), dtype=LEVELS),
            "kind": pd.Categorical.from_codes(rng.integers(0, 3, n), dtype=KINDS),
        }
    ).drop_duplicates(ignore_index=True)


def with_gaps(rng, X):
    """The same table with some values missing, seldom in the first row; each column or not."""
    X = X.assign(amount=X["amount"].astype(float))
    for name in X.columns:
        if rng.random() < 0.5:
            gone = rng.random(len(X)) < 0.3
            gone[0] = rng.random() < 0.2
            X[name] = X[name].mask(gone)
    return X.drop_duplicates(ignore_index=True)


def strict_terrain(rng, X, row):
    """Up to six rules, none of which the row itself breaks."""
    terrain = Terrain.infer(X).levels("amount", [0, 1, 2, 3, 4])
    for name in ("amount", "level", "kind"):
        if terrain.feature(name).missing:
            found, lost = [1.0, np.inf][rng.integers(2)], [2.0, np.inf][rng.integers(2)]
            terrain = terrain.missing(name, found=found, lost=lost)
    terrain = [
        terrain.freeze("amount"),
        terrain.increase_only("amount"),
        terrain.decrease_only("amount").price("amount", decrease=2.0),
        terrain,
    ][rng.integers(4)]
    terrain = [
        terrain.freeze("level"),
        terrain.decrease_only("level"),
        terrain.forbid("level", "low", "high").forbid("level", "mid", "high"),
        terrain.freeze("level").transition("level", "low", "mid", price=3.0),
    ][rng.integers(4)]
    terrain = [
        terrain.freeze("kind"),
        terrain.forbid("kind", "p", "q").forbid("kind", "q", "r"),
        terrain.freeze("kind").transition("kind", "p", "q", price=0.5),
        terrain,
    ][rng.integers(4)]
    if pd.isna(row["amount"]):
        return terrain
    own = int(row["amount"])
    if rng.random() < 0.4:
        terrain = terrain.between("amount", min(own, 1), max(own, 2))
    if rng.random() < 0.4:
        terrain = terrain.require("amount >= 2 or kind != 'q'" if own >= 2 else "amount <= 3")
    return terrain
