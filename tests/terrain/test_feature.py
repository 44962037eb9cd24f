"""What one column answers for: what it never does, and which changes a rule concerns."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_direction_that_makes_worse_off_is_forbidden_whatever_it_costs():
    poorer = NUMBER.worsened("decrease").priced(decrease=2.0)
    assert (poorer.harmless.decrease, poorer.harmless.increase) == (math.inf, 1.0)
    assert poorer.worsened("").harmless.decrease == 2.0


@given(st.data())
def test_no_chain_of_changes_leads_to_a_worse_level(data):
    levels = ORDERED.levels
    worse = data.draw(st.lists(st.sampled_from(levels), min_size=1, max_size=4, unique=True))
    feature = data.draw(st.sampled_from([ORDERED, replace(UNORDERED, levels=levels)]))
    for start, end in data.draw(st.lists(st.sampled_from(list(permutations(levels, 2))))):
        feature = feature.transition(start, end, 0.5)
    allowed = np.isfinite(feature.worsened(worse).harmless.transition_prices())
    rank = [worse.index(level) + 1 if level in worse else 0 for level in levels]
    for i, j in product(range(4), repeat=2):
        assert allowed[i, j] == (rank[j] <= rank[i] or i == j)
    assert np.array_equal(np.linalg.matrix_power(allowed.astype(int), 4) > 0, allowed)


@pytest.mark.parametrize(
    ("feature", "worse", "words"),
    [
        (NUMBER, "fall", "'increase', 'decrease' or a list"),
        (NUMBER, ["none"], "say whether 'increase' or 'decrease'"),
        (UNORDERED, "increase", "no order"),
        (UNORDERED, ["castle"], "not a level"),
        (UNORDERED, ["rent", "rent"], "twice"),
    ],
)
def test_what_cannot_be_worse_is_refused(feature, worse, words):
    with pytest.raises(InvalidInput, match=words):
        feature.worsened(worse)


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
