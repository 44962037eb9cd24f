"""Goals: a range is reached by the numbers in it and by no others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal, Range, chance_words, goal_of, range_of

NUMBERS = st.floats(-1e6, 1e6)


@given(NUMBERS, NUMBERS, st.lists(NUMBERS, min_size=1, max_size=9))
def test_a_range_is_reached_by_the_numbers_in_it_and_by_no_others(one, other, values):
    low, high = sorted((one, other))
    answers = np.array(values)[:, np.newaxis]
    for ends in [(low, high), (low, None), (None, high)]:
        wanted = range_of(ends)
        inside = [
            (ends[0] is None or v >= ends[0]) and (ends[1] is None or v <= ends[1]) for v in values
        ]
        assert wanted.reached(answers).tolist() == inside
        assert (wanted.merit(answers) == 0).tolist() == inside


@given(NUMBERS, NUMBERS, st.lists(NUMBERS, min_size=1, max_size=9))
def test_the_best_number_is_the_nearest_to_the_range(one, other, values):
    low, high = sorted((one, other))
    away = [max(low - v, v - high, 0.0) for v in values]
    best = Range(low, high).best(np.array(values)[:, np.newaxis])
    assert max(low - best, best - high, 0.0) == min(away)


def test_an_infinite_end_is_an_open_one():
    assert range_of((-math.inf, 3)) == range_of((None, 3)) == Range(None, 3.0)
    assert range_of([np.float64(2), np.inf]) == Range(2.0, None)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, "one number per row"),
        ("good", "one number per row"),
        (3, "one number per row"),
        ((1, 2, 3), "two numbers"),
        ((1, "b"), "two numbers"),
        ((math.nan, 1), "two numbers"),
        ((True, 1), "two numbers"),
        ((None, None), "at least one end"),
        ((3, 2), "upside down"),
        ((math.inf, None), "at least one end"),
        ((math.inf, 5), "upside down"),
    ],
)
def test_what_is_no_range_is_one_clear_error(target, words):
    with pytest.raises(InvalidInput, match=words):
        range_of(target)


@pytest.mark.parametrize(
    ("known", "asked"), [([0, 1], "1"), (["0", "1"], 1), ([False, True], "True")]
)
def test_a_class_is_found_by_how_it_reads(known, asked):
    assert goal_of(asked, known, np.array([0.9, 0.1]), 0.5).target == (str(known[1]),)


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_a_chance_reads_on_the_side_of_the_threshold_it_is_on(chance, threshold):
    words = chance_words(chance, threshold)
    enough = bool(Goal(("b",), threshold, ("a", "b")).reached(np.array([1 - chance, chance])))
    if words.startswith("just"):
        assert words.split()[1] == ("above" if enough else "below")
    else:
        assert (float(words[:-1]) / 100 >= threshold * (1 - 1e-8)) == enough


def test_nearly_half_is_not_half():
    assert chance_words(0.4993, 0.5) == "49.9%"
    assert Goal(("b",), 0.5, ("a", "b")).words(0.49999) == "49.999%"
