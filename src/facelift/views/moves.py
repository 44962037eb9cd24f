"""What a move did, in sentences: to the person, and to the ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from facelift.multiverse.goal import Range
from facelift.multiverse.whynot import rule_in_words
from facelift.multiverse.words import Features, done, in_words, listed, name_words, value_words
from facelift.views.standing import standing
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan, by_letter
from facelift.walking.walk import Again, Move, Other, RuleOut, SetLimits, Take, Unfold

SAME = 0.005
"""Efforts that differ by less are the same to people."""

EASES = {
    "very easy": "{} is very easy now.",
    "easy": "{} is easy now.",
    "ok": "{} is as hard as usual now.",
    "hard": "{} is hard now.",
    "very hard": "{} is very hard now.",
    "never": "{} never changes now.",
}


def move_words(before: Plan, after: Plan, move: Move) -> list[str]:
    """What a move did by itself, whatever it did to the ways."""
    match move:
        case Take() | Other():
            return list(_happened(after))
        case RuleOut():
            return [f"Ruled out: {_ruled_words(before, after)}."]
        case SetLimits():
            changes = _limit_words(before.walk.limits, after.walk.limits, after.features)
            return list(changes) or ["These limits are the ones you had."]
        case Again():
            n_found = len(after.start.found)
            found = "1 way was" if n_found == 1 else f"{n_found} ways were"
            return [f"Looked once more: {found} found."]
        case Unfold(letter):
            if letter is None or letter != after.walk.unfolded:
                return ["These are all ways again."]
            return [f"These are the ways like {letter}."]


def ways_words(before: Plan, after: Plan, move: Move) -> list[str]:
    """What became of the ways, seen from those that were open before."""
    if isinstance(move, Unfold):
        return []
    were, are = _open(before), _open(after)
    told = list(_lost_words(after, [each for each in were if each not in are]))
    known = {name.letter for name in before.walk.names}
    told += _these(
        [each for each in are if each not in were and each not in known],
        "{} is a new way.",
        "{} are new ways.",
    )
    told += _these(
        [each for each in are if each not in were and each in known],
        "{} is open again.",
        "{} are open again.",
    )
    if isinstance(move, RuleOut | SetLimits | Again):
        told += _effort_words(before, after)
    if not told:
        return [_stay(are)]
    return [*told, _count(are)]


def and_words(words: Sequence[str]) -> str:
    """Words as one lists them.

    >>> and_words(["A"]), and_words(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _open(plan: Plan) -> list[str]:
    return sorted((plan.names[b].letter for b in plan.open), key=by_letter)


def _these(letters: Sequence[str], one: str, several: str) -> list[str]:
    return [(one if len(letters) == 1 else several).format(and_words(letters))] if letters else []


def _count(letters: Sequence[str]) -> str:
    return "1 way is open." if len(letters) == 1 else f"{len(letters)} ways are open."


def _stay(letters: Sequence[str]) -> str:
    if len(letters) == 1:
        return f"{letters[0]} stays open."
    return f"All {len(letters)} ways stay open."


def _lost_words(after: Plan, letters: Sequence[str]) -> Iterator[str]:
    """Ways that are no longer open: which, and why; those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    names = {name.letter: name for name in after.walk.names}
    for letter in letters:
        by_reason.setdefault(standing(after, names[letter]).reason, []).append(letter)
    for reason, some in by_reason.items():
        verb = "is" if len(some) == 1 else "are"
        yield f"{and_words(some)} {verb} {reason}."


def _effort_words(before: Plan, after: Plan) -> Iterator[str]:
    """Ways that take more or less effort than before; where that is of limits, not of steps."""
    were = {name.letter: way.cost for name, way in zip(before.lines, before.ways, strict=True)}
    are = {name.letter: way.cost for name, way in zip(after.lines, after.ways, strict=True)}
    changed = {
        letter: (were[letter], are[letter])
        for letter in sorted(are, key=by_letter)
        if letter in were and abs(are[letter] - were[letter]) > SAME
    }
    for words, sign in (("less", 1), ("more", -1)):
        some = {each: pair for each, pair in changed.items() if sign * (pair[0] - pair[1]) > 0}
        if not some:
            continue
        verb = "takes" if len(some) == 1 else "take"
        first = next(iter(some))
        old, new = some[first]
        share = ", half of what it did" if words == "less" and abs(2 * new - old) < SAME else ""
        example = "" if len(some) == 1 else f"{first}: "
        yield (
            f"{and_words(list(some))} {verb} {words} effort now "
            f"({example}{new:.2f} instead of {old:.2f}{share})."
        )


def _ruled_words(before: Plan, after: Plan) -> str:
    rules = after.walk.limits.ruled_out[len(before.walk.limits.ruled_out) :]
    changes = in_words([(rule.feature, rule.start, rule.end) for rule in rules], after.features)
    if changes:
        return listed(changes)
    return "this picture" if after.guide.picture else "the step to this record"


def _limit_words(before: Limits, after: Limits, features: Features) -> Iterator[str]:
    """Every limit that is different now."""
    for name in dict.fromkeys([*before.ease, *after.ease]):
        ease = after.ease.get(name, "ok")
        if before.ease.get(name, "ok") != ease:
            yield EASES[ease].format(name_words(name, features))
    for name in dict.fromkeys([*before.bounds, *after.bounds]):
        if before.bounds.get(name) != after.bounds.get(name):
            yield _bound_words(name, after, features)
    for rule in before.ruled_out:
        if rule not in after.ruled_out:
            change = in_words([(rule.feature, rule.start, rule.end)], features)
            yield f"Allowed again: {listed(change)}."
    if set(before.edges) - set(after.edges):
        yield "A step that you ruled out is allowed again."
    if before.chance != after.chance:
        yield (
            "You aim as high as usual again."
            if after.chance is None
            else (f"You aim at {100 * after.chance:.6g}% now.")
        )
    if before.max_steps != after.max_steps:
        yield (
            "Ways may have as many steps as usual."
            if after.max_steps is None
            else (f"Ways may have up to {after.max_steps} steps now.")
        )
    yield from _search_words(before, after, features)


def _search_words(before: Limits, after: Limits, features: Features) -> Iterator[str]:
    if before.rare != after.rare:
        yield (
            "Situations that few people have been in will do now."
            if after.rare
            else "Only situations like those of real people will do."
        )
    if before.patience != after.patience:
        yield "The search took longer." if after.patience else "The search took as long as usual."
    if before.undo != after.undo:
        yield (
            "Ways may take back what you have done now."
            if after.undo
            else "No way takes back what you have done."
        )
    for rule in [rule for rule in after.lifted if rule not in before.lifted]:
        yield f"Tried without the rule: {rule_in_words(rule, features)}."
    for rule in [rule for rule in before.lifted if rule not in after.lifted]:
        yield f"The rule holds again: {rule_in_words(rule, features)}."


def _bound_words(name: str, limits: Limits, features: Features) -> str:
    words = name_words(name, features)
    if name not in limits.bounds:
        return f"{words} may go as far as others have."
    low, high = (value_words(end, features.get(name)) for end in limits.bounds[name])
    return f"{words} stays between {low} and {high} now."


def _happened(plan: Plan) -> Iterator[str]:
    """What the last event was, and what it did to the chance."""
    event = plan.walk.past[-1]
    changes = listed(in_words(done(event.changes, plan.features), plan.features))
    heads = {"step": "Step taken", "other": "Noted", "correction": "Corrected"}
    if changes:
        yield f"{heads[event.kind]}: {changes}."
    else:
        yield "Step taken." if event.kind == "step" else "Nothing is different from before."
    if event.before is None or event.after is None or plan.guide.picture:
        return
    was, now = plan.outlook(event.before), plan.outlook(event.after)
    what = "The prediction" if isinstance(plan.multiverse.goal, Range) else "Your chance"
    if was == now:
        yield f"{what} stays at {now}."
    else:
        verb = "rose" if event.after > event.before else "fell"
        yield f"{what} {verb} from {was} to {now}."
