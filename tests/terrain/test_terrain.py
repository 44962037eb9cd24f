"""What each column is, how it may change, and who has the last word."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terrain.small_terrain import FRAME, refined, terrains

from facelift.errors import FaceliftError, InvalidData, InvalidInput, UnknownColumn
from facelift.terrain import Terrain

TERRAIN = Terrain.infer(FRAME)


def cost_of(terrain: Terrain, **changes: object) -> float:
    """Cost of changing single columns of the first row: `age=(20, 30)`."""
    start = FRAME.iloc[:1].assign(**{name: before for name, (before, _) in changes.items()})
    end = FRAME.iloc[:1].assign(**{name: after for name, (_, after) in changes.items()})
    return float(terrain.cost(terrain.encode(start)[0], terrain.encode(end)[0]))


@pytest.mark.parametrize(
    ("column", "kind", "levels"),
    [
        *[
            (pd.Series([1, 2], dtype=dtype), "numeric", ())
            for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint64", "Int64")
        ],
        *[
            (pd.Series([1, 2.5], dtype=dtype), "numeric", ())
            for dtype in ("float16", "float32", "float64", "Float64")
        ],
        (pd.Series([True, True]), "ordinal", (False, True)),
        (pd.Series([True, False], dtype="boolean"), "ordinal", (False, True)),
        (
            pd.Series(pd.Categorical(["b", "a"], ["b", "a", "c"], ordered=True)),
            "ordinal",
            ("b", "a", "c"),
        ),
        (pd.Series(pd.Categorical([3, 1], [3, 1, 2], ordered=True)), "ordinal", (3, 1, 2)),
        (
            pd.Series(pd.Categorical([True, False], [True, False], ordered=True)),
            "ordinal",
            (True, False),
        ),
        (pd.Series(pd.Categorical(["b", "a"], ["b", "a", "c"])), "categorical", ("b", "a", "c")),
        (pd.Series(pd.Categorical([3, 1], [3, 1, 2])), "categorical", (3, 1, 2)),
        (pd.Series(pd.Categorical([True, False])), "categorical", (False, True)),
        (pd.Series(["b", "a", "b"], dtype=object), "categorical", ("a", "b")),
        (pd.Series(["b", "a", "b"], dtype="str"), "categorical", ("a", "b")),
        (pd.Series(["b", "a", "b"], dtype="string"), "categorical", ("a", "b")),
        (pd.Series(["é", "z", "Ω"]), "categorical", ("z", "é", "Ω")),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pd.Series) else None,
)
def test_the_type_of_a_column_says_its_kind(column, kind, levels):
    feature = Terrain.infer(pd.DataFrame({"x": column})).feature("x")
    assert (feature.kind, feature.levels) == (kind, levels)
    assert {type(level) for level in feature.levels} <= {str, int, bool}
    assert (feature.increase, feature.decrease) == (1, 1)
    assert (feature.lower, feature.upper) == (-math.inf, math.inf)
    assert feature.width == (len(levels) if kind == "categorical" else 1)


def test_numeric_columns_remember_the_range_seen():
    age = TERRAIN.feature("age")
    assert (age.low, age.high, age.span) == (20, 60, 40)


def test_a_column_that_never_varied_is_measured_in_its_own_unit():
    terrain = Terrain.infer(pd.DataFrame({"x": [7, 7]}))
    assert terrain.cost(*terrain.encode(pd.DataFrame({"x": [7, 9]}))) == 2


@pytest.mark.parametrize(
    "rule",
    [
        ("freeze", ("age", "housing"), {}),
        ("increase_only", ("age",), {}),
        ("decrease_only", ("savings",), {}),
        ("price", ("age", 3), {}),
        ("between", ("age", 25, 50), {}),
        ("order", ("housing", ["rent", "free", "own"]), {}),
        ("transition", ("housing", "rent", "own"), {"price": 2}),
        ("forbid", ("housing", "rent", "own"), {}),
    ],
    ids=lambda rule: rule[0],
)
def test_every_rule_gives_a_new_terrain_and_leaves_the_old_one(rule):
    before = Terrain.infer(FRAME)
    after = refined(before, [rule])
    assert before == TERRAIN
    assert after != before
    assert refined(after, [rule]) == after
    touched = set(rule[1][:2]) if rule[0] == "freeze" else {rule[1][0]}
    assert all(after.feature(n) == before.feature(n) for n in set(FRAME.columns) - touched)


def test_equal_tables_and_rules_make_equal_terrains():
    assert Terrain.infer(FRAME.copy()).freeze("age") == TERRAIN.freeze("age")
    assert Terrain.infer(FRAME[["age"]]) != TERRAIN


def test_frozen_columns_cannot_change_either_way():
    terrain = TERRAIN.freeze("age", "housing", "employed")
    assert cost_of(terrain, age=(20, 21)) == math.inf
    assert cost_of(terrain, age=(21, 20)) == math.inf
    assert cost_of(terrain, housing=("rent", "own")) == math.inf
    assert cost_of(terrain, employed=(False, True)) == math.inf
    assert cost_of(terrain, income=(0.1, 9.0)) == 1
    assert terrain.feature("housing").frozen
    assert not terrain.feature("income").frozen


def test_one_way_columns_change_one_way():
    terrain = TERRAIN.increase_only("age", "employed").decrease_only("savings")
    assert cost_of(terrain, age=(20, 60)) == 1
    assert cost_of(terrain, age=(60, 20)) == math.inf
    assert cost_of(terrain, employed=(False, True)) == 1
    assert cost_of(terrain, employed=(True, False)) == math.inf
    assert cost_of(terrain, savings=("high", "none")) == 1
    assert cost_of(terrain, savings=("none", "low")) == math.inf


def test_one_price_is_for_both_directions_unless_one_is_named():
    terrain = TERRAIN.price("age", 3).price("income", 3, decrease=5).price("savings", increase=2)
    assert [cost_of(terrain, age=move) for move in [(20, 60), (60, 20)]] == [3, 3]
    assert [cost_of(terrain, income=move) for move in [(0.1, 9.0), (9.0, 0.1)]] == [3, 5]
    assert [cost_of(terrain, savings=move) for move in [("none", "high"), ("high", "none")]] == [
        2,
        1,
    ]


def test_a_forbidden_change_is_forbidden_one_way_only():
    terrain = TERRAIN.forbid("housing", "own", "rent").forbid("savings", "none", "high")
    assert cost_of(terrain, housing=("own", "rent")) == math.inf
    assert cost_of(terrain, housing=("rent", "own")) == pytest.approx(math.sqrt(2))
    assert cost_of(terrain, savings=("none", "high")) == math.inf
    assert cost_of(terrain, savings=("none", "low")) == 0.5
    assert cost_of(terrain, savings=("high", "none")) == 1


def test_single_changes_of_a_bool_can_be_priced():
    terrain = TERRAIN.transition("employed", False, True, price=4).forbid("employed", True, False)
    assert cost_of(terrain, employed=(False, True)) == 4
    assert cost_of(terrain, employed=(True, False)) == math.inf


def test_an_order_makes_a_column_ordinal():
    terrain = TERRAIN.order("housing", ["free", "rent", "own"]).increase_only("housing")
    assert terrain.feature("housing").kind == "ordinal"
    assert cost_of(terrain, housing=("free", "rent")) == 0.5
    assert cost_of(terrain, housing=("free", "own")) == 1
    assert cost_of(terrain, housing=("own", "rent")) == math.inf
    assert terrain.n_coordinates == TERRAIN.n_coordinates - 2


def test_an_order_can_be_turned_round():
    terrain = TERRAIN.order("employed", [True, False]).increase_only("employed")
    assert cost_of(terrain, employed=(True, False)) == 1
    assert cost_of(terrain, employed=(False, True)) == math.inf


def test_an_order_keeps_the_type_of_the_levels():
    terrain = TERRAIN.order("score", np.array([1, 2, 3]))
    assert [type(level) for level in terrain.feature("score").levels] == [int, int, int]
    assert terrain.decode(terrain.encode(FRAME)).equals(FRAME)


def test_tables_come_back_whatever_the_order():
    terrain = TERRAIN.order("housing", ["own", "free", "rent"]).order(
        "savings", ["low", "high", "none"]
    )
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(FRAME)), FRAME)


@given(terrains())
def test_rules_never_change_what_a_row_is(terrain):
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(FRAME)), FRAME, check_exact=True)


def test_a_price_after_freezing_allows_the_column_again():
    assert cost_of(TERRAIN.freeze("age").price("age", 2), age=(20, 60)) == 2
    assert cost_of(TERRAIN.price("age", 2).freeze("age"), age=(20, 60)) == math.inf
    again = TERRAIN.freeze("housing").price("housing", 1)
    assert cost_of(again, housing=("own", "rent")) == pytest.approx(math.sqrt(2))


def test_a_price_for_one_direction_leaves_the_other_as_it_was():
    terrain = TERRAIN.freeze("age").price("age", increase=2)
    assert cost_of(terrain, age=(20, 60)) == 2
    assert cost_of(terrain, age=(60, 20)) == math.inf


def test_a_single_change_allowed_after_freezing_is_the_only_one():
    terrain = TERRAIN.freeze("housing").transition("housing", "rent", "own", price=1)
    assert cost_of(terrain, housing=("rent", "own")) == pytest.approx(math.sqrt(2))
    assert cost_of(terrain, housing=("own", "rent")) == math.inf
    assert cost_of(terrain, housing=("rent", "free")) == math.inf
    assert not terrain.feature("housing").frozen


def test_freezing_after_a_single_change_was_allowed_forbids_that_too():
    terrain = TERRAIN.transition("housing", "rent", "own", price=1).freeze("housing")
    assert cost_of(terrain, housing=("rent", "own")) == math.inf
    assert terrain.feature("housing").frozen


def test_the_last_price_of_a_single_change_counts():
    terrain = TERRAIN.forbid("housing", "rent", "own")
    terrain = terrain.transition("housing", "rent", "own", price=3)
    assert cost_of(terrain, housing=("rent", "own")) == pytest.approx(3 * math.sqrt(2))
    assert len(terrain.feature("housing").transitions) == 1


def test_a_general_price_leaves_single_changes_their_own():
    terrain = TERRAIN.forbid("housing", "own", "rent").price("housing", 2)
    assert cost_of(terrain, housing=("own", "rent")) == math.inf
    assert cost_of(terrain, housing=("rent", "own")) == pytest.approx(2 * math.sqrt(2))


def test_closing_one_direction_leaves_single_changes_of_the_other():
    terrain = TERRAIN.freeze("savings").transition("savings", "none", "low", price=2)
    terrain = terrain.transition("savings", "high", "low", price=2).increase_only("savings")
    assert cost_of(terrain, savings=("none", "low")) == 1
    assert cost_of(terrain, savings=("high", "low")) == math.inf


def test_one_way_after_the_other_way_freezes():
    assert TERRAIN.increase_only("age").decrease_only("age").feature("age").frozen


def test_the_order_in_which_single_changes_were_named_does_not_matter():
    one = TERRAIN.forbid("housing", "own", "rent").transition("housing", "free", "own", price=2)
    other = TERRAIN.transition("housing", "free", "own", price=2).forbid("housing", "own", "rent")
    assert one == other
    order = ["rent", "own", "free"]
    assert one.order("housing", order) == TERRAIN.order("housing", order).transition(
        "housing", "free", "own", price=2
    ).forbid("housing", "own", "rent")


def test_bounds_are_in_raw_units_and_include_their_ends():
    terrain = TERRAIN.between("age", 31, 40).between("income", -math.inf, 2.25)
    points = terrain.encode(FRAME)
    assert terrain.within_bounds(points).tolist() == [False, True, False, True]
    assert terrain.out_of_bounds(points)[:, :2].tolist() == [
        [True, False],
        [False, False],
        [True, True],
        [False, False],
    ]
    assert not terrain.out_of_bounds(points)[:, 2:].any()


def test_the_last_bounds_count():
    terrain = TERRAIN.between("age", 31, 40).between("age", 0, 100)
    assert terrain.within_bounds(terrain.encode(FRAME)).all()


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8), st.data())
def test_bounds_hold_exactly_at_values_seen(values, data):
    low, high = sorted(data.draw(st.lists(st.sampled_from(values), min_size=2, max_size=2)))
    X = pd.DataFrame({"x": values})
    terrain = Terrain.infer(X).between("x", low, high)
    decoded = terrain.decode(terrain.encode(X))["x"]
    expected = ((decoded >= low) & (decoded <= high)).tolist()
    assert terrain.within_bounds(terrain.encode(X)).tolist() == expected


def test_a_feature_is_found_by_its_name():
    assert TERRAIN.feature("age").name == "age"
    assert Terrain.infer(np.zeros((2, 2))).feature("x1").name == "x1"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda t: t.feature("agee"), "There is no column 'agee'; did you mean 'age'?"),
        (lambda t: t.freeze("age", "hosing"), "no column 'hosing'; did you mean 'housing'?"),
        (lambda t: t.increase_only("zzz"), "no column 'zzz'; known: age, income, savings"),
        (lambda t: t.decrease_only(5), "no column 5; known: age"),
        (lambda t: t.price("incom", 2), "did you mean 'income'?"),
        (lambda t: t.between("incom", 1, 2), "did you mean 'income'?"),
        (lambda t: t.order("saving", ["a"]), "did you mean 'savings'?"),
        (lambda t: t.forbid("house", "own", "rent"), "did you mean 'housing'?"),
    ],
)
def test_an_unknown_column_is_an_error_with_the_nearest_name(rule, message):
    with pytest.raises(UnknownColumn) as caught:
        rule(TERRAIN)
    assert message in str(caught.value)
    assert isinstance(caught.value, KeyError)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            lambda t: t.price("age", -1),
            r"Price of 'age' must be zero or more \(infinite forbids the change\), got -1",
        ),
        (lambda t: t.price("age", math.nan), "Price of 'age' must be zero or more.*got nan"),
        (lambda t: t.price("age", increase=-0.5), "got -0.5"),
        (lambda t: t.price("age", decrease=math.nan), "got nan"),
        (lambda t: t.price("age", "dear"), "Price of 'age' must be.*got 'dear'"),
        (lambda t: t.transition("housing", "own", "rent", price=-2), "Price of 'housing'.*got -2"),
        (
            lambda t: t.between("age", 50, 20),
            "Bounds of 'age' are upside down or not numbers: 50 to 20; give the lower one first",
        ),
        (lambda t: t.between("age", math.nan, 20), "Bounds of 'age'.*nan to 20"),
        (lambda t: t.between("age", 20, math.nan), "Bounds of 'age'.*20 to nan"),
        (lambda t: t.between("age", "20", 30), "Bounds of 'age'.*not numbers"),
        (
            lambda t: t.between("housing", 1, 2),
            r"Column 'housing' is categorical: bounds are for numeric.*forbid\(\)",
        ),
        (lambda t: t.between("savings", 1, 2), "Column 'savings' is ordinal: bounds are for"),
        (
            lambda t: t.order("housing", ["rent", "own"]),
            "The order of 'housing' misses 'free'; name every level once, lowest first",
        ),
        (
            lambda t: t.order("housing", ["rent", "own", "free", "own"]),
            "The order of 'housing' names a level twice",
        ),
        (lambda t: t.order("age", [20, 60]), "Column 'age' is numeric and has an order already"),
        (
            lambda t: t.transition("housing", "ren", "own", price=1),
            "'ren' is not a level of 'housing'; did you mean 'rent'?",
        ),
        (lambda t: t.forbid("housing", "own", "villa"), "'villa' is not a level of 'housing'"),
        (lambda t: t.forbid("score", 1, 7), "7 is not a level of 'score'; known: 3, 1, 2"),
        (lambda t: t.forbid("housing", "own", "own"), "'housing' stays at 'own'.*always free"),
        (lambda t: t.forbid("age", 20, 30), r"Column 'age' is numeric.*increase_only\(\)"),
        (
            lambda t: t.price("housing", increase=2),
            r"Column 'housing' has no order.*call order\('housing', \[\.\.\.\]\) first",
        ),
        (lambda t: t.increase_only("housing"), "Column 'housing' has no order"),
        (lambda t: t.decrease_only("score"), "Column 'score' has no order"),
        (lambda t: t.require("agee >= 18"), "did you mean 'age'?"),
    ],
)
def test_a_rule_that_cannot_be_is_an_error_that_says_what_to_do(rule, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        rule(TERRAIN)
    assert isinstance(caught.value, FaceliftError)
    assert isinstance(caught.value, ValueError)


def test_levels_that_are_neither_text_nor_numbers_are_an_error():
    X = pd.DataFrame({"band": pd.cut([1, 5, 9], [0, 4, 10])})
    with pytest.raises(InvalidData, match=r"'band'.*Interval.*text"):
        Terrain.infer(X)


def test_what_was_forbidden_stays_so_whatever_the_direction_costs_later():
    X = pd.DataFrame({"housing": ["rent", "own"]})
    terrain = (
        Terrain.infer(X).forbid("housing", "own", "rent").freeze("housing").price("housing", 1)
    )
    own, rent = terrain.encode(pd.DataFrame({"housing": ["own", "rent"]}))
    assert terrain.cost(own, rent) == np.inf
    assert terrain.cost(rent, own) == pytest.approx(math.sqrt(2))


def test_a_required_function_is_never_asked_about_no_rows():
    asked = []

    def grown_up(rows: pd.DataFrame) -> pd.Series:
        asked.append(len(rows))
        return rows["age"] >= 30

    terrain = TERRAIN.between("age", 20, 50).require(grown_up)
    assert terrain.admissible(terrain.encode(FRAME)).tolist() == [False, True, False, True]
    assert not terrain.admissible(terrain.encode(FRAME[FRAME["age"] > 50])).any()
    assert asked == [3]


def test_a_terrain_prints_as_a_table():
    terrain = (
        TERRAIN.increase_only("age")
        .between("income", 0.5, 8)
        .price("savings", increase=3, decrease=0.25)
        .forbid("housing", "own", "rent")
        .transition("housing", "rent", "own", price=2.5)
        .freeze("employed")
    )
    assert repr(terrain).splitlines() == [
        "column    kind         may rise  may fall  values",
        "age       numeric      at 1      never     20 to 60",
        "income    numeric      at 1      at 1      0.1 to 9; between 0.5 and 8",
        "savings   ordinal      at 3      at 0.25   none < low < high",
        "housing   categorical  at 1      at 1      "
        "free, own, rent; never own → rent; rent → own at 2.5",
        "score     categorical  at 1      at 1      3, 1, 2",
        "employed  ordinal      never     never     False < True",
    ]


def test_single_changes_are_told_in_the_order_of_the_levels():
    terrain = TERRAIN.forbid("savings", "low", "none").forbid("savings", "none", "high")
    assert "; never none → high; never low → none" in repr(terrain)


def test_the_table_of_a_notebook_escapes_what_the_data_say():
    X = pd.DataFrame({"<b>bold</b>": ["<script>alert(1)</script>", "a & b"]})
    html = Terrain.infer(X)._repr_html_()
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a &amp; b" in html
    assert "<script" not in html
    assert "<b>" not in html


def test_the_table_of_a_notebook_has_a_row_for_every_column():
    html = TERRAIN._repr_html_()
    assert html.count("<tr>") == 1 + FRAME.shape[1]
    assert "<td>age</td><td>numeric</td><td>at 1</td><td>at 1</td><td>20 to 60</td>" in html


def test_rules_between_columns_are_shown():
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40], "job": [1, 9]}))
    shown = repr(terrain.link("age", "job").require("job <= age"))
    assert shown.endswith("together: age, job\nrequired: job <= age")
    html = terrain.link("age", "job").require("job >= age")._repr_html_()
    assert "<caption>Terrain; together: age, job; required: job &gt;= age</caption>" in html


def test_it_prints_what_may_become_of_missing_values():
    X = pd.DataFrame({"income": [1.0, None, 2.0]})
    assert repr(Terrain.infer(X)).endswith("1 to 2; or missing, found at 1")
    assert "never found" in repr(Terrain.infer(X).freeze("income"))
    assert "lost at 2" in repr(Terrain.infer(X).missing("income", lost=2.0))
