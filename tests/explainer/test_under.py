"""The same explainer under other prices."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift
from facelift.errors import (
    InvalidInput,
)


def test_under_other_prices_answers_as_an_explainer_fitted_with_them(lending, people):
    terrain = lending.explainer.terrain_.freeze("town").price("income", increase=3.0)
    for steps in ("rows", "actions"):
        fitted = FACElift(lending.model, steps=steps, n_counterfactuals=4).fit(people)
        anew = FACElift(lending.model, terrain, steps=steps, n_counterfactuals=4).fit(people)
        for row in np.flatnonzero(lending.chances() < 0.5)[:5]:
            shared = fitted.under(terrain).explain(people.iloc[row], target="granted")
            assert shared.to_json() == anew.explain(people.iloc[row], target="granted").to_json()


def test_under_asks_the_model_about_no_record_again(lending, people):
    asked = []

    def model(rows):
        asked.append(len(rows))
        return lending.model.predict_proba(rows)

    explainer = FACElift(model, steps="actions").fit(people)
    asked.clear()
    explainer.under(explainer.terrain_.freeze("town"))
    assert asked == []


def test_under_leaves_the_explainer_as_it_was(lending):
    before = lending.explainer.get_params(deep=False)
    other = lending.explainer.under(lending.explainer.terrain_.freeze("town"), threshold=0.7)
    assert other.threshold == 0.7
    assert lending.explainer.get_params(deep=False) == before
    assert lending.explainer.terrain_.feature("town").increase == 1.0


def test_under_refuses_another_encoding_and_another_kind_of_step(lending):
    ordered = lending.explainer.terrain_.order("town", ["Aarau", "Bern"])
    with pytest.raises(InvalidInput, match="encodes the table differently"):
        lending.explainer.under(ordered)
    with pytest.raises(InvalidInput, match="cannot change steps"):
        lending.explainer.under(lending.explainer.terrain_, steps="actions")
