"""Columns, values, steps and destinations in plain words, the same in every view."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import printable
from facelift.geometry import effects
from facelift.language import (
    SIGNS,
    Sentence,
    count,
    day,
    fixed,
    joined,
    label,
    number,
    percent,
    quantity,
    say,
    signed,
    time,
)
from facelift.multiverse.frames import Change, changes
from facelift.multiverse.goal import Goal
from facelift.terrain.feature import Feature, plain_name
from facelift.terrain.kinds import KINDS

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey
    from facelift.multiverse.multiverse import Multiverse

Features = Mapping[str, Feature]
"""Features by name, for what columns and levels are called and what numbers count."""

PLAIN: Features = {}
"""No features: columns are said by their names."""

MANY_CHANGES = 3
"""From so many changes on, they are counted instead of named."""

FEW_CHANGES = 4
"""So many columns that a journey changes are named; more are counted."""

LEAST_SHIFT = 0.005
"""Smaller changes of a probability are not told: they round to nothing."""

MOST_TOLD = 3
"""So many classes are told that a step makes more likely, and so many that it makes less."""

PIPS = {"nearer": "●", "open": "○", "closed": "✕"}
"""The pips: a step brings a destination nearer, leaves it open without helping, or closes it."""

PIP_WORDS = {
    "nearer": say("brings that way nearer"),
    "open": say("no help, still in reach"),
    "closed": say("no way there was found any more"),
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
        said = {"name": self.name, "before": self.before, "after": self.after}
        if not self.by:
            return say("{name}: {before} → {after}", **said)
        return say("{name}: {before} → {after} ({by})", by=self.by, **said)


@dataclass(frozen=True)
class Step:
    """A step of a journey, as people say it.

    `measure` is what the model tells of a waypoint, `before` and `after` the step; empty without a
    model. `effects` has what it does to each destination, `closes` the letters of those it puts
    out of reach, `time` the earliest time it can be done by. `shifts` says what it makes more
    likely and what less, where there are more than two classes.
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
    shifts: str = ""

    @property
    def outlook(self) -> str:
        """What the model says after the step, and of what."""
        return outlook_words(self.measure, self.after)

    @property
    def pips(self) -> str:
        """One pip per destination."""
        return "".join(PIPS[effect] for effect in self.effects)

    @property
    def sentence(self) -> str:
        """All of it; of a way that is the only one, not what the step keeps open."""
        facts = [outlook_words(self.measure, self.after, self.before)] if self.measure else []
        if len(self.effects) > 1:
            facts.append(
                say("keeps {n} of {total} ways open", n=self.n_open, total=len(self.effects))
            )
        if self.shifts:
            facts.append(self.shifts)
        if self.time:
            facts.append(say("after {time}", time=self.time))
        changes = joined(map(str, self.changes))
        return say("{step} ({facts})", step=changes, facts=joined(facts)) if facts else changes


def outlook_words(measure: str, figure: str, before: str = "") -> str:
    """What the model says of a state, and of the one before it, and what of: "chance 60%".

    >>> outlook_words("chance", "40%", "20%"), outlook_words("", "")
    ('chance 20% → 40%', '')
    """
    if measure == "chance":
        if before:
            return say("chance {before} → {after}", before=before, after=figure)
        return say("chance {chance}", chance=figure)
    if measure == "predicted":
        if before:
            return say("predicted {before} → {after}", before=before, after=figure)
        return say("predicted {number}", number=figure)
    return figure


def steps_in_words(journey: Journey) -> list[Step]:
    """The steps of a journey, as people say them.

    >>> from facelift.toys import loan
    >>> [step.pips for step in steps_in_words(loan().multiverse()[2])]
    ['✕●●', '✕●●', '✕✕●', '✕✕●']
    >>> steps_in_words(loan().multiverse()[1])[-1].sentence
    'X0: 4 → 7, X1: 0 → 3 (keeps 1 of 3 ways open)'
    """
    journey = journey.in_steps
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
            agreement="" if shares is None else percent(float(shares[i])),
            effects=tuple(step_effects[i - 1]),
            closes=" ".join(map(letter, lost)),
            n_open=n_open[i],
            time="" if times is None else time(float(times[i]), journey.period),
            shifts=_shifts(journey, i),
        )
        for i, (step, lost) in enumerate(zip(changes(journey), journey.closes, strict=True), 1)
    ]


def _shifts(journey: Journey, waypoint: int) -> str:
    """What the step to a waypoint makes more likely and what less; empty with two classes."""
    if not isinstance(journey.goal, Goal) or journey.probabilities is None:
        return ""
    before, after = journey.probabilities[waypoint - 1 : waypoint + 1]
    return shift_words(before, after, journey.goal.classes)


