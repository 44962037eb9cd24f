"""People along two columns, in groups, and what to search for: columns of any kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift
from facelift.views.audits import grouping
from facelift.views.people import _example
from facelift.views.scatter import scatter
from facelift.walking.population import Population


@pytest.fixture(scope="module")
def dated() -> Population:
    """People who are known by a date and a number."""
    days = pd.date_range("2020-01-01", periods=30, freq="30D")
    table = pd.DataFrame({"since": days, "debts": np.arange(30) % 7})
    explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] < 3).astype(int)]).fit(table)
    return Population.of(explainer, table, 1)


def test_dates_have_an_axis_with_dates_on_it(dated):
    drawn = scatter(dated, "since", "debts")
    assert len(drawn.dots) == 30
    assert len({dot.x for dot in drawn.dots}) > 20
    assert all(tick.label.startswith("20") for tick in drawn.across.ticks)


def test_one_far_away_does_not_squeeze_all_others():
    table = pd.DataFrame({"debts": [*range(200), 9_000], "age": [*range(20, 70)] * 4 + [40]})
    explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] < 3).astype(int)]).fit(table)
    drawn = scatter(Population.of(explainer, table, 1), "debts", "age")
    *others, far = [dot.x for dot in drawn.dots]
    assert far == 1.0
    assert max(others) > 0.6
    assert drawn.note == "1 person lies beyond an edge and is drawn on it."


def test_who_has_no_value_is_not_drawn_as_if_it_were_the_least():
    table = pd.DataFrame({"debts": [*range(20), None], "age": range(20, 41)})
    explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] < 3).astype(int)]).fit(table)
    drawn = scatter(Population.of(explainer, table, 1), "debts", "age")
    assert [dot.person for dot in drawn.dots] == list(range(20))
    assert drawn.note == "1 person is not drawn, for want of a value."


def test_many_years_are_told_by_round_ones():
    """An axis once began at 1942-08-16 and had a mark at 1956-04-24."""
    born = pd.date_range("1955-03-01", periods=30, freq="600D")
    table = pd.DataFrame({"born": born, "debts": np.arange(30) % 7})
    explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] < 3).astype(int)]).fit(table)
    drawn = scatter(Population.of(explainer, table, 1), "born", "debts")
    years = [1950, 1960, 1970, 1980, 1990, 2000, 2010]
    assert [tick.label for tick in drawn.across.ticks] == [str(year) for year in years]
    first, last = pd.Timestamp("1950"), pd.Timestamp("2010")
    at = (born - first) / (last - first)
    assert [dot.x for dot in drawn.dots] == pytest.approx(at.to_list(), abs=0.02)


def test_dates_make_bands(dated):
    groups = grouping(dated, "since")
    assert groups.value_counts()[:3].sum() == 30
    assert all("20" in each for each in groups.unique())


def test_what_to_search_for_can_be_found(dated):
    assert _example(dated, "since") == "Row 0"
    assert _example(dated, "debts") == "Debts > 3"
