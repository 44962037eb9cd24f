"""What is said where a number is predicted and a range of it wanted: no chance is made up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift, retrospect
from facelift.views.page import document
from facelift.views.people import past
from facelift.walking.guide import Guide
from facelift.walking.population import Population
from facelift.walking.walk import Take, Walk


@pytest.fixture(scope="module")
def priced() -> Population:
    """Houses whose price is predicted; 500,000 or more is wanted."""
    table = pd.DataFrame({"rooms": np.arange(60) % 9, "baths": np.arange(60) % 4})

    def model(rows):
        return 80_000.0 * rows["rooms"].to_numpy() + 30_000.0 * rows["baths"].to_numpy()

    explainer = FACElift(model, steps="actions", n_counterfactuals=4).fit(table)
    return Population.of(explainer, table, (500_000.0, np.inf))


@pytest.fixture(scope="module")
def cheap(priced) -> Guide:
    return Guide(priced.explainer.explain(priced.table.iloc[[37]], (500_000.0, np.inf)))


def test_a_past_with_a_predicted_number_tells_no_chance(priced):
    through_rows = FACElift(priced.explainer.model).fit(priced.table)
    histories = retrospect(through_rows, priced.table.iloc[[37]], (500_000.0, np.inf))
    told = past(priced, histories)
    assert told.ways
    for way in told.ways:
        assert way.start.endswith("was predicted.")
        assert "chance" not in way.start


def test_a_range_wanted_by_all_is_told_where_one_arrives_and_not_at_each_end(cheap):
    shown = document(cheap, Walk())
    (ends, *_) = (drawn.ends for drawn in shown.maps.values())
    assert not any("or more" in end.caption for end in ends)
    assert all("500,000 or more" in end.words for end in ends)
    while shown.state in ("walking", "one way"):
        shown = document(cheap, shown.walk, Take(shown.cards.cards[0].vertex))
    assert shown.arrival is not None
    (end,) = shown.arrival.map.ends
    assert "500,000 or more" in end.words
