"""Tables that somebody drops on the page: kept in memory, their rules drafted, edited and used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePath
from threading import Lock
from typing import Any, Protocol, TypeVar

import pandas as pd

from facelift.errors import InvalidData, InvalidInput
from facelift.language import say
from facelift.terrain.drafting import Drafted, drafted
from facelift.views.drafts import Edit, Rules, edited, outcomes, rules
from facelift.walking.population import Population, wanted_outcome
from facelift.web.messages import Question, Spoken, parsed, told_json

MOST_BROUGHT = 2
"""So many tables that were brought are kept; the oldest goes."""

MOST_COLUMNS = 500
PREFIX = "brought-"

S = TypeVar("S", bound=Spoken)

_OUTCOMES = (
    *("risk", "target", "outcome", "decision", "approved", "deny", "denied", "default", "accepted"),
    *("admitted", "hired", "survived", "churn", "label", "class", "y"),
)


class Bench(Protocol):
    """Who reads tables and trains models on them."""

    def read(self, name: str, text: str) -> pd.DataFrame:
        """The table as it is."""

    def open(
        self, name: str, text: str, target_column: str, target: str | None, rules: str
    ) -> Population:
        """Everybody in it."""


@dataclass(frozen=True)
class Example:
    """A table that can be opened: its key, what it is called, and a sentence about it."""

    key: str
    title: str
    words: str
    open: Callable[[], Population] = field(repr=False)


@dataclass(frozen=True)
class Bring(Spoken):
    """A table as text."""

    name: str
    text: str


@dataclass(frozen=True)
class Say(Spoken):
    """What somebody says of a table that was brought."""

    table: str
    target_column: str
    target: str | None = None
    edits: dict[str, Edit] = field(default_factory=dict)


@dataclass(frozen=True)
class Added:
    """The key of a table that can be opened now."""

    table: str


@dataclass(frozen=True, eq=False)
class _Table:
    name: str
    text: str
    frame: pd.DataFrame
    drafts: dict[str, Drafted] = field(default_factory=dict)

    def drafted(self, target_column: str) -> Drafted:
        """The draft of its rules, made once for the column of the outcome."""
        if target_column not in self.drafts:
            self.drafts.clear()
            self.drafts[target_column] = drafted(self.frame, target_column)
        return self.drafts[target_column]


class Brought:
    """The tables brought so far."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._tables: dict[str, _Table] = {}
        self._numbers = count(1)
        self._lock = Lock()

    def questions(self, add: Callable[[Example], None]) -> Mapping[str, Question]:
        """What can be asked about them; `add` offers one to be opened."""
        return {
            "draft": lambda _, body: _told(self.draft, parsed(Bring, body)),
            "rules": lambda _, body: _told(self.rules, parsed(Say, body)),
            "bring": lambda _, body: _told(lambda said: self.opened(said, add), parsed(Say, body)),
        }

    def draft(self, asked: Bring) -> Rules:
        """Keep a table, and draft its rules."""
        name = PurePath(asked.name.replace("\\", "/")).name[:80] or "table.csv"
        frame = self.bench.read(name, asked.text)
        if len(frame) < 2 or not 2 <= frame.shape[1] <= MOST_COLUMNS:
            raise InvalidData(f"{name} needs at least two rows and 2 to {MOST_COLUMNS} columns.")
        frame.columns = frame.columns.map(str)
        with self._lock:
            key = f"{PREFIX}{next(self._numbers)}"
            self._tables[key] = _Table(name, asked.text, frame)
            while len(self._tables) > MOST_BROUGHT:
                self._tables.pop(next(iter(self._tables)))
        return self.rules(Say(key, _outcome_column(frame)))

    def rules(self, asked: Say) -> Rules:
        """The rules of a table as somebody has edited them."""
        table, found = self._drafted(asked)
        frame, target = table.frame, asked.target
        if target is None and (answers := outcomes(frame[asked.target_column])):
            target = str(wanted_outcome(list(answers), asked.target_column))
        return rules(
            asked.table, table.name, frame, found, asked.edits, asked.target_column, target
        )

    def opened(self, asked: Say, add: Callable[[Example], None]) -> Added:
        """Offer a table under its rules, to be trained and fitted when it is looked at."""
        table, found = self._drafted(asked)
        text = edited(found, asked.edits).text()
        key = f"{asked.table}.{next(self._numbers)}"

        def make() -> Population:
            return self.bench.open(
                table.name, table.text, asked.target_column, asked.target or None, text
            )

        add(Example(key, table.name, say("Your own table"), make))
        return Added(key)

    def _drafted(self, asked: Say) -> tuple[_Table, Drafted]:
        table = self._tables.get(asked.table)
        if table is None:
            raise InvalidInput("This table is no longer here: drop it on the page again.")
        if asked.target_column not in table.frame.columns:
            raise InvalidInput(f"{table.name} has no column {asked.target_column!r}.")
        return table, table.drafted(asked.target_column)


def _outcome_column(frame: pd.DataFrame) -> str:
    """The column that most likely holds the decision: one that is called so, or one at an end.

    The first is, where it has two answers and the last has too many to be a decision.
    """
    names = [str(name) for name in frame.columns]
    found = {name.lower(): name for name in names}
    first, last = names[0], names[-1]
    if not outcomes(frame[last]) and frame[first].nunique() == 2:
        last = first
    return next((found[name] for name in _OUTCOMES if name in found), last)


def _told(answer: Callable[[S], Any], asked: S) -> tuple[bytes, str]:
    return told_json(answer(asked), asked)
