"""Several classes: which one a way reaches, and what each step makes more likely and what less."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from facelift._arrays import Floats
from facelift.language import joined, label, percent, say
from facelift.multiverse.goal import Goal, Range

LEAST_SHIFT = 0.005
"""Smaller changes of a probability are not told: they round to nothing."""

MOST_TOLD = 3
"""So many classes are told that a step makes more likely, and so many that it makes less."""


def reached_class(goal: Goal | Range | None, answers: Floats) -> str | None:
    """Of several classes wanted, the likeliest at a place; None where there is no class to tell.

    >>> reached_class(Goal(("b", "c"), 0.5, ("a", "b", "c")), np.array([0.3, 0.1, 0.6]))
    'c'
    """
    if not isinstance(goal, Goal):
        return None
    return max(goal.target, key=lambda each: float(answers[goal.classes.index(each)]))


def shift_words(
    before: Floats, after: Floats, classes: Sequence[str], called: Callable[[str], str] = label
) -> str:
    """What a step makes more likely and what less, the largest changes first.

    Empty with fewer than three classes: there the one chance that is told says all.

    >>> print(shift_words(np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.2, 0.5]), ["1", "3", "9"]))
    more likely: 9 (+40%); less likely: 1 (−40%)
    """
    if len(classes) < 3:
        return ""
    shifts = np.asarray(after) - np.asarray(before)
    order = np.argsort(-np.abs(shifts), kind="stable")
    told = [i for i in order.tolist() if abs(shifts[i]) >= LEAST_SHIFT]
    rising = [
        say("{outcome} (+{share})", outcome=called(classes[i]), share=percent(float(shifts[i])))
        for i in told
        if shifts[i] > 0
    ]
    falling = [
        say("{outcome} (−{share})", outcome=called(classes[i]), share=percent(float(-shifts[i])))
        for i in told
        if shifts[i] < 0
    ]
    parts = [say("more likely: {outcomes}", outcomes=joined(rising[:MOST_TOLD]))] if rising else []
    if falling:
        parts.append(say("less likely: {outcomes}", outcomes=joined(falling[:MOST_TOLD])))
    return joined(parts, "; ")
