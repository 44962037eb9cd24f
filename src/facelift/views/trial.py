"""Values that somebody only tries: what the model would say, and what would become of the ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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


def trial(guide: Guide, walk: Walk, values: Other, *, ways: bool = False) -> Trial:
    """What would be with other values: what the model says, and with `ways` what ways there are.

    The first asks the model once; the second searches anew.
    """
    there = guide.moved(walk, values)
    event = there.past[-1]
    if not event.changes:
        return _unchanged(guide, walk)
    plan = guide.plan(walk)
    changes = in_words(event.changes, guide.features)
    reached = _reached(plan.multiverse.goal, event.after)
    outlook = plan.outlook(event.after)
    words = [_sentence(changes, outlook, plan.outlook(event.before))]
    words.append("This alone would be enough." if reached else "This alone is not enough.")
    then = document(guide, there) if ways else None
    if then is not None and not reached:
        now = document(guide, walk)
        words += compared(now.ways, then.ways)
    return Trial(event.after, outlook, reached, tuple(words), then)


def _unchanged(guide: Guide, walk: Walk) -> Trial:
    plan = guide.plan(walk)
    reached = _reached(plan.multiverse.goal, plan.figure)
    return Trial(plan.figure, plan.outlook(plan.figure), reached, ("This is how it is now.",), None)


def _sentence(changes: Sequence[ChangeWords], outlook: str, before: str) -> str:
    """What the model would say.

    >>> _sentence([ChangeWords("Savings", "0", "300 DM", "+300")], "47%", "40%")
    'With Savings at 300 DM (+300) you would be at 47% instead of 40%.'
    """
    tried = [f"{each.name} at {each.after}{each.by and f' ({each.by})'}" for each in changes]
    if outlook == before:
        return f"With {' and '.join(tried)} you would still be at {outlook}."
    return f"With {' and '.join(tried)} you would be at {outlook} instead of {before}."


def compared(now: Sequence[WayWords], then: Sequence[WayWords]) -> list[str]:
    """What would become of the ways, in sentences."""
    left = {way.letter: way for way in then}
    pairs = [(way, left[way.letter]) for way in now if way.letter in left]
    shorter = [way for way, other in pairs if len(other.steps) < len(way.steps)]
    words = [f"{_ways(shorter)} would have fewer steps."] if shorter else []
    words += [
        f"Way {way.letter} would take {abs(other.effort - way.effort):.2f} "
        f"{'less' if other.effort < way.effort else 'more'} effort."
        for way, other in pairs
        if way not in shorter and abs(other.effort - way.effort) > SAME
    ]
    if lost := [way for way in now if way.letter not in left]:
        words.append(f"{_ways(lost)} would not be among the ways found.")
    if new := [way for way in then if way.letter not in {each.letter for each in now}]:
        words.append(f"{_ways(new)} would be new.")
    return words


def _ways(ways: Sequence[WayWords]) -> str:
    *most, last = [way.letter for way in ways]
    return f"Ways {', '.join(most)} and {last}" if most else f"Way {last}"


def _reached(goal: Goal | Range | None, figure: float | None) -> bool:
    """Whether a figure is the outcome wanted, with or without what is to spare."""
    if goal is None or figure is None:
        return False
    if isinstance(goal, Goal):
        return figure >= goal.outcome.needed
    return bool(goal.outcome.reached(np.array([[figure]]))[0])
