"""Columns that move together, and columns that take time."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from facelift import Terrain
from facelift.errors import InvalidInput

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 60],
        "years": [0.0, 5.0, 10.0, 20.0],
        "rank": pd.Categorical(["c", "b", "a", "a"], ["c", "b", "a"], ordered=True),
        "housing": ["free", "own", "rent", "rent"],
    }
)
TERRAIN = Terrain.infer(FRAME)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["age"], "two or more"),
        (["age", "housing"], "no order"),
        (["age", "age"], "already"),
        (["age", "shoes"], "no column 'shoes'"),
    ],
)
def test_a_link_that_makes_no_sense_is_refused(names, message):
    with pytest.raises(InvalidInput, match=message):
        TERRAIN.link(*names)


def test_a_column_is_in_one_link_only():
    with pytest.raises(InvalidInput, match="'years' is in a link already"):
        TERRAIN.link("age", "years").link("rank", "years")


def test_the_earliest_a_state_can_be_reached_is_set_by_the_slowest_change():
    terrain = TERRAIN.rate("age", per="year").rate("years", 0.5, per="year")
    rows = FRAME.iloc[[1, 1, 1]].assign(age=[30, 33, 33], years=[5.0, 5.0, 10.0])
    points = terrain.encode(rows)
    assert terrain.earliest(points).tolist() == [0, 3, 10]
    assert terrain.period == "year"
    assert TERRAIN.earliest(points) is None
    assert TERRAIN.period == ""


@pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan])
def test_a_rate_is_positive(rate):
    with pytest.raises(InvalidInput, match="must be positive"):
        TERRAIN.rate("age", rate, per="year")


def test_rates_share_a_period_and_are_for_numbers():
    with pytest.raises(InvalidInput, match="share one period"):
        TERRAIN.rate("age", per="year").rate("years", per="month")
    assert TERRAIN.rate("age", per="year").rate("age", 12, per="month").period == "month"
    with pytest.raises(InvalidInput, match="rates are for numbers"):
        TERRAIN.rate("rank", per="year")
