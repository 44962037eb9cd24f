"""A census: what lies before the people of a table, found little by little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.auditing.people import Groups, People, Readable, grouped, surveyed
from facelift.auditing.summary import Audit, audited
from facelift.explainer import FACElift

MOST_PEOPLE = 600
"""So many people are looked at, drawn at random; of smaller tables, all (see `Census`)."""

MOST_IN_WHOLE = 2_000
"""Tables up to this size are looked at as a whole."""

N_WAYS = 20
"""Ways are counted up to here."""

AT_ONCE = 4
"""People looked at before what was found is told."""


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
