"""A letter as a value: its parts in the order they are read, shown as text and as HTML for A4.

What is known of its case, facts, values and changes, stands in the words of a language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from importlib.resources import files
from numbers import Real
from textwrap import TextWrapper
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import fingerprint
from facelift.errors import InvalidInput, printable
from facelift.language import BLANK, FILLED, Language, language_of, number
from facelift.multiverse.frames import Change, coordinate_rows, differ, waypoint_rows
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import done, name_words, value_words
from facelift.terrain.feature import Feature
from facelift.terrain.rules import rules_text

Pairs = tuple[tuple[str, str], ...]

WIDTH = 78
"""Characters in a line of text."""

LONG = 2200
"""From so many characters on a letter is set in small type, to stay on one page."""


@dataclass(frozen=True)
class Case:
    """What is known of a case, and the language to tell it in."""

    multiverse: Multiverse
    language: Language

    @cached_property
    def explainer(self) -> Any:
        """The explainer that was asked; None where there was none."""
        question = self.multiverse.question
        return None if question is None else question.explainer

    @cached_property
    def features(self) -> Mapping[str, Feature]:
        """Features by name, where there is a terrain."""
        if self.explainer is not None:
            return {str(feature.name): feature for feature in self.explainer.terrain_.features}
        return self.multiverse[0].features if len(self.multiverse) else {}

    @cached_property
    def changed(self) -> list[dict[str, Change]]:
        """What each way changes in the end."""
        return [{each[0]: each for each in net_changes(journey)} for journey in self.multiverse]

    def figure_now(self) -> float | None:
        """What the model says of the person now."""
        if len(self.multiverse):
            figures = self.multiverse[0].figures
            return None if figures is None else float(figures[0])
        question, goal = self.multiverse.question, self.multiverse.goal
        if question is None or goal is None:
            return None
        answers = question.explainer.oracle_.answers(question.point[np.newaxis])
        return float(goal.figures(answers)[0])

    def figure_words(self, goal: Goal | Range, figure: float) -> str:
        """A chance as so many in 100, or a predicted number."""
        if isinstance(goal, Range):
            return self.language.number(figure, grouped=True)
        return self.language.marked_percent(goal.short_words(figure))

    @cached_property
    def values(self) -> dict[str, Any]:
        """The facts of the case, by column."""
        question = self.multiverse.question
        if len(self.multiverse):
            rows = waypoint_rows(self.multiverse[0])
        elif question is not None:
            rows = question.explainer.terrain_.to_pandas(question.point[np.newaxis])
        else:
            rows = coordinate_rows(np.empty((0, 0)))
        first = rows.astype(object).to_numpy()[:1].ravel()
        return {str(name): value for name, value in zip(rows.columns, first, strict=True)}

    @property
    def facts(self) -> Pairs:
        """Every fact in words."""
        return tuple(
            (self.name(name), self.value(name, value)) for name, value in self.values.items()
        )

    def fingerprints(self) -> Pairs:
        """Of the model's answers, the rules, the data and this answer."""
        say, explainer = self.language.say, self.explainer
        known: dict[str, str] = {}
        if explainer is not None:
            known[say("model")] = fingerprint(explainer.probabilities_)
            known[say("rules")] = _text_fingerprint(_rules_text(explainer.terrain_))
            known[say("data")] = fingerprint(explainer.graph_.points)
        known[say("answer")] = _text_fingerprint(self.multiverse.to_json())
        return tuple(known.items())

    def name(self, name: str) -> str:
        """A column as people call it."""
        return self.language.tell(name_words(name, self.features))

    def value(self, name: str, value: Any, *, unit: bool = True) -> str:
        """A value of a column as people say it."""
        feature = self.features.get(name)
        if pd.isna(value):
            return self.language.say("not known")
        if feature is not None and feature.unit and not unit:
            if isinstance(value, Real) and value not in dict(feature.named):
                return self.language.tell(number(float(value), grouped=True))
            feature = replace(feature, unit="")
        return self.language.tell(value_words(value, feature))

    def change(self, change: Change) -> str:
        """A column, its value after and before."""
        new, old = self.both(change)
        return self.language.say(
            "{name}: {after} instead of {before}", name=self.name(change[0]), after=new, before=old
        )

    def both(self, change: Change) -> tuple[str, str]:
        """The value after a change, and the one before."""
        name, before, after = change
        new, old = self.value(name, after), self.value(name, before, unit=False)
        if new == old or new == self.value(name, before):
            return str(after), str(before)
        return new, old


