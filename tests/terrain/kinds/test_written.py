"""Numbers written as text: money, percentages, durations."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from facelift import FACElift, Terrain, read_rules, write_rules
from facelift.errors import InvalidData
from facelift.multiverse.words import value_words
from facelift.terrain.kinds.written import style_of
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk

STYLES = [
    "$1,000.00 ",
    "1.000,00 €",
    "-1 000,… zł",
    "($1,000.…)",
    "CHF 1'000.00",
    "1000.… %",
    "-1000%",
    "1,000 year(s)",
    "1000.0 h",
]

CLOCKS = st.sampled_from(["1:00:00", "01:00:00"])


def column(cells: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"c": cells})


@pytest.mark.parametrize("example", STYLES)
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=2, unique=True), st.sampled_from([1, 10, 100])
)
def test_texts_come_back_exactly_as_they_were(example, numbers, parts):
    style = style_of(example)
    texts = [style.text(number / parts) for number in numbers]
    table = column(texts)
    terrain = Terrain.infer(table)
    assert terrain.decode(terrain.encode(table))["c"].tolist() == texts
    for text in texts[:3]:
        assert terrain.to_pandas([terrain.point({"c": text})])["c"].tolist() == [text]


@given(CLOCKS, st.lists(st.integers(-(10**7), 10**7), min_size=2, unique=True))
def test_times_on_a_clock_come_back_exactly_as_they_were(example, seconds):
    style = style_of(example)
    table = column([style.text(each) for each in seconds])
    terrain = Terrain.infer(table)
    feature = terrain.feature("c")
    assert feature.kind == "duration"
    assert all(feature.low <= stop <= feature.high for stop in feature.stops)
    assert terrain.decode(terrain.encode(table)).equals(table)
    (again,) = terrain.to_pandas([terrain.point(table.iloc[0])])["c"]
    assert again == table["c"][0]


def test_gaps_between_times_on_a_clock_come_back():
    table = pd.DataFrame({"c": ["3:05:07", None, "12:00:00"]}, dtype=object)
    terrain = Terrain.infer(table)
    assert (terrain.feature("c").kind, terrain.feature("c").missing) == ("duration", True)
    assert terrain.decode(terrain.encode(table))["c"].tolist() == ["3:05:07", None, "12:00:00"]


def test_durations_stop_where_people_round_them():
    cells = [style_of("1:00:00").text(each) for each in range(307, 32000, 41)]
    feature = Terrain.infer(column(cells)).feature("c")
    told = [style_of(feature.written).text(stop) for stop in feature.stops]
    assert all(text.endswith(":00") for text in told[1:-1])


@pytest.mark.parametrize("bad", ["3:5:7", "3:05", "185 minutes", "03:05:07"])
def test_what_is_on_no_such_clock_is_one_clear_line(bad):
    terrain = Terrain.infer(column(["3:05:07", "12:00:00"]))
    with pytest.raises(InvalidData, match=rf"'c' holds .* like '3:05:07', but was given '{bad}'"):
        terrain.point({"c": bad})


@pytest.mark.parametrize(
    ("cells", "kind", "numbers"),
    [
        (["$60,000.00 ", "$900.00 "], "money", [60000, 900]),
        (["1.234,50 €", "12,00 €"], "money", [1234.5, 12]),
        (["1.234 €", "12 €"], "money", [1234, 12]),
        (["($5)", "$1,000"], "money", [-5, 1000]),
        (["12 %", "7.5 %"], "percent", [12, 7.5]),
        (["12.500 %", "7.125 %"], "percent", [12.5, 7.125]),
        (["36 months", "1 month"], "duration", [36, 1]),
        (["3:05:07", "12:00:00"], "duration", [11107, 43200]),
        (["-00:00:01", "112:00:00"], "duration", [-1, 403200]),
    ],
)
def test_a_text_stands_for_its_number(cells, kind, numbers):
    terrain = Terrain.infer(column(cells))
    feature = terrain.feature("c")
    assert feature.kind == kind
    low, high = sorted(numbers)
    assert (feature.low, feature.high) == (low, high)
    assert (
        terrain.encode(column(cells))[:, 0].tolist() == feature.scaled(np.array(numbers)).tolist()
    )


@pytest.mark.parametrize(
    "cells",
    [
        ["$5", "5 €"],
        ["$5", "five dollars"],
        ["$1,00,000", "$5"],
        ["10+ years", "1 year"],
        ["5 apples", "6 apples"],
        ["S1", "S2"],
        ["$5", "$1,000", "$1000"],
        ["3:05:07", "03:05:07"],
        ["3:05:07", "3:05"],
        ["3:65:07", "3:05:07"],
    ],
)
def test_texts_in_no_one_style_are_categories(cells):
    assert Terrain.infer(column(cells)).feature("c").kind == "categorical"


def test_the_terrain_says_what_it_read():
    terrain = Terrain.infer(column(["$60,000.00 ", "$900.00 "])).between("c", 1000, 50000)
    said = "$900.00 to $60,000.00, read as 900 to 60,000; between 1000 and 50000"
    assert terrain.feature("c").summary[-1] == said


@pytest.mark.parametrize("bad", ["60000", "$60000", "much", True, (), float("inf")])
def test_a_value_in_no_such_style_is_one_clear_line(bad):
    terrain = Terrain.infer(column(["$60,000.00 ", "$900.00 "]))
    with pytest.raises(InvalidData, match=r"'c' holds numbers written like '\$900.00 ', but was"):
        terrain.point({"c": bad})


def test_models_get_texts_and_people_are_told_them(tmp_path):
    texts = [f"${1000 * i:,}.00 " for i in range(1, 30)]

    def granted(rows):
        assert set(rows["c"]) <= set(texts)
        enough = rows["c"].isin(texts[20:]).to_numpy()
        return np.column_stack([~enough, enough]).astype(float)

    terrain = Terrain.infer(column(texts)).increase_only("c").between("c", 500, 28000)
    write_rules(terrain, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(column(texts))) == terrain
    explainer = FACElift(granted, terrain, steps="actions").fit(column(texts))
    multiverse = explainer.explain({"c": texts[3]}, target=1)
    assert multiverse[0].rows["c"].iloc[-1] in texts[20:]
    assert value_words(texts[3], terrain.feature("c")) == "$4,000.00"
    (setting,) = document(Guide(multiverse, explainer), Walk()).settings.settings
    assert (setting.words, setting.least, setting.most) == ("$4,000.00", 1000, 29000)
    explainer.save(tmp_path / "saved")
    again = FACElift.load(tmp_path / "saved", model=granted)
    assert again.explain({"c": texts[3]}, target=1).to_json() == multiverse.to_json()


@example([timedelta(days=32768, seconds=1, microseconds=247)])
@given(st.lists(st.timedeltas(timedelta(days=-40_000), timedelta(days=40_000)), min_size=1))
def test_durations_come_back_exactly(spans):
    for table in (
        pd.DataFrame({"c": pd.to_timedelta(spans)}),
        pd.DataFrame({"c": pd.Series(spans, dtype=object)}),
    ):
        terrain = Terrain.infer(table)
        assert terrain.feature("c").kind == "duration"
        pd.testing.assert_frame_equal(terrain.decode(terrain.encode(table)), table)


def test_durations_count_in_days():
    table = pd.DataFrame({"c": pd.to_timedelta([1.5, 30], unit="D")})
    feature = Terrain.infer(table).feature("c")
    assert feature.summary[-1] == "1.5 to 30, in days"
    told = [value_words(each, feature) for each in pd.to_timedelta([1, 0.25, 45], unit="D")]
    assert told == ["1 day", "6 hours", "45 days"]
    with pytest.raises(InvalidData, match="'c' holds durations, but was given '5 days'"):
        Terrain.infer(table).point({"c": "5 days"})
    with pytest.raises(InvalidData, match="finer than microseconds"):
        Terrain.infer(pd.DataFrame({"c": pd.to_timedelta([1, 2], unit="ns")}))


@pytest.mark.timeout(30)  # it would take minutes if the time grew with the square of the length
@pytest.mark.parametrize("piece", ["c", " ", "(", "1,", "1 x"])
def test_long_texts_are_no_numbers_and_said_so_at_once(piece):
    texts = [piece * 30_000 + end for end in "ab"]
    (feature,) = Terrain.infer(pd.DataFrame({"x": texts * 3})).features
    assert feature.levels == tuple(sorted(texts))
