"""Which rules to relax so that a way through records opens: a search whose labels are rule sets.

Under a set Q of relaxed rules the graph is what it would be if the terrain never had them: every
record leads to its nearest admissible ones under the other rules (`G_Q`). Relaxing more rules may
take edges away, since nearer records push farther ones out; so sets are not simply "enough" or not,
and each is searched on its own graph. What keeps this small:

- Rules on directions, bounds and requirements cannot be got round: whoever ends at a record breaks
  at least the rules of the direct move there. The smallest of these labels, over all records with
  the outcome, are where the search starts; no set that contains none of them opens anything.
- From the source, under Q, only records whose label lies in Q can be come by, and all their edges
  lead to such records. So the part of `G_Q` that matters is built from them alone.
- Where a set opens nothing, its graph falls into islands: the sets tried next add the rules that
  one more step, from what is in reach to what is not, would break. A set that contains one that
  opens is dropped. Smaller sets come first, so what is found is minimal.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput
from facelift.geometry import tied_ranks
from facelift.graph.edge_costs import Edges
from facelift.graph.graph import Graph
from facelift.graph.neighbourhood import Neighbourhood
from facelift.graph.portions import portions
from facelift.graph.routes import Search, forward
from facelift.graph.rows import attached, row_graph
from facelift.terrain.rulebook import UNBREAKABLE, Masks, Rulebook, smallest

MOST_SETS = 400
"""So many sets of rules are searched for one case."""

MOST_PAIRS = 20_000_000
"""So many moves are looked at where a set opens nothing; with more, it is not followed."""


@dataclass(frozen=True, eq=False)
class Opening:
    """A smallest set of rules that opens a way, and the cheapest way that it opens.

    `vertices` are records, numbered as in the whole graph; a source that is none comes last.
    """

    mask: int
    vertices: Ints
    step_costs: Floats

    @property
    def cost(self) -> float:
        """Cost of the way."""
        return float(self.step_costs.sum())


@dataclass(frozen=True, eq=False)
class Openings:
    """Sets of rules that open a way, cheapest first, and whether these are all the smallest."""

    found: tuple[Opening, ...]
    complete: bool


@dataclass(frozen=True, eq=False)
class Ground:
    """Records, their rules and a case among them.

    `wanted` are the records with the outcome. `vertex` is the record the case equals, if any.
    Where there is a largest number of steps, its rule is the last of the book.
    """

    points: Floats
    hood: Neighbourhood
    book: Rulebook
    wanted: Bools
    point: Floats
    vertex: int | None = None
    max_steps: int | None = None

    @cached_property
    def states(self) -> Masks:
        """Rules that being at each record breaks."""
        return self.book.by_states(self.points)

    @cached_property
    def labels(self) -> Masks:
        """Rules that every way from the case to each record breaks; single changes left out."""
        return self.book.by_directions(self.point, self.points) | self.states

    @cached_property
    def levels(self) -> list[tuple[Ints, list[list[int]]]]:
        """For columns with ruled single changes: the level of each record, and how to get there."""
        return [
            (choice.levels(self.points), choice.chains(int(choice.levels(self.point))))
            for choice in self.book.choices
            if not choice.gap.gaps
        ]

    @property
    def steps_bit(self) -> int:
        """The set of the rule on the number of steps; empty where there is none."""
        return 0 if self.max_steps is None else 1 << (len(self.book.rules) - 1)

    def beginnings(self) -> list[int]:
        """The smallest sets that could open anything: no other one is without one of them."""
        wanted = self.wanted.copy()
        if self.vertex is not None:
            wanted[self.vertex] = False
        places = np.flatnonzero(wanted)
        masks = {(int(label), tuple(own)) for label, *own in self._columns(places)}
        found: set[int] = set()
        for label, levels in masks:
            sets = [label]
            for level, (_, chains) in zip(levels, self.levels, strict=True):
                sets = [mask | chain for mask in sets for chain in chains[level]]
            found.update(sets)
        return smallest(mask for mask in found if not mask & int(UNBREAKABLE))

    def within(self, mask: int) -> Ints:
        """Records that could be come by under a set of relaxed rules; all edges stay among them."""
        kept = np.uint64(~mask & (2**64 - 1))
        inside = (self.labels & kept) == 0
        for levels, chains in self.levels:
            open_ = np.array([any(not chain & ~mask for chain in each) for each in chains])
            inside &= open_[levels]
        return np.flatnonzero(inside)

    def graph(self, mask: int, members: Ints) -> tuple[Graph, int]:
        """The part of the graph under a set of relaxed rules, and the source in it."""
        n, weigh = len(self.points), self.hood.edge_cost

        def edge_cost(edges: Edges) -> Floats:
            return weigh(replace(edges, n_points=n))

        prices = self.book.terrain_without(mask).prices
        hood = replace(self.hood, prices=prices, edge_cost=edge_cost)
        graph = row_graph(self.points[members], hood)
        if self.vertex is not None:
            return graph, int(np.searchsorted(members, self.vertex))
        everywhere = np.ones(len(members), dtype=bool)
        return attached(graph, self.point, hood, everywhere), len(members)

    def searched(self, mask: int) -> tuple[Opening | None, Ints, bool]:
        """What a set opens; the records in reach; and whether only the steps were too many."""
        members = self.within(mask)
        if not len(members):
            return None, members, False
        graph, source = self.graph(mask, members)
        search = forward(graph, source)
        reached = np.isfinite(search.costs)
        reached[source] = False
        ends = np.flatnonzero(reached[: len(members)] & self.wanted[members])
        near = ends
        if self.max_steps is not None and not mask & self.steps_bit:
            near = ends[search.n_steps[ends] <= self.max_steps]
        opening = self._opening(mask, search, near, members) if len(near) else None
        return opening, members[reached[: len(members)]], bool(len(ends)) and not len(near)

    def beyond(self, mask: int, reached: Ints) -> list[int]:
        """What one more step would break, from what is in reach to what is not: smallest sets."""
        kept = np.uint64(~mask & (2**64 - 1))
        outside = np.setdiff1d(np.arange(len(self.points)), reached)
        found = self._steps_out(self.point[np.newaxis], outside, kept, back=self.vertex is not None)
        for part in portions(len(reached), len(outside) * self.points.shape[1]):
            found |= self._steps_out(self.points[reached[part]], outside, kept, back=True)
        return smallest(each for each in found if each and not each & int(UNBREAKABLE))

    def _steps_out(self, starts: Floats, ends: Ints, kept: np.uint64, *, back: bool) -> set[int]:
        """Sets that steps from some points break more, by the rule that makes edges."""
        near, far = starts[:, np.newaxis], self.points[ends][np.newaxis]
        out = (self.book.by_moves(near, far) | self.states[ends]) & kept
        if not back or self.hood.edges == "out":
            return set(np.unique(out).tolist())
        home = (self.book.by_moves(far, near) | self.book.by_states(starts)[:, np.newaxis]) & kept
        both = out | home if self.hood.edges == "mutual" else np.where(out, out, home)
        return set(np.unique(both).tolist())

    def _columns(self, places: Ints) -> list[tuple[int, ...]]:
        """Label and levels of some records."""
        columns = [self.labels[places], *(levels[places] for levels, _ in self.levels)]
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _opening(self, mask: int, search: Search, ends: Ints, members: Ints) -> Opening:
        end = ends[np.argmin(tied_ranks(search.costs[ends]))]
        route = search.route(int(end))
        steps = [search.graph.edge_cost(u, v) for u, v in pairwise(route.tolist())]
        numbers = np.append(members, len(self.points))
        return Opening(mask, numbers[route], np.array(steps))


def openings(ground: Ground, most: int = MOST_SETS) -> Openings:
    """The smallest sets of rules that open a way from a case to the outcome, cheapest first."""
    queue = [(mask.bit_count(), mask) for mask in ground.beginnings()]
    heapq.heapify(queue)
    seen, complete = {mask for _, mask in queue}, True
    found: list[Opening] = []
    for _ in range(most):
        mask = _next(queue, found)
        if mask is None:
            break
        try:
            opening, reached, too_long = ground.searched(mask)
        except InvalidInput:  # an edge cost that has no weight for moves these rules kept out
            complete = False
            continue
        if opening is not None:
            found.append(opening)
            continue
        more, followed = _farther(ground, mask, reached, too_long)
        complete &= followed
        for other in {mask | each for each in more} - seen:
            seen.add(other)
            heapq.heappush(queue, (other.bit_count(), other))
    complete &= _next(queue, found) is None
    found.sort(key=lambda each: (each.cost, each.mask.bit_count(), each.mask))
    return Openings(tuple(found), complete)


def _next(queue: list[tuple[int, int]], found: list[Opening]) -> int | None:
    """The smallest set not looked at that contains none of those that open a way."""
    while queue:
        _, mask = heapq.heappop(queue)
        if not any(each.mask & ~mask == 0 for each in found):
            return mask
    return None


def _farther(ground: Ground, mask: int, reached: Ints, too_long: bool) -> tuple[list[int], bool]:
    """Rules to relax besides, and whether all that could help are among them."""
    if too_long:  # a shorter way may come by any change of the graph
        return [1 << i for i in range(len(ground.book.rules)) if not mask >> i & 1], True
    if (1 + len(reached)) * len(ground.points) > MOST_PAIRS:
        return [], False
    return ground.beyond(mask, reached), True
