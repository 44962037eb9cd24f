"""Dates and times: told as dates, settled unless rules say otherwise."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift import FACElift, Multiverse, Terrain, read_rules, write_rules
from facelift.errors import InvalidData
from facelift.multiverse.frames import changes
from facelift.multiverse.words import in_words, value_words

FORMATS = [
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d-%b-%y",
    "%d %B %Y",
    "%B %d, %Y",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
]
times = st.datetimes(datetime(1970, 1, 1), datetime(2060, 1, 1)).map(
    lambda time: time.replace(microsecond=0)
)
fine = st.datetimes(datetime(1950, 1, 1), datetime(2030, 1, 1))  # floats tell them apart


def check_exact(table: pd.DataFrame) -> None:
    terrain = Terrain.infer(table)
    assert terrain.feature("c").kind == "date"
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(table)), table)


@pytest.mark.parametrize("written", FORMATS)
@given(st.lists(times, min_size=1))
def test_text_comes_back_exactly_as_it_was(written, moments):
    check_exact(pd.DataFrame({"c": [f"{moment:{written}}" for moment in moments]}))


@given(st.lists(fine, min_size=1))
def test_times_come_back_exactly(moments):
    for unit in ("us", "ns"):
        check_exact(pd.DataFrame({"c": pd.Series(moments).astype(f"M8[{unit}]")}))
    check_exact(pd.DataFrame({"c": pd.Series(moments, dtype=object)}))
    check_exact(pd.DataFrame({"c": pd.Series([m.date() for m in moments], dtype=object)}))
    zoned = pd.Series(moments).astype("M8[us]").dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    check_exact(pd.DataFrame({"c": zoned}))


def test_dates_without_leading_zeros_come_back():
    check_exact(pd.DataFrame({"c": ["2/28/1997", "12/1/2001", "3/4/1999"]}))
    check_exact(pd.DataFrame({"c": ["28-Feb-97", "1-Mar-98"]}))
    check_exact(pd.DataFrame({"c": ["2/28/1997", None, "12/1/2001"]}))


def test_days_come_first_where_months_cannot():
    days = Terrain.infer(pd.DataFrame({"c": ["02/03/2001", "28/02/2001"]}))
    assert days.feature("c").summary[-1] == "2001-02-28 to 2001-03-02, written as 28/02/2001"
    months = Terrain.infer(pd.DataFrame({"c": ["02/03/2001", "11/02/2001"]}))
    assert months.feature("c").summary[-1].startswith("2001-02-03 to 2001-11-02")


@pytest.mark.parametrize("cells", [["2001-02-30", "2001-01-01"], ["soon", "later"], ["1.5", "2.5"]])
def test_what_no_calendar_has_is_no_date(cells):
    assert Terrain.infer(pd.DataFrame({"c": cells})).feature("c").kind == "categorical"


def test_dates_are_settled_unless_rules_let_them_change(tmp_path):
    table = pd.DataFrame({"c": pd.date_range("2024-01-01", periods=9)})
    terrain = Terrain.infer(table)
    assert terrain.feature("c").frozen
    free = terrain.price("c", 1.0).between("c", "2024-01-02", date(2024, 1, 8))
    for each in (terrain, free, free.increase_only("c")):
        write_rules(each, tmp_path / "rules.toml")
        assert read_rules(tmp_path / "rules.toml", terrain) == each
    (tmp_path / "rules.toml").write_text(
        'c = {change = "increase", between = [2024-01-02, 2024-01-08]}'
    )
    assert read_rules(tmp_path / "rules.toml", terrain) == free.increase_only("c")
    assert "between 2024-01-02 and 2024-01-08" in repr(free)


@pytest.mark.parametrize("bad", ["soon", "2024-02-30", True, ()])
@pytest.mark.parametrize("text", [True, False])
def test_a_value_that_is_no_date_is_one_clear_line(bad, text):
    days = pd.date_range("2024-01-01", periods=3)
    table = pd.DataFrame({"c": days.strftime("%d.%m.%Y") if text else days})
    with pytest.raises(InvalidData, match="'c' holds dates such as 2024-01-01, but was given"):
        Terrain.infer(table).point({"c": bad})


def test_times_finer_than_floats_tell_are_refused():
    with pytest.raises(InvalidData, match=r"finer than floats can tell; round them"):
        Terrain.infer(pd.DataFrame({"c": pd.to_datetime([1], unit="ns")}))


def test_dates_are_told_as_dates_and_written_to_documents(tmp_path):
    table = pd.DataFrame({"since": pd.date_range("2024-01-01", periods=9)})

    def granted(rows):
        early = (rows["since"] < "2024-01-05").to_numpy()
        return np.column_stack([~early, early]).astype(float)

    terrain = Terrain.infer(table).price("since", 1.0)
    explainer = FACElift(granted, terrain, steps="actions").fit(table)
    multiverse = explainer.explain(table.iloc[[5]], target=1)
    assert str(in_words(changes(multiverse[0])[0])[0]) == "Since: 2024-01-06 → 2024-01-04"
    again = Multiverse.from_json(multiverse.to_json())
    pd.testing.assert_frame_equal(again[0].rows, multiverse[0].rows)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=granted)
    assert loaded.explain(table.iloc[[5]], target=1).to_json() == multiverse.to_json()
    assert value_words(pd.Timestamp("2024-01-06 14:30"), terrain.feature("since")) == (
        "2024-01-06 14:30:00"
    )


def test_dates_and_durations_of_polars_come_back(tmp_path):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(
        {
            "day": [date(2020, 1, 1), None, date(2021, 6, 1)],
            "time": [datetime(2020, 1, 1, 12), datetime(2020, 1, 2), datetime(2021, 1, 1)],
        }
    ).with_columns(span=polars.col("time") - polars.col("time").min())
    terrain = Terrain.infer(table)
    assert [feature.kind for feature in terrain.features] == ["date", "date", "duration"]
    assert terrain.decode(terrain.encode(table)).equals(table)
    model = lambda rows: np.tile([0.4, 0.6], (len(rows), 1))  # noqa: E731
    FACElift(model, terrain).fit(table).save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=model).terrain_
    assert loaded.decode(loaded.encode(table)).equals(table)
