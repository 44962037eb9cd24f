from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from scipy import sparse
from tests.laws import examples, steps

import facelift as fl
from facelift import Option, Position
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal
from facelift.multiverse.whynot import already_there
from facelift.toys import fork, loan

seeds = st.integers(0, 2**32 - 1)


def graph_of(edges, n):
    starts, ends = zip(*edges, strict=True)
    data = np.array(list(edges.values()), dtype=float)
    return fl.Graph(np.zeros((n, 1)), sparse.csr_array((data, (starts, ends)), shape=(n, n)))


def random_multiverse(seed, n=8):
    """Whole costs with ties and zeros; destinations are sets of one or two vertices."""
    rng = np.random.default_rng(seed)
    starts, ends = np.nonzero((rng.random((n, n)) < 0.35) & ~np.eye(n, dtype=bool))
    data = rng.integers(0, 4, size=len(starts)).astype(float)
    costs = sparse.csr_array((data, (starts, ends)), shape=(n, n))
    destinations = [set(rng.integers(1, n, size=2).tolist()) for _ in range(3)]
    return fl.explore(fl.Graph(rng.random((n, 2)), costs), 0, destinations)


def summary(option):
    return option.start, option.end, option.cost, option.remaining.tolist(), option.effects


class SlowPosition:
    """What a position should say, all of it computed anew with networkx."""

    def __init__(self, multiverse, walked, blocked):
        matrix = multiverse.graph.costs.tocoo()
        triples = zip(*(each.tolist() for each in (*matrix.coords, matrix.data)), strict=True)
        self.costs = {(u, v): cost for u, v, cost in triples}
        self.net = nx.DiGraph()
        self.net.add_nodes_from(range(len(multiverse.graph)))
        self.net.add_weighted_edges_from(
            (u, v, cost) for (u, v), cost in self.costs.items() if (u, v) not in blocked
        )
        self.sets = [set(members.tolist()) for members in multiverse.destinations]
        self.walked = walked

    @property
    def vertex(self):
        return self.walked[-1]

    @property
    def cost(self):
        return sum(self.costs[step] for step in pairwise(self.walked))

    @property
    def arrived(self):
        return tuple(b for b, members in enumerate(self.sets) if self.vertex in members)

    def remaining(self, vertex):
        lengths = nx.single_source_dijkstra_path_length(self.net, vertex)
        return [min(lengths.get(member, np.inf) for member in members) for members in self.sets]

    def effect(self, before, after, cost):
        if after == np.inf:
            return "closed"
        comes_nearer = after < before or (cost == 0 and after == before)
        return "nearer" if comes_nearer else "open"

    def options(self):
        found, before = [], self.remaining(self.vertex)
        for end in self.net.successors(self.vertex):
            cost, after = self.net[self.vertex][end]["weight"], self.remaining(end)
            effects = tuple(map(self.effect, before, after, [cost] * len(after)))
            if "nearer" in effects:
                found.append((self.vertex, end, cost, after, effects))
        return sorted(found)


class Walk(RuleBasedStateMachine):
    """Steps, blocks and undos in any order, beside the slow model."""

    @initialize(seed=seeds)
    def begin(self, seed):
        self.multiverse = random_multiverse(seed)
        self.here = Position.start(self.multiverse)
        self.history = [((0,), frozenset())]

    @precondition(lambda self: self.here.options())
    @rule(data=st.data())
    def take(self, data):
        option = data.draw(st.sampled_from(self.here.options()))
        walked, blocked = self.history[-1]
        self.history.append(((*walked, option.end), blocked))
        self.here = self.here.step(option)

    @precondition(lambda self: self.here.options())
    @rule(data=st.data())
    def rule_out(self, data):
        option = data.draw(st.sampled_from(self.here.options()))
        walked, blocked = self.history[-1]
        self.history.append((walked, blocked | {(option.start, option.end)}))
        self.here = self.here.block(option)

    @rule()
    def undo(self):
        if len(self.history) > 1:
            self.history.pop()
        self.here = self.here.back()

    @invariant()
    def it_says_what_the_slow_model_says(self):
        walked, blocked = self.history[-1]
        slow = SlowPosition(self.multiverse, walked, blocked)
        assert (self.here.walked, self.here.blocked) == (walked, blocked)
        assert self.here.cost == slow.cost
        assert self.here.arrived == slow.arrived
        assert self.here.remaining.tolist() == slow.remaining(slow.vertex)
        assert sorted(map(summary, self.here.options())) == slow.options()

    @invariant()
    def its_options_come_by_expected_effort(self):
        expected = [option.expected for option in self.here.options()]
        assert expected == pytest.approx(sorted(expected), rel=1e-6)

    @invariant()
    def its_routes_are_cheapest_and_never_take_a_blocked_step(self):
        for b, members in enumerate(self.multiverse.destinations):
            route = self.here.route(b).tolist()
            if np.isinf(self.here.remaining[b]):
                assert route == []
            else:
                assert route[0] == self.here.vertex
                assert route[-1] in members
                steps = list(pairwise(route))
                assert not self.here.blocked & set(steps)
                costs = [self.multiverse.graph.edge_cost(u, v) for u, v in steps]
                assert sum(costs) == self.here.remaining[b]


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=examples(60), stateful_step_count=steps(15))


