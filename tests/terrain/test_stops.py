"""Stops: the numbers a person would say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from facelift import Terrain, datasets
from facelift.errors import InvalidInput
from facelift.terrain.stops import FEW_VALUES, N_STOPS, round_stops


@pytest.fixture(scope="module")
def credit() -> pd.DataFrame:
    return datasets.load_german_credit().data


def digits(number: float) -> int:
    """How many digits one has to say."""
    return len(f"{abs(number):.12g}".replace(".", "").strip("0"))


def stops_of(values: object) -> list[float]:
    return list(round_stops(np.asarray(values, dtype=np.float64)))


def test_few_values_are_their_own_stops():
    assert stops_of([7, 3, 3, 1.25]) == [1.25, 3, 7]
    assert stops_of([5, 5]) == [5]
    assert len(stops_of(np.arange(FEW_VALUES) * np.pi)) == FEW_VALUES
    assert len(stops_of(np.arange(FEW_VALUES + 1) * np.pi)) <= N_STOPS


def test_months_stop_in_sixes(credit):
    stops = stops_of(credit["duration"])
    assert stops == [6, 12, 18, 24, 30, 36, 42, 48]
    assert credit["duration"].nunique() > FEW_VALUES


def test_mostly_zero_is_not_months():
    rng = np.random.default_rng(0)
    delays = np.append(np.zeros(700), rng.integers(1, 16, 300))
    assert not set(stops_of(delays)) <= {0, 6, 12}


def test_money_stops_at_round_amounts(credit):
    stops = stops_of(credit["credit_amount"])
    assert 4 <= len(stops) <= N_STOPS
    assert all(stop % 500 == 0 for stop in stops)
    assert max(map(digits, stops)) <= 2
    rng = np.random.default_rng(1)
    for scale in (0.01, 1, 30, 1e6):
        stops = stops_of(rng.lognormal(0, 1, 500) * scale)
        assert len(stops) >= 3
        assert max(map(digits, stops)) <= 3


def test_a_common_value_does_not_hide_all_others():
    hours = np.append(np.full(600, 40), np.arange(10, 80).repeat(5))
    assert {20, 40, 60} <= set(stops_of(hours))
    gains = np.append(np.zeros(950), np.linspace(500, 20_000, 50))
    assert len(stops_of(gains)) >= 4
    assert 0 in stops_of(gains)
    months = np.append(np.full(990, 12), np.arange(1, 30))
    assert stops_of(months) == [6, 12, 18, 24]


@example([0] * 5 + [1] * 5 + [2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 15, 17, 20, 26])
@given(st.lists(st.integers(0, 30), min_size=11, max_size=60))
def test_whole_numbers_stop_at_whole_numbers(values):
    assert all(stop == round(stop) for stop in stops_of(values))


@given(
    st.lists(
        st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-9), min_size=1, max_size=80
    )
)
def test_stops_rise_within_the_range_of_the_data(values):
    stops = stops_of(values)
    assert stops == sorted(set(stops))
    assert all(min(values) <= stop <= max(values) for stop in stops)
    assert not any(stop == 0 and np.signbit(stop) for stop in stops if 0 not in values)
    assert len(stops) <= 2 * N_STOPS or all(stop % 6 == 0 for stop in stops)


def test_stops_do_not_depend_on_the_order_of_rows(credit):
    values = credit["credit_amount"].to_numpy(dtype=np.float64)
    shuffled = np.random.default_rng(2).permutation(values)
    assert stops_of(values) == stops_of(shuffled)


def test_declared_levels_are_the_stops():
    terrain = Terrain.infer(pd.DataFrame({"amount": np.arange(0, 1000, 7.5)}))
    assert terrain.levels("amount", [300, 100, 100]).feature("amount").stops == (100, 300)
    assert terrain.levels("amount", step=250).feature("amount").stops == (0, 250, 500, 750)
    assert terrain.levels("amount", step=1.1).feature("amount").stops[3] == pytest.approx(3.3)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({}, "either values or a step"),
        ({"values": [1], "step": 2}, "either values or a step"),
        ({"values": []}, "finite numbers"),
        ({"values": [1, np.nan]}, "finite numbers"),
        ({"values": ["much"]}, "finite numbers"),
        ({"step": 0}, "must be positive"),
        ({"step": np.inf}, "must be positive"),
        ({"step": np.nan}, "must be positive"),
        ({"step": 1e-9}, "levels between 20 and 60"),
        ({"step": 100}, "0 levels between 20 and 60"),
        ({"values": [20, 30.5]}, "holds whole numbers; 30.5 is none"),
        ({"step": 2.5}, "holds whole numbers; 22.5 is none"),
    ],
)
def test_levels_that_make_no_sense_are_refused(levels, message):
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 60, 41]}))
    with pytest.raises(InvalidInput, match=message):
        terrain.levels("age", **levels)


def test_levels_are_for_numbers():
    terrain = Terrain.infer(pd.DataFrame({"housing": ["own", "rent"]}))
    with pytest.raises(InvalidInput, match="its levels are where it stops"):
        terrain.levels("housing", [1, 2])


def test_a_column_of_mostly_zeros_has_stops():
    values = np.zeros(1000)
    values[:12] = np.linspace(0.1, 1.2, 12)  # fewer than any quantile sees
    assert set(round_stops(values)) <= set(np.round(np.arange(0, 1.3, 0.1), 12)) | {0.0}
    assert round_stops(values)