def in_words(step: Iterable[Change], features: Features = PLAIN) -> tuple[ChangeWords, ...]:
    """Changes, as people say them; values are short if that tells them apart."""
    return tuple(_change_words(name, before, after, features) for name, before, after in step)


def _change_words(name: str, before: Any, after: Any, features: Features) -> ChangeWords:
    feature = features.get(name)
    said = name_words(name, features)
    if feature is None or not feature.unit:  # what has levels has none
        return ChangeWords(said, *_told_apart(before, after, feature))
    coded = not {before, after}.isdisjoint(feature.coded)
    if coded or not (_is_number(before) and _is_number(after)):
        return ChangeWords(said, *_told_apart(before, after, feature))
    before, after, unit = float(before), float(after), feature.unit
    start = quantity(before, unit) if unit in SIGNS else number(before, grouped=True)
    end = quantity(after, unit)
    if start == number(after, grouped=True) or start == end:
        start, end = str(before), f"{after}{'' if unit == '%' else ' '}{unit}"
    return ChangeWords(said, start, end, signed(after - before))


def _told_apart(before: Any, after: Any, feature: Feature | None) -> tuple[str, str]:
    short = value_words(before, feature), value_words(after, feature)
    return short if short[0] != short[1] else (printable(str(before)), printable(str(after)))


def _is_number(value: Any) -> bool:
    numeric = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return numeric and not pd.isna(value)


def name_words(name: str, features: Features = PLAIN) -> str:
    """A column's name as one would say it: its label, or its name in words.

    >>> name_words("credit_amount"), name_words("creditAmount")
    ('Credit amount', 'Credit amount')
    """
    called = features[name].label if name in features else ""
    return label(called) if called else label(plain_name(printable(name)))


def fact_words(facts: Mapping[str, Any], features: Features = PLAIN) -> str:
    """Values in one line that say what they are: by a unit no other has, or by their column.

    >>> months = Feature("months", "numeric", unit="months")
    >>> fact_words({"months": 48, "debts": 2}, {"months": months})
    '48 months · Debts 2'
    >>> fact_words({"months": None}, {"months": months})
    'Months missing'
    >>> both = {"months": months, "wait": Feature("wait", "numeric", unit="months")}
    >>> fact_words({"months": 48, "wait": 2}, both)
    'Months 48 months · Wait 2 months'
    """
    units = [features[name].unit for name in facts if name in features]
    return joined((_fact(name, value, features, units) for name, value in facts.items()), " · ")


def _fact(name: str, value: Any, features: Features, units: Sequence[str]) -> str:
    told = value_words(value, features.get(name))
    unit = features[name].unit if name in features else ""
    if unit and units.count(unit) == 1 and not pd.isna(value):
        return told
    return say("{name} {value}", name=name_words(name, features), value=told)


def value_words(value: Any, feature: Feature | None = None) -> str:
    """A value as one would say it, with the unit of its feature.

    >>> value_words(1e6), value_words(0.5), value_words("none"), value_words(float("nan"))
    ('1,000,000', '0.5', 'none', 'missing')
    >>> value_words(True)
    'yes'
    >>> value_words(60000, Feature("price", "numeric", unit="$"))
    '$60,000'
    """
    if pd.isna(value):
        return say("missing")
    tell = (kind.words for kind in KINDS.values()) if feature is None else (feature.words,)
    if words := next(filter(None, (words(value) for words in tell)), ""):
        return words if isinstance(words, Sentence) else label(words)
    if isinstance(value, bool | np.bool_):
        return label("yes" if value else "no")
    if _is_number(value):
        return quantity(float(value), "" if feature is None else feature.unit)
    return day(value) if isinstance(value, dt.date) else label(str(value))


DIPS = say("gets worse before it gets better")
"""What is said of a way that passes through a lower chance than now."""


def summary(step: Iterable[Change], features: Features = PLAIN) -> str:
    """Some changes in one line: all of them, or how many there are.

    >>> summary([("debts", 3, 2)]), summary([(name, 0, 1) for name in "abcd"])
    ('Debts: 3 → 2', '4 things change')
    """
    return listed(in_words(step, features))


def listed(step: Sequence[ChangeWords], most: int = MANY_CHANGES) -> str:
    """Changes in one line, or how many there are if they are more than `most`."""
    if len(step) > most:
        return count("{n} thing changes", "{n} things change", len(step))
    return joined(map(str, step))


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
    """The columns that somebody changes on a journey, or three of many.

    >>> from facelift.toys import loan
    >>> what_changes(loan().multiverse()[1])
    'X0, X1'
    """
    made = done([each for step in changes(journey) for each in step], journey.features)
    names = dict.fromkeys(name for name, *_ in made)
    words = [name_words(name, journey.features) for name in names]
    return joined(words) if len(words) <= FEW_CHANGES else and_more(words)


