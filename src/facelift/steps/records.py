"""What is known of the records that journeys run through: a graph, answers, candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from facelift import models
from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.lookup import Lookup
from facelift.graph.outward import costs_to_any, worth_compiling
from facelift.graph.rows import Neighbourhood, attached
from facelift.models.agreement import Committee
from facelift.multiverse.destinations import absorbing
from facelift.multiverse.goal import Goal, Range, goal_of, range_of
from facelift.steps.cases import check_case
from facelift.terrain.terrain import Terrain

N_REMEMBERED = 8
"""Goals whose candidates are remembered."""

N_CHECKED = 2_000
"""Records that a model is asked about again to see whether it is still the same."""

Ask = Callable[[Floats], Floats]
"""What a model says of points: one row of answers each."""


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
    """A graph of records, how new cases join it, what the model says, which may be entered.

    `classes` are those the model tells apart, none where it predicts a number. The model itself is
    no part of it: whoever wants to know of other points says whom to `ask`.

    Examples
    --------
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    >>> records = explainer.records
    >>> case = records.case(explainer.terrain_.point([2.0]), explainer.ask)
    >>> goal = records.goal(None, case.probabilities, explainer.threshold)
    >>> case.vertex, goal.target, records.candidates(goal).mask.sum()
    (2, ('1',), np.int64(6))
    """

    terrain: Terrain
    graph: Graph
    hood: Neighbourhood
    probabilities: Floats
    classes: tuple[Any, ...]
    enterable: Bools
    committee: Committee | None = None
    _remembered: dict[tuple[Goal | Range, bool], Candidates] = field(
        default_factory=dict, repr=False
    )

    @cached_property
    def lookup(self) -> Lookup:
        """Records by their point."""
        return Lookup(self.graph.points)

    @cached_property
    def largest(self) -> Floats:
        """The largest answers there are, by column."""
        return np.asarray(np.abs(self.probabilities).max(axis=0, initial=0.0))

    def places(self, points: Sequence[Floats | InvalidData]) -> list[int]:
        """The record that each point is, -1 for none."""
        nowhere = np.full(self.terrain.n_coordinates, np.nan)
        rows = [nowhere if isinstance(point, InvalidData) else point for point in points]
        found = self.lookup.vertices(np.array(rows).reshape(-1, len(nowhere)))
        return [int(vertex) for vertex in found]

    def case(self, point: Floats, ask: Ask, place: int | None = None) -> Case:
        """The factual at a point; the model is asked about it unless it is a record."""
        check_case(self.terrain, point)
        vertex = self.places([point])[0] if place is None else place
        if vertex >= 0:
            return Case(point, self.probabilities[vertex], vertex)
        return Case(point, ask(point[np.newaxis, :])[0], None)

    def answers_at(self, points: Floats, ask: Ask) -> Floats:
        """What the model says of many points; it is asked only about those that are no records."""
        vertices = self.lookup.vertices(points)
        answers = self.probabilities[vertices]
        if (new := vertices < 0).any():
            answers[new] = ask(points[new])
        return np.asarray(answers)

    def check_same(self, ask: Ask) -> None:
        """Records all over the table must get the answers they had before."""
        sample = np.unique(np.linspace(0, len(self.graph) - 1, N_CHECKED).astype(np.int64))
        answers = ask(self.graph.points[sample])
        models.check_same(answers, self.probabilities[sample], self.largest)

    def goal(self, target: Any, current: Floats, threshold: float) -> Goal | Range:
        """What was asked for, in the model's classes or as a range of its numbers."""
        if not self.classes:
            return range_of(target)
        return goal_of(target, list(self.classes), current, threshold)

    def there(self, case: Case, goal: Goal | Range) -> bool:
        """Whether a case has the outcome asked for, and enough of the committee agree."""
        if not goal.reached(case.probabilities):
            return False
        if self.committee is None or not self.committee.min_agreement:
            return True
        shares = self.committee.agreement(case.point[np.newaxis, :], goal)
        return bool(self.committee.enough(shares)[0])

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
