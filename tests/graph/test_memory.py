"""What a fit takes is told before the work."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift
from facelift.errors import InvalidData, InvalidModel
from facelift.graph import memory


def never(_rows):
    raise AssertionError("the model was asked")


def test_a_table_larger_than_memory_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(memory, "NOTEWORTHY", 0)
    monkeypatch.setattr(memory, "free_memory", lambda: 200_000)
    table = np.random.default_rng(0).uniform(size=(400, 10))
    with pytest.raises(InvalidData, match=r"400 rows with 10 coordinates need about .* are free"):
        FACElift(never).fit(table)
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    with pytest.raises(InvalidModel, match="the model was asked"):
        FACElift(never).fit(table)


def test_more_steps_than_can_be_numbered_are_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(memory, "MOST_EDGES", 1_000)
    with pytest.raises(InvalidData, match=r"400 rows with 20 neighbours make up to"):
        FACElift(never).fit(np.arange(400.0)[:, np.newaxis])


def test_what_is_free_is_some_of_what_there_is():
    free = memory.free_memory()
    assert free is None or 0 < free < 2**50
