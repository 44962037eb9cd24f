"""Certificates: what stands between a case and the outcome, searched for when asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, pairwise

import numpy as np

from facelift._arrays import Bools, Floats, Ints, chunks, slices
from facelift.errors import InvalidInput
from facelift.geometry import tied_ranks
from facelift.graph.building import Neighbourhood, attached, row_graph
from facelift.graph.edge_costs import Edges
from facelift.graph.graph import Graph
from facelift.graph.nearest import nearest_admissible
from facelift.graph.routes import Search, forward, remaining_costs
from facelift.language import count, say
from facelift.multiverse.certificate import Bridge, Certificate, Obstacle, Relaxation
from facelift.multiverse.exploration import described
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import MORE_STEPS
from facelift.steps import patience_of
from facelift.steps.base import Local
from facelift.steps.lattice import Ladder, Lattice, States, ageing, ladders, numbering
from facelift.steps.register import Judge, Register
from facelift.steps.relax import Labels, smallest_ways
from facelift.terrain.rulebook import (
    UNBREAKABLE,
    Masks,
    Rule,
    Rulebook,
    personal_rules,
    smallest,
    without,
)
from facelift.terrain.terrain import Terrain

MOST_CHAINED = 4
"""For so many rules on one category, chains of changes are looked for under each set of them."""

MOST_SETS = 400
"""So many sets of rules are searched for one case among records."""

MOST_PAIRS = 20_000_000
"""So many moves between records are looked at where a set opens nothing."""

THROUGH_RECORDS = say("through the records")


@dataclass(frozen=True, eq=False)
class BlockedRows:
    """A case among records that nothing leads on from.

    `local` is where it was searched, `wanted` are the records that have the outcome and would do as
    destinations, `enterable` those within the rules.
    """

    local: Local
    terrain: Terrain
    neighbourhood: Neighbourhood
    wanted: Bools
    enterable: Bools
    alone: bool
    """Whether one model decides; where several must agree, no threshold is proposed."""

    def certificate(self) -> Certificate:
        """What would open a journey."""
        threshold, personal = self._threshold(), _personal(self.terrain)
        if not self.wanted.any():
            return Certificate("no candidate", threshold=threshold, searched=THROUGH_RECORDS)
        moves = RowMoves(self, rules_of(self.terrain, self.local.wanted.max_steps))
        ways, complete = smallest_ways(moves)
        relaxations = tuple(self._relaxation(moves, int(way.masks[-1])) for way in ways)
        reached = np.isfinite(
            forward(self.local.graph, self.local.source).costs[: len(self.wanted)]
        )
        allowed, sure = moves.allowed
        kind: Obstacle = "not connected" if allowed else "rules"
        if (reached & self.wanted & self.enterable).any():
            kind = "too many steps"
        complete &= moves.complete and sure
        return Certificate(
            kind,
            relaxations,
            complete,
            self._bridge(),
            threshold,
            THROUGH_RECORDS,
            personal,
            worse=_worse(self.terrain),
            features=self.terrain.by_name,
        )

    def _threshold(self) -> float | None:
        """The threshold, with the margin, of the best in reach; None if the case's own."""
        if not self.alone:
            return None
        search = forward(self.local.graph, self.local.source)
        reached = np.isfinite(search.costs)
        if self.local.wanted.max_steps is not None:
            reached &= search.n_steps <= self.local.wanted.max_steps
        reached[self.local.source] = False
        places = np.flatnonzero(reached)
        return _would_do(
            self.local.goal,
            self.local.answers(places),
            self.local.answers(np.array([self.local.source])),
        )

    def _relaxation(self, moves: RowMoves, mask: int) -> Relaxation:
        rules, vertices, steps = moves.book.among(mask), *moves.found[mask]
        points = self.local.graph.at(vertices)
        return _relaxation(self, rules, vertices, points, steps, self.local.answers, max_steps=None)

    def _bridge(self) -> Bridge | None:
        """The cheapest allowed step from what is in reach to what leads on; None if there is none.

        One row of costs at each of its ends says how many neighbours would make it an edge.
        """
        n, points = len(self.wanted), self.local.graph.points
        here = np.isfinite(forward(self.local.graph, self.local.source).costs)
        candidates = np.flatnonzero(self.wanted & self.enterable)
        if not len(candidates):
            return None
        left = remaining_costs(self.local.graph, [candidates])[:, 0]
        there = np.flatnonzero(np.isfinite(left[:n]) & self.enterable)
        near = np.flatnonzero(here)
        if here[there].any() or not len(there):
            return None
        ends, costs = self._nearest(points, near, there)
        best = int(np.argmin(tied_ranks(costs)))
        if not np.isfinite(costs[best]):
            return None
        start, end, cost = int(near[best]), int(there[ends[best]]), float(costs[best])
        limit = self.neighbourhood.max_step
        return Bridge(
            start,
            end,
            cost,
            len(near) - 1,
            len(there),
            self._neighbors_needed(start, end),
            cost if limit is not None and cost > limit else None,
        )

    def _nearest(self, points: Floats, near: Ints, there: Ints) -> tuple[Ints, Floats]:
        """The nearest of some vertices that each other one may go to, and what the step costs."""
        prices = self.neighbourhood.prices
        ends, costs = nearest_admissible(points[near], points[there], prices, 1)
        if self.neighbourhood.edges == "mutual":  # records must be able to choose each other
            back, dear = nearest_admissible(points[near], points[there], prices.reversible, 1)
            dear[~self.enterable[np.minimum(near, len(self.wanted) - 1)]] = np.inf
            records = (near < len(self.wanted))[:, np.newaxis]
            ends, costs = np.where(records, back, ends), np.where(records, dear, costs)
        return ends[:, 0], costs[:, 0]

    def _neighbors_needed(self, start: int, end: int) -> int | None:
        """How many neighbours make a step an edge; None where there are enough already."""
        if self.neighbourhood.n_neighbors is None:
            return None
        ranks = [self._rank(start, end)]
        if start < len(self.wanted) and self.neighbourhood.edges != "out":
            ranks.append(self._rank(end, start))
        mutual = self.neighbourhood.edges == "mutual"
        both = self.neighbourhood.max_step is None or mutual
        needed = (max if mutual else min)(ranks) if both else ranks[0]
        enough = needed is None or needed <= self.neighbourhood.n_neighbors
        return None if enough or needed == np.inf else int(needed)

    def _rank(self, start: int, end: int) -> float:
        """The how manieth nearest of a vertex another one is; infinite if it may not go there."""
        ends = np.flatnonzero(self.enterable)
        ends = ends[ends != start]
        costs = self.neighbourhood.prices.cost(
            self.local.graph.points[start], self.local.graph.points[ends]
        )
        if end not in ends or not np.isfinite(costs[ends == end]).all():
            return np.inf
        order = ends[np.lexsort((ends, tied_ranks(costs)))]
        return float(np.flatnonzero(order == end)[0] + 1)