def net_changes(journey: Journey) -> list[Change]:
    """The columns that differ between the ends of a journey, and how."""
    rows = waypoint_rows(journey).astype(object)
    ends = zip(rows.columns, rows.iloc[0], rows.iloc[-1], strict=True)
    net = [(str(name), before, after) for name, before, after in ends if differ(before, after)]
    return done(net, journey.features)  # what ages by itself is no advice


def _rules_text(terrain: Any) -> str:
    try:
        return rules_text(terrain)
    except InvalidInput as fault:  # a requirement that is a function has no text
        return str(fault)


def _text_fingerprint(text: str) -> str:
    return fingerprint(np.frombuffer(text.encode(), dtype=np.uint8))


@dataclass(frozen=True)
class WayPart:
    """One way of a letter: its name, how long it takes, its steps, and effort and chance."""

    title: str
    time: str
    steps: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it: paragraphs, ways beside each other, and points."""

    title: str
    paragraphs: tuple[str, ...] = ()
    ways: tuple[WayPart, ...] = ()
    points: Pairs = ()
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class Letter:
    """A letter: `text` for a terminal or a mail, `html` to print; `str` gives the text.

    Places that the sender has still to fill in stand in brackets. The same multiverse and the same
    words give the same letter: no date is put in unless it is given.
    """

    language: str
    sender: tuple[str, ...]
    recipient: tuple[str, ...]
    details: Pairs
    subject: str
    greeting: str
    opening: str
    sections: tuple[Section, ...]
    closing: str
    signature: str
    enclosed: str
    facts_title: str
    facts: Pairs
    footer: str
    fingerprints: Pairs

    @cached_property
    def text(self) -> str:
        """The letter as plain text, 78 characters wide."""
        return letter_text(self)

    @cached_property
    def html(self) -> str:
        """The letter as one HTML file: it needs nothing else, and prints on A4."""
        return letter_html(self)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="" '
            'style="width:100%;height:1180px;border:0"></iframe>'
        )


def _named(letter: Letter, name: str, value: str) -> str:
    return language_of(letter.language).say("{name}: {value}", name=name, value=value)


def letter_text(letter: Letter) -> str:
    """The letter as plain text; places to be filled in stand in brackets."""
    blocks = [
        "\n".join(letter.sender),
        "\n".join(letter.recipient),
        "\n".join(_named(letter, *each) for each in letter.details),
        _wrapped(letter.subject) + "\n" + "=" * min(len(letter.subject), WIDTH),
        letter.greeting,
        _wrapped(letter.opening),
        *(block for section in letter.sections for block in _section_text(section)),
        letter.closing,
        letter.signature,
        letter.enclosed,
        letter.facts_title + "\n" + "-" * len(letter.facts_title),
        "\n".join(_wrapped(_named(letter, *each), "  ") for each in letter.facts),
        _wrapped(letter.footer) + "\n" + _fingerprints(letter.fingerprints, "\n"),
    ]
    text = "\n\n".join(blocks).replace(BLANK, "[").replace(FILLED, "]")
    return "\n".join(printable(line).rstrip() for line in text.splitlines()) + "\n"


def _section_text(section: Section) -> list[str]:
    first, *rest = [
        *map(_wrapped, section.paragraphs),
        *map(_way_text, section.ways),
        *(["\n".join(_point_text(*each) for each in section.points)] if section.points else []),
        *map(_wrapped, section.below),
    ]
    return [f"{section.title}\n{'-' * len(section.title)}\n{first}", *rest]


def _point_text(lead: str, text: str) -> str:
    return _wrapped(f"- {lead} {text}", "  ")


def _way_text(way: WayPart) -> str:
    title = f"{way.title} ({way.time})" if way.time else way.title
    steps = [_wrapped(f"  {i}. {step}", "     ") for i, step in enumerate(way.steps, 1)]
    return "\n".join([title, *steps, _wrapped(f"  {way.note}", "  ")])


def _wrapped(text: str, indent: str = "") -> str:
    wrapper = TextWrapper(WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return wrapper.fill(text)


def _fingerprints(pairs: Pairs, between: str) -> str:
    return between.join(f"{name} {digits}" for name, digits in pairs)


def letter_html(letter: Letter) -> str:
    """The letter as a page of its own; places to be filled in are marked."""
    style = (files("facelift.views.letters") / "letter.css").read_text(encoding="utf-8")
    name, *address = map(_html, letter.sender)
    return (
        f'<!doctype html>\n<html lang="{letter.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(_plain(letter.subject))}</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body>\n<main class="sheet letter{" dense" if _length(letter) > LONG else ""}">\n'
        f'<header><p class="sender">{name}</p><p class="address">{"<br>".join(address)}</p>'
        "</header>\n"
        f'<div class="top"><address>{"<br>".join(map(_html, letter.recipient))}</address>'
        f"<dl>{_pairs_html(letter.details)}</dl></div>\n"
        f"<h1>{_html(letter.subject)}</h1>\n<p>{_html(letter.greeting)}</p>\n"
        f"<p>{_html(letter.opening)}</p>\n"
        + "".join(map(_section_html, letter.sections))
        + f'<p class="closing">{_html(letter.closing)}</p>\n'
        f'<p class="signature">{_html(letter.signature)}</p>\n'
        f'<p class="enclosed">{_html(letter.enclosed)}</p>\n{_footer_html(letter)}</main>\n'
        f'<section class="sheet facts">\n<h2>{_html(letter.facts_title)}</h2>\n'
        f"<dl>{_pairs_html(letter.facts)}</dl>\n</section>\n</body>\n</html>\n"
    )


def _length(letter: Letter) -> int:
    """How many characters stand below the headings; those of a narrow column take more room."""
    wide = [text for each in letter.sections for text in (*each.paragraphs, *each.below)]
    points = [text for each in letter.sections for pair in each.points for text in pair]
    ways = [[*way.steps, way.note] for each in letter.sections for way in each.ways]
    tallest = max((sum(map(len, way)) * len(ways) for way in ways), default=0)
    return sum(map(len, [letter.opening, *wide, *points])) + tallest


def _section_html(section: Section) -> str:
    parts = [f"<h2>{_html(section.title)}</h2>", *_paragraphs(section.paragraphs)]
    if section.ways:
        ways = "".join(map(_way_html, section.ways))
        parts.append(f'<div class="ways">{ways}</div>')
    if section.points:
        items = (f"<li><b>{_html(lead)}</b> {_html(text)}</li>" for lead, text in section.points)
        parts.append(f"<ul>{''.join(items)}</ul>")
    parts += _paragraphs(section.below)
    return f"<section>{''.join(parts)}</section>\n"


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [f"<p>{_html(text)}</p>" for text in texts]


def _way_html(way: WayPart) -> str:
    steps = "".join(f"<li>{_html(step)}</li>" for step in way.steps)
    return (
        f'<article><h3><span>{_html(way.title)}</span> <span class="time">{_html(way.time)}</span>'
        f'</h3><ol>{steps}</ol><p class="note">{_html(way.note)}</p></article>'
    )


def _pairs_html(pairs: Pairs) -> str:
    return "".join(f"<div><dt>{_html(a)}</dt><dd>{_html(b)}</dd></div>" for a, b in pairs)


def _footer_html(letter: Letter) -> str:
    digits = escape(_fingerprints(letter.fingerprints, " · "))
    return f"<footer><p>{_html(letter.footer)}</p><p><code>{digits}</code></p></footer>\n"


def _html(text: str) -> str:
    """Text as HTML; a place to be filled in is marked."""
    safe = escape(printable(text), quote=False)
    return safe.replace(BLANK, "<mark>[").replace(FILLED, "]</mark>")


def _plain(text: str) -> str:
    return text.replace(BLANK, "[").replace(FILLED, "]")
