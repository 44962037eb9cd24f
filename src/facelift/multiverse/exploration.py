"""Exploration: from a graph, a factual and destinations to a multiverse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from facelift.arrays import Floats, Ints
from facelift.errors import InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.routes import Search, forward, remaining_costs
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot, no_route


def explore(graph: Graph, factual: int, destinations: Iterable[int | Iterable[int]]) -> Multiverse:
    """Journeys from a vertex to each destination, a vertex or a set of vertices, cheapest first.

    Destinations out of reach have no journey; if all are, the multiverse is empty and says so.

    >>> from facelift.toys import loan
    >>> [journey.vertices.tolist() for journey in explore(loan().graph, 0, [1, 2, 3])]
    [[0, 1], [0, 4, 2], [0, 4, 5, 6, 3]]
    """
    _check_vertex(graph, factual, "The factual")
    sets = [_vertex_set(graph, factual, destination) for destination in destinations]
    return journeys_to(forward(graph, factual), sets)


def journeys_to(search: Search, destinations: Sequence[Ints]) -> Multiverse:
    """The multiverse of a finished search towards some destinations."""
    costs = [float(search.costs[members].min()) for members in destinations]
    ends = [int(members[np.argmin(search.costs[members])]) for members in destinations]
    reached = [i for i in range(len(ends)) if np.isfinite(costs[i])]
    order = sorted(reached, key=lambda i: (costs[i], ends[i]))
    kept = tuple(destinations[i] for i in order)
    remaining = remaining_costs(search.graph, kept)
    journeys = tuple(
        _journey(search.graph, search.route(ends[i]), remaining, own) for own, i in enumerate(order)
    )
    why_not = None if journeys else _unreached(search, destinations)
    return Multiverse(journeys, kept, why_not=why_not, graph=search.graph, factual=search.source)


def _journey(graph: Graph, route: Ints, remaining: Floats, own: int) -> Journey:
    steps = [graph.edge_cost(u, v) for u, v in pairwise(route.tolist())]
    return Journey(route, graph.points[route], np.array(steps), remaining[route], own)


def _unreached(search: Search, destinations: Sequence[Ints]) -> WhyNot:
    vertices = np.unique(np.concatenate(destinations)) if len(destinations) else np.empty(0)
    in_reach = int(np.isfinite(search.costs).sum()) - 1
    return no_route(len(vertices), in_reach)


def _vertex_set(graph: Graph, factual: int, destination: int | Iterable[int]) -> Ints:
    members = np.unique(np.atleast_1d(np.asarray(destination)))
    if not len(members) or not np.issubdtype(members.dtype, np.integer):
        raise InvalidInput(
            f"A destination is a vertex number or a set of them, got {destination!r}."
        )
    for vertex in members.tolist():
        _check_vertex(graph, vertex, "A destination")
    if factual in members:
        raise InvalidInput(f"Destination {destination!r} contains the factual: nothing to walk.")
    return members.astype(np.int64)


def _check_vertex(graph: Graph, vertex: int, what: str) -> None:
    if not 0 <= vertex < len(graph):
        raise InvalidInput(
            f"{what} must be a vertex of the graph, 0 to {len(graph) - 1}, got {vertex}."
        )
