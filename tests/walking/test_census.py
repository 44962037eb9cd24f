"""A census counts everybody's ways as explaining them one by one does, and tells its sample."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crowd import population

import facelift as fl
from facelift.walking import population as counting
from facelift.walking.population import N_WAYS, Census


def counted(people) -> Census:
    for _ in people.census.take():
        pass
    return people.census


@pytest.mark.parametrize("steps", ["actions", "rows"])
def test_everybody_has_as_many_ways_as_when_they_are_explained(steps):
    people = population(60, steps)
    census = counted(people)
    more = people.explainer.under(people.explainer.terrain_, n_counterfactuals=N_WAYS)
    assert census.is_done
    for person in np.flatnonzero(~census.reached):
        found = more.explain(people.table.iloc[[person]], "good")
        assert (census.ways[person] > 0) == (len(found) > 0)
        if steps == "actions":
            assert census.ways[person] == len(found)
        if len(found):
            assert census.effort[person] == pytest.approx(found[0].cost)
    assert (census.ways[people.table["banned"] > 0] == 0).all()


def test_its_audit_is_that_of_the_whole_table():
    people = population(80)
    found = counted(people).audit("sex")
    more = people.explainer.under(people.explainer.terrain_, n_counterfactuals=N_WAYS)
    whole = fl.audit(more, people.table, by="sex", target="good")
    names = ["n", "rejected", "coverage", "coverage_low", "coverage_high", "cost", "destinations"]
    np.testing.assert_allclose(found.groups[names].astype(float), whole[names].astype(float))


def test_a_large_table_is_sampled_and_whoever_is_asked_for_is_counted(monkeypatch):
    monkeypatch.setattr(counting, "MOST_IN_WHOLE", 50)
    monkeypatch.setattr(counting, "MOST_PEOPLE", 20)
    people = population(80)
    census = counted(people)
    assert not census.is_whole
    assert (census.ways >= 0).sum() == census.looking <= 20
    left = int(np.flatnonzero(~census.reached & (census.ways < 0))[0])
    census.look_at(left)
    assert census.ways[left] >= 0
    assert census.looked == census.looking


def test_nobody_is_audited_before_anybody_was_looked_at():
    assert population(40).census.audit("sex") is None
