"""Building the data graph: records as vertices, moves to the nearest admissible ones as edges.

Moves are a sparse array like the costs of a graph: row u holds what the moves from u cost. They
have to be known to add records later (`facelift.graph.adding`). Where memory or the numbers of
edges would not do, that is told before the work.

Approximate neighbours are for tables beyond what an exact search can do in the time there is.
Candidates come from nearest-neighbour descent among points that agree in what cannot change. Which
of them are neighbours is decided as in the exact search: forbidden moves are out, the others are
ordered by their exact cost. Where fewer are left than asked for, an exact search fills in.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, chunks, frozen
from facelift.errors import InvalidData, InvalidInput, optional
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.edge_costs import EdgeCost, Edges, distance
from facelift.graph.graph import Graph
from facelift.graph.nearest import Index, Nearest, many_move_costs, nearest_admissible, within
from facelift.graph.nearest.blocks import Layout
from facelift.graph.nearest.tiles import kinds_of
from facelift.graph.points import move_costs
from facelift.terrain.prices import Prices

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


CLOSE = 1000 * TOLERANCE
"""Costs that differ by less may belong to one tie, by way of others in between."""

EdgeList = tuple[Ints, Ints, Floats]
"""Starts, ends and costs."""


EdgeRule = Literal["out", "union", "mutual"]


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Which moves become edges, and what they cost.

    Each vertex leads to its `n_neighbors` nearest admissible others, or to all within `max_step`
    when `n_neighbors` is None (an ε-ball); both limits may hold at once.

    >>> import numpy as np
    >>> from facelift.graph.building import row_graph
    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> row_graph(np.array([[0.0], [1.0], [3.0]]), Neighbourhood(prices, None, max_step=2.5))
    Graph(3 vertices, 2 edges, 1 coordinates)
    """

    prices: Prices
    n_neighbors: int | None = 20
    edges: EdgeRule = "union"
    edge_cost: EdgeCost = distance
    max_step: float | None = None

    def __post_init__(self) -> None:
        if self.n_neighbors is None and self.max_step is None:
            raise InvalidInput("Give n_neighbors, max_step (a largest cost per step), or both.")
        if self.n_neighbors is not None and self.n_neighbors < 1:
            raise InvalidInput(f"n_neighbors must be at least 1, got {self.n_neighbors}.")
        if self.max_step is not None and not self.max_step > 0:
            raise InvalidInput(f"max_step must be positive, got {self.max_step}.")
        if self.edges not in ("out", "union", "mutual"):
            raise InvalidInput(f"edges must be 'out', 'union' or 'mutual', got {self.edges!r}.")

    @property
    def keeps_moves(self) -> bool:
        """Whether all moves are edges, and cost as much."""
        return self.edges != "mutual" and self.edge_cost is distance and self.max_step is None


def nearest_moves(
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    nearest: Nearest = nearest_admissible,
) -> sparse.csr_array:
    """Moves from every point to its neighbours among those that may be entered; (n, n).

    Neighbours beyond `max_step` are among them: no edges, but what is farther is no neighbour.
    """
    places, closed = np.flatnonzero(enterable), np.flatnonzero(~enterable)
    inside = points[places] if len(closed) else points
    itself = np.arange(len(places))
    among = moves_between(
        inside, inside, neighbourhood, nearest, itself=itself
    )  # the same array: each pair once
    into = moves_between(points[closed], inside, neighbourhood, nearest)
    moves = joined(renumbered(among, places, places), renumbered(into, closed, places))
    return as_moves(moves, len(points))


def moves_in(costs: sparse.csr_array, n_neighbors: int) -> Bools:
    """Which edges of a graph are the moves they were made of, where they cost what moves do.

    Edges of the rule "out" or "union": all others that a vertex leads to are farther than its
    nearest, or as far with a larger number.
    """
    starts, ends, prices = edge_list(costs)
    kept, unclear = _surely_nearest(costs, n_neighbors)
    again = np.flatnonzero(unclear[starts])
    kept[again] = _nearest_edges(starts[again], ends[again], prices[again], n_neighbors)
    return kept


def moves_among(costs: sparse.csr_array, nearest: Bools) -> sparse.csr_array:
    """The moves alone, where it is known which edges are some."""
    starts, ends, prices = edge_list(costs)
    return sorted_matrix((starts[nearest], ends[nearest], prices[nearest]), costs.shape[0])


