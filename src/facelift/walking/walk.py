"""A walk: where somebody stands, how they got there, within which limits; and its moves.

Destinations have letters for good, and colours while they are on the map. What a way changes, seen
from the case as it came, makes it the same way on every plan.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.drawing import COLOURS
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.multiverse.frames import differ
from facelift.multiverse.words import letter, name_words, value_words
from facelift.terrain.feature import Feature, Level
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain
from facelift.walking.limits import Limits

N_COLOURS = len(COLOURS)
"""So many lines can be told apart, also by people who see fewer colours."""

Change = tuple[str, Level, Level]
"""A column, its value before and after."""

Row = Mapping[str, Any]
"""Values by column."""

N_KEPT = 40
"""So many ways known before are looked for again; of more, the last ones shown."""


@dataclass(frozen=True)
class Event:
    """Something that happened: a step of the plan, something else, or a fact put right.

    With the effort it took at the prices of its time, the chance before and after, and by how much
    it put off the day on which all is done, in the period of the terrain's rates.
    """

    kind: Literal["step", "other", "correction"]
    changes: tuple[Change, ...]
    effort: float
    before: float | None = None
    after: float | None = None
    time: float = 0.0


@dataclass(frozen=True)
class Name:
    """The letter of a way, which never changes, what it changes, and its colour while it is shown.

    `key` tells its end from all others: what is different there from the case as it came, as JSON,
    or the number of the record.
    """

    letter: str
    key: str
    colour: int | None = None


@dataclass(frozen=True)
class Walk:
    """All there is to know about a walk.

    The present plan starts at `origin` (the values of the row; None: the case as it came), and
    `walked` are the vertices passed since. `past` is everything that happened, `names` every
    destination ever shown, `order` their letters as they last stood on the map. `n_ways` asks for
    more destinations than usual, `unfolded` is the letter of the family one looks into,
    `overview` from 0 to 1 how much ways that run alike are shown as one. `kept` are
    the keys of ways that were known when the present plan was made: it keeps those that lead on.
    `passed` are records that earlier plans led through.
    """

    limits: Limits = field(default_factory=Limits)
    origin: tuple[Level, ...] | None = None
    walked: tuple[int, ...] = ()
    past: tuple[Event, ...] = ()
    names: tuple[Name, ...] = ()
    order: tuple[str, ...] = ()
    n_ways: int | None = None
    unfolded: str | None = None
    overview: float = 0.0
    kept: tuple[str, ...] = ()
    passed: tuple[int, ...] = ()

    @property
    def effort(self) -> float:
        """Effort of everything so far."""
        return float(sum(event.effort for event in self.past))

    @property
    def time(self) -> float:
        """Time that everything so far takes at least, in the period of the terrain's rates."""
        return float(sum(event.time for event in self.past))


@dataclass(frozen=True)
class Take:
    """Take the step that leads to a vertex."""

    vertex: int
    kind: Literal["take"] = "take"


@dataclass(frozen=True)
class RuleOut:
    """Say that the step to a vertex cannot be done."""

    vertex: int
    kind: Literal["rule out"] = "rule out"


@dataclass(frozen=True)
class SetLimits:
    """Say what is easy, hard or out of the question."""

    limits: Limits
    kind: Literal["limits"] = "limits"


@dataclass(frozen=True)
class Other:
    """Say that some values are different: something else happened, or a fact was wrong."""

    values: dict[str, Level]
    correction: bool = False
    kind: Literal["other"] = "other"


@dataclass(frozen=True)
class Again:
    """Look for ways again from here, for as many as wanted."""

    n_ways: int | None = None
    kind: Literal["again"] = "again"


@dataclass(frozen=True)
class Unfold:
    """Look into a family of ways, or (None) at all of them again."""

    letter: str | None = None
    kind: Literal["unfold"] = "unfold"


@dataclass(frozen=True)
class Overview:
    """Show ways that run alike as one: from 0 (every way) to 1 (one way for all, at the start)."""

    share: float
    kind: Literal["overview"] = "overview"


