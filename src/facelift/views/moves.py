"""What a move did, in sentences: to the person, and to the ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from facelift.language import Sentence, and_joined, count, duration, fixed, message, number, say
from facelift.multiverse.certificate import rule_in_words
from facelift.multiverse.goal import Range
from facelift.multiverse.words import Features, done, in_words, listed, name_words, value_words
from facelift.views.standing import standing
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan, by_letter
from facelift.walking.walk import Again, Move, Other, Overview, RuleOut, SetLimits, Take, Unfold

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


def move_words(before: Plan, after: Plan, move: Move) -> list[str]:
    """What a move did by itself, whatever it did to the ways."""
    match move:
        case Take() | Other():
            return list(_happened(after))
        case RuleOut():
            return [say("Ruled out: {changes}.", changes=_ruled_words(before, after))]
        case SetLimits():
            changes = _limit_words(before.walk.limits, after.walk.limits, after.features)
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
    told = list(_lost_words(after, [each for each in were if each not in are]))
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


def _lost_words(after: Plan, letters: Sequence[str]) -> Iterator[str]:
    """Ways that are no longer open: which, and why; those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    names = {name.letter: name for name in after.walk.names}
    for letter in letters:
        by_reason.setdefault(standing(after, names[letter]).reason, []).append(letter)
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


def _limit_words(before: Limits, after: Limits, features: Features) -> Iterator[str]:
    """Every limit that is different now."""
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
            if after.chance is None
            else say(
                "You aim at {chance} now.",
                chance=Sentence("percent", (f"{100 * after.chance:.6g}",), {}),
            )
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
