"""Tables of people behind the first page: opened when somebody asks, counted in the background.

What is kept is small and bounded: a few tables, and the guides of those walked with last.
Nothing of a walk is kept; a guide that was forgotten is made again. People can drop tables of their
own on the page (`Brought`): their rules are drafted, edited and used.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import PurePath
from threading import Lock, Thread
from typing import Any, Literal, Protocol, TypeVar

import pandas as pd
from pydantic import TypeAdapter

from facelift.errors import FaceliftError, InvalidData, InvalidInput
from facelift.language import say
from facelift.terrain.drafting import Drafted, drafted
from facelift.views import people as views
from facelift.views.audits import Measure, report
from facelift.views.drafts import Edit, Rules, edited, outcomes, rules
from facelift.views.people import Filter, Lasting, Past, Sort, lasting, past
from facelift.walking.guide import Guide
from facelift.walking.population import Population, wanted_outcome
from facelift.web.messages import Question, Spoken, parsed, told_json

MOST_TABLES = 3
"""So many tables are kept open; the one that was not looked at for longest is closed."""

MOST_GUIDES = 8
"""So many people's guides are kept."""

MOST_COMPARED = 2

MOST_BROUGHT = 2
"""So many tables that people brought are kept; the oldest goes."""

MOST_COLUMNS = 500
"""A table that is brought has no more."""

PREFIX = "brought-"

PATIENCE = 1.0
"""Seconds that a table is counted on for, each time, where there are no threads."""

S = TypeVar("S", bound=Spoken)

MOST_LETTERS = 200
"""How long a search may be."""

_log = logging.getLogger("facelift")


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
class Offer:
    """An example as the page shows it."""

    key: str
    title: str
    words: str


@dataclass(frozen=True)
class Door:
    """The first page: what can be opened."""

    examples: tuple[Offer, ...]
    first: str | None
    can_bring: bool


@dataclass(frozen=True)
class Opened:
    """How far a table is: being opened, to be looked at, or not to be had."""

    state: Literal["opening", "open", "failed"]
    error: str
    everybody: views.Everybody | None


@dataclass(frozen=True)
class OfTable(Spoken):
    """A table, and how to draw and group its people."""

    table: str
    across: str | None = None
    up: str | None = None
    by: str | None = None
    measure: Measure | None = None


@dataclass(frozen=True)
class Search(Spoken):
    """People of a table that are looked for."""

    table: str
    said: str = ""
    only: Filter = "all"
    sort: Sort = "fewest ways"
    first: int = 0
    n: int = 50


@dataclass(frozen=True)
class Some(Spoken):
    """Some people of a table."""

    table: str
    people: tuple[int, ...]


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


class Tables:
    """The tables of a first page; `first` is the key of the one that is shown at once.

    Where there is a bench, people can bring tables of their own. Without threads (in a browser)
    a table is opened by who first asks for it, and counted on whenever somebody asks how far it is.
    """

    home = "people.html"

    def __init__(
        self,
        examples: Mapping[str, Example],
        first: str | None = None,
        bench: Bench | None = None,
        *,
        threads: bool = True,
    ) -> None:
        self.examples = dict(examples)
        self.first = first
        self.threads = threads
        self.brought = None if bench is None else Brought(bench)
        self._open: dict[str, _Entry] = {}
        self._guides: dict[tuple[str, int], Guide] = {}
        self._lock = Lock()

    @classmethod
    def of(cls, people: Population) -> Tables:
        """One table alone."""
        return cls({"people": Example("people", people.title, "", lambda: people)}, "people")

    @property
    def questions(self) -> Mapping[str, Question]:
        """What can be asked beside walks."""
        own = {} if self.brought is None else self.brought.questions(self._add)
        return {
            **own,
            "door": _question(Spoken, lambda _: self.door()),
            "everybody": _question(OfTable, self.everybody),
            "people": _question(Search, self.people),
            "compare": _question(Some, self.compared),
            "past": _question(Some, self.past),
            "lasts": _question(Some, self.lasting),
            "audit": lambda _, body: self.audit(parsed(OfTable, body)),
        }

    def _add(self, example: Example) -> None:
        """Offer a table that somebody brought; the oldest of these goes."""
        with self._lock:
            self.examples[example.key] = example
            known = [key for key in self.examples if key.startswith(PREFIX)]
            for key in known[:-MOST_BROUGHT]:
                self.examples.pop(key)

    def warm(self) -> None:
        """Open the first table."""
        if self.first is not None:
            self._entry(self.first)

    def guide(self, query: Mapping[str, str]) -> Guide:
        """Who walks with the person of the table that an address names."""
        key, number = query.get("table", self.first or ""), query.get("person", "")
        if not number.isdecimal() or len(number) > 9:
            raise InvalidInput("The address names nobody: choose somebody on the first page.")
        population, person = self._population(key), int(number)
        return self._recall((key, person), lambda: population.guide(person))

    def door(self) -> Door:
        """What can be opened."""
        examples = tuple(Offer(each.key, each.title, each.words) for each in self.examples.values())
        return Door(examples, self.first, can_bring=self.brought is not None)

    def everybody(self, asked: OfTable) -> Opened:
        """What is known of everybody so far; asking opens a table."""
        entry = self._entry(asked.table)
        if not self.threads:
            entry.go_on(PATIENCE)
        if entry.population is None:
            return Opened("failed" if entry.fault else "opening", entry.fault, None)
        options = {"across": asked.across, "up": asked.up, "by": asked.by}
        told = views.everybody(entry.population, measure=asked.measure, **options)
        return Opened("open", entry.fault, told)

    def people(self, asked: Search) -> views.People:
        """People that are looked for."""
        if len(asked.said) > MOST_LETTERS:
            raise InvalidInput(f"A search has at most {MOST_LETTERS} letters.")
        if asked.first < 0 or not 0 < asked.n <= views.MOST_ROWS:
            raise InvalidInput(f"At most {views.MOST_ROWS} people are listed at a time.")
        options: dict[str, Any] = {"only": asked.only, "sort": asked.sort, "first": asked.first}
        options |= {"said": asked.said, "spoken": asked.spoken, "n": asked.n}
        return views.found_people(self._population(asked.table), **options)

    def compared(self, asked: Some) -> views.SideBySide:
        """One or two people, side by side."""
        population = self._population(asked.table)
        if not 0 < len(asked.people) <= MOST_COMPARED:
            raise InvalidInput(f"One or {MOST_COMPARED} people can be looked at.")
        for person in asked.people:
            population.check(person)
            population.census.look_at(person)
        return views.side_by_side(population, asked.people)

    def past(self, asked: Some) -> Past:
        """How somebody could have come to where they stand."""
        population = self._population(asked.table)
        return past(population, population.past(_one(asked)))

    def lasting(self, asked: Some) -> Lasting:
        """How many other models agree on where the ways of somebody end."""
        population, person = self._population(asked.table), _one(asked)
        guide = population.lasting_guide(person)
        with self._lock:
            self._guides[asked.table, person] = guide  # whose page tells it, too
        return lasting(guide)

    def audit(self, asked: OfTable) -> tuple[bytes, str]:
        """The audit of those looked at so far, as a report."""
        return report(self._population(asked.table), asked.by).encode(), "text/html"

    def _population(self, key: str) -> Population:
        entry = self._entry(key)
        if not self.threads and entry.population is None:
            entry.go_on(0.0)
        if entry.population is None:
            raise InvalidInput(entry.fault or "The table is being opened: try again in a moment.")
        return entry.population

    def _entry(self, key: str) -> _Entry:
        """A table, whose opening begins when it is first asked for."""
        if key not in self.examples:
            raise InvalidInput("There is no such table here: open it again on the first page.")
        with self._lock:
            entry = self._open.pop(key, None) or _Entry(self.examples[key].open)
            self._open[key] = entry
            while len(self._open) > MOST_TABLES:
                oldest = next(iter(self._open))
                self._open.pop(oldest).close()
                self._forget(oldest)
            if self.threads:
                entry.begin()
        return entry

    def _forget(self, key: str) -> None:
        for known in [each for each in self._guides if each[0] == key]:
            self._guides.pop(known)

    def _recall(self, key: tuple[str, int], make: Callable[[], Guide]) -> Guide:
        with self._lock:
            guide = self._guides.pop(key, None)
        guide = make() if guide is None else guide
        with self._lock:
            self._guides[key] = guide
            while len(self._guides) > MOST_GUIDES:
                self._guides.pop(next(iter(self._guides)))
        return guide


