"""What steps have done, and the terrain on which nothing undoes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from facelift.errors import InvalidInput
from facelift.terrain.feature import Feature, Level
from facelift.terrain.terrain import Terrain
from facelift.walking.walk import Event

Done = dict[str, tuple[Level | None, ...]]
"""By column: the values that steps led away from, then the value they led to."""


def done_by(past: Iterable[Event]) -> Done:
    """What steps have done so far; what happened otherwise since is nobody's doing.

    >>> step = Event("step", (("savings", 0, 500),), 1.0)
    >>> done_by([step, Event("step", (("savings", 500, 900),), 1.0)])
    {'savings': (0, 500, 900)}
    >>> done_by([step, Event("other", (("savings", 500, 100),), 0.0)])
    {}
    """
    done: Done = {}
    for event in past:
        for name, before, after in event.changes:
            if event.kind != "step":
                done.pop(name, None)
            else:
                done[name] = (*done.get(name, (before,)), after)
    return done


def held(terrain: Terrain, done: Mapping[str, tuple[Level | None, ...]]) -> Terrain:
    """The terrain on which nothing undoes what was done.

    What rose never falls, what fell never rises, and nothing goes back to a level it has left.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"savings": [0, 900], "age": [20, 40]}))
    >>> held(terrain, {"savings": (0, 500)})
    column   kind     may rise  may fall  values
    savings  numeric  at 1      never     0 to 900
    age      numeric  at 1      at 1      20 to 40
    """
    for name, values in done.items():
        feature = terrain.by_name.get(name) or terrain.feature(name)  # which says what is wrong
        if feature.ages is None and not feature.frozen:
            try:
                terrain = _held(terrain, feature, values)
            except (TypeError, ValueError):
                told = " → ".join(map(str, values))
                raise InvalidInput(f"A walk cannot have changed {name!r}: {told}.") from None
    return terrain


def _held(terrain: Terrain, feature: Feature, values: tuple[Level | None, ...]) -> Terrain:
    first, last = values[0], values[-1]
    if first is None or last is None:
        gone = {"found": math.inf} if last is None else {"lost": math.inf}
        return terrain.missing(feature.name, **gone)
    if feature.has_order:
        rose = _rank(feature, last) > _rank(feature, first)
        never = {"decrease": math.inf} if rose else {"increase": math.inf}
        return terrain.price(feature.name, **never)
    left = [value for value in values[:-1] if value is not None]
    for end in dict.fromkeys(left):
        for start in feature.levels:
            if start != end:
                terrain = terrain.forbid(feature.name, start, end)
    return terrain


def _rank(feature: Feature, value: Level) -> float:
    return feature.levels.index(value) if feature.has_levels else float(value)
