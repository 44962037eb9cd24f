"""Replanning: after any steps, blocks and new prices, the options of a search from scratch."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.laws import examples, steps

import facelift as fl
from facelift import Position, Terrain
from facelift.errors import InvalidInput
from facelift.toys import fork, loan
from facelift.walking.limits import place
from facelift.walking.replanning import held

PRICES = [0.25, 1.0, 4.0, np.inf]
WAYS = [("increase", "decrease"), ("increase",), ("decrease",)]
NAMES = ["savings", "debt", "years"]


def table(rng, n=60):
    return pd.DataFrame({name: rng.integers(0, 5, n) for name in NAMES}).drop_duplicates()


def model(rows):
    score = rows["savings"] - rows["debt"] + rows["years"] - 3.5
    good = 1 / (1 + np.exp(-score.to_numpy(float)))
    return np.column_stack([1 - good, good])


def somebody(X):
    return X.iloc[[int(np.argmin(abs(model(X)[:, 1] - 0.1)))]]


def explainer_of(X, steps, terrain=None, n=2):
    terrain = fl.Terrain.infer(X) if terrain is None else terrain
    for name in NAMES:
        terrain = terrain.levels(name, range(5))
    return fl.FACElift(
        model, terrain, steps=steps, n_counterfactuals=n, n_neighbors=4, plausibility=1.0
    ).fit(X)


class Slow:
    """A world under what was said, all of it worked out anew from what a person would say."""

    def __init__(self, X, steps, multiverse, said, vertex):
        self.X, self.steps, self.multiverse, self.said, self.vertex = (
            X,
            steps,
            multiverse,
            said,
            vertex,
        )
        graph = multiverse.graph
        terrain = self.terrain()
        self.net = nx.DiGraph()
        self.net.add_nodes_from(range(len(graph)))
        for u, v in zip(graph.starts.tolist(), graph.costs.indices.tolist(), strict=True):
            cost = float(terrain.cost(graph.points[u], graph.points[v]))
            step = (place(graph, u), place(graph, v))
            if np.isfinite(cost) and step not in said["steps"] and step[1] not in said["states"]:
                self.net.add_edge(u, v, weight=cost)

    def terrain(self):
        terrain = fl.Terrain.infer(self.X)
        for name, prices in self.said["prices"]:
            terrain = terrain.price(name, **prices)
        return terrain.freeze(*self.said["features"])

    def remaining(self, vertex):
        lengths = nx.single_source_dijkstra_path_length(self.net, vertex)
        sets = self.multiverse.destinations
        return [min(lengths.get(v, np.inf) for v in members.tolist()) for members in sets]

    def options(self):
        before, found = self.remaining(self.vertex), {}
        for end in self.net.successors(self.vertex):
            cost, after = self.net[self.vertex][end]["weight"], self.remaining(end)
            helps = [b > a * (1 + 1e-9) for a, b in zip(after, before, strict=True)]
            if any(helps):
                found[end] = (cost, after, helps)
        return found

    def afresh(self, wanted):
        """A search by a new explainer, fitted under the rules of now."""
        graph, terrain = self.multiverse.graph, self.terrain()
        here = place(graph, self.vertex)
        for state in self.said["states"] - {here}:
            row = terrain.to_pandas([state]).iloc[0]
            terrain = terrain.require(
                lambda frame, row=row: (frame != row).any(axis=1).to_numpy(dtype=bool)
            )
        explainer = explainer_of(self.X, self.steps, terrain, wanted)
        return explainer.explain(terrain.to_pandas([here]), 1)


class Replan(RuleBasedStateMachine):
    """Takes, blocks of all kinds, new prices, new plans and undos in any order, beside the slow."""

    @initialize(seed=st.integers(0, 400), steps=st.sampled_from(["rows", "actions"]))
    def begin(self, seed, steps):
        rng = np.random.default_rng(seed)
        self.X, self.steps = table(rng), steps
        multiverse = explainer_of(self.X, steps).explain(somebody(self.X), 1)
        self.here = Position.start(multiverse) if len(multiverse) else None
        said = {"steps": set(), "states": set(), "features": set(), "prices": []}
        self.history = [(self.here, said, [])]

    def go(self, here, said=None, *paid):
        """Remember where one stood, what was said and what was paid by then."""
        _, before, spent = self.history[-1]
        self.history.append((here, before if said is None else said, [*spent, *paid]))
        self.here = here

    def say(self, here, **more):
        """Check that a new plan was made exactly where nothing known leads anywhere."""
        said = {name: type(each)(each) for name, each in self.history[-1][1].items()}
        for name, each in more.items():
            said[name].append(each) if name == "prices" else said[name].add(each)
        old = self.here
        slow = Slow(self.X, self.steps, old.multiverse, said, old.vertex)
        if np.isfinite(slow.remaining(old.vertex)).any():
            assert here.multiverse is old.multiverse
        elif not self.check_fresh(here, old, slow):
            assert here.multiverse is old.multiverse
            assert not here.options()
        self.go(here, said)

    def check_fresh(self, here, old, slow):
        """Whether a search from scratch finds anything; then the new plan leads there."""
        wanted = 2
        while True:
            found = slow.afresh(wanted)
            anew = Slow(self.X, self.steps, found, slow.said, found.factual) if len(found) else None
            left = np.isfinite(anew.remaining(found.factual)) if anew else np.zeros(0, bool)
            if left.any() or len(found) < wanted:
                break
            wanted *= 2
        if not left.any():
            return False
        expected = {
            frozenset(place(found.graph, v) for v in members.tolist())
            for members, open_ in zip(found.destinations, left, strict=True)
            if open_
        }
        destinations = {
            frozenset(place(here.graph, v) for v in members.tolist())
            for members in here.multiverse.destinations
        }
        assert destinations == expected
        assert place(here.graph, here.vertex) == place(old.graph, old.vertex)
        return True

    walking = precondition(lambda self: self.here is not None and self.here.options())

    @walking
    @rule(data=st.data())
    def take(self, data):
        option = data.draw(st.sampled_from(self.here.options()))
        self.go(self.here.step(option), None, option.cost)

    @walking
    @rule(data=st.data())
    def block_a_step(self, data):
        option = data.draw(st.sampled_from(self.here.options()))
        ends = place(self.here.graph, option.start), place(self.here.graph, option.end)
        self.say(self.here.block(option), steps=ends)

    @walking
    @rule(data=st.data())
    def block_a_state(self, data):
        end = data.draw(st.sampled_from(self.here.options())).end
        self.say(self.here.block(state=end), states=place(self.here.graph, end))

    @walking
    @rule(name=st.sampled_from(NAMES))
    def block_a_feature(self, name):
        self.say(self.here.block(feature=name), features=name)

    @walking
    @rule(name=st.sampled_from(NAMES), price=st.sampled_from(PRICES), way=st.sampled_from(WAYS))
    def reprice(self, name, price, way):
        prices = dict.fromkeys(way, price)
        self.say(self.here.reprice(name, **prices), prices=(name, prices))

    @walking
    @rule()
    def plan_anew(self):
        there, (_, said, _) = self.here.replan(), self.history[-1]
        slow = Slow(self.X, self.steps, self.here.multiverse, said, self.here.vertex)
        if self.check_fresh(there, self.here, slow):
            self.go(there)
        else:
            assert there is self.here

    @rule()
    def undo(self):
        if self.here is not None:
            back = self.here.back()
            self.history = self.history[:-1] or self.history
            self.here, *_ = self.history[-1]
            assert back is self.here

    @invariant()
    def it_says_what_a_search_from_scratch_says(self):
        if getattr(self, "here", None) is None:
            return
        here, (_, said, paid) = self.here, self.history[-1]
        slow = Slow(self.X, self.steps, here.multiverse, said, here.vertex)
        assert here.cost == pytest.approx(sum(paid))
        assert here.remaining == pytest.approx(slow.remaining(here.vertex))
        expected = slow.options()
        options = {option.end: option for option in here.options()}
        assert set(options) == set(expected)
        for end, (cost, after, helps) in expected.items():
            assert options[end].cost == pytest.approx(cost)
            assert options[end].remaining == pytest.approx(after)
            assert [effect == "nearer" for effect in options[end].effects] == helps


TestReplan = Replan.TestCase
TestReplan.settings = settings(
    max_examples=examples(25), stateful_step_count=steps(8), phases=[Phase.explicit, Phase.generate]
)


@pytest.fixture(scope="module")
def here():
    X = table(np.random.default_rng(3))
    return Position.start(explainer_of(X, "actions").explain(somebody(X), 1))


def test_a_feature_ruled_out_is_never_changed_again(here):
    name = here.changes(here.options()[0])[0][0]
    there = here.block(feature=name)
    assert there.options()
    for b in range(len(there.multiverse.destinations)):
        route = there.route(b)
        rows = there.multiverse[0].decode(there.graph.points[route])
        assert len(set(rows[name])) <= 1


def test_a_new_price_changes_what_is_left_and_not_what_was_paid(here):
    option = here.options()[0]
    name = here.changes(option)[0][0]
    there = here.step(option)
    dear = there.reprice(name, 10.0)
    assert dear.cost == there.cost == pytest.approx(option.cost)
    assert (dear.remaining >= there.remaining - 1e-12).all()
    assert (dear.remaining > there.remaining).any()
    assert there.reprice(name, 10.0).reprice(name, 1.0).remaining == pytest.approx(there.remaining)
    assert dear.back() is there


def test_where_nothing_known_is_left_the_explainer_is_asked_again(here):
    there = here
    for option in here.options():
        there = there.block(option)
    assert there.multiverse is not here.multiverse
    assert there.options()
    assert np.array_equal(there.graph.points[there.vertex], here.graph.points[here.vertex])
    assert there.limits.edges + there.limits.far_edges


def test_replan_looks_beyond_what_is_known(here):
    option = here.options()[0]
    there = here.step(option).replan()
    assert there.walked == (there.multiverse.factual,)
    assert there.cost == pytest.approx(option.cost)
    assert there.back().walked == (here.vertex, option.end)


def test_when_everything_is_ruled_out_nothing_is_left(here):
    there = here
    for name in NAMES:
        there = there.block(feature=name)
    assert there.options() == []
    assert there.replan() is there


def test_on_a_graph_of_ones_own_states_and_coordinates_can_be_ruled_out():
    start = Position.start(loan().multiverse())
    assert [option.end for option in start.block(state=4).options()] == [1]
    assert [option.end for option in start.block(feature="x1").options()] == [4]
    assert start.block(feature="x0").remaining.tolist() == [3, np.inf, np.inf]
    assert Position.start(fork().multiverse()).replan().walked == (0,)
    with pytest.raises(InvalidInput, match="know no prices"):
        start.reprice("x0", 2.0)
    with pytest.raises(InvalidInput, match="features are x0, x1, got 'age'"):
        start.block(feature="age")
    with pytest.raises(InvalidInput, match="7 states"):
        start.block(state=7)
    with pytest.raises(InvalidInput, match="one of"):
        start.block()


def test_vertices_at_the_same_point_are_told_apart():
    graph = loan().graph
    flat = fl.Graph(np.zeros((7, 1)), graph.costs)
    start = Position.start(fl.explore(flat, 0, [1, 2, 3]))
    assert start.block(start.options()[1]).blocked == {(0, 4)}
    assert start.block(state=5).remaining.tolist() == [3, 14, np.inf]


@pytest.mark.parametrize(
    ("name", "values"),
    [("nothing", (1, 2)), ("savings", ("a lot", 2)), ("savings", (0, "more")), ("job", ("x", "y"))],
)
def test_a_step_that_no_walk_can_have_taken_is_one_clear_line(name, values):
    table = pd.DataFrame({"savings": [0, 900], "job": ["none", "clerk"]})
    with pytest.raises(InvalidInput, match=name):
        held(Terrain.infer(table), {name: values})


def test_a_factor_makes_taking_back_dear_instead_of_impossible():
    table = pd.DataFrame({"savings": [0, 900], "job": ["clerk", "none"], "age": [20, 40]})
    terrain = Terrain.infer(table).price("savings", decrease=2.0)
    priced = held(terrain, {"savings": (0, 500), "job": ("none", "clerk")}, 3.0)
    assert (priced.by_name["savings"].increase, priced.by_name["savings"].decrease) == (1.0, 6.0)
    assert priced.by_name["job"].transition_prices()[0, 1] == 3.0
    assert held(terrain, {"savings": (0, 500)}, 1.0).by_name == terrain.by_name
    assert held(terrain, {"savings": (0, 500)}).by_name["savings"].decrease == float("inf")
