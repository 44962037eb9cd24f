"""Multiverses that tests of letters share."""

from __future__ import annotations

import pytest
from tests.views.letters.world import explained, terrain

import facelift as fl
from facelift.models import small_classifier


@pytest.fixture(scope="package")
def multiverse() -> fl.Multiverse:
    return explained()


@pytest.fixture(scope="package")
def no_way() -> fl.Multiverse:
    return explained(terrain().freeze("savings", "months"))


@pytest.fixture(scope="package")
def declined() -> list[fl.Multiverse]:
    """Every twentieth declined applicant of German Credit."""
    table = fl.datasets.load_german_credit()
    model = small_classifier(table.data, table.target)
    rules = fl.datasets.german_credit_rules(fl.Terrain.infer(table.data))
    explainer = fl.FACElift(model, rules, steps="actions", n_counterfactuals=5).fit(table.data)
    rejected = table.data[model.predict(table.data) == "bad"].iloc[::20]
    return [explainer.explain(rejected.iloc[[i]], "good") for i in range(len(rejected))]
