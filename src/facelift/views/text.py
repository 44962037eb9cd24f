"""Journeys in plain words for a terminal: a multiverse in, a string out."""

from __future__ import annotations

from io import StringIO
from string import ascii_uppercase

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from facelift.geometry import steps_kept_open
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.tidy import changes
from facelift.selection import opportunity, ranking

NEARER, OPEN, CLOSED = "●", "○", "✕"
"""The pips: a step brings a destination nearer, leaves it open without helping, or closes it."""


def letter(number: int) -> str:
    """Letter of a destination: A to Z, then A2, B2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    round_, place = divmod(number, 26)
    return ascii_uppercase[place] + (str(round_ + 1) if round_ else "")


def pips(journey: Journey) -> list[str]:
    """One pip per destination after each step of a journey.

    >>> from facelift.toys import loan
    >>> pips(loan().multiverse()[2])
    ['✕●●', '✕●●', '✕✕●', '✕✕●']
    """
    nearer = steps_kept_open(journey.remaining, journey.step_costs)
    in_reach = np.isfinite(journey.remaining[1:])
    marks = np.where(nearer & in_reach, NEARER, np.where(in_reach, OPEN, CLOSED))
    return ["".join(row) for row in marks.tolist()]


def multiverse_text(
    multiverse: Multiverse, *, title: str = "", width: int = 100, color: bool = False
) -> str:
    """The journeys step by step, what each keeps open, and the recommendation and why."""
    if not multiverse.journeys:
        return _rendered(_empty(multiverse, title), width, color)
    order = ranking(multiverse, opportunity)
    chosen = int(order[0])
    parts: list[RenderableType] = [_overview(multiverse, chosen, title)]
    parts += [_steps(multiverse, i) for i in range(len(multiverse))]
    parts += [_legend(), _recommendation(multiverse, chosen)]
    return _rendered(Group(*parts), width, color)


def _empty(multiverse: Multiverse, title: str) -> RenderableType:
    lines = [Text(title, style="bold")] if title else []
    why_not = multiverse.why_not
    there = why_not is not None and why_not.reason == "already there"
    return Group(*lines, Text("" if there else "No way: ", "bold").append(str(why_not), style=""))


def _overview(multiverse: Multiverse, chosen: int, title: str) -> RenderableType:
    start = multiverse[0]
    now = "" if start.chances is None else f"  chance of {multiverse.goal} now {_percent(start, 0)}"
    table = Table(title=f"{title}{now}".strip(), title_justify="left", title_style="bold", box=None)
    for name in ("way", "steps", "effort", "chance", "changes", "keeps open"):
        table.add_column(name, justify="left" if name == "way" else "right")
    table.add_column("")
    for i, journey in enumerate(multiverse):
        changed = {name for step in changes(journey) for name, _, _ in step}
        table.add_row(
            letter(i),
            str(journey.n_steps),
            f"{journey.cost:.2f}",
            _percent(journey, -1),
            _count(len(changed), "thing"),
            _share(multiverse.scores[i]),
            _remark(multiverse, i, chosen),
            style="bold" if i == chosen else "",
        )
    return table


def _remark(multiverse: Multiverse, number: int, chosen: int) -> str:
    if len(multiverse) == 1:
        return "only way"
    return "keeps most open" if number == chosen else "least effort" if number == 0 else ""


def _steps(multiverse: Multiverse, number: int) -> RenderableType:
    journey = multiverse[number]
    letters = "".join(letter(i)[0] for i in range(len(multiverse)))
    table = Table(
        title=f"\nWay {letter(number)}", title_justify="left", title_style="bold", box=None
    )
    for name, justify in (("step", "right"), ("what changes", "left"), ("effort", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    table.add_column("chance", justify="right")
    table.add_column(letters, no_wrap=True)
    for i, (step, marks) in enumerate(zip(changes(journey), pips(journey), strict=True)):
        words = "; ".join(f"{_name(name)}: {_change(a, b)}" for name, a, b in step)
        effort = f"{journey.step_costs[i]:.2f}"
        table.add_row(str(i + 1), words, effort, _percent(journey, i + 1), marks)
    return table


def _legend() -> RenderableType:
    return Text(
        f"\n{NEARER} brings that way nearer   {OPEN} open, no help   {CLOSED} closed for good",
        style="dim",
    )


def _recommendation(multiverse: Multiverse, chosen: int) -> RenderableType:
    journey, score = multiverse[chosen], multiverse.scores[chosen]
    steps = _count(journey.n_steps, "step")
    lines = [f"Way {letter(chosen)}: {steps}, effort {journey.cost:.2f}."]
    if np.isnan(score):
        lines.append("It is the only way found.")
    else:
        others = len(multiverse) - 1
        ways = f"{others} ways" if others > 1 else "way"
        average = "On average " if others > 1 else ""
        lines.append(
            f"{average}{score:.0%} of it also brings the other {ways} nearer, "
            "the most of all ways found."
        )
        if chosen != 0:
            extra = journey.cost - multiverse[0].cost
            lines.append(
                f"The least effort is way A ({extra:.2f} less), but only "
                f"{multiverse.scores[0]:.0%} of it serves the other{'s' if others > 1 else ''}."
            )
    if journey.chances is not None:
        lines.append("A chance is the model's own estimate, not a promise.")
    return Panel(" ".join(lines), title="Recommended", title_align="left", padding=(0, 1))


def _percent(journey: Journey, waypoint: int) -> str:
    return "" if journey.chances is None else f"{journey.chances[waypoint]:.0%}"


def _share(score: float) -> str:
    return "–" if np.isnan(score) else f"{score:.0%}"


def _name(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _change(before: object, after: object) -> str:
    """Two values as short as still tells them apart."""
    short = _value(before), _value(after)
    return " → ".join(short if short[0] != short[1] else (str(before), str(after)))


def _value(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    large = 1e5 <= abs(value) < 1e15  # where :g would drop digits people count in
    return f"{value:.2f}".rstrip("0").rstrip(".") if large else f"{value:g}"


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
    console.print(content)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