Move = Take | RuleOut | SetLimits | Other | Again | Unfold | Overview


def renamed(known: Sequence[Name], shown: Sequence[str]) -> tuple[Name, ...]:
    """All names after a new plan that shows the destinations with these keys.

    Known ones keep their letter, and their colour if they are shown; those no longer shown give it
    back; new ones get the next letter and a free colour.

    >>> first = renamed((), ["x", "y"])
    >>> [(name.letter, name.colour) for name in renamed(first, ["y", "z"])]
    [('A', None), ('B', 1), ('C', 0)]
    """
    letters = {name.key: name.letter for name in known}
    unused = (letter(i) for i in count(len(letters)) if letter(i) not in letters.values())
    for key in shown:
        if key not in letters:
            letters[key] = next(unused)
    colours = {name.key: name.colour for name in known if name.key in shown}
    taken = {colour for colour in colours.values() if colour is not None}
    free = iter([colour for colour in range(N_COLOURS) if colour not in taken])
    for key in shown:
        if colours.get(key) is None:
            colours[key] = next(free, None)
    return tuple(Name(letters[key], key, colours.get(key)) for key in letters)


def check_values(
    values: Mapping[str, Any], now: Mapping[str, Any], terrain: Terrain, *, correction: bool = False
) -> None:
    """An error if values cannot be anybody's, or cannot have come about from those of now.

    A number is one of its column: whole where all are, within its bounds, below zero only where
    others are. Unless it is a correction, what never changes stays, and what ages never falls.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"months": [6, 48]}))
    >>> check_values({"months": -3}, {"months": 12}, terrain)
    Traceback (most recent call last):
    ...
    facelift.errors.InvalidInput: Months cannot be negative, got -3.
    """
    features = terrain.by_name
    for name, value in values.items():
        if name not in features:
            raise InvalidInput(f"There is no column {name!r}.")
        feature = features[name]
        if wrong := kind_of(feature).fault(feature, value):
            raise InvalidInput(f"{_words(feature)} {wrong}")
        if not correction and now[name] is not None and value is not None:
            _check_happened(feature, now[name], value)


def _check_happened(feature: Feature, now: Any, value: Any) -> None:
    words, before = _words(feature), value_words(now, feature)
    if feature.personal and feature.frozen and value != now:
        raise InvalidInput(f"{words} does not change. If {before} is wrong, correct it as a fact.")
    if feature.ages is not None and isinstance(value, int | float) and value < now:
        raise InvalidInput(
            f"{words} never falls, and is {before} now. If that is wrong, correct it as a fact."
        )


def _words(feature: Feature) -> str:
    return name_words(str(feature.name), {str(feature.name): feature})


N_BARS = 24
"""So many parts of equal width has the range of a column of numbers."""


class Crowd(NamedTuple):
    """Records of a column: one count per level, or per part of the range that is drawn."""

    counts: tuple[int, ...] = ()
    drawn: tuple[float, float] | None = None


def people(explainer: FACElift) -> dict[str, Crowd]:
    """Records by column, for a histogram of each.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"debts": [0, 0, 24], "job": ["none", "some", "none"]})
    >>> explainer = FACElift(lambda rows: np.eye(2)[(rows["debts"] > 9).astype(int)]).fit(X)
    >>> people(explainer)["job"].counts, people(explainer)["debts"].drawn
    ((2, 1), (0.0, 24.0))
    """
    rows = explainer.terrain_.to_pandas(explainer.graph_.points)
    weights = np.asarray(explainer.multiplicity_, dtype=float)
    return {
        str(each.name): _crowd(each, rows[each.name], weights)
        for each in explainer.terrain_.features
    }


def _crowd(feature: Feature, column: pd.Series[Any], weights: Floats) -> Crowd:
    kind = kind_of(feature)
    return Crowd(
        kind.counts(feature, column, weights, N_BARS), kind.drawn(feature, column, weights)
    )


