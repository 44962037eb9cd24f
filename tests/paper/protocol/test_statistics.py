"""Cells and comparisons, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from facelift.paper import protocol
from facelift.paper.methods import METHODS
from facelift.paper.settings import PAPER, TABLES

NAN = float("nan")
numbers = st.lists(st.floats(-100, 100), min_size=3, max_size=20).map(np.array)


def records(**potentials: list[float]) -> pd.DataFrame:
    """Records of one column; a method that is not named has a certain half and a quarter."""
    given = {name: potentials.get(name.replace(" ", "_"), [0.5, 0.25]) for name in METHODS}
    return pd.DataFrame(
        [
            {
                "column": "german_credit",
                "method": name,
                "row": row,
                "failure": "nothing found" if math.isnan(value) else "",
                "n_alternatives": 5,
                "seconds": 0.5,
                "distance": 2 * value,
                "cost": 2 * value,
                "steps": value,
                "opportunity": value,
                "is_alternative": row == 0,
            }
            for name, values in given.items()
            for row, value in enumerate(values)
        ]
    )


def test_failures_are_counted_and_left_out_of_means():
    made = protocol.cells(records(FACE=[0.2, NAN, 0.6, 0.7])).set_index("method")
    face = made.loc["FACE"]
    assert face["factuals"] == 4
    assert face["success"] == 0.75
    assert face["compared"] == 3
    assert face["opportunity"] == pytest.approx(0.5)
    assert face["opportunity_sd"] == pytest.approx(math.sqrt((0.09 + 0.01 + 0.04) / 2))
    assert face["distance"] == pytest.approx(1.0)
    assert face["is_alternative"] == 0.25
    assert made.loc["Prototype", "success"] == 1.0


def test_every_method_of_ours_meets_every_baseline_on_both_measures():
    made = protocol.tests(records(FACE=[0.1, 0.2, 0.3], FACElift_c=[0.0]))
    assert len(made) == 4 * 3 * 2
    assert not made.duplicated(["column", "measure", "ours", "baseline"]).any()
    line = made[(made["ours"] == "FACElift c=10") & (made["baseline"] == "FACE")].iloc[0]
    assert line["measure"] == "opportunity"
    assert line["difference"] == pytest.approx(0.375 - 0.2)


def test_where_nothing_was_found_there_is_nothing_to_compare():
    made = protocol.tests(records(GrowingSpheres=[NAN, NAN]))
    against = made[made["baseline"] == "GrowingSpheres"]
    assert against["p"].isna().all()
    assert made[made["baseline"] == "FACE"]["difference"].notna().all()


@given(numbers, numbers)
def test_t_and_p_are_those_of_scipy(a, b):
    if min(a.std(), b.std()) > 1e-3:
        theirs = stats.ttest_ind(a, b, equal_var=False)
        expected = theirs.statistic, theirs.pvalue
        assert protocol.welch(a, b) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(numbers, numbers)
def test_the_effect_is_the_difference_in_units_of_the_pooled_deviation(a, b):
    n, m = len(a), len(b)
    pooled = math.sqrt(((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / (n + m - 2))
    if pooled > 1e-6:
        correction = 1 - 3 / (4 * (n + m) - 9)
        expected = correction * (a.mean() - b.mean()) / pooled
        assert protocol.hedges(a, b) == pytest.approx(expected)
        assert protocol.hedges(b, a) == pytest.approx(-expected)


def test_equal_numbers_do_not_differ():
    same = np.full(4, 0.5)
    assert math.isnan(protocol.hedges(same, same))
    assert protocol.welch(same, same) == (0.0, 1.0)
    assert protocol.welch(same, same / 2) == (math.inf, 0.0)


def test_the_papers_cells_are_those_it_prints():
    """One of every row and column of the paper's Tables 1 and 2."""
    assert PAPER["german_credit", "FACE"] == (2.16, 0.72, 0.31, 0.30)
    assert PAPER["adult", "FACElift c=10"] == (3.90, 0.35, 0.88, 0.32)
    assert PAPER["credit_default", "Prototype"] == (0.74, 0.65, 0.32, 0.24)
    assert PAPER["mnist_others", "FACElift c=5"] == (103.95, 16.61, 0.35, 0.09)
    assert PAPER["mnist_nines", "GrowingSpheres"] == (71.66, 34.11, 0.48, 0.34)
    assert PAPER["pneumonia", "FACElift c=10"] == (31.00, 6.78, 0.58, 0.13)
    assert PAPER["breast", "Prototype"] == (25.34, 7.21, 0.15, 0.11)
    columns = {c.name for settings in TABLES.values() for s in settings for c in s.columns}
    assert {column for column, _ in PAPER} == columns
    assert len(PAPER) == 7 * 5