def _surely_nearest(costs: sparse.csr_array, n_neighbors: int) -> tuple[Bools, Bools]:
    """Which edges are among the cheapest of their start, and of which starts ties leave it open."""
    first, degrees = costs.indptr[:-1], np.diff(costs.indptr)
    kept, unclear = np.ones(costs.nnz, dtype=bool), np.zeros(len(degrees), dtype=bool)
    width = n_neighbors
    while width < degrees.max(initial=0):
        width *= 2
        rows = np.flatnonzero((degrees > width // 2) & (degrees <= width))
        for part in chunks(len(rows), width):
            some, columns = rows[part], np.arange(width)
            there = columns < degrees[some, np.newaxis]
            places = (first[some, np.newaxis] + columns)[there]
            table = np.full(there.shape, np.inf)
            table[there] = costs.data[places]
            last, beyond = np.partition(table, (n_neighbors - 1, n_neighbors))[
                :, n_neighbors - 1 : n_neighbors + 1
            ].T
            kept[places] = (table <= last[:, np.newaxis])[there]
            unclear[some] = beyond <= last * (1 + CLOSE)
    return kept, unclear


def _nearest_edges(starts: Ints, ends: Ints, prices: Floats, n_neighbors: int) -> Bools:
    """Which edges are among the nearest of their start; equal costs go by the smaller end."""
    order = np.lexsort((prices, starts))
    sorted_starts, sorted_prices = starts[order], prices[order]
    dearer = sorted_prices[1:] > sorted_prices[:-1] * (1 + TOLERANCE)
    new = np.append(True, dearer | (sorted_starts[1:] > sorted_starts[:-1]))[: len(order)]
    order = order[np.lexsort((ends[order], np.cumsum(new)))]
    kept = np.zeros(len(order), dtype=bool)
    kept[order] = np.arange(len(order)) - np.searchsorted(starts, starts) < n_neighbors
    return kept


def moves_of(
    vertices: Ints, points: Floats, neighbourhood: Neighbourhood, enterable: Bools, nearest: Nearest
) -> EdgeList:
    """Moves from some of the points."""
    places = np.flatnonzero(enterable)
    itself = np.full(len(points), -1, dtype=np.int64)
    itself[places] = np.arange(len(places))
    ends = points if len(places) == len(points) else points[places]
    found = moves_between(points[vertices], ends, neighbourhood, nearest, itself=itself[vertices])
    return renumbered(found, vertices, places)


def moves_from(
    starts: Floats,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    index: Index | None = None,
) -> EdgeList:
    """Moves from some starts, numbered from 0, that are none of the points.

    An `index` of the points that may be entered finds them sooner.
    """
    everywhere = enterable.all()  # the usual case, and quick to see
    if index is not None and neighbourhood.n_neighbors is not None:
        found = listed(*index.nearest(starts, neighbourhood.n_neighbors))
    else:
        ends = points if everywhere else points[enterable]
        found = moves_between(starts, ends, neighbourhood, nearest_admissible)
    if everywhere:
        return found
    return renumbered(found, np.arange(len(starts)), np.flatnonzero(enterable))


def edge_list(moves: sparse.csr_array) -> EdgeList:
    """Starts, ends and costs of all moves, by start and then by end."""
    starts = np.repeat(np.arange(moves.shape[0]), np.diff(moves.indptr))
    return starts, moves.indices.astype(np.int64), moves.data


def moves_between(
    starts: Floats,
    ends: Floats,
    neighbourhood: Neighbourhood,
    nearest: Nearest,
    *,
    itself: Ints | None = None,
) -> EdgeList:
    """Moves from starts to their neighbours among ends."""
    if not (len(starts) and len(ends)):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
    if neighbourhood.n_neighbors is None:
        limit = np.inf if neighbourhood.max_step is None else neighbourhood.max_step
        return within(starts, ends, neighbourhood.prices, limit, itself=itself)
    return listed(
        *nearest(starts, ends, neighbourhood.prices, neighbourhood.n_neighbors, itself=itself)
    )


def listed(indices: Ints, costs: Floats) -> EdgeList:
    """The edge list of a table with the neighbours of each start in a row, -1 for none."""
    real = indices >= 0
    return np.repeat(np.arange(len(indices)), real.sum(axis=1)), indices[real], costs[real]


def renumbered(edges: EdgeList, starts: Ints, ends: Ints) -> EdgeList:
    """Edges between places in lists of vertices as edges between these."""
    return starts[edges[0]], ends[edges[1]], edges[2]


def joined(*parts: EdgeList) -> EdgeList:
    """Several edge lists as one."""
    starts, ends, costs = zip(*parts, strict=True)
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(costs)


def as_moves(edges: EdgeList, n: int) -> sparse.csr_array:
    """A sparse array of an edge list in any order."""
    starts, ends, costs = edges
    order = np.argsort(starts * n + ends, kind="stable")
    return sorted_matrix((starts[order], ends[order], costs[order]), n)


def sorted_matrix(edges: EdgeList, n: int) -> sparse.csr_array:
    """A sparse array of an edge list sorted by start and end, narrow and read-only."""
    starts, ends, costs = edges
    index = np.int32 if max(n, len(ends)) <= np.iinfo(np.int32).max else np.int64
    firsts = np.searchsorted(starts, np.arange(n + 1)).astype(index)
    parts = (np.array(costs, dtype=np.float64), ends.astype(index), firsts)
    for array in parts:
        frozen(array)
    return sparse.csr_array(parts, shape=(n, n))


APPROXIMATE_FROM = 4096
"""Fewer points that agree in what cannot change are searched exactly."""

WIDER = 3
"""Candidates for each neighbour asked for: some are forbidden, some dearer than they are far."""

N_SAMPLED = 500
"""Records whose neighbours are found exactly, too, to tell how many an approximate search finds."""


def approximate_nearest(
    starts: Floats,
    ends: Floats,
    prices: Prices,
    n_neighbors: int,
    *,
    itself: Ints | None = None,
    n_threads: int = 1,
    random_state: int | None = None,
) -> tuple[Ints, Floats]:
    """What `nearest_admissible` returns, except that some neighbours may not be the nearest.

    Only a search among the same starts and ends is approximate, and only where nothing is missing.
    """
    alike = starts is ends and len(ends) and not prices.gaps
    layout = Layout.of(starts, ends, prices) if alike else None
    if layout is None:
        return nearest_admissible(
            starts, ends, prices, n_neighbors, itself=itself, n_threads=n_threads
        )
    indices = np.full((len(starts), n_neighbors), -1, dtype=np.int64)
    costs = np.full((len(starts), n_neighbors), np.inf)
    kinds = kinds_of(starts, prices)
    coordinates = layout.coordinates(starts) * layout.least.astype(np.float32)
    order = np.argsort(kinds, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1):
        if len(group) >= max(APPROXIMATE_FROM, 2 * WIDER * n_neighbors):
            near = group[_descent(coordinates[group], WIDER * n_neighbors, n_threads, random_state)]
            _choose(starts, prices, group, near, indices, costs)
    rest = np.flatnonzero(np.isinf(costs[:, -1]))
    own = None if itself is None else itself[rest]
    indices[rest], costs[rest] = nearest_admissible(
        starts[rest], ends, prices, n_neighbors, itself=own, n_threads=n_threads
    )
    return indices, costs


def recall(
    moves: sparse.csr_array,
    points: Floats,
    neighbourhood: Neighbourhood,
    enterable: Bools,
    nearest: Nearest = nearest_admissible,
) -> float:
    """Share of the exact neighbours of a sample of points that are among their moves."""
    sample = np.unique(np.linspace(0, len(points) - 1, N_SAMPLED).astype(np.int64))
    starts, ends, _ = moves_of(sample, points, neighbourhood, enterable, nearest)
    found = [
        np.isin(
            ends[starts == vertex], moves.indices[moves.indptr[vertex] : moves.indptr[vertex + 1]]
        )
        for vertex in sample
    ]
    every = np.concatenate(found)
    return float(every.mean()) if len(every) else 1.0


def _descent(
    coordinates: npt.NDArray[np.float32], width: int, n_threads: int, random_state: int | None
) -> Ints:
    """For each point the places of others about nearest to it; some may be the point itself."""
    descent = optional("pynndescent", extra="ann", what="neighbors='approximate'")
    index = descent.NNDescent(
        coordinates, n_neighbors=width + 1, random_state=random_state, n_jobs=n_threads
    )
    return np.asarray(index.neighbor_graph[0], dtype=np.int64)


def _choose(
    points: Floats, prices: Prices, rows: Ints, near: Ints, indices: Ints, costs: Floats
) -> None:
    """Write the nearest admissible of the candidates of each row."""
    for part in chunks(len(rows), near.shape[1] * points.shape[1]):
        some, ends = rows[part], np.sort(near[part], axis=1)
        pairs = np.repeat(some, ends.shape[1]), ends.ravel()
        exact = move_costs(prices, points, points, pairs).reshape(ends.shape)
        exact[ends == some[:, np.newaxis]] = np.inf
        exact[:, 1:][ends[:, 1:] == ends[:, :-1]] = np.inf  # the same one twice
        best = np.argsort(tied_ranks(exact), axis=1, kind="stable")[:, : indices.shape[1]]
        costs[some] = np.take_along_axis(exact, best, axis=1)
        indices[some] = np.take_along_axis(ends, best, axis=1)
