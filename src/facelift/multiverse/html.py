"""Journeys as lines of a map, and as static HTML for notebooks: no script, all text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from facelift.drawing import COLOURS, QUIET, Leg, Line
from facelift.drawing.layout import layout
from facelift.drawing.markup import Html, bare_table, card, element, map_svg
from facelift.language import count, fixed, joined, say
from facelift.multiverse.frames import changes as changes_of
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import (
    PIP_WORDS,
    PIPS,
    ChangeWords,
    done,
    in_words,
    legend,
    letter,
    listed,
    steps_in_words,
    what_changes,
)

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey
    from facelift.multiverse.multiverse import Multiverse

LISTED = 12
"""So many changes of one step are listed; more are counted."""

NOTES = {
    "": [],
    "chance": [say("A chance is the model's own estimate, not a promise.")],
    "predicted": [say("A predicted number is the model's own estimate, not a promise.")],
}


def notes(journey: Journey) -> list[str]:
    """What to know of a journey, in sentences."""
    found = list(NOTES[journey.measure])
    if journey.rarity is not None and journey.rarity[0] > 1:
        found.append(
            say("You are rarer than most records, so ways may pass through states as rare.")
        )
    return found


def multiverse_html(multiverse: Multiverse) -> str:
    """The map of all journeys, a table of them, and their steps to unfold.

    >>> from facelift.toys import loan
    >>> html = multiverse_html(loan().multiverse())
    >>> html.count("<svg"), html.count("<details"), "<script" in html
    (1, 3, False)
    """
    title = _title(multiverse)
    if not len(multiverse):
        return card(element("p", element("strong", title)))
    drawn = map_svg(layout(lines(multiverse)), title)
    colours = {number: colour for colour, number in enumerate(shown(multiverse))}
    parts = [element("p", element("strong", title), _now(multiverse)), Html(drawn)]
    parts.append(_overview(multiverse, colours))
    parts += [_way(multiverse, number, colours) for number in colours]
    words = [legend(multiverse), *notes(multiverse[0])]
    return card(*parts, element("p", "\n".join(words), class_="quiet"))


def journey_html(journey: Journey) -> str:
    """The steps of a journey as a table, with one pip per destination.

    >>> from facelift.toys import loan
    >>> journey_html(loan().multiverse()[0]).count("✕")
    3
    """
    title = element("p", element("strong", repr(journey)[8:-1]))
    return card(title, _steps(journey, {}), element("p", legend([journey]), class_="quiet"))


def _title(multiverse: Multiverse) -> str:
    if not len(multiverse):
        there = multiverse.why_not is not None and multiverse.why_not.reason == "already there"
        return f"{'' if there else 'No way: '}{multiverse.why_not}"
    return heading(multiverse)


def _now(multiverse: Multiverse) -> str:
    """What the model says now, and what is needed."""
    start, goal = multiverse[0], multiverse.goal
    if goal is None or not start.measure:
        return ""
    return f" · {start.measure} now {start.outlook(0)}, {goal.terms}"


def _overview(multiverse: Multiverse, colours: dict[int, int]) -> Html:
    measure = multiverse[0].measure or "chance"
    columns = ["way", "steps", "effort", measure, "what changes", "serves others"]
    rows = [
        [
            _badge(number, colours),
            journey.n_steps,
            f"{journey.cost:.2f}",
            journey.outlook(-1),
            what_changes(journey),
            "–" if np.isnan(score) else f"{score:.0%}",
        ]
        for number, (journey, score) in enumerate(zip(multiverse, multiverse.scores, strict=True))
    ]
    return bare_table(columns, rows)


def _way(multiverse: Multiverse, number: int, colours: dict[int, int]) -> Html:
    journey = multiverse[number]
    title = element("summary", f"Way {letter(number)}: {what_changes(journey)}")
    return element("details", title, _steps(journey, colours))


def _steps(journey: Journey, colours: dict[int, int]) -> Html:
    """Steps as rows, with a column of pips per destination."""
    letters = [letter(b) for b in range(journey.remaining.shape[1])]
    rows = [
        [
            i,
            listed(step.changes, most=LISTED) or "nothing changes",
            f"{step.effort:.2f}",
            step.after,
            *(_pip(b, effect, colours) for b, effect in enumerate(step.effects)),
            f"closes {step.closes}" if step.closes else "",
        ]
        for i, step in enumerate(steps_in_words(journey), start=1)
    ]
    return bare_table(["", "step", "effort", journey.measure or "chance", *letters, ""], rows)


def _pip(destination: int, effect: str, colours: dict[int, int]) -> Html:
    colour = QUIET if effect == "closed" else _colour(destination, colours)
    words = f"{letter(destination)}: {PIP_WORDS[effect]}"
    return element("span", PIPS[effect], title=words, style=f"color:{colour};font-size:130%")


def _badge(number: int, colours: dict[int, int]) -> Html:
    return element("strong", letter(number), style=f"color:{_colour(number, colours)}")


def _colour(number: int, colours: dict[int, int]) -> str:
    """The colour of a way on the map; those that are not on it are quiet."""
    return COLOURS[colours[number]] if number in colours else QUIET


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
    'effort 14.00'
    """
    return tuple(
        _map_line(multiverse, number, colour, similar)
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


def _map_line(multiverse: Multiverse, number: int, colour: int, similar: int) -> Line:
    journey = multiverse[number].in_steps
    ends = zip(journey.vertices[1:].tolist(), steps_in_words(journey), strict=True)
    made = [
        in_words(done(step, journey.features), journey.features) for step in changes_of(journey)
    ]
    legs = [
        leg(vertex, step.effort, own, listed(step.changes), step.outlook, step.closes)
        for (vertex, step), own in zip(ends, made, strict=True)
    ]
    outlook = journey.outlook(-1)
    caption = _outcome(multiverse, journey) + (f", {outlook}" if outlook else "")
    return line(letter(number), colour, legs, caption, f"effort {journey.cost:.2f}", similar)


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
    changes: Sequence[ChangeWords],
    words: str,
    outlook: str,
    closes: str = "",
    picture: str = "",
    caption: str = "",
) -> Leg:
    """A step of a line.

    `outlook` is what the model says then, such as "chance 60%"; empty where there is no model.
    """
    name, value = count("{n} thing", "{n} things", len(changes)), say("change")
    if len(changes) == 1:
        name, value = changes[0].name, say("→ {after}", after=changes[0].after)
    facts = [say("effort {effort}", effort=fixed(effort)), *([outlook] if outlook else [])]
    return Leg(
        vertex=vertex,
        effort=effort,
        name=name,
        value=value,
        words=say("{step} ({facts})", step=words, facts=joined(facts)),
        closes=closes,
        picture=picture,
        caption=caption,
    )


def line(
    name: str, colour: int, legs: Sequence[Leg], caption: str, effort: str, similar: int
) -> Line:
    """A line with what stands at its end: where it leads, its effort in words, ways like it."""
    note = [effort, say("+{n} similar", n=similar - 1)] if similar > 1 else [effort]
    words = say("Way {way}: {end}; {facts}", way=name, end=caption, facts=joined(note))
    return Line(name, colour, tuple(legs), caption, joined(note, " · "), words)
