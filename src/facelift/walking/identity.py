"""What makes a way the same way on every plan: what it changes, seen from the case as it came."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from facelift.multiverse.frames import differ
from facelift.terrain.feature import Feature
from facelift.walking.walk import Name

Row = Mapping[str, Any]
"""Values by column."""

N_KEPT = 40
"""So many ways known before are looked for again; of more, the last ones shown."""


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
