"""Journeys in plain words for a terminal: a multiverse in, a string out."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from facelift._arrays import Floats
from facelift.errors import printable
from facelift.multiverse.goal import Goal
from facelift.multiverse.html import notes
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.proof import Proof
from facelift.multiverse.whynot import WhyNot, offer_lines
from facelift.multiverse.words import DIPS, Step, legend, letter, steps_in_words, what_changes
from facelift.selection import SLACK, recommended

NARROW, ROOMY = 76, 90
"""Below the first, ways have no notes beside them (what is recommended stands in its own box); from
the second on, notes stand on one line."""


def journey_sentences(journey: Journey) -> list[str]:
    """Each step of a journey in words; of one that is the only one, not what it keeps open.

    >>> from facelift.toys import loan
    >>> journey_sentences(loan().multiverse()[1])[-1]
    'X0: 4 → 7, X1: 0 → 3 (keeps 1 of 3 ways open)'
    """
    return [step.sentence for step in steps_in_words(journey)]


def multiverse_text(
    multiverse: Multiverse,
    *,
    title: str = "",
    width: int = 100,
    color: bool = False,
    hint: Callable[[str], str] = str,
    resilience: object = None,
    expected: Floats | None = None,
) -> str:
    """The recommendation and why, the journeys step by step, and what each keeps open.

    `hint` says how the calls are told that would help where there is no way; `resilience` is what
    `fl.resilience` gave and `expected` what `multiverse.expected_effort()` did, if they are to be
    told.

    >>> from facelift.toys import loan
    >>> print(multiverse_text(loan().multiverse()))
    way  steps  effort  chance  what changes  serves others
    A        1    3.00          X1                       0%  recommended, least effort
    B        2   14.00          X0, X1                  29%
    C        4   16.00          X0                      44%
    ...
    """
    if not multiverse.journeys:
        return _rendered(_empty(multiverse, title, hint), width, color)
    chosen = recommended(multiverse)
    heading = _heading(multiverse, title)
    parts: list[RenderableType] = [heading] if heading else []
    parts += [_overview(multiverse, chosen, width), _recommendation(multiverse, chosen, expected)]
    if multiverse.survey is not None:
        parts.append(Text(f"How sure: {multiverse.proof}"))
    if resilience is not None:
        parts.append(Text(f"If something fails: {resilience}."))
    ways = [steps_in_words(journey) for journey in multiverse]
    widest = max((len(str(c)) for way in ways for step in way for c in step.changes), default=0)
    parts += [_steps(ways, i, min(widest, width // 2)) for i in range(len(multiverse))]
    parts.append(_legend(multiverse))
    return _rendered(Group(*parts), width, color)


def _empty(multiverse: Multiverse, title: str, hint: Callable[[str], str]) -> RenderableType:
    lines = [Text(title, style="bold")] if title else []
    why_not = multiverse.why_not
    there = why_not is not None and why_not.reason == "already there"
    offers = () if why_not is None else why_not.offers
    said = str(why_not)
    if why_not is not None and any(each.call in why_not.hint for each in offers):
        said = why_not.message  # what it hints at has been tried by now
    reason = Text("" if there else "No way: ", "bold").append(hint(said), style="")
    proof = [Text(str(multiverse.proof))] if _adds(multiverse.proof, why_not) else []
    offered = [Text("\n".join(["", *map(hint, offer_lines(offers))]))] if offers else []
    return Group(*lines, reason, *proof, *offered, *_certified(why_not, hint))


def _adds(proof: Proof, why_not: WhyNot | None) -> bool:
    """Whether a proof says more than the certificate does."""
    certificate = None if why_not is None else why_not.certificate
    return proof.kind == "nothing below" and not (certificate and certificate.proven)


def _certified(why_not: WhyNot | None, hint: Callable[[str], str]) -> list[RenderableType]:
    """What stands between, what would help, and the way that the cheapest relaxation opens."""
    certificate = None if why_not is None else why_not.certificate
    if certificate is None:
        return []
    lines = ["", *map(hint, certificate.lines())]
    for relaxation in certificate.relaxations[:1]:
        lines += ["", "The way that the first of them opens:"]
        lines += [f"  {each}" for each in journey_sentences(relaxation.journey)]
    return [Text("\n".join(lines))]


def _heading(multiverse: Multiverse, title: str) -> Text:
    heading = Text(title, style="bold")
    start, goal = multiverse[0], multiverse.goal
    if goal is None or not start.outlook(0):
        return heading
    measure = f"chance of {goal}" if isinstance(goal, Goal) else goal.measure
    now = f"{measure} now {start.outlook(0)}, {goal.terms}"
    return heading.append(f"{'   ' if title else ''}{now}\n", style="not bold")


def _overview(multiverse: Multiverse, chosen: int, width: int) -> RenderableType:
    table = _table()
    for name in ("way", "steps", "effort", multiverse[0].measure or "chance"):
        table.add_column(name, justify="left" if name == "way" else "right", no_wrap=True)
    if multiverse[0].agreement is not None:
        table.add_column("agree", justify="right", no_wrap=True)
    table.add_column("what changes", ratio=1, min_width=len("changes"))
    narrow = width < NARROW
    served = "serves\nothers" if narrow else "serves others"
    table.add_column(served, justify="right", no_wrap=True)
    if not narrow:
        table.add_column("", no_wrap=width >= ROOMY)
    for i, journey in enumerate(multiverse):
        table.add_row(
            letter(i),
            str(journey.n_steps),
            f"{journey.cost:.2f}",
            journey.outlook(-1),
            *([] if journey.agreement is None else [f"{journey.agreement[-1]:.0%}"]),
            what_changes(journey),
            _share(multiverse.scores[i]),
            *([] if narrow else [_mark(multiverse, i, chosen)]),
            style="bold" if i == chosen else "",
        )
    return table


def _mark(multiverse: Multiverse, number: int, chosen: int) -> str:
    worse = [DIPS] * multiverse[number].dips
    if len(multiverse) == 1:
        return ", ".join(["only way"] * (not _asked_for_one(multiverse)) + worse)
    marks = ["recommended"] * (number == chosen) + ["least effort"] * (number == 0)
    return ", ".join(marks + worse)


def _steps(ways: list[list[Step]], number: int, width: int) -> RenderableType:
    way = ways[number]
    letters = "".join(letter(i)[0] for i in range(len(ways)))
    table = _table(title=f"\nWay {letter(number)}", title_justify="left", title_style="bold")
    table.add_column("", justify="right")
    table.add_column("step", ratio=1, min_width=width)
    table.add_column("effort", justify="right", no_wrap=True)
    table.add_column(way[0].measure or "chance", justify="right", no_wrap=True)
    if way[0].agreement:
        table.add_column("agree", justify="right", no_wrap=True)
    table.add_column(letters, no_wrap=True)
    timed = any(step.time for step in way)
    if timed:
        table.add_column("after", no_wrap=True)
    table.add_column("")
    for i, step in enumerate(way, start=1):
        words = "\n".join(map(str, step.changes))
        agree = [step.agreement] if step.agreement else []
        time = [step.time.removeprefix("about ")] if timed else []
        note = f"closes {step.closes}" if step.closes else ""
        table.add_row(
            str(i), words, f"{step.effort:.2f}", step.after, *agree, step.pips, *time, note
        )
    return table


def _table(**title: Any) -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", **title)


def _asked_for_one(multiverse: Multiverse) -> bool:
    """Whether no second way was looked for."""
    question = multiverse.question
    return question is not None and question.explainer.n_counterfactuals == 1


def _legend(multiverse: Multiverse) -> RenderableType:
    agree = ["agree: share of other models by which the outcome is reached there"]
    words = [
        legend(multiverse),
        "effort: 1 is moving one number over its whole range (more where it is priced higher)",
        "serves others: share of effort that helps others, until a step first does not",
        *(agree if multiverse[0].agreement is not None else []),
    ]
    return Text("\n" + "\n".join(words), style="dim")


def _recommendation(multiverse: Multiverse, chosen: int, expected: Floats | None) -> RenderableType:
    journey = multiverse[chosen]
    steps = f"{journey.n_steps} step{'' if journey.n_steps == 1 else 's'}"
    insured = ""
    if expected is not None:
        insured = f"; if one step in ten falls through, expect {expected[chosen]:.2f}"
    lines = [f"Way {letter(chosen)}: {steps}, effort {journey.cost:.2f}{insured}."]
    lines += [_why(multiverse, chosen)]
    lost = [letter(i) for step in journey.closes for i in step]
    if lost:
        lines.append(f"It puts {', '.join(lost)} out of reach for good.")
    if journey.dips:
        lines.append("On the way the chance is lower than now for a while.")
    lines += notes(journey)
    return Panel(" ".join(lines), title="Recommended", title_align="left", padding=(0, 1))


def _why(multiverse: Multiverse, chosen: int) -> str:
    """Why this way: it takes about as little effort as any, and serves the others most."""
    if _asked_for_one(multiverse):
        return "One way was asked for; with more, they can be compared."
    if len(multiverse) == 1:
        return "It is the only way found."
    costs, score = multiverse.costs, multiverse.scores[chosen]
    n_near = int((costs <= (1 + SLACK) * costs.min()).sum())
    share = "none" if f"{score:.0%}" == "0%" else f"{score:.0%}"
    serves = f"{share} of its effort also serves the other ways"
    if n_near == 1:
        return f"It takes the least effort of all ways found, by more than a tenth; {serves}."
    if multiverse.scores[chosen] >= multiverse.scores[costs <= (1 + SLACK) * costs.min()].max():
        return (
            f"Of the {n_near} ways that take up to a tenth more effort than the least, it keeps "
            f"most open: {serves}."
        )
    return f"Of the {n_near} ways of about the least effort, the others pass through worse chances."


def _share(score: float) -> str:
    return "–" if np.isnan(score) else f"{score:.0%}"


def _rendered(content: RenderableType, width: int, color: bool) -> str:
    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
        markup=False,  # a level may be called [high]
        emoji=False,
        force_jupyter=False,  # else a notebook shows it, and nothing is returned
        _environ={},  # NO_COLOR and the like are the caller's to read
    )
    told = (Segment(printable(s.text), s.style, s.control) for s in console.render(content))
    console.print(Segments(told), end="")
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
