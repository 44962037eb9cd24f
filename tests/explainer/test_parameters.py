"""Every parameter of `FACElift`, and its edges."""

from __future__ import annotations

import inspect
from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from tests.explainer.worlds import hopeful, line, upper

import facelift as fl
from facelift import FACElift, Goal, Terrain, toys
from facelift.errors import (
    InvalidInput,
)


@pytest.mark.parametrize(
    ("threshold", "margin"), [(0.3, 0), (0.5, 0), (0.9, 0), (0.5, 0.02), (0.5, 0.3)]
)
def test_every_destination_reaches_threshold_and_margin_and_they_alone_decide(
    lending, threshold, margin
):
    explainer = clone(lending.explainer).set_params(threshold=threshold, margin=margin)
    explainer.set_params(n_counterfactuals=500).fit(lending.X)
    multiverse = explainer.explain(lending.X.iloc[[hopeful(lending)[0]]], "granted")
    ends = {int(journey.vertices[-1]) for journey in multiverse}
    enough = explainer.probabilities_[:, 1] >= threshold + margin
    assert ends == set(np.flatnonzero(enough).tolist())


def test_whoever_has_the_threshold_needs_no_way_though_ways_end_above_it():
    table, model = toys.line()
    explainer = FACElift(model, n_neighbors=2, margin=0.15).fit(table)
    assert explainer.explain([5.0], 1).why_not.reason == "already there"
    assert explainer.explain([4.0], 1)[0].chances[-1] == 0.7
    assert explainer.set_params(threshold=0.95).explain([4.0], 1)[0].chances[-1] == 1.0


def test_a_margin_never_asks_for_certainty():
    table, _ = toys.line()

    def nearly_sure(X):
        return np.column_stack([1 - (sure := 0.999 * (np.ravel(X) > 4)), sure])

    explainer = FACElift(nearly_sure, n_neighbors=2, threshold=0.99).fit(table)
    assert explainer.explain([4.0], 1)[0].chances[-1] == 0.999


@pytest.mark.parametrize(
    ("threshold", "margin", "chance"), [(0.5, 0.48, 0.98), (0.5, 0.5, 0.99), (0.95, 0.03, 0.98)]
)
def test_ways_end_as_high_as_a_margin_asks_for(threshold, margin, chance):
    explainer = FACElift(upper, threshold=threshold, margin=margin).fit(line())
    assert explainer.needed == pytest.approx(chance)
    goal = Goal(("1",), threshold, ("0", "1"), margin)
    highest = Goal(("1",), goal.threshold_for(0.98), ("0", "1"), margin)
    assert highest.needed == pytest.approx(0.98)


def test_fewer_ways_than_asked_for_are_all_there_are():
    explainer = FACElift(upper, margin=0, n_neighbors=2, n_counterfactuals=100).fit(line())
    assert len(explainer.explain([0.0])) == 6


@pytest.mark.parametrize("n_counterfactuals", [1, 2, 7])
def test_asking_for_fewer_ways_gives_the_first_of_more(lending, n_counterfactuals):
    row = lending.X.iloc[[hopeful(lending)[6]]]
    explainer = FACElift(lending.model, n_neighbors=16, n_counterfactuals=n_counterfactuals)
    few = explainer.fit(lending.X).explain(row)
    many = explainer.set_params(n_counterfactuals=20).fit(lending.X).explain(row)
    assert len(few) == n_counterfactuals
    assert [j.vertices.tolist() for j in few] == [
        j.vertices.tolist() for j in many[:n_counterfactuals]
    ]


def test_a_single_way_has_no_alternatives_to_score():
    explainer = FACElift(upper, margin=0, n_neighbors=2, n_counterfactuals=1).fit(line())
    multiverse = explainer.explain([0.0])
    assert multiverse.opportunity.tolist() == [[1.0]]
    assert np.isnan(multiverse.scores).all()


@pytest.mark.parametrize("separation", [0.5, 1.0, 1.5])
def test_destinations_keep_their_distance(lending, separation):
    explainer = FACElift(lending.model, n_neighbors=16, min_separation=separation).fit(lending.X)
    multiverse = explainer.explain(lending.X.iloc[[hopeful(lending)[0]]])
    assert len(multiverse) >= 3
    ends = [journey.counterfactual for journey in multiverse]
    assert min(np.linalg.norm(a - b) for a, b in combinations(ends, 2)) >= separation
    nearest = FACElift(lending.model, n_neighbors=16).fit(lending.X)
    crowd = nearest.explain(lending.X.iloc[[hopeful(lending)[0]]])
    assert (
        min(np.linalg.norm(a.counterfactual - b.counterfactual) for a, b in combinations(crowd, 2))
        < separation
    )
    assert np.array_equal(crowd[0].counterfactual, multiverse[0].counterfactual)


