"""What is said above the map: what is new after a move, and what else to know."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from facelift.multiverse.goal import Goal
from facelift.questions.resilience import MANY_STATES, resilience
from facelift.walking.guide import Guide
from facelift.walking.plan import Plan
from facelift.walking.standing import standing
from facelift.walking.walk import Move, Take, Unfold

State = Literal["walking", "one way", "arrived", "already", "none"]


def banner(plan: Plan, state: State, goal: str, before: set[str], move: Move | None) -> str:
    """What is new, in a sentence."""
    says = "the model says" if plan.multiverse.goal is not None else "this is"
    match state:
        case "already":
            return f"Nothing needs to change: {says} {goal} already."
        case "arrived":
            promise = " It is its view, not a promise." if plan.multiverse.goal is not None else ""
            return f"You have arrived: {says} {goal}.{promise}"
        case "none":
            return f"No way to {goal} is open."
    now = {name.letter for name in plan.lines}
    gone, new = sorted(before - now), sorted(now - before)
    said = f"{len(now)} way{'' if len(now) == 1 else 's'} to {goal}.{_alike(plan)}"
    if isinstance(move, Unfold):  # nothing opened or closed, only what is drawn is different
        return f"Family {plan.walk.unfolded}: {said}" if plan.walk.unfolded else said
    if state == "one way":
        said = f"Only one way to {goal} is left: every step matters now."
    took = isinstance(move, Take)
    if took:
        said = f"Step taken. {said}"
    if before and (gone or new):
        lost = f" No longer: {' '.join(gone)}." if gone else ""
        return said + lost + (f" New: {' '.join(new)}." if new else "")
    if state == "one way" or took:
        return said
    return said + " Lines run together while their steps are shared; a white bar is a fork."


def _alike(plan: Plan) -> str:
    """How many ways are not drawn because they run like one that is, if there are any."""
    n_folded = sum(plan.similar[b] - 1 for b in plan.open)
    if not n_folded:
        return ""
    ways = "1 more runs" if n_folded == 1 else f"{n_folded} more run"
    return f" {ways} much like these: open a destination below to unfold it."


def notes(guide: Guide, plan: Plan, state: State) -> tuple[str, ...]:
    """What else to know about the plan or the place."""
    told = []
    here = standing(guide, plan)
    if here is not None and here.rarity > 1:
        told.append(
            "This case is unlike anyone in the data: the nearest records are "
            f"{here.rarity:.1f} times as far as is usual. What the model says of it is a guess."
        )
    if state in ("arrived", "already") and here is not None and plan.multiverse.goal is not None:
        told.append(
            f"{_margin(plan)}. The model says the same of {here.n_succeed} of the {here.n_nearby} "
            "most similar records."
        )
    survey = plan.multiverse.survey
    if survey is not None and survey.stopped == "budget" and plan.open:
        told.append(
            f"The search stopped after {survey.n_states:,} situations: there may be ways with less "
            "effort, and a way said to be closed may be open."
        )
    return (*told, *_withstands(guide, plan))


def _withstands(guide: Guide, plan: Plan) -> list[str]:
    """How many ways share nothing, and what all of them need; not told of pictures."""
    if not plan.open or guide.picture or plan.graph is None or len(plan.graph) > MANY_STATES:
        return []
    told = tuple(replace(journey, decode=plan.decode) for journey in plan.ways)
    found = str(resilience(replace(plan.ways, journeys=told))).replace("_", " ")
    return [f"If something fails: {found}."]


def _margin(plan: Plan) -> str:
    """How firmly the goal is reached."""
    goal = plan.multiverse.goal
    if not isinstance(goal, Goal):
        return f"The model predicts {plan.outlook(plan.figure)}; {goal} is needed"
    points = 100 * ((plan.chance or 0.0) - goal.threshold)
    above = f"{points:.0f} point{'' if round(points) == 1 else 's'} above"
    return f"The chance of {plan.outlook(plan.chance)} is {above} what is needed"