@dataclass(eq=False)
class RowMoves:
    """Sets of relaxed rules among records, each searched on the graph it makes.

    Under a set Q of relaxed rules the graph is what it would be if the terrain never had them:
    every record leads to its nearest admissible ones under the other rules. Relaxing more rules
    may take edges away, since nearer records push farther ones out; so a set is a state of its
    own, and a move adds rules to it:

    - Whoever ends at a record breaks at least the rules that no way there can get round. The
      smallest of these sets, over all records with the outcome, come first; no set that contains
      none of them opens anything.
    - From the source, under Q, only records all of whose such rules are in Q can be come by. So
      the part of the graph that matters is built from them alone.
    - Where a set opens nothing, the sets tried next add the rules that one more step, from what is
      in reach to what is not, would break.
    """

    asked: BlockedRows
    book: Rulebook
    found: dict[int, tuple[Ints, Floats]] = field(default_factory=dict)
    """The cheapest way that each set opens: its records (a source that is none comes last), and
    what its steps cost."""
    complete: bool = True
    """Whether every set was followed."""
    _next: dict[int, list[int]] = field(default_factory=dict)
    """For each set that opens nothing, the rules to relax besides."""

    @property
    def start(self) -> Labels:
        """The case, before any set is searched."""
        return _sets([0], -1, 0)

    @property
    def room(self) -> int:
        """How many more sets may be searched."""
        return MOST_SETS - len(self.found) - len(self._next)

    def judge(self, labels: Labels) -> tuple[Labels, Bools, Bools]:
        """Search each set on its own graph."""
        for mask in labels.masks.tolist():
            try:
                self._search(mask)
            except InvalidInput:  # an edge cost that has no weight for moves these rules kept out
                self.complete, self._next[mask] = False, []
        ways = [self.found.get(mask) for mask in labels.masks.tolist()]
        costs = np.array([np.inf if way is None else way[1].sum() for way in ways])
        return replace(labels, costs=costs), np.ones(len(labels), dtype=bool), np.isfinite(costs)

    def farther(self, labels: Labels, places: Ints) -> Labels:
        """The sets to search after some that open nothing."""
        found = [labels[:0]]
        for mask, begun, place in zip(labels.masks.tolist(), labels.n_steps, places, strict=True):
            sets = [mask | more for more in self._next[mask]] if begun else self._first
            found.append(_sets(sets, place, 1))
        return Labels.joined(*found)

    @cached_property
    def points(self) -> Floats:
        """The records."""
        return self.asked.local.graph.points[: len(self.asked.wanted)]

    @cached_property
    def of_states(self) -> Masks:
        """Rules that being at each record breaks."""
        return self.book.by_states(self.points)

    @cached_property
    def unavoidable(self) -> Masks:
        """Rules that every way from the case to each record breaks."""
        return self.book.by_ways(self.asked.local.case.point, self.points) | self.of_states

    @property
    def _first(self) -> list[int]:
        """The smallest sets that could open anything."""
        wanted = self.asked.wanted.copy()
        if self.asked.local.case.vertex is not None:
            wanted[self.asked.local.case.vertex] = False
        return _breakable(self.unavoidable[wanted])

    @cached_property
    def allowed(self) -> tuple[bool, bool]:
        """Whether moves within the rules lead to the outcome, however far; and if that is sure."""
        wanted, new = self.asked.wanted, self.asked.local.case.point[np.newaxis]
        rest = np.flatnonzero(self.unavoidable == 0)
        while len(new) * len(rest) <= MOST_PAIRS:
            open_ = (self.book.by_moves(new, self.points[rest]) == 0).any(axis=0)
            if wanted[rest[open_]].any():
                return True, True
            if not open_.any():
                return False, True
            new, rest = self.points[rest[open_]], rest[~open_]
        return False, False

    def _search(self, mask: int) -> None:
        members = np.flatnonzero(self.unavoidable & ~np.uint64(mask) == 0)
        if not len(members):
            self._next[mask] = self._beyond(mask, members)
            return
        graph, source = self.graph(mask, members)
        search = forward(graph, source)
        reached = np.isfinite(search.costs)
        reached[source] = False
        ends = np.flatnonzero(reached[: len(members)] & self.asked.wanted[members])
        near, limit = ends, self.asked.local.wanted.max_steps
        if limit is not None and not mask >> (len(self.book.rules) - 1) & 1:
            near = ends[search.n_steps[ends] <= limit]
        if len(near):
            self.found[mask] = self._way(search, near, members)
        elif len(ends):  # only the steps are too many: any change of the graph may save some
            self._next[mask] = [1 << i for i in range(len(self.book.rules)) if not mask >> i & 1]
        else:
            self._next[mask] = self._beyond(mask, members[reached[: len(members)]])

    def graph(self, mask: int, members: Ints) -> tuple[Graph, int]:
        """The part of the graph under a set of relaxed rules, and the source in it."""
        n, asked = len(self.points), self.asked

        def edge_cost(edges: Edges) -> Floats:
            return asked.neighbourhood.edge_cost(replace(edges, n_points=n))

        prices = self.book.terrain_without(mask).prices
        neighbourhood = replace(asked.neighbourhood, prices=prices, edge_cost=edge_cost)
        graph = row_graph(self.points[members], neighbourhood)
        if asked.local.case.vertex is not None:
            return graph, int(np.searchsorted(members, asked.local.case.vertex))
        everywhere = np.ones(len(members), dtype=bool)
        return attached(graph, asked.local.case.point, neighbourhood, everywhere), len(members)

    def _way(self, search: Search, ends: Ints, members: Ints) -> tuple[Ints, Floats]:
        """The cheapest way to one of some ends."""
        route = search.route(int(ends[np.argmin(tied_ranks(search.costs[ends]))]))
        steps = [search.graph.edge_cost(u, v) for u, v in pairwise(route.tolist())]
        return np.append(members, len(self.points))[route], np.array(steps)

    def _beyond(self, mask: int, reached: Ints) -> list[int]:
        """What one more step would break, from what is in reach to what is not: smallest sets."""
        outside = np.setdiff1d(np.arange(len(self.points)), reached)
        if (1 + len(reached)) * len(self.points) > MOST_PAIRS:
            self.complete = False
            return []
        kept, back = ~np.uint64(mask), self.asked.local.case.vertex is not None
        parts = chunks(len(reached), len(outside) * self.points.shape[1])
        found = [self._steps_out(self.asked.local.case.point[np.newaxis], outside, kept, back=back)]
        found += [self._steps_out(self.points[reached[p]], outside, kept, back=True) for p in parts]
        more = np.concatenate(found)
        return _breakable(more[more > 0])

    def _steps_out(self, starts: Floats, ends: Ints, kept: np.uint64, *, back: bool) -> Masks:
        """Sets that steps from some points break more, by the rule that makes edges."""
        out = (self.book.by_moves(starts, self.points[ends]) | self.of_states[ends]) & kept
        if not back or self.asked.neighbourhood.edges == "out":
            return np.unique(out)
        home = self.book.by_moves(self.points[ends], starts).T
        home = (home | self.book.by_states(starts)[:, np.newaxis]) & kept
        mutual = self.asked.neighbourhood.edges == "mutual"
        return np.unique(out | home if mutual else np.where(out, out, home))


