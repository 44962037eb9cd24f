"""The effort to expect where steps can fall through for good (SPEC 14).

Each step fails with probability q; a failed try costs the share φ of the step, then the next best
is tried, and giving up costs D. With κ = 1 + φ·q/(1−q) and y₁ ≤ y₂ ≤ … the values
κ·cost(v, u) + V(u) of the steps from v, capped at D and followed by D, D, …,

    V(v) = (1−q) · Σ q^(j−1) · y_j,   V = 0 at destinations.

Nobody does better on graphs without cycles. With cycles it forgets which steps failed before, so it
is a heuristic there. Without failures it is the remaining cost; as q nears 1, (D − V)/(1 − q) tends
to the paper's agency, Σ (D − y_u)₊.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from numbers import Real

import numpy as np
from scipy.sparse.csgraph import dijkstra

from facelift._arrays import Floats, Ints
from facelift.errors import check_number
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Graph

MOST_VERTICES = 4_000
"""So many vertices are taken into account: those whose detour from the source costs least."""

WASTED = 0.5
"""The share of a step's cost that is lost when it falls through."""

EXACT = 1e-3 * TOLERANCE
"""Change of a sweep, as a share of what giving up costs, below which values are found."""


@dataclass(frozen=True)
class Risk:
    """Steps that fall through: how likely, what a failed try costs, and what giving up costs."""

    failure: float
    giving_up: float
    wasted: float = WASTED

    def __post_init__(self) -> None:
        check_number("failure", self.failure, Real, "0 or more, below 1", lambda q: 0 <= q < 1)
        check_number("wasted", self.wasted, Real, "from 0 to 1", lambda share: 0 <= share <= 1)

    @property
    def markup(self) -> float:
        """What a step costs with its failed tries, as a multiple of its cost, per success."""
        return 1 + self.wasted * self.failure / (1 - self.failure)

    def mean(self, values: Floats) -> Floats:
        """What trying steps of some values costs, the best first; the last axis goes."""
        tried = np.sort(np.minimum(values, self.giving_up), axis=-1)
        weights = self.failure ** np.arange(tried.shape[-1] + 1)
        found = (1 - self.failure) * (tried @ weights[:-1]) + weights[-1] * self.giving_up
        return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Effort:
    """Expected effort from every vertex of a graph; what giving up costs where one was left out."""

    graph: Graph
    risk: Risk
    values: Floats

    def steps(self, vertex: int) -> tuple[Ints, Floats]:
        """The vertices one step away, and the effort to expect if that step is tried first."""
        ends, own = self._options(vertex)
        first = np.minimum(own, self.risk.giving_up)
        rest = np.array([self.risk.mean(np.delete(own, i)) for i in range(len(own))])
        return ends, (1 - self.risk.failure) * first + self.risk.failure * rest

    def without(self, vertex: int, end: int) -> float:
        """The effort to expect at a vertex once the step to `end` has failed."""
        ends, own = self._options(vertex)
        return float(self.risk.mean(own[ends != end]))

    def of(self, vertices: Ints, step_costs: Floats) -> float:
        """The effort to expect of walking a journey, and of what is left where a step fails.

        E(a) = Σ (1−q)^(i−1) · [(1−q+qφ)·c_i + q·V⁻(v_{i−1})], V⁻ without the failed step.
        """
        risk = self.risk
        left = [self.without(v, u) for v, u in pairwise(vertices.tolist())]
        tries = (1 - risk.failure) * risk.markup * step_costs + risk.failure * np.array(left)
        return float((1 - risk.failure) ** np.arange(len(tries)) @ tries)

    def _options(self, vertex: int) -> tuple[Ints, Floats]:
        ends, costs = self.graph.neighbors(vertex)
        return ends, self.risk.markup * costs + self.values[ends]


def expected_effort(graph: Graph, source: int, destinations: Ints, risk: Risk) -> Effort:
    """The effort to expect until one of the destinations is reached.

    >>> from facelift.toys import loan
    >>> world, ends = loan(), np.array([1, 2, 3])
    >>> for failure in (0.0, 0.1):
    ...     print(expected_effort(world.graph, 0, ends, Risk(failure, 32.0)).values[0].round(2))
    3.0
    4.57
    """
    kept = _in_reach(graph, source, destinations, risk)
    values = np.full(len(graph), risk.giving_up)
    values[destinations] = 0.0
    groups = _by_degree(graph, np.setdiff1d(kept, destinations))
    change = np.inf
    while change > EXACT * risk.giving_up:
        before = values.copy()
        for vertices, ends, costs in groups:
            values[vertices] = risk.mean(risk.markup * costs + before[ends])
        change = np.abs(values - before).max(initial=0.0)
    return Effort(graph, risk, values)


def _in_reach(graph: Graph, source: int, destinations: Ints, risk: Risk) -> Ints:
    """Vertices that matter: a destination is nearer than giving up; the least detours of many."""
    if not len(destinations):
        return destinations
    left = dijkstra(graph.reversed, indices=destinations, min_only=True, limit=risk.giving_up)
    there = np.flatnonzero(np.isfinite(left))
    if len(there) <= MOST_VERTICES:
        return there
    away = dijkstra(graph.costs, indices=[source])[0]
    order = np.argsort((away + left)[there], kind="stable")
    return np.sort(there[order[:MOST_VERTICES]])


def _by_degree(graph: Graph, vertices: Ints) -> list[tuple[Ints, Ints, Floats]]:
    """Vertices of equally many steps, with the ends (v, d) and costs (v, d) of these."""
    first, degrees = graph.costs.indptr[vertices], np.diff(graph.costs.indptr)[vertices]
    groups: list[tuple[Ints, Ints, Floats]] = []
    for degree in np.unique(degrees).tolist():
        alike = degrees == degree
        edges = first[alike, np.newaxis] + np.arange(degree)
        ends = graph.costs.indices[edges].astype(np.int64)
        groups.append((vertices[alike], ends, graph.costs.data[edges]))
    return groups
