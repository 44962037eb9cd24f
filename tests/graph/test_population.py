"""Searches for everybody at once find what a search for each of them finds."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples

from facelift.graph import Graph, search
from facelift.graph.population import Labels, Nearest
from facelift.graph.routes import Wanted
from facelift.multiverse.exploration import nearest_journeys

seeds = st.integers(0, 2**32 - 1)


def world(seed, costs, n=24, share=0.12):
    """A random graph, its candidates and everybody else."""
    rng = np.random.default_rng(seed)
    starts, ends = np.nonzero((rng.random((n, n)) < share) & ~np.eye(n, dtype=bool))
    data = rng.choice(costs, len(starts)) if len(costs) else rng.uniform(0.1, 2, len(starts))
    graph = Graph(rng.random((n, 2)), sparse.csr_array((data, (starts, ends)), shape=(n, n)))
    candidates = rng.random(n) < 0.4
    return graph, candidates, np.flatnonzero(~candidates)


def reachable(graph):
    net = nx.DiGraph(zip(graph.starts.tolist(), graph.costs.indices.tolist(), strict=True))
    net.add_nodes_from(range(len(graph)))
    return [{v, *nx.descendants(net, v)} for v in range(len(graph))]


def only(nearest, chosen):
    return Nearest(nearest.ends[chosen], nearest.costs[chosen], nearest.certain[chosen])


@settings(max_examples=examples(60))
@given(seeds, st.sampled_from([(), (1.0, 2.0), (0.0, 1.0, 3.0)]), st.integers(1, 5))
def test_labels_lead_to_the_journeys_of_each_person(seed, costs, count):
    graph, candidates, people = world(seed, costs)
    labels = Labels(graph, candidates, count, width=2 * count + 3)
    nearest = labels.nearest(people)
    sure = nearest.certain
    kept = only(nearest, sure)
    ways = labels.ways(people[sure], kept, n_threads=2)
    row = 0
    for i, person in enumerate(people[sure].tolist()):
        found = nearest_journeys(graph, person, candidates, Wanted(count))
        assert kept.ends[i][kept.ends[i] >= 0].tolist() == [j.vertices[-1] for j in found]
        for journey, length in zip(found, ways.lengths[i], strict=False):
            part = slice(row, row + length)
            row += length
            assert ways.vertices[part].tolist() == journey.vertices.tolist()
            assert np.allclose(ways.steps[part][1:], journey.step_costs)
            left = ways.remaining[part][:, : len(found)]
            seen = np.isfinite(left)
            assert np.allclose(left[seen], journey.remaining[seen])
            too_far = np.broadcast_to(journey.remaining[0], left.shape)[~seen]
            assert (journey.remaining[~seen] > too_far).all()
    assert row == len(ways.vertices)


def test_too_many_ties_are_admitted():
    ends = np.arange(1, 10)
    costs = sparse.csr_array((np.ones(9), (np.zeros(9, dtype=int), ends)), shape=(10, 10))
    graph, candidates = Graph(np.zeros((10, 1)), costs), np.arange(10) > 0
    assert not Labels(graph, candidates, 2, width=5).nearest(np.array([0])).certain[0]
    wide = Labels(graph, candidates, 2, width=10).nearest(np.array([0]))
    assert wide.certain[0]
    assert wide.ends.tolist() == [[1, 2]]


@settings(max_examples=examples(40))
@given(seeds, st.booleans(), st.sampled_from([10**9, 1]))
def test_what_is_in_reach_is_counted(seed, few_bits, compiled_from):
    graph, candidates, people = world(seed, (1.0,), n=90, share=0.015)
    groups = np.arange(len(people)) % 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "COMPILED_FROM", compiled_from)
        if few_bits:  # a few candidates at a time
            patch.setattr("facelift.graph.population.MEMORY", 200)
        counts, pools = search.in_reach(graph, candidates, people, groups)
    reach = [each & set(np.flatnonzero(candidates).tolist()) for each in reachable(graph)]
    assert counts.tolist() == [len(reach[person]) for person in people]
    assert pools.tolist() == [
        len(set().union(*(reach[person] for person in people[groups == group])))
        for group in range(3)
    ]
