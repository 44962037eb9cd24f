"""What an explanation is: journeys, their shapes, costs and documents."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from tests.explainer.worlds import hopeful

import facelift as fl


def networkx_of(graph: fl.Graph) -> nx.DiGraph:
    world = nx.DiGraph()
    world.add_nodes_from(range(len(graph)))
    edges = graph.costs.tocoo()
    world.add_weighted_edges_from(
        zip(edges.row.tolist(), edges.col.tolist(), edges.data.tolist(), strict=True)
    )
    return world


def test_a_multiverse_is_a_sequence_of_journeys_cheapest_first(declined):
    assert len(declined) == 5 == len(list(declined))
    assert declined[0] is next(iter(declined))
    assert declined[-1] is declined[4]
    assert declined[1:3] == (declined[1], declined[2])
    costs = [journey.cost for journey in declined]
    assert costs == sorted(costs)
    assert declined.why_not is None
    with pytest.raises(IndexError):
        declined[5]


def test_journeys_have_the_shapes_of_the_contract(lending, declined):
    m, c = lending.explainer.terrain_.n_coordinates, len(declined)
    for journey in declined:
        k = len(journey.vertices)
        assert k >= 2
        assert journey.waypoints.shape == (k, m)
        assert journey.step_costs.shape == (k - 1,)
        assert journey.remaining.shape == (k, c)
        assert journey.probabilities.shape == (k, 2)
        assert np.array_equal(journey.counterfactual, journey.waypoints[-1])
        assert journey.cost == pytest.approx(journey.step_costs.sum())


def test_opportunity_is_a_square_of_shares_with_ones_on_its_diagonal(declined):
    matrix = declined.opportunity
    assert matrix.shape == (5, 5)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert np.array_equal(np.diag(matrix), np.ones(5))
    expected = [(row.sum() - 1) / 4 for row in matrix]
    assert declined.scores == pytest.approx(expected)


def test_waypoints_are_the_points_of_the_vertices_and_steps_edges_of_the_graph(lending, declined):
    graph = lending.explainer.graph_
    for journey in declined:
        assert np.array_equal(journey.waypoints, graph.points[journey.vertices])
        steps = [graph.costs[u, v] for u, v in pairwise(journey.vertices)]
        assert journey.step_costs.tolist() == steps
        assert all(cost > 0 for cost in steps)


@pytest.mark.parametrize("place", [0, 3, 11])
def test_destinations_are_the_nearest_granted_records_at_the_cost_another_library_finds(
    lending, place
):
    explainer, row = lending.explainer, hopeful(lending)[place]
    multiverse = explainer.explain(lending.X.iloc[[row]], "granted")
    costs = nx.single_source_dijkstra_path_length(
        networkx_of(explainer.graph_), int(explainer.vertices_[row])
    )
    granted = [
        (cost, vertex)
        for vertex, cost in costs.items()
        if explainer.probabilities_[vertex, 1] >= 0.52
    ]
    nearest = sorted(granted)[:5]
    assert [journey.vertices[-1] for journey in multiverse] == [vertex for _, vertex in nearest]
    assert multiverse.costs == pytest.approx([cost for cost, _ in nearest])


def test_probabilities_are_what_the_model_says_of_the_rows(lending, declined):
    for journey in declined:
        assert journey.probabilities == pytest.approx(lending.model.predict_proba(journey.rows))
        assert journey.chances == pytest.approx(journey.probabilities[:, 1])
        assert journey.chances[0] < 0.5 < 0.52 <= journey.chances[-1]


def test_rows_of_a_journey_have_the_types_of_the_table(lending, declined):
    assert declined[0].rows.dtypes.equals(lending.X.dtypes)
    assert declined[0].rows.columns.equals(lending.X.columns)


def test_the_goal_names_what_was_asked_for(declined):
    assert declined.goal.target == ("granted",)
    assert declined.goal.classes == ("declined", "granted")
    assert declined.goal.threshold == 0.5


def test_frame_and_json_tell_the_same_journeys(declined):
    table = declined.to_frame()
    assert {"journey", "step", "feature", "from", "to", "probability", "cost"} <= set(table.columns)
    assert table["journey"].unique().tolist() == [0, 1, 2, 3, 4]
    again = fl.Multiverse.from_json(declined.to_json())
    assert again.to_json() == declined.to_json()


def test_a_multiverse_knows_the_case_and_whom_to_ask_again(lending, people):
    row = int(np.argmin(lending.chances()))
    question = lending.explainer.explain(people.iloc[row], target="granted").question
    assert question.explainer is lending.explainer
    assert lending.explainer.terrain_.decode([question.point]).iloc[0].equals(people.iloc[row])
