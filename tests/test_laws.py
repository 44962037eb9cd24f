"""The profiles of hypothesis are what CONTRIBUTING.md says, and every law follows them."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import settings
from tests.laws import DEEPER, examples, steps

TESTS = Path(__file__).parent


def under(profile: str, function, n: int) -> int:
    before = settings.get_current_profile_name()
    settings.load_profile(profile)
    try:
        return function(n)
    finally:
        settings.load_profile(before)


def test_in_ci_the_same_examples_are_tried_each_time():
    ci = settings.get_profile("ci")
    assert (ci.derandomize, ci.deadline) == (True, None)
    assert under("ci", examples, 300) == 300
    assert under("ci", steps, 8) == 8


def test_in_depth_others_are_tried_twenty_times_as_many_and_failures_can_be_repeated():
    deep = settings.get_profile("deep")
    assert (deep.derandomize, deep.print_blob, deep.deadline) == (False, True, None)
    assert DEEPER == 20
    assert under("deep", examples, 300) == 6000
    assert under("deep", steps, 8) == 16


def test_no_law_fixes_a_number_that_the_profile_could_not_raise():
    fixed = [
        f"{path.relative_to(TESTS)}: {found}"
        for path in TESTS.rglob("test_*.py")
        for found in re.findall(r"(?:max_examples|step_count)=\d+", path.read_text("utf-8"))
    ]
    assert fixed == []
