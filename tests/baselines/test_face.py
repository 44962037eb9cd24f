"""FACE is right where a widely used implementation is wrong.

CARLA's searches from another row after it has drawn a sample, loses every edge between rows whose
immutable value is 0, gives rows that cannot be reached, and fails without immutable columns.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KernelDensity

from facelift import FACElift, Terrain
from facelift.baselines import FACE
from facelift.errors import InvalidInput, NotFitted


def north(points: np.ndarray) -> np.ndarray:
    """A model: the chance of class 1 rises with the second coordinate."""
    good = 1 / (1 + np.exp(-8 * (points[:, 1] - 0.6)))
    return np.column_stack([1 - good, good])


def named(frame: pd.DataFrame) -> np.ndarray:
    return north(frame[["wealth", "chance"]].to_numpy())


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Two equally many groups of alike people, in shuffled order, with an index of their own."""
    rng = np.random.default_rng(0)
    half = pd.DataFrame({"wealth": rng.random(80), "chance": rng.random(80)})
    both = pd.concat([half.assign(group=0), half.assign(group=1)], ignore_index=True)
    shuffled = both.iloc[rng.permutation(len(both))]
    return shuffled.set_axis(rng.permutation(10_000)[: len(both)], axis=0)


@pytest.fixture(scope="module")
def fitted(people):
    terrain = Terrain.infer(people).freeze("group")
    return FACE(named, terrain, n_neighbors=5).fit(people)


def as_networkx(face: FACE) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(face.graph_)))
    costs = face.graph_.costs.tocoo()
    graph.add_weighted_edges_from(
        zip(costs.row.tolist(), costs.col.tolist(), costs.data.tolist(), strict=True)
    )
    return graph


def rejected(people: pd.DataFrame) -> pd.DataFrame:
    return people[named(people)[:, 1] < 0.5]


def test_every_search_starts_from_the_row_that_was_asked_for(fitted, people):
    some = rejected(people).sample(40, random_state=1)
    for multiverse, (_, row) in zip(fitted.explain_many(some), some.iterrows(), strict=True):
        start = multiverse[0].rows.iloc[0]
        assert start.to_dict() == pytest.approx(row.to_dict())


def test_people_whose_immutable_value_is_0_have_the_edges_of_those_with_1(fitted):
    groups = fitted.graph_.points[:, 2]
    starts, ends = groups[fitted.graph_.starts], groups[fitted.graph_.costs.indices]
    assert (starts == ends).all()
    assert (starts == 0).sum() == (starts == 1).sum() > 0


def test_people_whose_immutable_value_is_0_have_the_journeys_of_those_with_1(fitted, people):
    half = rejected(people)[["wealth", "chance"]].drop_duplicates()
    costs = [
        [multiverse[0].cost for multiverse in fitted.explain_many(half.assign(group=group))]
        for group in (0, 1)
    ]
    np.testing.assert_allclose(*costs)


def test_every_counterfactual_is_reached_by_steps_of_the_graph_and_is_the_nearest(fitted, people):
    graph = as_networkx(fitted)
    good = np.flatnonzero(fitted.probabilities_[:, 1] >= 0.5)
    for multiverse in fitted.explain_many(rejected(people).iloc[:30]):
        (journey,) = multiverse
        start, *_, end = journey.vertices.tolist()
        assert end in good
        assert nx.is_path(graph, journey.vertices.tolist())
        lengths = nx.single_source_dijkstra_path_length(graph, start)
        assert journey.cost == pytest.approx(min(lengths[v] for v in good if v in lengths))


def test_a_group_without_good_records_has_no_counterfactual_rather_than_an_unreachable_one():
    rng = np.random.default_rng(1)
    low = np.column_stack([rng.random(30), 0.4 * rng.random(30), np.zeros(30)])
    all_ = np.column_stack([rng.random(30), rng.random(30), np.ones(30)])
    people = pd.DataFrame(np.vstack([low, all_]), columns=["wealth", "chance", "group"])
    terrain = Terrain.infer(people).freeze("group")
    face = FACE(named, terrain, n_neighbors=5).fit(people)
    multiverse = face.explain(people.iloc[0], target=1)
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "no route"


def test_nothing_needs_to_be_immutable(people):
    face = FACE(named, n_neighbors=5).fit(people)
    assert all(len(multiverse) == 1 for multiverse in face.explain_many(rejected(people).iloc[:5]))


