"""Building the data graph: records as vertices, moves to the nearest admissible ones as edges.

Where memory or the numbers of edges would not do, that is told before the work.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData
from facelift.graph.edge_costs import Edges
from facelift.graph.graph import Graph
from facelift.graph.moves import (
    EdgeList,
    Neighbourhood,
    as_moves,
    edge_list,
    moves_from,
    nearest_moves,
    sorted_matrix,
)
from facelift.graph.nearest.exact import Index, Nearest, many_move_costs, nearest_admissible

PER_COORDINATE, PER_NEIGHBOR = 32, 60
"""Bytes that a row takes at the peak, for each coordinate and each neighbour; measured.

897,000 rows with 48 coordinates and 20 neighbours took 2.5 GB, 100,000 of them 0.25 GB."""

MOST_EDGES = 2**31 - 1
"""Steps between records that compiled searches can number."""

NOTEWORTHY = 500_000_000
"""Bytes below which nobody needs to look at how much is free."""


def row_graph(
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools | None = None,
    *,
    nearest: Nearest = nearest_admissible,
) -> Graph:
    """Graph of distinct points (SPEC 2); no edge enters a vertex that is not `enterable`.

    >>> from facelift.terrain.prices import Prices
    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([2.0]))
    >>> graph = row_graph(np.array([[0.0], [1.0], [3.0]]), Neighbourhood(prices, n_neighbors=1))
    >>> graph.costs.toarray()
    array([[0., 1., 0.],
           [2., 0., 2.],
           [0., 4., 0.]])
    """
    enterable = np.ones(len(points), dtype=bool) if enterable is None else enterable
    moves = nearest_moves(points, neighbourhood, enterable, nearest)
    return graph_of(points, moves, neighbourhood, enterable)[0]


def graph_of(
    points: Floats, moves: sparse.csr_array, neighbourhood: Neighbourhood, enterable: Bools
) -> tuple[Graph, Bools]:
    """The graph whose edges are made of moves: those within the largest step, by the edge rule.

    And which of them are moves; the others are reverses of some.
    """
    chosen = _within_step(edge_list(moves), neighbourhood)
    if neighbourhood.edges == "mutual":
        chosen = _mutual(chosen, len(points))
    nearest = np.ones(len(chosen[0]), dtype=bool)
    if neighbourhood.edges == "union":
        chosen, nearest = _union(points, neighbourhood, enterable, chosen)
    starts, ends, costs = chosen
    weights = neighbourhood.edge_cost(
        Edges(points, starts, ends, costs, len(points), neighbourhood.n_neighbors)
    )
    return Graph(points, sorted_matrix((starts, ends, weights), len(points))), nearest


def attached(
    graph: Graph,
    point: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    moves: tuple[Ints, Floats] | None = None,
) -> Graph:
    """The graph with a new factual as its last vertex, led to its own nearest admissible ones.

    These, and what `moves` there cost, are looked for unless they are given.
    """
    if moves is None:
        moves = moves_from(point[np.newaxis, :], graph.points, neighbourhood, enterable)[1:]
    _, ends, costs = _within_step((moves[0], *moves), neighbourhood)
    nearby = np.vstack([graph.points[ends], point])
    last, places = np.full(len(ends), len(ends)), np.arange(len(ends))
    edges = Edges(nearby, last, places, costs, len(graph), neighbourhood.n_neighbors)
    return graph.attach(point, ends, neighbourhood.edge_cost(edges))


def all_attached(
    graph: Graph,
    starts: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    index: Index | None = None,
) -> Graph:
    """The graph with many new factuals as its last vertices, each as `attached` would have it."""
    n, points = len(graph), np.vstack([graph.points, starts])
    cases, ends, moves = _within_step(
        moves_from(starts, graph.points, neighbourhood, enterable, index), neighbourhood
    )
    weights = neighbourhood.edge_cost(
        Edges(points, cases + n, ends, moves, n, neighbourhood.n_neighbors)
    )
    edges = (
        np.append(graph.starts, cases + n),
        np.append(graph.costs.indices.astype(np.int64), ends),
        np.append(graph.costs.data, weights),
    )
    return Graph(points, as_moves(edges, len(points)))


def _within_step(edges: EdgeList, neighbourhood: Neighbourhood) -> EdgeList:
    if neighbourhood.max_step is None:
        return edges
    kept = edges[2] <= neighbourhood.max_step
    return edges[0][kept], edges[1][kept], edges[2][kept]


def _turned(starts: Ints, ends: Ints, n: int) -> tuple[Ints, Bools]:
    """The order of edges by end and then start, and whether the reverse of each is an edge."""
    firsts = np.searchsorted(starts, np.arange(n + 1))
    order: Ints = sparse.csr_array((np.arange(len(ends)), ends, firsts), shape=(n, n)).tocsc().data
    edges, reverse = starts * n + ends, (ends * n + starts)[order]
    place = np.searchsorted(edges, reverse)
    place[place == len(edges)] = 0
    return order, edges[place] == reverse


def _mutual(edges: EdgeList, n: int) -> EdgeList:
    """Edges whose reverse is one, too."""
    order, there = _turned(edges[0], edges[1], n)
    kept = np.sort(order[there])
    return edges[0][kept], edges[1][kept], edges[2][kept]


def _union(
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    edges: EdgeList,
) -> tuple[EdgeList, Bools]:
    """Edges and their reverses; these have their own directed cost, and must be allowed.

    And which of them are no reverses.
    """
    n, (starts, ends, _) = len(points), edges
    order, there = _turned(starts, ends, n)
    new = order[~there]
    new = new[enterable[starts[new]]]
    back, forth = ends[new], starts[new]
    del order, there, new  # as large as the graph, each of them
    costs = many_move_costs(neighbourhood.prices, points, (back, forth))
    allowed = np.isfinite(costs) & (costs <= (neighbourhood.max_step or np.inf))
    return _merged(edges, (back[allowed], forth[allowed], costs[allowed]), n)


def _merged(edges: EdgeList, others: EdgeList, n: int) -> tuple[EdgeList, Bools]:
    """Two edge lists without an edge in common, each sorted by start and end, as one of them.

    And which edges are of the first.
    """
    places = np.searchsorted(edges[0] * n + edges[1], others[0] * n + others[1])
    places += np.arange(len(places))
    own = np.ones(len(edges[0]) + len(places), dtype=bool)
    own[places] = False

    def both(some: Any, more: Any) -> Any:
        merged = np.empty(len(own), dtype=some.dtype)
        merged[own], merged[places] = some, more
        return merged

    starts, ends, costs = map(both, edges, others)
    return (starts, ends, costs), own


def check_room(n_rows: int, n_coordinates: int, n_neighbors: int) -> None:
    """An error if a table is larger than memory, or has more steps than can be numbered.

    >>> check_room(1_000, 50, 20)
    >>> check_room(100_000_000, 50, 20)
    Traceback (most recent call last):
        ...
    facelift.errors.InvalidData: 100,000,000 rows with 20 neighbours make up to 4.0 billion ...
    """
    edges = 2 * n_rows * n_neighbors
    if edges > MOST_EDGES:
        raise InvalidData(
            f"{n_rows:,} rows with {n_neighbors} neighbours make up to {edges / 1e9:.1f} billion "
            f"steps; {MOST_EDGES / 1e9:.1f} billion can be kept: lower n_neighbors, fit on fewer "
            "rows, or take steps='actions'."
        )
    needed = n_rows * (PER_COORDINATE * n_coordinates + PER_NEIGHBOR * n_neighbors)
    free = free_memory() if needed > NOTEWORTHY else None
    if free is not None and needed > free:
        raise InvalidData(
            f"{n_rows:,} rows with {n_coordinates:,} coordinates need about {needed / 1e9:.1f} GB; "
            f"{free / 1e9:.1f} are free: fit on fewer rows, leave out columns of many levels, or "
            "take a machine with more."
        )


def free_memory() -> int | None:
    """Bytes that may still be taken; None where nothing says so."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
        return 1024 * int(kilobytes)
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on every system
        return None
