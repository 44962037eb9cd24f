"""Journeys through real records: what is known of them, from a case to a multiverse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from facelift.arrays import Bools, Floats, Ints
from facelift.certificates import RowQuestion
from facelift.committee import Committee
from facelift.errors import InvalidData, InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.lookup import Lookup
from facelift.graph.outward import costs_to_any, worth_compiling
from facelift.graph.routes import forward
from facelift.graph.rows import Neighbourhood, attached
from facelift.multiverse import whynot
from facelift.multiverse.bridged import bridge_many
from facelift.multiverse.destinations import Wanted, absorbing
from facelift.multiverse.exploration import nearest_journeys
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.telling import Telling, told
from facelift.multiverse.whynot import WhyNot
from facelift.terrain.terrain import Terrain

N_REMEMBERED = 8
"""Goals whose candidates are remembered."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Records that may be destinations, and the graph on which journeys lead to them."""

    graph: Graph
    mask: Bools
    allowed: Bools
    """Records that would do if they had the outcome."""
    would_do: Bools
    """Those, and records that the rules keep out."""
    shared: bool = True
    """Whether many people will ask for them."""

    @cached_property
    def nearest(self) -> Floats:
        """Least cost from every record to any candidate: one search for the whole population."""
        return costs_to_any(self.graph, self.mask)

    @property
    def guide(self) -> Floats | None:
        """What leads searches to the candidates, where it pays to know.

        Always or never for the same question: what is left to go is added up in an order that
        depends on it, and the same question has the same answer to the last digit.
        """
        return self.nearest if self.shared and worth_compiling(self.graph) else None


@dataclass(frozen=True, eq=False)
class Case:
    """The factual: its point, what the model says of it, and the record it equals, if any."""

    point: Floats
    probabilities: Floats
    vertex: int | None


@dataclass(frozen=True, eq=False)
class Records:
    """A graph of records, how new cases join it, what the model says, which may be entered."""

    terrain: Terrain
    graph: Graph
    hood: Neighbourhood
    probabilities: Floats
    enterable: Bools
    committee: Committee | None = None
    _remembered: dict[tuple[Goal | Range, bool], Candidates] = field(
        default_factory=dict, repr=False
    )

    @cached_property
    def lookup(self) -> Lookup:
        """Records by their point."""
        return Lookup(self.graph.points)

    def candidates(
        self, goal: Goal | Range, *, stop_at_first: bool = False, among: Bools | None = None
    ) -> Candidates:
        """Records that have the outcome and may be entered, of those allowed if not all are."""
        if among is not None:
            return replace(self._candidates(goal, stop_at_first, among), shared=False)
        found = self._remembered.get((goal, stop_at_first))  # another thread may forget it any time
        if found is None:
            found = self._candidates(goal, stop_at_first, np.ones_like(self.enterable))
            if len(self._remembered) >= N_REMEMBERED:
                self._remembered.clear()
            self._remembered[goal, stop_at_first] = found
        return found

    def placed(self, case: Case, graph: Graph) -> tuple[Graph, int]:
        """The case as a vertex: the record it equals, or a new one attached to the graph."""
        if case.vertex is not None:
            return graph, case.vertex
        try:
            return attached(graph, case.point, self.hood, self.enterable), len(graph)
        except InvalidInput as fault:  # of an edge cost; it is this case that cannot be weighed
            raise InvalidData(str(fault)) from None

    def answers(self, case: Case, vertices: Ints) -> Floats:
        """What the model says of records, and of the case itself where it is not one of them."""
        found = self.probabilities[np.minimum(vertices, len(self.probabilities) - 1)]
        found[vertices == len(self.probabilities)] = case.probabilities
        return np.asarray(found)

    def having(self, goal: Goal | Range) -> Bools:
        """Records that have the outcome, by all who are asked; within the rules or not."""
        reached = goal.reached(self.probabilities)
        return reached if self.committee is None else reached & self.committee.lasting(goal)

    def _candidates(self, goal: Goal | Range, stop_at_first: bool, among: Bools) -> Candidates:
        allowed = self.enterable & among
        mask = self.having(goal) & allowed
        graph = absorbing(self.graph, mask) if stop_at_first else self.graph
        return Candidates(graph, mask, allowed, among)


