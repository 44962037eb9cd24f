"""What stays open, closes and comes nearer, by SciPy's search on the graph within the limits."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csgraph

from facelift.multiverse.words import effort_size
from facelift.views.page import Document
from facelift.walking.guide import Guide
from facelift.walking.plan import Plan
from tools.random_walks.checks import Checks

HAIR = 1e-6

N_CARDS = 3
"""So many cards of a screen are checked."""


def check_reach(guide: Guide, shown: Document, rng: random.Random, checks: Checks) -> None:
    """One way step by step, and some cards: which ways can be reached from there, and how far."""
    plan = guide.planned(shown.walk)
    if plan.position is None or not shown.ways:
        return
    way = rng.choice(shown.ways)
    number = [name.letter for name in plan.lines].index(way.letter)
    vertices = plan.ways[number].in_steps.vertices.tolist()
    cards = rng.sample(shown.cards.cards, min(N_CARDS, len(shown.cards.cards)))
    left = remaining(plan, [*vertices, *(card.vertex for card in cards)])
    _check_steps(plan, way, [left[vertex] for vertex in vertices], checks)
    for card in cards:
        here, there = left[plan.position.vertex], left[card.vertex]
        _check_card(card, here, there, _ending_early(plan), checks)


def remaining(plan: Plan, vertices: Iterable[int]) -> dict[int, dict[str, float]]:
    """The least effort from vertices to where each way ends, by letter."""
    places, here = list(dict.fromkeys(vertices)), plan.position
    if here is None:
        return {}
    away = csgraph.dijkstra(here.reach.graph.costs, indices=places)
    ends = {
        name.letter: plan.ways.destinations[journey.own]
        for name, journey in zip(plan.lines, plan.ways, strict=True)
    }
    return {
        place: {letter: float(row[members].min()) for letter, members in ends.items()}
        for place, row in zip(places, away, strict=True)
    }


def _check_steps(plan: Plan, way: Any, left: list[dict[str, float]], checks: Checks) -> None:
    for step, before, after in zip(way.steps, left[:-1], left[1:], strict=True):
        open_ = {letter for letter, effort in after.items() if np.isfinite(effort)}
        lost = {letter for letter in set(after) - open_ if np.isfinite(before[letter])}
        said = (way.letter, step.words, step.closes, sorted(lost))
        checks.claim("what a step closes is out of reach", set(step.closes.split()) == lost, said)
        checks.claim("so many ways are in reach after a step", step.n_open == len(open_), said)
        others = {letter: after[letter] for letter in open_ - {way.letter}}
        if others:
            letter = step.fallback.split(",")[0].split()[0]
            nearest = others.get(letter, np.inf) <= min(others.values()) * (1 + HAIR) + HAIR
            checks.claim("one falls back to the nearest way", nearest, (step.fallback, others))
            if plan.guide.single_changes and nearest:
                right = effort_size(others[letter]) in step.fallback
                checks.claim("falling back takes the effort said", right, (step.fallback, others))


def _check_card(
    card: Any,
    before: dict[str, float],
    after: dict[str, float],
    early: set[str],
    checks: Checks,
) -> None:
    """What a card says of ways; those that end `early` may end elsewhere after the step."""
    for pip in card.pips:
        said = (card.title, pip.letter, pip.effect, before[pip.letter], after[pip.letter])
        if not card.arrives:
            right = (pip.effect == "closed") == bool(np.isinf(after[pip.letter]))
            checks.claim("a card closes what is out of reach", right, said)
        if pip.effect == "nearer" and pip.letter not in early:
            nearer = after[pip.letter] < before[pip.letter] + HAIR
            checks.claim("a card brings nearer what is", nearer, said)


def _ending_early(plan: Plan) -> set[str]:
    """Letters of ways that end where they first succeed, before the destination they are for."""
    known = {name.letter: b for b, name in enumerate(plan.names)}
    return {
        name.letter
        for name, journey in zip(plan.lines, plan.ways, strict=True)
        if len(plan.ways.destinations[journey.own])
        > len(plan.multiverse.destinations[known[name.letter]])
    }
