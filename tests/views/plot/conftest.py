"""Worlds that tests of plots share."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift, Terrain


@pytest.fixture(scope="module")
def granted(lending, people):
    terrain = Terrain.infer(people).freeze("town").increase_only("savings")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(people)
    return explainer.explain(people.iloc[[int(np.argsort(lending.chances())[20])]], "granted")
