"""What is told beside ways: words for efforts, the comparison, plans; all in any language."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from html import unescape
from string import ascii_letters
from typing import Any

from facelift.drawing import Map
from facelift.language import Language
from facelift.multiverse.words import effort_size, name_words
from facelift.views.page import Document, document
from facelift.views.report import DAYS, way_letter, way_plan
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Move, Walk
from tools.random_walks.checks import Checks, percents
from tools.random_walks.fresh import needed, periods_left

IN_MONTHS = {"year": 12.0, "month": 1.0, "week": 12 / 52, "day": 1 / DAYS}


def check_told(guide: Guide, shown: Document, checks: Checks) -> None:
    """Words and tables beside the ways."""
    if guide.single_changes:
        _check_sizes(shown, checks)
    _check_terms(guide, shown, checks)
    _check_comparison(shown, checks)


def _check_sizes(shown: Document, checks: Checks) -> None:
    """Small, medium and large are said of the efforts they are said of."""
    header = shown.header
    told = [("so far", header.size, header.effort)]
    if header.to_come is not None:
        told.append(("to come", header.to_come_size, header.to_come))
    told += [(card.title, card.size, card.effort) for card in shown.cards.cards]
    told += [(step.words, step.size, step.effort) for way in shown.ways for step in way.steps]
    for words, size, effort in told:
        right = size == effort_size(effort)
        checks.claim("an effort is called what it is", right, (words, size, effort))
    if shown.arrival is not None:
        said = dict(shown.arrival.took).get("effort")
        checks.claim("an effort is called what it is", said == effort_size(header.effort), said)


def _check_terms(guide: Guide, shown: Document, checks: Checks) -> None:
    """What decides and what ways aim at, wherever both are said."""
    decides, enough = needed(guide, shown.walk.limits)
    told = [shown.header.outlook, *(note for note in shown.notes if " decides" in note)]
    told += [shown.arrival.terms] if shown.arrival is not None else []
    for words in told:
        figures = percents(re.sub(r"^chance .*?%", "", words))
        known = all(min(abs(each - decides), abs(each - enough)) < 1e-6 for each in figures[:2])
        checks.claim("what decides and what is aimed at is so", known, (words, decides, enough))


def _check_comparison(shown: Document, checks: Checks) -> None:
    """The table of ways says of each what its row of the list says."""
    ways = {way.letter: way for way in shown.ways}
    aspects = [aspect.name for aspect in shown.comparison.aspects]
    for row in shown.comparison.ways:
        way, cells = ways[row.letter], dict(zip(aspects, row.cells, strict=True))
        same = abs(float(cells["effort"].replace(",", "")) - way.effort) < 0.0051
        same &= cells["steps"] == str(len(way.steps))
        same &= cells.get("chance", way.outlook) == way.outlook
        same &= cells.get("things that change", str(len(way.changes))) == str(len(way.changes))
        checks.claim("the comparison says what the list says", same, (row.letter, cells))
        better = [
            all(a is None or (b is not None and b > a - 1e-9) for a, b in pairs)
            and any(b is not None and (a is None or b > a + 1e-9) for a, b in pairs)
            for other in shown.comparison.ways
            for pairs in [list(zip(row.shares, other.shares, strict=True))]
        ]
        checks.claim("a way called beaten is", row.beaten == any(better), row)


def check_plan(guide: Guide, shown: Document, letter: str, checks: Checks) -> None:
    """A way as a plan: the same steps, days in order, and what to do if one falls through."""
    ways = {way.letter: way for way in shown.ways}
    way, plan = ways[letter], way_plan(guide, shown.walk, letter)
    same = [stage.words for stage in plan.stages] == [step.words for step in way.steps]
    same &= (plan.time, plan.size, plan.outlook) == (way.time, way.size, way.outlook)
    checks.claim("a plan says what its way says", same, (letter, plan.time, way.time))
    days = [0.0, *(stage.days for stage in plan.stages)]
    checks.claim("days of a plan are in order", days == sorted(days) and days[-1] == plan.days)
    checks.claim("a plan without days takes no time", (plan.days > 0) == bool(plan.time), plan.time)
    left = periods_left(guide, shown.walk)
    if left is not None:
        period = guide.explainer.terrain_.period  # type: ignore[union-attr]
        most = left * IN_MONTHS[period] * DAYS + 0.1
        checks.claim("a plan ends in time", plan.days <= most, (letter, plan.days, most))
    if guide.single_changes:
        _check_fallbacks(guide, shown, letter, checks)


def _check_fallbacks(guide: Guide, shown: Document, letter: str, checks: Checks) -> None:
    """One goes on to an open way that does without what failed, if and only if there is one."""
    aged = {name_words(name, guide.features) for name, f in guide.features.items() if f.ages}
    ways = {way.letter: way for way in shown.ways}
    ends = {each: {c.name: c.after for c in way.changes} for each, way in ways.items()}
    now: dict[str, str] = {}
    closed: set[str] = set()
    stages = way_plan(guide, shown.walk, letter).stages
    for step, stage in zip(ways[letter].steps, stages, strict=True):
        failed = {change.name for change in step.changes} - aged
        free = {
            other
            for other, end in ends.items()
            if other != letter and other not in closed
            if all(end.get(name) == now.get(name) for name in failed)
        }
        found = re.search(r"go on to way ([A-Z]\d*)", stage.if_fails)
        right = found[1] in free if found else not free
        checks.claim("who falls back needs nothing that failed", right, (letter, stage, free))
        now |= {change.name: change.after for change in step.changes}
        closed |= set(step.closes.split())


def check_letter(guide: Guide, shown: Document, letter: str, checks: Checks) -> None:
    """The letter about a way is about that way: it names what each of its steps leads to."""
    way = next(each for each in shown.ways if each.letter == letter)
    told = unescape(re.sub("<[^>]*>", " ", way_letter(guide, shown.walk, letter, "en")))
    aged = {name_words(name, guide.features) for name, f in guide.features.items() if f.ages}
    wanted = [change for change in way.changes if change.name not in aged]
    missing = [str(c) for c in wanted if c.name not in told or c.after not in told]
    checks.claim("a letter is about its way", not missing, (letter, missing))


class _Marked(gettext.NullTranslations):
    """Writes whatever comes from the catalogue in letters that nothing else has."""

    wide = str.maketrans({letter: chr(ord(letter) + 0xFEE0) for letter in ascii_letters})

    def gettext(self, message: str) -> str:
        parts = re.split(r"(\{\w+\})", message)
        return "".join(part if part[:1] == "{" else part.translate(self.wide) for part in parts)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:  # noqa: ARG002
        return self.gettext(message)


NO_WORDS = {"kind", "status", "effect", "ease", "name", "value", "levels", "picture", "difference"}
NO_WORDS |= {"letter", "letters", "size", "to_come_size", "title", "limits", "rankings", "orders"}
"""Fields that are codes, numbers or somebody's own words."""


def check_translated(guide: Guide, walk: Walk, move: Move | None, checks: Checks) -> None:
    """Everything that is told comes from the catalogue, so that it is in every language."""
    shown = document(guide, walk, move, Language("de", _Marked()))
    own = {word for feature in guide.features.values() for word in feature.unit.split()}
    parts = [shown.header, shown.badges, shown.banner, shown.notes, shown.cards, shown.ways]
    parts += [shown.comparison, shown.settings, shown.history, shown.nothing, shown.undone]
    for text in _texts([*parts, shown.arrival]):
        bare = set(re.findall(r"[A-Za-z]{2,}", text)) - own
        checks.claim("what is told is in the catalogue", not bare, (text, bare))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif is_dataclass(value) and not isinstance(value, Map | Limits):
        for field in fields(value):
            if field.name not in NO_WORDS:
                yield from _texts(getattr(value, field.name))
