"""The map of journeys as an SVG drawing that stands on its own: a map in, a string out."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from facelift.drawing.layout import PICTURE
from facelift.drawing.parts import (
    COLOURS,
    EDGE,
    INK,
    LINE,
    NAME,
    ON_COLOURS,
    QUIET,
    VALUE,
    WARNING,
    End,
    Label,
    Map,
    Station,
    Text,
)

FONT = "system-ui, 'DejaVu Sans', sans-serif"


def map_svg(drawn: Map, title: str) -> str:
    """The same drawing as on the page, with its colours and fonts inside."""
    width, height = drawn.width, drawn.full_height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="{FONT}" font-size="{NAME:g}" '
        'role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
        _text(drawn.you.x - 8, 16, drawn.axis, QUIET) if drawn.axis else "",
    ]
    parts += [
        f'<line x1="{tick.x:.1f}" x2="{tick.x:.1f}" y1="{drawn.top:g}" '
        f'y2="{drawn.height - 8:g}" stroke="{EDGE}"/>'
        + _text(tick.x, drawn.top - 7, tick.label, QUIET, anchor="middle")
        for tick in drawn.ticks
    ]
    parts += [
        f'<path d="{each.path}" fill="none" stroke="{COLOURS[each.colour]}" stroke-width="4.2"/>'
        for each in drawn.strokes
    ]
    parts += [
        f'<path d="{each.path}" fill="none" stroke="{INK}" stroke-width="1.6" '
        f'stroke-dasharray="2 4"><title>{escape(each.words)}</title></path>'
        for each in drawn.meetings
    ]
    parts += [_station(station) for station in drawn.stations]
    parts += [
        f"<g><title>{escape(label.words)}</title>{_texts(label.texts)}</g>"
        for label in drawn.labels
    ]
    parts += [_you(drawn.you), *map(_end, drawn.ends)]
    parts += [_told(label, drawn.height + LINE * i + 6) for i, label in enumerate(drawn.numbered)]
    return "".join([*parts, "</svg>"])


def _texts(texts: Iterable[Text]) -> str:
    looks = {"name": (INK, True), "value": (QUIET, False)}
    return "".join(
        _text(each.x, each.y, each.words, looks[each.role][0], bold=looks[each.role][1])
        for each in texts
    )


def _told(label: Label, y: float) -> str:
    """What a number on the map stands for."""
    words = f"{label.number} {label.name} {label.value}"
    return _text(8, y, words, QUIET)


def _station(station: Station) -> str:
    title = f"<title>{escape(station.words)}</title>"
    if station.picture:
        return f"<g>{title}{_picture(station)}</g>"
    top = station.y - station.height / 2
    if station.fork:
        mark = _bar(station.x - 5, top, 10, station.height, f'fill="#fff" stroke="{INK}" rx="5"')
    else:
        mark = _bar(station.x - 1.5, top + 3, 3, station.height - 6, 'fill="#fff"')
    warning = _text(station.x, top - 4, "⚠", WARNING, anchor="middle") if station.closes else ""
    return f"<g>{title}{mark}{warning}</g>"


def _picture(station: Station) -> str:
    colour = INK if station.colour is None else COLOURS[station.colour]
    left, top = station.x - PICTURE / 2, station.y - PICTURE / 2
    frame = _bar(left, top, PICTURE, PICTURE, f'fill="#fff" stroke="{colour}" stroke-width="3"')
    inside = PICTURE - 6
    image = (
        f'<image href="{station.picture}" x="{left + 3:.1f}" y="{top + 3:.1f}" width="{inside:g}" '
        f'height="{inside:g}" style="image-rendering:pixelated"/>'
    )
    below = station.y + PICTURE / 2 + 14
    return frame + image + _text(station.x, below, station.caption, QUIET, anchor="middle")


def _you(you: Station) -> str:
    if you.picture:
        above = you.y - PICTURE / 2 - 6
        return _picture(you) + _text(you.x, above, "you", INK, anchor="middle", bold=True)
    top = you.y - you.height / 2
    bar = _bar(you.x - 6, top, 12, you.height, f'fill="{INK}" rx="6"')
    return bar + _text(you.x - 11, you.y + 4, you.caption or "you", INK, anchor="end", bold=True)


def _end(end: End) -> str:
    circle = f'<circle cx="{end.x:g}" cy="{end.y:g}" r="11" fill="{COLOURS[end.colour]}"/>'
    letter = _text(end.x, end.y + 4, end.letter, ON_COLOURS[end.colour], anchor="middle", bold=True)
    return circle + letter + _texts(end.texts)


def _bar(x: float, y: float, width: float, height: float, looks: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:g}" height="{height:g}" {looks}/>'


def _text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="650"' if bold else f' font-size="{VALUE:g}"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"{weight}>'
        f"{escape(words)}</text>"
    )