def test_options_of_the_loan_figure():
    here = Position.start(loan().multiverse())
    second, first = here.options()
    assert summary(first) == (0, 4, 8.0, [np.inf, 6, 8], ("closed", "nearer", "nearer"))
    assert summary(second) == (0, 1, 3.0, [0, np.inf, np.inf], ("nearer", "closed", "closed"))
    assert (first.n_nearer, second.n_nearer) == (2, 1)
    assert here.remaining.tolist() == [3, 14, 16]
    assert (here.cost, here.arrived, here.vertex) == (0, (), 0)


def test_a_step_that_only_leads_away_is_no_option():
    edges = {(0, 1): 1, (1, 2): 1, (0, 3): 1, (3, 0): 1}
    here = Position.start(fl.explore(graph_of(edges, 4), 0, [2]))
    assert [option.end for option in here.options()] == [1]


def test_a_detour_leaves_the_other_destination_open_without_helping():
    edges = {(0, 1): 2, (0, 2): 2, (1, 2): 2}
    here = Position.start(fl.explore(graph_of(edges, 3), 0, [1, 2]))
    assert [(option.end, option.effects) for option in here.options()] == [
        (1, ("nearer", "open")),
        (2, ("closed", "nearer")),
    ]


def test_the_least_expected_effort_comes_first():
    """The cheap step leads to one way only, the other to two: when one fails, it still arrives."""
    edges = {(0, 1): 1, (1, 4): 8, (0, 2): 1.5, (2, 3): 8, (2, 4): 8}
    here = Position.start(fl.explore(graph_of(edges, 5), 0, [3, 4]))
    assert [option.end for option in here.options()] == [2, 1]
    assert here.options()[0].cost > here.options()[1].cost


def test_of_equal_expectations_the_one_that_helps_more_comes_first_then_the_cheaper():
    edges = {(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): 1}
    here = Position.start(fl.explore(graph_of(edges, 4), 0, [3]))
    assert [option.end for option in here.options()] == [1, 2]


def test_a_free_step_into_a_dead_end_is_no_way_nearer():
    edges = {(0, 1): 0, (0, 2): 0, (2, 3): 5}
    here = Position.start(fl.explore(graph_of(edges, 4), 0, [3]))
    assert [(option.end, option.effects) for option in here.options()] == [(2, ("nearer",))]


def test_a_free_step_away_is_no_way_nearer():
    edges = {(0, 1): 0, (1, 3): 9, (0, 3): 5}
    here = Position.start(fl.explore(graph_of(edges, 4), 0, [3]))
    assert [option.end for option in here.options()] == [3]


def test_one_has_not_arrived_where_only_a_free_step_is_left():
    edges = {(0, 1): 1, (1, 2): 0}
    here = Position.start(fl.explore(graph_of(edges, 3), 0, [2]))
    nearly = here.step(here.options()[0])
    assert nearly.remaining.tolist() == [0]
    assert nearly.arrived == ()
    assert nearly.step(nearly.options()[0]).arrived == (0,)


def test_walking_the_first_option_of_the_loan_figure_arrives():
    here = Position.start(loan().multiverse())
    while not here.arrived:
        here = here.step(here.options()[0])
    assert here.walked == (0, 1)
    assert here.arrived == (0,)
    assert here.cost == 3


@given(seeds)
def test_the_first_option_never_leads_in_a_circle(seed):
    rng = np.random.default_rng(seed)
    costs = sparse.csr_array(np.triu(rng.integers(0, 4, (12, 12)), 1).astype(float))
    graph = fl.Graph(rng.random((12, 2)), sparse.csr_array(costs + costs.T))  # all steps go back
    here = Position.start(fl.explore(graph, 0, [{int(b)} for b in rng.integers(1, 12, 4)]))
    while not here.arrived and here.options():
        there = here.step(here.options()[0])
        assert there.vertex not in here.walked
        here = there
    assert here.arrived or np.isinf(here.remaining).all()


