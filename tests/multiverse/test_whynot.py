"""Why not: every hint is a call that runs, and what it says holds."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import facelift as fl

X = pd.DataFrame({"a": np.arange(40.0) % 8, "b": np.arange(40.0) % 5, "c": np.arange(40.0) % 3})
CASE = {"a": 0.0, "b": 0.0, "c": 0.0}
CALLS = re.compile(r"explainer\.\w+\((?:[^()]|\([^()]*\))*\)")
SETTINGS = re.compile(r'\b(threshold|n_neighbors|steps)=("rows"|[\d.]*\d)')


def chance(rows):
    good = rows.to_numpy(float).sum(axis=1) / 15
    return np.column_stack([1 - good, good])


def apart(rows):
    return np.where(rows["a"] > 6, 0.9, 0.1)[:, np.newaxis] * [-1, 1] + [1, 0]


def amount(rows):
    return rows["a"].to_numpy(float)


def always(rows):
    return np.column_stack([np.full(len(rows), 0.6), np.full(len(rows), 0.4)])


def explainer_of(reason):
    """An explainer that finds no way for the case, and the target it is asked for."""
    free = fl.Terrain.infer(X)
    actions = {"steps": "actions", "plausibility": 0.9}
    made = {
        "budget": (fl.FACElift(chance, free, max_states=3, threshold=0.99, **actions), 1),
        "steps": (fl.FACElift(chance, free, max_steps=1, threshold=0.9, **actions), 1),
        "no candidate": (fl.FACElift(chance, free, threshold=0.99), 1),
        "range": (fl.FACElift(amount, free), (90, None)),
        "no route": (fl.FACElift(apart, free.freeze("a"), n_neighbors=3), 1),
        "committee": (
            fl.FACElift(apart, free, committee=fl.models.Committee([apart, always], 1)),
            1,
        ),
    }
    explainer, target = made[reason]
    return explainer.fit(X), target


@pytest.mark.parametrize(
    "reason", ["budget", "steps", "no candidate", "range", "no route", "committee"]
)
def test_every_call_that_a_hint_names_runs(reason):
    explainer, target = explainer_of(reason)
    why_not = explainer.explain(CASE, target).why_not
    calls = CALLS.findall(why_not.hint)
    assert calls
    for call in calls:
        names = {"explainer": explainer, "x": CASE}
        answer = eval(call.replace("freeze(...)", 'freeze("c")'), names)  # noqa: S307  (our own)
        if isinstance(answer, fl.FACElift):
            answer = answer.explain(CASE, target)
        assert isinstance(answer, fl.Multiverse)


@pytest.mark.parametrize("reason", ["no candidate", "range", "committee"])
def test_what_would_have_candidates_has_some(reason):
    explainer, target = explainer_of(reason)
    (call,) = CALLS.findall(explainer.explain(CASE, target).why_not.hint)
    answer = eval(call, {"explainer": explainer, "x": CASE})  # noqa: S307  (our own)
    if isinstance(answer, fl.FACElift):
        answer = answer.explain(CASE, target)
    assert len(answer) or answer.why_not.n_candidates


def test_settings_that_a_certificate_names_are_those_of_an_explainer():
    explainer, target = explainer_of("no route")
    settings = SETTINGS.findall(str(explainer.explain(CASE, target).why_not.certificate))
    for name, value in settings:
        assert name in explainer.get_params()
        assert len(explainer.under(explainer.terrain_, **{name: float(value)}).explain(CASE, 1))


@pytest.mark.parametrize(("best", "told"), [(0.0767, "0.076"), (0.49999, "0.499"), (4e-4, None)])
def test_a_threshold_that_would_do_is_never_rounded_up(best, told):
    text = str(fl.multiverse.certificate.Certificate("rules", threshold=best))
    assert re.findall(r"threshold=(.+) would do", text) == ([told] if told else [])


def test_where_the_budget_was_spent_searching_longer_is_named_first():
    explainer, target = explainer_of("budget")
    hint = explainer.explain(CASE, target).why_not.hint
    assert hint.index("max_states=") < hint.index("freeze(...)")


def test_a_single_step_is_told_as_one():
    explainer = fl.FACElift(chance, steps="actions", max_steps=1, plausibility=1.0, margin=0.0)
    told = explainer.set_params(threshold=0.9).fit(X).explain(CASE, 1).why_not
    assert re.match(r"None of \d+ states within 1 step reaches", told.message)
