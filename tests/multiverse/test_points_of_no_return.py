"""Points of no return: against reachability in networkx, on both engines and on grown graphs."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graph.test_search import compiled, plain
from tests.laws import examples
from tests.multiverse.slow_multiverse import digraph, random_graph

import facelift as fl
from facelift.graph.routes import Wanted
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)


def slow_closes(multiverse, journey):
    """What each step of a journey closes, by asking networkx about every waypoint."""
    net = digraph(multiverse.graph)
    reach = [{v, *nx.descendants(net, v)} for v in journey.in_steps.vertices.tolist()]
    sets = [set(members.tolist()) for members in multiverse.destinations]
    return tuple(
        tuple(b for b, members in enumerate(sets) if members & before and not members & after)
        for before, after in pairwise(reach)
    )


def assert_exact(multiverse):
    for journey in multiverse:
        assert journey.closes == slow_closes(multiverse, journey)


@given(seeds, st.sampled_from([0.1, 0.2, 0.35]))
def test_a_step_closes_exactly_what_no_route_leads_to_any_more(seed, share):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 12, share=share, costs=(0, 1, 2))
    destinations = [set(rng.integers(1, 12, size=2).tolist()) for _ in range(4)]
    assert_exact(fl.explore(graph, 0, destinations))


@given(seeds)
@settings(max_examples=examples(40))
@pytest.mark.parametrize("search", [plain, compiled])
def test_both_engines_close_the_same(search, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 25, share=0.08)
    found = search(graph, 0, rng.random(25) < 0.3, Wanted(5))
    assert_exact(found)


def test_on_grown_graphs_of_actions_it_is_reachability_in_all_of_the_graph(lending):
    declined = lending.X[lending.chances() < 0.35].head(6)
    terrain = lending.explainer.terrain_.increase_only("income").decrease_only("debts")
    explainer = fl.FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4)
    explainer.fit(lending.X)
    found = [explainer.explain(row.to_dict()) for _, row in declined.iterrows()]
    assert any(any(journey.closes) for multiverse in found for journey in multiverse)
    for multiverse in found:
        assert_exact(multiverse)


def test_a_destination_that_only_gets_dearer_is_not_closed():
    graph = random_graph(np.random.default_rng(0), 3, share=0)
    costs = graph.costs.tolil()
    costs[0, 1], costs[0, 2], costs[1, 0] = 1, 1, 5
    multiverse = fl.explore(fl.Graph(graph.points, costs.tocsr()), 0, [1, 2])
    assert [journey.closes for journey in multiverse] == [((),), ((0,),)]


def test_the_table_has_a_row_per_step_and_destination_it_closes():
    multiverse = loan().multiverse()
    frame = fl.points_of_no_return(multiverse)
    listed = {
        (number, i + 1, b)
        for number, journey in enumerate(multiverse)
        for i, step in enumerate(journey.closes)
        for b in step
    }
    assert set(zip(frame["journey"], frame["step"], frame["closes"], strict=True)) == listed
    assert np.isfinite(frame["remaining"]).all()


def test_frames_carry_what_each_step_closes():
    frame = loan().multiverse()[2].to_frame()
    assert frame["closes"].tolist() == [(0,), (), (1,), ()]
    assert fl.points_of_no_return(fl.Multiverse((), ())).empty
