"""What somebody takes home of a walk: its drawing, data and report; a way as a plan, or a letter.

The report is one HTML file: it opens offline, prints, works with scripts off (then as plain
tables), and carries a receipt. With scripts on, the steps that were worked out beforehand can be
taken in it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from html import escape
from string import Template
from typing import Any, Literal

import numpy as np

from facelift import __version__
from facelift._arrays import fingerprint
from facelift.drawing import Map
from facelift.drawing.markup import map_svg
from facelift.errors import InvalidInput
from facelift.language import ENGLISH, Language, fixed, joined, percent, say, time, told
from facelift.multiverse.frames import differ
from facelift.multiverse.goal import Goal
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import done, in_words
from facelift.terrain.rules import rules_text
from facelift.terrain.terrain import MONTHS
from facelift.views.inline import bundled, looks, static
from facelift.views.letters import letter, letter_again
from facelift.views.page import Document, document, to_json
from facelift.views.ways import WayWords, effort_words, size_words, times, way_words
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan, changed
from facelift.walking.walk import SetLimits, Take, Walk

Format = Literal["svg", "json", "html"]

N_AHEAD = 24
"""So many places are worked out for a report, the most helpful steps first."""

FIXED = say(
    "This is a report: steps that were worked out beforehand can be taken. To change limits, run "
    "facelift explore."
)


def exported(
    guide: Guide,
    walk: Walk,
    kind: Format,
    *,
    scale: str = "steps",
    values: bool = True,
    language: Language = ENGLISH,
) -> tuple[bytes, str]:
    """A walk in some format, and its media type; without `values` nobody can be told from it."""
    if not values:
        guide = replace(guide, title=say("This case"), facts=())
    shown = _shared(document(guide, walk, language=language), values)
    if kind == "svg":
        drawn = _map(shown, language, scale)
        text = "" if drawn is None else map_svg(drawn, f"{shown.header.title}: {shown.banner}")
        return text.encode(), "image/svg+xml"
    if kind == "json":
        content = {"receipt": _receipt(guide, walk, values), "document": json.loads(to_json(shown))}
        return json.dumps(content, ensure_ascii=False, indent=1).encode(), "application/json"
    ahead = _ahead(guide, walk, language) if values else {}
    return _page(shown, _receipt(guide, walk, values), ahead, language).encode(), "text/html"


def _map(shown: Document, language: Language, scale: str = "steps") -> Map | None:
    """A map of the document that stands alone: it says who stands at its beginning."""
    drawn = shown.maps.get(scale) or next(iter(shown.maps.values()), None)
    if drawn is None or drawn.you.picture:
        return drawn
    return replace(drawn, you=replace(drawn.you, caption=language.tell(say("you"))))


def _page(shown: Document, made: dict[str, Any], ahead: dict[str, Any], language: Language) -> str:
    """The report: what the page shows, inside one file."""
    code = language.code
    words = {} if code == "en" else json.loads(static(f"words/{code}.json"))
    embedded = json.dumps(
        {
            "first": json.loads(to_json(shown)),
            "answers": ahead,
            "fixed": language.tell(FIXED),
            "language": code,
            "words": words,
        },
        ensure_ascii=False,
    )
    return Template(static("report.html")).substitute(
        title=escape(f"facelift: {shown.header.title}"),
        style=looks() + static("report.css"),
        data=embedded.replace("<", "\\u003c"),  # nothing in it can end the script
        script=bundled("report.js"),
        plain=_plain(shown, made, language),
        language=code,
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


def _ahead(guide: Guide, walk: Walk, language: Language) -> dict[str, Any]:
    """Documents after steps, by the vertices walked: breadth first, the most helpful first."""
    ahead: dict[str, Any] = {}
    waiting = [walk]
    while waiting and len(ahead) < N_AHEAD:
        here = waiting.pop(0)
        shown = document(guide, here)
        for vertex in shown.cards.rankings.get("expected", ()):
            if len(ahead) >= N_AHEAD:
                break
            there = document(guide, shown.walk, Take(vertex), language)
            ahead["-".join(map(str, there.walk.walked))] = json.loads(to_json(there))
            waiting.append(there.walk)
    return ahead


def _plain(shown: Document, made: dict[str, Any], language: Language) -> str:
    """Everything as headings, drawings and tables, for printing and for scripts turned off."""
    header, tell = shown.header, language.tell
    parts = [
        f"<h1>{escape(header.title)}</h1>",
        f"<p>{escape(header.facts)}</p>" if header.facts else "",
        f"<p><strong>{escape(header.outcome)}</strong> {escape(header.outlook)}</p>",
        f"<p>{escape(shown.banner)}</p>",
        *(f"<p>{escape(note)}</p>" for note in shown.notes),
    ]
    drawn = _map(shown, language)
    parts += [] if drawn is None else [map_svg(drawn, shown.banner)]
    if shown.nothing is not None:
        parts += [
            f"<h2>{escape(shown.nothing.headline)}</h2>",
            f"<p>{escape(shown.nothing.text)}</p>",
        ]
    if shown.nothing is not None and shown.nothing.closest:
        near = "; ".join(map(str, shown.nothing.closest))
        closest = say(
            "Closest: {changes} ({outlook}).", changes=near, outlook=shown.nothing.outlook
        )
        parts.append(f"<p>{escape(tell(closest))}</p>")
    for way in shown.ways:
        rows = [
            [
                str(i),
                step.words,
                tell(fixed(step.effort)),
                step.outlook,
                step.closes or "–",
                step.fallback,
            ]
            for i, step in enumerate(way.steps, start=1)
        ]
        effort = effort_words(way.size, way.effort)
        facts = [way.outlook, way.time, effort]
        title = say("Way {way}: {facts}", way=way.letter, facts=joined(filter(None, facts)))
        parts.append(f"<h2>{escape(tell(title))}</h2>")
        sure = say("chance") if shown.measure == "chance" else say("predicted")
        sure = say("seen as") if header.picture else sure
        heads = ["", say("step"), say("effort"), sure, say("closes"), say("if it falls through")]
        parts.append(_table([tell(each) for each in heads], rows))
    if shown.history:
        events = [
            ", ".join(map(str, event.changes)) or tell(say("another picture"))
            for event in shown.history
        ]
        items = "".join(f"<li>{escape(each)}</li>" for each in events)
        parts.append(f"<h2>{escape(tell(say('How you got here')))}</h2><ol>{items}</ol>")
    return "".join(parts) + _receipt_html(made, language)


def _receipt_html(made: dict[str, Any], language: Language) -> str:
    tell = language.tell
    told = {name: words for name, words in _RECEIPT.items() if name != "corrected" or made[name]}
    rows = [[tell(words), tell(_value_text(made[name]))] for name, words in told.items()]
    about = say(
        "What this rests on. Equal fingerprints of the data and of the model mean the same records "
        "and the same answers to all of them. A chance is the model's own estimate, not a promise. "
        "Effort 1 is one number moved over its usual range."
    )
    return (
        f"<section class='receipt'><h2>{escape(tell(say('Receipt')))}</h2>"
        f"<p>{escape(tell(about))}</p>{_table(['', ''], rows)}"
        f"<details><summary>{escape(tell(say('Rules')))}</summary>"
        f"<pre>{escape(made['rules'])}</pre></details></section>"
    )


_RECEIPT = {
    "facelift": say("Version of facelift"),
    "made": say("Made"),
    "steps": say("Kind of steps"),
    "goal": say("Outcome asked for"),
    "threshold": say("Chance that decides"),
    "margin": say("Margin above it"),
    "data": say("Fingerprint of the data"),
    "n_records": say("Records"),
    "model": say("Model, fingerprint of its answers"),
    "limits": say("Limits of the person"),
    "corrected": say("Facts put right by the person"),
}


def _value_text(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else say("none")
    return "–" if value is None else str(value)


def _table(head: list[str], rows: list[list[str]]) -> str:
    heads = "".join(f"<th scope='col'>{escape(each)}</th>" for each in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


DAYS = 365.25 / 12
"""Days in a month."""

FAILURE = 0.1
"""The share of steps that fall through."""

LITTLE = 0.02
"""A share of the effort that nobody would notice."""


@dataclass(frozen=True)
class Stage:
    """A step of a plan, done at the earliest so many `days` from its beginning."""

    words: str
    days: float
    outlook: str
    size: str
    closes: str
    if_fails: str


@dataclass(frozen=True)
class WayPlan:
    """A way as a plan. `advice` says what to expect if steps fall through."""

    letter: str
    colour: int
    outcome: str
    outlook: str
    days: float
    time: str
    effort: float
    size: str
    lasts: str
    advice: str
    stages: tuple[Stage, ...]


def way_plan(guide: Guide, walk: Walk, name: str, language: Language = ENGLISH) -> WayPlan:
    """The way with some letter on a walk, as a plan in a language."""
    plan = guide.plan(walk)
    way, journey = _found(plan, name)
    days = _days(plan, journey)
    stages = tuple(
        Stage(
            words=step.words,
            days=days[i + 1],
            outlook=step.outlook,
            size=step.size,
            closes=step.closes,
            if_fails=_if_fails(plan, journey, i),
        )
        for i, step in enumerate(way.steps)
    )
    made = WayPlan(
        letter=way.letter,
        colour=way.colour,
        outcome=way.outcome,
        outlook=way.outlook,
        days=days[-1],
        time=way.time,
        effort=way.effort,
        size=way.size,
        lasts=way.lasts,
        advice=_advice(plan, journey),
        stages=stages,
    )
    return told(made, language)


def way_letter(guide: Guide, walk: Walk, name: str, language: str) -> str:
    """One page about the way with some letter, as HTML that prints like a letter.

    Somebody who has arrived gets one that asks to decide anew, whatever the way.
    """
    plan = guide.plan(walk)
    if plan.arrived and walk.past:
        right = _put_right(guide, walk)
        return letter_again(guide.multiverse, plan.row, plan.figure, right, language).html
    _, journey = _found(plan, name)
    here = guide.moved(walk, SetLimits(walk.limits))  # the ways from where one stands
    multiverse = guide.searched(here)
    end = journey.counterfactual
    same = [each for each in multiverse if np.array_equal(each.counterfactual, end)]
    return letter(multiverse, same[0] if same else None, language, regime="plain").html


def _put_right(guide: Guide, walk: Walk) -> dict[str, Any]:
    """What facts of the case should have been from the start, by column."""
    right: dict[str, Any] = {}
    for event in walk.past:
        for name, before, after in event.changes:
            from_the_start = not differ(before, right.get(name, guide.case_row[name]))
            if event.kind == "correction" and from_the_start:
                right[name] = after
    return right


def _found(plan: Plan, name: str) -> tuple[WayWords, Journey]:
    letters = [line.letter for line in plan.lines]
    if name not in letters:
        raise InvalidInput(f"There is no way {name} here any more.")
    way = next(each for each in way_words(plan) if each.letter == name)
    return way, plan.ways[letters.index(name)]


def _days(plan: Plan, journey: Journey) -> list[float]:
    """The earliest day of every waypoint, from now on."""
    explainer = plan.guide.explainer
    period = "" if explainer is None else explainer.terrain_.period
    days = MONTHS.get(period, 1.0) * DAYS
    return [round(each * days, 1) for each in times(plan, journey)]


def _if_fails(plan: Plan, journey: Journey, step: int) -> str:
    """Where to go on to if a step cannot be done: the nearest way that does without its changes."""
    journey = journey.in_steps
    here, there = (int(vertex) for vertex in journey.vertices[step : step + 2])
    missing = {name for name, *_ in done(plan.changes(here, there), plan.features)}
    left = journey.remaining[step]
    ends = [int(other.vertices[-1]) for other in plan.ways]
    free = [
        b
        for b, end in enumerate(ends)
        if b != journey.own
        and np.isfinite(left[b])
        and not missing & {name for name, *_ in changed(plan.values[here], plan.values[end])}
    ]
    if not free:
        return say(
            "If this falls through, no way found from there does without it: look again then."
        )
    nearest = min(free, key=lambda b: float(left[b]))
    points = np.stack([journey.waypoints[step], plan.ways[nearest].counterfactual])
    how = size_words(plan, points, float(left[nearest]))
    waits = plan.waits(np.vstack([journey.waypoints[1 : step + 1], points[1:]]))
    facts = [effort_words(how, float(left[nearest])), _lasting(plan, np.diff(waits, prepend=0.0))]
    return say(
        "If this falls through, go on to way {way}: {facts}.",
        way=plan.lines[nearest].letter,
        facts=joined(filter(None, facts)),
    )


def _lasting(plan: Plan, waits: np.ndarray) -> str:
    """How long the last of some changes takes."""
    explainer = plan.guide.explainer
    return "" if explainer is None else time(float(waits[-1]), explainer.terrain_.period)


def _advice(plan: Plan, journey: Journey) -> str:
    if plan.position is None or not journey.cost:
        return ""
    found = plan.multiverse.effort(FAILURE, plan.position.graph)
    steps = journey.in_steps
    more = found.of(steps.vertices, steps.step_costs) / journey.cost - 1
    if more < LITTLE:
        return say(
            "If one step in ten falls through, expect hardly more effort than if all goes well."
        )
    return say(
        "If one step in ten falls through, expect about {share} more effort than if all goes well.",
        share=percent(more),
    )
