"""What most ways of a multiverse begin with: a first piece of advice that needs no choice yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from facelift._arrays import Floats
from facelift.geometry import TOLERANCE
from facelift.multiverse.journey import Journey

if TYPE_CHECKING:
    from facelift.multiverse.multiverse import Multiverse

SLACK = 0.1
"""A beginning is on a way if the way then costs up to so much more than its cheapest."""


@dataclass(frozen=True, eq=False)
class Trunk:
    """The first steps of a journey that are also on most other ways.

    They are the first `n_steps` of `journey` and cost `cost`. `ways` are the destinations they are
    on the way to: with them, each costs up to `1 + excess` times its cheapest. `keeps_open` are the
    destinations still in reach after them.

    Examples
    --------
    >>> from facelift.toys import fork
    >>> trunk = fork().multiverse().trunk()
    >>> trunk.n_steps, trunk.cost, trunk.ways, trunk.keeps_open
    (2, 2.0, (0, 2), (0, 2))
    """

    journey: Journey
    n_steps: int
    cost: float
    ways: tuple[int, ...]
    excess: float
    keeps_open: tuple[int, ...]


def find_trunk(multiverse: Multiverse, slack: float = SLACK, on: int | None = None) -> Trunk | None:
    """The beginning that is on most ways; None unless it is on two and on more than half.

    If a way is named (`on`), it must be on that way, too. Of several, the one that costs the least
    extra, then the longest, then that of the cheaper way.

    >>> from facelift.toys import loan
    >>> find_trunk(loan().multiverse()).ways
    (1, 2)
    """
    found = [trunk for journey in multiverse for trunk in _beginnings(journey, slack)]
    if on is not None:
        found = [trunk for trunk in found if on in trunk.ways]
    shared = [trunk for trunk in found if len(trunk.ways) > max(1, len(multiverse) / 2)]
    if not shared:
        return None
    return min(shared, key=lambda trunk: (-len(trunk.ways), trunk.excess, -trunk.cost))


def _beginnings(journey: Journey, slack: float) -> Iterator[Trunk]:
    """Every part of a journey that begins it and does not end it yet."""
    spent = np.cumsum(journey.step_costs)
    for n_steps in range(1, journey.n_steps):
        cost = float(spent[n_steps - 1])
        extra = _extra(journey.remaining[0], cost + journey.remaining[n_steps])
        ways = np.flatnonzero(extra <= slack + TOLERANCE)
        in_reach = np.flatnonzero(np.isfinite(journey.remaining[n_steps]))
        excess = float(extra[ways].max(initial=0.0))
        yield Trunk(
            journey,
            n_steps,
            cost,
            tuple(ways.tolist()),
            excess if excess > TOLERANCE else 0.0,
            tuple(in_reach.tolist()),
        )


def _extra(cheapest: Floats, costs: Floats) -> Floats:
    """By which share each cost exceeds the cheapest; infinite where nothing leads there."""
    with np.errstate(divide="ignore", invalid="ignore"):
        extra = costs / cheapest - 1
    return np.where(np.isfinite(costs) & (cheapest > 0), extra, np.inf)
