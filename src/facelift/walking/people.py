"""How many people have which values: what a value is tried against."""

from __future__ import annotations

import numpy as np

from facelift.explainer import FACElift
from facelift.terrain.kinds import kind_of

N_BARS = 24
"""So many parts of equal width has the range of a column of numbers."""


def people(explainer: FACElift) -> dict[str, tuple[int, ...]]:
    """Records by column: one count per level, or per part of the range of its numbers.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"debts": [0, 0, 24], "job": ["none", "some", "none"]})
    >>> explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] > 9).astype(int)]).fit(X)
    >>> people(explainer)["job"], people(explainer)["debts"][0]
    ((2, 1), 2)
    """
    rows = explainer.terrain_.to_pandas(explainer.graph_.points)
    weights = np.asarray(explainer.multiplicity_, dtype=float)
    return {
        str(feature.name): kind_of(feature).counts(feature, rows[feature.name], weights, N_BARS)
        for feature in explainer.terrain_.features
    }
