"""Many cases at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from tests.explainer.worlds import hopeful, line, outsider, upper

import facelift as fl
from facelift import FACElift, Terrain
from facelift.errors import (
    InvalidInput,
    UnknownColumn,
)


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


def test_a_case_that_its_edge_cost_cannot_weigh_does_not_fail_the_batch():
    X = np.array([[0.0], [10.0]])

    def model(rows):
        return np.column_stack([rows < 5, rows >= 5]).astype(float)

    explainer = FACElift(model, n_neighbors=1, edge_cost=fl.graph.density()).fit(X)
    near, far = explainer.explain_many(np.array([[1.0], [-90.0]]))
    assert "density is not positive" in near.why_not.message
    assert len(far) == 1


def test_the_model_is_asked_once_about_all_who_are_new():
    table = line(30)
    asked: list[int] = []

    def model(rows):
        asked.append(len(rows))
        return upper(rows)

    explainer = FACElift(model, n_neighbors=3, verify=False).fit(table)
    new = table[:5] + 0.125
    asked.clear()
    many = explainer.explain_many(new)
    assert asked == [5]
    alone = [explainer.explain(row) for row in new]
    assert [found.to_json() for found in many] == [found.to_json() for found in alone]
