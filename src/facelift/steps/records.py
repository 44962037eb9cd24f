"""What is known of the records that journeys run through: a graph, answers, candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, InvalidInput
from facelift.graph.building import attached
from facelift.graph.destinations import absorbing
from facelift.graph.graph import Graph
from facelift.graph.moves import Neighbourhood
from facelift.graph.search import SharedCosts, costs_to_any
from facelift.models.oracle import Oracle
from facelift.multiverse.goal import Goal, Range
from facelift.steps.cases import check_case
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
    def guide(self) -> SharedCosts | None:
        """What leads searches to the candidates; nothing where too few people ask for them."""
        return (lambda: self.nearest) if self.shared else None


@dataclass(frozen=True, eq=False)
class Case:
    """The factual: its point, what the model says of it, and the record it equals, if any."""

    point: Floats
    probabilities: Floats
    vertex: int | None


@dataclass(frozen=True, eq=False)
class Records:
    """A graph of records, how new cases join it, which may be entered, what the oracle says.

    Examples
    --------
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    >>> records = explainer.records
    >>> case = records.case(explainer.terrain_.point([2.0]))
    >>> goal = explainer.oracle_.goal(None, case.probabilities, explainer.threshold)
    >>> case.vertex, goal.target, records.candidates(goal).mask.sum()
    (2, ('1',), np.int64(6))
    """

    terrain: Terrain
    graph: Graph
    hood: Neighbourhood
    enterable: Bools
    oracle: Oracle
    _remembered: dict[tuple[Goal | Range, bool], Candidates] = field(
        default_factory=dict, repr=False
    )

    def places(self, points: Sequence[Floats | InvalidData]) -> list[int]:
        """The record that each point is, -1 for none."""
        nowhere = np.full(self.terrain.n_coordinates, np.nan)
        rows = [nowhere if isinstance(point, InvalidData) else point for point in points]
        found = self.oracle.lookup.vertices(np.array(rows).reshape(-1, len(nowhere)))
        return [int(vertex) for vertex in found]

    def case(self, point: Floats, place: int | None = None) -> Case:
        """The factual at a point; the model is asked about it unless it is a record."""
        check_case(self.terrain, point)
        vertex = self.places([point])[0] if place is None else place
        if vertex >= 0:
            return Case(point, self.oracle.known[vertex], vertex)
        return Case(point, self.oracle.answers(point[np.newaxis, :])[0], None)

    def there(self, case: Case, goal: Goal | Range) -> bool:
        """Whether a case has the outcome asked for, and enough of the committee agree."""
        said = case.probabilities[np.newaxis, :]
        return bool(self.oracle.reaches(case.point[np.newaxis, :], goal, said)[0])

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
        known = self.oracle.known
        found = known[np.minimum(vertices, len(known) - 1)]
        found[vertices == len(known)] = case.probabilities
        return np.asarray(found)

    def _candidates(self, goal: Goal | Range, stop_at_first: bool, among: Bools) -> Candidates:
        allowed = self.enterable & among
        mask = self.oracle.records_reaching(goal) & allowed
        graph = absorbing(self.graph, mask) if stop_at_first else self.graph
        return Candidates(graph, mask, allowed, among)
