"""Groups of people, told as they were counted."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crowd import population

from facelift.auditing.census import N_WAYS
from facelift.views.groups import group_table


@pytest.mark.parametrize(("ways", "told"), [(N_WAYS, f"{N_WAYS}+"), (3, "3")])
def test_ways_are_told_as_far_as_they_were_counted(ways, told, monkeypatch):
    people = population(30)
    assert list(people.census.take())
    audit = people.census.audit(np.zeros(30))
    monkeypatch.setitem(audit.groups, "destinations_median", float(ways))
    monkeypatch.setattr(people.census, "audit", lambda _: audit)
    assert [row.ways for row in group_table(people, "sex", "cost").rows] == [told, told]
