"""What people read: sentences, numbers, units, times and dates in a language, by gettext.

Where no language is known yet, `say("…", name=value)` and `count(one, many, n)` here give
a `Sentence`: a string, in English, that remembers what it was made of. `language.tell(sentence)`
says it in another language, and with it all sentences among its values. Joining or formatting it by
hand makes it a plain string, which stays English: put it into another sentence instead.

A sentence is `language.say("…", name=value)`; one that counts is `language.count(one, many, n)`.
Both are looked up in `catalogues/*/LC_MESSAGES/facelift.mo`, which `python -m tools.catalogues`
makes of the `.po` files beside them.
"""

from __future__ import annotations

import datetime as dt
import gettext
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from importlib.resources import files
from numbers import Real
from typing import Any, TypeVar

from facelift.errors import InvalidInput, nearest_name, printable
from facelift.geometry import TOLERANCE

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "SIGNS",
    "Language",
    "Sentence",
    "and_joined",
    "count",
    "day",
    "duration",
    "fixed",
    "joined",
    "label",
    "language_of",
    "message",
    "number",
    "percent",
    "quantity",
    "say",
    "signed",
    "time",
    "told",
]

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

LABEL = "label"
"""The context in the catalogues of what columns, levels and outcomes are called."""

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
        if "," in whole and sum(map(str.isdigit, whole)) < digits:
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
        if unit in SIGNS and number[-2:-1] == _MARKS[self.code][0]:
            number += "0"
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
        match unit:
            case "years":
                return self.count("year", "years", n)
            case "months":
                return self.count("month", "months", n)
            case "weeks":
                return self.count("week", "weeks", n)
            case "days":
                return self.count("day", "days", n)
            case "hours":
                return self.count("hour", "hours", n)
            case "minutes":
                return self.count("minute", "minutes", n)
        return printable(unit)

    def and_joined(self, texts: Iterable[object]) -> str:
        """Things as one lists them: "A, B and C"."""
        *most, last = map(self.tell, texts)
        return self.say("{most} and {last}", most=", ".join(most), last=last) if most else last

    def listed(self, texts: Iterable[str]) -> str:
        """Several things in one line."""
        return self.say("; ").join(texts)

    def label(self, text: str) -> str:
        """What a terrain calls a column or a level; translated if the catalogue knows it."""
        return self.catalogue.pgettext(LABEL, printable(text)) if text else ""

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

    def date(self, day: dt.date) -> str:
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


ENGLISH = language_of("en")


class Sentence(str):
    """Words in English, and the call of a `Language` that says them in any.

    Examples
    --------
    >>> from facelift.language import language_of
    >>> told = Sentence("count", ("about {n} day", "about {n} days", 3), {})
    >>> told, language_of("de").tell(told)
    ('about 3 days', 'etwa 3 Tage')
    """

    call: tuple[str, tuple[Any, ...], dict[str, Any]]

    def __new__(cls, method: str, given: tuple[Any, ...], values: dict[str, Any]) -> Sentence:
        """What English makes of the call."""
        sentence = super().__new__(cls, getattr(ENGLISH, method)(*given, **values))
        sentence.call = (method, given, values)
        return sentence

    def __reduce__(self) -> tuple[type[Sentence], tuple[Any, ...]]:
        """What travels to another process: the call."""
        return Sentence, self.call

    def told(self, language: Language) -> str:
        """The same in a language."""
        if language is ENGLISH:
            return str(self)
        method, given, values = self.call
        said: str = getattr(language, method)(*given, **values)
        return said


def say(message: str, **values: object) -> str:
    """A sentence of the catalogue, with values put in.

    >>> say("{name}: {before} → {after}", name="Debts", before=3, after=2)
    'Debts: 3 → 2'
    """
    return Sentence("say", (message,), values)