@dataclass(frozen=True, eq=False)
class BlockedActions:
    """A case from which no single actions lead to the outcome.

    `judge` says whether points are plausible and succeed, whatever the terrain.
    """

    local: Local
    terrain: Terrain
    judge: Judge
    max_steps: int
    alone: bool
    """Whether one model decides; where several must agree, no threshold is proposed."""
    n_having: int
    """How many records have the outcome."""
    proven: str = ""
    """That there is no way within the rules, if that is known."""

    def certificate(self) -> Certificate:
        """What would open a journey."""
        moves = ActionMoves(self, rules_of(self.terrain, self.max_steps if self.limited else None))
        ways, complete = smallest_ways(moves, by_size=self.exhausted)
        complete &= moves.complete
        relaxations = self._relaxations(moves, ways)
        return Certificate(
            "rules" if ways or not complete else "out of reach",
            relaxations,
            complete,
            threshold=self._threshold(),
            searched=count(
                "of up to {n} single change through plausible states, none undone,",
                "of up to {n} single changes through plausible states, none undone,",
                moves.max_steps,
            ),
            personal=_personal(self.terrain),
            worse=_worse(self.terrain),
            n_having=self.n_having,
            proven=self.proven,
            features=self.terrain.by_name,
        )

    @property
    def limited(self) -> bool:
        """Whether somebody asked for so few steps."""
        return self.local.wanted.max_steps is not None

    @property
    def exhausted(self) -> bool:
        """Whether all states within the rules were looked at."""
        return self.local.survey is not None and self.local.survey.stopped == "exhausted"

    def _threshold(self) -> float | None:
        """The threshold, with the margin, of the best state within the rules."""
        if not self.alone or self.local.seen is None:
            return None
        own = self.local.case.answers[np.newaxis, :]
        return _would_do(self.local.goal, self.local.seen[1], own)

    def _relaxations(self, moves: ActionMoves, ways: list[Labels]) -> tuple[Relaxation, ...]:
        if not ways:
            return ()
        states = moves.states_of(Labels.joined(*ways))
        points, said = moves.lattice.points(states), moves.register.answers_of(states)
        more = self.max_steps + MORE_STEPS
        return tuple(
            _relaxation(
                self,
                moves.book.among(int(way.masks[-1])),
                np.arange(len(way)),
                points[part],
                np.diff(way.costs),
                said[part].__getitem__,
                max_steps=more,
            )
            for way, part in zip(ways, slices(map(len, ways)), strict=True)
        )


