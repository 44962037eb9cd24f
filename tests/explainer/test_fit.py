"""What `fit` leaves behind, and which tables it takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.explainer.worlds import hopeful, line, upper

import facelift as fl
from facelift import FACElift, Terrain
from facelift.errors import (
    InvalidData,
    MissingValues,
    NotFitted,
)


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
    explainer = FACElift(upper, n_neighbors=n_neighbors, margin=0).fit(line())
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