@pytest.mark.parametrize(("max_steps", "n_ways"), [(2, 1), (3, 2), (5, 4), (None, 6)])
def test_no_journey_takes_more_steps_than_allowed(max_steps, n_ways):
    explainer = FACElift(
        upper, margin=0, n_neighbors=2, edge_cost="power", max_steps=max_steps
    ).fit(line())
    multiverse = explainer.explain([0.35])
    assert [journey.n_steps for journey in multiverse] == [2, 3, 4, 5, 6, 7][:n_ways]


def test_when_only_max_steps_is_in_the_way_the_reason_says_so():
    explainer = FACElift(upper, margin=0, n_neighbors=2, edge_cost="power", max_steps=2).fit(line())
    why_not = explainer.explain([0.0]).why_not
    assert why_not.n_candidates == 6
    assert "max_steps" in str(why_not)


@pytest.mark.parametrize("max_step", [0.11, 0.25])
def test_no_step_costs_more_than_the_largest(max_step):
    explainer = FACElift(upper, margin=0, n_neighbors=8, max_step=max_step).fit(line())
    assert explainer.graph_.costs.data.max() <= max_step
    multiverse = explainer.explain([0.05])
    assert max(journey.step_costs.max() for journey in multiverse) <= max_step
    assert multiverse[0].n_steps >= 2


def test_the_way_back_must_not_cost_more_than_the_largest_step_either():
    terrain = Terrain.infer(line()).price("x0", increase=1.0, decrease=3.0)
    explainer = FACElift(upper, terrain, margin=0, n_neighbors=2, max_step=0.25).fit(line())
    edges = explainer.graph_.costs.tocoo()
    assert edges.data.max() <= 0.25
    assert (edges.col > edges.row).all()


def test_a_radius_alone_makes_a_ball_of_neighbours():
    explainer = FACElift(upper, margin=0, n_neighbors=None, max_step=0.25).fit(line())
    assert np.diff(explainer.graph_.costs.indptr).tolist() == [2, 3, *[4] * 7, 3, 2]


def test_a_journey_may_pass_through_candidates_unless_it_must_stop_at_the_first():
    passing = FACElift(upper, margin=0, n_neighbors=2, edge_cost="power").fit(line()).explain([0.0])
    stopping = FACElift(upper, margin=0, n_neighbors=2, edge_cost="power", stop_at_first=True)
    stopped = stopping.fit(line()).explain([0.0])
    assert any((journey.chances[1:-1] >= 0.5).any() for journey in passing)
    assert len(stopped) >= 1
    assert not any((journey.chances[1:-1] >= 0.5).any() for journey in stopped)


def directed_edges(explainer: FACElift, rule: str, k: int) -> set[tuple[int, int]]:
    """The edges SPEC 2 asks for, from the full table of costs."""
    points = explainer.graph_.points
    costs = explainer.terrain_.cost(points[:, np.newaxis], points[np.newaxis])
    np.fill_diagonal(costs, np.inf)
    nearest = np.argsort(costs, axis=1, kind="stable")[:, :k]
    chosen = {
        (u, int(v)) for u in range(len(points)) for v in nearest[u] if np.isfinite(costs[u, v])
    }
    turned = {(v, u) for u, v in chosen}
    if rule == "union":
        return chosen | {(u, v) for u, v in turned if np.isfinite(costs[u, v])}
    return chosen & turned if rule == "mutual" else chosen


@pytest.mark.parametrize("rule", ["out", "union", "mutual"])
def test_edges_are_those_of_the_rule(lending, rule):
    terrain = Terrain.infer(lending.X).increase_only("income").freeze("town")
    terrain = terrain.price("debts", increase=2.0, decrease=0.5)
    explainer = FACElift(lending.model, terrain, n_neighbors=4, edges=rule).fit(lending.X)
    found = explainer.graph_.costs.tocoo()
    edges = set(zip(found.row.tolist(), found.col.tolist(), strict=True))
    assert edges == directed_edges(explainer, rule, 4)


def moves(explainer: FACElift) -> np.ndarray:
    points, edges = explainer.graph_.points, explainer.graph_.costs.tocoo()
    return np.sqrt(((points[edges.row] - points[edges.col]) ** 2).sum(axis=1))


