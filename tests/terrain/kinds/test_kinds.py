"""What every kind of column must keep, and kinds of one's own."""

import math

import numpy as np
import pandas as pd
import pytest
from tools.toy_kind import Percent

from facelift import FACElift, Terrain
from facelift.steps.lattice import ladders
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import KINDS, kind_of, register
from facelift.terrain.kinds.levels import Categorical

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Weekday(Categorical):
    """A toy: days are categories whose ladder leads round the week, a day at a time."""

    name = "weekday"

    def infer(self, name, column):  # noqa: ARG002
        return {"levels": DAYS} if set(column.tolist()) <= set(DAYS) else None

    def arms(self, feature, own):
        today, places = int(own.argmax()), self.places(feature)
        later = [places[(today + i) % 7] for i in (1, 2, 3)]
        earlier = [places[(today - i) % 7] for i in (1, 2, 3)]
        return [later, earlier]


@pytest.fixture(autouse=True)
def toys():
    known = dict(KINDS)
    register(Weekday())
    register(Percent())
    yield
    KINDS.clear()
    KINDS.update(known)


COLUMNS = {
    "numeric": [3.5, 1.0, 2.25],
    "ordinal": [True, False, True],
    "categorical": ["rent", "own", "free"],
    "weekday": ["Mon", "Sat", "Mon"],
    "share": ["12.5 %", "3 %", "100 %"],
    "money": ["$60,000.00 ", "$900.00 ", "$1,234.50 "],
    "duration": ["36 months", "1 month", "60 months"],
    "truth": ["N", "Y", "N"],
    "date": [pd.Timestamp(2024, 2, 29), pd.Timestamp(1969, 7, 20), pd.Timestamp(2024, 3, 1)],
}

each_kind = pytest.mark.parametrize("kind", sorted(COLUMNS))
with_gaps = pytest.mark.parametrize("gaps", [False, True])


def column_of(kind, gaps):
    values = [*COLUMNS[kind], None] if gaps else COLUMNS[kind]
    return pd.DataFrame({"c": values})


@each_kind
@with_gaps
def test_columns_are_recognised(kind, gaps):
    feature = Terrain.infer(column_of(kind, gaps)).feature("c")
    assert (feature.kind, feature.missing) == (kind, gaps)
    assert feature.has_levels == bool(feature.levels)


@each_kind
@with_gaps
def test_values_come_back_as_they_were(kind, gaps):
    table = column_of(kind, gaps)
    terrain = Terrain.infer(table)
    points = terrain.encode(table)
    assert points.shape == (len(table), terrain.feature("c").width)
    pd.testing.assert_frame_equal(terrain.decode(points), table)
    assert (
        terrain.feature("c").is_missing(np.asarray(points)).tolist() == table["c"].isna().tolist()
    )


@pytest.mark.parametrize("kind", ["categorical", "share", "money", "truth"])
@pytest.mark.parametrize("blank", [None, np.nan])
def test_gaps_in_text_come_back_as_they_were_written(kind, blank):
    table = pd.DataFrame({"c": [*COLUMNS[kind], blank]}, dtype=object)
    terrain = Terrain.infer(table)
    again = terrain.decode(terrain.encode(table))["c"].tolist()
    assert again[:-1] == COLUMNS[kind]
    assert again[-1] is None if blank is None else np.isnan(again[-1])


@each_kind
@with_gaps
def test_one_row_has_the_point_it_has_in_a_table(kind, gaps):
    table = column_of(kind, gaps)
    terrain = Terrain.infer(table)
    for point, value in zip(np.asarray(terrain.encode(table)), table["c"].tolist(), strict=True):
        assert np.array_equal(terrain.point({"c": value}), point)


@each_kind
def test_what_rows_have_is_rounded_to_itself(kind):
    table = column_of(kind, False)
    terrain = Terrain.infer(table)
    feature, points = terrain.feature("c"), np.asarray(terrain.encode(table))
    rounded = kind_of(feature).rounded(feature, points, feature.decimals)
    np.testing.assert_allclose(rounded, points, atol=1e-12)


@each_kind
@with_gaps
def test_every_rung_of_a_ladder_is_another_row(kind, gaps):
    table = column_of(kind, gaps)
    terrain = Terrain.infer(table)
    for point in np.asarray(terrain.encode(table)):
        for ladder in ladders(terrain, point):
            rows = terrain.decode(ladder.values)
            assert not rows.duplicated().any()
            np.testing.assert_allclose(np.asarray(terrain.encode(rows)), ladder.values, atol=1e-12)


@each_kind
def test_a_person_reaches_all_or_nothing_of_a_free_or_frozen_column(kind):
    table = column_of(kind, False)
    terrain = Terrain.infer(table).price("c", 1.0)
    own = np.asarray(terrain.encode(table))[0]
    for each, moves in ((terrain, True), (terrain.freeze("c"), False)):
        low, high = kind_of(each.feature("c")).reach(each.feature("c"), own)
        assert np.any(np.asarray(low) < np.asarray(high)) == moves


@each_kind
def test_only_numbers_have_a_range_and_amounts(kind):
    table = column_of(kind, False)
    feature = Terrain.infer(table).feature("c")
    if feature.has_levels:
        assert kind_of(feature).range(feature) is None
        assert np.isnan(kind_of(feature).amounts(feature, table["c"])).all()
        assert math.isnan(kind_of(feature).amount(feature, table["c"].iloc[0]))
    else:
        amounts = kind_of(feature).amounts(feature, table["c"])
        assert kind_of(feature).range(feature) == (amounts.min(), amounts.max())
        assert kind_of(feature).amount(feature, table["c"].iloc[0]) == amounts[0]


def test_a_registered_kind_is_asked_first():
    assert Terrain.infer(pd.DataFrame({"c": ["Mon"]})).feature("c").kind == "weekday"
    register(Categorical())
    assert next(iter(KINDS)) == "categorical"
    assert Terrain.infer(pd.DataFrame({"c": ["Mon"]})).feature("c").kind == "categorical"


def test_days_change_one_at_a_time_round_the_week():
    table = pd.DataFrame({"day": list(DAYS)})
    model = lambda rows: np.column_stack([rows["day"] != "Fri", rows["day"] == "Fri"]).astype(float)  # noqa: E731
    explainer = FACElift(model, steps="actions").fit(table)
    (journey,) = explainer.explain({"day": "Mon"}, target=1)
    assert journey.rows["day"].tolist() == ["Mon", "Sun", "Sat", "Fri"]


def test_every_kind_ranks_values_that_have_an_order_and_no_others():
    ranks = {
        "numeric": (Feature("n", "numeric"), 3.5, 3.5),
        "ordinal": (Feature("o", "ordinal", ("low", "high")), "high", 1.0),
        "yes or no": (Feature("t", "ordinal", (False, True)), True, 1.0),
        "categorical": (Feature("c", "categorical", ("x", "y")), "y", None),
        "date": (Feature("d", "date"), "1970-01-03", 2.0),
    }
    for name, (feature, value, rank) in ranks.items():
        assert feature.rank(value) == rank, name
    assert ranks["ordinal"][0].rank("nowhere") is None
    assert ranks["numeric"][0].rank("nowhere") is None
