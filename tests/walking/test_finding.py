"""People are found by what one says of them."""

from __future__ import annotations

import pandas as pd
import pytest

from facelift import Terrain
from facelift.datasets import german_credit_rules, load_german_credit
from facelift.language import say
from facelift.walking.finding import found

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
