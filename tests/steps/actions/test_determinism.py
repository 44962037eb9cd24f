"""The same table gives the same journeys, whatever the order of its rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.steps.actions.worlds import credit_explainer
from tests.steps.slow_actions import (
    wide_worlds,
)

import facelift as fl


def test_the_same_bytes_twice_for_every_order_of_rows_and_in_threads(loans):
    X, model = loans
    chances = model(X)[:, 1]
    cases = X[(chances > 0.3) & (chances < 0.4)].head(6)
    once = [m.to_json() for m in credit_explainer(X, model).explain_many(cases, 1)]
    again = [m.to_json() for m in credit_explainer(X, model).explain_many(cases, 1)]
    shuffled = X.iloc[np.random.default_rng(0).permutation(len(X))]
    other = [m.to_json() for m in credit_explainer(shuffled, model).explain_many(cases, 1)]
    threads = [m.to_json() for m in credit_explainer(X, model, n_jobs=2).explain_many(cases, 1)]
    assert once == again == other == threads
    assert len(set(once)) == len(once)
    assert all(len(fl.Multiverse.from_json(each)) > 0 for each in once)


@settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))
@given(wide_worlds(), st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_no_journey(world, seed):
    shuffled = replace(world, X=world.X.iloc[np.random.default_rng(seed).permutation(len(world.X))])
    for case in world.cases:
        if world.admits(case):
            one, two = (w.explainer().explain(w.frame([case])) for w in (world, shuffled))
            assert one.to_json() == two.to_json()