def test_its_choice_is_the_nearest_of_facelifts_journeys(fitted, people):
    explainer = FACElift(named, fitted.terrain, n_neighbors=5, n_counterfactuals=4).fit(people)
    for _, row in rejected(people).iloc[:10].iterrows():
        np.testing.assert_array_equal(
            fitted.explain(row)[0].vertices, explainer.explain(row)[0].vertices
        )


def test_epsilon_joins_all_records_within_it_and_no_others(people):
    face = FACE(named, variant="epsilon", epsilon=0.2).fit(people)
    points = face.graph_.points
    distances = np.sqrt(((points[:, np.newaxis] - points) ** 2).sum(axis=2))
    joined = face.graph_.costs.toarray() > 0
    np.testing.assert_array_equal(joined, (distances <= 0.2) & ~np.eye(len(points), dtype=bool))


def test_densities_weigh_steps_as_the_authors_do(people):
    points = np.asarray(Terrain.infer(people).encode(people))[:, :2]
    n, k = len(np.unique(points, axis=0)), 4
    table = people[["wealth", "chance"]]

    def weighed(**options) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        face = FACE(named, edge_cost="density", **options).fit(table)
        starts, ends = face.graph_.starts, face.graph_.costs.indices
        ends_at = face.graph_.points[starts], face.graph_.points[ends]
        return (
            face.graph_.costs.data,
            np.linalg.norm(ends_at[0] - ends_at[1], axis=1),
            (ends_at[0] + ends_at[1]) / 2,
        )

    weights, lengths, _ = weighed(variant="epsilon", epsilon=0.04)
    np.testing.assert_allclose(weights, lengths * -np.log(0.04**2 / lengths))
    weights, lengths, _ = weighed(variant="knn", n_neighbors=1)
    np.testing.assert_allclose(weights, lengths * -np.log(1 / (n * 2) / lengths))
    assert k < n
    weights, lengths, middles = weighed(variant="kde", n_neighbors=k, bandwidth=0.6)
    density = KernelDensity(bandwidth=0.6).fit(points).score_samples(middles)
    np.testing.assert_allclose(weights, lengths * -density, rtol=1e-6)


def test_sparse_records_cannot_be_counterfactuals_where_density_is_asked_for():
    rng = np.random.default_rng(3)
    crowd = np.column_stack([0.5 + 0.1 * rng.random(60), 0.7 + 0.1 * rng.random(60)])
    poor = np.column_stack([rng.random(30), 0.3 * rng.random(30)])
    hermit = np.array([[0.9, 0.61]])
    points = np.vstack([crowd, poor, hermit, [[0.95, 0.5]]])
    nearest = FACE(north, n_neighbors=91).fit(points).explain(points[-1], target=1)
    np.testing.assert_allclose(nearest[0].rows.to_numpy()[-1], hermit[0])
    face = FACE(north, n_neighbors=91, min_density=0.3, bandwidth=0.1).fit(points)
    (journey,) = face.explain(points[-1], target=1)
    assert not np.allclose(journey.rows.to_numpy()[-1], hermit[0])
    (same,) = face.explain_many(points[-1:], target=1)
    np.testing.assert_array_equal(same[0].vertices, journey.vertices)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "ball"}, "variant must be 'knn', 'epsilon' or 'kde', got 'ball'"),
        ({"variant": "epsilon"}, "needs epsilon"),
        ({"variant": "epsilon", "epsilon": -1}, "epsilon must be a number, above 0, got -1"),
        ({"edge_cost": "hops"}, "edge_cost must be 'distance' or 'density', got 'hops'"),
        ({"min_density": 1.0}, r"min_density must be a number, in \[0, 1\), got 1.0"),
        ({"variant": "kde", "bandwidth": 0}, "bandwidth must be a number, above 0, got 0"),
        (
            {"variant": "epsilon", "epsilon": 1.5, "edge_cost": "density"},
            "lower epsilon",
        ),
    ],
)
def test_what_cannot_be_right_is_refused(people, options, message):
    with pytest.raises(InvalidInput, match=message):
        FACE(named, **options).fit(people)


def test_explaining_before_fitting_is_an_error():
    with pytest.raises(NotFitted, match="FACE is not fitted"):
        FACE(named).explain({"wealth": 1})
