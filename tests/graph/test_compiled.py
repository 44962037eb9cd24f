"""Compiled searches visit few vertices, leave their work space clean, and are kept up to date."""

import os

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import random_graph

from facelift.graph import Graph, Neighbourhood, kernels, remaining_costs, row_graph, search
from facelift.graph.compiled import Labels, Nearest, Outward, nearest_routes
from facelift.graph.kernels import forget_stale
from facelift.graph.routes import Wanted
from facelift.multiverse.exploration import nearest_journeys
from facelift.terrain.prices import Prices

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, n=st.integers(2, 60))
def test_a_search_leaves_its_work_space_as_it_was(seed, n):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, n, share=0.2)
    candidates = rng.random(n) < 0.3
    nearest_routes(graph, 0, candidates, Wanted(3), None)
    for space in kernels._spaces[graph]:
        for wave in (space.out, space.back):
            assert np.isinf(wave.costs).all()
            assert (wave.place == -1).all()
            assert not wave.counts.any()
        assert (space.levels == -1).all()
        assert (space.noted == -1).all()


def test_the_space_of_a_search_that_failed_is_not_used_again():
    graph = Graph(np.zeros((5, 1)), sparse.csr_array(np.ones((5, 5))))

    def failing():
        with Outward(graph, 0, np.ones(5, dtype=bool)) as search:
            search.nearest(2)
            raise MemoryError

    with pytest.raises(MemoryError):
        failing()
    assert not kernels._spaces[graph]


def test_a_search_for_near_candidates_visits_few_vertices():
    points = np.arange(2000.0)[:, np.newaxis]
    graph = row_graph(points, Neighbourhood(Prices(np.ones(1), np.ones(1)), 2))
    candidates = np.ones(2000, dtype=bool)
    candidates[0] = False
    with Outward(graph, 0, candidates) as outward:
        assert outward.nearest(3)[0].tolist() == [1, 2, 3]
        assert outward._space.out.counts[kernels.TOUCHED] < 10


def test_machine_code_older_than_any_source_is_removed(tmp_path):
    sources = [tmp_path / "queue.py", tmp_path / "ways.py"]
    (tmp_path / "__pycache__").mkdir()
    kept = [tmp_path / "__pycache__" / name for name in ("a.nbi", "a.1.nbc", "ways.pyc")]
    for age, file in [(300, sources[0]), (100, sources[1]), *((200, each) for each in kept)]:
        file.touch()
        os.utime(file, (10_000 - age,) * 2)
    forget_stale(tmp_path, sources)
    assert [each.exists() for each in kept] == [False, False, True]
    for file in sources:
        os.utime(file, (9_000, 9_000))
    kept[0].touch()
    forget_stale(tmp_path, sources)
    assert kept[0].exists()


@given(seed=seeds, n=st.integers(1, 200), share=st.sampled_from([0.005, 0.02]))
def test_no_way_is_ruled_out_that_exists(seed, n, share):
    """The marks of components tell of some pairs that no way leads; of these none may have one."""
    graph = random_graph(np.random.default_rng(seed), n, share=share, costs=(0, 1))
    component, bits = kernels.reach(graph)
    here, there = component[:, np.newaxis], component[np.newaxis, :]
    ruled_out = (here < there) | (bits[there] & ~bits[here]).any(axis=-1)
    ways = np.isfinite(remaining_costs(graph, list(np.arange(n)[:, np.newaxis])))
    assert not (ruled_out & ways).any()


def test_most_pairs_without_a_way_are_told_at_once():
    """A long one-way line: nothing leads back, and the marks of most places say so."""
    n = 3_000
    edges = np.ones(n - 1), (np.arange(n - 1), np.arange(1, n))
    line = Graph(np.zeros((n, 1)), sparse.csr_array(edges, shape=(n, n)))
    component, bits = kernels.reach(line)
    assert (np.diff(component) < 0).all()
    assert (bits[component[0]] & ~bits[component[-1]]).any()


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
            patch.setattr("facelift.graph.compiled.MEMORY", 200)
        counts, pools = search.in_reach(graph, candidates, people, groups)
    reach = [each & set(np.flatnonzero(candidates).tolist()) for each in reachable(graph)]
    assert counts.tolist() == [len(reach[person]) for person in people]
    assert pools.tolist() == [
        len(set().union(*(reach[person] for person in people[groups == group])))
        for group in range(3)
    ]
