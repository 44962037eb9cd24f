"""The trunk: what most ways begin with, checked against the graph's own least costs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.multiverse.slow_multiverse import general_graph

import facelift as fl
from facelift.toys import fork, line, loan


def random_multiverse(seed, n=14, c=6):
    return fl.explore(general_graph(np.random.default_rng(seed), n), 0, range(1, c + 1))


def test_the_fork_shares_its_first_two_steps():
    trunk = fork().multiverse().trunk()
    assert trunk.journey.vertices[: trunk.n_steps + 1].tolist() == [0, 1, 2]
    assert (trunk.ways, trunk.keeps_open, trunk.cost, trunk.excess) == ((0, 2), (0, 2), 2.0, 0.0)


def test_the_loan_closes_the_way_that_does_not_share_the_first_step():
    trunk = loan().multiverse().trunk()
    assert trunk.ways == trunk.keeps_open == (1, 2)


def test_a_single_way_has_no_trunk():
    records, model = line()
    multiverse = fl.FACElift(model, n_neighbors=2, n_counterfactuals=1).fit(records).explain([2.0])
    assert len(multiverse) == 1
    assert multiverse.trunk() is None


def test_an_empty_multiverse_has_no_trunk():
    records, model = line()
    terrain = fl.Terrain.infer(records).freeze("x0")
    assert fl.FACElift(model, terrain).fit(records).explain([2.0]).trunk() is None


def test_a_trunk_can_be_asked_to_be_on_a_way():
    multiverse = loan().multiverse()
    assert multiverse.trunk(on=2).ways == (1, 2)
    assert multiverse.trunk(on=0) is None


@pytest.mark.laws
@settings(max_examples=examples(40))
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.5))
def test_what_the_trunk_claims_is_true_of_the_graph(seed, slack):
    multiverse = random_multiverse(seed)
    trunk = multiverse.trunk(slack)
    if trunk is None:
        return
    assert 1 < len(trunk.ways) > len(multiverse) / 2
    assert 0 < trunk.n_steps < trunk.journey.n_steps
    assert trunk.cost == pytest.approx(trunk.journey.step_costs[: trunk.n_steps].sum())
    left = trunk.journey.remaining[trunk.n_steps]
    for way in trunk.ways:
        assert trunk.cost + left[way] <= multiverse[way].cost * (1 + trunk.excess) * (1 + 1e-9)
    assert trunk.excess <= slack + 1e-9
    assert trunk.keeps_open == tuple(np.flatnonzero(np.isfinite(left)))
    assert set(trunk.ways) <= set(trunk.keeps_open)


@pytest.mark.laws
@settings(max_examples=examples(20))
@given(st.integers(0, 2**32 - 1))
def test_no_beginning_is_on_more_ways(seed):
    multiverse = random_multiverse(seed)
    trunk = multiverse.trunk(0.0)
    most = 0 if trunk is None else len(trunk.ways)
    for journey in multiverse:
        for k in range(1, journey.n_steps):
            spent = journey.step_costs[:k].sum()
            on = np.isclose(spent + journey.remaining[k], journey.remaining[0], rtol=1e-12)
            assert on.sum() <= max(most, 1, len(multiverse) / 2)
