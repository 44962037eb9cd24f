"""The case: every way to give one, inside and outside the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.explainer.worlds import hopeful, line, outsider, upper

import facelift as fl
from facelift import FACElift, Terrain
from facelift.errors import (
    InvalidData,
    MissingValues,
    UnknownColumn,
)


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


@pytest.mark.parametrize("given", [17, None, "17"])
def test_a_number_is_no_case_and_is_told_how_to_become_one(lending, given):
    with pytest.raises(InvalidData, match=r"One case is needed.*X\.iloc\[number\]"):
        lending.explainer.explain(given)


def test_a_list_of_rows_is_told_how_to_become_a_table(lending):
    rows = lending.X.head(2).to_dict("records")
    with pytest.raises(InvalidData, match=r"give pandas\.DataFrame\(rows\)"):
        lending.explainer.explain_many(rows)
