"""Journeys to counterfactuals that are no records: bridged through records, within the rules."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from facelift.arrays import Floats
from facelift.errors import InvalidInput
from facelift.graph.graph import Graph
from facelift.multiverse.bridging import bridge
from facelift.multiverse.exploration import explore
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.prices import Prices


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
    factual: Floats, counterfactual: Floats, points: Floats, prices: Prices
) -> Floats:
    """Waypoints of `bridge` of which no step is forbidden; shape (k, m).

    Only points that may be moved to, and on from there to the counterfactual, are looked at; of
    the waypoints found, those that cannot be reached from the one before are left out.
    """
    if not np.isfinite(prices.cost(factual, counterfactual)):
        raise InvalidInput("The rules forbid moving to this counterfactual: nothing to bridge.")
    passable = np.isfinite(prices.cost(factual, points))
    passable[passable] = np.isfinite(prices.cost(points[passable], counterfactual))
    found = bridge(factual, counterfactual, points[passable])
    kept = [found[0]]
    for waypoint in found[1:]:
        if np.isfinite(prices.cost(kept[-1], waypoint)):
            kept.append(waypoint)
    return np.array(kept)
