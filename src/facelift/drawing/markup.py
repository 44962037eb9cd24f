"""Markup: the map of journeys as SVG, and tables and cards as HTML that read well anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from facelift.drawing import (
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
from facelift.drawing.layout import PICTURE

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
    parts += [_named(label, drawn.height + LINE * i + 6) for i, label in enumerate(drawn.numbered)]
    return "".join([*parts, "</svg>"])


def _texts(texts: Iterable[Text]) -> str:
    looks = {"name": (INK, True), "value": (QUIET, False)}
    return "".join(
        _text(each.x, each.y, each.words, looks[each.role][0], bold=looks[each.role][1])
        for each in texts
    )


def _named(label: Label, y: float) -> str:
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


STYLE = (
    "<style>.facelift{border-collapse:collapse;font-size:90%}"
    ".facelift th,.facelift td{padding:.2em .7em;text-align:left!important;"
    "border-bottom:1px solid #8884}"
    ".facelift caption{text-align:left;font-weight:600;padding:.3em 0}"
    ".facelift-card{background:#fff;color:#14171c;border:1px solid #d8dee6;border-radius:8px;"
    "padding:.3em 1em;overflow-x:auto;font-family:system-ui,'DejaVu Sans',sans-serif}"
    ".facelift-card .facelift{color:#14171c;margin:.5em 0}.facelift-card .quiet{color:#4f5763}"
    ".facelift-card .quiet{font-size:85%;white-space:pre-wrap}"
    ".facelift-card svg{max-width:100%;height:auto;display:block}"
    ".facelift-card summary{cursor:pointer;padding:.25em 0;font-size:95%}"
    ".facelift-card .facelift tr{background:none!important}</style>"
)


class Html(str):
    """Text that is HTML already: it is put into a table as it is."""


def html_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = ""
) -> str:
    """A styled table; every cell is escaped.

    >>> "&lt;100" in html_table(["savings"], [["<100"]])
    True
    """
    return STYLE + bare_table(columns, rows, caption=caption)


def bare_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = ""
) -> Html:
    """The table without its style; all that is not `Html` is escaped.

    >>> bare_table(["a"], [["<"], [Html("<br>")]]).partition("<tbody>")[2]
    '<tr><td>&lt;</td></tr><tr><td><br></td></tr></tbody></table>'
    """
    head = "".join(f"<th scope='col'>{html(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    title = f"<caption>{html(caption)}</caption>" if caption else ""
    return Html(
        f"<table class='facelift'>{title}"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def html(content: object) -> Html:
    """Content as HTML: escaped, unless it is HTML already.

    >>> html("a < b"), html(Html("<br>"))
    ('a &lt; b', '<br>')
    """
    return content if isinstance(content, Html) else Html(escape(str(content)))


def element(tag: str, *content: object, **attributes: str) -> Html:
    """An element with its attributes and content, all escaped.

    >>> element("p", "a < b", title='"c"')
    '<p title="&quot;c&quot;">a &lt; b</p>'
    """
    named = {name.rstrip("_"): value for name, value in attributes.items()}  # class_ is class
    looks = "".join(f' {name}="{escape(value)}"' for name, value in named.items())
    return Html(f"<{tag}{looks}>{''.join(map(html, content))}</{tag}>")


def card(*content: object) -> Html:
    """A card on paper of its own, so that its colours are right in dark notebooks too."""
    return Html(f"{STYLE}<div class='facelift-card'>{''.join(map(html, content))}</div>")


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same table in plain text, columns padded to their widest cell.

    >>> print(text_table(["column", "kind"], [["age", "numeric"]]))
    column  kind
    age     numeric
    """
    lines = [[str(cell) for cell in row] for row in [columns, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    padded = (
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)
