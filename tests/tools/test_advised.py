"""The advice keeps its promises: a sample of declined people; `python -m tools.advised` has all."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tools.advised import FAULTS, Notes, check, faults, harms

import facelift as fl

LINE = pd.DataFrame({"years": np.arange(11.0)})


class Model:
    """The more years, the better."""

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        good = rows["years"].to_numpy(dtype=float)[:, np.newaxis] / 10
        return np.hstack([1 - good, good])


def test_what_breaks_a_promise_is_noticed():
    terrain = fl.Terrain.infer(LINE)
    multiverse = fl.FACElift(Model(), terrain, n_neighbors=2, margin=0.02).fit(LINE).explain([2.0])
    assert list(faults(multiverse, Model(), terrain)) == []
    early = [
        replace(j, decode=lambda _, j=j: LINE.iloc[j.vertices[:-2]].reset_index(drop=True))
        for j in multiverse
    ]
    broken = replace(multiverse, journeys=tuple(early))
    assert list(faults(broken, Model(), terrain)) == ["below"]
    assert list(faults(multiverse, Model(), terrain.worse("years", "increase"))) == ["worse"]


def test_harm_is_seen_in_levels_and_gaps():
    rows = pd.DataFrame({"job": ["cook", "clerk", "none"], "pay": [1.0, 2.0, np.nan]})
    jobs = fl.Terrain.infer(rows[["job"]]).worse("job", order=["none"])
    pay = fl.Terrain.infer(rows[["pay"]]).worse("pay", "decrease")
    assert [harms(rows[:2], jobs), harms(rows, jobs)] == [False, True]
    assert [harms(rows[:2], pay), harms(rows, pay)] == [False, True]


def test_what_was_found_is_there_when_one_goes_on(tmp_path):
    notes = Notes(tmp_path / "notes")
    notes.add("german", 4, ["have ways"])
    notes.add("german", 7, ["have ways", "dips"])
    notes.add("adult", 4, [])
    again = Notes(tmp_path / "notes")
    assert again.found == notes.found
    assert again.counts("german") == {"looked at": 2, "have ways": 2, "dips": 1}
    assert again.counts("adult") == {"looked at": 1}


@pytest.mark.harness
def test_declined_applicants_get_advice_that_keeps_its_promises():
    found = check("german", 30, Notes(None), math.inf)
    assert found["have ways"] > 20
    assert {fault: found[fault] for fault in FAULTS} == dict.fromkeys(FAULTS, 0)
