"""What one column answers for: what it never does, and which changes a rule concerns."""

from __future__ import annotations

import math

import pytest

from facelift.errors import InvalidInput
from facelift.terrain import Feature

NUMBER = Feature("income", "numeric", low=0.0, high=10.0)
ORDERED = Feature("savings", "ordinal", levels=("none", "low", "mid", "high"))
UNORDERED = Feature("housing", "categorical", levels=("free", "own", "rent"))


@pytest.mark.parametrize("feature", [NUMBER, ORDERED])
def test_what_has_an_order_never_rises_or_falls(feature):
    assert feature.never == ()
    assert feature.priced(increase=math.inf).never == ("rise",)
    assert feature.priced(decrease=math.inf).never == ("fall",)
    assert feature.priced(increase=math.inf, decrease=math.inf).never == ("rise", "fall")


def test_what_has_no_order_never_changes():
    assert UNORDERED.never == ()
    assert UNORDERED.priced(increase=math.inf, decrease=math.inf).never == ("change",)


def test_changes_past_a_level_come_from_the_side_one_stands_on():
    assert ORDERED.leading_past("none", "mid") == [
        ("none", "mid"),
        ("none", "high"),
        ("low", "mid"),
        ("low", "high"),
    ]
    assert ORDERED.leading_past("high", "none") == [
        (start, "none") for start in ("low", "mid", "high")
    ]


def test_without_an_order_only_the_level_itself_is_led_to():
    assert UNORDERED.leading_past("free", "rent") == [("free", "rent"), ("own", "rent")]


def test_what_is_permitted_bounds_numbers_and_forbids_other_levels():
    bounded = NUMBER.permitted([2, 5])
    assert (bounded.lower, bounded.upper) == (2.0, 5.0)
    assert UNORDERED.permitted(["own", "free"]).transitions == (
        ("free", "rent", math.inf),
        ("own", "rent", math.inf),
    )
    with pytest.raises(InvalidInput, match="takes \\[low, high\\]"):
        NUMBER.permitted([1, 2, 3])


def test_only_what_has_no_order_is_refused_for_it():
    ORDERED.check_order(", so it stays")
    with pytest.raises(InvalidInput, match="Column 'housing' has no order, so it stays"):
        UNORDERED.check_order(", so it stays")
