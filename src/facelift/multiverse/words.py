"""Columns, values, steps and destinations in plain words, the same in every view."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import pandas as pd

from facelift.geometry import effects
from facelift.multiverse.frames import Change, changes
from facelift.terrain.kinds import KINDS

if TYPE_CHECKING:
    from facelift.multiverse.journey import Journey

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


def change_words(change: Change) -> str:
    """A change as "Column: before → after".

    >>> change_words(("time_in_job", 1.0, 2.5))
    'Time in job: 1 → 2.5'
    """
    name, *_ = change
    return f"{name_words(name)}: {' → '.join(told_apart(change))}"


def told_apart(change: Change) -> tuple[str, str]:
    """The values before and after, short if that tells them apart."""
    _, before, after = change
    short = value_words(before), value_words(after)
    return short if short[0] != short[1] else (str(before), str(after))


def name_words(name: str) -> str:
    """A column's name as one would say it.

    >>> name_words("credit_amount")
    'Credit amount'
    """
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def value_words(value: Any) -> str:
    """A value as one would say it.

    >>> value_words(1e6), value_words(0.5), value_words("none"), value_words(float("nan"))
    ('1000000', '0.5', 'none', 'missing')
    """
    if pd.isna(value):
        return "missing"
    words = (kind.words(value) for kind in KINDS.values())
    return next((each for each in words if each is not None), str(value))


def summary(step: Iterable[Change]) -> str:
    """Some changes in one line: all of them, or how many there are.

    >>> summary([("debts", 3, 2)]), summary([(name, 0, 1) for name in "abcd"])
    ('Debts: 3 → 2', '4 things change')
    """
    known = list(step)
    if len(known) > MANY_CHANGES:
        return f"{len(known)} things change"
    return ", ".join(map(change_words, known))


def what_changes(journey: Journey) -> str:
    """The columns that a journey changes, or how many there are.

    >>> from facelift.toys import loan
    >>> what_changes(loan().multiverse()[1])
    'X0, X1'
    """
    names = dict.fromkeys(name for step in changes(journey) for name, *_ in step)
    words = [name_words(name) for name in names]
    return ", ".join(words) if len(words) <= FEW_CHANGES else f"{len(words)} things"


def letter(number: int) -> str:
    """Letter of a destination: A to Z, then A2, B2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    round_, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(round_ + 1) if round_ else "")


def pips(journey: Journey) -> list[str]:
    """One pip per destination after each step of a journey.

    >>> from facelift.toys import loan
    >>> pips(loan().multiverse()[2])
    ['✕●●', '✕●●', '✕✕●', '✕✕●']
    """
    said = effects(journey.remaining, journey.step_costs).tolist()
    return ["".join(PIPS[effect] for effect in step) for step in said]


def legend(journeys: Iterable[Journey]) -> str:
    """What the pips mean; that of a closed way is left out where no step closes any.

    >>> from facelift.toys import loan
    >>> legend(loan().multiverse()[:1])
    '● brings that way nearer   ○ no help, still in reach   ✕ out of reach for good'
    """
    closes = any(lost for journey in journeys for lost in journey.closes)
    known = [effect for effect in PIPS if closes or effect != "closed"]
    return "   ".join(f"{PIPS[effect]} {PIP_WORDS[effect]}" for effect in known)
