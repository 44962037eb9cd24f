"""A population: everybody of a table, any of whom can be found and walked with.

A `Census` finds little by little what lies before them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.auditing import Audit, audited
from facelift.auditing.people import Groups, People, Readable, grouped, surveyed
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.language import ENGLISH, Language, joined, label, language_of
from facelift.models import committee
from facelift.multiverse.words import Features, name_words, value_words
from facelift.questions.retrospect import Retrospect, retrospect
from facelift.terrain import tables
from facelift.terrain.feature import plain_name
from facelift.walking.guide import Guide

MOST_PEOPLE = 600
"""So many people are looked at, drawn at random; of smaller tables, all (see `Census`)."""

MOST_IN_WHOLE = 2_000
"""Tables up to this size are looked at as a whole."""

N_WAYS = 20
"""Ways are counted up to here."""

AT_ONCE = 4
"""People looked at before what was found is told."""

N_HISTORIES = 3
"""So many ways to where somebody stands are told."""

N_MODELS = 5
"""So many models, fitted to samples of the table, are asked whether a way lasts."""

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


@dataclass(frozen=True, eq=False)
class Population:
    """A table of people, who explains them, and how one speaks of them.

    `title` is the table's name, `person` what one of its rows is called; `outcome` what became of
    everybody, where that is known: other models can then be fitted to it (see `lasting_guide`).

    >>> from facelift import toys
    >>> line, model = toys.line()
    >>> people = Population.of(FACElift(model).fit(line), line, 1, person="Point")
    >>> people.guide(2).title, people.table.columns.to_list()
    ('Point 2', ['x0'])
    """

    explainer: FACElift
    table: pd.DataFrame
    target: Any
    title: str = "People"
    person: str = "Row"
    facts: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    picture: tuple[int, int] | None = None
    outcome: Any = None
    start: int | None = None
    _lock: Any = field(default_factory=Lock, repr=False)

    @classmethod
    def of(cls, explainer: FACElift, given: Any, target: Any = None, **more: Any) -> Population:
        """Everybody of a table in any form; without a target, `wanted_outcome` guesses it."""
        frame, schema = tables.describe(given)
        names = explainer.terrain_.schema.names
        if schema.container == "array" and frame.shape[1] == len(names):
            frame = frame.set_axis(list(names), axis=1)
        known = tables.conform(frame, explainer.terrain_.schema)
        if target is None:
            target = wanted_outcome(explainer.classes_.tolist())
        return cls(explainer, known.reset_index(drop=True), target, **more)

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def census(self) -> Census:
        """Who has ways, found little by little."""
        return Census(self.explainer, self.table, self.target)

    @cached_property
    def ink(self) -> tuple[float, float]:
        """Of pictures, the values of paper and of ink."""
        features = self.explainer.terrain_.features
        return min(each.low for each in features), max(each.high for each in features)

    def name(self, person: int) -> str:
        """What somebody is called."""
        return joined([label(self.person), person], " ")

    def guide(self, person: int) -> Guide:
        """The guide of somebody."""
        return self._guide(self.explainer, person)

    def lasting_guide(self, person: int) -> Guide:
        """The guide of somebody, who asks other models, too, whether a way will last."""
        return self._guide(self._committee, person)

    def past(self, person: int) -> Retrospect:
        """How somebody could have come to where they stand."""
        return retrospect(
            self._through_records, self._row(person), self.target, n_histories=N_HISTORIES
        )

    @cached_property
    def _committee(self) -> FACElift:
        if self.outcome is None:
            raise InvalidInput(
                "Other models are fitted to the outcomes of a table, and these are not known here."
            )
        with self._lock:
            members = committee(self.explainer.model, self.table, self.outcome, n=N_MODELS)
            return self.explainer.under(self.explainer.terrain_, committee=members)

    @cached_property
    def _through_records(self) -> FACElift:
        with self._lock:
            if self.explainer.steps_.joins_records:
                return self.explainer
            other = FACElift(self.explainer.model, self.explainer.terrain_, steps="rows")
            return other.fit(self.table)

    def _guide(self, explainer: FACElift, person: int) -> Guide:
        multiverse = explainer.explain(self._row(person), self.target)
        return Guide(
            multiverse,
            title=self.name(person),
            facts=self.facts,
            words=self.words,
            picture=self.picture,
        )

    def check(self, person: int) -> None:
        """An error if there is no such person."""
        if not 0 <= person < len(self.table):
            raise InvalidInput(
                f"There is no {self.person.lower()} {person}; they run from 0 to "
                f"{len(self.table) - 1}."
            )

    def _row(self, person: int) -> pd.DataFrame:
        self.check(person)
        return self.table.iloc[[person]]


_GOOD = {"good", "yes", "approved", "accepted", "granted", "paid", "fully paid", "pass", "passed"}
_GOOD |= {"true", "1", ">50k", "success", "hired", "admitted", "benign", "healthy"}


_NO = {"no", "n", "false", "f", "0", "0.0", "none"}
_BARE = _NO | {"yes", "y", "true", "t", "1", "1.0"}
"""Answers that say nothing without their question."""

_ILL = {"deny", "denied", "denial", "default", "defaulted", "reject", "rejected", "rejection"}
_ILL |= {"refused", "declined", "fail", "failed", "failure", "bad", "churn", "churned", "fraud"}
_ILL |= {"delinquent", "delinquency", "late", "overdue", "bankrupt", "bankruptcy", "dropout"}
_ILL |= {"died", "death", "disease", "cancer", "stroke", "attrition", "unemployed", "low"}
"""Words of a column of which nobody wants a yes."""


def wanted_outcome(labels: list[Any], column: str = "") -> Any:
    """The outcome that people most likely want: what sounds good, or else the last of the others.

    A column that is called by something ill has its no wanted.

    >>> wanted_outcome(["Bad", "Good"]), wanted_outcome([0, 1]), wanted_outcome(["a", "b"])
    ('Good', 1, 'b')
    >>> wanted_outcome(["gold", "none"])
    'gold'
    >>> wanted_outcome(["no", "yes"], "deny"), wanted_outcome([0, 1], "default.payment")
    ('no', 0)
    """
    if not labels:
        raise InvalidInput("The model predicts a number: say which range is wanted, as target.")
    said = [str(label).strip().lower() for label in labels]
    good = _NO if _ILL & _parts(column) and set(said) <= _BARE else _GOOD
    found = [label for label, each in zip(labels, said, strict=True) if each in good]
    others = [label for label, each in zip(labels, said, strict=True) if each not in _NO | _ILL]
    return found[0] if found else (others or labels)[-1]


def outcome_words(labels: Iterable[Any], column: str) -> dict[str, str]:
    """What outcomes are called: with their column, where they say nothing without it.

    >>> outcome_words(["no", "yes"], "deny"), outcome_words(["bad", "good"], "risk")
    ({'no': 'Deny: no', 'yes': 'Deny: yes'}, {})
    >>> outcome_words([0, 1], "default")
    {'0': 'Default: no', '1': 'Default: yes'}
    """
    known = [str(label) for label in labels]
    if not column or not {each.strip().lower() for each in known} <= _BARE:
        return {}
    said = {"0": "no", "1": "yes"} if set(known) == {"0", "1"} else {}
    return {each: f"{plain_name(column)}: {said.get(each, each)}" for each in known}


def _parts(name: str) -> set[str]:
    """The words of a name, in small letters."""
    return set(re.split(r"[^a-z]+", plain_name(name).lower()))


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
    called = [_in_all(name, tongues) for name in names] if said else []
    for part in filter(None, parts):
        fits &= _fits(table, part, features, called, tongues)
    return fits


def _in_all(words: str, tongues: Tongues) -> str:
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
    called = _in_all(name_words(name, features), tongues).splitlines()
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
    known = {value: _in_all(value_words(value, feature), tongues) for value in cells.unique()}
    return [known[value] for value in cells]


class Census:
    """Who has the outcome, and of the others how many ways lead there, counted up to `N_WAYS`.

    `ways` (n,) is -1 and `effort` (n,) NaN for people that were not looked at; `looking` says how
    many there are to look at, `looked` how many of them are done.

    >>> from facelift import toys
    >>> line, model = toys.line()
    >>> census = Census(FACElift(model).fit(line), pd.DataFrame(line, columns=["x0"]), 1)
    >>> for _ in census.take():
    ...     pass
    >>> census.ways.tolist()
    [5, 5, 5, 5, 5, -1, -1, -1, -1, -1, -1]
    """

    def __init__(self, explainer: FACElift, table: pd.DataFrame, target: Any) -> None:
        self.explainer = explainer.under(explainer.terrain_, n_counterfactuals=N_WAYS)
        self.table = table
        self.readable = Readable.of(self.explainer, table, target)
        self.goal = self.readable.goal
        self.reached = self._spread(self.readable.reached, False)
        self.figures = self._spread(self.goal.figures(self.readable.answers), np.nan)
        self.ways: Ints = np.full(len(table), -1, dtype=np.int64)
        self.effort: Floats = np.full(len(table), np.nan)
        self.sample = self._drawn()
        self.looking = int((~self.readable.reached[self.sample]).sum())
        self.looked = 0
        self._people: People | None = None
        self._lock = Lock()

    @property
    def is_whole(self) -> bool:
        """Whether all people are looked at, not a sample of them."""
        return len(self.sample) == len(self.readable.places)

    @property
    def is_done(self) -> bool:
        """Whether everybody of the sample was looked at."""
        return self.looked == self.looking

    def take(self) -> Iterator[int]:
        """Look at everybody of the sample; how many are done, every now and then."""
        n = len(self.sample) if self.explainer.steps_.shares_graph else AT_ONCE
        here = self.readable.reached[self.sample]
        order = np.concatenate([self.sample[here], self.sample[~here]])
        first = max(int(here.sum()), 1)
        edges = [0, *range(first, len(order), n), len(order)]
        for start, end in pairwise(edges):
            self._note(self._surveyed(order[start:end]))
            yield self.looked

    def look_at(self, person: int) -> None:
        """Count the ways of somebody who may not be in the sample."""
        if self.reached[person] or self.ways[person] >= 0:
            return
        some = np.flatnonzero(self.readable.places == person)
        if len(some):
            self._fill(self._surveyed(some))

    def audit(self, by: Any) -> Audit | None:
        """The audit of those looked at so far; None before there are any."""
        with self._lock:
            people = self._people
        if people is None or not len(people.rows):
            return None
        _, groups = grouped(self.table, by, self.explainer.terrain_.schema.names)
        groups = _present(groups, people.rows)
        features = self.explainer.terrain_.by_name
        return audited(_of_groups(people.regrouped(groups)), groups, features)

    def _surveyed(self, some: Ints) -> People:
        nobody = Groups(np.zeros(len(self.table), dtype=np.int64), pd.Index(["all"]))
        return surveyed(self.explainer, self.readable.only(some), nobody, progress=False)

    def _note(self, found: People) -> None:
        self._fill(found)
        with self._lock:
            self._people = found if self._people is None else self._people.with_more(found)
            self.looked = len(self._people.rows)

    def _fill(self, found: People) -> None:
        self.effort[found.rows] = found.values["cost"]
        self.ways[found.rows] = np.minimum(found.values["destinations"], N_WAYS).astype(np.int64)

    def _drawn(self) -> Ints:
        n = len(self.readable.places)
        if n <= MOST_IN_WHOLE:
            return np.arange(n)
        return np.sort(np.random.default_rng(0).permutation(n)[:MOST_PEOPLE])

    def _spread(self, values: Any, otherwise: Any) -> Any:
        """Values of the readable rows, over all rows of the table."""
        spread = np.full(len(self.table), otherwise)
        spread[self.readable.places] = values
        return spread

    @property
    def is_readable(self) -> Bools:
        """Which rows make sense."""
        found: Bools = self._spread(True, False)
        return found


def _present(groups: Groups, rows: Ints) -> Groups:
    """The groups that some of these rows are in; others get the number -1."""
    kept = np.unique(groups.numbers[rows])
    places = np.full(len(groups), -1, dtype=np.int64)
    places[kept] = np.arange(len(kept))
    return Groups(places[groups.numbers], groups.names[kept])


def _of_groups(people: People) -> People:
    """The same without everybody of a group that nobody rejected is in."""
    return replace(people, everybody=people.everybody[people.everybody >= 0])
