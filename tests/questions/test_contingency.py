"""Plans with fallbacks, against every possibility spelled out and against luck."""

import json
from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.laws import examples

import facelift as fl
from facelift.errors import InvalidInput
from facelift.graph.routes import next_vertices, remaining_costs

seeds = st.integers(0, 2**32 - 1)
losses = st.sampled_from([0.0, 0.05, 0.3, 0.7])


def world(seed, *, n=9, ordered=True, costs=None):
    """A random graph; where ordered, edges only lead to larger numbers, so that walks end."""
    rng = np.random.default_rng(seed)
    edges = rng.random((n, n)) < (0.45 if ordered else 0.3)
    edges &= np.triu(np.ones((n, n), dtype=bool), 1) if ordered else ~np.eye(n, dtype=bool)
    starts, ends = np.nonzero(edges)
    weights = rng.uniform(0.2, 2, len(starts)) if costs is None else rng.choice(costs, len(starts))
    graph = fl.Graph(rng.random((n, 2)), sparse.csr_array((weights, (starts, ends)), shape=(n, n)))
    chosen = rng.choice(np.arange(1, n), 4, replace=False).tolist()
    return graph, [[chosen[0], chosen[1]], [chosen[1]], [chosen[2]], [chosen[3]]]


def digraph(graph):
    net = nx.DiGraph()
    net.add_nodes_from(range(len(graph)))
    triples = zip(
        graph.starts.tolist(), graph.costs.indices.tolist(), graph.costs.data.tolist(), strict=True
    )
    net.add_weighted_edges_from(triples)
    return net


def onward(net, start, members):
    """The next vertex to a destination: cheapest, then fewest steps, then the smaller one."""
    best = None
    for end in members:
        if end == start or not nx.has_path(net, start, end):
            continue
        cost = nx.dijkstra_path_length(net, start, end)
        for route in nx.all_shortest_paths(net, start, end, weight="weight"):
            key = (round(cost, 9), len(route), route[1])
            best = key if best is None else min(best, key)
    return None if best is None or start in members else best[2]


class Slow:
    """Everything that can happen, spelled out."""

    def __init__(self, graph, sets, loss, dead_end):
        self.net, self.sets, self.loss, self.dead_end = digraph(graph), sets, loss, dead_end

    def arrived(self, vertex, lost):
        return any(vertex in s and b not in lost for b, s in enumerate(self.sets))

    def after(self, vertex, lost, then):
        """Mean over what a step loses."""
        left = [b for b in range(len(self.sets)) if b not in lost]
        total = 0.0
        for falls in product([False, True], repeat=len(left)):
            chance = np.prod([self.loss if each else 1 - self.loss for each in falls])
            gone = lost | {b for b, each in zip(left, falls, strict=True) if each}
            if not self.arrived(vertex, gone):
                total += chance * then(vertex, gone)
        return total

    def best(self, vertex, lost=frozenset()):
        options = [self.dead_end]
        for b, members in enumerate(self.sets):
            there = None if b in lost else onward(self.net, vertex, members)
            if there is not None:
                cost = self.net[vertex][there]["weight"]
                options.append(cost + self.after(there, lost, self.best))
        return min(options)

    def nearest(self, vertex, lost=frozenset()):
        found = []
        for b, members in enumerate(self.sets):
            costs = [
                nx.dijkstra_path_length(self.net, vertex, end)
                for end in members
                if nx.has_path(self.net, vertex, end)
            ]
            if b not in lost and costs:
                found.append((min(costs), b))
        if not found:
            return self.dead_end
        there = onward(self.net, vertex, self.sets[min(found)[1]])
        return self.net[vertex][there]["weight"] + self.after(there, lost, self.nearest)

    def committed(self, route, own):
        def at(i):
            def then(vertex, lost):
                return self.nearest(vertex, lost) if own in lost else at(i + 1)(lost)

            return lambda lost: (
                self.net[route[i]][route[i + 1]]["weight"] + self.after(route[i + 1], lost, then)
            )

        return at(0)(frozenset())


@settings(max_examples=examples(30))
@given(seeds, losses)
def test_a_plan_costs_what_the_best_of_everything_that_can_happen_costs(seed, loss):
    graph, sets = world(seed)
    multiverse = fl.explore(graph, 0, sets)
    if not len(multiverse):
        return
    kept = [members.tolist() for members in multiverse.destinations]
    plan = fl.contingency(multiverse, loss)
    slow = Slow(graph, kept, loss, 2 * multiverse.costs.max())
    assert plan.dead_end == slow.dead_end
    assert plan.expected == pytest.approx(slow.best(0))
    assert plan.compared["shortest first"] == pytest.approx(slow.nearest(0))
    firsts = [slow.committed(j.vertices.tolist(), j.own) for j in multiverse]
    assert plan.compared["best journey"] == pytest.approx(min(firsts))
    chosen = fl.best(multiverse).own
    assert plan.compared["opportunity first"] == pytest.approx(firsts[chosen])


@settings(max_examples=examples(20))
@given(seeds, losses)
def test_no_other_way_to_choose_is_better(seed, loss):
    graph, sets = world(seed, ordered=False)
    multiverse = fl.explore(graph, 0, [s for s in sets if 0 not in s])
    if len(multiverse):
        plan = fl.contingency(multiverse, loss)
        assert all(plan.expected <= cost * (1 + 1e-9) for cost in plan.compared.values())
        assert plan.expected <= plan.dead_end
        assert 0 <= plan.arrives <= 1


