"""Steps in words and pips, and letters of destinations."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import facelift as fl
from facelift import toys
from facelift.multiverse.words import steps_in_words
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
