"""Steps in words and pips, and letters of destinations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import facelift as fl
from facelift import toys
from facelift.multiverse.words import in_words, name_words, steps_in_words, value_words
from facelift.terrain import Terrain
from facelift.views.audits import audit_report
from facelift.views.text import letter


def test_pips_say_what_each_step_does_to_each_destination():
    loan = toys.loan().multiverse()
    assert [step.pips for step in steps_in_words(loan[0])] == ["●✕✕"]
    assert [step.pips for step in steps_in_words(loan[1])] == ["✕●●", "✕●✕"]
    assert [step.pips for step in steps_in_words(loan[2])] == ["✕●●", "✕●●", "✕✕●", "✕✕●"]


def test_pips_tell_open_without_help_from_closed():
    """A step away from B that can still be undone leaves B open."""
    costs = sparse.csr_array(([1.0, 1.0, 1.0, 3.0], ([0, 0, 1, 1], [1, 2, 0, 3])), shape=(4, 4))
    graph = fl.Graph(np.array([[0.0], [1.0], [-1.0], [4.0]]), costs)
    multiverse = fl.explore(graph, 0, [2, 3])
    assert [j.vertices.tolist() for j in multiverse] == [[0, 2], [0, 1, 3]]
    assert [step.pips for step in steps_in_words(multiverse[0])] == ["●✕"]
    assert [step.pips for step in steps_in_words(multiverse[1])] == ["○●", "✕●"]


def test_a_journey_always_brings_its_own_end_nearer(lending):
    row = lending.X.iloc[[int(np.argmin(lending.chances()))]]
    multiverse = lending.explainer.explain(row)
    assert len(multiverse) == 5
    for number, journey in enumerate(multiverse):
        marks = [step.pips for step in steps_in_words(journey)]
        assert len(marks) == journey.n_steps
        assert all(len(mark) == 5 and set(mark) <= set("●○✕") for mark in marks)
        assert {mark[number] for mark in marks} == {"●"}


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_letters_are_unique(one, other):
    assert (letter(one) == letter(other)) == (one == other)


def test_letters_run_through_the_alphabet_and_start_again():
    assert [letter(i) for i in (0, 1, 25, 26, 51, 52)] == ["A", "B", "Z", "A2", "Z2", "A3"]


HOMES = Terrain.infer(
    pd.DataFrame(
        {"months": [6, 48], "homePrice": [900.0, 2e6], "share": [1.5, 80.0], "job": ["A1", "A2"]}
    )
)
LABELLED = (
    HOMES.label("months", "Duration of the loan", unit="months")
    .label("homePrice", unit="$")
    .label("share", unit="%")
    .label("job", "Work", values={"A1": "cook"})
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("months", 48, 30), "Duration of the loan: 48 → 30 months (−18)"),
        (("months", 2, 1), "Duration of the loan: 2 → 1 month (−1)"),
        (("months", None, 1200), "Duration of the loan: missing → 1,200 months"),
        (("homePrice", 1664.6475, 60000.0), "Home price: $1,664.65 → $60,000 (+58,335.35)"),
        (("homePrice", -5.0, 5.0), "Home price: −$5 → $5 (+10)"),
        (("share", 12.5, 20.0), "Share: 12.5 → 20% (+7.5)"),
        (("share", 1.00001, 1.00002), "Share: 1.00001 → 1.00002% (+1e-05)"),
        (("job", "A1", "A2"), "Work: cook → A2"),
        (("job", None, "A1"), "Work: missing → cook"),
        (("someOther_name", 2011, 12345), "SomeOther name: 2011 → 12,345"),
    ],
)
def test_changes_are_said_with_labels_units_and_differences(change, words):
    assert str(in_words([change], LABELLED.by_name)[0]) == words


def test_without_labels_names_are_taken_apart():
    assert name_words("homePrice", HOMES.by_name) == "Home price"
    assert value_words(2e6, HOMES.feature("homePrice")) == "2,000,000"
    assert [value_words(each) for each in (True, np.False_)] == ["yes", "no"]


@pytest.fixture(scope="module")
def labelled():
    """Ways under labels: by actions, and why there is none."""
    X = pd.DataFrame({"months": range(40), "kind": ["a", "b"] * 20})
    terrain = Terrain.infer(X).label("months", "Duration", unit="weeks").freeze("kind")
    terrain = terrain.label("kind", "Sort", values={"a": "first"}).personal("kind")

    def model(rows):
        chance = rows["months"].to_numpy() / 39
        return np.column_stack([1 - chance, chance])

    return fl.FACElift(model, terrain, steps="actions", n_counterfactuals=2).fit(X)


def test_every_view_says_the_label_and_frames_keep_the_name(labelled):
    case = {"months": 4, "kind": "a"}
    multiverse = labelled.explain(case)
    assert "Duration: 4 → " in fl.views.text.multiverse_text(multiverse)
    assert " weeks (+" in fl.views.text.multiverse_text(multiverse)
    assert "Duration: 4 → " in multiverse._repr_html_()
    assert set(multiverse.to_frame()["feature"]) == {"months"}
    assert "weeks" in str(fl.resilience(multiverse))
    assert "Duration: 4 → " in str(fl.contingency(multiverse, 0.1))


def test_labels_survive_a_document(labelled):
    multiverse = labelled.under(labelled.terrain_.price("kind", 0.1)).explain(
        {"months": 4, "kind": "a"}
    )
    read = fl.Multiverse.from_json(multiverse.to_json())
    for journey, same in zip(multiverse, read, strict=True):
        assert [each.changes for each in steps_in_words(same)] == [
            each.changes for each in steps_in_words(journey)
        ]
    assert "first" in value_words("a", read[0].features["kind"])


def test_an_audit_says_the_label(labelled):
    X = labelled.terrain_.decode(labelled.graph_.points)
    audit = fl.Audit.of(labelled, X, by="kind", target=1, min_size=1, n_resamples=20)
    assert "<td>Duration</td>" in audit_report(audit)


def test_reasons_say_the_label_too(labelled):
    frozen = labelled.under(labelled.terrain_.freeze("months"))
    why_not = frozen.explain({"months": 4, "kind": "a"}).why_not
    told = str(why_not.certificate)
    assert "let Duration rise" in told
    assert "kept: Sort." in told
