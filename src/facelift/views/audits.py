"""An audit as text, JSON and an HTML report with drawings; and at a glance, as the page has it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import Any, Literal

import numpy as np
import pandas as pd

from facelift import __version__
from facelift.auditing import Audit, figure_words, name_of
from facelift.drawing.layout import ticks_over
from facelift.drawing.markup import html_table
from facelift.errors import InvalidInput, optional
from facelift.language import joined, number, percent, say
from facelift.multiverse.words import name_words, value_words
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of
from facelift.views.scatter import MOST_LEVELS, Choice, Tick
from facelift.views.ways import plain_size
from facelift.walking.population import N_WAYS, Population

VERSION = 1

MEANINGS = {
    "coverage": "share of the rejected with any way",
    "cost": "effort of the cheapest way, of those who have one",
    "destinations": "destinations in reach, per rejected person",
    "opportunity": "how far the best way keeps the others open",
    "commitment": "share of that way before its first loss",
    "resilience": "ways that share no state, of the people asked about",
    "needed": "columns that the cheapest way changes, and for how many of the group",
}


WIDTH, RIGHT, TOP, ROW, AXIS = 720, 64, 4, 38, 22
"""Of a drawing: its width, the room for numbers and above, the height of a row and of the axis."""

LETTER = 6.6
"""About the width of a letter in the names of groups."""

NO_RULES = (
    "No rules were given: every column may change, also what nobody can change, such as age or "
    "sex. Costs and ways are those of such a world."
)

Measure = Literal["coverage", "cost", "destinations"]


def audit_text(audit: Audit, outcome: str = "") -> str:
    """The table of an audit, its notes and what its words mean, for a terminal.

    The outcome can be called otherwise than the model does.
    """
    meanings = (f"{name}: {MEANINGS[name]}" for name in (*audit.measures, "needed"))
    lines = [*_clear(audit), "", *meanings, "[…]: an interval that holds in 95 of 100 such samples"]
    return f"Ways to {outcome or audit.goal}\n\n{audit!r}\n" + "\n".join(lines) + "\n"


def _clear(audit: Audit) -> list[str]:
    """Which groups differ from all others by more than chance, of those that are large enough."""
    judged = {measure: _judged(audit, measure) for measure in audit.measures}
    names = judged["coverage"][: 1 if len(audit.groups) == 2 else None]  # one mirrors the other
    if not names:
        return ["No two groups are large enough to say whether they differ."]
    numbers: dict[Any, Any] = audit.differences.to_dict("index")
    rows = [
        (name, measure, numbers[name, measure])
        for name in names
        for measure in audit.measures
        if name in judged[measure]
    ]
    by = ", ".join(map(str, audit.groups.index.names))
    shares = {name: numbers[name, "destinations_share"] for name in names}  # in any large group
    clear = [
        f"{by} {name}: {measure} {figure_words(measure, row['own'])}, all others "
        f"{figure_words(measure, row['others'])}."
        for name, measure, row in rows
        if _sign(row) and (measure != "destinations" or _sign(row) == _sign(shares[name]))
    ]
    told = f"{len(rows)} differences were looked at; one in twenty looks clear by chance alone."
    head = "Clear differences:" if clear else "No difference is clear of chance."
    return ["", head, *(f"  {each}" for each in clear), *([told] if clear else [])]


def _judged(audit: Audit, measure: str) -> list[str]:
    """The groups of which a number is of enough people, and so is that of all others."""
    sizes = audit.sizes(measure)
    enough = (sizes >= audit.min_size) & (sizes.sum() - sizes >= audit.min_size)
    return [name_of(name) for name in sizes.index[enough]]


def _sign(row: Mapping[str, float]) -> int:
    """1 or -1 where a difference is clear of chance, else 0."""
    return int(row["low"] > 0) - int(row["high"] < 0)


def audit_json(audit: Audit) -> str:
    """All an audit found but the people themselves, as a versioned JSON document."""
    content = {
        "version": VERSION,
        "goal": str(audit.goal),
        "groups": _by_group(audit.groups),
        "differences": json.loads(audit.differences.reset_index().to_json(orient="records")),
        "needs": _by_group(audit.needs),
        "notes": list(audit.notes),
    }
    if audit.pockets is not None:
        told = audit.pockets.drop(columns="members")
        content["pockets"] = json.loads(told.to_json(orient="records"))
    return json.dumps(content, ensure_ascii=False)


def _by_group(frame: pd.DataFrame) -> dict[str, Any]:
    """The rows of a frame by the name of their group, null where there is no number."""
    named = frame.set_axis([name_of(name) for name in frame.index], axis=0)
    rows: dict[str, Any] = json.loads(named.to_json(orient="index"))
    return rows


def audit_figure(audit: Audit) -> Any:
    """A matplotlib figure with a panel per measure, and one of pockets where these were found.

    `fl.views.plot.fairness` and `fl.views.plot.pockets` draw them.
    """
    figures = optional("matplotlib.figure", extra="plot", what="A figure")
    from facelift.views.plot import fairness, pockets

    rows = audit.groups.assign(n=audit.groups["rejected"])
    rows.insert(0, "group", [name_of(name) for name in rows.index])
    measures = audit.measures
    height = len(measures) * (1.0 + 0.5 * len(rows))
    panels = len(measures) + (audit.pockets is not None)
    figure = figures.Figure(figsize=(7.6, height * panels / len(measures)), layout="constrained")
    axes = figure.subplots(panels)
    for ax, measure in zip(axes, measures, strict=False):
        fairness(rows, measure, ax=ax)
    if audit.pockets is not None:
        pockets(audit.pockets, ax=axes[-1])
    return figure


def audit_report(
    audit: Audit, *, title: str = "Audit", counted: str = "", ruled: bool = True
) -> str:
    """A page that opens offline and prints: drawings with intervals, tables, notes.

    `counted` says with which model, steps and rules; without any (`ruled`), the page warns.
    """
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>Who has ways to <strong>{escape(str(audit.goal))}</strong>, how many, at what cost. "
        "Lines are intervals: the middle of what comes out when the same people are drawn again "
        "and again. Hollow marks stand for groups that are too small.</p>",
        "<p><b class='plain'>●</b> the rejected (n) of a group &nbsp; <b class='matched'>■</b> at "
        "equal chance: as if all groups had the same chances</p>",
        *([f"<p>{escape(counted)}</p>"] if counted else []),
        *(
            f"<p class='note'>{escape(note)}</p>"
            for note in (*([] if ruled else [NO_RULES]), *audit.notes)
        ),
        *(_section(audit, measure) for measure in audit.measures),
        "<h2>What the cheapest way changes</h2>",
        _table(*_needs(audit)),
        *_pockets(audit),
        "<h2>All numbers</h2>",
        _table(*audit.shown()),
        f"<p class='made'>Made by facelift {__version__}, "
        f"{datetime.now(UTC).isoformat(timespec='seconds')}. A difference is the model's and the "
        "table's; it is no measurement of people.</p>",
    ]
    return _PAGE.replace("$title", escape(title)).replace("$body", "\n".join(parts))


def _section(audit: Audit, measure: str) -> str:
    """One measure: as it is, and at equal chance."""
    head = f"<h2>{escape(name_words(measure))}: {escape(MEANINGS[measure])}</h2>"
    rows = [
        (
            f"{name_of(name)} (n = {group['rejected']:,})",
            [_mark(audit, group, measure), _mark(audit, group, measure, matched=True)],
        )
        for name, group in audit.groups.iterrows()
    ]
    label = f"{name_words(measure)} by group, as it is and at equal chance"
    return head + interval_drawing(rows, label, partial(figure_words, measure))


def _mark(audit: Audit, group: pd.Series[Any], measure: str, *, matched: bool = False) -> Mark:
    number, kind = (f"{measure}_matched", "matched") if matched else (measure, "plain")
    value, low, high = (float(group[number + end]) for end in ("", "_low", "_high"))
    small = " small" if group["rejected"] < audit.min_size else ""
    return Mark(value, low, high, kind + small, square=matched)


def _needs(audit: Audit) -> tuple[list[str], list[list[str]]]:
    """Features by how often anybody needs them; those nobody does are left out."""
    needs = audit.needs.loc[:, (audit.needs > 0).any()]
    order = needs.max().sort_values(ascending=False, kind="stable").index
    head = ["feature", *(name_of(name) for name in needs.index)]
    return head, [
        [name_words(str(name), audit.features), *(f"{share:.0%}" for share in needs[name])]
        for name in order
    ]


def _pockets(audit: Audit) -> list[str]:
    """People whose ways lead in the same directions, where these were asked for."""
    if audit.pockets is None:
        return []
    head = ["people", "share", "ways each", "effort", "what their ways change"]
    rows = [
        [f"{row['people']:,}", f"{row['share']:.0%}", *_ways_of(row), str(row["changes"])]
        for _, row in audit.pockets.iterrows()
    ]
    return ["<h2>Pockets: people whose ways lead in the same directions</h2>", _table(head, rows)]


def _ways_of(pocket: pd.Series[Any]) -> list[str]:
    """How many ways people of a pocket have, and the effort of the cheapest."""
    if not pocket["ways"]:
        return ["none", "–"]
    return [f"{pocket['ways']:.1f}", f"{pocket['cost']:.2f}"]


def _table(head: list[str], rows: list[list[str]]) -> str:
    return f"<div class='wide'>{html_table(head, rows)}</div>"


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


def interval_drawing(
    rows: Sequence[tuple[str, Sequence[Mark]]], label: str, figure: Callable[[float], str]
) -> str:
    """An SVG of the marks of each named row, NaN left out; `figure` writes a number.

    >>> row = ("women (n = 94)", [Mark(0.68, 0.6, 0.77, "plain")])
    >>> svg = interval_drawing([row], "Coverage by group", "{:.0%}".format)
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
                drawn.append(_drawn_mark(mark, x, y, figure(mark.value)))
    height = foot + AXIS
    return (
        f"<svg viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' role='img' "
        f"aria-label='{escape(label)}'>{''.join(drawn)}</svg>"
    )


