"""The protocol against its slow definition, on a small world in the plane."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
import pytest

from facelift import Multiverse, bridge
from facelift.baselines import FACE
from facelift.graph import remaining_costs
from facelift.multiverse.bridging import bridged
from facelift.paper.protocol import Method, Record, by_alternatives, by_cost, measured, methods
from facelift.paper.studies import Column, Setting, Study, quality_of
from facelift.paper.world import Alternatives, Remaining, World
from facelift.terrain.terrain import Terrain

OWN, OTHERS = Column("own", "Own class"), Column("others", "Other classes", ("c",))


class Bands:
    """A model of three bands from left to right, the surer the sharper."""

    classes_ = np.array(["a", "b", "c"])
    differentiable = None

    def __init__(self, sharpness: float) -> None:
        self.arrays = {"sharpness": np.array(sharpness)}

    def predict_proba(self, points: np.ndarray) -> np.ndarray:
        odds = np.exp(-self.arrays["sharpness"] * abs(points[:, :1] - np.array([1, 3, 5]) / 6))
        return odds / odds.sum(axis=1, keepdims=True)

    on_points = predict_proba


@pytest.fixture(scope="module")
def world() -> World:
    """Three bands of points; from the left one (a) to the middle (b), or to the right (c)."""
    points = np.random.default_rng(3).random((150, 2))
    labels = np.array(["a", "b", "c"])[(points[:, 0] * 3).astype(int)]
    model = Bands(30.0)
    tested = np.arange(150) % 2 == 0
    known = Study(
        "bands",
        points,
        labels,
        tested,
        Terrain.infer(points),
        model,
        quality_of(model, points, labels, "bands"),
    )
    setting = Setting(
        "bands",
        (OWN, OTHERS),
        undesired="a",
        target="b",
        n_neighbors=4,
        spacing=0.15,
        decrease=1.5,
        labelled=True,
        most=12,
    )
    return World(setting, known, 1)


def networkx_graph(world: World) -> nx.DiGraph:
    costs = world.graph.costs.tocoo()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(world.graph)))
    graph.add_weighted_edges_from(zip(costs.row, costs.col, costs.data, strict=True))
    return graph


def cost(start: np.ndarray, end: np.ndarray) -> float:
    """Of a move in the world above, where lowering costs one and a half."""
    prices = np.where(end < start, 1.5, 1.0)
    return float(np.sqrt(((prices * (end - start)) ** 2).sum()))


def slow_candidates(world: World, column: Column, vertex: int) -> list[int]:
    """Records in reach with an outcome asked for, nearest first."""
    points, graph = world.graph.points, networkx_graph(world)
    answers = world.study.model.predict_proba(world.terrain.decode(points))
    classes = world.study.model.classes_.tolist()
    wanted = [classes.index(label) for label in column.classes or ("b",)]
    found = [
        v
        for v in nx.descendants(graph, vertex)
        if v != vertex and any(answers[v, k] >= 0.5 for k in wanted)
    ]
    return sorted(found, key=lambda v: (cost(points[vertex], points[v]), v))


def slow_grown(world: World, column: Column, vertex: int) -> list[int]:
    points = world.graph.points
    chosen: list[int] = []
    for v in slow_candidates(world, column, vertex):
        if all(np.linalg.norm(points[v] - points[u]) >= 0.15 for u in chosen):
            chosen.append(v)
    return chosen[:6] if column.classes else chosen[1:7]


def slow_opportunity(world: World, waypoints: np.ndarray, alternatives: list[int]) -> float:
    """Algorithm 5, walked step by step, with remaining costs from a search for each waypoint."""
    graph, points = networkx_graph(world), world.graph.points
    places = []
    for waypoint in waypoints:
        same = np.flatnonzero((points == waypoint).all(axis=1))
        if len(same):
            places.append(int(same[0]))
            continue
        nearest = sorted(range(len(points)), key=lambda v: cost(waypoint, points[v]))[:4]
        place = len(graph)
        graph.add_weighted_edges_from((place, v, cost(waypoint, points[v])) for v in nearest)
        places.append(place)
    left = [nx.single_source_dijkstra_path_length(graph, place) for place in places]
    steps = [cost(a, b) for a, b in pairwise(waypoints)]
    shares = []
    for b in alternatives:
        if b == places[-1] or len(shares) == 5:
            continue
        walked = 0.0
        for i, step in enumerate(steps):
            if not left[i + 1].get(b, np.inf) < left[i].get(b, np.inf) * (1 - 1e-9):
                break
            walked += step
        shares.append(walked / sum(steps))
    return float(np.mean(shares)) if shares else np.nan


def test_factuals_are_the_undesired_that_the_model_has_not_seen(world):
    chosen = world.study.model.predict_proba(world.study.rows).argmax(axis=1)
    assert len(world.factuals) == 12
    assert world.study.tested[world.factuals].all()
    assert (chosen[world.factuals] == 0).all()
    assert (world.study.labels[world.factuals] == "a").all()
    fewer = World(replace(world.setting, most=5), world.study, 1)
    assert fewer.factuals.tolist() == world.factuals[:5].tolist()


@pytest.mark.parametrize("column", [OWN, OTHERS])
def test_grown_alternatives_are_the_nearest_apart_whatever_the_method(world, column):
    for row in world.factuals[:6]:
        vertex = int(world.explainer.vertices_[row])
        instead = world.alternatives(column, vertex)["grown"]
        assert instead.vertices.tolist() == slow_grown(world, column, vertex)


@pytest.mark.parametrize("column", [OWN, OTHERS])
def test_drawn_alternatives_are_any_of_the_nearest_apart(world, column):
    """The nearest is no more likely than others, and drawing again gives the same."""
    firsts = []
    for row in world.factuals:
        vertex = int(world.explainer.vertices_[row])
        found = world.alternatives(column, vertex)["drawn"].vertices.tolist()
        again = World(world.setting, world.study, 1).alternatives(column, vertex)["drawn"]
        assert found == again.vertices.tolist()
        candidates = slow_candidates(world, column, vertex)
        assert set(found) <= set(candidates[:50])
        points = world.graph.points[found]
        assert len(found) == 6
        assert all(np.linalg.norm(a - b) >= 0.15 for a, b in combinations(points, 2))
        firsts.append(candidates.index(found[0]))
    assert min(firsts) < 15 < max(firsts)


def test_what_is_left_is_the_same_whether_asked_about_some_or_all_vertices(world):
    ends = np.array([3, 70, 141])
    whole = remaining_costs(world.graph, list(ends[:, np.newaxis]))
    left = Remaining(world.graph, ends)
    np.testing.assert_allclose(left.at(ends), whole[ends])
    everywhere = np.arange(len(world.graph))
    np.testing.assert_allclose(left.at(everywhere), whole)


@pytest.mark.parametrize("column", [OWN, OTHERS])
def test_opportunity_is_algorithm_5_whoever_made_the_journey(world, column):
    """Journeys through records, and bridged ones to an end that is no record."""
    prices = world.terrain.prices
    for row in world.factuals[:5]:
        point = world.graph.points[world.explainer.vertices_[row]]
        sets = world.alternatives(column, int(world.explainer.vertices_[row])).values()
        through = world.explainer.set_params(n_counterfactuals=4).explain(
            world.study.rows[row], "b"
        )
        made_up = bridged(point, np.array([0.5, 0.5]), world.graph.points, prices)
        for journey, instead in product([*through, *made_up], sets):
            expected = slow_opportunity(world, journey.waypoints, instead.vertices.tolist())
            np.testing.assert_allclose(world.opportunity(journey, instead), expected)


def test_a_bridged_journey_has_records_as_waypoints_and_its_own_end(world):
    """So that remaining costs along it are those of vertices, but for the last."""
    points = world.graph.points
    start = points[world.explainer.vertices_[world.factuals[0]]]
    waypoints = bridge(start, [0.5, 0.5], points)
    known = [bool((points == each).all(axis=1).any()) for each in waypoints]
    assert known == [True] * (len(waypoints) - 1) + [False]
    assert len(waypoints) > 2


def test_where_a_journey_leads_to_an_alternative_a_further_one_stands_in(world):
    row = world.factuals[0]
    vertex = int(world.explainer.vertices_[row])
    instead = world.alternatives(OWN, vertex)["grown"]
    among = np.isin(world.explainer.vertices_, instead.vertices[:1])
    journey = world.explainer.explain(world.study.rows[row], "b", among=among)[0]
    assert world.is_alternative(journey, instead)
    rest = instead.vertices[1:]
    others = Alternatives(rest, Remaining(world.graph, rest))
    assert len(rest) == 5
    assert world.opportunity(journey, instead) == world.opportunity(journey, others)
    only = Alternatives(instead.vertices[:1], Remaining(world.graph, instead.vertices[:1]))
    assert np.isnan(world.opportunity(journey, only))


def test_face_is_the_baseline_of_that_name(world):
    """Its graph is FACElift's: fitting it again would give the same journeys."""
    face = FACE(world.study.model, world.terrain, n_neighbors=4).fit(world.study.rows)
    numbers = world.factuals[:6]
    ours = methods(world)[0].explain(world.rows(numbers))
    theirs = face.explain_many(world.rows(numbers), "b")
    for a, b in zip(ours, theirs, strict=True):
        assert a[0].vertices.tolist() == b[0].vertices.tolist()


