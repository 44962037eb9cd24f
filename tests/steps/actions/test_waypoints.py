"""Levels between are waypoints: they count for what stays open, and steps are told without them."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import facelift as fl


def halves(frame: pd.DataFrame) -> np.ndarray:
    """Grants a loan that is short, or somewhat shorter to who saves."""
    good = (frame["months"] <= 12) | ((frame["months"] <= 36) & (frame["savings"] >= 2))
    return np.column_stack([~good, good]).astype(float)


@pytest.fixture(scope="module")
def lent() -> fl.Multiverse:
    months, savings = [12, 24, 36, 48], [0, 1, 2, 3]
    table = pd.DataFrame(list(product(months, savings)), columns=["months", "savings"])
    explainer = fl.FACElift(halves, steps="actions", plausibility=1.0).fit(table)
    return explainer.explain({"months": 48, "savings": 0})


def test_a_step_passes_the_levels_between_and_is_told_as_one(lent):
    direct = next(each for each in lent if each.n_steps == 1)
    assert direct.rows["months"].tolist() == [48, 36, 24, 12]
    assert direct.in_steps.rows["months"].tolist() == [48, 12]
    assert direct.stops.tolist() == [0, 3]
    assert direct.step_of.tolist() == [0, 1, 1, 1]
    assert direct.to_frame()[["step", "from", "to"]].to_numpy().tolist() == [[1, 48, 12]]


def test_a_level_that_is_not_admissible_is_skipped():
    months, savings = [12, 24, 36, 48], [0, 1, 2, 3]
    rows = [row for row in product(months, savings) if row[0] != 24]
    table = pd.DataFrame(rows, columns=["months", "savings"])
    terrain = fl.Terrain.infer(table).levels("months", months).require("months != 24")
    explainer = fl.FACElift(halves, terrain, steps="actions", plausibility=1.0).fit(table)
    found = explainer.explain({"months": 48, "savings": 0})
    direct = next(each for each in found if each.n_steps == 1)
    assert direct.rows["months"].tolist() == [48, 36, 12]


def test_passing_the_level_of_another_way_leaves_that_way(lent):
    direct = next(each for each in lent if each.n_steps == 1)
    other = next(own for own, each in enumerate(lent) if each.n_steps == 2)
    assert direct.opportunity[other] == pytest.approx(1 / 3)  # 48 → 36 of 48 → 12
    assert direct.in_steps.remaining[-1, other] < direct.remaining[0, other]  # yet it ends nearer
    assert direct.to_frame()["open"].tolist() == [0]


def test_json_tells_steps_and_keeps_what_they_pass(lent):
    told = json.loads(lent.to_json())["journeys"]
    assert [len(each["step_costs"]) for each in told] == [each.n_steps for each in lent]
    read = fl.Multiverse.from_json(lent.to_json())
    assert read.to_json() == lent.to_json()
    assert read.opportunity.tolist() == lent.opportunity.tolist()
    assert [each.n_steps for each in read] == [each.n_steps for each in lent]
    pd.testing.assert_frame_equal(read.to_frame(), lent.to_frame())


def test_two_ways_share_what_both_pass_before_they_part(lent):
    pair = lent.pairs().iloc[0]
    first = [each.in_steps.rows["months"].iloc[1] for each in lent[:2]]
    assert sorted(first) == [12, 36]
    assert (pair["shared_steps"], pair["shared_cost"]) == (0, pytest.approx(1 / 3))