@given(seeds)
def test_a_step_and_back_is_nothing(seed):
    here = Position.start(random_multiverse(seed))
    for option in here.options():
        assert here.step(option).back() is here
        assert here.block(option).back() is here
        assert here.step(option).block(option).back().back() is here
    assert here.back() is here


@given(seeds)
def test_a_position_is_not_changed_by_what_is_done_from_it(seed):
    here = Position.start(random_multiverse(seed))
    before = list(map(summary, here.options()))
    for option in here.options():
        here.step(option).options()
        here.block(option).options()
    assert here.walked == (0,)
    assert here.blocked == frozenset()
    assert list(map(summary, here.options())) == before


def test_a_blocked_step_is_planned_around():
    here = Position.start(loan().multiverse())
    there = here.step(here.options()[1])
    direct = next(option for option in there.options() if option.end == 2)
    around = there.block(direct)
    assert around.route(1).tolist() == [4, 5, 2]
    assert around.remaining[1] == 11
    assert there.route(1).tolist() == [4, 2]
    assert 2 not in [option.end for option in around.options()]


def test_a_step_blocked_elsewhere_is_never_taken_later():
    here = Position.start(fork().multiverse())
    ahead = here.step(next(option for option in here.options() if option.n_nearer == 2))
    blocked = here.block(ahead.options()[0])
    assert blocked.remaining.tolist() == [np.inf, 3.5, np.inf]
    assert [option.end for option in blocked.options()] == [5]


def test_blocking_everything_leaves_no_option():
    here = Position.start(loan().multiverse())
    for option in here.options():
        here = here.block(option)
    assert here.options() == []
    assert np.isinf(here.remaining).all()
    assert here.route(0).tolist() == []


def test_a_step_that_cannot_be_taken_is_refused():
    here = Position.start(loan().multiverse())
    second, first = here.options()
    there = here.step(first)
    with pytest.raises(InvalidInput, match="0 → 1 cannot be taken from 4"):
        there.step(second)
    with pytest.raises(InvalidInput, match="0 → 4 cannot be taken"):
        here.block(first).step(first)
    with pytest.raises(InvalidInput, match="0 → 6 cannot be taken"):
        here.step(replace(first, end=6))


@pytest.mark.parametrize("destination", [3, -1])
def test_a_route_to_a_destination_that_is_not_there_is_refused(destination):
    with pytest.raises(InvalidInput, match="destination"):
        Position.start(loan().multiverse()).route(destination)


def test_a_multiverse_read_from_json_cannot_be_walked():
    read = fl.Multiverse.from_json(loan().multiverse().to_json())
    with pytest.raises(InvalidInput, match="read from JSON"):
        Position.start(read)


def test_a_multiverse_without_a_graph_cannot_be_walked_and_says_why():
    goal = Goal(("good",), 0.5, ("bad", "good"))
    there = fl.Multiverse((), (), why_not=already_there(goal, 0.8), goal=goal)
    with pytest.raises(InvalidInput, match="Nothing needs to change"):
        Position.start(there)


def test_where_no_destination_is_in_reach_there_is_no_option():
    here = Position.start(fl.explore(loan().graph, 5, [0]))
    assert here.options() == []
    assert here.remaining.shape == (0,)
    assert here.arrived == ()


def test_positions_and_options_cannot_be_changed():
    here = Position.start(loan().multiverse())
    option = here.options()[0]
    with pytest.raises(FrozenInstanceError):
        here.walked = (0, 1)
    with pytest.raises(FrozenInstanceError):
        option.cost = 0.0
    with pytest.raises(ValueError, match="read-only"):
        here.remaining[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        option.remaining[0] = 0


def test_a_long_walk_without_looking_round_remembers_its_plan():
    edges = {(0, 1): 1, (1, 0): 1, (0, 2): 3}
    here = Position.start(fl.explore(graph_of(edges, 3), 0, [2]))
    there = Option(0, 1, 1.0, np.zeros(1), ("open",))
    again = Option(1, 0, 1.0, np.zeros(1), ("nearer",))
    for _ in range(1500):
        here = here.step(there).step(again)
    assert here.remaining.tolist() == [3]
    assert here.cost == 3000
    assert len(repr(here)) < 50_000


def test_what_is_no_option_is_no_step():
    here = Position.start(loan().multiverse())
    for take in (here.step, here.block):
        with pytest.raises(InvalidInput, match=r"A step is one of options\(\), got 1"):
            take(1)