def _tick(x: float, foot: float, words: str) -> str:
    return (
        f"<line class='grid' x1='{x}' x2='{x}' y1='{TOP}' y2='{foot}'/>"
        f"<text class='tick' x='{x}' y='{foot + 15}' text-anchor='middle'>{words}</text>"
    )


def _drawn_mark(mark: Mark, x: Callable[[float], float], y: float, words: str) -> str:
    """The interval, a dot or square on it, and the number beside it."""
    at = x(mark.value)
    shape = f"<circle cx='{at}' cy='{y}' r='4.5'/>"
    if mark.square:
        shape = f"<rect x='{at - 4:g}' y='{y - 4:g}' width='8' height='8'/>"
    return (
        f"<g class='{mark.kind}'><line x1='{x(mark.low)}' x2='{x(mark.high)}' y1='{y}' y2='{y}'/>"
        f"{shape}<text x='{max(x(mark.high), at + 4) + 6:g}' y='{y + 4}'>{words}</text></g>"
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
:root { color-scheme: light dark; --ink: #14171c; --paper: #fff; --quiet: #5b6470; --plain: #0b2aa5;
  --matched: #b45309; }
body { font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; max-width: 760px; margin: 0 auto;
  padding: 16px; color: var(--ink); background: var(--paper); }
h2 { font-size: 16px; margin: 22px 0 6px; break-after: avoid; }
.note { border-left: 4px solid #b45309; padding-left: 10px; }
.made { color: var(--quiet); }
.wide { overflow-x: auto; }
svg { max-width: 100%; height: auto; break-inside: avoid; }
svg text { font-size: 12px; fill: currentColor; }
svg line { stroke: currentColor; stroke-width: 3; opacity: .55; }
svg circle, svg rect { fill: currentColor; stroke: currentColor; stroke-width: 2; }
svg g text { fill: var(--ink); }
svg .small circle, svg .small rect { fill: var(--paper); }
svg .grid { stroke: #8884; stroke-width: 1; opacity: 1; }
svg .tick { fill: var(--quiet); font-size: 11px; }
.plain { color: var(--plain); }
.matched { color: var(--matched); }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef1f5; --paper: #111419; --quiet: #a3adba; --plain: #8fb0ff;
    --matched: #f0a35e; }
}
</style></head>
<body>$body</body></html>
"""


@dataclass(frozen=True)
class GroupRow:
    """A number of a group and its interval, in words and as places between 0 and 1."""

    name: str
    n: int
    words: str
    at: float | None
    low: float | None
    high: float | None
    is_small: bool
    ways: str


@dataclass(frozen=True)
class GroupTable:
    """Groups compared by one measure."""

    by: str
    measure: Measure
    rows: tuple[GroupRow, ...]
    ticks: tuple[Tick, ...]
    verdict: str


MEASURES: dict[Measure, str] = {
    "coverage": say("share with any way"),
    "cost": say("effort of the nearest way"),
    "destinations": say("ways open, counted up to {n}", n=N_WAYS),
}


def groupings(population: Population) -> tuple[Choice, ...]:
    """Columns that make groups, those that say who somebody is first."""
    if population.picture is not None:
        return ()
    features = population.explainer.terrain_.by_name
    makes = [
        each
        for each in features.values()
        if len(each.levels) != 1 and len(each.levels) <= MOST_LEVELS
    ]
    makes.sort(
        key=lambda each: (
            not each.personal,
            not _is_age(each),
            not each.frozen,
            not each.levels,
        )
    )
    return tuple(Choice(str(each.name), name_words(str(each.name), features)) for each in makes)


def _is_age(feature: Feature) -> bool:
    return "age" in name_words(str(feature.name)).lower().split()


def grouping(population: Population, by: str) -> pd.Series[Any]:
    """The group of everybody: a level, or one of three bands of numbers."""
    feature = population.explainer.terrain_.by_name[by]
    column = population.table[feature.name]
    names = [str(words) for words in _group_words(feature, column)]
    if feature.levels:
        words = column.astype(object).map(lambda value: str(value_words(value, feature)))
        return pd.Series(pd.Categorical(words, [*names, *({*words} - {*names})]), name=by)
    numbers = _amounts(feature, column)
    bands = pd.cut(numbers, [-np.inf, *_edges(numbers), np.inf], labels=names).astype(object)
    return pd.Series(pd.Categorical(bands.fillna("missing"), [*names, "missing"]), name=by)


def _group_words(feature: Feature, column: pd.Series[Any]) -> list[str]:
    """What the groups by a column are called, so that it can be told in any language."""
    if feature.levels:
        return [value_words(level, feature) for level in feature.levels]
    kind, edges = kind_of(feature), _edges(_amounts(feature, column))
    told = [value_words(kind.told(feature, edge), feature) for edge in edges]
    return [
        say("up to {most}", most=told[0]),
        *([say("over {least} to {most}", least=told[0], most=told[1])] if len(told) > 1 else []),
        say("over {least}", least=told[-1]),
    ]


def _amounts(feature: Feature, column: pd.Series[Any]) -> pd.Series[float]:
    """A column that is not of levels, as numbers."""
    return pd.Series(kind_of(feature).amounts(feature, column), index=column.index)


def _edges(numbers: pd.Series[float]) -> list[float]:
    """Round numbers that about a third of all are below and above."""
    return sorted({float(f"{numbers.quantile(share):.2g}") for share in (1 / 3, 2 / 3)})


def group_table(population: Population, by: str, measure: Measure | None) -> GroupTable | None:
    """Groups by one column; None before anybody was looked at."""
    census = population.census
    audit, total = census.audit(grouping(population, by)), census.audit(np.zeros(len(population)))
    if audit is None or total is None:
        return None
    measure = measure or ("cost" if (total.groups["coverage"] == 1).all() else "coverage")
    groups = [(say("everybody"), total.groups.iloc[0])]
    feature = population.explainer.terrain_.by_name[by]
    words = {str(each): each for each in _group_words(feature, population.table[feature.name])}
    groups += [
        (words.get(name_of(name), name_of(name)), row) for name, row in audit.groups.iterrows()
    ]
    numbers = [float(row[measure + end]) for _, row in groups for end in ("", "_low", "_high")]
    known = [number for number in numbers if np.isfinite(number)]
    ticks = ticks_over(0.0, 1.0 if measure == "coverage" else max(known, default=1.0))
    high = ticks[-1]
    rows = tuple(_group_row(name, row, measure, high, audit.min_size) for name, row in groups)
    marks = tuple(Tick(round(tick / high, 4), _group_figure(measure, tick)) for tick in ticks)
    return GroupTable(by, measure, rows, marks, _verdict(audit, measure, words))


def _group_row(
    name: str, row: pd.Series[Any], measure: str, high: float, min_size: int
) -> GroupRow:
    def at(end: str) -> float | None:
        figure = float(row[measure + end])
        return round(figure / high, 4) if np.isfinite(figure) else None

    value = float(row[measure])
    words = _group_figure(measure, value) if np.isfinite(value) else "–"
    if measure == "cost" and np.isfinite(value):
        words = say("{size} ({figure})", size=plain_size(value), figure=words)
    n = int(row["rejected"])
    median = float(row["destinations_median"])
    ways = number(float(f"{median:.3g}")) if np.isfinite(median) else "–"
    ways = f"{N_WAYS}+" if median >= N_WAYS else ways
    return GroupRow(name, n, words, at(""), at("_low"), at("_high"), n < min_size, ways)


def _group_figure(measure: str, value: float) -> str:
    if measure == "coverage":
        return percent(value)
    return number(float(f"{value:.2g}" if measure == "cost" else f"{value:.3g}"))


def _verdict(audit: Audit, measure: Measure, words: Mapping[str, str]) -> str:
    """Which groups differ from all others, as far as the interval of the difference says."""
    large = [name_of(name) for name, n in audit.sizes(measure).items() if n >= audit.min_size]
    if len(audit.groups) < 2 or len(large) < 1:
        return say("No group has {n} people: too few to conclude anything.", n=audit.min_size)
    rows: dict[str, Any] = {name: audit.differences.loc[(name, measure)] for name in large}
    apart = [name for name, row in rows.items() if row["low"] > 0 or row["high"] < 0]
    few = len(large) < len(audit.groups)
    unjudged = (
        [say("Groups of fewer than {n} people are not judged.", n=audit.min_size)] if few else []
    )
    if not apart:
        alike = say(
            "No group stands out: each may be like all others, as far as the intervals tell."
        )
        return joined([alike, *unjudged], " ")
    told = [
        say(
            "{group} ({own}, all others {others})",
            group=words.get(name, name),
            own=_group_figure(measure, float(rows[name]["own"])),
            others=_group_figure(measure, float(rows[name]["others"])),
        )
        for name in apart
    ]
    return joined([say("Stands out: {groups}.", groups=joined(told, "; ")), *unjudged], " ")


def report(population: Population, by: str | None) -> str:
    """The whole audit of those looked at so far, as a page of its own."""
    known = {each.name for each in groupings(population)}
    if by not in known:
        raise InvalidInput("Say by which column people are grouped.")
    audit = population.census.audit(grouping(population, by))
    if audit is None:
        raise InvalidInput("Nobody was looked at yet: try again in a moment.")
    explainer, title = population.explainer, f"Audit of {population.title}"
    counted = f"Model: {type(explainer.model).__name__}. Steps: {explainer.steps}."
    return audit_report(audit, title=title, counted=counted)
