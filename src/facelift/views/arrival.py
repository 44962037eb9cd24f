"""The way walked, once somebody is there: as a map, what it took, and whether it will last."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from facelift.drawing.layout import layout
from facelift.drawing.parts import Leg, Line, Map
from facelift.drawing.upright import upright
from facelift.language import ENGLISH, Language, fixed, joined, say, told
from facelift.multiverse.html import leg
from facelift.multiverse.words import done, effort_size, in_words, listed, outlook_words
from facelift.views.ways import has_scale, outcome_words, time_words
from facelift.walking.plan import Plan

THERE = "✓"
"""What stands at the end of a way that was walked to no destination of its own."""


@dataclass(frozen=True)
class Arrival:
    """The way walked. `took` has names and values; `agree` of `n_models` others approve, too."""

    map: Map
    upright: Map
    chances: tuple[str, ...]
    """What the model said before the first step and after each."""
    terms: str
    """What decides, and where ways end."""
    took: tuple[tuple[str, str], ...]
    agree: int | None
    n_models: int
    lasts: str


def arrival(plan: Plan, language: Language = ENGLISH) -> Arrival | None:
    """The way walked, if somebody arrived on foot; pictures have none."""
    if not plan.arrived or not plan.walk.past or plan.guide.picture is not None:
        return None
    line = told(_line(plan), language)
    agree, n_models = _committee(plan)
    return Arrival(
        map=_walked(layout([line])),
        upright=_walked(upright([line])),
        chances=_chances(plan),
        terms=plan.multiverse.goal.terms if plan.multiverse.goal else "",
        took=_took(plan),
        agree=agree,
        n_models=n_models,
        lasts=_lasts(plan, agree, n_models),
    )


def _walked(drawn: Map) -> Map:
    """A map that starts where one started, not where one stands."""
    return replace(drawn, you=replace(drawn.you, caption=say("start")), ticks=())


def _line(plan: Plan) -> Line:
    names = plan.reached
    letter = names[0].letter if names else THERE
    colour = (names[0].colour if names else None) or 0
    legs = [_leg(plan, number) for number in range(len(plan.walk.past))]
    seen = plan.seen_as(plan.answer)
    outcome = say("there") if seen is None else outcome_words(plan, seen[0])
    outlook = "" if plan.figure is None else plan.outlook(plan.figure)
    words = say("You walked to {outcome}", outcome=outcome)
    return Line(letter, colour, tuple(legs), outcome, outlook, words)


def _leg(plan: Plan, number: int) -> Leg:
    event = plan.walk.past[number]
    own = in_words(done(event.changes, plan.features), plan.features)
    words = listed(in_words(event.changes, plan.features))
    outlook = ""
    if event.after is not None:
        outlook = outlook_words(plan.measure, plan.outlook(event.after))
    return leg(number, event.effort, own, words, outlook)


def _chances(plan: Plan) -> tuple[str, ...]:
    past = plan.walk.past
    figures = [past[0].before, *(event.after for event in past)]
    return tuple(plan.outlook(figure) for figure in figures) if None not in figures else ()


def _took(plan: Plan) -> tuple[tuple[str, str], ...]:
    past = plan.walk.past
    effort = fixed(plan.walk.effort)
    if has_scale(plan):
        sizes = {"small": say("small"), "medium": say("medium"), "large": say("large")}
        effort = sizes[effort_size(plan.walk.effort)]
    changed = {name for event in past for name, *_ in done(event.changes, plan.features)}
    rows = [(say("steps"), str(len(past))), (say("effort"), effort)]
    if takes := time_words(plan):
        rows.append((say("time"), takes))
    share = say("{n} of {total}", n=len(changed), total=len(plan.row))
    return (*rows, (say("things changed"), share))


def _committee(plan: Plan) -> tuple[int | None, int]:
    """How many other models say the same of this place, and how many there are."""
    explainer, goal = plan.guide.explainer, plan.multiverse.goal
    committee = None if explainer is None else explainer.oracle_.committee
    if explainer is None or committee is None or goal is None:
        return None, 0
    shares = explainer.oracle_.agreement(plan.point[np.newaxis, :], goal)
    agree = 0 if shares is None else round(float(shares[0]) * len(committee))
    return agree, len(committee)


def _lasts(plan: Plan, agree: int | None, n_models: int) -> str:
    here, words = plan.nearby, []
    if agree is not None:
        words.append(
            say("{n} of {total} models trained on other samples agree.", n=agree, total=n_models)
        )
    if here is not None:
        words.append(
            say(
                "The model says the same of {n} of the {total} people most like you now.",
                n=here.n_succeed,
                total=here.n_records,
            )
        )
    return joined(words, " ")