def and_more(words: Sequence[str], most: int = MANY_CHANGES) -> str:
    """The first of many, and how many there are beside.

    >>> and_more(["Age", "Income", "Debts", "Job", "Town"])
    'Age, Income, Debts and 2 more'
    """
    return say("{names} and {n} more", names=joined(words[:most]), n=len(words) - most)


def letter(number: int) -> str:
    """Letter of a destination: A to Z, then A2, B2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    round_, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(round_ + 1) if round_ else "")


def route_title(letter: str, variant: int) -> str:
    """What a way is called, or a further route to the same end: 1, 2 and so on.

    >>> route_title("A", 0), route_title("A", 1)
    ('Way A', 'Way A, route 2')
    """
    if not variant:
        return say("Way {letter}", letter=letter)
    return say("Way {letter}, route {n}", letter=letter, n=variant + 1)


def legend(journeys: Iterable[Journey]) -> str:
    """What the pips mean; that of a closed way is left out where no step closes any.

    >>> from facelift.toys import loan
    >>> legend(loan().multiverse()[:1])
    '● brings that way nearer   ○ no help, still in reach   ✕ no way there was found any more'
    """
    closes = any(lost for journey in journeys for lost in journey.closes)
    known = [effect for effect in PIPS if closes or effect != "closed"]
    return joined((joined((PIPS[effect], PIP_WORDS[effect]), " ") for effect in known), "   ")


SMALL, MEDIUM = 1 / 3, 1.0
"""Up to the first an effort is called small, up to the second medium; 1 is what it takes to move
one number over its usual range."""


def effort_size(effort: float) -> Literal["small", "medium", "large"]:
    """What an effort is called.

    >>> [effort_size(effort) for effort in (0.2, 0.5, 3.0)]
    ['small', 'medium', 'large']
    """
    return "small" if effort <= SMALL else "medium" if effort <= MEDIUM else "large"


EFFORTS = {
    "small": say("a small effort"),
    "medium": say("a medium effort"),
    "large": say("a large effort"),
}
"""How large an effort is, by its size."""


def effort_phrase(multiverse: Multiverse, journey: Journey, n_steps: int | None = None) -> str:
    """How large the effort of a journey, or of its first steps, is.

    >>> from facelift.toys import loan
    >>> multiverse = loan().multiverse()
    >>> effort_phrase(multiverse, multiverse[0])
    'a large effort'
    """
    return EFFORTS[size_of_effort(multiverse, journey, n_steps)]


def size_of_effort(multiverse: Multiverse, journey: Journey, n_steps: int | None = None) -> str:
    """Small, medium or large, on the scale of the terrain whatever edges cost."""
    journey = journey.in_steps
    effort = float(journey.step_costs[:n_steps].sum())
    if multiverse.question is not None:
        points = journey.waypoints[: None if n_steps is None else n_steps + 1]
        terrain = multiverse.question.explainer.terrain_
        priced = float(np.sum(terrain.cost(points[:-1], points[1:])))
        effort = priced if math.isfinite(priced) else effort
    return effort_size(effort)


def expectation(effort: float, failure: float) -> str:
    """The effort to expect if steps may fall through.

    >>> expectation(0.4123, 0.1)
    'If one step in ten falls through, expect an effort of 0.41.'
    """
    if math.isclose(failure, 0.1):
        return say(
            "If one step in ten falls through, expect an effort of {effort}.", effort=fixed(effort)
        )
    share = Sentence("percent", (f"{100 * failure:.3g}",), {})
    return say(
        "If {share} of all steps fall through, expect an effort of {effort}.",
        share=share,
        effort=fixed(effort),
    )


def shift_words(
    before: Floats, after: Floats, classes: Sequence[str], called: Callable[[str], str] = label
) -> str:
    """What a step makes more likely and what less, the largest changes first.

    Empty with fewer than three classes: there the one chance that is told says all.

    >>> print(shift_words(np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.2, 0.5]), ["1", "3", "9"]))
    more likely: 9 (+40%); less likely: 1 (−40%)
    """
    if len(classes) < 3:
        return ""
    shifts = np.asarray(after) - np.asarray(before)
    order = np.argsort(-np.abs(shifts), kind="stable")
    told = [i for i in order.tolist() if abs(shifts[i]) >= LEAST_SHIFT]
    rising = [
        say("{outcome} (+{share})", outcome=called(classes[i]), share=percent(float(shifts[i])))
        for i in told
        if shifts[i] > 0
    ]
    falling = [
        say("{outcome} (−{share})", outcome=called(classes[i]), share=percent(float(-shifts[i])))
        for i in told
        if shifts[i] < 0
    ]
    parts = [say("more likely: {outcomes}", outcomes=joined(rising[:MOST_TOLD]))] if rising else []
    if falling:
        parts.append(say("less likely: {outcomes}", outcomes=joined(falling[:MOST_TOLD])))
    return joined(parts, "; ")
