"""A population: everybody of a table, any of whom can be walked with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import pandas as pd

from facelift.auditing.census import Census
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.language import joined, label
from facelift.models import committee
from facelift.questions.retrospect import Retrospect, retrospect
from facelift.terrain import tables
from facelift.walking.guide import Guide

N_HISTORIES = 3
"""So many ways to where somebody stands are told."""

N_MODELS = 5
"""So many models, fitted to samples of the table, are asked whether a way lasts."""


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
            if self.explainer.steps == "rows":
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


def wanted_outcome(labels: list[Any]) -> Any:
    """The outcome that people most likely want: what sounds good, or else the last of them.

    >>> wanted_outcome(["Bad", "Good"]), wanted_outcome([0, 1]), wanted_outcome(["a", "b"])
    ('Good', 1, 'b')
    """
    if not labels:
        raise InvalidInput("The model predicts a number: say which range is wanted, as target.")
    return next((label for label in labels if str(label).strip().lower() in _GOOD), labels[-1])
