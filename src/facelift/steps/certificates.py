"""Certificates: what stands between a case and the outcome, searched for when asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import tied_ranks
from facelift.graph.graph import Graph
from facelift.graph.nearest.exact import nearest_admissible
from facelift.graph.neighbourhood import Neighbourhood
from facelift.graph.routes import forward, remaining_costs
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.telling import Telling, told
from facelift.multiverse.whynot import Bridge, Certificate, Kind, Relaxation
from facelift.steps.growth import Judge, Judgement
from facelift.steps.labelled import World, labelled_ways, position_masks
from facelift.steps.lattice import Lattice
from facelift.steps.openings import Ground, openings
from facelift.terrain.ladder import ladders
from facelift.terrain.rulebook import Rule, Rulebook, without
from facelift.terrain.terrain import Terrain

MORE_STEPS = 3
"""So many steps more a relaxed number of steps allows, where states are made up."""

Asked = Goal | Range


@dataclass(frozen=True, eq=False)
class RowQuestion:
    """A case among records that nothing leads on from.

    `graph` and `source` are where it was searched, `wanted` the records that have the outcome and
    would do as destinations, `enterable` those within the rules.
    """

    terrain: Terrain
    hood: Neighbourhood
    graph: Graph
    source: int
    point: Floats
    vertex: int | None
    wanted: Bools
    enterable: Bools
    max_steps: int | None
    goal: Asked
    answers: Callable[[Ints], Floats]
    alone: bool
    """Whether one model decides; where several must agree, no threshold is proposed."""

    def certificate(self) -> Certificate:
        """What would open a journey."""
        if not self.wanted.any():
            return Certificate("no candidate", threshold=self._threshold())
        book = _with_steps(Rulebook.of(self.terrain), self.max_steps)
        ground = Ground(
            self.graph.points[: len(self.wanted)],
            self.hood,
            book,
            self.wanted,
            self.point,
            self.vertex,
            self.max_steps,
        )
        found = openings(ground)
        relaxations = tuple(
            self._relaxation(book.among(each.mask), each.vertices, each.step_costs)
            for each in found.found
        )
        bridge, allowed = self._bridge(), 0 in ground.beginnings()
        kind: Kind = "not connected" if allowed else "rules"
        if allowed and bridge is None and self.max_steps is not None:
            kind = "too many steps"
        return Certificate(kind, relaxations, found.complete, bridge, self._threshold())

    def _threshold(self) -> float | None:
        """The best chance in reach, where it is better than that of the case itself."""
        if not self.alone:
            return None
        search = forward(self.graph, self.source)
        reached = np.isfinite(search.costs)
        if self.max_steps is not None:
            reached &= search.n_steps <= self.max_steps
        reached[self.source] = False
        places = np.flatnonzero(reached)
        return _would_do(self.goal, self.answers(places), self.answers(np.array([self.source])))

    def _relaxation(self, rules: tuple[Rule, ...], vertices: Ints, steps: Floats) -> Relaxation:
        terrain = without(self.terrain, rules)
        journey = _journey(vertices, self.graph.at(vertices), steps)
        (journey,) = told(Multiverse((journey,), ()), Telling(self.answers, self.goal, terrain))
        more: Mapping[str, Any] = {"max_steps": None} if _steps_among(rules) else {}
        return Relaxation(rules, journey, terrain, more)

    def _bridge(self) -> Bridge | None:
        """The cheapest allowed step from what is in reach to what leads on; None if there is none.

        One row of costs at each of its ends says how many neighbours would make it an edge.
        """
        n, points = len(self.wanted), self.graph.points
        here = np.isfinite(forward(self.graph, self.source).costs)
        candidates = np.flatnonzero(self.wanted & self.enterable)
        if not len(candidates):
            return None
        left = remaining_costs(self.graph, [candidates])[:, 0]
        there = np.flatnonzero(np.isfinite(left[:n]) & self.enterable)
        near = np.flatnonzero(here)
        if here[there].any() or not len(there):
            return None
        ends, costs = self._nearest(points, near, there)
        best = int(np.argmin(tied_ranks(costs)))
        if not np.isfinite(costs[best]):
            return None
        start, end, cost = int(near[best]), int(there[ends[best]]), float(costs[best])
        limit = self.hood.max_step
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
        prices = self.hood.prices
        ends, costs = nearest_admissible(points[near], points[there], prices, 1)
        if self.hood.edges == "mutual":  # records must be able to choose each other
            back, dear = nearest_admissible(points[near], points[there], prices.reversible, 1)
            dear[~self.enterable[np.minimum(near, len(self.wanted) - 1)]] = np.inf
            records = (near < len(self.wanted))[:, np.newaxis]
            ends, costs = np.where(records, back, ends), np.where(records, dear, costs)
        return ends[:, 0], costs[:, 0]

    def _neighbors_needed(self, start: int, end: int) -> int | None:
        """How many neighbours make a step an edge; None where there are enough already."""
        if self.hood.n_neighbors is None:
            return None
        ranks = [self._rank(start, end)]
        if start < len(self.wanted) and self.hood.edges != "out":
            ranks.append(self._rank(end, start))
        mutual = self.hood.edges == "mutual"
        both = self.hood.max_step is None or mutual
        needed = (max if mutual else min)(ranks) if both else ranks[0]
        enough = needed is None or needed <= self.hood.n_neighbors
        return None if enough or needed == np.inf else int(needed)

    def _rank(self, start: int, end: int) -> float:
        """The how manieth nearest of a vertex another one is; infinite if it may not go there."""
        ends = np.flatnonzero(self.enterable)
        ends = ends[ends != start]
        costs = self.hood.prices.cost(self.graph.points[start], self.graph.points[ends])
        if end not in ends or not np.isfinite(costs[ends == end]).all():
            return np.inf
        order = ends[np.lexsort((ends, tied_ranks(costs)))]
        return float(np.flatnonzero(order == end)[0] + 1)


@dataclass(frozen=True, eq=False)
class ActionQuestion:
    """A case from which no single actions lead to the outcome.

    `judge` says whether points are plausible and succeed, whatever the terrain.
    """

    terrain: Terrain
    point: Floats
    probabilities: Floats
    goal: Asked
    judge: Judge
    max_steps: int
    limited: bool
    """Whether somebody asked for so few steps."""
    max_states: int
    exhausted: bool
    """Whether all states within the rules were looked at."""
    seen: Floats | None
    """What the model said of states within the rules; None where it is not alone to decide."""

    def certificate(self) -> Certificate:
        """What would open a journey."""
        book = _with_steps(Rulebook.of(self.terrain), self.max_steps if self.limited else None)
        lattice = Lattice(self.point, tuple(ladders(book.everything, self.point)))
        ways, complete = labelled_ways(
            self._world(book, lattice), self.max_states, by_size=self.exhausted
        )
        sets = [book.among(each.mask) for each in ways]
        relaxations = self._told(sets, [(each.points, each.step_costs) for each in ways])
        kind: Kind = "rules" if ways or not complete else "no candidate"
        threshold = _would_do(self.goal, self.seen, self.probabilities[np.newaxis, :])
        return Certificate(kind, relaxations, complete, threshold=threshold)

    def _world(self, book: Rulebook, lattice: Lattice) -> World:
        yes, no = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
        return World(
            lattice,
            position_masks(lattice, book.by_moves, book.by_bounds),
            book.by_requirements,
            self.judge,
            Judgement(yes, no, self.probabilities[np.newaxis, :]),
            self.max_steps + (MORE_STEPS if self.limited else 0),
            self.max_steps,
            1 << (len(book.rules) - 1) if self.limited else 0,
        )

    def _told(
        self, sets: Sequence[tuple[Rule, ...]], ways: Sequence[tuple[Floats, Floats]]
    ) -> tuple[Relaxation, ...]:
        if not ways:
            return ()
        said = self.judge(np.concatenate([points for points, _ in ways])).probabilities.copy()
        said[np.isnan(said[:, 0])] = self.probabilities  # where one stands, plausible or not
        ends = np.cumsum([len(points) for points, _ in ways])
        found = []
        for rules, (points, steps), end in zip(sets, ways, ends, strict=True):
            terrain = without(self.terrain, rules)
            journey = _journey(np.arange(end - len(points), end), points, steps)
            (journey,) = told(
                Multiverse((journey,), ()), Telling(said.__getitem__, self.goal, terrain)
            )
            journey = replace(journey, vertices=np.arange(len(points)))
            more: Mapping[str, Any] = {}
            if _steps_among(rules):
                more = {"max_steps": self.max_steps + MORE_STEPS}
            found.append(Relaxation(rules, journey, terrain, more))
        return tuple(found)


def _would_do(goal: Asked, answers: Floats | None, own: Floats) -> float | None:
    """The best chance among answers, if it is better than one's own."""
    if not isinstance(goal, Goal) or answers is None:
        return None
    best = goal.best(answers)
    return best if best > float(goal.chances(own)[0]) else None


def _journey(vertices: Ints, points: Floats, steps: Floats) -> Journey:
    """A journey that is the only one of its multiverse."""
    left = [float(steps[i:].sum()) for i in range(len(vertices))]
    return Journey(vertices, points, steps, np.array(left)[:, np.newaxis], 0)


def _with_steps(book: Rulebook, max_steps: int | None) -> Rulebook:
    """The rules with that on the number of steps, the last."""
    if max_steps is None:
        return book
    return replace(book, rules=(*book.rules, Rule("steps", limit=float(max_steps))))


def _steps_among(rules: tuple[Rule, ...]) -> bool:
    return any(rule.kind == "steps" for rule in rules)
