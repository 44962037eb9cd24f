"""Resilience against networkx: disjoint routes, dominators, and needs by trying every value."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples

import facelift as fl
from facelift.graph.routes import must_pass, n_disjoint, reached
from facelift.questions.resilience import Need, Resilience
from facelift.terrain.feature import Feature
from facelift.toys import fork, loan

seeds = st.integers(0, 2**32 - 1)


def random_world(seed, n=9, share=0.25):
    rng = np.random.default_rng(seed)
    starts, ends = np.nonzero((rng.random((n, n)) < share) & ~np.eye(n, dtype=bool))
    data = rng.integers(0, 3, len(starts)).astype(float)  # an edge of cost 0 is an edge
    costs = sparse.csr_array((data, (starts, ends)), shape=(n, n))
    goals = np.unique(rng.integers(1, n, 3))
    return fl.Graph(rng.integers(0, 4, (n, 2)).astype(float), costs), goals


def net_of(graph, goals):
    """The graph for networkx, with one vertex more that all goals lead to."""
    net = nx.DiGraph()
    net.add_nodes_from(range(len(graph)))
    rows, columns = graph.starts, graph.costs.indices
    net.add_edges_from(zip(rows.tolist(), columns.tolist(), strict=True))
    net.add_edges_from((goal, "end") for goal in goals.tolist())
    return net


@given(seeds, st.sampled_from([0.15, 0.25, 0.5]))
def test_as_many_ways_share_no_state_as_networkx_finds(seed, share):
    graph, goals = random_world(seed, share=share)
    net = net_of(graph, goals)
    found = n_disjoint(graph.costs, 0, goals, 99)
    if not nx.has_path(net, 0, "end"):
        assert found == 0
    else:
        assert found == len(list(nx.node_disjoint_paths(net, 0, "end")))
        assert n_disjoint(graph.costs, 0, goals, 2) == min(found, 2)


@given(seeds, st.sampled_from([0.1, 0.15, 0.25]))
def test_what_every_way_passes_are_the_dominators_of_the_end(seed, share):
    graph, goals = random_world(seed, share=share)
    net = net_of(graph, goals)
    dominators = nx.immediate_dominators(net, 0)
    expected, vertex = [], "end"
    if "end" in dominators:
        while (vertex := dominators[vertex]) != 0:
            expected.append(vertex)
    assert must_pass(graph.costs, 0, goals) == expected[::-1]


@given(seeds)
def test_what_is_reached_is_what_networkx_reaches(seed):
    graph, goals = random_world(seed)
    net = net_of(graph, np.array([], dtype=int))
    expected = set().union(*({g, *nx.descendants(net, g)} for g in goals.tolist()))
    assert set(np.flatnonzero(reached(graph.costs, goals)).tolist()) == expected


def slow_needs(graph, goals):
    """Every value that a simple way must reach, by listing all simple ways."""
    net = net_of(graph, goals)
    ways = [way[:-1] for way in nx.all_simple_paths(net, 0, "end")]
    found = []
    for column in range(graph.points.shape[1]):
        own = graph.points[0, column]
        lines = [graph.points[way, column] for way in ways]
        highest, lowest = min(line.max() for line in lines), max(line.min() for line in lines)
        if highest > own:
            found.append(Need(f"x{column}", "at least", float(highest)))
        if lowest < own:
            found.append(Need(f"x{column}", "at most", float(lowest)))
    return found


@given(seeds, st.sampled_from([0.15, 0.25]))
@settings(max_examples=examples(60))
def test_needs_are_what_no_way_does_without(seed, share):
    graph, goals = random_world(seed, share=share)
    multiverse = fl.explore(graph, 0, goals.tolist())
    found = fl.resilience(multiverse)
    if not len(multiverse):
        assert found == Resilience(0, 10, (), ())
        return
    assert list(found.needs) == slow_needs(graph, goals)
    assert found.n_independent == n_disjoint(graph.costs, 0, goals, 10)
    assert found.states == () or found.n_independent == 1


def test_needs_speak_of_levels_and_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "savings": pd.Categorical.from_codes(
                rng.integers(0, 3, 200), ["none", "some", "much"], ordered=True
            ),
            "home": rng.choice(["rent", "own"], 200),
            "age": rng.integers(20, 60, 200),
        }
    )

    def model(rows):
        yes = (rows["savings"] == "much") & (rows["home"] == "own")
        return np.column_stack([~yes, yes]).astype(float)

    explainer = fl.FACElift(model, steps="actions", n_counterfactuals=3).fit(X)
    found = fl.resilience(explainer.explain({"savings": "none", "home": "rent", "age": 30}))
    assert list(map(str, found.needs)) == ["Savings of at least much", "Home own"]
    assert "every way found needs Savings of at least much, Home own" in str(found)


def test_words():
    no_stop = "ways that share no stop, counting detours not listed"
    assert str(fl.resilience(fork().multiverse())) == f"2 {no_stop}"
    assert str(fl.resilience(loan().multiverse(), most=2)) == f"2 or more {no_stop}"
    assert str(Resilience(0, 10, (), ())) == "there is no way"
    assert str(Resilience(1, 10, (), ())) == "all ways share a stop"
    need = (Need("savings", "at least", 500.0),)
    assert str(Resilience(4, 10, (), need)) == (
        f"4 {no_stop}; every way found needs Savings of at least 500"
    )


def test_many_needs_are_counted():
    needs = tuple(Need(f"x{i}", "at least", 1.0) for i in range(15))
    told = Resilience(1, 10, (), needs).needs_words
    assert told == "X0 of at least 1, X1 of at least 1, X2 of at least 1 and 12 more"


def test_needs_of_one_column_are_told_at_their_own_times():
    both = Need("x0", "at least", 2.0), Need("x0", "at most", -1.0)
    told = Resilience(1, 10, (), (*both, Need("x1", "at least", 1.0))).needs_words
    apart = "X0 of at least 2 and, at another time, X0 of at most −1"
    assert told == f"{apart}, X1 of at least 1"


def test_one_state_that_all_must_pass_is_named():
    multiverse = fl.explore(loan().graph, 0, [2, 3])
    found = fl.resilience(multiverse)
    assert (found.n_independent, found.states) == (1, (4,))


def test_a_multiverse_that_cannot_be_walked_is_refused():
    read = fl.Multiverse.from_json(loan().multiverse().to_json())
    with pytest.raises(fl.errors.InvalidInput, match="read from JSON"):
        fl.resilience(read)


def test_a_no_or_yes_is_needed_as_it_is():
    aid = Feature("aid", "numeric", stops=(0.0, 1.0), named=((0.0, "no"), (1.0, "yes")))
    assert str(Need("aid", "at least", 1.0, {"aid": aid})) == "Aid yes"
    term = Feature("term", "numeric", stops=(36.0, 60.0))
    assert str(Need("term", "at least", 60.0, {"term": term})) == "Term of at least 60"