def changes_key(case: Row, end: Row, features: Mapping[str, Feature]) -> str:
    """The key of a way that ends at a row: what is different there from the case.

    >>> changes_key({"age": 20, "job": "cook"}, {"age": 20, "job": "clerk"}, {})
    '{"job": "clerk"}'
    """
    own = {
        name: end[name]
        for name, value in case.items()
        if differ(value, end[name]) and not _ages(features.get(name))
    }
    return json.dumps(own, sort_keys=True, ensure_ascii=False, default=str)


def record_key(vertex: int) -> str:
    """The key of a way that ends at a record."""
    return f"#{vertex}"


def record_of(key: str) -> int | None:
    """The record a way ends at; None if it ends at a state of its own."""
    return int(key[1:]) if key.startswith("#") and key[1:].isdigit() else None


def changes_of(key: str) -> dict[str, Any]:
    """What a way changes, by its key; nothing of what is no key of changes."""
    try:
        changes = json.loads(key)
    except ValueError:
        return {}
    return changes if isinstance(changes, dict) else {}


def adopted(
    names: Sequence[Name], found: Iterable[str], done: Collection[str] = ()
) -> tuple[Name, ...]:
    """The names, where a way that is now done with fewer changes keeps its letter.

    Columns of `done` are not as they were at first: a way without that change takes it back, and
    is another.

    >>> long = Name("A", '{"job": "clerk", "savings": 9}', 0)
    >>> adopted([long], ['{"savings": 9}'])[0].key
    '{"savings": 9}'
    >>> adopted([long], ['{"savings": 9}'], done=["job"])[0].key
    '{"job": "clerk", "savings": 9}'
    """
    known = {name.key for name in names}
    new = {key: changes_of(key) for key in found if key not in known}
    there, names = set(found), list(names)
    for i, name in enumerate(names):
        if name.key in there:
            continue
        own = changes_of(name.key)
        kept = own.keys() & set(done)
        parts = [
            key
            for key, some in new.items()
            if some and kept <= some.keys() and some.items() < own.items()
        ]
        if parts:
            key = max(parts, key=lambda each: len(new[each]))
            del new[key]
            names[i] = replace(name, key=key)
    return tuple(names)


def seen_from(
    names: Sequence[Name],
    ends: Mapping[str, str],
    case: Row,
    here: Row,
    features: Mapping[str, Feature],
) -> tuple[Name, ...]:
    """The names with the keys that they have for a plan that starts here.

    `ends` has the keys of where open ways end now, by letter. Of the others, what was done on the
    way here is done.
    """
    keys: dict[str, str] = {}
    for name in sorted(names, key=lambda each: each.letter not in ends):
        if record_of(name.key) is not None:
            key = name.key
        elif name.letter in ends:
            key = ends[name.letter]
        else:
            key = changes_key(case, _with(case, here, changes_of(name.key), features), features)
        keys[name.letter] = _free([key, name.key, f"{name.key} {name.letter}"], keys.values())
    return tuple(replace(name, key=keys[name.letter]) for name in names)


def _free(keys: Iterable[str], taken: Iterable[str]) -> str:
    return next(key for key in keys if key not in taken)


def _with(case: Row, here: Row, changes: Row, features: Mapping[str, Feature]) -> Row:
    """Where one stands with changes made as well, but for those that are done, and more."""
    row = dict(here)
    for name, value in changes.items():
        if name in row and not _beyond(features.get(name), case[name], value, here[name]):
            row[name] = value
    return row


def _beyond(feature: Feature | None, first: Any, wanted: Any, now: Any) -> bool:
    """Whether a value is as far as wanted, or farther, seen from the first."""
    if feature is None or None in (first, wanted, now):
        return False
    ranks = [rank for rank in map(feature.rank, (first, wanted, now)) if rank is not None]
    if len(ranks) < 3:
        return False
    start, end, here = ranks
    return start < end <= here or start > end >= here


def _ages(feature: Feature | None) -> bool:
    return feature is not None and feature.ages is not None
