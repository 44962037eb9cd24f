"""A walk as files: the drawing, the data, and a report that is one HTML file.

The report opens offline, prints, works with scripts off (then as plain tables), and carries a
receipt. With scripts on, the steps that were worked out beforehand can be taken in it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from html import escape
from string import Template
from typing import Any, Literal

from facelift import __version__
from facelift._arrays import fingerprint
from facelift.drawing.parts import Map
from facelift.drawing.svg import map_svg
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal
from facelift.multiverse.words import in_words
from facelift.terrain.rules import rules_text
from facelift.views.page import Document, document, to_json
from facelift.views.script import joined, looks, static
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Take, Walk

Format = Literal["svg", "json", "html"]

N_AHEAD = 24
"""So many places are worked out for a report, the most helpful steps first."""

FIXED = (
    "This is a report: steps that were worked out beforehand can be taken. To change limits, run "
    "facelift explore."
)


def exported(
    guide: Guide, walk: Walk, kind: Format, *, scale: str = "steps", values: bool = True
) -> tuple[bytes, str]:
    """A walk in some format, and its media type; without `values` nobody can be told from it."""
    if not values:
        guide = replace(guide, title="This case", facts=())
    shown = _shared(document(guide, walk), values)
    if kind == "svg":
        drawn = shown.maps.get(scale) or next(iter(shown.maps.values()), None)
        text = "" if drawn is None else map_svg(drawn, f"{shown.header.title}: {shown.banner}")
        return text.encode(), "image/svg+xml"
    if kind == "json":
        content = {"receipt": _receipt(guide, walk, values), "document": json.loads(to_json(shown))}
        return json.dumps(content, ensure_ascii=False, indent=1).encode(), "application/json"
    ahead = _ahead(guide, walk) if values else {}
    return _page(shown, _receipt(guide, walk, values), ahead).encode(), "text/html"


def _page(shown: Document, made: dict[str, Any], ahead: dict[str, Any]) -> str:
    """The report: what the page shows, inside one file."""
    embedded = json.dumps(
        {"first": json.loads(to_json(shown)), "answers": ahead, "fixed": FIXED}, ensure_ascii=False
    )
    return Template(static("report.html")).substitute(
        title=escape(f"facelift: {shown.header.title}"),
        style=looks() + static("report.css"),
        data=embedded.replace("<", "\\u003c"),  # nothing in it can end the script
        script=joined("report.js"),
        plain=_plain(shown, made),
    )


def _receipt(guide: Guide, walk: Walk, values: bool) -> dict[str, Any]:
    """What an answer rests on; equal fingerprints mean the same data and the same answers."""
    explainer, goal = guide.explainer, guide.multiverse.goal
    limits = {name: value for name, value in asdict(walk.limits).items() if value not in _EMPTY}
    return {
        "facelift": __version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "steps": "a graph of one's own" if explainer is None else str(explainer.steps),
        "goal": "" if goal is None else str(goal),
        "threshold": goal.threshold if isinstance(goal, Goal) else None,
        "margin": goal.margin if isinstance(goal, Goal) else None,
        "data": "" if explainer is None else fingerprint(explainer.graph_.points),
        "model": "" if explainer is None else _model_fingerprint(explainer),
        "n_records": 0 if explainer is None else int(explainer.multiplicity_.sum()),
        "rules": "" if explainer is None else _rules_text(explainer),
        "limits": limits if values else dict.fromkeys(limits, "…"),
        "corrected": _corrected(guide, walk) if values else "",
    }


def _corrected(guide: Guide, walk: Walk) -> str:
    """Facts that the person put right."""
    put_right = [event.changes for event in walk.past if event.kind == "correction"]
    changes = [change for event in put_right for change in in_words(event, guide.features)]
    return ", ".join(map(str, changes))


_EMPTY: tuple[Any, ...] = tuple(asdict(Limits()).values())


def _model_fingerprint(explainer: Any) -> str:
    """The kind of model, and a fingerprint of its answers to every record."""
    return f"{type(explainer.model).__name__} {fingerprint(explainer.probabilities_)}"


def _rules_text(explainer: Any) -> str:
    try:
        return rules_text(explainer.terrain_)
    except InvalidInput as fault:  # a requirement that is a function has no text
        return str(fault)


def _shared(shown: Document, values: bool) -> Document:
    """The document, without the values somebody has now if they are not to be told."""
    if values:
        return shown
    ways = tuple(
        replace(
            way,
            changes=tuple(replace(change, before="…") for change in way.changes),
            steps=tuple(
                replace(
                    step,
                    words=", ".join(f"{each.name} → {each.after}" for each in step.changes),
                    changes=tuple(replace(change, before="…") for change in step.changes),
                )
                for step in way.steps
            ),
        )
        for way in shown.ways
    )
    maps = {name: _without_words(each) for name, each in shown.maps.items()}
    walk = replace(shown.walk, origin=None, past=())
    cards = replace(shown.cards, cards=(), rankings={}, recommended=None)
    hidden = replace(shown.settings, settings=(), facts=(), ruled_out=())
    return replace(
        shown,
        ways=ways,
        maps=maps,
        upright=None if shown.upright is None else _without_words(shown.upright),
        walk=walk,
        cards=cards,
        settings=hidden,
        history=(),
        arrival=None,
        nothing=None,
    )


def _without_words(drawn: Map) -> Map:
    """A map that does not say what values were before."""
    labels = [replace(label, words=f"{label.name} {label.value}") for label in drawn.labels]
    stations = [replace(station, words="") for station in drawn.stations]
    return replace(drawn, labels=tuple(labels), stations=tuple(stations))


def _ahead(guide: Guide, walk: Walk) -> dict[str, Any]:
    """Documents after steps, by the vertices walked: breadth first, the most helpful first."""
    ahead: dict[str, Any] = {}
    waiting = [walk]
    while waiting and len(ahead) < N_AHEAD:
        here = waiting.pop(0)
        shown = document(guide, here)
        for vertex in shown.cards.rankings.get("expected", ()):
            if len(ahead) >= N_AHEAD:
                break
            there = document(guide, shown.walk, Take(vertex))
            ahead["-".join(map(str, there.walk.walked))] = json.loads(to_json(there))
            waiting.append(there.walk)
    return ahead


def _plain(shown: Document, made: dict[str, Any]) -> str:
    """Everything as headings, drawings and tables, for printing and for scripts turned off."""
    header = shown.header
    parts = [
        f"<h1>{escape(header.title)}</h1>",
        f"<p>{escape(header.facts)}</p>" if header.facts else "",
        f"<p><strong>{escape(header.outcome)}</strong> {escape(header.outlook)}</p>",
        f"<p>{escape(shown.banner)}</p>",
        *(f"<p>{escape(note)}</p>" for note in shown.notes),
    ]
    parts += [map_svg(each, shown.banner) for each in list(shown.maps.values())[:1]]
    if shown.nothing is not None:
        parts += [
            f"<h2>{escape(shown.nothing.headline)}</h2>",
            f"<p>{escape(shown.nothing.text)}</p>",
        ]
    if shown.nothing is not None and shown.nothing.closest:
        near = "; ".join(map(str, shown.nothing.closest))
        parts.append(f"<p>Closest: {escape(near)} ({escape(shown.nothing.outlook)}).</p>")
    for way in shown.ways:
        rows = [
            [
                str(i),
                step.words,
                f"{step.effort:.2f}",
                step.outlook,
                step.closes or "–",
                step.fallback,
            ]
            for i, step in enumerate(way.steps, start=1)
        ]
        parts.append(
            f"<h2>Way {escape(way.letter)}: effort {way.effort:.2f}, {escape(way.outlook)}</h2>"
        )
        sure = "seen as" if header.picture else shown.measure
        parts.append(_table(["", "step", "effort", sure, "closes", "if lost by then"], rows))
    if shown.history:
        events = [
            ", ".join(map(str, event.changes)) or "another picture" for event in shown.history
        ]
        items = "".join(f"<li>{escape(each)}</li>" for each in events)
        parts.append(f"<h2>How one got here</h2><ol>{items}</ol>")
    return "".join(parts) + _receipt_html(made)


def _receipt_html(made: dict[str, Any]) -> str:
    told = {name: words for name, words in _RECEIPT.items() if name != "corrected" or made[name]}
    rows = [[words, _value_text(made[name])] for name, words in told.items()]
    return (
        "<section class='receipt'><h2>Receipt</h2>"
        "<p>What this rests on. Equal fingerprints of the data and of the model mean the same "
        "records and the same answers to all of them. A chance is the model's own estimate, not a "
        "promise. Effort 1 is one number moved over its whole range.</p>"
        f"{_table(['', ''], rows)}<details><summary>Rules</summary>"
        f"<pre>{escape(made['rules'])}</pre></details></section>"
    )


_RECEIPT = {
    "facelift": "Version of facelift",
    "made": "Made",
    "steps": "Kind of steps",
    "goal": "Outcome asked for",
    "threshold": "Chance that decides",
    "margin": "Margin above it",
    "data": "Fingerprint of the data",
    "n_records": "Records",
    "model": "Model, fingerprint of its answers",
    "limits": "Limits of the person",
    "corrected": "Facts put right by the person",
}


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else "none"
    return "–" if value is None else str(value)


def _table(head: list[str], rows: list[list[str]]) -> str:
    heads = "".join(f"<th scope='col'>{escape(each)}</th>" for each in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
