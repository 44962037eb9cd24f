"""Further routes to one end: as different from each other as wanted, within a slack of the cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np

from facelift import geometry
from facelift._arrays import Floats, Ints
from facelift._checks import check_number
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.graph import Graph
from facelift.graph.routes import Search, next_vertices, remaining_costs

MOST_DETOURS = 3_000
"""So many of the cheapest detours to an end are looked at."""

SECTIONS = 20
"""Into so many sections routes are cut to compare their directions."""


@dataclass(frozen=True)
class Variety:
    """How many routes to one destination are kept, and how different they must be.

    Parameters
    ----------
    count
        Routes to each destination at most, the cheapest included.
    shared
        Of a further route at most this share of its cost may lie on any one kept before it.
    apart
        Least direction difference between two routes; 0 lets the shared cost alone decide.
    slack
        A further route may cost up to `1 + slack` times the cheapest.

    Examples
    --------
    >>> Variety(3).slack
    0.25
    """

    count: int = 2
    shared: float = 0.5
    apart: float = 0.0
    slack: float = 0.25

    def __post_init__(self) -> None:
        check_number("count", self.count, Integral, "1 or more", lambda value: value >= 1)
        check_number("shared", self.shared, Real, "in [0, 1)", lambda value: 0 <= value < 1)
        for name in ("apart", "slack"):
            check_number(name, getattr(self, name), Real, "0 or more", lambda value: value >= 0)


def variety_of(routes: Any) -> Variety | None:
    """What `routes=` asks for: a number of them, or a `Variety`; None for the cheapest alone.

    >>> variety_of(3), variety_of(None)
    (Variety(count=3, shared=0.5, apart=0.0, slack=0.25), None)
    """
    if routes is None or isinstance(routes, Variety):
        return routes
    if isinstance(routes, bool) or not isinstance(routes, Integral):
        raise InvalidInput(f"routes must be a whole number or a facelift.Variety, got {routes!r}.")
    return Variety(int(routes))


def further_routes(
    search: Search, first: Ints, variety: Variety, max_steps: int | None = None
) -> list[Ints]:
    """Routes to where the cheapest (`first`) ends, cheapest first; it is not among them.

    Each takes one detour: the cheapest way to a step that is not on the cheapest route, that step,
    and the cheapest way on from there. So a route that needs two detours is not found. Ties go to
    the step with the smaller vertices.

    >>> from facelift.graph.routes import forward
    >>> from facelift.toys import loan
    >>> search = forward(loan().graph, 0)
    >>> first = search.route(2)
    >>> [route.tolist() for route in further_routes(search, first, Variety(slack=0.5))]
    [[0, 4, 5, 2]]
    >>> further_routes(search, first, Variety(slack=0.5, shared=0.4))  # 8 of 19 are shared
    []
    """
    kept = [first]
    for route in _detours(search, int(first[-1]), variety.slack):
        if len(kept) == variety.count:
            break
        short = max_steps is None or len(route) - 1 <= max_steps
        if short and all(_differ(search.graph, route, other, variety) for other in kept):
            kept.append(route)
    return kept[1:]


def _detours(search: Search, end: int, slack: float) -> Iterator[Ints]:
    """Routes to an end through one step each, cheapest first; none passes a place twice."""
    graph, destination = search.graph, [np.array([end])]
    left = remaining_costs(graph, destination)
    onward = next_vertices(graph, destination, left)[:, 0]
    starts, ends = graph.starts, graph.costs.indices.astype(np.int64)
    costs = search.costs[starts] + graph.costs.data + left[ends, 0]
    near = np.flatnonzero(costs <= (1 + slack) * search.costs[end] * (1 + TOLERANCE))
    order = np.lexsort((ends[near], starts[near], tied_ranks(costs[near])))[:MOST_DETOURS]
    seen: set[tuple[int, ...]] = set()
    for edge in near[order].tolist():
        route = [*search.route(int(starts[edge])).tolist(), int(ends[edge])]
        while route[-1] != end:
            route.append(int(onward[route[-1]]))
        if len(set(route)) == len(route) and tuple(route) not in seen:
            seen.add(tuple(route))
            yield np.array(route, dtype=np.int64)


def _differ(graph: Graph, route: Ints, other: Ints, variety: Variety) -> bool:
    """Whether a route shares little enough with another, and runs far enough from it."""
    if shared_share(graph, route, other) > variety.shared * (1 + TOLERANCE):
        return False
    if not variety.apart:
        return True
    one, two = (geometry.resample(graph.at(each), SECTIONS) for each in (route, other))
    return geometry.direction_difference(one, two) >= variety.apart


def shared_share(graph: Graph, route: Ints, other: Ints) -> float:
    """Share of a route's cost on steps that another takes, too; 1 where it costs nothing.

    >>> from facelift.toys import loan
    >>> shared_share(loan().graph, np.array([0, 4, 5, 2]), np.array([0, 4, 2])).__round__(2)
    0.42
    """
    taken = {move for moves, _ in graph.along(other.tolist()) for move in pairwise(moves)}
    along = graph.along(route.tolist())
    costs: Floats = np.array([cost for _, each in along for cost in each])
    if not costs.sum():
        return 1.0
    shared = [move in taken for moves, _ in along for move in pairwise(moves)]
    return float(costs[shared].sum() / costs.sum())
