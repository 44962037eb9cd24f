"""Columns, values, steps and destinations in plain words, the same in every view."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from facelift.errors import printable
from facelift.geometry import effects
from facelift.multiverse.frames import Change, changes
from facelift.terrain.feature import Feature, plain_name
from facelift.terrain.kinds import KINDS
from facelift.terrain.terrain import MONTHS

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey

Features = Mapping[str, Feature]
"""Features by name, for what columns and levels are called and what numbers count."""

PLAIN: Features = {}
"""No features: columns are said by their names."""

MANY_CHANGES = 3
"""From so many changes on, they are counted instead of named."""

FEW_CHANGES = 4
"""So many columns that a journey changes are named; more are counted."""

PIPS = {"nearer": "●", "open": "○", "closed": "✕"}
"""The pips: a step brings a destination nearer, leaves it open without helping, or closes it."""

PIP_WORDS = {
    "nearer": "brings that way nearer",
    "open": "no help, still in reach",
    "closed": "out of reach for good",
}
"""What the pips mean."""


@dataclass(frozen=True)
class ChangeWords:
    """A column, its value before and after, as people say them.

    `by` is the difference of numbers that have a unit.

    >>> str(in_words([("time_in_job", 1.0, 2.5)])[0])
    'Time in job: 1 → 2.5'
    >>> loan = {"months": Feature("months", "numeric", label="Duration of the loan", unit="months")}
    >>> str(in_words([("months", 48, 30)], loan)[0])
    'Duration of the loan: 48 → 30 months (−18)'
    """

    name: str
    before: str
    after: str
    by: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.before} → {self.after}{f' ({self.by})' if self.by else ''}"


@dataclass(frozen=True)
class Step:
    """A step of a journey, as people say it.

    `measure` is what the model tells of a waypoint, `before` and `after` the step; empty without a
    model. `effects` has what it does to each destination, `closes` the letters of those it puts
    out of reach, `time` the earliest time it can be done by.
    """

    changes: tuple[ChangeWords, ...]
    effort: float
    measure: str
    before: str
    after: str
    agreement: str
    effects: tuple[str, ...]
    closes: str
    n_open: int
    time: str

    @property
    def outlook(self) -> str:
        """What the model says after the step, and of what."""
        return f"{self.measure} {self.after}".strip()

    @property
    def pips(self) -> str:
        """One pip per destination."""
        return "".join(PIPS[effect] for effect in self.effects)

    @property
    def sentence(self) -> str:
        """All of it; of a way that is the only one, not what the step keeps open."""
        facts = [f"{self.measure} {self.before} → {self.after}"] if self.measure else []
        if len(self.effects) > 1:
            facts.append(f"keeps {self.n_open} of {len(self.effects)} ways open")
        if self.time:
            facts.append(f"after {self.time}")
        return ", ".join(map(str, self.changes)) + (f" ({', '.join(facts)})" if facts else "")


def steps_in_words(journey: Journey) -> list[Step]:
    """The steps of a journey, as people say them.

    >>> from facelift.toys import loan
    >>> [step.pips for step in steps_in_words(loan().multiverse()[2])]
    ['✕●●', '✕●●', '✕✕●', '✕✕●']
    >>> steps_in_words(loan().multiverse()[1])[-1].sentence
    'X0: 4 → 7, X1: 0 → 3 (keeps 1 of 3 ways open)'
    """
    step_effects = effects(journey.remaining, journey.step_costs).tolist()
    n_open = np.isfinite(journey.remaining).sum(axis=1).tolist()
    shares, times = journey.agreement, journey.times
    return [
        Step(
            changes=in_words(step, journey.features),
            effort=float(journey.step_costs[i - 1]),
            measure=journey.measure,
            before=journey.outlook(i - 1),
            after=journey.outlook(i),
            agreement="" if shares is None else f"{shares[i]:.0%}",
            effects=tuple(step_effects[i - 1]),
            closes=" ".join(map(letter, lost)),
            n_open=n_open[i],
            time="" if times is None else time_words(float(times[i]), journey.period),
        )
        for i, (step, lost) in enumerate(zip(changes(journey), journey.closes, strict=True), 1)
    ]


def in_words(step: Iterable[Change], features: Features = PLAIN) -> tuple[ChangeWords, ...]:
    """Changes, as people say them; values are short if that tells them apart."""
    return tuple(_change_words(name, before, after, features) for name, before, after in step)


def _change_words(name: str, before: Any, after: Any, features: Features) -> ChangeWords:
    feature = features.get(name)
    said, numbers = name_words(name, features), [_is_number(end) for end in (before, after)]
    coded = feature is not None and not {before, after}.isdisjoint(feature.coded)
    if feature is None or not feature.unit or coded or not all(numbers):
        return ChangeWords(said, *_told_apart(before, after, feature))
    plain, unit = replace(feature, unit=""), feature.unit
    first, last = _told_apart(before, after, plain)
    by = _parted(value_words(abs(float(after) - float(before)), plain))
    sign = "+" if after > before else "−"
    start = _with_unit(first, unit) if unit in _SIGNS else _parted(first)
    return ChangeWords(said, start, _with_unit(last, unit), sign + by)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and value == value


def _told_apart(before: Any, after: Any, feature: Feature | None) -> tuple[str, str]:
    short = value_words(before, feature), value_words(after, feature)
    return short if short[0] != short[1] else (printable(str(before)), printable(str(after)))


def name_words(name: str, features: Features = PLAIN) -> str:
    """A column's name as one would say it: its label, or its name in words.

    >>> name_words("credit_amount"), name_words("creditAmount")
    ('Credit amount', 'Credit amount')
    """
    label = features[name].label if name in features else ""
    return printable(label) if label else plain_name(printable(name))


def value_words(value: Any, feature: Feature | None = None) -> str:
    """A value as one would say it, with the unit of its feature.

    >>> value_words(1e6), value_words(0.5), value_words("none"), value_words(float("nan"))
    ('1,000,000', '0.5', 'none', 'missing')
    >>> value_words(60000, Feature("price", "numeric", unit="$"))
    '$60,000'
    """
    if pd.isna(value):
        return "missing"
    named = {} if feature is None else dict(feature.named)
    if value in named or (feature is not None and feature.has_levels):
        return printable(named.get(value, str(value)))
    kinds = KINDS.values() if feature is None else [KINDS[feature.kind]]
    words = next(filter(None, (kind.words(value) for kind in kinds)), str(value))
    return _with_unit(printable(words), "" if feature is None else feature.unit)


def _with_unit(number: str, unit: str) -> str:
    """A number with its unit: signs of money before it, others behind it."""
    if not unit:
        return number
    if unit in _SIGNS:
        return f"{unit}{_parted(number)}".replace(f"{unit}-", f"-{unit}")
    one = number == "1" and unit in ("years", "months", "weeks", "days", "hours", "minutes")
    space = "" if unit == "%" else " "
    return f"{_parted(number)}{space}{printable(unit[:-1] if one else unit)}"


def _parted(number: str) -> str:
    """A number that has a unit, and so is no year: its thousands are parted, too."""
    return re.sub(r"^(-?\d)(\d{3})(?=\.|$)", r"\1,\2", number)


_SIGNS = ("NT$", "$", "€", "£", "¥", "₹")


DIPS = "gets worse before it gets better"
"""What is said of a way that passes through a lower chance than now."""


def time_words(time: float, period: str) -> str:
    """A time as one would say it; empty where nothing takes time.

    >>> time_words(2.5, "year"), time_words(0.5, "year"), time_words(0.0, "year")
    ('about 2.5 years', 'about 6 months', '')
    """
    if time <= 0:
        return ""
    months = time * MONTHS.get(period, math.nan)
    if math.isnan(months):
        return f"about {_counted(time, period)}"
    if months < 1:
        return f"about {_counted(max(round(months / MONTHS['week']), 1), 'week')}"
    if round(months) == 12 or round(months) >= 24:
        return f"about {_counted(round(months / 6) / 2, 'year')}"
    return f"about {_counted(round(months), 'month')}"


def _counted(amount: float, what: str) -> str:
    return f"{amount:.3g} {what}{'' if amount == 1 else 's'}"


def summary(step: Iterable[Change], features: Features = PLAIN) -> str:
    """Some changes in one line: all of them, or how many there are.

    >>> summary([("debts", 3, 2)]), summary([(name, 0, 1) for name in "abcd"])
    ('Debts: 3 → 2', '4 things change')
    """
    return listed(in_words(step, features))


def listed(step: Sequence[ChangeWords], most: int = MANY_CHANGES) -> str:
    """Changes in one line, or how many there are if they are more than `most`."""
    return f"{len(step)} things change" if len(step) > most else ", ".join(map(str, step))


def done(step: Iterable[Change], features: Features) -> list[Change]:
    """The changes that somebody makes: without those that come by themselves, if there are others.

    >>> age = {"age": Feature("age", "numeric", ages=1.0, per="year")}
    >>> done([("age", 53, 56), ("savings", 0, 1)], age), done([("age", 53, 56)], age)
    ([('savings', 0, 1)], [('age', 53, 56)])
    """
    step = list(step)
    made = [each for each in step if each[0] not in features or features[each[0]].ages is None]
    return made or step


def what_changes(journey: Journey) -> str:
    """The columns that a journey changes, or how many there are.

    >>> from facelift.toys import loan
    >>> what_changes(loan().multiverse()[1])
    'X0, X1'
    """
    names = dict.fromkeys(name for step in changes(journey) for name, *_ in step)
    words = [name_words(name, journey.features) for name in names]
    return ", ".join(words) if len(words) <= FEW_CHANGES else f"{len(words)} things"


def letter(number: int) -> str:
    """Letter of a destination: A to Z, then A2, B2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    round_, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(round_ + 1) if round_ else "")


def legend(journeys: Iterable[Journey]) -> str:
    """What the pips mean; that of a closed way is left out where no step closes any.

    >>> from facelift.toys import loan
    >>> legend(loan().multiverse()[:1])
    '● brings that way nearer   ○ no help, still in reach   ✕ out of reach for good'
    """
    closes = any(lost for journey in journeys for lost in journey.closes)
    known = [effect for effect in PIPS if closes or effect != "closed"]
    return "   ".join(f"{PIPS[effect]} {PIP_WORDS[effect]}" for effect in known)


SMALL, MEDIUM = 1 / 3, 1.0
"""Up to the first an effort is called small, up to the second medium; 1 is what it takes to move
one number over its whole range."""


def effort_size(effort: float) -> Literal["small", "medium", "large"]:
    """What an effort is called.

    >>> [effort_size(effort) for effort in (0.2, 0.5, 3.0)]
    ['small', 'medium', 'large']
    """
    return "small" if effort <= SMALL else "medium" if effort <= MEDIUM else "large"
