"""How journeys run beside each other: families that run alike, what most begin with, each pair.

A family has a representative and the trunk it shares; the trunk of a multiverse is a first piece
of advice that needs no choice yet, told in sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from facelift import geometry
from facelift._arrays import Floats, Ints
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.language import joined, say
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import effort_phrase

if TYPE_CHECKING:
    from facelift.multiverse.multiverse import Multiverse


@dataclass(frozen=True, eq=False)
class Family:
    """Members (numbers of journeys), the most central of them, and the vertices all share first.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> families = loan().multiverse().families(n_families=2)
    >>> [(family.members, family.representative, family.trunk.tolist()) for family in families]
    [((0,), 0, [0, 1]), ((1, 2), 1, [0, 4])]
    """

    members: tuple[int, ...]
    representative: int
    trunk: Ints


def direction_differences(
    journeys: Sequence[Journey], n_sections: int = 20, weights: npt.ArrayLike | None = None
) -> Floats:
    """Direction difference of every pair of journeys; shape (c, c), symmetric, zero diagonal."""
    stations = [geometry.resample(journey.waypoints, n_sections) for journey in journeys]
    differences = np.zeros((len(stations), len(stations)))
    for a in range(len(stations)):
        for b in range(a):
            differences[a, b] = geometry.direction_difference(stations[a], stations[b], weights)
    return differences + differences.T


def journey_families(
    journeys: Sequence[Journey],
    *,
    threshold: float | None = None,
    n_families: int | None = None,
    n_sections: int = 20,
    weights: npt.ArrayLike | None = None,
) -> list[Family]:
    """Collapse journeys by average-linkage clustering of their direction differences (SPEC 8)."""
    if (threshold is None) == (n_families is None):
        raise InvalidInput("Give either a threshold or n_families.")
    if threshold is not None and not threshold >= 0:  # also catches NaN
        raise InvalidInput(f"threshold must be 0 or more, got {threshold}.")
    if n_families is not None and not n_families >= 1:
        raise InvalidInput(f"n_families must be 1 or more, got {n_families}.")
    differences = direction_differences(journeys, n_sections, weights)
    labels = average_linkage(differences, threshold=threshold, n_families=n_families)
    return [
        _family(journeys, differences, np.flatnonzero(labels == label))
        for label in dict.fromkeys(labels.tolist())
    ]


def common_trunk(routes: Sequence[Ints]) -> Ints:
    """The vertices that all routes share from their start."""
    shortest = min(len(route) for route in routes)
    heads = np.array([route[:shortest] for route in routes])
    same = (heads == heads[0]).all(axis=0)
    return routes[0][: shortest if same.all() else int(np.argmin(same))]


_DIGITS = 9
"""Of the widest difference: one more than these is below `TOLERANCE`."""


def average_linkage(
    differences: Floats, *, threshold: float | None = None, n_families: int | None = None
) -> Ints:
    """The cluster of each of some things, joined nearest first up to a threshold or a number.

    Differences that only rounding tells apart count as equal, whatever their unit.

    >>> average_linkage(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 9.0], [9.0, 9.0, 0.0]]), threshold=2)
    array([1, 1, 2])
    >>> average_linkage(np.array([[0, 1, 15], [1, 0, 15], [15, 15, 0]]), threshold=1)
    array([1, 1, 2])
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(differences) == 1:
        return np.zeros(1, dtype=np.int64)
    widest = float(differences.max()) or 1.0
    shares = squareform(np.round(differences / widest, _DIGITS), checks=False)
    tree = linkage(shares, method="average")
    if n_families is not None:
        labels = fcluster(tree, t=n_families, criterion="maxclust")
    else:
        reach = float(threshold or 0.0) / widest
        labels = fcluster(tree, t=reach + 10.0**-_DIGITS, criterion="distance")
    return np.asarray(labels, dtype=np.int64)


def _family(journeys: Sequence[Journey], differences: Floats, members: Ints) -> Family:
    apart = differences[np.ix_(members, members)].sum(axis=1)
    central = members[np.argmax(apart <= apart.min() * (1 + TOLERANCE))]  # of equals the cheapest
    trunk = common_trunk([journeys[i].vertices for i in members])
    return Family(tuple(members.tolist()), int(central), trunk)


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

    If a way is named (`on`), it is what that way begins with. Of several, the one that costs the
    least extra, then the longest, then that of the cheaper way.

    >>> from facelift.toys import loan
    >>> find_trunk(loan().multiverse()).ways
    (1, 2)
    """
    journeys = multiverse if on is None else [multiverse[on]]
    found = [trunk for journey in journeys for trunk in _beginnings(journey.in_steps, slack)]
    shared = [trunk for trunk in found if len(trunk.ways) > max(1, len(multiverse) / 2)]
    if not shared:
        return None
    return min(shared, key=lambda trunk: (-len(trunk.ways), trunk.excess, -trunk.cost))


def _beginnings(journey: Journey, slack: float) -> Iterator[Trunk]:
    """Every part of a journey that begins it and does not end it yet.

    It is on the ways that each step of it brings nearer, and that it makes hardly dearer.
    """
    spent = np.cumsum(journey.step_costs)
    nearer = geometry.effects(journey.remaining, journey.step_costs) == "nearer"
    for n_steps in range(1, journey.n_steps):
        cost = float(spent[n_steps - 1])
        extra = _extra(journey.remaining[0], cost + journey.remaining[n_steps])
        ways = np.flatnonzero((extra <= slack + TOLERANCE) & nearer[:n_steps].all(axis=0))
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


CLOSE = 0.1
"""Ways nearer than this share of the shorter one's length run together, unless told otherwise."""

