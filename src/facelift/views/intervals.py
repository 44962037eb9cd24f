"""A drawing of numbers with their intervals: a row per group, marks on one axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, RIGHT, TOP, ROW, AXIS = 720, 64, 4, 38, 22
"""Of a drawing: its width, the room for numbers and above, the height of a row and of the axis."""

LETTER = 6.6
"""About the width of a letter in the names of groups."""

N_TICKS = 5
"""About how many numbers stand below an axis."""


@dataclass(frozen=True)
class Mark:
    """A number and the ends of its interval; `kind` is a class of the page's style.

    Those of one kind are `square`, so that kinds can be told apart without their colours.
    """

    value: float
    low: float
    high: float
    kind: str
    square: bool = False


def drawing(
    rows: Sequence[tuple[str, Sequence[Mark]]], told: str, figure: Callable[[float], str]
) -> str:
    """An SVG of the marks of each named row, NaN left out; `figure` writes a number.

    >>> row = ("women (n = 94)", [Mark(0.68, 0.6, 0.77, "plain")])
    >>> svg = drawing([row], "Coverage by group", "{:.0%}".format)
    >>> ">68%</text>" in svg, ">80%</text>" in svg
    (True, True)
    """
    seen = [mark for _, marks in rows for mark in marks if not math.isnan(mark.value)]
    ends = [end for mark in seen for end in (mark.low, mark.high, mark.value)]
    ticks = ticks_over(min(0.0, *ends, 0.0), max(0.0, *ends, 0.0))
    left = min(330.0, 16 + LETTER * max(len(name) for name, _ in rows))

    def x(at: float) -> float:
        share = (at - ticks[0]) / (ticks[-1] - ticks[0])
        return round(left + (WIDTH - RIGHT - left) * share, 1)

    foot = TOP + ROW * len(rows)
    drawn = [_tick(x(at), foot, figure(at)) for at in ticks]
    for i, (name, marks) in enumerate(rows):
        middle = TOP + ROW * i + ROW / 2
        drawn.append(f"<text x='0' y='{middle + 4:g}'>{escape(name)}</text>")
        for place, mark in enumerate(marks):
            y = middle + 15 * (place - (len(marks) - 1) / 2)
            if not math.isnan(mark.value):
                drawn.append(_mark(mark, x, y, figure(mark.value)))
    height = foot + AXIS
    return (
        f"<svg viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' role='img' "
        f"aria-label='{escape(told)}'>{''.join(drawn)}</svg>"
    )


def ticks_over(low: float, high: float) -> list[float]:
    """Round numbers, evenly spaced, from at most `low` to at least `high`.

    >>> ticks_over(0.0, 2.44)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    >>> ticks_over(0.0, 0.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    high = high if high > low else low + 1.0
    wanted = (high - low) / N_TICKS
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= wanted * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def _tick(x: float, foot: float, words: str) -> str:
    return (
        f"<line class='grid' x1='{x}' x2='{x}' y1='{TOP}' y2='{foot}'/>"
        f"<text class='tick' x='{x}' y='{foot + 15}' text-anchor='middle'>{words}</text>"
    )


def _mark(mark: Mark, x: Callable[[float], float], y: float, words: str) -> str:
    """The interval, a dot or square on it, and the number beside it."""
    at = x(mark.value)
    shape = f"<circle cx='{at}' cy='{y}' r='4.5'/>"
    if mark.square:
        shape = f"<rect x='{at - 4:g}' y='{y - 4:g}' width='8' height='8'/>"
    return (
        f"<g class='{mark.kind}'><line x1='{x(mark.low)}' x2='{x(mark.high)}' y1='{y}' y2='{y}'/>"
        f"{shape}<text x='{max(x(mark.high), at + 4) + 6:g}' y='{y + 4}'>{words}</text></g>"
    )