@pytest.mark.parametrize(
    ("edge_cost", "formula"),
    [
        ("distance", lambda x: x),
        ("power", lambda x: x**2),
        ("density", lambda x: x * np.log(x / (2 / (11 * 2)))),
        (fl.graph.power(3), lambda x: x**3),
        (fl.graph.density(dimension=2), lambda x: x * np.log(x / (2 / (11 * np.pi)))),
        (lambda edges: edges.moves + 1, lambda x: x + 1),
    ],
    ids=["distance", "power", "density", "power of 3", "density in 2-D", "own"],
)
def test_edges_cost_what_their_formula_says(edge_cost, formula):
    explainer = FACElift(upper, margin=0, n_neighbors=2, edge_cost=edge_cost).fit(line())
    assert explainer.graph_.costs.data == pytest.approx(formula(moves(explainer)))
    assert len(explainer.explain([0.0])) == 6
    assert len(explainer.explain([-0.2])) == 6


def test_kernel_density_makes_crowded_roads_cheaper():
    rng = np.random.default_rng(0)
    X = rng.random((60, 4)) * 40
    wide = fl.graph.kde(np.asarray(Terrain.infer(X).encode(X)), bandwidth=0.6)
    explainer = FACElift(lambda table: upper(table / 40), n_neighbors=4, edge_cost=wide).fit(X)
    points, edges = explainer.graph_.points, explainer.graph_.costs.tocoo()
    middles = (points[edges.row] + points[edges.col]) / 2
    per_unit = explainer.graph_.costs.data / moves(explainer)
    from_centre = np.linalg.norm(middles - 0.5, axis=1)
    assert np.corrcoef(per_unit, from_centre)[0, 1] > 0.3
    assert len(explainer.explain(X[int(np.argmin(X[:, 0]))])) > 0


def test_a_density_that_would_be_negative_names_what_to_change():
    with pytest.raises(InvalidInput, match="lower n_neighbors"):
        FACElift(upper, margin=0, n_neighbors=9, edge_cost=fl.graph.density()).fit(line(101))


@pytest.mark.parametrize("edge_cost", ["density", "kde"])
def test_named_densities_take_the_papers_kind_of_world_as_it_is(edge_cost):
    world = fl.toys.moons(200)

    def model(points):
        return np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25]).astype(float)

    explainer = FACElift(model, edge_cost=edge_cost).fit(world.points)
    weights = explainer.graph_.costs.data
    assert (weights > 0).all()
    assert len(explainer.explain(world.points[0])) == 10
    per_unit = weights / moves(explainer)
    assert per_unit.max() > 2 * per_unit.min()  # sparse ground costs more


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"steps": "leaps"}, "steps"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": None}, "n_neighbors"),
        ({"edges": "both"}, "edges"),
        ({"edge_cost": "euclidean"}, "edge_cost"),
        ({"n_counterfactuals": 0}, "n_counterfactuals"),
        ({"threshold": 0}, "threshold"),
        ({"threshold": 1.1}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"min_separation": -0.1}, "min_separation"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_step": 0}, "max_step"),
        ({"max_step": 1.0, "steps": "actions"}, "max_step is for steps='rows'.*terrain.levels"),
    ],
    ids=str,
)
def test_a_parameter_that_cannot_be_right_is_named(parameters, words):
    with pytest.raises(InvalidInput, match=words):
        FACElift(upper, margin=0, **parameters).fit(line())


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_neighbors": 2.5},
        {"n_neighbors": "5"},
        {"threshold": "half"},
        {"n_counterfactuals": 2.5},
        {"committee": 3},
        {"committee": "five"},
    ],
    ids=str,
)
def test_a_parameter_of_the_wrong_type_is_named_too(parameters):
    with pytest.raises(InvalidInput, match=next(iter(parameters))):
        FACElift(upper, margin=0, **parameters).fit(line())


def test_parameters_are_those_of_the_signature():
    names = list(inspect.signature(FACElift).parameters)
    explainer = FACElift(upper, margin=0, threshold=0.7)
    parameters = explainer.get_params(deep=False)
    assert sorted(parameters) == sorted(names)
    assert parameters["threshold"] == 0.7
    assert parameters["model"] is upper


def test_set_params_changes_what_the_next_fit_does():
    explainer = FACElift(upper, margin=0, n_neighbors=2)
    assert explainer.set_params(n_neighbors=10, threshold=0.8) is explainer
    multiverse = explainer.fit(line()).explain([0.0])
    assert explainer.graph_.costs.nnz == 11 * 10
    assert min(journey.chances[-1] for journey in multiverse) == pytest.approx(0.8)
    with pytest.raises(ValueError, match="Invalid parameter 'neighbours'"):
        explainer.set_params(neighbours=3)


def test_a_clone_has_the_parameters_but_nothing_learned(lending):
    twin = clone(lending.explainer)
    assert twin is not lending.explainer
    assert not hasattr(twin, "graph_")
    assert twin.n_neighbors == lending.explainer.n_neighbors
    row = lending.X.iloc[[hopeful(lending)[0]]]
    expected = lending.explainer.explain(row).to_json()
    assert twin.fit(lending.X).explain(row).to_json() == expected
