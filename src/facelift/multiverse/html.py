"""Journeys as static HTML for notebooks: the map, tables and pips; no script, all text escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facelift.drawing.colours import COLOURS, QUIET
from facelift.drawing.html import Html, bare_table, card, element
from facelift.drawing.layout import layout
from facelift.drawing.svg import map_svg
from facelift.geometry import effects
from facelift.multiverse.frames import Change, changes
from facelift.multiverse.letters import letter
from facelift.multiverse.lines import heading, lines, shown
from facelift.multiverse.pips import PIP_WORDS, PIPS, legend
from facelift.multiverse.words import change_words, what_changes

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey
    from facelift.multiverse.multiverse import Multiverse

LISTED = 12
"""So many changes of one step are listed; more are counted."""

NOTES = {
    "": [],
    "chance": ["A chance is the model's own estimate, not a promise."],
    "predicted": ["A predicted number is the model's own estimate, not a promise."],
}


def multiverse_html(multiverse: Multiverse) -> str:
    """The map of all journeys, a table of them, and their steps to unfold.

    >>> from facelift.toys import loan
    >>> told = multiverse_html(loan().multiverse())
    >>> told.count("<svg"), told.count("<details"), "<script" in told
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
    notes = [legend(multiverse), *NOTES[multiverse[0].measure]]
    return card(*parts, element("p", "\n".join(notes), class_="quiet"))


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
    return f" · {start.measure} now {start.outlook(0)}, needed {goal.needs}"


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
    summary = element("summary", f"Way {letter(number)}: {what_changes(journey)}")
    return element("details", summary, _steps(journey, colours))


def _steps(journey: Journey, colours: dict[int, int]) -> Html:
    """Steps as rows, with a column of pips per destination."""
    said = effects(journey.remaining, journey.step_costs).tolist()
    letters = [letter(b) for b in range(journey.remaining.shape[1])]
    rows = [
        [
            i,
            _said(step),
            f"{journey.step_costs[i - 1]:.2f}",
            journey.outlook(i),
            *(_pip(b, effect, colours) for b, effect in enumerate(said[i - 1])),
            f"closes {' '.join(map(letter, lost))}" if lost else "",
        ]
        for i, (step, lost) in enumerate(
            zip(changes(journey), journey.closes, strict=True), start=1
        )
    ]
    return bare_table(["", "step", "effort", journey.measure or "chance", *letters, ""], rows)


def _said(step: list[Change]) -> str:
    """All changes of a step, or how many there are, as with pixels."""
    if len(step) > LISTED:
        return f"{len(step)} things change"
    return ", ".join(map(change_words, step)) or "nothing changes"


def _pip(destination: int, effect: str, colours: dict[int, int]) -> Html:
    colour = QUIET if effect == "closed" else _colour(destination, colours)
    words = f"{letter(destination)}: {PIP_WORDS[effect]}"
    return element("span", PIPS[effect], title=words, style=f"color:{colour};font-size:130%")


def _badge(number: int, colours: dict[int, int]) -> Html:
    return element("strong", letter(number), style=f"color:{_colour(number, colours)}")


def _colour(number: int, colours: dict[int, int]) -> str:
    """The colour of a way on the map; those that are not on it are quiet."""
    return COLOURS[colours[number]] if number in colours else QUIET
