"""Intervals hold as often as they promise, also where everybody has a way, or nobody."""

from __future__ import annotations

import numpy as np
import pytest
from tools.benchmarks.intervals import false_alarms, mean_coverage, share_coverage

from facelift.auditing.intervals import alike_interval, studentised_interval
from facelift.models.doubts import share_interval


@pytest.mark.parametrize("n", [8, 35, 200])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.98, 1.0])
def test_intervals_of_shares_hold(n, share):
    """Counted over all samples. At 0 and 1 every sample is the same, and 8 people make few."""
    assert share_coverage(n, share) >= 0.929
    if n > 8 and 0 < share < 1:
        assert share_coverage(n, share) <= 0.97


@pytest.mark.parametrize("n", [8, 35, 200])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.98, 1.0])
def test_a_difference_that_is_none_is_seldom_called_clear(n, share):
    assert false_alarms(n, 200, share) <= 0.07


@pytest.mark.parametrize(
    "costs",
    [*(pytest.param(each, marks=pytest.mark.harness) for each in ("even", "normal")), "long tail"],
)
def test_intervals_of_means_hold(costs):
    held, clear = mean_coverage(35, costs, n_samples=150, n_draws=200)
    assert 0.9 <= held <= 0.99  # 95 % of 150 samples, give or take what 150 samples can tell
    assert clear <= 0.1


def test_shares_of_nobody_have_no_interval():
    assert np.isnan(share_interval(np.zeros(1), np.zeros(1), 0.95)).all()


def test_the_interval_of_a_share_has_width_at_both_ends():
    low, high = share_interval(np.array([0.0, 20.0]), np.full(2, 20.0), 0.95)
    assert low[0] == 0 < high[0] < 0.2
    assert 0.8 < low[1] < 1 == high[1]
    assert high[0] == pytest.approx(1 - low[1])


def test_people_who_are_all_alike_may_still_be_a_chance_sample():
    low, high = alike_interval(np.array([0.25]), np.array([10.0]), 0.95)
    assert low[0] < 0.25 < high[0]


def test_where_draws_tell_nothing_there_is_no_interval():
    draws, errors = np.array([[1.0], [2.0], [3.0]]), np.zeros((3, 1))
    ends = studentised_interval(np.array([2.0]), np.array([0.5]), draws, errors, 0.95)
    assert np.isnan(ends).all()