class ActionMoves:
    """Single actions past the rules, and which rules each breaks.

    Ladders reach as far as with all rules relaxed. What can be done from a state does not depend
    on which rules are relaxed, so one growth answers for all sets of rules at once. A category
    that is reached through others under some rules has a position of its own for each chain.
    """

    def __init__(self, asked: BlockedActions, book: Rulebook) -> None:
        self.asked, self.book = asked, book
        self.complete = True
        free = ladders(book.everything, asked.local.case.point)
        self.lattice = Lattice(
            asked.local.case.point, tuple(map(self._with_chains, free)), ageing(asked.terrain)
        )
        self.radices = numbering(self.lattice)
        self.register = Register(self.lattice, asked.judge, asked.local.case.answers)
        self.positions = [self._broken(i) for i in range(len(self.lattice.ladders))]
        self.max_steps = asked.max_steps + (MORE_STEPS if asked.limited else 0)
        self.too_many = 1 << (len(book.rules) - 1) if asked.limited else 0

    @property
    def start(self) -> Labels:
        """The case."""
        none = np.zeros(1, dtype=np.uint64)
        start = np.zeros(1, dtype=self.radices.dtype)
        return Labels(start, none, np.zeros(1), np.zeros(1, np.int64), np.full(1, -1))

    @property
    def room(self) -> int:
        """How many more states may be judged."""
        wanted = self.asked.local.wanted
        most = (
            patience_of(wanted.patience).states if wanted.max_states is None else wanted.max_states
        )
        return most - self.register.n_judged

    def judge(self, labels: Labels) -> tuple[Labels, Bools, Bools]:
        """Whether states are plausible and succeed, and the requirements that they do not meet."""
        states = self.states_of(labels)
        masks = labels.masks | self.book.by_requirements(self.lattice.points(states))
        passable = self.register.admissible(states) & (masks & UNBREAKABLE == 0)
        won, places = passable.copy(), self.register.ask(states[passable])
        won[won] = self.register.wins[places]
        return replace(labels, masks=masks), passable, won

    def farther(self, labels: Labels, places: Ints) -> Labels:
        """All labels one action farther than some."""
        near = labels.n_steps < self.max_steps
        labels, places = labels[near], places[near]
        states, masks = self.states_of(labels), labels.masks.copy()
        masks[labels.n_steps >= self.asked.max_steps] |= np.uint64(self.too_many)
        found = [labels[:0]]
        for i, ladder in enumerate(self.lattice.ladders):
            moves = ((p, q) for q in range(1, len(ladder)) for p in ladder.before(q))
            for start, end in moves:
                here = np.flatnonzero(states[:, i] == start)
                found.append(
                    Labels(
                        labels.states[here] + (end - start) * self.radices[i],
                        masks[here] | self.positions[i][end],
                        labels.costs[here] + (ladder.costs[end] - ladder.costs[start]),
                        labels.n_steps[here] + 1,
                        places[here],
                    )
                )
        return Labels.joined(*found)

    def states_of(self, labels: Labels) -> States:
        """The states of labels: a position on each ladder."""
        states = np.empty((len(labels), len(self.lattice.ladders)), dtype=np.int64)
        rest = labels.states
        for i, radix in enumerate(self.radices.tolist()):
            states[:, i], rest = rest // radix, rest % radix
        return states

    def _with_chains(self, ladder: Ladder) -> Ladder:
        """The ladder of a category with all chains that there are while some of its rules hold."""
        name = str(ladder.names[0])
        features = [each for each in self.book.terrain.features if each.name in ladder.names]
        if not any(each.transitions for each in features):
            return ladder
        if ladder.jumps:  # it has none while single changes of level have rules of their own
            self.complete = False
            return replace(ladder, jumps=False)
        if not ladder.unordered:
            return ladder
        own = [rule for rule in self.book.rules if rule.feature == name]
        sizes = range(len(own)) if len(own) <= MOST_CHAINED else range(2)
        self.complete &= len(own) <= MOST_CHAINED
        others = [rule for rule in self.book.rules if rule.feature != name]
        for relaxed in chain.from_iterable(combinations(own, size) for size in sizes):
            terrain = without(self.book.terrain, [*others, *relaxed])
            for each in ladders(terrain, self.asked.local.case.point):
                if each.names == ladder.names:
                    ladder = ladder.joined(each)
                    self.complete &= not self._other_chains(terrain, each)
        return ladder

    def _other_chains(self, terrain: Terrain, ladder: Ladder) -> bool:
        """Whether a category could be reached through others by more than the cheapest chain."""
        alone = Lattice(self.asked.local.case.point, (ladder,))
        points = alone.points(np.arange(len(ladder))[:, np.newaxis])
        steps = np.isfinite(terrain.cost(points[:, np.newaxis], points))
        np.fill_diagonal(steps, val=False)
        return bool((steps.sum(axis=0)[ladder.n_steps > 1] > 1).any())

    def _broken(self, i: int) -> Masks:
        """The rules that getting to each position of a ladder breaks, action by action."""
        ladder = self.lattice.ladders[i]
        states = np.zeros((len(ladder), len(self.lattice.ladders)), dtype=np.int64)
        states[:, i] = np.arange(len(ladder))
        points = self.lattice.points(states)
        moves, masks = self.book.by_moves(points, points), self.book.by_bounds(points)
        for position in range(1, len(ladder)):  # parents come first
            parent = ladder.parents[position]
            masks[position] |= moves[parent, position] | masks[parent]
        return masks


