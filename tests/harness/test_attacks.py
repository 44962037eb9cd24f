"""Every attack, a few times; `python -m tools.trust attacks` tries more."""

from __future__ import annotations

import pytest
from tests.harness.attacks import ATTACKS, kept


@pytest.mark.parametrize("name", ATTACKS)
def test_promises_hold_under_attack(name):
    found = kept(ATTACKS[name], 8)
    assert len(found) >= 8
    assert all(found)
