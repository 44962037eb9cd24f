"""Finding people by what one says of them: "duration over 36, age under 30, own"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools
from facelift.language import ENGLISH, Language, language_of
from facelift.multiverse.words import Features, name_words, value_words

Tongues = Sequence[Language]

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "at least": operator.ge,
    "at most": operator.le,
    "over": operator.gt,
    "above": operator.gt,
    "under": operator.lt,
    "below": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "is": operator.eq,
    "=": operator.eq,
}
_PART = re.compile(
    rf"(?P<name>.+?)\s*(?<![\w])(?P<how>{'|'.join(_COMPARED)})(?![\w])\s*(?P<value>.+)",
    re.IGNORECASE,
)


def found(
    table: pd.DataFrame, said: str, features: Features, names: Iterable[str], spoken: str = "en"
) -> Bools:
    """Whom every part of what is said fits, parts set apart by commas; `names` call the rows.

    A part compares a column, or is looked for in names and values, as they are called in English
    and in the language `spoken`. Comparisons are English words or signs.

    >>> table = pd.DataFrame({"age": [22, 58, 61], "housing": ["rent", "own", "own"]})
    >>> found(table, "age over 30, own", {}, ["A 0", "A 1", "A 2"]).tolist()
    [False, True, True]
    """
    fits = np.ones(len(table), dtype=bool)
    parts = [part.strip() for part in re.split(r",(?!\d{3}\b)", said)]  # 5,951 is one number
    tongues = (ENGLISH,) if spoken == "en" else (ENGLISH, language_of(spoken))
    called = [_told(name, tongues) for name in names] if said else []
    for part in filter(None, parts):
        fits &= _fits(table, part, features, called, tongues)
    return fits


def _told(words: str, tongues: Tongues) -> str:
    """Words in every language that is searched, a line for each."""
    return "\n".join(each.tell(words).lower() for each in tongues)


def _fits(
    table: pd.DataFrame, part: str, features: Features, names: list[str], tongues: Tongues
) -> Bools:
    if part.isdecimal():
        return np.asarray(np.arange(len(table)) == int(part))
    compared = _compared(table, part, features, tongues)
    if compared is None:
        return _mentioned(table, part.lower(), features, names, tongues)
    return compared


def _compared(table: pd.DataFrame, part: str, features: Features, tongues: Tongues) -> Bools | None:
    """Whom a comparison such as "age over 30" fits; None if it is none."""
    match = _PART.fullmatch(part)
    column = None if match is None else _column(table, match["name"], features, tongues)
    if match is None or column is None:
        return None
    how, value = _COMPARED[match["how"].lower()], match["value"].strip()
    cells = table[column]
    if not pd.api.types.is_numeric_dtype(cells.dtype):
        words = _words(cells, features, tongues)
        return np.array([value.lower() in word for word in words]) if how is operator.eq else None
    try:
        number = float(_plain(value, tongues[-1]).split()[0].lstrip("$€£"))
    except ValueError:
        return None
    return np.asarray(how(cells.to_numpy(dtype=np.float64, na_value=np.nan), number))


def _plain(value: str, language: Language) -> str:
    """A number as Python writes it: 5,951 and 5.951 are the same in two languages."""
    if language.code == "en":
        return value.replace(",", "")
    return re.sub(r"[.\s](?=\d{3}\b)", "", value).replace(",", ".")


def _column(table: pd.DataFrame, said: str, features: Features, tongues: Tongues) -> Any:
    """The column that is meant: its name or label begins with, or has, what is said."""
    wanted = said.strip().lower()
    known = {name: _names(str(name), features, tongues) for name in table.columns}
    for fits in (str.startswith, str.__contains__):
        for name, words in known.items():
            if any(fits(word, wanted) for word in words):
                return name
    return None


def _names(name: str, features: Features, tongues: Tongues) -> list[str]:
    called = _told(name_words(name, features), tongues).splitlines()
    return [name.lower(), name_words(name).lower(), *called]


def _mentioned(
    table: pd.DataFrame, part: str, features: Features, names: list[str], tongues: Tongues
) -> Bools:
    """Whose name, or one of whose values that are words, has what is said."""
    fits = np.array([part in name for name in names], dtype=bool)
    for column in table.columns:
        if not pd.api.types.is_numeric_dtype(table[column].dtype):
            words = _words(table[column], features, tongues)
            fits |= np.array([part in word for word in words], dtype=bool)
    return fits


def _words(cells: pd.Series[Any], features: Features, tongues: Tongues) -> list[str]:
    feature = features.get(str(cells.name))
    known = {value: _told(value_words(value, feature), tongues) for value in cells.unique()}
    return [known[value] for value in cells]
