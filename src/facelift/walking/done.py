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


def held(
    terrain: Terrain, done: Mapping[str, tuple[Level | None, ...]], factor: float = math.inf
) -> Terrain:
    """The terrain on which nothing undoes what was done, or does so at a multiple of its price.

    What rose falls at `factor` times the price (never by default), what fell rises so, and so does
    everything that goes back to a level it has left.

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
                terrain = _held(terrain, feature, values, factor)
            except (TypeError, ValueError):
                told = " → ".join(map(str, values))
                raise InvalidInput(f"A walk cannot have changed {name!r}: {told}.") from None
    return terrain


def _held(
    terrain: Terrain, feature: Feature, values: tuple[Level | None, ...], factor: float
) -> Terrain:
    first, last = values[0], values[-1]
    if first is None or last is None:
        gone = {"found": math.inf} if last is None else {"lost": math.inf}
        return terrain.missing(feature.name, **gone) if math.isinf(factor) else terrain
    start, end = feature.rank(first), feature.rank(last)
    if start is not None and end is not None:
        rose = end > start
        back = "decrease" if rose else "increase"
        return terrain.price(feature.name, **{back: _times(getattr(feature, back), factor)})
    if not feature.levels:
        raise ValueError  # these are no numbers
    prices = feature.transition_prices()
    for left in dict.fromkeys(value for value in values[:-1] if value is not None):
        for level in feature.levels:
            if level != left:
                own = prices[feature.levels.index(level), feature.levels.index(left)]
                price = _times(float(own), factor)
                terrain = terrain.transition(feature.name, level, left, price=price)
    return terrain


def _times(price: float, factor: float) -> float:
    """A multiple of a price; what costs nothing is forbidden, too, by an infinite factor."""
    return math.inf if math.isinf(factor) else price * factor
