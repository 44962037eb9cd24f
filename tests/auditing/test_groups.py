"""Groups from columns, lists, series and arrays, and those that cannot be."""

import numpy as np
import pandas as pd
import pytest
from tests.auditing.worlds import fitted, people

import facelift as fl
from facelift.errors import InvalidInput, UnknownColumn


def test_groups_come_from_columns_lists_series_and_arrays():
    X = people()
    explainer = fitted(X)

    def run(table, by):
        return fl.audit(explainer, table, by=by, target=1, n_resamples=2)

    by_name = run(X, "sex")
    assert by_name.index.name == "sex"
    assert run(X, X["sex"]).equals(by_name)
    assert np.array_equal(run(X, X["sex"].to_numpy())["cost"], by_name["cost"])
    bands = pd.cut(X["age"], [0, 35, 100], labels=["young", "old"])
    both = run(X.assign(band=bands), ["sex", "band"])  # a column the explainer does not know
    assert both.index.names == ["sex", "band"]
    assert ("w", "young") in both.index
    assert both["n"].sum() == len(X)


@pytest.mark.parametrize(
    ("by", "error", "words"),
    [
        ("sx", UnknownColumn, "did you mean 'sex'"),
        (["sex", "agee"], UnknownColumn, "did you mean 'age'"),
        (["a", "b", "c"], UnknownColumn, "no column 'a'"),
        (np.zeros(3), InvalidInput, "one value per row"),
        ("income", InvalidInput, "bands"),
    ],
)
def test_groups_that_cannot_be_are_one_clear_line(by, error, words):
    X = people()
    with pytest.raises(error, match=words):
        fl.audit(fitted(X), X, by=by, target=1)


def test_missing_groups_are_refused():
    X = people()
    by = X["sex"].where(X.index > 3)
    with pytest.raises(InvalidInput, match="missing values"):
        fl.audit(fitted(X), X, by=by, target=1)
