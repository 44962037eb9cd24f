"""A multiverse: a sequence of journeys, and how they serve each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.multiverse.slow_multiverse import (
    graph_of,
    random_graph,
    routes_of,
)

import facelift as fl
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


# The paper's loan figure, SPEC 12


def test_the_loan_figure_gives_the_papers_table():
    multiverse = loan().multiverse()
    expected = [[1, 0, 0], [0, 1, Fraction(4, 7)], [0, Fraction(7, 8), 1]]
    for row, printed in zip(multiverse.opportunity.tolist(), expected, strict=True):
        assert row == [float(each) for each in printed]


def test_a_single_destination_has_no_alternatives_to_score_but_is_best():
    multiverse = fl.explore(loan().graph, 0, [2])
    assert np.isnan(multiverse.scores).all()
    assert multiverse.opportunity.tolist() == [[1.0]]
    assert multiverse.mean_opportunity.tolist() == [1.0]
    assert fl.best(multiverse) is multiverse[0]


# Laws


@given(seed=seeds, n=st.integers(2, 20), zeros=st.booleans())
def test_potentials_lie_in_zero_to_one_and_ones_own_is_one(seed, n, zeros):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, costs=(0, 0, 1, 2) if zeros else (0.1, 0.2, 0.3, 0.7))
    multiverse = fl.explore(graph, 0, range(1, n))
    opportunity = multiverse.opportunity
    assert ((opportunity >= 0) & (opportunity <= 1)).all()
    assert (np.diag(opportunity) == 1).all()


def test_a_free_step_neither_opens_nor_closes_anything():
    """SPEC 5: beside the way, a detour of cost 0 does not end the walk."""
    edges = {(0, 1): 2, (1, 2): 0, (2, 3): 2, (2, 4): 5}
    multiverse = fl.explore(graph_of(edges, 5), 0, [3, 4])
    assert routes_of(multiverse) == [[0, 1, 2, 3], [0, 1, 2, 4]]
    assert multiverse.opportunity.tolist() == [[1, 0.5], [2 / 7, 1]]


def test_the_walk_ends_at_the_first_step_that_does_not_come_nearer_not_at_the_least_distance():
    edges = {(0, 1): 8, (1, 2): 8, (2, 3): 8, (3, 4): 8, (1, 5): 4, (3, 5): 1}
    multiverse = fl.explore(graph_of(edges, 6), 0, [4, 5])
    assert routes_of(multiverse) == [[0, 1, 5], [0, 1, 2, 3, 4]]
    assert multiverse[1].remaining[:, 0].tolist() == [12, 4, 9, 1, np.inf]
    assert multiverse[1].opportunity.tolist() == [0.25, 1]


def test_a_multiverse_is_a_sequence_of_journeys():
    multiverse = loan().multiverse()
    assert list(multiverse) == [multiverse[0], multiverse[1], multiverse[2]]
    assert multiverse[-1] is multiverse[2]
    assert multiverse[1:] == (multiverse[1], multiverse[2])
    assert multiverse[1] in multiverse
