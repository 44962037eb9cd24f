"""Values that somebody only tries: what the model would say, and what would become of the ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from facelift.language import ENGLISH, Language, and_joined, count, fixed, say, told
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import ChangeWords, in_words
from facelift.views.page import Document, document
from facelift.views.ways import WayWords
from facelift.walking.guide import Guide
from facelift.walking.walk import Other, Walk

SAME = 0.005
"""Efforts that differ by less are the same to people."""


@dataclass(frozen=True)
class Trial:
    """What would be if some values were different; nothing of it is kept.

    `figure` is the chance (or the number predicted) then, `outlook` says it; `reached` is whether
    the decision would be the one wanted. `words` are sentences. `document` is the page as it would
    be, where ways were asked for, too.
    """

    figure: float | None
    outlook: str
    reached: bool
    words: tuple[str, ...]
    document: Document | None


def trial(
    guide: Guide,
    walk: Walk,
    values: Other,
    *,
    ways: bool = False,
    language: Language = ENGLISH,
) -> Trial:
    """What would be with other values: what the model says, and with `ways` what ways there are.

    The first asks the model once; the second searches anew.
    """
    there = guide.moved(walk, values)
    event = there.past[-1]
    if not event.changes:
        return told(_unchanged(guide, walk), language)
    plan = guide.plan(walk)
    changes = in_words(event.changes, guide.features)
    goal = plan.multiverse.goal
    reached = _reached(goal, event.after)
    short = isinstance(goal, Goal) and event.after is not None and event.after < goal.needed
    outlook = plan.outlook(event.after)
    words = [_sentence(changes, outlook, plan.outlook(event.before))]
    if not reached:
        words.append(say("This alone is not enough."))
    elif isinstance(goal, Goal) and short:
        aim = {"decides": goal.decides, "needed": goal.needs}
        words.append(say("That decides it ({decides}), but is below the {needed} aimed at.", **aim))
    else:
        words.append(say("This alone would be enough."))
    then = document(guide, there, language=language) if ways else None
    if then is not None and (short or not reached):
        now = document(guide, walk)
        words += compared(now.ways, then.ways)
    return told(Trial(event.after, outlook, reached, tuple(words), then), language)


def _unchanged(guide: Guide, walk: Walk) -> Trial:
    plan = guide.plan(walk)
    reached = _reached(plan.multiverse.goal, plan.figure)
    words = (say("This is how it is now."),)
    return Trial(plan.figure, plan.outlook(plan.figure), reached, words, None)


def _sentence(changes: Sequence[ChangeWords], outlook: str, before: str) -> str:
    """What the model would say.

    >>> _sentence([ChangeWords("Savings", "0", "300 DM", "+300")], "47%", "40%")
    'With Savings at 300 DM (+300) you would be at 47% instead of 40%.'
    """
    tried = and_joined(map(_tried, changes))
    if outlook == before:
        return say(
            "With {changes} you would still be at {outlook}.", changes=tried, outlook=outlook
        )
    return say(
        "With {changes} you would be at {outlook} instead of {before}.",
        changes=tried,
        outlook=outlook,
        before=before,
    )


def _tried(change: ChangeWords) -> str:
    if not change.by:
        return say("{name} at {after}", name=change.name, after=change.after)
    return say("{name} at {after} ({by})", name=change.name, after=change.after, by=change.by)


def compared(now: Sequence[WayWords], then: Sequence[WayWords]) -> list[str]:
    """What would become of the ways, in sentences."""
    left = {way.letter: way for way in then}
    pairs = [(way, left[way.letter]) for way in now if way.letter in left]
    shorter = [way for way, other in pairs if len(other.steps) < len(way.steps)]
    words = []
    if shorter:
        words.append(
            count(
                "Way {ways} would have fewer steps.",
                "Ways {ways} would have fewer steps.",
                len(shorter),
                ways=_letters(shorter),
            )
        )
    as_long = [(way, other) for way, other in pairs if way not in shorter]
    words += _effort_words([each for each in as_long if each[1].effort < each[0].effort - SAME])
    words += _effort_words([each for each in as_long if each[1].effort > each[0].effort + SAME])
    if lost := [way for way in now if way.letter not in left]:
        words.append(
            count(
                "Way {ways} would not be among the ways found.",
                "Ways {ways} would not be among the ways found.",
                len(lost),
                ways=_letters(lost),
            )
        )
    if new := [way for way in then if way.letter not in {each.letter for each in now}]:
        words.append(
            count(
                "Way {ways} would be new.",
                "Ways {ways} would be new.",
                len(new),
                ways=_letters(new),
            )
        )
    return words


def _letters(ways: Sequence[WayWords]) -> str:
    return and_joined(way.letter for way in ways)


def _effort_words(changed: Sequence[tuple[WayWords, WayWords]]) -> Iterator[str]:
    """Ways that all take less effort than before, or all more; the first is the example."""
    if not changed:
        return
    way, other = changed[0]
    told = {"ways": _letters([way for way, _ in changed]), "first": way.letter}
    told |= {"new": fixed(other.effort), "old": fixed(way.effort)}
    if other.effort < way.effort:
        yield count(
            "Way {ways} would take less effort ({new} instead of {old}).",
            "Ways {ways} would take less effort ({first}: {new} instead of {old}).",
            len(changed),
            **told,
        )
    else:
        yield count(
            "Way {ways} would take more effort ({new} instead of {old}).",
            "Ways {ways} would take more effort ({first}: {new} instead of {old}).",
            len(changed),
            **told,
        )


def _reached(goal: Goal | Range | None, figure: float | None) -> bool:
    """Whether a figure is the outcome wanted, with or without what is to spare."""
    if goal is None or figure is None:
        return False
    if isinstance(goal, Goal):
        return figure >= goal.outcome.needed
    return bool(goal.outcome.reached(np.array([[figure]]))[0])
