"""How a way stands that was shown before: open, the same as another, closed or gone, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from facelift.geometry import TOLERANCE
from facelift.language import count, duration, say, time
from facelift.multiverse.frames import differ
from facelift.multiverse.words import in_words, listed, name_words
from facelift.terrain.feature import Feature
from facelift.walking.identity import changes_of
from facelift.walking.limits import RuledOut
from facelift.walking.plan import Plan
from facelift.walking.replanning import done_by
from facelift.walking.walk import Name

NOT_FOUND = say("not among the ways of the last search")

Status = Literal["open", "reached", "same", "aside", "closed", "gone"]


@dataclass(frozen=True)
class Standing:
    """The status of a way, and how to say it: "A is …"."""

    status: Status
    reason: str


def standing(plan: Plan, name: Name) -> Standing:
    """How a way stands, and why it is no longer open, if it is not."""
    numbers = {each.key: b for b, each in enumerate(plan.names)}
    if name in plan.reached:
        return Standing("reached", say("reached"))
    if plan.arrived:
        return Standing("aside", say("not needed any more"))
    if name.key in plan.start.folded:
        return Standing("aside", say("still there, but not drawn"))
    if name.key not in numbers:
        return _gone(plan, name)
    number = numbers[name.key]
    if number in plan.same:
        same = plan.names[plan.same[number]].letter
        return Standing("same", say("now the same way as {way}", way=same))
    if number in plan.in_reach:
        return Standing("open", say("open"))
    ruled_out = not plan.walk.walked and plan.walk.limits.edges
    if ruled_out:
        return Standing("closed", say("closed: what you ruled out was part of it"))
    survey = plan.multiverse.survey
    if survey is not None and survey.stopped != "exhausted":  # not all states were looked at
        return Standing("closed", NOT_FOUND)
    return Standing("closed", say("closed: a step you took closed it"))


def _gone(plan: Plan, name: Name) -> Standing:
    """How a way stands that the present plan does not have."""
    changes = changes_of(name.key)
    left = _ahead(plan, changes)
    for other, way in zip(plan.lines, plan.ways, strict=True):
        theirs = _changed(plan, int(way.vertices[-1])) if changes else {}
        if theirs == left != {}:
            return Standing("same", say("now the same way as {way}", way=other.letter))
        if theirs and theirs.items() < left.items():
            reason = say("not needed beside {way}, which changes less", way=other.letter)
            return Standing("same", reason)
    known = changes and plan.guide.explainer is not None
    why = next(_reasons(plan, name.key, changes), None) if known else None
    reason = NOT_FOUND if why is None else say("no longer possible: {why}", why=why)
    return Standing("gone", reason)


def _reasons(plan: Plan, key: str, changes: dict[str, Any]) -> Iterator[str]:
    """All that is in the way, what people said first."""
    yield from _limits(plan, changes)
    yield from _too_late(plan, changes)
    yield from _undone(plan, changes)
    yield from _too_many(plan, changes)
    yield from _not_enough(plan, key)


def _left(plan: Plan, changes: dict[str, Any]) -> Iterator[tuple[Feature, Any, Any]]:
    """What a way would still have to change: the column, its value now and then."""
    for column, value in changes.items():
        if column in plan.row and differ(plan.row[column], value):
            yield plan.features[column], plan.row[column], value


def _ahead(plan: Plan, changes: dict[str, Any]) -> dict[str, Any]:
    """What a way would still have to change, and to what."""
    return {str(feature.name): value for feature, _, value in _left(plan, changes)}


def _changed(plan: Plan, end: int) -> dict[str, Any]:
    """What is different at the end of a way from here, but for what ages by itself."""
    changes = plan.changes(plan.position.vertex, end) if plan.position is not None else ()
    return {name: value for name, _, value in changes if plan.features[name].ages is None}


def _limits(plan: Plan, changes: dict[str, Any]) -> Iterator[str]:
    limits = plan.walk.limits
    for feature, now, value in _left(plan, changes):
        column, words = str(feature.name), name_words(str(feature.name), plan.features)
        if limits.ease.get(column) == "never":
            yield say("you said never to {name}", name=words)
        low, high = limits.bounds.get(column, (-np.inf, np.inf))
        if isinstance(value, int | float) and not low <= value <= high:
            yield say("{name} would go beyond your bounds", name=words)
        for rule in limits.ruled_out:
            if rule.feature == column and _leads_past(feature, rule, now, value):
                step = listed(in_words([(rule.feature, rule.start, rule.end)], plan.features))
                yield say("you ruled out {step}", step=step)


def _leads_past(feature: Feature, rule: RuledOut, now: Any, value: Any) -> bool:
    """Whether a change leads to the value ruled out, or past it."""
    ranks = [feature.rank(each) for each in (rule.start, rule.end, now, value) if each is not None]
    known = [rank for rank in ranks if rank is not None]
    if len(known) < 4:
        return not differ(rule.end, value)
    start, end, first, last = known
    sign = 1 if end > start else -1
    return sign * first < sign * end <= sign * last


def _undone(plan: Plan, changes: dict[str, Any]) -> Iterator[str]:
    done = {} if plan.walk.limits.undo else done_by(plan.walk.past)
    for feature, _, value in _left(plan, changes):
        column = str(feature.name)
        if column in done and feature.ages is None and value in done[column][:-1]:
            words = name_words(column, plan.features)
            yield say("it would undo what you did about {name}", name=words)


def _too_late(plan: Plan, changes: dict[str, Any]) -> Iterator[str]:
    left, explainer = plan.time_left, plan.guide.explainer
    if left is None or explainer is None:
        return
    terrain = explainer.terrain_
    end = np.asarray(terrain.encode(plan.guide.frame([{**plan.row, **changes}])))
    (wait,) = plan.waits(end)
    if wait > left * (1 + TOLERANCE):
        takes, have = time(float(wait), terrain.period), duration(left, terrain.period)
        yield (
            say("it takes {time}, and you have {left}", time=takes, left=have)
            if have
            else say("it takes {time}, and no time is left", time=takes)
        )


def _too_many(plan: Plan, changes: dict[str, Any]) -> Iterator[str]:
    most = plan.walk.limits.max_steps
    if most is not None and len(list(_left(plan, changes))) > most:
        yield count("it takes more than {n} step", "it takes more than {n} steps", most)


def _not_enough(plan: Plan, key: str) -> Iterator[str]:
    """That what a way changes is not enough from here, by what the model says."""
    goal, answer = plan.multiverse.goal, plan.known_ends.get(key)
    if goal is not None and answer is not None and not goal.reached(answer[np.newaxis])[0]:
        figure = plan.outlook(float(goal.figures(answer)))
        yield say("it would end at {figure} ({terms})", figure=figure, terms=goal.terms)
