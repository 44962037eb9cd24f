"""An overview first, details later."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph.test_routes import random_graph

import facelift as fl
from facelift.errors import InvalidInput
from facelift.multiverse.families import direction_differences
from facelift.toys import fork
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.walk import Overview, Take, Walk


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 8),
    coarse=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
    spent=st.floats(0, 100),
)
def test_coarser_is_fewer_families_and_farther_is_more(seed, n, coarse, spent):
    graph = random_graph(np.random.default_rng(seed), n, share=0.5)
    multiverse = fl.explore(graph, 0, range(1, n))
    if not len(multiverse):
        return
    fine, rough = (multiverse.overview(each) for each in coarse)
    assert len(rough) <= len(fine)
    assert len(multiverse.overview(coarse[1], spent)) >= len(rough)
    assert len(multiverse.overview(1.0)) == 1
    members = sorted(member for family in rough for member in family.members)
    assert members == list(range(len(multiverse)))


def test_the_dial_of_the_page_folds_and_unfolds():
    guide = Guide(fork().multiverse())
    first = document(guide, Walk())
    assert [way.letter for way in first.ways] == ["A", "B", "C"]
    coarse = document(guide, first.walk, Overview(1.0))
    assert [way.letter for way in coarse.ways] == ["A"]
    assert coarse.ways[0].similar == 3
    assert "1 of 3 ways stand for all." in coarse.banner
    fine = document(guide, coarse.walk, Overview(0.0))
    assert [way.letter for way in fine.ways] == ["A", "B", "C"]
    assert "Every way is shown by itself." in fine.banner


def test_walking_makes_the_overview_finer():
    multiverse = fork().multiverse()
    guide, apart = Guide(multiverse), direction_differences(multiverse.journeys)
    just = 1.1 * apart[0, 2] / apart.max()  # A and C are one at the start, but only just
    coarse = document(guide, document(guide, Walk()).walk, Overview(just))
    assert [way.letter for way in coarse.ways] == ["A", "B"]
    walked = document(guide, coarse.walk, Take(1))
    assert [way.letter for way in walked.ways] == ["A", "C"]  # and B is closed


def test_a_share_that_cannot_be_is_refused():
    guide = Guide(fork().multiverse())
    with pytest.raises(InvalidInput, match="share"):
        guide.moved(Walk(), Overview(2.0))
    with pytest.raises(InvalidInput, match="coarseness"):
        fork().multiverse().overview(-0.1)