def test_every_method_is_measured_for_every_factual_in_every_column(world):
    numbers = world.factuals[:3]
    records = measured(world, numbers, methods(world))
    names = {record.method for record in records}
    assert len(names) == 7
    assert len(records) == 7 * 2 * 3 * 2
    assert {record.n_alternatives for record in records} == {6}
    for record in records:
        if not record.failure:
            assert record.distance > 0
            assert record.cost >= record.distance * (1 - 1e-9)
            assert 0 <= record.opportunity <= 1


def test_told_the_alternatives_one_does_not_do_worse_by_them(world):
    """Both choose among the same journeys; only the criterion differs."""
    records = measured(world, world.factuals, methods(world)[3:])
    for record in records:
        if record.method.endswith("told"):
            name = record.method.removesuffix(", told")
            (blind,) = (
                each
                for each in records
                if (each.method, each.row, each.column, each.alternatives)
                == (name, record.row, record.column, record.alternatives)
            )
            if not (record.is_alternative or blind.is_alternative):
                assert record.opportunity >= blind.opportunity * (1 - 1e-9)


def one(world: World, found: Multiverse) -> Record:
    method = Method(lambda _: [found], {"given": by_cost}, ("b",))
    return measured(world, world.factuals[:1], [method])[0]


def test_failures_are_told_apart_and_measured_as_nothing(world):
    nothing = one(world, Multiverse((), ()))
    assert nothing.failure == "nothing found"
    start = world.graph.points[world.explainer.vertices_[world.factuals[0]]]
    beside = bridged(start, start + 0.01, world.graph.points, world.terrain.prices)
    refused = one(world, beside)
    assert refused.failure == "not confirmed by the model"
    assert np.isnan(nothing.opportunity)
    assert np.isnan(refused.distance)
    assert nothing.n_alternatives == 6


def test_the_same_choice_is_made_in_whatever_order_journeys_come(world):
    row = world.factuals[1]
    found = world.explainer.set_params(n_counterfactuals=5).explain(world.study.rows[row], "b")
    instead = world.alternatives(OWN, int(world.explainer.vertices_[row]))["drawn"]
    scores = by_alternatives(world, OWN, instead)(found)
    expected = [world.opportunity(journey, instead) for journey in found]
    np.testing.assert_array_equal(scores, expected)


def test_whatever_decides_the_outcome_is_in_the_fingerprint(world):
    changed = [
        World(replace(world.setting, spacing=0.2), world.study, 1),
        World(world.setting, world.study, 2),
        World(world.setting, replace(world.study, rows=world.study.rows + 0.001), 1),
        World(
            world.setting,
            replace(world.study, model=Bands(31.0)),
            1,
        ),
    ]
    prints = {each.fingerprint for each in [world, *changed]}
    assert len(prints) == 5
    assert World(world.setting, world.study, 1).fingerprint == world.fingerprint
