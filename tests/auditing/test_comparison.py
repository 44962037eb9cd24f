"""Numbers of groups, at equal chance and drawn again, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.benchmarks.intervals import false_alarms, mean_coverage, share_coverage

from facelift.auditing.comparison import (
    NUMBERS,
    Comparison,
    alike_interval,
    estimated,
    medians,
    strata,
    studentised_interval,
)
from facelift.auditing.prospects import scales
from facelift.models.doubts import share_interval
from facelift.terrain.terrain import Terrain

seeds = st.integers(0, 2**32 - 1)


def world(seed, n=60, n_groups=3, n_strata=4):
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(n_groups, size=n))
    bands = rng.integers(n_strata, size=n)
    bands[groups == 0] = np.minimum(bands[groups == 0], 1)  # nobody of group 0 in the others
    order = np.lexsort((bands, groups))
    values = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    names = {name.removesuffix("_matched").removesuffix("_median") for name in NUMBERS}
    return Comparison(dict.fromkeys(names, values), groups[order], bands[order], n_groups)


def number(found, name):
    return found[0, NUMBERS.index(name)]


@given(seeds)
def test_numbers_are_means_and_medians_of_a_group_and_of_all_others(seed):
    compared = world(seed)
    values = compared.values["cost"]
    found = compared.numbers(np.ones((1, len(values))))
    for group in np.unique(compared.groups):
        own = values[compared.groups == group]
        others = values[compared.groups != group]
        for name, fold in (("cost", np.nanmean), ("cost_median", np.nanmedian)):
            if np.isnan(own).all():
                continue
            row = number(found, name)[group]
            assert np.allclose(row, [fold(own), fold(others), fold(own) - fold(others)])


@given(seeds)
def test_matched_numbers_weigh_every_stratum_alike_on_both_sides(seed):
    compared = world(seed)
    values, known = compared.values["cost"], ~np.isnan(compared.values["cost"])
    found = number(compared.numbers(np.ones((1, len(values)))), "cost_matched")
    for group in range(3):
        own, others, weights = [], [], []
        for band in np.unique(compared.strata):
            here = compared.strata == band
            mine = values[here & known & (compared.groups == group)]
            theirs = values[here & known & (compared.groups != group)]
            if len(mine) and len(theirs):
                own.append(mine.mean())
                others.append(theirs.mean())
                weights.append(here.sum())
        if weights:
            expected = np.average(own, weights=weights), np.average(others, weights=weights)
            assert np.allclose(found[group, :2], expected)


@given(seeds)
def test_a_draw_counts_people_as_often_as_they_were_drawn(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, 12).astype(float)
    counts = rng.integers(0, 4, (3, 12)).astype(float)
    among = rng.random(12) < 0.7
    for row, found in zip(counts, medians(counts, values, among), strict=True):
        drawn = np.repeat(values[among], row[among].astype(int))
        assert np.isnan(found) if not len(drawn) else found == np.median(drawn)


def test_draws_stay_within_groups():
    groups = np.repeat([0, 1], [5, 20])
    seen = []

    def numbers(counts):
        seen.append(counts)
        return counts[:, :5].sum(axis=1, keepdims=True)

    def unknown(counts):
        return np.full((len(counts), 1), np.nan)

    drawn = {"n_draws": 30, "confidence": 0.9, "rng": np.random.default_rng(0)}
    found = estimated(numbers, unknown, groups, **drawn)
    assert found.value.tolist() == found.low.tolist() == found.high.tolist() == [5.0]
    assert all((each[:, 5:].sum(axis=1) == 20).all() for each in seen)


def test_equal_strata_have_equally_many_people():
    chances = np.random.default_rng(0).random(1000)
    assert np.bincount(strata(chances, 5)).tolist() == pytest.approx([200] * 5, abs=1)
    assert strata(np.full(7, 0.3), 5).tolist() == [0] * 7


def test_scales_weigh_changes_by_range_spread_and_rank():
    import pandas as pd

    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 10.0], "b": ["u", "u", "u", "v"]})
    terrain = Terrain.infer(X).price("a", increase=2.0)
    points = np.asarray(terrain.encode(X))
    found = scales(terrain, points, np.ones(4, dtype=int))
    start, end = points[[0]], points[[2]]
    assert found["range"](start, end) == terrain.cost(start, end)
    assert found["spread"](start, end) == pytest.approx(2 * 2 / X["a"].std(ddof=0))
    assert found["rank"](start, end) == pytest.approx(2 * 0.5)
    both = found["rank"](points[[2]], points[[3]])
    assert both == pytest.approx(np.sqrt((2 * 0.25) ** 2 + 2))


def test_scales_keep_the_prices_of_single_changes():
    import pandas as pd

    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    X = pd.DataFrame({"a": pd.Series(["low", "mid", "high", "high"]).astype(levels)})
    terrain = Terrain.infer(X).transition("a", "low", "high", price=7.0)
    points = np.asarray(terrain.encode(X))
    found = scales(terrain, points, np.ones(4, dtype=int))
    start, end = points[[0]], points[[2]]
    spread = points[:, 0].std()
    assert found["range"](start, end)[0] == pytest.approx(7.0)
    assert found["rank"](start, end)[0] == pytest.approx(7.0)
    assert found["spread"](start, end)[0] == pytest.approx(7.0 / spread)


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_few_people_have_no_interval_of_a_mean_or_a_median_without_width(n):
    rng = np.random.default_rng(n)
    groups = np.repeat([0, 1], [n, 60])
    values = dict.fromkeys(NUMBERS, rng.uniform(0, 3, n + 60))
    compared = Comparison(values, groups, np.zeros(n + 60, dtype=int), 2)
    found = compared.estimate(n_draws=200, confidence=0.95, rng=rng)
    for name in ("cost", "cost_median", "cost_matched"):
        low, high = (each[NUMBERS.index(name)] for each in (found.low, found.high))
        assert not (low == high).any()
        if n == 1 or (n < 6 and name == "cost_median"):
            assert np.isnan(low[0, 0])
            assert np.isnan(low[:, 2]).all()
            assert not np.isnan(low[1, 0])


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