def rules_of(terrain: Terrain, max_steps: int | None) -> Rulebook:
    """The rules of a terrain, and that on the number of steps as the last."""
    book = Rulebook.of(terrain)
    if max_steps is None:
        return book
    return replace(book, rules=(*book.rules, Rule("steps", limit=float(max_steps))))


def _worse(terrain: Terrain) -> tuple[str, ...]:
    """Columns of which some changes are left out, as they make people worse off."""
    return tuple(str(feature.name) for feature in terrain.features if feature.worse)


def _personal(terrain: Terrain) -> tuple[str, ...]:
    """The columns whose rules are never relaxed."""
    return tuple(dict.fromkeys(rule.feature for rule in personal_rules(terrain)))


def _sets(masks: list[int], place: int, n_steps: int) -> Labels:
    """Sets of rules as labels, each a state of its own kind: not searched yet."""
    n = len(masks)
    return Labels(
        np.full(n, n_steps),
        np.array(masks, dtype=np.uint64),
        np.full(n, np.inf),
        np.full(n, n_steps),
        np.full(n, place),
    )


def _breakable(masks: Masks) -> list[int]:
    """The smallest of some sets, without those that no relaxing allows."""
    return smallest(np.unique(masks[masks & UNBREAKABLE == 0]).tolist())


def _would_do(goal: Goal | Range, answers: Floats, own: Floats) -> float | None:
    """The highest threshold at which an answer would do, if it is above one's own chance."""
    if not isinstance(goal, Goal):
        return None
    highest = goal.threshold_for(goal.best(answers))
    return highest if highest > float(goal.chances(own)[0]) else None


def _relaxation(
    asked: BlockedRows | BlockedActions,
    rules: tuple[Rule, ...],
    vertices: Ints,
    points: Floats,
    steps: Floats,
    answers: Callable[[Ints], Floats],
    *,
    max_steps: int | None,
) -> Relaxation:
    """Rules to relax and the journey they open; `max_steps` is for where steps are too many."""
    terrain = without(asked.terrain, rules)
    left = np.array([float(steps[i:].sum()) for i in range(len(vertices))])
    journey = Journey(vertices, points, steps, left[:, np.newaxis], 0)
    alone = Multiverse((journey,), (), goal=asked.local.goal)
    (journey,) = described(alone, terrain, answers)
    longer = any(rule.kind == "steps" for rule in rules)
    return Relaxation(rules, journey, terrain, {"max_steps": max_steps} if longer else {})
