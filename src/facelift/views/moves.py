"""What a move did, in sentences, to the person and to the ways; and how ways stand since then.

A way that was shown before is open, the same as another, closed or gone, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from facelift.geometry import TOLERANCE
from facelift.language import (
    and_joined,
    count,
    duration,
    fixed,
    message,
    number,
    say,
    time,
)
from facelift.multiverse.certificate import rule_in_words
from facelift.multiverse.frames import differ
from facelift.multiverse.goal import Range
from facelift.multiverse.words import Features, done, in_words, listed, name_words, value_words
from facelift.terrain.feature import Feature
from facelift.walking.limits import Limits, RuledOut
from facelift.walking.plan import Plan, by_letter
from facelift.walking.replanning import done_by
from facelift.walking.walk import (
    Again,
    Move,
    Name,
    Other,
    Overview,
    RuleOut,
    SetLimits,
    Take,
    Unfold,
    changes_of,
)

SAME = 0.005
"""Efforts that differ by less are the same to people."""

EASES = {
    "very easy": message("{name} is very easy now."),
    "easy": message("{name} is easy now."),
    "ok": message("{name} is as hard as usual now."),
    "hard": message("{name} is hard now."),
    "very hard": message("{name} is very hard now."),
    "never": message("{name} never changes now."),
}

NOT_FOUND = say("not among the ways of the last search")

Status = Literal["open", "reached", "same", "aside", "closed", "gone"]


def move_words(before: Plan, after: Plan, move: Move) -> list[str]:
    """What a move did by itself, whatever it did to the ways."""
    match move:
        case Take() | Other():
            return list(_happened(after))
        case RuleOut():
            return [say("Ruled out: {changes}.", changes=_ruled_words(before, after))]
        case SetLimits():
            changes = _limit_words(before.walk.limits, after)
            return list(changes) or [say("These limits are the ones you had.")]
        case Again():
            n_found = len(after.start.found)
            return [
                count(
                    "Looked once more: {n} way was found.",
                    "Looked once more: {n} ways were found.",
                    n_found,
                )
            ]
        case Unfold(letter):
            if letter is None or letter != after.walk.unfolded:
                return [say("These are all ways again.")]
            return [say("These are the ways like {way}.", way=letter)]
        case Overview():
            n_shown, n_found = len(after.start.shown), len(after.start.found)
            if n_shown == n_found:
                return [say("Every way is shown by itself.")]
            return [say("{n} of {total} ways stand for all.", n=n_shown, total=n_found)]


def ways_words(before: Plan, after: Plan, move: Move) -> list[str]:
    """What became of the ways, seen from those that were open before."""
    if isinstance(move, Unfold | Overview):
        return []
    were, are = _open(before), _open(after)
    told = list(_lost_words(after, [each for each in were if each not in are], move))
    known = {name.letter for name in before.walk.names}
    new = [each for each in are if each not in were and each not in known]
    if new:
        told.append(
            count("{ways} is a new way.", "{ways} are new ways.", len(new), ways=and_joined(new))
        )
    again = [each for each in are if each not in were and each in known]
    if again:
        told.append(
            count(
                "{ways} is open again.",
                "{ways} are open again.",
                len(again),
                ways=and_joined(again),
            )
        )
    if isinstance(move, RuleOut | SetLimits | Again):
        told += _effort_words(before, after)
    if not told:
        return [_stay(are)]
    return [*told, _count(are)]


def _open(plan: Plan) -> list[str]:
    return sorted((plan.names[b].letter for b in plan.open), key=by_letter)


def _count(letters: Sequence[str]) -> str:
    return count("{n} way is open.", "{n} ways are open.", len(letters))


def _stay(letters: Sequence[str]) -> str:
    if len(letters) == 1:
        return say("{way} stays open.", way=letters[0])
    return count("{n} way stays open.", "All {n} ways stay open.", len(letters))


def _lost_words(after: Plan, letters: Sequence[str], move: Move) -> Iterator[str]:
    """Ways that are no longer open: which, and why; those with one reason together.

    A limit that the move has just set is not told a second time.
    """
    by_reason: dict[str, list[str]] = {}
    names = {name.letter: name for name in after.walk.names}
    for letter in letters:
        reason = standing(after, names[letter]).reason
        if isinstance(move, RuleOut | SetLimits):
            own = map(_no_longer, _limits(after, changes_of(names[letter].key)))
            reason = say("no longer possible") if reason in own else reason
        by_reason.setdefault(reason, []).append(letter)
    for reason, some in by_reason.items():
        yield count(
            "{ways} is {standing}.",
            "{ways} are {standing}.",
            len(some),
            ways=and_joined(some),
            standing=reason,
        )


def _effort_words(before: Plan, after: Plan) -> Iterator[str]:
    """Ways that take more or less effort than before; where that is of limits, not of steps."""
    were = {name.letter: way.cost for name, way in zip(before.lines, before.ways, strict=True)}
    are = {name.letter: way.cost for name, way in zip(after.lines, after.ways, strict=True)}
    changed = {
        letter: (were[letter], are[letter])
        for letter in sorted(are, key=by_letter)
        if letter in were and abs(are[letter] - were[letter]) > SAME
    }
    less = {each: (old, new) for each, (old, new) in changed.items() if new < old}
    more = {each: (old, new) for each, (old, new) in changed.items() if new > old}
    if less:
        old, new = next(iter(less.values()))
        yield _compared(less, _HALF if abs(2 * new - old) < SAME else _LESS)
    if more:
        yield _compared(more, _MORE)


_LESS = (
    message("{ways} takes less effort now ({new} instead of {old})."),
    message("{ways} take less effort now ({first}: {new} instead of {old})."),
)
_HALF = (
    message("{ways} takes less effort now ({new} instead of {old}, half of what it did)."),
    message("{ways} take less effort now ({first}: {new} instead of {old}, half of what it did)."),
)
_MORE = (
    message("{ways} takes more effort now ({new} instead of {old})."),
    message("{ways} take more effort now ({first}: {new} instead of {old})."),
)
"""What is said of one way, and of several with the first as an example."""


def _compared(changed: dict[str, tuple[float, float]], messages: tuple[str, str]) -> str:
    first, (old, new) = next(iter(changed.items()))
    values = {"ways": and_joined(changed), "new": fixed(new), "old": fixed(old)}
    if len(changed) == 1:
        return say(messages[0], **values)
    return say(messages[1], first=first, **values)


def _ruled_words(before: Plan, after: Plan) -> str:
    rules = after.walk.limits.ruled_out[len(before.walk.limits.ruled_out) :]
    changes = in_words([(rule.feature, rule.start, rule.end) for rule in rules], after.features)
    if changes:
        return listed(changes)
    return say("this picture") if after.guide.picture else say("the step to this record")


def _limit_words(before: Limits, plan: Plan) -> Iterator[str]:
    """Every limit that is different now."""
    after, features, goal = plan.walk.limits, plan.features, plan.multiverse.goal
    for name in dict.fromkeys([*before.ease, *after.ease]):
        ease = after.ease.get(name, "ok")
        if before.ease.get(name, "ok") != ease:
            yield say(EASES[ease], name=name_words(name, features))
    for name in dict.fromkeys([*before.bounds, *after.bounds]):
        if before.bounds.get(name) != after.bounds.get(name):
            yield _bound_words(name, after, features)
    for rule in before.ruled_out:
        if rule not in after.ruled_out:
            change = in_words([(rule.feature, rule.start, rule.end)], features)
            yield say("Allowed again: {changes}.", changes=listed(change))
    if set(before.edges) - set(after.edges):
        yield say("A step that you ruled out is allowed again.")
    if before.chance != after.chance:
        yield (
            say("You aim as high as usual again.")
            if after.chance is None or goal is None
            else say("You aim at {chance} now.", chance=goal.needs)
        )
    if before.deadline != after.deadline:
        yield (
            say("Ways may take as long as they need.")
            if after.deadline is None
            else say("You have at most {time} now.", time=duration(after.deadline, "month"))
        )
    if before.max_steps != after.max_steps:
        yield (
            say("Ways may have as many steps as usual.")
            if after.max_steps is None
            else count(
                "Ways may have {n} step now.",
                "Ways may have up to {n} steps now.",
                after.max_steps,
            )
        )
    yield from _search_words(before, after, features)


def _search_words(before: Limits, after: Limits, features: Features) -> Iterator[str]:
    if before.rare != after.rare:
        yield (
            say("Situations that few people have been in will do now.")
            if after.rare
            else say("Only situations like those of real people will do.")
        )
    if before.patience != after.patience:
        yield (
            say("The search took longer.")
            if after.patience
            else say("The search took as long as usual.")
        )
    if before.undo != after.undo:
        yield (
            say(
                "Ways may take back what you have done now, at {n} times the effort.",
                n=number(after.undo),
            )
            if after.undo and after.undo is not True
            else say("Ways may take back what you have done now.")
            if after.undo
            else say("No way takes back what you have done.")
        )
    for rule in [rule for rule in after.lifted if rule not in before.lifted]:
        yield say("Tried without the rule: {rule}.", rule=str(rule_in_words(rule, features)))
    for rule in [rule for rule in before.lifted if rule not in after.lifted]:
        yield say("The rule holds again: {rule}.", rule=str(rule_in_words(rule, features)))


def _bound_words(name: str, limits: Limits, features: Features) -> str:
    words = name_words(name, features)
    if name not in limits.bounds:
        return say("{name} may go as far as others have.", name=words)
    low, high = (value_words(end, features.get(name)) for end in limits.bounds[name])
    return say("{name} stays between {low} and {high} now.", name=words, low=low, high=high)


def _happened(plan: Plan) -> Iterator[str]:
    """What the last event was, and what it did to the chance."""
    event = plan.walk.past[-1]
    changes = listed(in_words(done(event.changes, plan.features), plan.features))
    heads = {
        "step": message("Step taken: {changes}."),
        "other": message("Noted: {changes}."),
        "correction": message("Corrected: {changes}."),
    }
    if changes:
        yield say(heads[event.kind], changes=changes)
    elif event.kind == "step":
        yield say("Step taken.")
    else:
        yield say("Nothing is different from before.")
    if event.before is None or event.after is None or plan.guide.picture:
        return
    was, now = plan.outlook(event.before), plan.outlook(event.after)
    stays, rose, fell = _PREDICTION if isinstance(plan.multiverse.goal, Range) else _CHANCE
    if was == now:
        yield say(stays, now=now)
    else:
        yield say(rose if event.after > event.before else fell, was=was, now=now)


_CHANCE = (
    message("Your chance stays at {now}."),
    message("Your chance rose from {was} to {now}."),
    message("Your chance fell from {was} to {now}."),
)
_PREDICTION = (
    message("The prediction stays at {now}."),
    message("The prediction rose from {was} to {now}."),
    message("The prediction fell from {was} to {now}."),
)


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
        return Standing("same", _beside(plan, number, plan.same[number]))
    if number in plan.in_reach:
        return Standing("open", say("open"))
    ruled_out = not plan.walk.walked and plan.walk.limits.edges
    if ruled_out:
        return Standing("closed", say("closed: what you ruled out was part of it"))
    survey = plan.multiverse.survey
    if survey is not None and survey.stopped != "exhausted":  # not all states were looked at
        return Standing("closed", NOT_FOUND)
    return Standing("closed", say("closed: a step you took closed it"))


def _beside(plan: Plan, number: int, other: int) -> str:
    """That a way is the same as another by now, or changes all that it does, and more."""
    way = plan.names[other].letter
    if plan.ends[number] == plan.ends[other]:
        return say("now the same way as {way}", way=way)
    return say("not needed beside {way}, which changes less", way=way)


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
    return Standing("gone", NOT_FOUND if why is None else _no_longer(why))


def _no_longer(why: str) -> str:
    return say("no longer possible: {why}", why=why)


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
