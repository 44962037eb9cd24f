"""How many people have which values: what a value is tried against."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.explainer import FACElift
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of

N_BARS = 24
"""So many parts of equal width has the range of a column of numbers."""


def people(explainer: FACElift) -> dict[str, tuple[int, ...]]:
    """Records by column: one count per level, or per part of the range of its numbers.

    >>> X = pd.DataFrame({"debts": [0, 0, 24], "job": ["none", "some", "none"]})
    >>> explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] > 9).astype(int)]).fit(X)
    >>> people(explainer)["job"], people(explainer)["debts"][0]
    ((2, 1), 2)
    """
    rows = explainer.terrain_.to_pandas(explainer.graph_.points)
    weights = np.asarray(explainer.multiplicity_, dtype=float)
    return {
        str(feature.name): _counts(feature, rows[feature.name], weights)
        for feature in explainer.terrain_.features
    }


def _counts(feature: Feature, column: pd.Series[Any], weights: Floats) -> tuple[int, ...]:
    if feature.has_levels:
        return tuple(int(weights[column.eq(level)].sum()) for level in feature.levels)
    span = kind_of(feature).range(feature)
    if span is None or span[0] >= span[1]:
        return ()
    amounts = kind_of(feature).amounts(feature, column)
    known = np.isfinite(amounts)
    counts, _ = np.histogram(amounts[known], bins=N_BARS, range=span, weights=weights[known])
    return tuple(counts.astype(int).tolist())
