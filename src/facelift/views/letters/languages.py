"""The languages of letters: sentences by gettext, numbers, units, times and dates as people write.

A sentence is `language.say("…", name=value)`; one that counts is `language.count(one, many, n)`.
Both are looked up in `catalogues/*/LC_MESSAGES/letter.mo`, which `python -m tools.catalogues` makes
of the `.po` files beside them.
"""

from __future__ import annotations

import gettext
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from facelift.errors import InvalidInput, nearest_name, printable
from facelift.geometry import TOLERANCE
from facelift.terrain.feature import Feature

LANGUAGES = ("en", "de", "fr", "pl", "es")
"""The languages a letter can be written in."""

BLANK, FILLED = "\ue000", "\ue001"
"""Marks around what the sender has still to fill in; views show them."""

_NARROW, _WIDE = "\u202f", "\u00a0"
_MARKS = {
    "en": (".", ",", 4),
    "de": (",", ".", 4),
    "fr": (",", _NARROW, 4),
    "pl": (",", _WIDE, 5),
    "es": (",", ".", 5),
}
"""Decimal mark, mark between thousands, and from how many digits on it is written (CLDR)."""

_SIGNS = ("NT$", "$", "€", "£", "¥", "₹")


@dataclass(frozen=True)
class Language:
    """One language: `say` and `count` for sentences, and how values are written.

    >>> from facelift.views.letters.languages import language_of
    >>> german = language_of("de")
    >>> german.number(60000.5), german.say("Date")
    ('60.000,5', 'Datum')
    >>> language_of("pl").time(2.0, "month"), language_of("pl").time(5.0, "month")
    ('około 2 miesięcy', 'około 5 miesięcy')
    """

    code: str
    catalogue: gettext.NullTranslations = field(repr=False, compare=False)

    def say(self, message: str, **values: object) -> str:
        """A sentence of the catalogue, with values put in."""
        return self.catalogue.gettext(message).format(**values)

    def count(self, one: str, many: str, n: int, **values: object) -> str:
        """A sentence that counts, in the form that the language has for `n`."""
        said = self.catalogue.ngettext(one, many, n)
        return said.format(n=self.number(n), **values)

    def blank(self, what: str) -> str:
        """A place for the sender to fill in, told by a message of the catalogue."""
        return f"{BLANK}{what}{FILLED}"

    def number(self, value: float, *, grouped: bool = False) -> str:
        """A number as one would write it: four digits, or two decimals from 100 on.

        From 10,000 on its thousands are parted; if `grouped`, from 1,000 on, where the language
        does so.
        """
        size = abs(value)
        if not (size == 0 or 1e-4 <= size < 1e15):
            return self._marked(f"{value:.4g}")
        decimals = 2 if size >= 100 else max(0, 3 - math.floor(math.log10(size or 1)))
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return self._marked(text if grouped or size >= 10_000 else text.replace(",", ""))

    def _marked(self, text: str) -> str:
        """A number written the English way, in the marks of the language."""
        decimal, thousands, digits = _MARKS[self.code]
        whole, point, rest = text.partition(".")
        if sum(each.isdigit() for each in whole) < digits:
            whole = whole.replace(",", "")
        return whole.replace(",", thousands).replace("-", "−") + (decimal + rest if point else "")

    def marked_percent(self, text: str) -> str:
        """A chance in percent, such as "49.9%", as so many in 100."""
        return self._marked(text.rstrip("%"))

    def value(self, value: Any, feature: Feature | None = None, *, unit: bool = True) -> str:
        """A value of a column: a level as people call it, a number with its unit."""
        if pd.isna(value):
            return self.say("not known")
        if isinstance(value, date):
            return self.date(value)
        if (feature is not None and feature.has_levels) or not _is_number(value):
            named: dict[Any, str] = {} if feature is None else dict(feature.named)
            return self.label(named.get(value, str(value)))
        of = "" if feature is None else feature.unit
        number = self.number(float(value), grouped=bool(of))
        return self._with_unit(number, float(value), of) if unit and of else number

    def _with_unit(self, number: str, value: float, unit: str) -> str:
        if unit in _SIGNS and self.code == "en":
            return f"{unit}{number}"
        if unit == "%" and self.code == "en":
            return f"{number}%"
        return f"{number}{_WIDE}{self._unit(unit, value)}"

    def _unit(self, unit: str, value: float) -> str:
        """A unit in its form for a number; one that is not in the catalogue as it stands."""
        n = int(value) if float(value).is_integer() else 2
        forms = {
            "years": self.count("year", "years", n),
            "months": self.count("month", "months", n),
            "weeks": self.count("week", "weeks", n),
            "days": self.count("day", "days", n),
            "hours": self.count("hour", "hours", n),
            "minutes": self.count("minute", "minutes", n),
        }
        return forms.get(unit, printable(unit))

    def listed(self, texts: Iterable[str]) -> str:
        """Several things in one line."""
        return self.say("; ").join(texts)

    def label(self, text: str) -> str:
        """What the terrain calls a column or a level; translated if the catalogue knows it."""
        return self.catalogue.gettext(printable(text)) if text else ""

    def time(self, time: float, period: str) -> str:
        """About how long something takes; empty where it takes no time."""
        n, unit = _whole(time, period)
        if n == 0:
            return ""
        forms = {
            "year": self.count("about {n} year", "about {n} years", n),
            "month": self.count("about {n} month", "about {n} months", n),
            "week": self.count("about {n} week", "about {n} weeks", n),
            "day": self.count("about {n} day", "about {n} days", n),
        }
        return forms.get(unit, f"{self.number(n)} × {printable(unit)}")

    def date(self, day: date) -> str:
        """A date in words."""
        months = (
            self.say("January"),
            self.say("February"),
            self.say("March"),
            self.say("April"),
            self.say("May"),
            self.say("June"),
            self.say("July"),
            self.say("August"),
            self.say("September"),
            self.say("October"),
            self.say("November"),
            self.say("December"),
        )
        parts = {"month": months[day.month - 1], "year": day.year}
        if day.day == 1:
            return self.say("1 {month} {year}", **parts)
        return self.say("{day} {month} {year}", day=day.day, **parts)


@cache
def language_of(code: str) -> Language:
    """The language of a code; an error names the known ones."""
    if code not in LANGUAGES:
        raise InvalidInput(f"There is no language {code!r}; {nearest_name(code, LANGUAGES)}")
    if code == "en":
        return Language(code, gettext.NullTranslations())
    place = files("facelift.views.letters") / "catalogues" / code / "LC_MESSAGES" / "letter.mo"
    with place.open("rb") as file:
        return Language(code, gettext.GNUTranslations(file))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


_SMALLER = {"year": (12, "month"), "month": (30, "day"), "week": (7, "day")}


def _whole(time: float, period: str) -> tuple[int, str]:
    """A time in whole periods, rounded up; in smaller ones where it is not whole.

    >>> _whole(2.0, "year"), _whole(2.5, "year"), _whole(0.0, "year"), _whole(1.2, "sprint")
    ((2, 'year'), (30, 'month'), (0, 'year'), (2, 'sprint'))
    >>> _whole(12.0, "month"), _whole(36.0, "month")
    ((12, 'month'), (3, 'year'))
    """
    if period == "month" and time >= 24 and time % 12 == 0:
        return round(time / 12), "year"
    if abs(time - round(time)) <= TOLERANCE * max(1.0, abs(time)) or period not in _SMALLER:
        return math.ceil(time * (1 - TOLERANCE)), period
    times, smaller = _SMALLER[period]
    return math.ceil(time * times * (1 - TOLERANCE)), smaller
