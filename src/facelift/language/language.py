"""A language: sentences by gettext, numbers, units, times and dates as people write them.

A sentence is `language.say("…", name=value)`; one that counts is `language.count(one, many, n)`.
Both are looked up in `catalogues/*/LC_MESSAGES/facelift.mo`, which `python -m tools.catalogues`
makes of the `.po` files beside them.
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

from facelift.errors import InvalidInput, nearest_name, printable
from facelift.geometry import TOLERANCE

LANGUAGES = ("en", "de", "fr", "pl", "es")
"""The languages there are catalogues of, and English."""

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

_PERCENT = {"en": "%", "de": f"{_WIDE}%", "fr": f"{_NARROW}%", "pl": "%", "es": f"{_WIDE}%"}

SIGNS = ("NT$", "$", "€", "£", "¥", "₹")
"""Signs of money, which English writes before the number."""


@dataclass(frozen=True)
class Language:
    """One language: `say` and `count` for sentences, and how values are written.

    >>> from facelift.language import language_of
    >>> german = language_of("de")
    >>> german.number(60000.5), german.say("Date")
    ('60.000,5', 'Datum')
    >>> language_of("pl").time(2.0, "month"), language_of("pl").time(5.0, "month")
    ('około 2 miesięcy', 'około 5 miesięcy')
    """

    code: str
    catalogue: gettext.NullTranslations = field(repr=False, compare=False)

    def tell(self, what: object) -> str:
        """Words that were made without a language (`facelift.language.say`), in this one.

        Numbers are written as the language does; other text stays as it is.
        """
        told = getattr(what, "told", None)
        if told is not None:
            return str(told(self))
        return self.number(float(what)) if isinstance(what, Real) else str(what)

    def say(self, message: str, **values: object) -> str:
        """A sentence of the catalogue, with values put in."""
        return self.catalogue.gettext(message).format(**self._told(values))

    def count(self, one: str, many: str, n: int, **values: object) -> str:
        """A sentence that counts, in the form that the language has for `n`."""
        said = self.catalogue.ngettext(one, many, n)
        return said.format(n=self.number(n, grouped=True), **self._told(values))

    def _told(self, values: dict[str, object]) -> dict[str, str]:
        return {name: self.tell(value) for name, value in values.items()}

    def joined(self, texts: Iterable[object], separator: str) -> str:
        """Words after each other."""
        return separator.join(map(self.tell, texts))

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
        whole = whole.replace(",", thousands)
        sign = "−" if whole.startswith("-") else ""
        return sign + whole.removeprefix("-") + (decimal + rest if point else "")

    def marked_percent(self, text: str) -> str:
        """A chance in percent, such as "49.9%", as so many in 100."""
        return self._marked(text.rstrip("%"))

    def fixed(self, value: float, decimals: int = 2) -> str:
        """A number with so many decimals."""
        return self._marked(f"{value:,.{decimals}f}")

    def signed(self, value: float) -> str:
        """A difference, with its sign."""
        return ("+" if value > 0 else "") + self.number(value, grouped=True)

    def percent(self, digits: str) -> str:
        """A share in percent, of which the digits are known: "49.9"."""
        return self._marked(digits) + _PERCENT[self.code]

    def quantity(self, value: float, unit: str) -> str:
        """A number with its unit, if it has one: signs of money before it in English."""
        number = self.number(value, grouped=bool(unit))
        if not unit:
            return number
        if unit == "%":
            return number + _PERCENT[self.code]
        if self.code != "en":
            return f"{number}{_WIDE}{self._unit(unit, value)}"
        if unit in SIGNS:
            return f"{unit}{number}".replace(f"{unit}−", f"−{unit}")
        return f"{number} {self._unit(unit, value)}"

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

    def and_joined(self, texts: Iterable[object]) -> str:
        """Things as one lists them: "A, B and C"."""
        *most, last = map(self.tell, texts)
        return self.say("{most} and {last}", most=", ".join(most), last=last) if most else last

    def listed(self, texts: Iterable[str]) -> str:
        """Several things in one line."""
        return self.say("; ").join(texts)

    def label(self, text: str) -> str:
        """What a terrain calls a column or a level; translated if the catalogue knows it."""
        return self.catalogue.gettext(printable(text)) if text else ""

    def time(self, time: float, period: str) -> str:
        """About how long something takes; empty where it takes no time."""
        n, unit = _whole(time, period)
        if n <= 0:
            return ""
        forms = {
            "year": self.count("about {n} year", "about {n} years", n),
            "month": self.count("about {n} month", "about {n} months", n),
            "week": self.count("about {n} week", "about {n} weeks", n),
            "day": self.count("about {n} day", "about {n} days", n),
        }
        return forms.get(unit, f"{self.number(n)} × {printable(unit)}")

    def duration(self, time: float, period: str) -> str:
        """The same without saying that it is about so long."""
        n, unit = _whole(time, period)
        return self.quantity(n, f"{unit}s") if n > 0 else ""

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
    place = files("facelift.language") / "catalogues" / code / "LC_MESSAGES" / "facelift.mo"
    with place.open("rb") as file:
        return Language(code, gettext.GNUTranslations(file))


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
