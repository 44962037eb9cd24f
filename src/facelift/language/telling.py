"""Telling whole values: every sentence in a document, in a language."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from facelift.language.language import Language
from facelift.language.sentence import Sentence

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
