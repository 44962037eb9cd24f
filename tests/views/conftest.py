"""A guide that tests of views share."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift, Terrain
from facelift.walking.guide import Guide


@pytest.fixture(scope="module")
def guide(lending, people):
    terrain = Terrain.infer(people).freeze("town").increase_only("savings")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(people)
    row = int(np.argsort(lending.chances())[20])
    multiverse = explainer.explain(people.iloc[[row]], "granted")
    return Guide(multiverse, title="Ada", facts=("income", "debts"), words={"declined": "no"})
