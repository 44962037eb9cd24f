"""Whatever is given that cannot be right, the answer is one clear line, and nothing is left behind.

The table is in `bad_inputs`, one module per kind of input.
"""

from __future__ import annotations

from collections import Counter

import pytest
from bad_inputs.table import Answer, BadInput, faults
from tests.harness.bad_inputs import arguments, documents, frames, models, requests, rules

CASES = [
    *frames.CASES,
    *rules.CASES,
    *models.CASES,
    *documents.CASES,
    *arguments.CASES,
    *requests.CASES,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bad_input_is_answered_in_one_clear_line(case, tmp_path):
    assert faults(case, tmp_path) == []


def test_the_table_is_long_and_says_everything_once():
    assert len(CASES) >= 200
    assert [name for name, n in Counter(case.name for case in CASES).items() if n > 1] == []
    kinds = Counter(case.name.partition(":")[0] for case in CASES)
    assert min(kinds.values()) >= 5


def test_an_answer_that_is_not_right_is_noticed(tmp_path):
    def give(home):
        (home / "half").write_text("")
        return Answer(1, "Traceback\nof it", "a result")

    found = faults(BadInput("", give, 4, "clear words"), tmp_path)
    assert len(found) == 6