def test_luck_agrees():
    graph, sets = world(11, n=12, ordered=False)
    multiverse = fl.explore(graph, 0, sets)
    loss = 0.25
    plan = fl.contingency(multiverse, loss)
    rng = np.random.default_rng(0)
    net, spent, arrived = digraph(graph), [], []
    for _ in range(20_000):
        vertex, lost, cost = 0, frozenset(), 0.0
        while True:
            heading = plan.heading(vertex, lost)
            if heading is None:
                spent.append(cost + plan.dead_end)
                arrived.append(False)
                break
            there = onward(net, vertex, multiverse.destinations[heading].tolist())
            cost += net[vertex][there]["weight"]
            vertex = there
            alive = [b for b in range(len(multiverse)) if b not in lost]
            lost |= {b for b in alive if rng.random() < loss}
            if any(vertex in multiverse.destinations[b] for b in alive if b not in lost):
                spent.append(cost)
                arrived.append(True)
                break
    error = np.std(spent) / np.sqrt(len(spent))
    assert abs(np.mean(spent) - plan.expected) < 4 * error
    assert np.mean(arrived) == pytest.approx(plan.arrives, abs=0.02)


def test_without_loss_the_plan_is_the_cheapest_journey():
    multiverse = fl.toys.loan().multiverse()
    plan = fl.contingency(multiverse, 0.0)
    assert plan.expected == multiverse[0].cost
    assert plan.arrives == 1
    assert [stage.vertex for stage in plan.stages] == multiverse[0].vertices[1:].tolist()


def test_every_step_has_its_fallback_in_words():
    plan = fl.contingency(fl.toys.fork().multiverse(), 0.05)
    frame = plan.to_frame()
    assert frame["heading"].tolist() == ["A", "A", "A"]
    assert frame["fallback"].tolist() == ["C", "C", ""]
    assert frame["cost"].sum() == 3
    lines = str(plan).splitlines()
    assert len(lines) == 5
    assert lines[1] == "Ending with nothing costs 8.00; the plan arrives with a chance of 94%."
    assert "go on to C" in lines[2]
    assert "nothing is left" in lines[4]


def test_what_is_not_certain_is_not_said_to_be():
    plan = fl.contingency(fl.toys.fork().multiverse(), 0.001)
    assert plan.arrives < 1
    assert "100%" not in str(plan)


def test_a_hopeless_try_is_said_to_be_none():
    plan = fl.contingency(fl.toys.fork().multiverse(), 0.9, dead_end=1.0)
    assert plan.expected == 1.0
    assert plan.stages == ()
    assert "Trying costs more" in str(plan)


@pytest.mark.parametrize("loss", [-0.1, 1.0, True, "much"])
def test_a_loss_is_a_probability_below_one(loss):
    with pytest.raises(InvalidInput, match="loss"):
        fl.contingency(fl.toys.fork().multiverse(), loss)


def test_what_cannot_be_planned_is_one_clear_line():
    world = fl.toys.fork()
    with pytest.raises(InvalidInput, match="no journey to plan with"):
        fl.contingency(fl.explore(world.graph, 3, [5]))
    for cost in (-1.0, np.inf, np.nan):
        with pytest.raises(InvalidInput, match="dead_end"):
            fl.contingency(world.multiverse(), dead_end=cost)
    with pytest.raises(InvalidInput, match="none of the ways"):
        fl.contingency(world.multiverse()).heading(99)


@pytest.mark.parametrize("lost", [3, -1, 0.5, "A", None], ids=repr)
def test_a_destination_that_is_none_of_the_plans_cannot_be_lost(lost):
    plan = fl.contingency(fl.toys.fork().multiverse())
    with pytest.raises(InvalidInput, match=f"no destination {lost!r} in .* numbers from 0 to 2"):
        plan.heading(0, lost=[0, lost])
    assert plan.heading(0, lost=np.array([0, 1, 2])) is None


def test_numbers_of_a_document_are_the_plans_own():
    plan = fl.contingency(fl.toys.fork().multiverse(), 0.15)
    found = json.loads(plan.to_json())
    for name in ("loss", "dead_end", "expected", "arrives", "compared"):
        assert found[name] == getattr(plan, name)
    assert pd.DataFrame(found["steps"]).equals(plan.to_frame())


def test_actions_can_be_planned_with(lending):
    explainer = fl.FACElift(lending.model, steps="actions", n_counterfactuals=5).fit(lending.X)
    row = int(np.argmin(lending.chances()))
    multiverse = explainer.explain(lending.X.iloc[row], target="granted")
    plan = fl.contingency(multiverse, 0.1)
    assert plan.expected >= multiverse.costs.min()
    assert all(stage.changes for stage in plan.stages)


@settings(max_examples=examples(40))
@given(seeds, st.sampled_from([(1.0,), (0.0, 1.0), (1.0, 2.0, 3.0)]))
def test_the_next_vertex_lies_on_a_cheapest_way_with_fewest_steps(seed, costs):
    graph, sets = world(seed, ordered=False, costs=costs)
    ends = [np.array(members) for members in sets]
    found = next_vertices(graph, ends, remaining_costs(graph, ends))
    net = digraph(graph)
    for vertex in range(len(graph)):
        for b, members in enumerate(sets):
            assert found[vertex, b] == (
                -1 if (there := onward(net, vertex, members)) is None else there
            )