COLUMNS = [
    "a",
    "b",
    "shared_steps",
    "shared_cost",
    "meets_again",
    "shared_proportion",
    "converges",
    "direction_difference",
    "affinity",
    "strays",
]


def pair_table(
    journeys: Sequence[Journey], epsilon: float | None, n_sections: int, weights: Floats | None
) -> pd.DataFrame:
    """A row for each pair of journeys, the cheaper as `a`."""
    stations = [geometry.resample(journey.waypoints, n_sections) for journey in journeys]
    rows = [
        _in_graph(journeys[a], journeys[b])
        | _in_space(journeys[a], journeys[b], stations[a], stations[b], epsilon, weights)
        for a, b in combinations(range(len(journeys)), 2)
    ]
    named = [
        {"a": a, "b": b} | row
        for (a, b), row in zip(combinations(range(len(journeys)), 2), rows, strict=True)
    ]
    return pd.DataFrame(named, columns=COLUMNS)


def _in_graph(a: Journey, b: Journey) -> dict[str, Any]:
    """Steps and cost that both begin with, and the step after which `a` is on b's way again."""
    shorter = min(len(a.vertices), len(b.vertices))
    same = a.vertices[:shorter] == b.vertices[:shorter]
    moves = int(shorter if same.all() else np.argmin(same)) - 1
    later = np.flatnonzero(np.isin(a.vertices[moves + 1 :], b.vertices[moves + 1 :]))
    return {
        "shared_steps": min(_whole_steps(a, moves), _whole_steps(b, moves)),
        "shared_cost": float(a.step_costs[:moves].sum()),
        "meets_again": float(a.step_of[later[0] + moves + 1]) if len(later) else np.nan,
    }


def _whole_steps(journey: Journey, waypoint: int) -> int:
    """How many steps of a journey have ended at a waypoint."""
    if journey.stops is None:
        return waypoint
    return int(np.searchsorted(journey.stops, waypoint, side="right")) - 1


def _in_space(
    a: Journey,
    b: Journey,
    stations_a: Floats,
    stations_b: Floats,
    epsilon: float | None,
    weights: Floats | None,
) -> dict[str, Any]:
    """What their polylines say, station by station (SPEC 7)."""
    near = CLOSE * min(map(geometry.length, (a.waypoints, b.waypoints)))
    within = near if epsilon is None else epsilon
    met = geometry.convergence(stations_a, stations_b, within)
    difference = geometry.direction_difference(stations_a, stations_b, weights)
    return {
        "shared_proportion": geometry.shared_proportion(stations_a, stations_b, within),
        "converges": np.nan if met is None else met / len(stations_a),
        "direction_difference": difference,
        "strays": max(geometry.strays(each.waypoints, len(stations_a)) for each in (a, b)),
        "affinity": _affinity(difference, a.waypoints[0], stations_a, stations_b, weights),
    }


def _affinity(
    difference: float, start: Floats, a: Floats, b: Floats, weights: Floats | None
) -> float:
    """1 where both run alike, 0 where they run in opposite directions.

    Two ways differ by at most what each of them differs from staying at the start.
    """
    still = np.broadcast_to(start, a.shape)
    most = sum(geometry.direction_difference(each, still, weights) for each in (a, b))
    return 1.0 if most == 0 else max(0.0, 1.0 - difference / most)


def beginning(multiverse: Multiverse, trunk: Trunk, steps: str) -> str:
    """What to begin with, whatever one chooses later or for most ways; `steps` tells what that is.

    >>> from facelift.toys import fork
    >>> multiverse = fork().multiverse()
    >>> print(beginning(multiverse, multiverse.trunk(), "the middle road"))
    A good beginning: the middle road. 2 of the 3 ways we found can begin so. It takes a large
    effort and keeps 2 of 3 ways open.
    """
    head = say("A good beginning: {steps}.", steps=steps)
    if on_every_way(trunk):
        head = say("Whatever you choose later, begin with this: {steps}.", steps=steps)
    effort = effort_phrase(multiverse, trunk.journey, trunk.n_steps)
    return joined([head, *worth_of(trunk, effort)], " ")


def on_every_way(trunk: Trunk) -> bool:
    """Whether every way that was found can begin so."""
    return len(trunk.ways) == len(trunk.journey.remaining[0])


def worth_of(trunk: Trunk, effort: str) -> Iterator[str]:
    """Why to begin with something: how many ways can begin so, what it takes and keeps open."""
    total, on, n_open = len(trunk.journey.remaining[0]), len(trunk.ways), len(trunk.keeps_open)
    if on_every_way(trunk):
        yield say("All {total} ways we found can begin so.", total=total)
    else:
        yield say("{n} of the {total} ways we found can begin so.", n=on, total=total)
    if trunk.excess > 0:
        percent = math.ceil(100 * trunk.excess * (1 - TOLERANCE))
        yield say(
            "They then take at most {percent} % more effort than without it.", percent=percent
        )
    if n_open == total:
        yield say("It takes {effort} and keeps all ways open.", effort=effort)
    else:
        yield say(
            "It takes {effort} and keeps {n} of {total} ways open.",
            effort=effort,
            n=n_open,
            total=total,
        )
