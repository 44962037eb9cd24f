"""Values that people say are theirs: checked before anything rests on them, and who has which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.multiverse.words import name_words, value_words
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain


def check_values(
    values: Mapping[str, Any], now: Mapping[str, Any], terrain: Terrain, *, correction: bool = False
) -> None:
    """An error if values cannot be anybody's, or cannot have come about from those of now.

    A number is one of its column: whole where all are, within its bounds, below zero only where
    others are. Unless it is a correction, what never changes stays, and what ages never falls.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"months": [6, 48]}))
    >>> check_values({"months": -3}, {"months": 12}, terrain)
    Traceback (most recent call last):
    ...
    facelift.errors.InvalidInput: Months cannot be negative, got -3.
    """
    features = terrain.by_name
    for name, value in values.items():
        if name not in features:
            raise InvalidInput(f"There is no column {name!r}.")
        feature = features[name]
        if wrong := kind_of(feature).fault(feature, value):
            raise InvalidInput(f"{_words(feature)} {wrong}")
        if not correction and now[name] is not None and value is not None:
            _check_happened(feature, now[name], value)


def _check_happened(feature: Feature, now: Any, value: Any) -> None:
    words, before = _words(feature), value_words(now, feature)
    if feature.personal and feature.frozen and value != now:
        raise InvalidInput(f"{words} does not change. If {before} is wrong, correct it as a fact.")
    if feature.ages is not None and isinstance(value, int | float) and value < now:
        raise InvalidInput(
            f"{words} never falls, and is {before} now. If that is wrong, correct it as a fact."
        )


def _words(feature: Feature) -> str:
    return name_words(str(feature.name), {str(feature.name): feature})


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
