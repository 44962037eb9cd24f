"""Growing the local graph of a case: proposers take turns until enough destinations are certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Generic, Literal, TypeVar

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Graph
from facelift.graph.search import cheapest_route
from facelift.steps.lattice import Ladder, Lattice, Levels, States
from facelift.steps.proposers import Proposer, Reach, UniformCost
from facelift.steps.register import Register
from facelift.terrain.prices import Prices

MOST_PARTS = 4_096
"""So many states between the factual and a destination are asked about, to see if one succeeds."""

ROOM = 1_024
"""So many states on the ways to destinations make the local graph, pair by pair."""

WORTH_A_CALL = 256
"""So many new states take the model about as long as being called."""

STRANDED = 8
"""So many successes that no way leads to outward are tried to get to by a way round."""

FEW = 32
"""Fewer new states are not worth another call once something was found."""

Stopped = Literal["enough", "exhausted", "budget"]

B = TypeVar("B")


@dataclass(frozen=True, eq=False)
class Growth(Generic[B]):
    """A local graph, its states, and the destinations found in it.

    Vertex 0 is the factual. `ends` are the vertices of the minimal destinations, cheapest first;
    `destinations` the sets of vertices that count as reaching them: successes that contain all
    their changes; `wins` says which vertices succeed. Nothing cheaper than `radius` succeeds, but
    for what was found.
    """

    register: Register
    graph: Graph
    states: States
    answers: Floats
    ends: Ints
    destinations: tuple[Ints, ...]
    wins: Bools
    stopped: Stopped
    radius: float
    bound: B | None = None
    """What was proven of all states."""


def grow(
    register: Register,
    prices: Prices,
    outward: UniformCost,
    tiers: Sequence[Sequence[Proposer]],
    *,
    n_destinations: int,
    work: int,
    prove: Callable[[float], B] | None = None,
    also: States | None = None,
) -> Growth[B]:
    """Grow until enough destinations are certain, no state is left, or the work is done.

    Every round the model is asked once, about the next states `outward` and those of the first of
    the `tiers` whose proposers have any. What is found is certain as far as all cheaper states were
    looked at. At last `prove` bounds the cost of any success, given the radius; it may tell the
    register of others. Of the states in `also`, those that succeed are destinations besides.
    """
    states, stopped = outward.propose(register), None
    while not stopped:
        register.ask(states)
        stopped = _stopped(register, outward, n_destinations, work)
        if not stopped:
            guided = _first_proposals(register, tiers)
            too_few = FEW if np.isfinite(register.cheapest) else 1
            if len(guided) < too_few and not outward.room:
                stopped = "budget"
            else:  # what is proposed outward counts as looked at: it is always asked about
                states = np.concatenate([outward.propose(register), guided])
    ends = _settled(register, n_destinations)
    if stopped == "exhausted" and not len(ends) and np.isfinite(register.cheapest):
        Reach.everywhere(register)  # a success is plausible: it may be that nobody gets there
    bound = None if prove is None else prove(outward.radius)
    if bound is not None:
        ends = _settled(register, n_destinations)
    if also is not None:
        ends = _joined(register, ends, _kept(register, also), n_destinations)
    return _local(register, prices, ends, stopped, outward.radius, bound)


def with_way_round(growth: Growth[B], prices: Prices) -> Growth[B]:
    """The same with a way to one success that none leads to outward, if one goes round.

    On such a way one feature at a time may be elsewhere for a while: somebody gets to a category
    through another one, since the others are not plausible beside it. Of the cheapest successes
    that are plausible, the one with the cheapest way is taken, and nothing but that way.
    """
    register, lattice, least = growth.register, growth.register.lattice, np.inf
    route: States | None = None
    for end in register.likely(STRANDED):
        if lattice.costs(end[np.newaxis])[0] >= least:
            break
        states = _beside(lattice, end)
        states = states[register.admissible(states)]
        graph = _graph(lattice, prices, states)
        place = np.searchsorted(lattice.keys(states), lattice.keys(end))
        vertices = cheapest_route(graph, 0, np.array([place]))
        cost = float(graph.costs[vertices[:-1], vertices[1:]].sum())
        if 1 < len(vertices) <= register.max_steps + 1 and cost < least:
            route, least = states[vertices], cost
    if route is None:
        return growth
    through = route[np.argsort(lattice.keys(route))]
    return _local(
        register, prices, route[-1:], growth.stopped, growth.radius, growth.bound, through
    )


def _beside(lattice: Lattice, end: Ints) -> States:
    """States made of some changes of an end, with one ladder anywhere; in order of their keys."""
    found, own = [lattice.start], lattice.corners([end])
    for i, ladder in enumerate(lattice.ladders):
        levels = [*own[:i], list(range(len(ladder))), *own[i + 1 :]]
        if prod(map(len, levels)) <= ROOM:
            found.append(lattice.box(levels))
    states = np.concatenate(found)
    return states[np.unique(lattice.keys(states), return_index=True)[1]]


def _stopped(register: Register, outward: UniformCost, n: int, work: int) -> Stopped | None:
    """What ends the search, if anything does."""
    radius = outward.radius
    likely = _are_certain(register, register.likely(n), n, radius)
    if likely and _are_certain(register, register.incumbents(n), n, radius):
        return "enough"
    if radius == np.inf:
        return "exhausted"
    return "budget" if register.work >= work else None


def _are_certain(register: Register, ends: States, n: int, radius: float) -> bool:
    """Whether some ends are as many as are wanted, and all that is cheaper was looked at."""
    return len(ends) == n and bool(register.lattice.costs(ends)[-1] < radius)


def _first_proposals(register: Register, tiers: Sequence[Sequence[Proposer]]) -> States:
    """The states of the first tiers that together have enough new ones for a call of the model."""
    states = register.lattice.start[:0]
    for tier in tiers:
        proposed = [proposer.propose(register) for proposer in tier]
        states = register.unknown(np.concatenate([states, *proposed]))
        if len(states) >= WORTH_A_CALL:
            break
    return states


def _settled(register: Register, n_destinations: int) -> States:
    """Destinations of which no part succeeds; parts that are not known yet are asked about."""
    lattice, known = register.lattice, -1
    while known < register.n_states:
        known, ends = register.n_states, register.incumbents(n_destinations)
        parts = [lattice.ways([end]) for end in ends]
        small = [lattice.box(each) for each in parts if prod(map(len, each)) <= MOST_PARTS]
        register.ask(np.concatenate([lattice.start, *small]))
    return ends


def _kept(register: Register, wanted: States) -> States:
    """The wanted states that are accepted successes; where a part of one is, its cheapest part."""
    lattice, boxes = register.lattice, []
    for state in wanted[(wanted > 0).any(axis=1)]:
        levels = lattice.ways([state])
        small = prod(map(len, levels)) <= MOST_PARTS
        boxes.append(lattice.box(levels) if small else state[np.newaxis])
    register.ask(np.concatenate([lattice.start, *boxes]))
    successes = [each[register.wins[register.ask(each)]] for each in boxes]
    cheapest = [_first_accepted(register, each) for each in successes]
    return np.concatenate([lattice.start[:0], *cheapest])


def _first_accepted(register: Register, states: States) -> States:
    """The cheapest of some states that is accepted, if one is."""
    for state in register.in_order(states, register.lattice.costs(states)):
        if register.accept(state[np.newaxis])[0]:
            return np.asarray(state[np.newaxis])
    return states[:0]


def _joined(register: Register, ends: States, kept: States, n: int) -> States:
    """The kept ends, the cheapest of the others, and more of these until there are enough."""
    known = set(register.lattice.keys(kept).tolist())
    new = [end for end in ends if int(register.lattice.keys(end)) not in known]
    room = max(n - len(known), int(len(new) > 0))
    states = np.concatenate([kept, *(end[np.newaxis] for end in new[:room])])
    first = np.unique(register.lattice.keys(states), return_index=True)[1]
    return register.in_order(states[first], register.lattice.costs(states[first]))


def _local(
    register: Register,
    prices: Prices,
    ends: States,
    stopped: Stopped,
    radius: float,
    bound: B | None,
    through: States | None = None,
) -> Growth[B]:
    """The graph between the factual and the destinations, or of some states between them."""
    lattice = register.lattice
    between, all_fit = _between(register, ends) if through is None else (through, True)
    states = between[register.admissible(between)]
    places = register.ask(states)
    keys = lattice.keys(states)
    targets = np.searchsorted(keys, lattice.keys(ends))
    wins = register.wins[places]
    sets = tuple(np.flatnonzero(wins & lattice.parts(states, end)) for end in ends)
    stopped = stopped if all_fit else "budget"
    graph, answers = _graph(lattice, prices, states), register.answers[places]
    return Growth(register, graph, states, answers, targets, sets, wins, stopped, radius, bound)


def _between(register: Register, ends: States) -> tuple[States, bool]:
    """All states on the ways to two destinations together, and whether there was room for all.

    Those of single ones come first, then pair by pair; levels that actions can leave out are left
    out where there is no room for them.
    """
    lattice = register.lattice
    found, all_fit = lattice.start, True
    for some in [*([end] for end in ends), *combinations(ends, 2)]:
        levels = lattice.ways(some)
        whole = prod(map(len, levels)) <= ROOM
        if not whole:
            levels = lattice.corners(some)
        if whole or prod(map(len, levels)) <= ROOM:
            states = np.concatenate([found, lattice.box(levels)])
        elif len(some) == 1:
            states = np.concatenate([found, register.known_parts(some[0])])
        first = np.unique(lattice.keys(states), return_index=True)[1]
        fits = len(first) <= ROOM or len(some) == 1
        all_fit &= whole and fits
        found = states[first] if fits else found
    return found, all_fit


def _graph(lattice: Lattice, prices: Prices, states: States) -> Graph:
    """All single actions between states, at their directed cost, where the terrain allows them.

    No step costs less than the state it leads to is farther away from the factual: no detour
    undercuts a price, so the cheapest way to a state goes outward. An action passes the levels
    between.
    """
    keys, points = lattice.keys(states), lattice.points(states)
    starts, ends, prices_of = [np.empty(0, dtype=np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for i in np.flatnonzero(states.any(axis=0)).tolist():
        positions, own = np.unique(states[:, i]), states[:, i, np.newaxis]
        there = lattice.shifted(keys[:, np.newaxis], i, positions - own)
        place = np.minimum(np.searchsorted(keys, there), len(keys) - 1)
        moves = (keys[place] == there) & _is_action(lattice.ladders[i], own, positions)
        starts.append(np.nonzero(moves)[0])
        ends.append(place[moves])
        prices_of.append(_move_costs(lattice, prices, points, (i, starts[-1], ends[-1], states)))
    first, second = np.concatenate(starts), np.concatenate(ends)
    costs, away = np.concatenate(prices_of), lattice.costs(states)
    costs = no_undercutting(costs, away[first], away[second])
    allowed = np.isfinite(costs)
    edges = (costs[allowed], (first[allowed], second[allowed]))
    matrix = sparse.csr_array(edges, shape=(len(states), len(states)))
    return Graph(points, matrix, Levels(lattice, states))


def _move_costs(
    lattice: Lattice, prices: Prices, points: Floats, moves: tuple[int, Ints, Ints, States]
) -> Floats:
    """Costs of moves along one ladder: the same wherever the others are, unless something ages."""
    ladder, first, second, states = moves
    if lattice.terrain is not None:
        return prices.cost(points[first], points[second])
    kinds = states[first, ladder] * len(lattice.ladders[ladder]) + states[second, ladder]
    _, one, which = np.unique(kinds, return_index=True, return_inverse=True)
    return np.asarray(prices.cost(points[first[one]], points[second[one]])[which])


def _is_action(ladder: Ladder, starts: Ints, ends: Ints) -> Bools:
    """Whether single actions lead from positions of a ladder to others."""
    if ladder.jumps or ladder.unordered:
        return np.asarray(starts != ends)
    return np.asarray((ladder.parents[ends] == starts) | (ladder.parents[starts] == ends))


def no_undercutting(costs: Floats, before: Floats, after: Floats) -> Floats:
    """Costs of steps, raised where one would reach a state for less than it is away.

    `before` and `after` are how far the two ends of each step are away from the factual.
    """
    known = np.isfinite(before) & np.isfinite(after)
    gap = np.subtract(after, before, out=np.zeros_like(costs), where=known)
    return np.where(known & (costs < gap - TOLERANCE * after), gap, costs)