class _Entry:
    """A table that is being opened, then looked at: by a thread of its own, or step by step."""

    def __init__(self, make: Callable[[], Population]) -> None:
        self.make = make
        self.population: Population | None = None
        self.fault = ""
        self._begun = False
        self._closed = False
        self._steps = self._work()

    def go_on(self, seconds: float) -> None:
        """Go on for so long, at least by a step: the first opens the table."""
        until = time.monotonic() + seconds
        for _ in self._steps:
            if time.monotonic() >= until:
                return

    def begin(self) -> None:
        if not self._begun:
            self._begun = True
            Thread(target=deque, args=(self._steps, 0), daemon=True).start()

    def close(self) -> None:
        self._closed = True

    def _work(self) -> Iterator[None]:
        try:
            population = self.make()
            census = population.census  # asks the model about everybody
            self.population = population
            yield
            for _ in census.take() if population.picture is None else ():
                if self._closed:
                    return
                yield
        except FaceliftError as fault:
            self.fault = " ".join(str(fault).split())
        except Exception:
            _log.exception("A table could not be opened")
            self.fault = "Something went wrong; facelift's own output says more."


def _one(asked: Some) -> int:
    if len(asked.people) != 1:
        raise InvalidInput("This is asked of one person at a time.")
    return asked.people[0]


ANSWERED = (Door, Opened, views.People, views.SideBySide, Past, Lasting, Rules, Added)
"""The documents that answer."""


def schemas() -> dict[str, Any]:
    """The JSON Schema of everything that answers, by name.

    >>> "Everybody" in schemas()
    True
    """
    kinds = [(kind.__name__, "serialization", TypeAdapter(kind)) for kind in ANSWERED]
    _, shared = TypeAdapter.json_schemas(kinds)  # type: ignore[arg-type]
    known: dict[str, Any] = shared["$defs"]
    return known


def _question(kind: type[S], answer: Callable[[S], Any]) -> Question:
    """What is asked by a body of some kind, and answered by a value in its language."""
    return partial(_answered, kind, answer)


def _answered(
    kind: type[S], answer: Callable[[S], Any], _: Mapping[str, str], body: bytes
) -> tuple[bytes, str]:
    asked = parsed(kind, body)
    return told_json(answer(asked), asked)


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
            "draft": _question(Bring, self.draft),
            "rules": _question(Say, self.rules),
            "bring": _question(Say, lambda said: self.opened(said, add)),
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


_OUTCOMES = (
    *("risk", "target", "outcome", "decision", "approved", "deny", "denied", "default", "accepted"),
    *("admitted", "hired", "survived", "churn", "label", "class", "y"),
)
"""Names of columns that decisions have."""


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
