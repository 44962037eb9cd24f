"""FACElift on rows: the contract, and the edge of every case, target, model and parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import facelift as fl
from facelift import FACElift, Terrain
from facelift.errors import (
    FaceliftError,
    InvalidData,
    InvalidInput,
    InvalidModel,
    MissingValues,
    NotFitted,
    UnknownColumn,
)


def upper(points: np.ndarray) -> np.ndarray:
    """A model of arrays: the chance of class 1 is the first column, cut to [0, 1]."""
    chance = np.clip(np.asarray(points, dtype=np.float64)[:, 0], 0, 1)
    return np.column_stack([1 - chance, chance])


def line(n: int = 11) -> np.ndarray:
    """Points 0, 0.1, …, 1 on a line; `upper` grants from the middle on."""
    return np.linspace(0, 1, n)[:, np.newaxis]


def hopeful(world) -> list[int]:
    """Rows the model declines, the least hopeful first."""
    chances = world.chances()
    return [int(i) for i in np.argsort(chances, kind="stable") if chances[i] < 0.5]


def frozen_state(explainer: FACElift) -> list[bytes]:
    costs = explainer.graph_.costs
    arrays = [
        explainer.graph_.points,
        costs.data,
        costs.indices,
        costs.indptr,
        explainer.probabilities_,
        explainer.vertices_,
        explainer.multiplicity_,
    ]
    return [array.tobytes() for array in arrays]


def networkx_of(graph: fl.Graph) -> nx.DiGraph:
    world = nx.DiGraph()
    world.add_nodes_from(range(len(graph)))
    edges = graph.costs.tocoo()
    world.add_weighted_edges_from(
        zip(edges.row.tolist(), edges.col.tolist(), edges.data.tolist(), strict=True)
    )
    return world


@pytest.fixture(scope="module")
def declined(lending):
    """A multiverse of one declined person, as rich as the world allows."""
    return lending.explainer.explain(lending.X.iloc[[hopeful(lending)[5]]], "granted")


# What fit leaves behind


def test_fit_returns_the_explainer_itself():
    explainer = FACElift(upper, n_neighbors=2)
    assert explainer.fit(line()) is explainer


def test_the_constructor_only_stores():
    odd = object()
    explainer = FACElift(odd, threshold=-3, n_neighbors="many")
    assert explainer.model is odd
    assert (explainer.threshold, explainer.n_neighbors) == (-3, "many")


def test_fitted_attributes_have_the_shapes_of_the_contract(lending):
    explainer = lending.explainer
    n, m = len(lending.X.drop_duplicates()), explainer.terrain_.n_coordinates
    assert explainer.graph_.points.shape == (n, m) == (n, 1 + 1 + 1 + 3 + 2 + 1)
    assert isinstance(explainer.graph_, fl.Graph)
    assert isinstance(explainer.graph_.costs, sparse.csr_array)
    assert explainer.graph_.costs.shape == (n, n)
    assert explainer.probabilities_.shape == (n, 2)
    assert explainer.classes_.tolist() == ["declined", "granted"]
    assert isinstance(explainer.terrain_, Terrain)
    assert explainer.feature_names_in_.tolist() == lending.X.columns.tolist()


def test_vertices_are_the_distinct_encoded_rows(lending):
    explainer = lending.explainer
    encoded = np.asarray(explainer.terrain_.encode(lending.X))
    assert np.array_equal(explainer.graph_.points[explainer.vertices_], encoded)
    assert explainer.multiplicity_.sum() == len(lending.X)


def test_the_probabilities_of_vertices_are_the_models_own(lending):
    explainer = lending.explainer
    asked = lending.model.predict_proba(lending.X)
    assert np.array_equal(explainer.probabilities_[explainer.vertices_], asked)


def test_the_terrain_is_inferred_when_none_is_given(lending):
    assert lending.explainer.terrain is None
    assert lending.explainer.terrain_ == Terrain.infer(lending.X)


def test_labels_of_a_function_are_numbers():
    assert FACElift(upper, n_neighbors=2).fit(line()).classes_.tolist() == [0, 1]


# What an explanation is


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
        if explainer.probabilities_[vertex, 1] >= 0.5
    ]
    nearest = sorted(granted)[:5]
    assert [journey.vertices[-1] for journey in multiverse] == [vertex for _, vertex in nearest]
    assert multiverse.costs == pytest.approx([cost for cost, _ in nearest])


def test_probabilities_are_what_the_model_says_of_the_rows(lending, declined):
    for journey in declined:
        assert journey.probabilities == pytest.approx(lending.model.predict_proba(journey.rows))
        assert journey.chances == pytest.approx(journey.probabilities[:, 1])
        assert journey.chances[0] < 0.5 <= journey.chances[-1]


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


# The case


@pytest.mark.parametrize(
    "given",
    [
        lambda row: row.iloc[0],
        lambda row: row.iloc[0].to_dict(),
        lambda row: row.iloc[0].tolist(),
        lambda row: tuple(row.iloc[0]),
        lambda row: row.iloc[0].to_numpy(dtype=object),
        lambda row: row[row.columns[::-1]],
        lambda row: row.iloc[0][::-1],
        lambda row: pl.DataFrame(row.iloc[0].to_dict()),
    ],
    ids=["Series", "dict", "list", "tuple", "array", "reordered", "reversed Series", "polars"],
)
def test_every_way_to_give_a_case_means_the_same(lending, given):
    row = lending.X.iloc[[hopeful(lending)[3]]]
    expected = lending.explainer.explain(row)
    assert len(expected) == 5
    assert lending.explainer.explain(given(row)).to_json() == expected.to_json()


@pytest.mark.parametrize(
    "given",
    [lambda x: x, list, lambda x: x[np.newaxis, :], lambda x: {"x0": x[0], "x1": x[1]}],
    ids=["1-D", "list", "2-D", "dict"],
)
def test_every_way_to_give_a_case_of_an_array_means_the_same(given):
    X = fl.toys.moons(60).points
    explainer = FACElift(upper, n_neighbors=4, n_counterfactuals=3).fit(X)
    case = X[int(np.argmin(X[:, 0]))]
    expected = explainer.explain(case)
    assert len(expected) == 3
    assert expected[0].rows.iloc[0].tolist() == case.tolist()
    assert explainer.explain(given(case)).to_json() == expected.to_json()


def test_a_case_of_the_table_is_its_own_vertex(lending):
    row = hopeful(lending)[0]
    multiverse = lending.explainer.explain(lending.X.iloc[[row]])
    assert multiverse.factual == lending.explainer.vertices_[row]
    assert multiverse.graph is lending.explainer.graph_


def outsider() -> dict[str, object]:
    return {
        "income": 21.37,
        "debts": 3,
        "savings": "none",
        "housing": "own",
        "town": "Bern",
        "employed": False,
    }


def test_a_case_outside_the_table_is_attached_as_one_more_vertex(lending):
    explainer, case = lending.explainer, outsider()
    n = len(explainer.graph_)
    multiverse = explainer.explain(case)
    assert len(multiverse.graph) == n + 1
    assert all(journey.vertices[0] == n for journey in multiverse)
    assert multiverse[0].rows.iloc[0].to_dict() == case
    expected = lending.model.predict_proba(multiverse[0].rows.iloc[[0]])[0]
    assert multiverse[0].probabilities[0] == pytest.approx(expected)


def test_an_attached_case_leads_to_its_nearest_admissible_records(lending):
    explainer = lending.explainer
    multiverse = explainer.explain(outsider())
    here = multiverse.graph.points[-1]
    costs = np.sqrt(((explainer.graph_.points - here) ** 2).sum(axis=1))
    ends, found = multiverse.graph.neighbors(len(explainer.graph_))
    assert sorted(ends) == sorted(np.argsort(costs, kind="stable")[:16])
    assert found == pytest.approx(costs[ends])


def test_explaining_changes_nothing_in_the_explainer(lending):
    explainer = lending.explainer
    before, parameters = frozen_state(explainer), explainer.get_params()
    explainer.explain(outsider())
    explainer.explain(lending.X.iloc[[hopeful(lending)[0]]])
    explainer.explain_many(lending.X.head(3))
    assert frozen_state(explainer) == before
    assert explainer.get_params() == parameters
    assert len(explainer.graph_) == len(explainer.probabilities_)


def test_the_table_and_the_case_are_left_as_they_were(people, lending):
    before, row = people.copy(deep=True), people.iloc[[4]].copy(deep=True)
    FACElift(lending.model, n_neighbors=3).fit(people).explain(people.iloc[[4]])
    pd.testing.assert_frame_equal(people, before)
    pd.testing.assert_frame_equal(people.iloc[[4]], row)


def test_a_case_between_whole_numbers_is_refused_or_kept_but_never_rounded():
    X = np.arange(0, 60, 5, dtype=np.int64)[:, np.newaxis]
    explainer = FACElift(lambda table: upper(table / 50), n_neighbors=3).fit(X)
    try:
        journey = explainer.explain([12.5])[0]
    except InvalidData:
        return
    assert journey.rows.iloc[0, 0] == 12.5
    assert journey.chances[0] == pytest.approx(0.25)


@pytest.mark.parametrize("value", [0.25, 1 / 3, 0.123456789012345678, np.nextafter(0.3, 1), -2.5])
def test_a_case_with_more_digits_than_the_table_stays_what_it_is(value):
    explainer = FACElift(upper, n_neighbors=3).fit(line())
    assert explainer.explain([value])[0].rows.iloc[0, 0] == value


def test_a_case_with_the_outcome_needs_no_journey(lending):
    granted = int(np.argmax(lending.chances()))
    multiverse = lending.explainer.explain(lending.X.iloc[[granted]], "granted")
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "already there"
    assert multiverse.why_not.best_chance == pytest.approx(lending.chances()[granted])
    assert multiverse.opportunity.shape == (0, 0)
    assert multiverse.scores.shape == (0,)


def test_no_journey_leads_to_the_case_itself_or_to_its_twin(lending):
    row = lending.X.iloc[[hopeful(lending)[2]]]
    twins = pd.concat([lending.X, row, row], ignore_index=True)
    explainer = FACElift(lending.model, n_neighbors=16, n_counterfactuals=5).fit(twins)
    multiverse = explainer.explain(row)
    for journey in multiverse:
        assert len(set(journey.vertices.tolist())) == len(journey.vertices)
    expected = lending.explainer.explain(row)
    assert [j.waypoints.tolist() for j in multiverse] == [j.waypoints.tolist() for j in expected]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"housing": "castle"}, InvalidData, "'castle' is not a known value of column 'housing'"),
        ({"savings": "lo"}, InvalidData, "did you mean 'low'"),
        ({"income": "much"}, InvalidData, "Column 'income' holds numbers, but was given 'much'"),
        ({"income": np.nan}, MissingValues, "income (1)"),
        ({"town": None}, MissingValues, "town (1)"),
        ({"income": np.inf}, InvalidData, "infinite"),
        ({"incme": 3.0}, UnknownColumn, "'incme'"),
    ],
)
def test_a_case_that_does_not_fit_is_one_clear_error(lending, change, error, words):
    with pytest.raises(error, match=None) as caught:
        lending.explainer.explain({**outsider(), **change})
    assert words in str(caught.value)


def test_a_case_that_lacks_a_column_is_told_which(lending):
    case = outsider()
    del case["housing"]
    with pytest.raises(UnknownColumn, match="housing"):
        lending.explainer.explain(case)


@pytest.mark.parametrize("rows", [0, 2])
def test_one_case_is_exactly_one_row(lending, rows):
    with pytest.raises(InvalidData, match=f"table of {rows} rows"):
        lending.explainer.explain(lending.X.head(rows))


def test_a_case_of_the_wrong_length_is_an_error(lending):
    with pytest.raises(InvalidData, match="2 values, 6 are needed"):
        lending.explainer.explain([1, 2])


def test_a_case_out_of_bounds_is_told_which_bounds(lending):
    terrain = Terrain.infer(lending.X).between("income", 30, 60)
    explainer = FACElift(lending.model, terrain, n_neighbors=16).fit(lending.X)
    with pytest.raises(InvalidData, match="'income', 30 to 60"):
        explainer.explain(outsider())


# The table


def test_the_order_of_columns_does_not_matter(lending):
    row = lending.X.iloc[[hopeful(lending)[1]]]
    mixed = lending.X[["employed", "town", "savings", "income", "housing", "debts"]]
    terrain = Terrain.infer(lending.X)
    explainer = FACElift(lending.model, terrain, n_neighbors=16, n_counterfactuals=5).fit(mixed)
    expected = lending.explainer.explain(row).to_json()
    assert explainer.explain(row).to_json() == expected
    assert explainer.explain(row[mixed.columns]).to_json() == expected


def test_identical_rows_are_one_vertex_with_a_multiplicity():
    X = np.repeat(line(), [1, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1], axis=0)
    explainer = FACElift(upper, n_neighbors=2).fit(X)
    assert len(explainer.graph_) == 11
    assert explainer.multiplicity_.tolist() == [1, 9, *[1] * 9]
    assert explainer.vertices_.tolist() == [0, *[1] * 9, *range(2, 11)]
    alone = FACElift(upper, n_neighbors=2).fit(line())
    assert explainer.explain([0.1]).to_json() == alone.explain([0.1]).to_json()


def test_a_table_of_one_repeated_row_has_one_vertex_and_no_way():
    explainer = FACElift(upper, n_neighbors=2).fit(np.full((5, 1), 0.2))
    assert explainer.graph_.costs.nnz == 0
    assert explainer.explain([0.2]).why_not.reason == "no candidate"


def test_a_constant_column_changes_nothing():
    wide = np.column_stack([line(), np.full(11, 3.25)])
    explainer = FACElift(upper, n_neighbors=2).fit(wide)
    plain = FACElift(upper, n_neighbors=2).fit(line())
    with_column, without = explainer.explain(wide[1]), plain.explain(line()[1])
    assert [j.vertices.tolist() for j in with_column] == [j.vertices.tolist() for j in without]
    assert with_column.costs.tolist() == without.costs.tolist()
    assert (with_column[0].rows["x1"] == 3.25).all()


@pytest.mark.parametrize("n_neighbors", [10, 11, 5000])
def test_more_neighbours_than_records_means_all_of_them(n_neighbors):
    explainer = FACElift(upper, n_neighbors=n_neighbors).fit(line())
    assert explainer.graph_.costs.nnz == 11 * 10
    assert explainer.explain([0.0])[0].cost == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pd.DataFrame({"a": [], "b": []}), "0 rows"),
        (pd.DataFrame(index=range(3)), "0 columns"),
        (np.empty((0, 2)), "0 rows"),
        (np.zeros(4), "2 axes"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' stands in the table twice"),
        (pd.DataFrame({"a": [1, "x"]}), "'a' mixes text with other values"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), "'a' has type datetime64"),
        ("people.csv", "got str"),
        (None, "got NoneType"),
    ],
)
def test_a_table_that_cannot_be_walked_is_one_clear_error(table, words):
    with pytest.raises(InvalidData) as caught:
        FACElift(upper).fit(table)
    assert words in str(caught.value)


def test_missing_values_that_a_terrain_does_not_know_are_named(people, lending):
    holes = people.astype({"income": float}).copy()
    terrain = Terrain.infer(holes)
    holes.loc[[1, 5], "income"] = np.nan
    with pytest.raises(MissingValues, match=r"income \(2\)"):
        FACElift(lending.model, terrain).fit(holes)


def test_a_failed_fit_leaves_the_explainer_unfitted(people, lending):
    explainer = FACElift(lending.model, Terrain.infer(people))
    with pytest.raises(MissingValues):
        explainer.fit(people.astype(object).where(people["debts"] > 0, None))
    with pytest.raises(NotFitted):
        explainer.explain(people.iloc[[0]])


# The target


@pytest.mark.parametrize(
    "target",
    [None, "granted", ["granted"], {"granted"}, ("granted", "granted"), np.array(["granted"])],
    ids=str,
)
def test_every_way_to_name_the_other_class_means_the_same(lending, target):
    row = lending.X.iloc[[hopeful(lending)[4]]]
    expected = lending.explainer.explain(row, target="granted").to_json()
    assert lending.explainer.explain(row, target=target).to_json() == expected


def test_the_own_class_as_target_is_already_there(lending):
    row = lending.X.iloc[[hopeful(lending)[4]]]
    assert lending.explainer.explain(row, target="declined").why_not.reason == "already there"


def test_without_a_target_a_granted_person_is_led_to_the_other_class(lending):
    best = int(np.argmax(lending.chances()))
    multiverse = lending.explainer.explain(lending.X.iloc[[best]])
    assert multiverse.goal.target == ("declined",)
    assert all(j.probabilities[-1, 0] >= 0.5 for j in multiverse)


def test_an_unknown_label_gets_the_nearest_name(lending):
    with pytest.raises(InvalidInput, match=r"no class 'grantd'; did you mean 'granted'\?"):
        lending.explainer.explain(lending.X.iloc[[0]], "grantd")


@pytest.mark.parametrize("target", [["declined", "granted"], []], ids=["all", "none"])
def test_the_target_is_some_but_not_all_of_the_classes(lending, target):
    with pytest.raises(InvalidInput, match="some but not all"):
        lending.explainer.explain(lending.X.iloc[[0]], target)


@pytest.mark.parametrize("label", [1, np.int64(1), [1], [np.int64(1)]], ids=str)
def test_numbers_can_be_labels(label):
    explainer = FACElift(upper, n_neighbors=2).fit(line())
    assert explainer.explain([0.1], label).goal.target == ("1",)


@pytest.fixture(scope="module")
def iris():
    flowers = load_iris(as_frame=True)
    names = np.array(flowers.target_names)[flowers.target]
    model = LogisticRegression(max_iter=1000).fit(flowers.data, names)
    explainer = FACElift(model, n_neighbors=30, n_counterfactuals=6).fit(flowers.data)
    return flowers.data, model, explainer


def test_any_of_two_classes_will_do_and_their_chances_add_up(iris):
    X, model, explainer = iris
    multiverse = explainer.explain(X.iloc[[0]], ["versicolor", "virginica"])
    assert len(multiverse) == 6
    assert multiverse.goal.target == ("versicolor", "virginica")
    for journey in multiverse:
        asked = model.predict_proba(journey.rows)
        assert journey.probabilities == pytest.approx(asked)
        assert journey.chances == pytest.approx(asked[:, 1] + asked[:, 2])
        assert journey.chances[-1] >= 0.5


def test_with_more_than_two_classes_the_target_must_be_named(iris):
    X, _, explainer = iris
    with pytest.raises(InvalidInput, match=r"3 classes.*setosa.*name the target"):
        explainer.explain(X.iloc[[0]])


def test_the_order_of_the_labels_does_not_matter(iris):
    X, _, explainer = iris
    one = explainer.explain(X.iloc[[0]], ["virginica", "versicolor"])
    other = explainer.explain(X.iloc[[0]], ("versicolor", "virginica"))
    assert one.to_json() == other.to_json()


def test_one_class_of_three_is_reached_when_it_is_asked_for(iris):
    X, model, explainer = iris
    for label in ("versicolor", "virginica"):
        multiverse = explainer.explain(X.iloc[[3]], label)
        assert len(multiverse) == 6
        assert {model.predict(j.rows)[-1] for j in multiverse} == {label}


def test_a_set_of_classes_can_be_reached_where_no_single_one_is():
    def thirds(points: np.ndarray) -> np.ndarray:
        return np.where(points > 0.5, [[0.2, 0.4, 0.4]], [[0.8, 0.1, 0.1]])

    explainer = FACElift(thirds, n_neighbors=2).fit(line())
    assert explainer.explain([0.0], 1).why_not.reason == "no candidate"
    together = explainer.explain([0.0], [1, 2])
    assert together[0].chances[-1] == pytest.approx(0.8)


# Destinations one may choose among


def test_only_the_rows_asked_for_are_destinations(lending):
    row = lending.X.iloc[[hopeful(lending)[3]]]
    free = lending.explainer.explain(row)
    taken = free[0].rows["town"].iloc[-1]
    elsewhere = (lending.X["town"] != taken).to_numpy()
    multiverse = lending.explainer.explain(row, among=elsewhere)
    assert len(multiverse) == 5
    assert taken not in {journey.rows["town"].iloc[-1] for journey in multiverse}
    assert multiverse[0].cost > free[0].cost
    every = np.ones(len(lending.X), dtype=bool)
    assert lending.explainer.explain(row, among=every).to_json() == free.to_json()


def test_many_choose_among_the_same_rows_as_each_alone(lending):
    rows = lending.X.iloc[hopeful(lending)[:5]]
    renting = (lending.X["housing"] == "rent").to_numpy()
    together = lending.explainer.explain_many(rows, among=renting)
    for multiverse, (_, row) in zip(together, rows.iterrows(), strict=True):
        assert multiverse.to_json() == lending.explainer.explain(row, among=renting).to_json()
        assert {journey.rows["housing"].iloc[-1] for journey in multiverse} <= {"rent"}


def test_no_row_to_choose_among_leaves_no_candidate(lending):
    row = lending.X.iloc[[hopeful(lending)[3]]]
    declined = lending.chances() < 0.5
    why_not = lending.explainer.explain(row, among=declined).why_not
    assert why_not.reason == "no candidate"
    assert why_not.best_chance == pytest.approx(lending.chances()[declined].max())


@pytest.mark.parametrize("among", [[True], [1] * 160, np.ones((160, 2), dtype=bool), "all"])
def test_what_to_choose_among_is_one_boolean_per_row(lending, among):
    with pytest.raises(InvalidInput, match="one boolean per row"):
        lending.explainer.explain(lending.X.iloc[[hopeful(lending)[3]]], among=among)


# Parameters


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.9])
def test_every_destination_reaches_the_threshold_and_it_alone_decides(lending, threshold):
    explainer = clone(lending.explainer).set_params(threshold=threshold, n_counterfactuals=500)
    explainer.fit(lending.X)
    multiverse = explainer.explain(lending.X.iloc[[hopeful(lending)[0]]], "granted")
    ends = {int(journey.vertices[-1]) for journey in multiverse}
    assert ends == set(np.flatnonzero(explainer.probabilities_[:, 1] >= threshold).tolist())


def test_fewer_ways_than_asked_for_are_all_there_are():
    explainer = FACElift(upper, n_neighbors=2, n_counterfactuals=100).fit(line())
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
    explainer = FACElift(upper, n_neighbors=2, n_counterfactuals=1).fit(line())
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
    explainer = FACElift(upper, n_neighbors=2, edge_cost="power", max_steps=max_steps).fit(line())
    multiverse = explainer.explain([0.35])
    assert [journey.n_steps for journey in multiverse] == [2, 3, 4, 5, 6, 7][:n_ways]


def test_when_only_max_steps_is_in_the_way_the_reason_says_so():
    explainer = FACElift(upper, n_neighbors=2, edge_cost="power", max_steps=2).fit(line())
    why_not = explainer.explain([0.0]).why_not
    assert why_not.n_candidates == 6
    assert "max_steps" in str(why_not)


@pytest.mark.parametrize("max_step", [0.11, 0.25])
def test_no_step_costs_more_than_the_largest(max_step):
    explainer = FACElift(upper, n_neighbors=8, max_step=max_step).fit(line())
    assert explainer.graph_.costs.data.max() <= max_step
    multiverse = explainer.explain([0.05])
    assert max(journey.step_costs.max() for journey in multiverse) <= max_step
    assert multiverse[0].n_steps >= 2


def test_the_way_back_must_not_cost_more_than_the_largest_step_either():
    terrain = Terrain.infer(line()).price("x0", increase=1.0, decrease=3.0)
    explainer = FACElift(upper, terrain, n_neighbors=2, max_step=0.25).fit(line())
    edges = explainer.graph_.costs.tocoo()
    assert edges.data.max() <= 0.25
    assert (edges.col > edges.row).all()


def test_a_radius_alone_makes_a_ball_of_neighbours():
    explainer = FACElift(upper, n_neighbors=None, max_step=0.25).fit(line())
    assert np.diff(explainer.graph_.costs.indptr).tolist() == [2, 3, *[4] * 7, 3, 2]


def test_a_journey_may_pass_through_candidates_unless_it_must_stop_at_the_first():
    passing = FACElift(upper, n_neighbors=2, edge_cost="power").fit(line()).explain([0.0])
    stopping = FACElift(upper, n_neighbors=2, edge_cost="power", stop_at_first=True)
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
    explainer = FACElift(upper, n_neighbors=2, edge_cost=edge_cost).fit(line())
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
        FACElift(upper, n_neighbors=9, edge_cost="density").fit(line(101))


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
        FACElift(upper, **parameters).fit(line())


@pytest.mark.parametrize(
    "parameters",
    [{"n_neighbors": 2.5}, {"n_neighbors": "5"}, {"threshold": "half"}, {"n_counterfactuals": 2.5}],
    ids=str,
)
def test_a_parameter_of_the_wrong_type_is_named_too(parameters):
    with pytest.raises(InvalidInput, match=next(iter(parameters))):
        FACElift(upper, **parameters).fit(line())


# No way


def test_no_candidate_says_the_best_chance_there_is():
    explainer = FACElift(lambda x: upper(x * 0.4), n_neighbors=2).fit(line())
    multiverse = explainer.explain([0.1])
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "no candidate"
    assert multiverse.why_not.best_chance == pytest.approx(0.4)
    assert multiverse.why_not.n_candidates == 0
    assert "40.0%" in str(multiverse.why_not)
    assert multiverse.to_frame().empty


def test_candidates_out_of_bounds_do_not_count():
    terrain = Terrain.infer(line()).between("x0", 0.0, 0.4)
    why_not = FACElift(upper, terrain, n_neighbors=2).fit(line()).explain([0.1]).why_not
    assert why_not.reason == "no candidate"
    assert why_not.best_chance == pytest.approx(0.4)


def test_no_route_says_how_many_are_in_reach():
    islands = np.concatenate([line(5) * 0.2, 0.7 + line(7) * 0.3])
    explainer = FACElift(upper, n_neighbors=3, max_step=0.2).fit(islands)
    multiverse = explainer.explain(islands[0])
    assert len(multiverse) == 0
    why_not = multiverse.why_not
    assert why_not.reason == "no route"
    assert why_not.n_candidates == 7
    assert why_not.n_in_reach == 4
    assert "7 destinations" in str(why_not)
    assert "4 other" in str(why_not)


def test_a_frozen_column_that_decides_leaves_no_route():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.repeat([0.1, 0.9], 10), rng.random(20)])
    explainer = FACElift(upper, Terrain.infer(X).freeze("x0"), n_neighbors=4).fit(X)
    why_not = explainer.explain(X[0]).why_not
    assert (why_not.reason, why_not.n_candidates, why_not.n_in_reach) == ("no route", 10, 9)


def test_an_outsider_with_no_admissible_neighbour_has_no_route():
    explainer = FACElift(upper, Terrain.infer(line()).decrease_only("x0"), n_neighbors=3)
    multiverse = explainer.fit(line()).explain([-0.5])
    assert multiverse.why_not.reason == "no route"
    assert multiverse.why_not.n_in_reach == 0


# Models


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda x: (x[:, 0] > 0.5).astype(int), "shape (11,)"),
        (lambda x: np.where(x[:, 0] > 0.5, "yes", "no"), "labels"),
        (lambda x: upper(x)[:, 1:], "one class only"),
        (lambda x: upper(x)[:-1], "10 rows of probabilities for 11"),
        (lambda x: upper(x) * 3, "between 0 and 1"),
        (lambda x: np.log(upper(x) + 0.1) - 1, "between 0 and 1"),
        (lambda x: np.where(x > 0.85, np.nan, upper(x)), "NaN for 2 of 11 rows"),
        (lambda x: upper(x)[np.newaxis], "shape (1, 11, 2)"),
        (lambda x: [upper(x), upper(x)], "shape (2, 11, 2)"),
        (lambda _: None, "shape ()"),
        (lambda x: np.linalg.inv(x), "could not answer for 11 rows"),
        (lambda x: x["income"], "could not answer for 11 rows"),
        (lambda _: {}["income"], "could not answer for 11 rows"),
        (lambda x: x.income, "could not answer for 11 rows"),
        (lambda: None, "could not answer for 11 rows"),
        (LogisticRegression(), "not fitted"),
        (LinearSVC(), "CalibratedClassifierCV"),
        (3, "int has no predict_proba"),
        (None, "NoneType has no predict_proba"),
    ],
)
def test_a_model_that_gives_no_probabilities_is_one_clear_error(model, words):
    with pytest.raises(InvalidModel) as caught:
        FACElift(model, n_neighbors=2).fit(line())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value).strip()


def test_a_model_that_raises_keeps_its_own_error_as_the_cause():
    def moody(_points: np.ndarray) -> np.ndarray:
        raise ValueError("not today")

    with pytest.raises(InvalidModel, match="not today") as caught:
        FACElift(moody).fit(line())
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_classifier_fitted_on_one_class_is_no_model():
    from sklearn.dummy import DummyClassifier

    model = DummyClassifier().fit(line(), np.zeros(11))
    with pytest.raises(InvalidModel, match="one class only"):
        FACElift(model).fit(line())


def test_a_model_whose_labels_do_not_match_its_columns_is_an_error():
    class Odd:
        classes_ = ("a", "b", "c")
        predict_proba = staticmethod(upper)

    with pytest.raises(InvalidModel, match="names 3 classes but gives 2"):
        FACElift(Odd()).fit(line())


def test_explaining_before_fitting_says_what_to_do(people, tmp_path):
    explainer = FACElift(upper)
    calls: list[Callable[[], object]] = [
        lambda: explainer.explain(people.iloc[[0]]),
        lambda: explainer.explain_many(people),
        lambda: explainer.save(tmp_path / "x"),
    ]
    for call in calls:
        with pytest.raises(NotFitted, match=r"call fit\(X\) first"):
            call()
    assert not (tmp_path / "x").exists()


class Witness:
    """A model that remembers what it was asked about."""

    def __init__(self, answer):
        self.answer, self.tables = answer, []

    def __call__(self, table):
        self.tables.append(table)
        return self.answer(table)


def test_a_function_of_frames_gets_frames_like_those_of_fit(people, lending):
    witness = Witness(lending.model.predict_proba)
    explainer = FACElift(witness, n_neighbors=4).fit(people)
    found = explainer.explain(outsider())
    n_asked = [len(people.drop_duplicates()), 1, len(found)]  # records, the case, where it gets
    assert [len(table) for table in witness.tables] == n_asked
    for table in witness.tables:
        assert isinstance(table, pd.DataFrame)
        assert table.columns.equals(people.columns)
        assert table.dtypes.equals(people.dtypes)
    first = people.drop_duplicates().reset_index(drop=True)
    pd.testing.assert_frame_equal(witness.tables[0].reset_index(drop=True), first)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, np.bool_])
def test_a_function_of_arrays_gets_arrays_of_the_same_type(dtype):
    rng = np.random.default_rng(1)
    X = (rng.random((20, 3)) * 9).astype(dtype)
    witness = Witness(lambda table: upper(table.astype(float)[:, ::-1] / 9))
    explainer = FACElift(witness, n_neighbors=4, threshold=0.05).fit(X)
    explainer.explain(X[0])
    for table in witness.tables:
        assert type(table) is np.ndarray
        assert table.dtype == dtype
        assert table.shape[1] == 3
    assert np.array_equal(witness.tables[0][explainer.vertices_], X)


def test_a_function_of_polars_frames_gets_polars_frames():
    table = pl.DataFrame(
        {
            "income": [float(i) for i in range(20)],
            "debts": [i % 3 for i in range(20)],
            "town": ["Aarau", "Bern"] * 10,
            "work": [True, False, False, True] * 5,
            "savings": pl.Series(["low", "high"] * 10, dtype=pl.Enum(["low", "high"])),
        }
    )
    witness = Witness(lambda frame: upper(frame["income"].to_numpy()[:, np.newaxis] / 19))
    explainer = FACElift(witness, n_neighbors=4).fit(table)
    multiverse = explainer.explain(table[3])
    explainer.explain({**table.row(3, named=True), "income": 2.5})
    assert len(multiverse) > 0
    assert len(witness.tables) == 4  # records, ends, the new case, and its ends
    for asked in witness.tables:
        assert isinstance(asked, pl.DataFrame)
        assert asked.schema == table.schema
    assert witness.tables[0].equals(table)
    assert isinstance(multiverse[0].rows, pd.DataFrame)


def test_what_fit_got_decides_what_the_model_gets_even_with_a_terrain_of_another_kind():
    frame = pd.DataFrame(line(), columns=["x0"])
    witness = Witness(upper)
    FACElift(witness, Terrain.infer(frame), n_neighbors=2).fit(line())
    assert type(witness.tables[0]) is np.ndarray


def test_a_pipeline_with_a_column_transformer_is_a_model(people, lending):
    others = ["savings", "housing", "town", "employed"]
    columns = make_column_transformer(
        (StandardScaler(), ["income", "debts"]), (OneHotEncoder(), others)
    )
    labels = np.where(lending.chances() >= 0.5, "granted", "declined")
    pipeline = make_pipeline(columns, LogisticRegression()).fit(people, labels)
    explainer = FACElift(pipeline, n_neighbors=16, n_counterfactuals=4).fit(people)
    row = people.iloc[[hopeful(lending)[0]]]
    for multiverse in (explainer.explain(row), explainer.explain(outsider())):
        assert len(multiverse) == 4
        for journey in multiverse:
            assert journey.probabilities == pytest.approx(pipeline.predict_proba(journey.rows))
            assert pipeline.predict(journey.rows)[-1] == "granted"


def test_gradient_boosting_on_categories_is_a_model(people, lending):
    X = people.astype({"town": "category"})
    model = HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=8, max_leaf_nodes=8, random_state=0
    ).fit(X, lending.chances() >= 0.5)
    explainer = FACElift(model, n_neighbors=16, n_counterfactuals=4).fit(X)
    assert explainer.classes_.tolist() == [False, True]
    for case in (X.iloc[[hopeful(lending)[0]]], outsider()):
        multiverse = explainer.explain(case, True)
        assert len(multiverse) == 4
        for journey in multiverse:
            assert journey.probabilities == pytest.approx(model.predict_proba(journey.rows))
            assert journey.chances[-1] >= 0.5


# Many cases


def test_many_is_one_result_per_row_in_order(lending):
    rows = lending.X.iloc[hopeful(lending)[:12][::-1]]
    many = lending.explainer.explain_many(rows)
    one_by_one = [lending.explainer.explain(rows.iloc[[i]]) for i in range(len(rows))]
    assert [m.to_json() for m in many] == [m.to_json() for m in one_by_one]
    assert len({m.to_json() for m in many}) > 6


def test_many_of_nothing_is_nothing(lending):
    assert lending.explainer.explain_many(lending.X.head(0)) == []


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(lending, n_jobs):
    rows = lending.X.head(20)
    alone = [m.to_json() for m in lending.explainer.explain_many(rows)]
    threaded = clone(lending.explainer).set_params(n_jobs=n_jobs).fit(lending.X)
    assert [m.to_json() for m in threaded.explain_many(rows)] == alone


def test_rows_with_the_outcome_have_an_empty_multiverse_that_says_so(lending):
    rows = lending.X.head(30)
    many = lending.explainer.explain_many(rows, "granted")
    granted = lending.chances()[:30] >= 0.5
    assert 0 < granted.sum() < 30
    for multiverse, there in zip(many, granted, strict=True):
        assert (multiverse.why_not is not None and len(multiverse) == 0) == there
        assert not there or multiverse.why_not.reason == "already there"


def test_a_bad_row_says_why_and_does_not_stop_the_others(lending):
    terrain = Terrain.infer(lending.X).between("income", 10, 80)
    explainer = FACElift(lending.model, terrain, n_neighbors=16, n_counterfactuals=5).fit(lending.X)
    good = outsider()
    bad: list[dict[str, object]] = [
        {"housing": "castle"},
        {"income": 900.0},
        {"income": np.nan},
        {"debts": None},
        {"town": None},
        {"income": "much"},
    ]
    words = ["castle", "bounds of 'income'", "income", "debts", "town", "much"]
    rows = pd.DataFrame([good, *({**good, **each} for each in bad), good])
    many = explainer.explain_many(rows)
    assert len(many) == 8
    assert many[0].to_json() == many[-1].to_json() == explainer.explain(good).to_json()
    assert len(many[0]) == 5
    for multiverse, word in zip(many[1:-1], words, strict=True):
        assert len(multiverse) == 0
        assert multiverse.why_not.reason in ("bad row", "out of bounds")
        assert word in str(multiverse.why_not)
        assert fl.Multiverse.from_json(multiverse.to_json()).why_not == multiverse.why_not


def test_many_polars_rows_and_arrays_are_explained_too():
    explainer = FACElift(upper, n_neighbors=2, n_counterfactuals=3).fit(line())
    rows = line()[:4]
    expected = [explainer.explain(row).to_json() for row in rows]
    assert [m.to_json() for m in explainer.explain_many(rows)] == expected
    assert [m.to_json() for m in explainer.explain_many(rows.tolist())] == expected
    table = pl.DataFrame({"x0": rows[:, 0]})
    assert [m.to_json() for m in explainer.explain_many(table)] == expected


def test_a_wrong_target_or_table_is_an_error_for_the_batch(lending):
    with pytest.raises(InvalidInput, match="grantd"):
        lending.explainer.explain_many(lending.X.head(2), "grantd")
    with pytest.raises(UnknownColumn, match="income"):
        lending.explainer.explain_many(lending.X.drop(columns="income"))


# scikit-learn's manners


def test_parameters_are_those_of_the_signature():
    names = list(inspect.signature(FACElift).parameters)
    explainer = FACElift(upper, threshold=0.7)
    parameters = explainer.get_params(deep=False)
    assert sorted(parameters) == sorted(names)
    assert parameters["threshold"] == 0.7
    assert parameters["model"] is upper


def test_set_params_changes_what_the_next_fit_does():
    explainer = FACElift(upper, n_neighbors=2)
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


def test_a_clone_of_an_explainer_keeps_its_fitted_classifier(iris):
    X, _, explainer = iris
    twin = clone(explainer).fit(X)
    row, target = X.iloc[[0]], "virginica"
    assert twin.explain(row, target).to_json() == explainer.explain(row, target).to_json()


def test_every_error_is_a_facelift_error_and_a_builtin_one(lending):
    with pytest.raises(FaceliftError) as caught:
        lending.explainer.explain({"income": 3})
    assert isinstance(caught.value, KeyError)
    assert not str(caught.value).startswith("'")


# Real tables


def test_german_credit_journeys_obey_its_rules_and_most_declined_have_one(credit):
    declined = np.flatnonzero(credit.chances() < 0.5)[:40]
    many = credit.explainer.explain_many(credit.X.iloc[declined], "good")
    assert np.mean([len(m) > 0 for m in many]) >= 0.65  # few records differ in what is free only
    for multiverse in many:
        for journey in multiverse:
            rows = journey.rows
            for name in ("sex", "foreign_worker", "residence", "purpose"):
                assert (rows[name] == rows[name].iloc[0]).all()
            assert rows["age"].is_monotonic_increasing
            assert credit.model.predict(rows.iloc[[-1]])[0] == "good"


def test_with_ordinary_rules_nearly_all_declined_have_a_journey_through_records(credit):
    terrain = Terrain.infer(credit.X).increase_only("age")
    terrain = terrain.freeze("sex", "foreign_worker", "residence")
    explainer = FACElift(credit.model, terrain, n_counterfactuals=4).fit(credit.X)
    declined = np.flatnonzero(credit.chances() < 0.5)[:40]
    many = explainer.explain_many(credit.X.iloc[declined], "good")
    assert np.mean([len(multiverse) > 0 for multiverse in many]) >= 0.9


def test_breast_cancer_measurements_can_be_walked():
    cancer = fl.datasets.load_breast_cancer()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(cancer.data, cancer.target)
    explainer = FACElift(model, n_neighbors=10, n_counterfactuals=4, edge_cost="power")
    multiverse = explainer.fit(cancer.data).explain(cancer.data.iloc[[0]], "benign")
    assert len(multiverse) == 4
    originals = set(map(tuple, cancer.data.to_numpy().tolist()))
    for journey in multiverse:
        assert journey.n_steps >= 2
        assert journey.chances[0] < 0.5 <= journey.chances[-1]
        assert set(map(tuple, journey.rows.to_numpy().tolist())) <= originals


def test_digits_turn_into_the_digit_asked_for():
    digits = fl.datasets.load_digits()
    X, y = digits.data.to_numpy()[:600], digits.target.to_numpy()[:600]
    model = LogisticRegression(max_iter=300).fit(X, y)
    terrain = Terrain.infer(X)
    explainer = FACElift(model, terrain, n_neighbors=8, n_counterfactuals=3).fit(X)
    eight = X[int(np.flatnonzero(y == 8)[0])]
    for digit in (3, 9):
        multiverse = explainer.explain(eight, digit)
        assert len(multiverse) == 3
        for journey in multiverse:
            assert journey.probabilities.shape[1] == 10
            assert journey.probabilities[-1, digit] >= 0.5
            assert model.predict(journey.rows.to_numpy()[-1:])[0] == digit


def test_under_other_prices_answers_as_an_explainer_fitted_with_them(lending, people):
    terrain = lending.explainer.terrain_.freeze("town").price("income", increase=3.0)
    for steps in ("rows", "actions"):
        fitted = FACElift(lending.model, steps=steps, n_counterfactuals=4).fit(people)
        anew = FACElift(lending.model, terrain, steps=steps, n_counterfactuals=4).fit(people)
        for row in np.flatnonzero(lending.chances() < 0.5)[:5]:
            shared = fitted.under(terrain).explain(people.iloc[row], target="granted")
            assert shared.to_json() == anew.explain(people.iloc[row], target="granted").to_json()


def test_under_asks_the_model_about_no_record_again(lending, people):
    asked = []

    def model(rows):
        asked.append(len(rows))
        return lending.model.predict_proba(rows)

    explainer = FACElift(model, steps="actions").fit(people)
    asked.clear()
    explainer.under(explainer.terrain_.freeze("town"))
    assert asked == []


def test_under_leaves_the_explainer_as_it_was(lending):
    before = lending.explainer.get_params(deep=False)
    other = lending.explainer.under(lending.explainer.terrain_.freeze("town"), threshold=0.7)
    assert other.threshold == 0.7
    assert lending.explainer.get_params(deep=False) == before
    assert lending.explainer.terrain_.feature("town").increase == 1.0


def test_under_refuses_another_encoding_and_another_kind_of_step(lending):
    ordered = lending.explainer.terrain_.order("town", ["Aarau", "Bern"])
    with pytest.raises(InvalidInput, match="encodes the table differently"):
        lending.explainer.under(ordered)
    with pytest.raises(InvalidInput, match="cannot change steps"):
        lending.explainer.under(lending.explainer.terrain_, steps="actions")


def test_a_multiverse_knows_the_case_and_whom_to_ask_again(lending, people):
    row = int(np.argmin(lending.chances()))
    question = lending.explainer.explain(people.iloc[row], target="granted").question
    assert question.explainer is lending.explainer
    assert lending.explainer.terrain_.decode([question.point]).iloc[0].equals(people.iloc[row])


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_where_nothing_leads_there_the_closest_point_in_reach_is_told(lending, people, steps):
    row = people.iloc[[int(np.argmin(lending.chances()))]]
    terrain = lending.explainer.terrain_.freeze("income")
    if steps == "rows":
        terrain = lending.explainer.terrain_.between("income", 0, row["income"].iloc[0] + 5)
    explainer = FACElift(lending.model, terrain, steps=steps, threshold=0.99).fit(people)
    multiverse = explainer.explain(row, target="granted")
    assert multiverse.why_not.reason in ("no candidate", "no route")
    closest = explainer.terrain_.decode([multiverse.closest])
    chance = lending.model.predict_proba(closest)[0, 1]
    assert lending.chances().min() < chance < 0.99
    assert chance == pytest.approx(multiverse.why_not.best_chance)


def test_a_case_that_its_edge_cost_cannot_weigh_does_not_fail_the_batch():
    X = np.array([[0.0], [10.0]])

    def model(rows):
        return np.column_stack([rows < 5, rows >= 5]).astype(float)

    explainer = FACElift(model, n_neighbors=1, edge_cost="density").fit(X)
    near, far = explainer.explain_many(np.array([[1.0], [-90.0]]))
    assert "edge_cost='density' is not positive" in near.why_not.message
    assert len(far) == 1


@pytest.mark.parametrize(
    ("point", "told"),
    [([0.2, 0.3], "1 coordinates, got 2"), ([np.nan], "finite"), ("x", "numbers")],
)
def test_a_point_that_is_none_is_refused(point, told):
    line = np.arange(11.0)[:, np.newaxis]
    explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    with pytest.raises(InvalidInput, match=told):
        explainer.explain_point(point)
    assert len(explainer.explain_point([0.2])) == 6