def through_rows(
    records: Records, case: Case, goal: Goal | Range, candidates: Candidates, wanted: Wanted
) -> Multiverse:
    """Journeys from one record to the next, to the nearest of the candidates."""
    graph, vertex = records.placed(case, candidates.graph)
    telling = _telling(records, case, goal)
    found = nearest_journeys(graph, vertex, candidates.mask, wanted, telling, candidates.guide)
    if found.why_not is not None:
        why_not = _no_row(records, goal, candidates, found.why_not.n_in_reach or 0)
        closest = _closest(records, graph, vertex, goal)
        asked = RowQuestion(
            records.terrain,
            records.hood,
            graph,
            vertex,
            case.point,
            case.vertex,
            candidates.would_do & records.having(goal),
            records.enterable,
            wanted.max_steps,
            goal,
            partial(records.answers, case),
            records.committee is None,
        )
        why_not = replace(why_not, certify=asked.certificate)
        return replace(found, why_not=why_not, goal=goal, closest=closest)
    return found


def through_bridges(
    records: Records, ask: Callable[[Floats], Floats], case: Case, goal: Goal | Range, ends: Floats
) -> Multiverse:
    """Journeys through records to those of some points that have the outcome and are allowed."""
    answers = ask(ends) if len(ends) else np.empty((0, goal.n_answers))
    good, committee = goal.reached(answers), records.committee
    if committee is not None and good.any():
        good[good] = committee.enough(committee.agreement(ends[good], goal))
    if not good.any():
        why_not = whynot.not_found(goal, goal.best(answers), len(ends))
        return Multiverse((), (), why_not=why_not, goal=goal)
    found = bridge_many(case.point, ends[good], records.graph.points, terrain=records.terrain)
    if not found.journeys or found.graph is None:
        return replace(found, goal=goal)
    points = found.graph.points
    agreement = None if committee is None else committee.agreement(points, goal).__getitem__
    return told(found, Telling(ask(points).__getitem__, goal, records.terrain, agreement))


def _telling(records: Records, case: Case, goal: Goal | Range) -> Telling:
    agreement = None
    if records.committee is not None:
        agreement = partial(records.committee.agreement_of, point=case.point, goal=goal)
    return Telling(partial(records.answers, case), goal, records.terrain, agreement)


def _no_row(
    records: Records, goal: Goal | Range, candidates: Candidates, n_in_reach: int
) -> WhyNot:
    best = goal.best(records.probabilities[candidates.allowed])
    n_candidates = int(candidates.mask.sum())
    reached = goal.reached(records.probabilities) & candidates.allowed
    if n_candidates == 0 and reached.any() and records.committee is not None:
        shares = records.committee.agreement_of(np.flatnonzero(reached), np.empty(0), goal)
        wanted = records.committee.min_agreement
        return whynot.no_agreement(goal, best, float(shares.max()), wanted, len(shares))
    if n_candidates == 0:
        return whynot.no_candidate(goal, best)
    return whynot.no_route(n_candidates, n_in_reach, best, goal)


def _closest(records: Records, graph: Graph, vertex: int, goal: Goal | Range) -> Floats | None:
    """Of the records in reach, the one nearest to the goal; None if there is none."""
    reached = np.flatnonzero(np.isfinite(forward(graph, vertex).costs[: len(records.graph)]))
    reached = reached[reached != vertex]
    if not len(reached):
        return None
    best = reached[np.argmax(goal.merit(records.probabilities[reached]))]
    return np.asarray(records.graph.points[best])
