"""Journeys for other explainers' counterfactuals, through the data (binary space partition).

`bridge` finds waypoints; `bridge_many` and `bridged` make multiverses of them, within the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, finite_floats, slices
from facelift.errors import InvalidInput
from facelift.geometry import distances
from facelift.graph.graph import Graph
from facelift.graph.points import distinct_rows
from facelift.multiverse.exploration import explore
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import no_route
from facelift.terrain.prices import Prices
from facelift.terrain.terrain import Terrain

Schedule = Literal["halve", "unit"]
Choice = Callable[[Ints, Floats], int]

MAX_CELLS = 2**14
"""Most cells a level may have: shrinking by 1 between far-apart ends would double them for long."""


def bridge(
    factual: npt.ArrayLike,
    counterfactual: npt.ArrayLike,
    points: npt.ArrayLike,
    *,
    smallest: float | None = None,
    schedule: Schedule = "halve",
    rng: np.random.Generator | None = None,
) -> Floats:
    """Waypoints from the factual to a given counterfactual through data points; shape (k, m).

    Algorithm 6. Only points within the distance of the two ends from both of them are used (the
    lens, without which steps could move away), and only those nearer than the factual. The
    segment is split at its midpoint again and again, keeping points within reach d of both ends of
    each half, until d falls below `smallest` (the paper's τ; an eighth of the distance by default)
    or both halves are empty. Every step comes strictly closer to the counterfactual.

    The reach d halves at each level, or shrinks by 1 (`schedule="unit"`, as published). Of a last
    cell the member nearest its midpoint is taken, or a random one with `rng` (as published).

    >>> bridge([0.0, 0.0], [4.0, 0.0], [[1, 0.2], [3, 0.1], [9, 9]])
    array([[0. , 0. ],
           [1. , 0.2],
           [3. , 0.1],
           [4. , 0. ]])
    """
    start = finite_floats(factual, "factual", ndim=1)
    end = finite_floats(counterfactual, "counterfactual", ndim=1)
    data = finite_floats(points, "points", ndim=2)
    _check_coordinates(start, end, data)
    reach = float(distances(end, start))
    if reach == 0:
        raise InvalidInput("Factual and counterfactual are the same point: nothing to bridge.")
    if schedule not in ("halve", "unit"):
        raise InvalidInput(f"schedule must be 'halve' or 'unit', got {schedule!r}.")
    threshold = reach / 8 if smallest is None else smallest
    if not threshold > 0:
        raise InvalidInput(f"smallest must be positive, got {smallest}.")
    # The ends' own rows are no waypoints; left in, they would fill cells that others need.
    left = distances(data, end)
    between = np.flatnonzero((left > 0) & (left < reach))
    lens = _Cell(start, end, _within(data, between, start, end, reach))
    shrink = (lambda d: d / 2) if schedule == "halve" else (lambda d: d - 1)
    members = _partition(data, lens, reach, threshold, shrink, _chooser(data, rng))
    return _closer_and_closer(start, end, data[np.unique(members).astype(np.int64)])


def _check_coordinates(start: Floats, end: Floats, data: Floats) -> None:
    if not len(start) == len(end) == data.shape[1]:
        raise InvalidInput(
            "Factual, counterfactual and points must have equally many coordinates, "
            f"got {len(start)}, {len(end)} and {data.shape[1]}."
        )


class _Cell(NamedTuple):
    """A piece of the segment, and the data points within reach of both its ends."""

    start: Floats
    end: Floats
    indices: Ints

    @property
    def middle(self) -> Floats:
        return np.asarray((self.start + self.end) / 2)


def _partition(
    data: Floats,
    lens: _Cell,
    reach: float,
    smallest: float,
    shrink: Callable[[float], float],
    choose: Choice,
) -> list[int]:
    """One member of every last cell; cells are split level by level."""
    members: list[int] = []
    cells = [lens] if len(lens.indices) else []
    while cells:
        shorter = shrink(reach)
        split = [_halves(data, cell, shorter) if reach >= smallest else [] for cell in cells]
        last = [cell for cell, halves in zip(cells, split, strict=True) if not halves]
        members += [choose(cell.indices, cell.middle) for cell in last]
        cells, reach = [half for halves in split for half in halves], shorter
        if len(cells) > MAX_CELLS:
            raise InvalidInput(
                f"The way falls into more than {MAX_CELLS:,} cells; raise `smallest`, use "
                "schedule='halve', or scale the points so that the ends are less far apart."
            )
    return members


def _halves(data: Floats, cell: _Cell, reach: float) -> list[_Cell]:
    """Both halves of a cell but those without data points; none if it is too short to split."""
    middle = cell.middle
    if (middle == cell.start).all() or (middle == cell.end).all():
        return []
    halves = [(cell.start, middle), (middle, cell.end)]
    cells = [_Cell(a, b, _within(data, cell.indices, a, b, reach)) for a, b in halves]
    return [half for half in cells if len(half.indices)]


def _within(data: Floats, indices: Ints, a: Floats, b: Floats, reach: float) -> Ints:
    near = (distances(data[indices], a) <= reach) & (distances(data[indices], b) <= reach)
    return np.asarray(indices[near])


def _chooser(data: Floats, rng: np.random.Generator | None) -> Choice:
    if rng is not None:
        return lambda indices, middle: int(rng.choice(indices))  # noqa: ARG005
    return lambda indices, middle: int(
        indices[np.argmin(((data[indices] - middle) ** 2).sum(axis=1))]
    )


def _closer_and_closer(start: Floats, end: Floats, between: Floats) -> Floats:
    """Ends and points in order of falling distance to the end, each strictly closer."""
    left = distances(between, end)
    order = np.argsort(-left, kind="stable")
    first = np.append(True, np.diff(left[order]) < 0)[: len(order)]
    return np.vstack([start, between[order][first], end])


def bridge_many(
    factual: npt.ArrayLike,
    counterfactuals: npt.ArrayLike,
    points: npt.ArrayLike,
    *,
    terrain: Terrain | None = None,
    smallest: float | None = None,
    schedule: Schedule = "halve",
) -> Multiverse:
    """Journeys to several counterfactuals that somebody else found, through data points.

    Each is bridged on its own (Algorithm 6, `bridge`). The waypoints of all bridges form a graph:
    their steps, and crossings from one bridge to another that are no dearer than the dearest step;
    journeys are the cheapest routes on it. Without the crossings nobody could change their mind.

    Parameters
    ----------
    factual, counterfactuals, points
        Points: one, several, and the records to pass through; `terrain.encode` makes them of rows.
    terrain
        Prices and rules, which every step then keeps: records and counterfactuals that are out of
        bounds or that the rules forbid moving to are left out.
    smallest, schedule
        As in `bridge`.

    Examples
    --------
    >>> points = [[1, 0.2], [3, 0.1], [1, 1], [9, 9]]
    >>> found = bridge_many([0.0, 0.0], [[4.0, 0.0], [2.0, 2.0]], points)
    >>> [journey.waypoints.tolist() for journey in found]
    [[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [[0.0, 0.0], [1.0, 0.2], [3.0, 0.1], [4.0, 0.0]]]
    """
    start = finite_floats(factual, "factual", ndim=1)
    ends = finite_floats(counterfactuals, "counterfactuals", ndim=2)
    data = finite_floats(points, "points", ndim=2)
    if not len(start) == ends.shape[1] == data.shape[1]:
        raise InvalidInput(
            "Factual, counterfactuals and points must have equally many coordinates, "
            f"got {len(start)}, {ends.shape[1]} and {data.shape[1]}."
        )
    free = np.ones(len(start))
    prices = Prices(free, free) if terrain is None else terrain.prices
    allowed = ends[_allowed(start, ends, prices, terrain)]
    if not len(allowed):
        return Multiverse((), (), why_not=no_route(len(ends), 0))
    passable = data if terrain is None else data[terrain.admissible(data)]
    first, _ = distinct_rows(allowed)
    bridges = [
        permitted_bridge(start, end, passable, prices, smallest=smallest, schedule=schedule)
        for end in allowed[first]
    ]
    found = _crossed(bridges, prices)
    if terrain is None:
        return found
    return found.in_rows(terrain.to_pandas, terrain.by_name)


def bridged(factual: Floats, counterfactual: Floats, points: Floats, prices: Prices) -> Multiverse:
    """The one journey from a point to a counterfactual through `points`, on a graph of its own.

    >>> free = Prices(increase=np.ones(1), decrease=np.ones(1))
    >>> journey = bridged(np.zeros(1), np.ones(1), np.array([[0.4], [0.7], [3.0]]), free)[0]
    >>> journey.waypoints[:, 0].tolist(), journey.cost
    ([0.0, 0.4, 0.7, 1.0], 1.0)
    """
    waypoints = permitted_bridge(factual, counterfactual, points, prices)
    last = len(waypoints) - 1
    steps = np.arange(last)
    costs = prices.cost(waypoints[:-1], waypoints[1:])
    edges = sparse.csr_array((costs, (steps, steps + 1)), shape=(last + 1, last + 1))
    return explore(Graph(waypoints, edges), 0, [last])


def permitted_bridge(
    factual: Floats,
    counterfactual: Floats,
    points: Floats,
    prices: Prices,
    *,
    smallest: float | None = None,
    schedule: Schedule = "halve",
) -> Floats:
    """Waypoints of `bridge` of which no step is forbidden; shape (k, m).

    Only points that may be moved to, and on from there to the counterfactual, are looked at; of
    the waypoints found, those that cannot be reached from the one before are left out.
    """
    if not np.isfinite(prices.cost(factual, counterfactual)):
        raise InvalidInput("The rules forbid moving to this counterfactual: nothing to bridge.")
    passable = ~prices.forbidden(factual[np.newaxis], points)[0]
    passable &= ~prices.forbidden(points, counterfactual[np.newaxis])[:, 0]
    near = points if passable.all() else points[passable]
    found = bridge(factual, counterfactual, near, smallest=smallest, schedule=schedule)
    kept = [found[0]]
    for waypoint in found[1:]:
        if np.isfinite(prices.cost(kept[-1], waypoint)):
            kept.append(waypoint)
    return np.array(kept)


def _allowed(start: Floats, ends: Floats, prices: Prices, terrain: Terrain | None) -> Bools:
    """Counterfactuals one may move to, and that are not where one stands."""
    allowed: Bools = np.isfinite(prices.cost(start, ends)) & (ends != start).any(axis=1)
    return allowed if terrain is None else allowed & terrain.admissible(ends)


def _crossed(bridges: Sequence[Floats], prices: Prices) -> Multiverse:
    """Journeys on the graph of some bridges that start at the same point, and their crossings."""
    along = np.vstack(bridges)
    first, codes = distinct_rows(along)  # in order of appearance: the factual is vertex 0
    routes = [codes[part] for part in slices(map(len, bridges))]
    points = along[first]
    steps = {(u, v) for route in routes for u, v in pairwise(route.tolist())}
    costs = {edge: float(prices.cost(points[edge[0]], points[edge[1]])) for edge in steps}
    costs |= _crossings(points, routes, prices, max(costs.values()))
    edges = sorted(costs)
    starts, ends = np.array(edges, dtype=np.int64).T
    shape = (len(points), len(points))
    matrix = sparse.csr_array(([costs[edge] for edge in edges], (starts, ends)), shape=shape)
    return explore(Graph(points, matrix), 0, [int(route[-1]) for route in routes])


def _crossings(
    points: Floats, routes: Sequence[Ints], prices: Prices, dearest: float
) -> dict[tuple[int, int], float]:
    """Moves between waypoints that share no bridge, no dearer than a given cost."""
    member = np.zeros((len(points), len(routes)), dtype=bool)
    for number, route in enumerate(routes):
        member[route, number] = True
    found = {}
    for start in range(len(points)):
        apart = np.flatnonzero(~member[:, member[start]].any(axis=1))
        moves = prices.cost(points[start], points[apart])
        for end, cost in zip(apart[moves <= dearest], moves[moves <= dearest], strict=True):
            found[start, int(end)] = float(cost)
    return found
