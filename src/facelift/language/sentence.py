"""Sentences made where no language is known yet: English text that can be told in others.

`say("…", name=value)` and `count(one, many, n)` give a `Sentence`. It is a string, the sentence in
English, and remembers what it was made of. `language.tell(sentence)` says it in another language,
and with it all sentences among its values. Joining or formatting it by hand makes it a plain
string, which stays English: put it into another sentence as a value instead.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from facelift.language.language import Language, language_of

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
