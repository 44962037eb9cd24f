"""Exploration: from a graph, a factual and destinations to a multiverse; and choosing routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from facelift._arrays import Bools, Floats, Ints, frozen, slices
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.geometry.opportunity import kept_open
from facelift.graph.graph import Graph
from facelift.graph.routes import (
    Search,
    SharedCosts,
    Variety,
    Wanted,
    forward,
    further_routes,
    remaining_costs,
)
from facelift.graph.search import n_in_reach, nearest_routes
from facelift.multiverse.frames import Decoder
from facelift.multiverse.journey import Journey, with_answers
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot, no_route
from facelift.terrain.terrain import Terrain

Label = tuple[float, tuple[int, ...]]
"""Destinations kept open so far, weighted by the share of cost, and the route that did so."""

Routing = Callable[[Search, Sequence[int], Floats], list[Ints]]
"""Chooses the vertices of journeys: (search, ends, remaining costs) to a route to each end."""


def plain_routes(
    search: Search,
    ends: Sequence[int],
    remaining: Floats,  # noqa: ARG001  (a Routing)
) -> list[Ints]:
    """The routes the search itself would take."""
    return [search.route(end) for end in ends]


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


def nearest_journeys(
    graph: Graph,
    source: int,
    candidates: Bools,
    wanted: Wanted,
    guide: SharedCosts | None = None,
) -> Multiverse:
    """Journeys to the nearest candidates.

    A `guide` gives the least cost from every vertex to any candidate; see `nearest_routes`.
    """
    lengths, vertices, steps, remaining = nearest_routes(graph, source, candidates, wanted, guide)
    if not len(lengths):
        why_not = no_route(0, n_in_reach(graph, source))
        return Multiverse((), (), why_not=why_not, graph=graph, factual=source)
    points = graph.at(vertices)
    journeys = tuple(
        Journey(vertices[part], points[part], steps[part][1:], remaining[part], own)
        for own, part in enumerate(slices(lengths.tolist()))
    )
    ends = tuple(journey.vertices[-1:] for journey in journeys)
    return Multiverse(journeys, ends, graph=graph, factual=source)


def journeys_to(
    search: Search,
    destinations: Sequence[Ints],
    *,
    ends: Sequence[int] | None = None,
    routes: Routing = plain_routes,
    remaining: Floats | None = None,
) -> Multiverse:
    """The multiverse of a finished search towards some destinations.

    A journey ends at the cheapest member of its destination, or at the one given in `ends`;
    `routes` chooses among equally cheap ways there. `remaining` (n, c) are the costs left to go to
    the destinations, where they are known already.
    """
    if ends is None:
        ranked = [tied_ranks(search.costs[members]) for members in destinations]
        ends = [int(m[np.argmin(ranks)]) for m, ranks in zip(destinations, ranked, strict=True)]
    reached = [i for i, end in enumerate(ends) if np.isfinite(search.costs[end])]
    ranks = tied_ranks(search.costs[list(ends)])
    order = sorted(reached, key=lambda i: (ranks[i], ends[i]))
    kept = tuple(destinations[i] for i in order)
    remaining = remaining_costs(search.graph, kept) if remaining is None else remaining[:, order]
    journeys = tuple(
        _journey(search.graph, route, remaining, own)
        for own, route in enumerate(routes(search, [ends[i] for i in order], remaining))
    )
    why_not = None if journeys else _unreached(search, destinations)
    return Multiverse(journeys, kept, why_not=why_not, graph=search.graph, factual=search.source)


def with_variants(
    multiverse: Multiverse,
    search: Search,
    variety: Variety,
    *,
    max_steps: int | None = None,
    as_short: bool = False,
) -> Multiverse:
    """The same with further routes to each destination, as different as wanted.

    The search may leave out steps that no way takes, as long as it has the same vertices. None has
    more than `max_steps` or, if they are to be `as_short`, more steps than the cheapest.

    >>> from facelift.toys import fork
    >>> world = fork()
    >>> found = with_variants(world.multiverse(), forward(world.graph, 0), Variety(slack=3.0))
    >>> [len(some) for some in found.variants]
    [0, 0, 0]
    """
    if not len(multiverse):
        return multiverse
    remaining = remaining_costs(multiverse.walkable_graph()[0], multiverse.destinations)
    variants = tuple(
        tuple(
            _journey(search.graph, route, remaining, own)
            for route in further_routes(
                search,
                journey.in_steps.vertices,
                variety,
                journey.n_steps if as_short else max_steps,
            )
        )
        for own, journey in enumerate(multiverse)
    )
    return replace(multiverse, variants=variants, variety=variety)


def described(
    multiverse: Multiverse,
    terrain: Terrain,
    answers: Callable[[Ints], Floats],
    *,
    agreement: Callable[[Ints], Floats | None] | None = None,
    rarity: Callable[[Floats], Floats | None] | None = None,
    towards: Callable[[Ints], Floats] | None = None,
) -> Multiverse:
    """The multiverse with what there is to say of each waypoint on the way to its goal.

    `answers` gives what the model says of vertices, `agreement` the share of other models that say
    they reach the goal, `rarity` how far points are from real records, `towards` the least costs
    from vertices to the classes that are to be kept open.
    """
    goal, period = multiverse.goal, terrain.period
    if goal is None or not len(multiverse):
        return multiverse
    every = [journey for *_, journey in multiverse.routes]
    vertices = np.concatenate([journey.vertices for journey in every])
    waypoints = np.concatenate([journey.waypoints for journey in every])
    outputs = answers(vertices)
    shares = None if agreement is None else agreement(vertices)
    rare = None if rarity is None else _once(rarity, vertices, waypoints)
    left = None if towards is None else towards(vertices)
    for array in (outputs, shares, rare):
        if array is not None:
            frozen(array)  # and so is every part of it
    parts, decode = slices([len(journey.vertices) for journey in every]), Decoder(terrain)

    def told(journey: Journey, part: slice) -> Journey:
        return with_answers(
            journey,
            probabilities=outputs[part],
            goal=goal,
            agreement=None if shares is None else shares[part],
            rarity=None if rare is None else rare[part],
            towards=None if left is None else _no_more(left[part], journey.step_costs),
            times=_times(terrain, waypoints[part]),
            period=period,
            decode=decode,
            features=terrain.by_name,
        )

    whole = {id(each): told(each, part) for each, part in zip(every, parts, strict=True)}
    return multiverse.mapped(lambda journey: whole[id(journey)])


def with_classes(
    multiverse: Multiverse, kept: tuple[str, ...], left: Mapping[int, Floats]
) -> Multiverse:
    """The multiverse with what is `left` from each vertex of its journeys to classes kept open."""

    def told(journey: Journey) -> Journey:
        towards = np.stack([left[vertex] for vertex in journey.vertices.tolist()])
        return with_answers(journey, towards=_no_more(towards, journey.step_costs))

    return replace(multiverse, journeys=tuple(map(told, multiverse.journeys)), kept=kept)


def _once(
    rarity: Callable[[Floats], Floats | None], vertices: Ints, waypoints: Floats
) -> Floats | None:
    """What is asked of waypoints, of each vertex once: ways share many of them."""
    _, first, which = np.unique(vertices, return_index=True, return_inverse=True)
    found = rarity(waypoints[first])
    return None if found is None else found[which]


def _no_more(left: Floats, step_costs: Floats) -> Floats:
    """Costs left along a way, none more than a step and what is left after it.

    A search from every waypoint may find less from a later one than from those before it.
    """
    walked = np.append(0.0, np.cumsum(step_costs))[:, np.newaxis]
    least: Floats = np.minimum.accumulate((left + walked)[::-1], axis=0)[::-1] - walked
    frozen(least)
    return least


def _times(terrain: Terrain, waypoints: Floats) -> Floats | None:
    """The earliest that each waypoint can be reached: as late as any before it."""
    times = terrain.earliest(waypoints)
    return None if times is None else np.maximum.accumulate(times)


def _journey(graph: Graph, route: Ints, remaining: Floats, own: int) -> Journey:
    """The journey along a route, which passes what lies between the ends of its steps."""
    moves = graph.along(route.tolist())
    vertices = np.array([route[0], *(v for passed, _ in moves for v in passed[1:])])
    costs = np.array([cost for _, each in moves for cost in each])
    stops = None
    if len(vertices) > len(route):
        stops = np.cumsum([0, *(len(each) for _, each in moves)])
    left, points = remaining[vertices], graph.points[vertices]
    return Journey(vertices, points, costs, left, own, stops=stops)


def _unreached(search: Search, destinations: Sequence[Ints]) -> WhyNot:
    vertices = np.unique(np.concatenate(destinations)) if len(destinations) else np.empty(0)
    in_reach = int(np.isfinite(search.costs).sum()) - 1
    return no_route(len(vertices), in_reach)


def _vertex_set(graph: Graph, factual: int, destination: int | Iterable[int]) -> Ints:
    members = list(destination) if isinstance(destination, Iterable) else [destination]
    if not members:
        raise InvalidInput("A destination is a vertex or a set of them, got an empty one.")
    for vertex in members:
        _check_vertex(graph, vertex, "A destination")
    if factual in members:
        raise InvalidInput(f"Destination {destination!r} contains the factual: nothing to walk.")
    return np.unique(np.array(members, dtype=np.int64))


def _check_vertex(graph: Graph, vertex: int, what: str) -> None:
    whole = isinstance(vertex, int | np.integer) and not isinstance(vertex, bool)
    if not whole or not 0 <= vertex < len(graph):
        raise InvalidInput(
            f"{what} must be a vertex of the graph, 0 to {len(graph) - 1}, got {vertex!r}."
        )


def most_open_routes(search: Search, ends: Sequence[int], remaining: Floats) -> list[Ints]:
    """Of equally cheap routes to each end, the one that keeps most destinations open longest.

    The rule, in this order: least cost, fewest steps, largest area under the open share (so the
    highest opportunity potential), smaller vertex numbers from the start on. Steps are counted as
    people do, but what one keeps open is judged at every waypoint that it passes. `remaining`
    (n, c) holds the costs left to go.

    Exact: a route is described by where it stands and which destinations it kept open (a bit
    each), and of two that kept the same open the one that did so longer is carried on.
    """
    steps = _steps_to(search, ends, remaining)
    (open_,) = _masks(np.isfinite(remaining[[search.source]]))
    return [_most_open(search, end, open_, steps) for end in ends]


def _most_open(search: Search, end: int, open_: int, steps: dict[int, list[_Step]]) -> Ints:
    """The route to one end, by the steps into every vertex; all destinations are `open_` first."""
    labels: dict[int, dict[int, Label]] = {search.source: {open_: (0.0, (search.source,))}}
    total = float(search.costs[end]) or np.inf  # where nothing costs anything, no share does
    for layer in _layers(search, end, steps)[1:]:
        arrived: dict[int, dict[int, Label]] = {vertex: {} for vertex in layer}
        for vertex, found in arrived.items():
            for step in steps[vertex]:
                _carry(labels[step.start], step, total, found)
        labels = {vertex: _undominated(found) for vertex, found in arrived.items()}
    best = min(labels[end].values(), key=_rank)
    return np.array(best[1], dtype=np.int64)


def _layers(search: Search, end: int, steps: dict[int, list[_Step]]) -> list[set[int]]:
    """Vertices on the cheapest routes to `end`, by number of steps from the source."""
    layers = [{end}]
    while layers[-1] != {search.source}:
        layers.append({step.start for vertex in layers[-1] for step in steps[vertex]})
    return layers[::-1]


class _Step(NamedTuple):
    """A step on a cheapest route: of each of its moves, the cost, and what it keeps open.

    A step has one move, unless it passes waypoints.
    """

    start: int
    end: int
    moves: list[tuple[float, int]]


def _steps_to(search: Search, ends: Sequence[int], remaining: Floats) -> dict[int, list[_Step]]:
    """All steps on cheapest routes to some ends, by the vertex that they lead into."""
    before: dict[int, list[int]] = {}
    vertices = list(ends)
    while vertices:
        vertex = vertices.pop()
        if vertex not in before:
            before[vertex] = search.before(vertex).tolist()
            vertices += before[vertex]
    steps = [search.graph.passing(start, end) for end, starts in before.items() for start in starts]
    pairs = np.array([pair for passed, _ in steps for pair in pairwise(passed)], dtype=np.int64)
    costs = np.array([cost for _, each in steps for cost in each])
    kept = kept_open(remaining[pairs.reshape(-1, 2)], costs[:, np.newaxis])[:, 0]
    moves = zip(costs.tolist(), _masks(kept), strict=True)
    found: dict[int, list[_Step]] = {vertex: [] for vertex in before}
    for passed, each in steps:
        step = _Step(passed[0], passed[-1], list(islice(moves, len(each))))
        found[step.end].append(step)
    return found


def _carry(labels: dict[int, Label], step: _Step, total: float, arrived: dict[int, Label]) -> None:
    """Take every label one step on, and keep the better where two have the same open."""
    for open_, (area, route) in labels.items():
        still = open_
        for cost, keeps in step.moves:
            still &= keeps
            area += cost / total * still.bit_count()
        label = (area, (*route, step.end))
        if still not in arrived or _rank(label) < _rank(arrived[still]):
            arrived[still] = label


def _undominated(labels: dict[int, Label]) -> dict[int, Label]:
    """Labels no other beats for certain: kept more open, and did so longer."""
    return {
        open_: label
        for open_, label in labels.items()
        if not any(
            open_ & other == open_ and _rounded(area) > _rounded(label[0])
            for other, (area, _) in labels.items()
            if other != open_
        )
    }


def _rank(label: Label) -> tuple[float, tuple[int, ...]]:
    return -_rounded(label[0]), label[1]


def _rounded(area: float) -> float:
    """An area without the noise of summing in another order."""
    return round(area / TOLERANCE) * TOLERANCE


def _masks(flags: Bools) -> list[int]:
    """The flags of each row as the bits of a number."""
    packed = np.packbits(flags, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
