"""What it costs to take back what one has done."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facelift as fl
from facelift.errors import InvalidInput
from facelift.toys import loan
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import SetLimits, Take, Walk

TABLE = pd.DataFrame([{"savings": x, "debts": y} for x in range(5) for y in range(5)])


def model(table):
    """Many savings and few debts."""
    chance = np.clip((table["savings"] - table["debts"] + 4) / 8, 0, 1)
    return np.column_stack([1 - chance, chance])


@pytest.fixture(scope="module")
def multiverse():
    made = fl.FACElift(model, steps="actions", plausibility=1.0, n_counterfactuals=4)
    return made.fit(TABLE).explain({"savings": 1, "debts": 3})


@given(factor=st.floats(1, 50), more=st.floats(1, 50))
def test_nothing_gets_cheaper_by_a_larger_factor_and_onward_steps_cost_the_same(
    multiverse, factor, more
):
    here = fl.Position.start(multiverse)
    there = here.step(here.options()[0])
    small, large = there.undoing(factor), there.undoing(factor + more)
    assert (large.remaining >= small.remaining - 1e-12).all()
    assert (there.undoing(1.0).remaining == there.remaining).all()
    assert large.cost == there.cost  # what was spent is spent
    never = there.undoing(math.inf)
    assert (never.remaining >= large.remaining - 1e-12).all()


def test_a_step_back_costs_the_factor_and_is_gone_at_infinity(multiverse):
    here = fl.Position.start(multiverse)
    end = here.options()[0].end
    there = here.step(here.options()[0])
    plain = there.graph.edge_cost(end, here.vertex)
    assert 0 < plain < math.inf
    assert there.undoing(2.0).open_graph.edge_cost(end, here.vertex) == 2 * plain
    assert there.undoing(math.inf).open_graph.edge_cost(end, here.vertex) == math.inf
    onward = there.graph.edge_cost(here.vertex, end)
    assert there.undoing(2.0).open_graph.edge_cost(here.vertex, end) == onward


def test_undoing_is_for_single_changes_and_no_discount():
    with pytest.raises(InvalidInput, match="steps='actions'"):
        fl.Position.start(loan().multiverse()).undoing(2.0)


def test_a_factor_below_one_is_refused(multiverse):
    with pytest.raises(InvalidInput, match="factor"):
        fl.Position.start(multiverse).undoing(0.5)


def test_the_page_takes_nothing_back_unless_asked_and_tells_spent_from_to_come(multiverse):
    guide = Guide(multiverse)
    first = document(guide, Walk())
    assert first.settings.undo is False
    assert first.header.effort == 0
    assert first.header.to_come == pytest.approx(multiverse.costs.min())
    step = next(card for card in first.cards.cards if not card.arrives)
    after = document(guide, first.walk, Take(step.vertex))
    assert after.header.effort == pytest.approx(step.effort)
    assert after.header.to_come == pytest.approx(min(way.effort for way in after.ways))
    asked = document(guide, after.walk, SetLimits(Limits(undo=3.0)))
    assert "3 times the effort" in asked.banner
    assert asked.header.effort == after.header.effort
