"""Whatever somebody clicks: no step that is shown ever breaks a limit they set."""

from __future__ import annotations

import math
import os
import random
from itertools import pairwise

import numpy as np
import pytest
from tests.laws import examples
from tools.random_walks import USUAL, WORLDS, Checks
from tools.random_walks import walk_at_random as walk_and_check

from facelift import FACElift, Terrain, datasets
from facelift.errors import InvalidInput
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Again, Other, RuleOut, SetLimits, Take, Unfold, Walk

EASES = ("easy", "ok", "hard", "never")


def shown_moves(guide, walk):
    """Pairs of rows for every step that a page would show: along ways, and as cards."""
    plan = guide.plan(walk)
    for journey in plan.ways:
        yield from pairwise(plan.rows(journey.waypoints))
    for option in plan.options:
        yield plan.values[option.start], plan.values[option.end]


def check(guide, walk):
    """Every shown step keeps the rules of the terrain and the limits; written independently."""
    terrain, limits = guide.explainer.terrain_, walk.limits
    for before, after in shown_moves(guide, walk):
        for feature in terrain.features:
            check_feature(feature, before[feature.name], after[feature.name], limits)
        if guide.single_changes:
            chosen = [each.name for each in terrain.features if each.ages is None]
            assert sum(before[name] != after[name] for name in chosen) == 1


def check_feature(feature, before, after, limits):
    if before == after:
        return
    assert not feature.frozen
    assert limits.ease.get(feature.name) != "never"
    if feature.kind != "categorical":
        rises = rank(feature, after) > rank(feature, before)
        assert math.isfinite(feature.increase if rises else feature.decrease)
    if feature.name in limits.bounds:
        low, high = limits.bounds[feature.name]
        nearer = low <= after < before or before < after <= high  # of somebody beyond them
        assert low <= after <= high or (nearer and not low <= before <= high)
    for rule in limits.ruled_out:
        if rule.feature == feature.name:
            check_rule(feature, rule, before, after)


def check_rule(feature, rule, before, after):
    """A change ruled out never happens, nor one that passes over it."""
    if feature.kind == "categorical":
        assert after != rule.end
        return
    sign = 1 if rank(feature, rule.end) > rank(feature, rule.start) else -1
    edge = sign * rank(feature, rule.end)
    assert not (sign * rank(feature, before) < edge <= sign * rank(feature, after))


def rank(feature, value):
    return feature.levels.index(value) if feature.kind == "ordinal" else value


def random_move(shown, rng):
    """Something a person could do on the page."""
    limits, settings = shown.walk.limits, shown.settings.settings
    cards = [card.vertex for card in shown.cards.cards]
    kind = rng.choice(
        ["take"] * 3 + ["rule out"] * 2 + ["ease"] * 4 + ["bound", "allow", "other", "more"]
    )
    if kind in ("take", "rule out") and cards:
        return (Take if kind == "take" else RuleOut)(rng.choice(cards))
    if kind == "bound":
        setting = rng.choice([each for each in settings if each.kind == "numeric"])
        low, high = sorted(rng.uniform(setting.least, setting.most) for _ in range(2))
        bounds = {
            **limits.bounds,
            setting.name: (min(low, setting.value), max(high, setting.value)),
        }
        return SetLimits(Limits(limits.ease, bounds, limits.ruled_out))
    if kind == "allow":
        return SetLimits(Limits(limits.ease, {}, limits.ruled_out[1:]))
    if kind == "other":
        setting = rng.choice([each for each in settings if each.levels])
        return Other({setting.name: rng.choice(setting.levels)})
    if kind == "more":
        return rng.choice([Again(12), Again(None), Unfold(rng.choice("ABC")), Unfold(None)])
    ease = {**limits.ease, rng.choice(settings).name: rng.choice(EASES)}
    return SetLimits(Limits(ease, limits.bounds, limits.ruled_out))


def walk_at_random(guide, n_moves, seed):
    """Make so many moves and check what each shows; once stuck, loosen everything."""
    rng = random.Random(seed)  # noqa: S311  (no secret)
    shown = document(guide, Walk())
    for _ in range(n_moves):
        if shown.state in ("arrived", "already") or len(shown.walk.past) > 12:
            shown = document(guide, Walk(limits=shown.walk.limits))
        move = random_move(shown, rng)
        if shown.state == "none" and rng.random() < 0.5:
            move = SetLimits(Limits())
        try:
            shown = document(guide, shown.walk, move)
        except InvalidInput:
            assert shown.state == "none" or isinstance(move, Other)
            continue
        check(guide, shown.walk)


@pytest.mark.laws
@pytest.mark.parametrize("steps", ["actions", "rows"])
def test_no_shown_step_ever_breaks_a_limit(lending, people, steps):
    terrain = (
        Terrain.infer(people).freeze("town").increase_only("savings").price("income", increase=2)
    )
    explainer = FACElift(lending.model, terrain, steps=steps, n_counterfactuals=7, max_states=120)
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(explainer.fit(people).explain(people.iloc[[row]], "granted"))
    walk_at_random(guide, examples(200 if steps == "actions" else 120), seed=1)


@pytest.mark.laws
def test_no_shown_step_ever_breaks_a_limit_on_german_credit(credit):
    terrain = datasets.german_credit_rules(Terrain.infer(credit.X))
    explainer = FACElift(
        credit.model, terrain, steps="actions", n_counterfactuals=7, max_states=800
    )
    guide = Guide(explainer.fit(credit.X).explain(credit.X.iloc[[4]], "good"))
    walk_at_random(guide, examples(30), seed=2)


@pytest.mark.harness
def test_people_of_heloc_are_not_sent_into_a_dead_end(data_home):  # noqa: ARG001
    """Of the first twelve who were declined, eleven once found nothing on the page."""
    world = WORLDS["heloc"]()
    states = [document(world.guide(number), Walk()).state for number in range(12)]
    assert "none" not in states


@pytest.mark.harness
@pytest.mark.parametrize("name", USUAL)
def test_nothing_on_the_page_contradicts_the_library(name):
    """1,000 of the 10,000 moves of `python -m tools.random_walks`, which prints its counts."""
    if name in ("adult", "heloc") and "FACELIFT_DATA" not in os.environ:
        pytest.skip(f"{name} is not at hand")
    checks = Checks()
    walk_and_check(WORLDS[name](), 250, 1, checks)
    assert checks.counts["moves"] >= 200
    assert not checks.faults