def count(one: str, many: str, n: int, **values: object) -> str:
    """A sentence that counts.

    >>> count("{n} step", "{n} steps", 1), count("{n} step", "{n} steps", 2)
    ('1 step', '2 steps')
    """
    return Sentence("count", (one, many, n), values)


def message(text: str) -> str:
    """A message of the catalogue that is said elsewhere: `say(text, …)` with a name for it.

    >>> message("{name} never changes")
    '{name} never changes'
    """
    return text


def label(text: str) -> str:
    """What a terrain calls a column or a level.

    >>> from facelift.language import language_of
    >>> language_of("de").tell(label("Savings"))
    'Ersparnisse'
    """
    return Sentence("label", (text,), {})


def joined(texts: Iterable[object], separator: str = ", ") -> str:
    """Several things in one line.

    >>> joined(["Age", "Savings"])
    'Age, Savings'
    """
    return Sentence("joined", (tuple(texts), separator), {})


def and_joined(texts: Iterable[object]) -> str:
    """Several things as one lists them; at least one.

    >>> and_joined(["A"]), and_joined(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return Sentence("and_joined", (tuple(texts),), {})


def number(value: float, *, grouped: bool = False) -> str:
    """A number as one would write it.

    >>> number(0.123456), number(5951.0), number(5951.0, grouped=True)
    ('0.1235', '5951', '5,951')
    """
    return Sentence("number", (value,), {"grouped": grouped})


def fixed(value: float, decimals: int = 2) -> str:
    """A number with so many decimals.

    >>> fixed(0.3)
    '0.30'
    """
    return Sentence("fixed", (value, decimals), {})


def signed(value: float) -> str:
    """A difference, with its sign.

    >>> signed(-951.0), signed(18)
    ('−951', '+18')
    """
    return Sentence("signed", (value,), {})


def percent(share: float, decimals: int = 0) -> str:
    """A share in percent.

    >>> percent(0.519)
    '52%'
    """
    return Sentence("percent", (f"{100 * share:.{decimals}f}",), {})


def quantity(value: float, unit: str) -> str:
    """A number with its unit.

    >>> quantity(5000, "DM"), quantity(1, "months"), quantity(-5, "$")
    ('5,000 DM', '1 month', '−$5')
    """
    return Sentence("quantity", (value, unit), {})


def time(time: float, period: str) -> str:
    """About how long something takes; empty where it takes no time.

    >>> time(0.5, "year"), time(2.5, "year")
    ('about 6 months', 'about 30 months')
    """
    return Sentence("time", (time, period), {})


def duration(time: float, period: str) -> str:
    """The same without saying that it is about so long.

    >>> duration(3.0, "year")
    '3 years'
    """
    return Sentence("duration", (time, period), {})


def day(date: dt.date) -> str:
    """A date in words.

    >>> day(dt.date(2026, 3, 1))
    '1 March 2026'
    """
    return Sentence("date", (date,), {})


T = TypeVar("T")


def told(value: T, language: Language) -> T:
    """The same value with its sentences in a language; other text stays as it is.

    Goes through data classes, tuples, lists and the values of dictionaries.

    >>> from facelift.language import joined, label, language_of
    >>> told({"name": label("Savings"), "letters": ("A", "B")}, language_of("de"))
    {'name': 'Ersparnisse', 'letters': ('A', 'B')}
    """
    return value if language.code == "en" else _told(value, language)


def _told(value: Any, language: Language) -> Any:
    if isinstance(value, str):
        return value.told(language) if isinstance(value, Sentence) else value
    if isinstance(value, tuple | list):
        return type(value)([_told(each, language) for each in value])
    if isinstance(value, dict):
        return {key: _told(each, language) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _told_fields(value, language)
    return value


def _told_fields(value: Any, language: Language) -> Any:
    known = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    said = {name: _told(each, language) for name, each in known.items()}
    changed = {name: each for name, each in said.items() if each != known[name]}
    return replace(value, **changed) if changed else value
