"""Whole searches by SciPy: the cheapest routes from a vertex, and the remaining costs to others.

Among equally cheap routes (up to the project's tolerance) the one with the fewest steps is taken,
and of those the one whose vertices, read from its end, have the smaller numbers: the same on
every machine. What routes share is asked of flows and of reachability: vertices get a capacity by
being split in two (Menger).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, dijkstra, maximum_flow

from facelift import geometry
from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.errors import InvalidInput, check_number
from facelift.geometry import TOLERANCE, distances, tied_ranks
from facelift.graph.graph import Graph
from facelift.terrain.prices import Prices

MOST_DETOURS = 3_000
"""So many of the cheapest detours to an end are looked at."""

SECTIONS = 20
"""Into so many sections routes are cut to compare their directions."""


SharedCosts = Callable[[], Floats]
"""Gives costs that many questions share, worked out when first asked for."""


class Routes(NamedTuple):
    """Routes to some ends, one after the other: `lengths` says how many vertices each has.

    `steps` is what the step to each vertex costs, 0 at the start of a route, and `remaining`
    (vertices, ends) the least cost from there to every end.
    """

    lengths: Ints
    vertices: Ints
    steps: Floats
    remaining: Floats


@dataclass(frozen=True)
class Wanted:
    """How many destinations, how far apart, and within how many steps.

    The cheapest to reach are taken in order of cost, ties by the smaller vertex, each at least
    `min_separation` (Euclidean, on points) from those before it; those whose cheapest route takes
    more than `max_steps` are left out.
    """

    count: int
    min_separation: float = 0.0
    max_steps: int | None = None

    @property
    def nearest_will_do(self) -> bool:
        """Whether cost alone decides which are wanted."""
        return self.min_separation == 0 and self.max_steps is None


@dataclass(frozen=True, eq=False)
class Search:
    """What a search from `source` found: the cost to every vertex, inf where it did not come."""

    graph: Graph
    source: int
    costs: Floats

    @cached_property
    def n_steps(self) -> Floats:
        """Fewest steps of a cheapest route to every vertex; inf where the search did not come."""
        return np.asarray(
            dijkstra(self._tight, indices=[self.source], unweighted=True)[0], dtype=np.float64
        )

    def route(self, end: int) -> Ints:
        """Vertices of the cheapest route from the source to `end`.

        >>> from facelift.toys import loan
        >>> forward(loan().graph, 0).route(3).tolist()
        [0, 4, 5, 6, 3]
        """
        if not np.isfinite(self.costs[end]):
            raise InvalidInput(f"Vertex {end} is out of reach from vertex {self.source}.")
        vertices = [end]
        while vertices[-1] != self.source:
            vertices.append(int(self.before(vertices[-1])[0]))
        return np.array(vertices[::-1], dtype=np.int64)

    def before(self, vertex: int) -> Ints:
        """Vertices from which a cheapest route with the fewest steps enters `vertex`, ascending."""
        first, last = self._last_steps.indptr[vertex : vertex + 2]
        return self._last_steps.indices[first:last].astype(np.int64)

    @cached_property
    def _tight(self) -> sparse.csr_array:
        """The edges that lie on some cheapest route."""
        matrix = self.graph.costs
        starts, ends = self.graph.starts, matrix.indices
        as_cheap = self.costs[starts] + matrix.data <= self.costs[ends] * (1 + TOLERANCE)
        tight = as_cheap & np.isfinite(self.costs[ends])
        edges = matrix.data[tight], (starts[tight], ends[tight])
        return sparse.csr_array(edges, shape=matrix.shape)

    @cached_property
    def _last_steps(self) -> sparse.csr_array:
        """Of these edges, those on a route with the fewest steps; rows are where they end."""
        tight = self._tight.tocoo()
        starts, ends = tight.coords
        short = self.n_steps[starts] == self.n_steps[ends] - 1
        edges = tight.data[short], (ends[short], starts[short])
        found = sparse.csr_array(edges, shape=tight.shape)
        found.sort_indices()
        return found


def forward(graph: Graph, source: int) -> Search:
    """Search from `source` to every vertex.

    >>> from facelift.toys import loan
    >>> forward(loan().graph, 0).costs[[2, 3]]
    array([14., 16.])
    """
    costs = dijkstra(graph.costs, indices=[source])[0]
    return Search(graph, source, np.asarray(costs, dtype=np.float64))


def remaining_costs(graph: Graph, destinations: Sequence[Ints]) -> Floats:
    """Least cost from every vertex to each destination, a set of vertices; shape (n, c).

    One reverse search per destination; inf where it is out of reach. The distance to a set is the
    distance to its nearest member.

    >>> from facelift.toys import loan
    >>> remaining_costs(loan().graph, [np.array([3])])[[0, 6]]
    array([[16.],
           [ 1.]])
    """
    columns = [
        dijkstra(graph.reversed, indices=np.asarray(members), min_only=True)
        for members in destinations
    ]
    return np.stack(columns, axis=1) if columns else np.empty((len(graph), 0))


def next_vertices(graph: Graph, destinations: Sequence[Ints], remaining: Floats) -> Ints:
    """Where to go next from every vertex to get to each destination; (n, c), -1 for nowhere.

    Of the cheapest ways the one with the fewest steps left, then the smaller vertex. `remaining` is
    what is left from every vertex to each destination.

    >>> from facelift.toys import loan
    >>> world = loan()
    >>> ends = [np.array([end]) for end in world.destinations]
    >>> next_vertices(world.graph, ends, remaining_costs(world.graph, ends))[:2]
    array([[ 1,  4,  4],
           [-1, -1, -1]])
    """
    found = np.full(remaining.shape, -1, dtype=np.int64)
    starts, ends, costs = graph.starts, graph.costs.indices, graph.costs.data
    for b, members in enumerate(destinations):
        left = remaining[:, b]
        with np.errstate(invalid="ignore"):  # inf where there is no way
            tight = np.isfinite(left[starts]) & (
                costs + left[ends] <= left[starts] * (1 + TOLERANCE)
            )
        edges = (np.ones(int(tight.sum())), (ends[tight], starts[tight]))
        back = sparse.csr_array(edges, shape=graph.costs.shape)
        n_left = dijkstra(back, indices=np.asarray(members), unweighted=True, min_only=True)
        nearer = tight & (n_left[ends] == n_left[starts] - 1)
        first, place = np.unique(starts[nearer], return_index=True)
        found[first, b] = ends[nearer][place]
    return found


def nearest_routes(
    graph: Graph,
    source: int,
    candidates: Bools,
    wanted: Wanted,
    guide: SharedCosts | None = None,  # noqa: ARG001  (a whole search needs none)
) -> Routes:
    """The cheapest routes to the wanted ones of the candidates; see `facelift.graph.search`."""
    search = forward(graph, source)
    ends = nearest_destinations(search, candidates, wanted)
    ends = ends[np.lexsort((ends, tied_ranks(search.costs[ends])))]
    found = [search.route(end) for end in ends.tolist()]
    vertices = np.concatenate([np.empty(0, dtype=np.int64), *found])
    lengths = np.array([len(route) for route in found], dtype=np.int64)
    remaining = remaining_costs(graph, list(ends[:, np.newaxis]))
    return Routes(lengths, vertices, _step_costs(graph, found), remaining[vertices])


def nearest_destinations(search: Search, candidates: Bools, wanted: Wanted) -> Ints:
    """The wanted ones among the candidates that a finished search came by.

    `candidates` may leave out a vertex attached last.
    """
    open_ = np.isfinite(search.costs)
    open_[: len(candidates)] &= candidates
    open_[len(candidates) :] = False
    open_[search.source] = False
    if wanted.max_steps is not None:
        open_ &= search.n_steps <= wanted.max_steps
    found = np.flatnonzero(open_)
    return cheapest_apart(search.graph, found, search.costs[found], wanted)


def cheapest_apart(graph: Graph, vertices: Ints, costs: Floats, wanted: Wanted) -> Ints:
    """The wanted ones of some vertices, by what each costs.

    Compiled searches have the same rule of their own, `kernels.nearest_routes._cheapest`.
    """
    order = vertices[np.lexsort((vertices, tied_ranks(costs)))]
    if wanted.min_separation == 0:
        return order[: wanted.count]
    chosen: list[int] = []
    while len(order) and len(chosen) < wanted.count:
        chosen.append(int(order[0]))
        order = order[1:]
        apart = distances(graph.at(order), graph.at(np.array(chosen[-1:]))[0])
        order = order[apart >= wanted.min_separation]
    return np.array(chosen, dtype=np.int64)


def absorbing(graph: Graph, candidates: Bools) -> Graph:
    """The graph in which no route passes through a candidate: they can only be arrived at."""
    return graph.with_edges(~candidates[graph.starts])


def _step_costs(graph: Graph, routes: Sequence[Ints]) -> Floats:
    """What the step to each vertex of some routes costs, 0 at the start of each."""
    costs = [
        [0.0, *(graph.edge_cost(start, end) for start, end in pairwise(route.tolist()))]
        for route in routes
    ]
    return np.concatenate([np.empty(0), *costs])


def cheapest_route(graph: Graph, source: int, members: Ints) -> Ints:
    """Vertices of the cheapest route to any member, empty if all are out of reach."""
    search = forward(graph, source)
    end = int(members[np.argmin(tied_ranks(search.costs[members]))])
    return search.route(end) if np.isfinite(search.costs[end]) else np.empty(0, dtype=np.int64)


def costs_nearby(
    graph: Graph, vertex: int, destinations: Sequence[Ints], everywhere: SharedCosts | None
) -> Floats:
    """Least cost to each destination from a vertex, then from those one step away; (1 + s, c)."""
    left = remaining_costs(graph, destinations) if everywhere is None else everywhere()
    return left[[vertex, *graph.neighbors(vertex)[0]]]


def costs_between(graph: Graph, starts: Ints, ends: Ints) -> Floats:
    """Least cost from each of some vertices to each of others; shape (k, c)."""
    return remaining_costs(graph, list(ends[:, np.newaxis]))[starts]


def costs_to_any(graph: Graph, candidates: Bools) -> Floats:
    """Least cost from every vertex to any candidate; shape (n,), inf where there is no way."""
    if not candidates.any():
        return np.full(len(graph), np.inf)
    return remaining_costs(graph, [np.flatnonzero(candidates)])[:, 0]


def labels(graph: Graph, candidates: Bools, count: int) -> None:
    """None: a search for each is as good as one for everybody."""


def index(graph: Graph, enterable: Bools, prices: Prices) -> None:
    """None: so few records are looked through as they are."""


Marks = npt.NDArray[np.uint64]
"""One bit per candidate, in a row of words per vertex."""


def marks(graph: Graph, ends: Ints, vertices: Ints) -> Iterator[Marks]:
    """Marks of the ends in reach, vertex by vertex."""
    n_words = -(-len(ends) // 64)
    found = np.zeros((len(vertices), n_words), dtype=np.uint64)
    for part in chunks(len(vertices), len(graph)):
        steps = dijkstra(graph.costs, indices=vertices[part], unweighted=True)
        packed = np.packbits(np.isfinite(steps[:, ends]), axis=1)
        found.view(np.uint8)[part, : packed.shape[1]] = packed
    yield found


def on_some_route(costs: sparse.csr_array, source: int, ends: Ints) -> Bools:
    """Vertices on some route from the source to an end; shape (n,)."""
    forth = reached(costs, np.array([source]))
    back = reached(sparse.csr_array(costs.T), ends)
    return forth & back


def reached(costs: sparse.csr_array, sources: Ints) -> Bools:
    """Vertices that some of the sources lead to, themselves included; shape (n,)."""
    n = costs.shape[0]
    ones = np.ones(costs.nnz + len(sources), dtype=np.int8)  # edges of cost 0 are edges, too
    ends = np.append(costs.indices, sources)
    firsts = np.append(costs.indptr, costs.indptr[-1] + len(sources))
    whole = sparse.csr_array((ones, ends, firsts), shape=(n + 1, n + 1))
    found = np.zeros(n + 1, dtype=bool)
    found[breadth_first_order(whole, n, return_predecessors=False)] = True
    return found[:n]


def without_vertices(costs: sparse.csr_array, gone: Bools) -> sparse.csr_array:
    """The edges that neither leave nor enter some vertices; all keep their numbers."""
    starts = np.repeat(np.arange(costs.shape[0]), np.diff(costs.indptr))
    kept = ~(gone[starts] | gone[costs.indices])
    firsts = np.append(0, np.cumsum(kept))[costs.indptr]
    return sparse.csr_array((costs.data[kept], costs.indices[kept], firsts), shape=costs.shape)


def n_disjoint(costs: sparse.csr_array, source: int, ends: Ints, most: int) -> int:
    """How many routes from the source to any ends share no vertex but the source, up to `most`.

    >>> edges = [0, 0, 1, 2, 3], [1, 2, 3, 3, 4]
    >>> costs = sparse.csr_array((np.ones(5), edges), shape=(5, 5))
    >>> n_disjoint(costs, 0, np.array([3]), 9), n_disjoint(costs, 0, np.array([1, 4]), 9)
    (1, 2)
    """
    n = costs.shape[0]
    starts = np.repeat(np.arange(n), np.diff(costs.indptr))
    everybody = np.arange(n)  # vertex v is entered at v and left at n + v; 2n is beyond the ends
    first = np.concatenate([everybody, n + starts, n + ends, [2 * n + 1]])
    second = np.concatenate([everybody + n, costs.indices, np.full(len(ends), 2 * n), [source]])
    room = np.ones(len(first), dtype=np.int32)
    room[source] = room[-1] = most
    network = sparse.csr_array((room, (first, second)), shape=(2 * n + 2,) * 2)
    return int(maximum_flow(network, 2 * n + 1, 2 * n).flow_value)


def must_pass(costs: sparse.csr_array, source: int, ends: Ints) -> list[int]:
    """Vertices that lie on every route from the source to any of the ends, in their order.

    The source is left out; where all routes lead to one end, that is the last of them.
    """
    vertices = np.arange(costs.shape[0])
    route = _fewest_steps(costs, source, ends)
    return [v for v in route if not reaches(costs, source, ends, vertices == v)]


def reaches(costs: sparse.csr_array, source: int, ends: Ints, gone: Bools) -> bool:
    """Whether an end is in reach without passing some vertices."""
    found = reached(without_vertices(costs, gone), np.array([source]))
    return bool(found[ends[~gone[ends]]].any())


def _fewest_steps(costs: sparse.csr_array, source: int, ends: Ints) -> list[int]:
    """The vertices of a route with the fewest steps, after the source; empty if there is none."""
    ones = sparse.csr_array((np.ones(costs.nnz, np.int8), costs.indices, costs.indptr), costs.shape)
    order, before = breadth_first_order(ones, source)
    found = order[np.isin(order, ends)]
    if not len(found):
        return []
    route = [int(found[0])]
    while before[route[-1]] != source:
        route.append(int(before[route[-1]]))
    return route[::-1]


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
