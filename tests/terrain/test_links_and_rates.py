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


def test_rates_share_a_period_and_are_for_what_has_an_order():
    with pytest.raises(InvalidInput, match="share one period"):
        TERRAIN.rate("age", per="year").rate("years", per="lesson")
    assert TERRAIN.rate("age", per="year").rate("age", 12, per="month").period == "month"
    ranked = TERRAIN.rate("rank", 0.5, per="year")
    assert ranked.earliest(ranked.encode(FRAME)).tolist() == [0, 2, 4, 4]
    with pytest.raises(InvalidInput, match="no order"):
        TERRAIN.rate("housing", per="year")


def test_periods_of_which_one_is_so_many_of_another_are_told_in_the_shorter():
    one = TERRAIN.rate("years", 6, per="year").ages("age", 1, per="month")
    assert one == TERRAIN.ages("age", 1, per="month").rate("years", 6, per="year")
    assert one.period == "month"
    assert (one.feature("years").rate, one.feature("age").ages) == (0.5, 1.0)
    both = TERRAIN.ages("age", 12, per="year").rate("age", 3, per="month").feature("age")
    assert (both.ages, both.rate, both.per) == (1.0, 3.0, "month")  # of one column, too
    again = TERRAIN.rate("age", 1, per="month").rate("age", 1, per="year")
    assert again == TERRAIN.rate("age", 1, per="year")


@pytest.mark.parametrize(
    ("time", "periods"), [(2, 2.0), ("18 months", 18.0), ("2years", 24.0), ("1 month", 1.0)]
)
def test_a_deadline_is_told_in_the_period_of_the_rates(time, periods):
    assert TERRAIN.rate("age", 1 / 12, per="month").n_periods(time) == periods


@pytest.mark.parametrize("time", ["soon", "3 moons", -1, "1.2.3 years", "."])
def test_a_time_that_says_nothing_is_refused(time):
    with pytest.raises(InvalidInput, match="A time is a number of months"):
        TERRAIN.rate("age", per="month").n_periods(time)


def test_without_rates_there_is_no_deadline():
    with pytest.raises(InvalidInput, match="needs rates"):
        TERRAIN.n_periods(3)
