"""Stops: the numbers a person would say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain, datasets, prepare, read_rules, write_rules
from facelift.errors import InvalidData, InvalidInput, InvalidRules, UnknownColumn
from facelift.multiverse.words import value_words
from facelift.terrain.kinds.numeric import FEW_VALUES, MAX_LEVELS, N_STOPS, quantiles, round_stops


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


def test_months_stop_within_the_range_of_the_data():
    months = [*[121] * 5, *range(126, 355, 6), *[359] * 5]
    assert stops_of(months) == list(range(126, 355, 6))


def test_months_reach_fifty_years_and_no_further():
    assert set(np.diff(stops_of(range(6, 601, 6)))) == {6}
    assert len(stops_of([*range(6, 601, 6), 601])) <= N_STOPS
    assert len(stops_of(range(0, 6001, 12))) <= N_STOPS


def test_three_in_five_of_six_are_months():
    others = [*range(1, 9, 2), *range(13, 21, 2)]
    assert stops_of([*range(6, 73, 6), *others]) == list(range(6, 67, 6))
    assert stops_of([*range(6, 67, 6), *others]) != list(range(6, 61, 6))


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


@pytest.mark.parametrize(
    ("gap", "step"),
    [
        *[(1, 1), (1.5, 2), (2, 2), (3, 5), (5, 5), (6, 10)],
        *[(0.02, 0.02), (0.05, 0.05), (0.06, 0.1)],
        *[(100, 100), (150, 250), (250, 250), (300, 500), (500, 500), (600, 1000)],
    ],
)
def test_even_numbers_stop_at_the_next_round_step(gap, step):
    """`gap` is what lies between two of their quantiles."""
    values = np.arange(51) * gap / 8
    assert stops_of(values) == pytest.approx(np.arange(0, values[-1], step))


def test_stops_are_closer_where_the_data_are():
    shares = np.append(np.linspace(0, 0.2, 100), np.linspace(0.2, 1, 60))
    assert stops_of(shares) == [0, 0.1, 0.2, 0.5, 1]


def test_stops_are_told_without_the_noise_of_multiplying():
    values = np.append(np.linspace(0, 0.6, 500), 5000)
    assert stops_of(values) == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def test_small_whole_numbers_stop_one_by_one():
    children = [*np.repeat(range(5), 100), *range(5, 12)]
    assert stops_of(children) == [0, 1, 2, 3, 4]


def test_a_largest_value_that_many_have_is_a_stop():
    assert stops_of(np.minimum(np.arange(150.5), 100))[-1] == 100


@pytest.mark.parametrize("share", [0.6, 0.99])
@pytest.mark.parametrize("common", [37, 7.7, 0.37])
def test_what_most_have_is_a_stop_as_it_is(common, share):
    others = np.linspace(0, 10 * common, 1000 - int(1000 * share))
    stops = stops_of(np.append(np.full(int(1000 * share), common), others))
    assert common in stops
    assert len(stops) >= 3


def test_three_stops_are_enough():
    """Rare values have no stops of their own where common ones differ."""
    values = [*np.repeat([10.0, 20.0, 30.0], 300), *np.linspace(31, 90, 12)]
    assert stops_of(values) == [10, 20, 30]


@pytest.mark.parametrize("scale", [1e-310, 1e-250, 1e250, 1e307])
def test_very_small_and_very_large_numbers_stop_where_ordinary_ones_do(scale):
    values = np.linspace(0, 8.7, 40)
    assert stops_of(values * scale) == pytest.approx(np.multiply(stops_of(values), scale), abs=0)


def test_a_common_value_does_not_hide_all_others():
    hours = np.append(np.full(600, 40), np.arange(10, 80).repeat(5))
    assert {20, 40, 60} <= set(stops_of(hours))
    gains = np.append(np.zeros(950), np.linspace(500, 20_000, 50))
    assert len(stops_of(gains)) >= 4
    assert 0 in stops_of(gains)
    months = np.append(np.full(990, 12), np.arange(1, 30))
    assert stops_of(months) == [6, 12, 18, 24]


def test_no_wide_gap_passes_by_those_who_have_more_than_most():
    gains = np.repeat([0, 3_000, 5_000, 7_500, 15_000, 25_000], [9_000, 100, 80, 400, 300, 60])
    rare = [9_400, 14_100, 27_800, 34_000, 99_999]  # few people, who make many distinct values
    assert {7_500, 15_000} <= set(stops_of(np.append(gains, rare)))


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


def test_a_step_may_give_one_level_and_up_to_a_thousand():
    thousand = Terrain.infer(pd.DataFrame({"amount": np.arange(1, 1001)}))
    assert thousand.levels("amount", step=600).feature("amount").stops == (600,)
    assert len(thousand.levels("amount", step=1).feature("amount").stops) == MAX_LEVELS == 1000
    more = Terrain.infer(pd.DataFrame({"amount": np.arange(1001)}))
    with pytest.raises(InvalidInput, match="1001 levels between 0 and 1000; 1 to 1000 are of use"):
        more.levels("amount", step=1)


@pytest.mark.parametrize(("step", "told"), [(1e-300, "inf"), (1.0, r"1e\+300")])
def test_a_step_that_gives_more_levels_than_can_be_counted_is_refused(step, told):
    with pytest.raises(InvalidInput, match=f"{told} levels between 0 and 1e"):
        Terrain.infer(pd.DataFrame({"a": [0.0, 1e300]})).levels("a", step=step)


def test_a_category_stops_at_its_own_levels_only():
    terrain = Terrain.infer(pd.DataFrame({"housing": ["own", "rent"]}))
    with pytest.raises(InvalidInput, match="1 is not a level of"):
        terrain.levels("housing", [1, 2])


@pytest.mark.parametrize("dtype", ["float16", "float32", "Float32", "float64"])
def test_levels_may_be_numbers_that_the_type_of_a_column_rounds(dtype):
    X = pd.DataFrame({"share": pd.Series([0, 20_000], dtype=dtype)})
    terrain = Terrain.infer(X).levels("share", [0.1, 12_345.6])
    assert terrain.feature("share").stops == (0.1, 12_345.6)


@pytest.mark.parametrize("dtype", ["int8", "Int64", "uint16"])
def test_whole_numbers_have_whole_levels_within_their_type(dtype):
    terrain = Terrain.infer(pd.DataFrame({"age": pd.Series([20, 60], dtype=dtype)}))
    assert terrain.levels("age", [30, 50.0]).feature("age").stops == (30, 50)
    with pytest.raises(InvalidInput, match=r"whole numbers; 30\.0001 is none"):
        terrain.levels("age", [20, 30.0001])
    with pytest.raises(InvalidData, match=rf"has type {dtype}.*given 1e\+20"):
        terrain.levels("age", [30, 1e20])


def test_a_level_too_far_from_all_others_is_refused():
    with pytest.raises(InvalidData, match="too far from what column 'age' holds, 20 to 60"):
        Terrain.infer(pd.DataFrame({"age": [20.0, 60.0]})).levels("age", [30, 1e200])


def test_a_column_of_mostly_zeros_has_stops():
    values = np.zeros(1000)
    values[:12] = np.linspace(0.1, 1.2, 12)  # fewer than any quantile sees
    assert set(round_stops(values)) <= set(np.round(np.arange(0, 1.3, 0.1), 12)) | {0.0}
    assert round_stops(values)


@pytest.mark.parametrize(
    ("high", "step"), [(0.3, 0.1), (0.7, 0.1), (2.1, 0.7), (1.2, 0.4), (4.35, 1.45)]
)
def test_a_step_reaches_the_highest_value_in_all_units(high, step):
    n = round(high / step)
    for unit in (1, 10, 100, 0.01, 1 / 3):
        terrain = Terrain.infer(pd.DataFrame({"a": [-high * unit, 0.0, high * unit]}))
        stops = terrain.levels("a", step=step * unit).feature("a").stops
        assert stops == pytest.approx([i * step * unit for i in range(-n, n + 1)])
    assert Terrain.infer(pd.DataFrame({"a": [0.0, 0.6]})).levels("a", step=0.1).feature(
        "a"
    ).stops == (*(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6),)


def test_a_step_reaches_the_highest_value_far_from_zero():
    terrain = Terrain.infer(pd.DataFrame({"a": [1000.0, 1000.3]}))
    assert terrain.levels("a", step=0.1).feature("a").stops == (1000.0, 1000.1, 1000.2, 1000.3)


def test_levels_of_whole_numbers_may_be_worked_out():
    terrain = Terrain.infer(pd.DataFrame({"a": [0, 5]}))
    assert len(terrain.levels("a", [0, 0.1 * 3 * 10, 5]).feature("a").stops) == 3
    with pytest.raises(InvalidInput, match=r"whole numbers; 3\.5 is none"):
        terrain.levels("a", [0, 3.5, 5])


def test_a_step_that_is_no_number_is_refused():
    with pytest.raises(InvalidInput, match="must be positive, got x"):
        Terrain.infer(pd.DataFrame({"a": [0, 5]})).levels("a", step="x")


def firms(largest: float = 2202.0) -> np.ndarray:
    """Head counts: most below 40, one far beyond."""
    return np.append(np.rint(np.geomspace(1, 60, 400)), largest)


def test_outliers_do_not_make_large_changes_cheap():
    feature = Terrain.infer(pd.DataFrame({"employees": firms()})).feature("employees")
    low, high = np.quantile(firms(), [0.01, 0.99])
    assert feature.span == pytest.approx(high - low)
    assert feature.scaled(np.array([5.0, 100.0])) @ [-1, 1] > 1
    assert feature.scaled(np.array([2202.0]))[0] > 30  # it stays where it is


@pytest.mark.parametrize("largest", [60.0, 150.0])
def test_a_range_that_is_hardly_stretched_is_the_span(largest):
    feature = Terrain.infer(pd.DataFrame({"employees": firms(largest)})).feature("employees")
    assert feature.span == largest - 1


def test_a_span_can_be_set_and_taken_back():
    terrain = Terrain.infer(pd.DataFrame({"employees": firms()}))
    wide = terrain.span("employees", 40)
    assert wide.feature("employees").span == 40
    assert "a change of 40 counts as 1" in str(wide)
    start, end = wide.encode(pd.DataFrame({"employees": [5.0, 25.0]}))
    assert wide.cost(start, end) == pytest.approx(0.5)
    assert terrain.span("employees").feature("employees").span == 2201
    with pytest.raises(InvalidInput, match="must be positive"):
        terrain.span("employees", 0)


def test_a_span_survives_a_rules_file(tmp_path):
    terrain = Terrain.infer(pd.DataFrame({"employees": firms()}))
    for made in (terrain, terrain.span("employees"), terrain.span("employees", 40)):
        write_rules(made, tmp_path / "rules.toml")
        assert read_rules(tmp_path / "rules.toml", terrain) == made


def test_no_jump_passes_a_tenth_of_the_people():
    values = np.concatenate([np.full(700, 5.0), np.linspace(6, 99, 200), np.full(100, 100.0)])
    stops = np.array(Terrain.infer(pd.DataFrame({"n": values})).feature("n").stops)
    for start, end in pairwise(stops):
        between = ((values > start) & (values < end)).mean()
        assert end - start <= 0.6 * 95 or between < 0.1


CODES = [-7, -8, -9]
cells = st.one_of(st.sampled_from(CODES), st.integers(0, 500))


def records() -> pd.DataFrame:
    draws = np.random.default_rng(0)
    table = pd.DataFrame({"since": draws.integers(0, 60, 300), "debts": draws.integers(0, 9, 300)})
    table.loc[::5, "since"] = -9
    table.loc[1::7, "since"] = -8
    return table


def granted(rows: pd.DataFrame) -> np.ndarray:
    assert rows["since"].between(-9, 60).all()
    good = ((rows["since"] > 25) & (rows["debts"] < 5)).to_numpy()
    return np.column_stack([~good, good]).astype(float)


@given(st.lists(st.one_of(cells, st.none()), min_size=1), st.integers(0, 500))
def test_codes_and_numbers_and_gaps_come_back(values, number):
    for column in (pd.Series([*values, number], dtype=float), pd.Series([number, *CODES])):
        table = pd.DataFrame({"c": column})
        terrain = Terrain.infer(table, missing={"c": CODES})
        pd.testing.assert_frame_equal(terrain.decode(terrain.encode(table)), table)
        for value, point in zip(table["c"], np.asarray(terrain.encode(table)), strict=True):
            assert np.array_equal(terrain.point({"c": value}), point)


def test_codes_lead_to_numbers_and_not_to_each_other():
    terrain = Terrain.infer(records(), missing={"since": CODES})
    nine, eight, number = (terrain.point({"since": value, "debts": 3}) for value in (-9, -8, 20))
    assert terrain.cost(nine, number) == 1
    assert np.isinf([terrain.cost(nine, eight), terrain.cost(number, nine)]).all()
    assert terrain.feature("since").summary[-1] == (
        "0 to 59; or a code: -9, -8, -7; or missing, found at 1"
    )
    assert terrain.between("since", 0, 30).admissible([nine, number]).all()


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_models_see_codes_and_people_leave_them(steps, tmp_path):
    terrain = Terrain.infer(records(), missing={"since": CODES})
    terrain = terrain.label("since", values={-9: "no record"}).missing("since", found=0.5)
    explainer = FACElift(granted, terrain, steps=steps).fit(records())
    multiverse = explainer.explain({"since": -9, "debts": 7}, target=1)
    for journey in multiverse:
        since = journey.rows["since"].tolist()
        assert since[0] == -9
        assert since[-1] > 25
        assert -8 not in since
    assert value_words(-9, terrain.feature("since")) == "no record"
    explainer.save(tmp_path / "saved")
    again = FACElift.load(tmp_path / "saved", model=granted)
    assert again.terrain_.features == terrain.features
    assert again.explain({"since": -9, "debts": 7}, target=1).to_json() == multiverse.to_json()


def test_rules_name_codes_and_give_them_back(tmp_path):
    path = tmp_path / "rules.toml"
    terrain = Terrain.infer(records(), missing={"since": CODES})
    for each in (terrain, terrain.missing("since", found=0.5), terrain.freeze("since")):
        write_rules(each, path)
        assert read_rules(path, terrain) == each
    path.write_text("since.missing = [-9, -8, -7]")
    assert read_rules(path, terrain) == terrain
    pd.testing.assert_frame_equal(prepare(records(), path), records())
    pd.testing.assert_frame_equal(prepare(records(), terrain), records())
    with pytest.raises(InvalidRules, match=r"does not know these codes.*infer\(X, missing="):
        read_rules(path, Terrain.infer(records()))


def test_what_cannot_be_a_code_is_one_clear_line():
    with pytest.raises(UnknownColumn, match="no column 'sins' with codes; did you mean 'since'"):
        Terrain.infer(records(), missing={"sins": [-9]})
    with pytest.raises(InvalidData, match="Codes of 'c' are for columns of numbers"):
        Terrain.infer(pd.DataFrame({"c": ["a", "b"]}), missing={"c": [-9]})
    with pytest.raises(InvalidData, match="holds no value at all"):
        Terrain.infer(pd.DataFrame({"c": [-9, -9]}), missing={"c": [-9]})


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40).map(sorted),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
@settings(max_examples=examples(300))
def test_quantiles_of_values_in_order_are_those_of_numpy_to_the_bit(values, shares):
    found = quantiles(np.array(values), shares)
    assert found.tolist() == np.quantile(np.array(values), shares).tolist()
