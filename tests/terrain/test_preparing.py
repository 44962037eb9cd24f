"""Raw tables made ready: what is left out, what means missing, what text says as a number."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from facelift.errors import InvalidData, InvalidRules
from facelift.terrain import Terrain, prepare, read_rules, write_rules
from facelift.terrain.preparing import as_numbers


def ready(tmp_path, X: pd.DataFrame, text: str) -> pd.DataFrame:
    """The table made ready by a rules file of that text."""
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return prepare(X, path)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$60,000.00 ", 60000.0),
        ("1.234,50 €", 1234.5),
        ("€ 1 234,50", 1234.5),
        ("CHF 1'234.50", 1234.5),
        ("1,234,567", 1234567.0),
        ("1.234 €", 1234.0),
        ("0.125", 0.125),
        ("$12.5", 12.5),
        ("-$3.00", -3.0),
        ("($3.00)", -3.0),
        ("250 DM", 250.0),
        ("CHF 2’273.-", 2273.0),
        ("₹ 12,34,567.50", 1234567.5),
    ],
)
def test_money_is_read_in_the_ways_people_write_it(text, number):
    assert as_numbers([text], "money") == [number]


NO_MONEY = ["", "dear", "100-500", "A11", "$", "12 %", "(3", "1;2", "70.195.17.224", "+49 848740"]


@pytest.mark.parametrize("text", NO_MONEY)
def test_what_is_no_money_is_not_read_as_such(text):
    assert math.isnan(as_numbers([text], "money")[0])


def test_percentages_are_numbers_of_hundredths():
    assert as_numbers(["12 %", "1,5%", "-0.25%"], "percent") == [12.0, 1.5, -0.25]


@pytest.mark.parametrize(
    ("texts", "years"),
    [
        (["2012-01-01", "2012-07-02 10:00"], [2012.0, 2012.5]),
        (["01/02/2012", "31/12/2012"], [2012.085, 2012.997]),
        (["01/02/2012", "12/31/2012"], [2012.003, 2012.997]),
        (["2012-01-01T23:30:00-05:00", "2012-07-02T10:00:00Z"], [2012.0, 2012.5]),
        (["2012-07-02T10:00:00.5+0530", "2012-13-01"], [2012.5, math.nan]),
        (["1 March 2011", "Mar 1, 2011", "01-Mar-2011"], [2011.162] * 3),
    ],
)
def test_dates_are_years_and_days_come_first_where_they_must(texts, years):
    np.testing.assert_array_equal(as_numbers(texts, "date"), years)


def test_codes_become_missing_in_numbers_and_in_text(tmp_path):
    X = pd.DataFrame({"since": [-9, 4, -8, 7], "job": [" ?", "cook", "judge", " ?"]})
    found = ready(tmp_path, X, 'since.codes = [-9, -8]\njob.codes = ["?"]')
    assert found["since"].isna().tolist() == [True, False, True, False]
    assert found["job"].isna().tolist() == [True, False, False, True]
    assert X["since"].tolist() == [-9, 4, -8, 7]


def test_numbers_that_only_codes_had_turned_into_text_are_numbers_again(tmp_path):
    found = ready(tmp_path, pd.DataFrame({"debt": ["12", "none", "7.5"]}), 'debt.codes = ["none"]')
    np.testing.assert_array_equal(found["debt"], [12.0, np.nan, 7.5])


def test_text_that_is_not_what_it_is_read_as_is_an_error_that_names_it(tmp_path):
    X = pd.DataFrame({"price": ["$5", "on demand"]})
    with pytest.raises(InvalidData, match="'price' is read as money, which 'on demand' is not"):
        ready(tmp_path, X, 'price.read = "money"')


def test_a_fault_of_the_file_is_told_before_the_table_is_touched(tmp_path):
    with pytest.raises(InvalidRules, match=r"\[price\] read"):
        ready(tmp_path, pd.DataFrame({"price": ["$5"]}), 'price.read = "pounds"')


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name.leave_out = true", "still has this column"),
        ('name.codes = ["?"]', r"still holds '\?'"),
        ('price.read = "money"', "holds text"),
    ],
)
def test_rules_for_a_table_that_was_not_made_ready_say_so(tmp_path, text, fault):
    X = pd.DataFrame({"name": ["a", "?"], "price": ["$5", "$6"]})
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(InvalidRules, match=f"{fault}.*facelift.prepare"):
        read_rules(path, Terrain.infer(X))


def test_a_terrain_reads_raw_tables_as_its_rules_did(tmp_path):
    X = pd.DataFrame({"id": ["a", "b", "c"], "price": ["$5", "n/a", "$7"]})
    rules = 'id.leave_out = true\n[price]\nread = "money"\ncodes = ["n/a"]'
    table = ready(tmp_path, X, rules)
    terrain = read_rules(tmp_path / "rules.toml", Terrain.infer(table))
    pd.testing.assert_frame_equal(prepare(X, terrain)[["price"]], table)
    write_rules(terrain, tmp_path / "again.toml")
    assert read_rules(tmp_path / "again.toml", Terrain.infer(table)) == terrain


@pytest.mark.timeout(30)  # it would take hours if every way to part the blanks were tried
@pytest.mark.parametrize("read", ["money", "percent", "date"])
def test_long_texts_are_no_amounts_and_said_so_at_once(read):
    assert math.isnan(as_numbers(["-" + " " * 20_000 + "x"], read)[0])
