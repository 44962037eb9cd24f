"""How somebody could have come here, against looking at everybody who has the outcome."""

import json
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift.errors import InvalidInput
from facelift.graph import search


def people(n=130, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": rng.normal(40, 10, n).round(3),
            "debts": rng.normal(2, 1, n).round(3),
            "age": rng.uniform(20, 60, n).round(3),
        }
    )


def model(frame):
    score = (frame["income"] - 40) / 6 - 0.7 * (frame["debts"] - 2)
    good = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - good, good])


@pytest.fixture(scope="module")
def explainer():
    X = people()
    terrain = fl.Terrain.infer(X).increase_only("age").price("income", increase=2.0)
    return fl.FACElift(model, terrain, n_neighbors=4).fit(X)


def digraph(graph):
    net = nx.DiGraph()
    net.add_nodes_from(range(len(graph)))
    ends, costs = graph.costs.indices.tolist(), graph.costs.data.tolist()
    net.add_weighted_edges_from(zip(graph.starts.tolist(), ends, costs, strict=True))
    return net


def check(found, net, accepted, here, count):
    """Everybody who has the outcome, the cheapest to come from first."""
    into = nx.single_source_dijkstra_path_length(net.reverse(), here)
    nearest = sorted((cost, v) for v, cost in into.items() if v in accepted)[:count]
    assert [h.journey.vertices[0] for h in found] == [v for _, v in nearest]
    for history, (cost, start) in zip(found, nearest, strict=True):
        route = history.journey.vertices.tolist()
        assert route == nx.dijkstra_path(net, start, here)
        assert history.journey.cost == pytest.approx(cost)
        assert history.kept.tolist() == [v in accepted for v in route]
        forks = [
            i
            for i, vertex in enumerate(route[:-1])
            if vertex in accepted
            and any(u in accepted and u != route[i + 1] for u in net.successors(vertex))
        ]
        assert (history.fork is None) == (not forks)
        if forks:
            at = route[forks[-1]]
            other = min(
                (net[at][u]["weight"], u)
                for u in net.successors(at)
                if u in accepted and u != route[forks[-1] + 1]
            )
            assert history.fork.waypoint == forks[-1]
            assert (history.fork.cost, history.fork.vertex) == other


@pytest.mark.parametrize("compiled_from", [1, 10**9])
def test_histories_start_from_the_nearest_who_have_the_outcome(
    explainer, compiled_from, monkeypatch
):
    monkeypatch.setattr(search, "COMPILED_FROM", compiled_from)
    graph, X = explainer.graph_, people()
    accepted = set(np.flatnonzero(explainer.probabilities_[:, 1] >= 0.5).tolist())
    net = digraph(graph)
    rejected = [i for i in range(len(X)) if explainer.vertices_[i] not in accepted]
    for row in rejected[:25]:
        found = fl.retrospect(explainer, X.iloc[row], 1, n_histories=3)
        check(found, net, accepted, int(explainer.vertices_[row]), 3)


def test_somebody_outside_the_table_has_histories_too(explainer):
    graph, terrain = explainer.graph_, explainer.terrain_
    accepted = set(np.flatnonzero(explainer.probabilities_[:, 1] >= 0.5).tolist())
    for row in range(6):
        case = people(40, 9).iloc[row]
        if model(case.to_frame().T)[0, 1] >= 0.5:
            continue
        found = fl.retrospect(explainer, case, 1, n_histories=3)
        net = digraph(graph)
        costs = terrain.cost(graph.points, terrain.point(case))
        for start in np.argsort(costs, kind="stable")[:4].tolist():
            if np.isfinite(costs[start]):
                net.add_edge(start, len(graph), weight=float(costs[start]))
        check(found, net, accepted, len(graph), 3)


def test_the_rules_hold_in_the_direction_of_time(explainer):
    X = people()
    rejected = X[model(X)[:, 1] < 0.5]
    for row in range(20):
        for history in fl.retrospect(explainer, rejected.iloc[row], 1):
            ages = history.rows["age"].to_numpy()
            assert (np.diff(ages) >= 0).all()
            moves = explainer.terrain_.cost(
                history.journey.waypoints[:-1], history.journey.waypoints[1:]
            )
            assert np.allclose(moves, history.journey.step_costs)


def test_who_comes_from_a_missing_value_pays_what_finding_it_costs():
    known = [1.0, 2, 3, np.nan, 5, 6, 7, 8]
    X = pd.DataFrame({"income": known, "savings": np.arange(1.0, 9)})
    terrain = fl.Terrain.infer(X).decrease_only("income").missing("income", found=0.1)

    def saves(frame):
        return np.column_stack([frame["savings"] < 4, frame["savings"] >= 4])

    explainer = fl.FACElift(saves, terrain, n_neighbors=3).fit(X)
    first = fl.retrospect(explainer, {"income": 7.0, "savings": 3.9})[0]
    assert np.isnan(first.rows["income"].iloc[0])
    assert first.journey.cost == pytest.approx(terrain.cost(*first.journey.waypoints))


def test_histories_read_as_text_frame_and_json(explainer):
    X = people()
    case = X[model(X)[:, 1] < 0.5].iloc[3]
    found = fl.retrospect(explainer, case, 1, n_histories=2)
    text = str(found)
    assert text.startswith("1. From a record with 1 (")
    assert text.count("← here it was lost") == 2
    frame = found.to_frame()
    names = ["history", "step", "feature", "from", "to", "chance", "cost", "kept", "fork"]
    assert frame.columns.tolist() == names
    last = frame[frame["history"] == 0].groupby("step")["kept"].first()
    assert not last.iloc[-1]
    document = json.loads(found.to_json())
    assert len(document["histories"]) == 2
    assert document["histories"][0]["vertices"] == found[0].journey.vertices.tolist()
    assert len(found[0:1]) == 1


def test_nobody_to_come_from_is_a_finding():
    X = pd.DataFrame({"score": [0.0, 1.0, 2.0, 3.0]})

    def decide(frame):
        good = (frame["score"] > 1.5).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    terrain = fl.Terrain.infer(X).increase_only("score")
    explainer = fl.FACElift(decide, terrain, n_neighbors=2).fit(X)
    found = fl.retrospect(explainer, X.iloc[0], 1)
    assert len(found) == 0
    assert found.to_frame().empty
    assert "No record with 1 leads to this case" in str(found)


def test_what_cannot_be_asked_is_one_clear_line(explainer, lending):
    X = people()
    with pytest.raises(InvalidInput, match="Nothing was lost"):
        fl.retrospect(explainer, X[model(X)[:, 1] > 0.5].iloc[0], 1)
    with pytest.raises(InvalidInput, match="n_histories"):
        fl.retrospect(explainer, X.iloc[0], n_histories=0)
    actions = fl.FACElift(lending.model, steps="actions").fit(lending.X)
    with pytest.raises(InvalidInput, match="steps='rows'"):
        fl.retrospect(actions, lending.X.iloc[0])


def test_some_of_many_changes_are_named_and_the_rest_counted():
    X = pd.DataFrame({name: np.arange(12.0) for name in "abcdef"})

    def upper(points):
        return np.column_stack([1 - (sure := np.asarray(points)[:, 0] / 12), sure])

    told = str(fl.retrospect(fl.FACElift(upper, n_neighbors=3).fit(X), X.iloc[3], target=1))
    assert re.search(r"1\. A: \d+ → \d+, B: \d+ → \d+, C: \d+ → \d+ and 3 more \(", told)
    assert "things change" not in told
