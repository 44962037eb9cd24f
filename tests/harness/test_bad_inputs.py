"""Whatever is given that cannot be right, the answer is one clear line, and nothing is left behind.

The table is in `bad_inputs`, one module per kind of input.
"""

from __future__ import annotations

import pytest
from tests.harness.bad_inputs import arguments, documents, frames, models, requests, rules
from tests.harness.bad_inputs.table import faults

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
