"""Anybody of a table can be walked with, asked about their past, and whether their ways last."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crowd import population

from facelift.errors import InvalidInput
from facelift.walking.population import Population, wanted_outcome
from facelift.walking.walk import Walk


@pytest.fixture(scope="module")
def people() -> Population:
    return population(80)


@pytest.fixture(scope="module")
def rejected(people) -> int:
    """Somebody who is not banned, and has ways."""
    free = people.table["banned"] == 0
    return int(np.flatnonzero(~people.census.reached & free)[0])


def test_the_guide_of_somebody_is_that_of_their_row(people, rejected):
    guide = people.guide(rejected)
    assert guide.title == f"Applicant {rejected}"
    row = guide.plan(Walk()).row
    assert row["income"] == people.table["income"][rejected]


def test_nobody_else_is_walked_with(people):
    with pytest.raises(InvalidInput, match="There is no applicant 80; they run from 0 to 79"):
        people.guide(80)


def test_a_past_leads_to_where_somebody_stands(people, rejected):
    found = people.past(rejected)
    assert len(found)
    assert found[0].rows.iloc[-1]["income"] == people.table["income"][rejected]


def test_other_models_are_asked_whether_ways_last(people, rejected):
    guide = people.lasting_guide(rejected)
    assert len(guide.explainer.oracle_.committee) == 5


def test_without_outcomes_no_other_models_can_be_fitted(people, rejected):
    alone = Population.of(people.explainer, people.table, "good")
    with pytest.raises(InvalidInput, match="not known here"):
        alone.lasting_guide(rejected)


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [(["Bad", "Good"], "Good"), ([0, 1], 1), (["no", "yes"], "yes"), (["a", "b", "c"], "c")],
)
def test_the_outcome_wanted_is_what_sounds_good(labels, wanted):
    assert wanted_outcome(labels) == wanted
