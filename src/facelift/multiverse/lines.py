"""Journeys as lines of a map: what each step changes, and what stands at the end, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facelift.drawing.colours import COLOURS
from facelift.drawing.parts import Leg, Line
from facelift.multiverse.frames import Change, changes, row_changes, waypoint_rows
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.letters import letter
from facelift.multiverse.words import name_words, summary, told_apart

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey
    from facelift.multiverse.multiverse import Multiverse


def shown(multiverse: Multiverse) -> dict[int, int]:
    """Which journeys are drawn, at most seven, and how many ways each of them stands for.

    Of more than seven, those that run alike are one family, shown by its cheapest member.

    >>> from facelift.toys import loan
    >>> shown(loan().multiverse())
    {0: 1, 1: 1, 2: 1}
    """
    if len(multiverse) <= len(COLOURS):
        return dict.fromkeys(range(len(multiverse)), 1)
    families = multiverse.families(n_families=len(COLOURS))
    return dict(sorted((min(family.members), len(family.members)) for family in families))


def lines(multiverse: Multiverse) -> tuple[Line, ...]:
    """The journeys shown, each as a line with its letter, its colour and its steps.

    >>> from facelift.toys import loan
    >>> lines(loan().multiverse())[1].note
    'effort 14.00 · 2 things change'
    """
    return tuple(
        _line(multiverse, number, colour, similar)
        for colour, (number, similar) in enumerate(shown(multiverse).items())
    )


def heading(multiverse: Multiverse) -> str:
    """How many ways there are, and what to.

    >>> from facelift.toys import loan
    >>> heading(loan().multiverse())
    '3 ways'
    """
    ways = f"{len(multiverse)} way{'' if len(multiverse) == 1 else 's'}"
    goal = multiverse.goal
    if goal is None:
        return ways
    anything = isinstance(goal, Goal) and goal.anything_else
    return f"{ways} to {'something else' if anything else goal}"


def _line(multiverse: Multiverse, number: int, colour: int, similar: int) -> Line:
    journey = multiverse[number]
    steps = zip(changes(journey), journey.closes, strict=True)
    legs = [_leg(journey, i, step, lost) for i, (step, lost) in enumerate(steps, start=1)]
    outlook = journey.outlook(-1)
    caption = _outcome(multiverse, journey) + (f", {outlook}" if outlook else "")
    (total,) = row_changes(waypoint_rows(journey).iloc[[0, -1]])
    return line(letter(number), colour, legs, caption, journey.cost, len(total), similar)


def _leg(journey: Journey, waypoint: int, step: Sequence[Change], lost: tuple[int, ...]) -> Leg:
    return leg(
        int(journey.vertices[waypoint]),
        float(journey.step_costs[waypoint - 1]),
        [(name_words(change[0]), told_apart(change)[1]) for change in step],
        summary(step),
        f"{journey.measure} {journey.outlook(waypoint)}".strip(),
        " ".join(map(letter, lost)),
    )


def _outcome(multiverse: Multiverse, journey: Journey) -> str:
    """What a journey leads to: the goal, or the class its end is taken for."""
    goal = multiverse.goal
    if goal is None:
        return "there"
    if isinstance(goal, Range) or len(goal.target) == 1 or journey.probabilities is None:
        return str(goal)
    return goal.classes[int(journey.probabilities[-1].argmax())]


def leg(
    vertex: int,
    effort: float,
    said: Sequence[tuple[str, str]],
    words: str,
    outlook: str,
    closes: str = "",
    picture: str = "",
    caption: str = "",
) -> Leg:
    """A step of a line; `said` has the names of what changes and their values after it.

    `outlook` is what the model says then, such as "chance 60%"; empty where there is no model.
    """
    name, value = said[0] if len(said) == 1 else (f"{len(said)} things", "change")
    facts = [f"effort {effort:.2f}"] + ([outlook] if outlook else [])
    return Leg(
        vertex=vertex,
        effort=effort,
        name=name,
        value=f"→ {value}" if len(said) == 1 else value,
        words=f"{words} ({', '.join(facts)})",
        closes=closes,
        picture=picture,
        caption=caption,
    )


def line(
    name: str,
    colour: int,
    legs: Sequence[Leg],
    caption: str,
    effort: float,
    n_changes: int,
    similar: int,
) -> Line:
    """A line with what stands at its end; no changes are counted where there are none."""
    note = [f"effort {effort:.2f}"]
    if n_changes:
        note.append("1 thing changes" if n_changes == 1 else f"{n_changes} things change")
    if similar > 1:
        note.append(f"+{similar - 1} similar")
    words = f"Way {name}: {caption}; {', '.join(note)}"
    return Line(name, colour, tuple(legs), caption, " · ".join(note), words)
