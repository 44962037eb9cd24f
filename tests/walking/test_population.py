"""Anybody of a table can be walked with, asked about their past, and whether their ways last."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.crowd import population

from facelift import Terrain
from facelift.datasets import german_credit_rules, load_german_credit
from facelift.errors import InvalidInput
from facelift.language import say
from facelift.walking.population import Population, found, wanted_outcome
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


@pytest.mark.parametrize(
    ("labels", "column", "wanted"),
    [
        (["no", "yes"], "deny", "no"),
        ([0, 1], "default.payment.next.month", 0),
        (["bad", "good"], "default", "good"),
        ([False, True], "survived", True),
    ],
)
def test_nobody_wants_to_be_denied(labels, column, wanted):
    assert wanted_outcome(labels, column) == wanted


TABLE = pd.DataFrame(
    {
        "credit_amount": [5951, 15945, 900],
        "age": [22, 58, 31],
        "housing": ["own", "for free", "rent"],
    }
)
NAMES = ["Applicant 0", "Applicant 1", "Applicant 2"]


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("", [0, 1, 2]),
        ("1", [1]),
        ("applicant 2", [2]),
        ("rent", [2]),
        ("age under 30", [0]),
        ("age over 22", [1, 2]),
        ("age at least 22, age at most 31", [0, 2]),
        ("AGE < 60, credit amount >= 5,951", [0, 1]),
        ("loan over 900", [0, 1]),
        ("housing is for free", [1]),
        ("own, age over 30", []),
        ("nothing like this", []),
        ("age over old", []),
    ],
)
def test_every_part_of_what_is_said_must_fit(said, who):
    features = Terrain.infer(TABLE).label("credit_amount", "Loan").by_name
    assert found(TABLE, said, features, NAMES).nonzero()[0].tolist() == who


@pytest.mark.parametrize(
    ("said", "like"),
    [
        ("Laufzeit des Kredits > 36", "duration over 36"),
        ("Höhe des Kredits > 5.000", "credit_amount over 5,000"),
        ("zur Miete", "rent"),
        ("duration over 36", "duration over 36"),
    ],
)
def test_people_are_found_by_the_words_of_the_page(said, like):
    table = load_german_credit().data
    features = german_credit_rules(Terrain.infer(table)).by_name
    names = [""] * len(table)
    there = found(table, said, features, names, spoken="de")
    assert 0 < there.sum() < len(table)
    assert (there == found(table, like, features, names)).all()


def test_people_are_found_by_their_names_in_another_language():
    names = [say("Applicant {row}", row=row) for row in range(3)]
    assert found(TABLE, "Antragsteller 2", {}, names, spoken="de").tolist() == [False, False, True]
    assert found(TABLE, "applicant 2", {}, names, spoken="de").tolist() == [False, False, True]
