"""A toy kind of step: one leap from a case to a record that has the outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from facelift.graph.graph import Graph
from facelift.multiverse.goal import Goal, Range
from facelift.steps.base import Case, Local, Request, Steps


@dataclass(frozen=True, eq=False)
class Leaps(Steps):
    """Steps that lead straight to a record with the outcome, where the rules allow it."""

    def local(self, case: Case, goal: Goal | Range, wanted: Request) -> Local:
        """The case, and an edge to every record that will do."""
        will_do = self.oracle.records_reaching(goal) & self.terrain.admissible(self.oracle.points)
        points = np.vstack([case.point, self.oracle.points[will_do]])
        answers = np.vstack([case.answers, self.oracle.known[will_do]])
        costs = np.append(np.inf, self.terrain.prices.cost(case.point, points[1:]))
        (ends,) = np.nonzero(np.isfinite(costs))
        edges = (costs[ends], (np.zeros_like(ends), ends))
        graph = Graph(points, sparse.csr_array(edges, shape=(len(points), len(points))))
        candidates = np.arange(len(points)) > 0
        return Local(case, goal, wanted, graph, 0, answers.__getitem__, candidates)
