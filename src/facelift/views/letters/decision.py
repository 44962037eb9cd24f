"""What was decided and how, and which facts counted."""

from __future__ import annotations

from collections import Counter

from facelift.multiverse.frames import Change
from facelift.multiverse.goal import Range
from facelift.views.letters.case import Case
from facelift.views.letters.content import Section

MOST_REASONS = 4
"""So many facts a letter names as those that counted; Regulation B has no more, either."""


def decision(case: Case, outcome: str, person: bool | None) -> Section:
    """The decision, its threshold, and whether a person took part."""
    say = case.language.say
    part = {
        None: case.language.blank(say("say whether a person took part in this decision")),
        False: say("No person took part in this decision."),
        True: say("A person took part in this decision."),
    }[person]
    told = _judgement(case, outcome)
    return Section(say("What was decided, and how"), paragraphs=(f"{told} {part}",))


def _judgement(case: Case, outcome: str) -> str:
    say, goal, figure = case.language.say, case.multiverse.goal, case.figure_now()
    if goal is None or figure is None:
        return say("The decision follows from the facts about you.")
    if isinstance(goal, Range):
        return say(
            "A computer model looked at the facts about you. It predicts {predicted}. We need "
            "{range}.",
            predicted=case.language.number(figure, grouped=True),
            range=_range(case, goal),
        )
    words = ", ".join(map(case.language.label, goal.target))
    return say(
        "A computer model looked at the facts about you. It puts the chance of {outcome} at "
        "{chance} in 100. We need at least {needed} in 100.",
        outcome=outcome or say("“{words}”", words=words),
        chance=case.figure_words(goal, figure),
        needed=case.language.marked_percent(goal.decides),
    )


def _range(case: Case, goal: Range) -> str:
    say = case.language.say
    low, high = (
        "" if end is None else case.language.number(end, grouped=True)
        for end in (goal.low, goal.high)
    )
    if not high:
        return say("{low} or more", low=low)
    return say("{low} to {high}", low=low, high=high) if low else say("{high} or less", high=high)


def what_counted(case: Case, regime: str) -> list[Section]:
    """What ways need, single changes that suffice, and what nobody is asked to change."""
    say, sentences = case.language.say, []
    if regime == "us":
        title = say("Principal reasons for the decision")
        sentences.append(_reasons(case))
    else:
        title = say("What counted")
        sentences += _needs(case)
    sentences += _single_changes(case)
    personal = [
        case.name(name)
        for name, feature in case.features.items()
        if feature.personal and feature.frozen
    ]
    if personal:
        sentences.append(
            say("We do not ask you to change: {facts}.", facts=case.language.listed(personal))
        )
    return [Section(title, (" ".join(sentences),))] if sentences else []


def _needed(case: Case) -> list[tuple[str, int]]:
    """Columns and how many ways change them, most first; ties as in the cheapest ways."""
    counts = Counter(name for changed in case.changed for name in changed)
    return counts.most_common(MOST_REASONS)


def _needs(case: Case) -> list[str]:
    """What all ways need, else what most need."""
    say, total, needed = case.language.say, len(case.changed), _needed(case)
    if total == 0:
        return []
    always = [case.name(name) for name, n in needed if n == total]
    if total == 1:
        return [say("The way we found changes: {facts}.", facts=case.language.listed(always))]
    often = [
        say("{name} (on {n} of {total} ways)", name=case.name(name), n=n, total=total)
        for name, n in needed
        if 1 < n < total
    ]
    sentences = []
    if always:
        sentences.append(
            say("Every way we found changes: {facts}.", facts=case.language.listed(always))
        )
    if often:
        facts = case.language.listed(often)
        sentences.append(say("Another decision often takes a change of: {facts}.", facts=facts))
    return sentences


def _reasons(case: Case) -> str:
    """The facts that stood in the way most, with the values they have."""
    if not case.changed:
        say = case.language.say
        return case.language.blank(say("the specific principal reasons for the decision"))
    told = [
        f"{case.name(name)} ({case.value(name, case.values[name])})" for name, _ in _needed(case)
    ]
    return case.language.say(
        "These facts weighed most against you, judged by what would lead to another decision: "
        "{facts}.",
        facts=case.language.listed(told),
    )


def _single_changes(case: Case) -> list[str]:
    """The smallest changes of one column that suffice; one per column, cheapest first."""
    if not case.changed:
        return []
    alone: dict[str, Change] = {}
    for changed in case.changed:
        if len(changed) == 1:
            for name, change in changed.items():
                alone.setdefault(name, change)
    if not alone:
        return [case.language.say("None of the ways we found makes do with a single change.")]
    told = case.language.listed(case.change(change) for change in alone.values())
    return [
        case.language.count(
            "This change alone is enough: {changes}.",
            "Each of these changes alone is enough: {changes}.",
            len(alone),
            changes=told,
        )
    ]
