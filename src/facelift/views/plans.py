"""A way as a plan: steps along time, what to do if one falls through, and a letter about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift.errors import InvalidInput
from facelift.language import ENGLISH, Language, joined, percent, say, time, told
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import done
from facelift.terrain.terrain import MONTHS
from facelift.views.letters import letter
from facelift.views.ways import WayWords, effort_words, size_words, times, way_words
from facelift.walking.guide import Guide
from facelift.walking.plan import Plan, changed
from facelift.walking.walk import SetLimits, Walk

DAYS = 365.25 / 12
"""Days in a month."""

FAILURE = 0.1
"""The share of steps that fall through."""

LITTLE = 0.02
"""A share of the effort that nobody would notice."""


@dataclass(frozen=True)
class Stage:
    """A step of a plan, done at the earliest so many `days` from its beginning."""

    words: str
    days: float
    outlook: str
    size: str
    closes: str
    if_fails: str


@dataclass(frozen=True)
class WayPlan:
    """A way as a plan. `advice` says what to expect if steps fall through."""

    letter: str
    colour: int
    outcome: str
    outlook: str
    days: float
    time: str
    effort: float
    size: str
    lasts: str
    advice: str
    stages: tuple[Stage, ...]


def way_plan(guide: Guide, walk: Walk, name: str, language: Language = ENGLISH) -> WayPlan:
    """The way with some letter on a walk, as a plan in a language."""
    plan = guide.plan(walk)
    way, journey = _found(plan, name)
    days = _days(plan, journey)
    stages = tuple(
        Stage(
            words=step.words,
            days=days[i + 1],
            outlook=step.outlook,
            size=step.size,
            closes=step.closes,
            if_fails=_if_fails(plan, journey, i),
        )
        for i, step in enumerate(way.steps)
    )
    made = WayPlan(
        letter=way.letter,
        colour=way.colour,
        outcome=way.outcome,
        outlook=way.outlook,
        days=days[-1],
        time=way.time,
        effort=way.effort,
        size=way.size,
        lasts=way.lasts,
        advice=_advice(plan, journey),
        stages=stages,
    )
    return told(made, language)


def way_letter(guide: Guide, walk: Walk, name: str, language: str) -> str:
    """One page about the way with some letter, as HTML that prints like a letter."""
    plan = guide.plan(walk)
    _, journey = _found(plan, name)
    here = guide.moved(walk, SetLimits(walk.limits))  # the ways from where one stands
    multiverse = guide.searched(here)
    end = journey.counterfactual
    same = [each for each in multiverse if np.array_equal(each.counterfactual, end)]
    return letter(multiverse, same[0] if same else None, language, regime="plain").html


def _found(plan: Plan, name: str) -> tuple[WayWords, Journey]:
    letters = [line.letter for line in plan.lines]
    if name not in letters:
        raise InvalidInput(f"There is no way {name} here any more.")
    way = next(each for each in way_words(plan) if each.letter == name)
    return way, plan.ways[letters.index(name)]


def _days(plan: Plan, journey: Journey) -> list[float]:
    """The earliest day of every waypoint, from now on."""
    explainer = plan.guide.explainer
    period = "" if explainer is None else explainer.terrain_.period
    days = MONTHS.get(period, 1.0) * DAYS
    return [round(each * days, 1) for each in times(plan, journey)]


def _if_fails(plan: Plan, journey: Journey, step: int) -> str:
    """Where to go on to if a step cannot be done: the nearest way that does without its changes."""
    journey = journey.in_steps
    here, there = (int(vertex) for vertex in journey.vertices[step : step + 2])
    missing = {name for name, *_ in done(plan.changes(here, there), plan.features)}
    left = journey.remaining[step]
    ends = [int(other.vertices[-1]) for other in plan.ways]
    free = [
        b
        for b, end in enumerate(ends)
        if b != journey.own
        and np.isfinite(left[b])
        and not missing & {name for name, *_ in changed(plan.values[here], plan.values[end])}
    ]
    if not free:
        return say(
            "If this falls through, no way found from there does without it: look again then."
        )
    nearest = min(free, key=lambda b: float(left[b]))
    points = np.stack([journey.waypoints[step], plan.ways[nearest].counterfactual])
    how = size_words(plan, points, float(left[nearest]))
    waits = plan.waits(np.vstack([journey.waypoints[1 : step + 1], points[1:]]))
    facts = [effort_words(how, float(left[nearest])), _lasting(plan, np.diff(waits, prepend=0.0))]
    return say(
        "If this falls through, go on to way {way}: {facts}.",
        way=plan.lines[nearest].letter,
        facts=joined(filter(None, facts)),
    )


def _lasting(plan: Plan, waits: np.ndarray) -> str:
    """How long the last of some changes takes."""
    explainer = plan.guide.explainer
    return "" if explainer is None else time(float(waits[-1]), explainer.terrain_.period)


def _advice(plan: Plan, journey: Journey) -> str:
    if plan.position is None or not journey.cost:
        return ""
    found = plan.multiverse.effort(FAILURE, plan.position.graph)
    steps = journey.in_steps
    more = found.of(steps.vertices, steps.step_costs) / journey.cost - 1
    if more < LITTLE:
        return say(
            "If one step in ten falls through, expect hardly more effort than if all goes well."
        )
    return say(
        "If one step in ten falls through, expect about {share} more effort than if all goes well.",
        share=percent(more),
    )
