"""Growing a local graph of single actions outward from a factual, cheapest states first.

A state is judged once: is it admissible, and what does the model say? Judging is done in batches
that grow, so that a model is called on arrays and seldom. Growth goes through admissible states
that do not succeed yet (a way ends where it first succeeds), and stops when enough minimal
destinations are certain: successes of which no proper part succeeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, Literal, TypeVar

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE, distances, tied_ranks
from facelift.graph.graph import Graph
from facelift.steps.lattice import Keys, Lattice, States
from facelift.terrain.prices import Prices

FIRST_BATCH = 256
"""States judged in the first batch; each later batch is twice as large."""

LEAST_ROOM = 256
"""So many states on the ways to destinations are always judged, however small the budget."""

Stopped = Literal["enough", "exhausted", "budget"]

B = TypeVar("B")


@dataclass(frozen=True, eq=False)
class Judgement:
    """What is known of some points: admissible or not, and what the model says; shapes (s, …)."""

    admissible: Bools
    succeeds: Bools
    probabilities: Floats


Judge = Callable[[Floats], Judgement]


@dataclass(frozen=True, eq=False)
class Growth(Generic[B]):
    """A local graph, its states, and the destinations found in it.

    Vertex 0 is the factual. `ends` are the vertices of the minimal destinations, cheapest first;
    `destinations` the sets of vertices that count as reaching them: successes that contain all
    their changes. `n_states` were judged in `n_calls` batches before growth `stopped`.
    """

    graph: Graph
    states: States
    judged: Judgement
    ends: Ints
    destinations: tuple[Ints, ...]
    n_states: int
    n_calls: int
    stopped: Stopped
    probabilities: Floats
    """What the model said of every plausible state judged."""
    reached: States
    """Those states, in the same order."""
    bound: B | None = None
    """What was proven of all states."""


class Register:
    """What was learned about states so far; asks about no state twice."""

    def __init__(self, lattice: Lattice, judge: Judge, start: Judgement) -> None:
        self.lattice, self.judge = lattice, judge
        self.states: States = lattice.start
        self.keys: Keys = lattice.keys(self.states)
        self.order: Ints = np.zeros(1, dtype=np.int64)
        self.judged = start
        self.asked: Keys = self.keys
        self.n_calls = 0

    def learn(self, states: States) -> Ints:
        """Judge the states not yet known, in one batch; places of all of them."""
        keys = self.lattice.keys(states)
        _, first = np.unique(keys, return_index=True)
        new = states[np.sort(first)]
        new = new[self.places(self.lattice.keys(new)) < 0]
        if len(new):
            judged = self.judge(self.lattice.points(new))
            self.judged = _joined(self.judged, judged)
            self.n_calls += int(judged.admissible.any())  # a model is not asked about the others
            self.states = np.concatenate([self.states, new])
            self.keys = self.lattice.keys(self.states)
            self.order = np.argsort(self.keys, kind="stable")
        return self.places(keys)

    def noted(self, states: States, n_calls: int) -> None:
        """Count states that the model alone was asked about."""
        self.asked = np.union1d(self.asked, self.lattice.keys(states))
        self.n_calls += n_calls

    @property
    def n_states(self) -> int:
        """How many states were judged, or asked about."""
        return len(np.union1d(self.asked, self.keys))

    def succeeds(self, states: States) -> Bools:
        """Whether known states are admissible and have the outcome."""
        places = self.places(self.lattice.keys(states))
        return self.judged.admissible[places] & self.judged.succeeds[places]

    def places(self, keys: Keys) -> Ints:
        """Row of each key among the known states, -1 if it is not known."""
        ranked = self.keys[self.order]
        rank = np.minimum(np.searchsorted(ranked, keys), len(ranked) - 1)
        return np.where(ranked[rank] == keys, self.order[rank], -1)


def grow(
    lattice: Lattice,
    prices: Prices,
    judge: Judge,
    start: Judgement,
    *,
    n_destinations: int,
    max_steps: int,
    max_states: int,
    min_separation: float = 0.0,
    beyond: Callable[[Register], None] | None = None,
    prove: Callable[[Register, States], B] | None = None,
) -> Growth[B]:
    """Grow until enough minimal destinations are certain, no state is left, or the budget is spent.

    At most `max_states` states are judged while growing, in one call per batch that is full or per
    step outward; then, in two calls at most, those on the ways to the destinations: of each, and of
    two together as far as `max_states` of them go. Where the budget is spent before enough was
    found, `beyond` has the register judge states farther out. At last `prove` bounds the cost of
    any success, given the destinations so far; it may tell the register of others.

    `start` is what is known of the factual itself. The graph holds every admissible state that
    lies between the factual and any two destinations together, with all single actions among
    them, so that remaining costs see every shared step.
    """
    register = Register(lattice, judge, start)
    frontier, batch = Frontier.of(lattice, _farther(lattice, lattice.start, max_steps)), FIRST_BATCH
    while True:
        certain = frontier.costs.min(initial=np.inf) * (1 - TOLERANCE)
        ends = _minimal(register, certain, n_destinations, min_separation)
        stopped = _stopped(len(ends) == n_destinations, len(frontier.states), register, max_states)
        if stopped:
            break
        batch_states, frontier = frontier.split(min(batch, max_states - len(register.states)))
        places, judged = register.learn(batch_states), register.judged
        walked_on = batch_states[judged.admissible[places] & ~judged.succeeds[places]]
        farther = Frontier.of(lattice, _farther(lattice, walked_on, max_steps))
        frontier = frontier.joined(farther, register, max_states - len(register.states))
        batch *= 2
    room = max(max_states, LEAST_ROOM)
    if stopped == "budget":
        asked = certain, n_destinations, min_separation, room
        ends = _minimal_so_far(register, *asked)
        if beyond is not None and len(ends) < n_destinations:
            beyond(register)
            ends = _minimal_so_far(register, *asked)
    bound = None
    if prove is not None:
        n_known = len(register.states)
        bound = prove(register, ends)
        if len(register.states) > n_known:
            ends = _minimal_so_far(register, certain, n_destinations, min_separation, room)
    return _local(register, prices, ends, stopped, room, bound)


@dataclass(frozen=True, eq=False)
class Frontier:
    """States found but not judged yet, cheapest first."""

    states: States
    keys: Keys
    costs: Floats

    @classmethod
    def of(cls, lattice: Lattice, states: States) -> Frontier:
        """Distinct states in order of cost."""
        keys, first = np.unique(lattice.keys(states), return_index=True)
        states = states[first]
        costs = lattice.costs(states)
        order = np.argsort(tied_ranks(costs), kind="stable")
        return cls(states[order], keys[order], costs[order])

    def split(self, size: int) -> tuple[States, Frontier]:
        """The cheapest states, and the others."""
        rest = Frontier(self.states[size:], self.keys[size:], self.costs[size:])
        return self.states[:size], rest

    def joined(self, other: Frontier, register: Register, size: int) -> Frontier:
        """Both together without what is known already; only the cheapest, of which any can count.

        What lies beyond the budget will never be judged, so one state more than fits is kept to
        tell that there is more.
        """
        fresh = register.places(other.keys) < 0
        keys, first = np.unique(np.append(self.keys, other.keys[fresh]), return_index=True)
        states = np.concatenate([self.states, other.states[fresh]])[first]
        costs = np.append(self.costs, other.costs[fresh])[first]
        order = np.argsort(tied_ranks(costs), kind="stable")[: size + 1]
        return Frontier(states[order], keys[order], costs[order])


def _stopped(enough: bool, n_frontier: int, register: Register, max_states: int) -> Stopped | None:
    if enough:
        return "enough"
    if not n_frontier:
        return "exhausted"
    return "budget" if len(register.states) >= max_states else None


def _farther(lattice: Lattice, states: States, max_steps: int) -> States:
    children = lattice.children(states)
    return children[lattice.n_steps(children) <= max_steps]


def _minimal(
    register: Register,
    certain: float,
    n_destinations: int,
    min_separation: float,
    is_certain: Callable[[States], bool] | None = None,
) -> States:
    """Successes cheaper than `certain` with no proper part that succeeds, apart, cheapest first."""
    lattice, judged = register.lattice, register.judged
    open_ = judged.admissible & judged.succeeds
    states = register.states[open_]
    costs = lattice.costs(states)
    states, costs = states[costs < certain], costs[costs < certain]
    states = states[np.lexsort((lattice.keys(states), tied_ranks(costs)))]
    chosen = lattice.start[:0]
    while len(states) and len(chosen) < n_destinations:
        # The first is minimal: a part of it would be cheaper, or as cheap and earlier in order.
        minimal, states = states[:1], states[1:]
        if is_certain is not None and not is_certain(minimal):
            continue
        states = states[~lattice.parts(states, minimal)]
        if _apart(lattice, chosen, minimal) >= min_separation:
            chosen = np.concatenate([chosen, minimal])
    return chosen


def _minimal_so_far(
    register: Register,
    certain: float,
    n_destinations: int,
    min_separation: float,
    room: int,
) -> States:
    """Minimal destinations among what was judged when the budget was spent.

    All states cheaper than `certain` were judged. Of the likeliest destinations beyond it, the
    parts are judged now, in one more batch; what is still not certain is left out.
    """
    lattice = register.lattice
    likely = _minimal(register, np.inf, n_destinations, min_separation)
    dear = likely[lattice.costs(likely) >= certain]
    hulls = [lattice.hull([end]) for end in dear if lattice.hull_size([end]) <= room]
    register.learn(np.concatenate([lattice.start, *hulls]))

    def is_certain(state: States) -> bool:
        return _first_to_succeed(register, state, lattice.costs(state)[0] < certain, room)

    return _minimal(register, np.inf, n_destinations, min_separation, is_certain)


def leads_to(register: Register, state: Ints, room: int) -> bool:
    """Whether a way leads to a success; its parts are judged, unless there are more than `room`."""
    ends = state[np.newaxis, :]
    if register.lattice.hull_size(ends) <= room:
        register.learn(register.lattice.hull(ends))
    return _first_to_succeed(register, ends, False, room)


def _first_to_succeed(register: Register, state: States, all_judged: bool, room: int) -> bool:
    """Whether a way leads to `state`, and for certain none of them succeeds before.

    `all_judged` says that parts of it that are not known are out of reach.
    """
    lattice, judged = register.lattice, register.judged
    if lattice.hull_size(state) > room:
        return all_judged
    parts = lattice.hull(state)
    places = register.places(lattice.keys(parts))
    if not all_judged and (places < 0).any():
        return False
    parts, places = parts[places >= 0], places[places >= 0]
    open_ = judged.admissible[places]
    success = open_ & judged.succeeds[places]
    passable = lattice.keys(parts[open_ & ~success])
    reached = lattice.start
    while len(reached):
        farther = np.unique(lattice.children(reached), axis=0)
        keys = lattice.keys(farther)
        met = np.isin(keys, lattice.keys(parts[success]))
        if met.any():
            return bool((farther[met] == state).all())
        reached = farther[np.isin(keys, passable)]
    return False


def _apart(lattice: Lattice, states: States, other: States) -> float:
    """Euclidean distance of a state to the nearest of some others."""
    return float(distances(lattice.points(states), lattice.points(other)).min(initial=np.inf))


def _local(
    register: Register, prices: Prices, ends: States, stopped: Stopped, room: int, bound: B | None
) -> Growth[B]:
    """The graph between the factual and the destinations."""
    lattice = register.lattice
    ways = [_parts(register, end, room) for end in ends]
    pairs, all_fit = _pairs(lattice, ends, room)
    places = register.learn(np.concatenate([lattice.start, *ways, *pairs]))
    judged = register.judged
    kept = np.unique(places[judged.admissible[places] | (places == 0)])
    states = register.states[kept]
    order = np.argsort(lattice.keys(states), kind="stable")
    kept, states = kept[order], states[order]
    known = _rows(judged, kept)
    vertex = {int(key): i for i, key in enumerate(lattice.keys(states))}
    targets = np.array([vertex[int(key)] for key in lattice.keys(ends)], dtype=np.int64)
    sets = tuple(np.flatnonzero(known.succeeds & lattice.parts(states, end)) for end in ends)
    return Growth(
        _graph(lattice, prices, states),
        states,
        known,
        targets,
        sets,
        register.n_states,
        register.n_calls,
        stopped if all_fit else "budget",
        judged.probabilities[judged.admissible],
        register.states[judged.admissible],
        bound,
    )


def _parts(register: Register, end: Ints, room: int) -> States:
    """All states on the ways to a destination; only the known ones if there are too many."""
    if register.lattice.hull_size([end]) <= room:
        return register.lattice.hull([end])
    known = register.lattice.parts(end[np.newaxis, :], register.states)
    return register.states[known]


def _pairs(lattice: Lattice, ends: States, room: int) -> tuple[list[States], bool]:
    """All states on the ways to two destinations together, and whether there was room for all.

    Pair by pair, while the distinct states among them fit.
    """
    hulls, keys = [lattice.start], lattice.keys(lattice.start)
    all_fit = all(lattice.hull_size([end]) <= room for end in ends)
    for pair in combinations(ends, 2):
        if lattice.hull_size(pair) <= room:
            hull = lattice.hull(pair)
            both = np.union1d(keys, lattice.keys(hull))
            if len(both) <= room:
                hulls, keys = [*hulls, hull], both
                continue
        all_fit = False
    return hulls, all_fit


def _joined(first: Judgement, second: Judgement) -> Judgement:
    return Judgement(
        np.append(first.admissible, second.admissible),
        np.append(first.succeeds, second.succeeds),
        np.concatenate([first.probabilities, second.probabilities]),
    )


def _rows(judged: Judgement, rows: Ints) -> Judgement:
    return Judgement(judged.admissible[rows], judged.succeeds[rows], judged.probabilities[rows])


def _graph(lattice: Lattice, prices: Prices, states: States) -> Graph:
    """All single actions between states, at their directed cost, where the terrain allows them.

    From one value of a categorical feature to another a step costs at least what the direct change
    to it costs more: no detour undercuts a price, so the cheapest way to a state goes outward.
    """
    keys, points = lattice.keys(states), lattice.points(states)
    starts, ends = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for ladder, position, other in lattice.moves(states):
        here = np.flatnonzero(states[:, ladder] == position)
        there = keys[here] + (other - position) * lattice.radices[ladder]
        place = np.minimum(np.searchsorted(keys, there), len(keys) - 1)
        found = keys[place] == there
        starts.append(here[found])
        ends.append(place[found])
    first, second = np.concatenate(starts), np.concatenate(ends)
    costs, away = prices.cost(points[first], points[second]), lattice.costs(states)
    costs = no_undercutting(costs, away[first], away[second])
    allowed = np.isfinite(costs)
    edges = (costs[allowed], (first[allowed], second[allowed]))
    return Graph(points, sparse.csr_array(edges, shape=(len(states), len(states))))


def no_undercutting(costs: Floats, before: Floats, after: Floats) -> Floats:
    """Costs of steps, raised where one would reach a state for less than it is away.

    `before` and `after` are how far the two ends of each step are away from the factual.
    """
    known = np.isfinite(before) & np.isfinite(after)
    gap = np.subtract(after, before, out=np.zeros_like(costs), where=known)
    return np.where(known & (costs < gap - TOLERANCE * after), gap, costs)
