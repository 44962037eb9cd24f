"""Journeys to counterfactuals that are no records: bridged through records, within the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, finite_floats, slices
from facelift.errors import InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.points import distinct_rows
from facelift.multiverse.bridging import Schedule, bridge
from facelift.multiverse.exploration import explore
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import no_route
from facelift.terrain.prices import Prices
from facelift.terrain.terrain import Terrain


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
    decode = None if terrain is None else terrain.to_pandas
    return replace(found, journeys=tuple(replace(j, decode=decode) for j in found))


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
    passable = np.isfinite(prices.cost(factual, points))
    passable[passable] = np.isfinite(prices.cost(points[passable], counterfactual))
    found = bridge(factual, counterfactual, points[passable], smallest=smallest, schedule=schedule)
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
