from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.test_routes import random_graph

import facelift as fl
from facelift.errors import InvalidInput
from facelift.selection import USUAL, scaled_scores
from facelift.toys import fork, loan
from facelift.views import table
from facelift.views.criteria import comparison
from facelift.views.ways import way_words
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk


def compared(multiverse):
    plan = Guide(multiverse).plan(Walk())
    return comparison(plan, way_words(plan))


def test_a_way_that_costs_more_and_serves_less_is_beaten():
    told = compared(fork().multiverse())
    frame = table.criteria(fork().multiverse(), [fl.proximity, fl.opportunity, fl.lateness])
    assert [way.letter for way in told.ways] == frame["way"].tolist() == ["A", "B", "C"]
    assert told.orders["effort"] == ("A", "B", "C")
    assert told.orders["late"][0] == "A"
    assert [way.beaten for way in told.ways] == [
        not kept for kept in np.isin(range(3), fl.front(fork().multiverse(), _shown()))
    ]


def _shown():
    return [fl.proximity, fl.opportunity, fl.brevity, fl.sparsity, fl.lateness]


def test_the_table_of_the_loan_figure():
    frame = table.criteria(loan().multiverse())
    assert frame.columns.tolist() == ["way", *(each.__name__ for each in USUAL), "front"]
    assert frame["proximity"].tolist() == [-3, -14, -16]


def test_criteria_need_names():
    with pytest.raises(InvalidInput, match="must be named"):
        table.criteria(loan().multiverse(), [lambda m: -m.costs])
    named = table.criteria(loan().multiverse(), {"early": lambda m: -fl.lateness(m)})
    assert named["early"].tolist() == [0, 0, 0]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 7))
def test_early_is_the_opposite_of_late_and_shares_lie_between_worst_and_best(seed, n):
    graph = random_graph(np.random.default_rng(seed), n, share=0.5)
    multiverse = fl.explore(graph, 0, range(1, n))
    if not len(multiverse):
        return
    multiverse = replace(multiverse, graph=graph)
    told, late = compared(multiverse), fl.lateness(multiverse)
    scores = dict(zip("ABCDEFGHI", late, strict=False))
    falling = [scores[name] for name in told.orders["late"]]
    rising = [scores[name] for name in told.orders["early"]]
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
    for way in told.ways:
        assert all(share is None or 0 <= share <= 1 for share in way.shares)
    assert any(not way.beaten for way in told.ways)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_scaled_scores_keep_the_order(scores):
    scaled = scaled_scores(np.array(scores))
    order = np.argsort(scores, kind="stable")
    assert (np.diff(scaled[order]) >= 0).all()
    assert scaled.max() == 1
