"""Steps between real records: each leads from one row of the table to another."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, InvalidInput
from facelift.graph.adding import grown_edges, grown_moves
from facelift.graph.building import (
    Neighbourhood,
    approximate_nearest,
    attached,
    graph_of,
    moves_among,
    moves_from,
    moves_in,
    nearest_moves,
    recall,
)
from facelift.graph.edge_costs import EdgeCost, Edges, distance, named_edge_cost
from facelift.graph.graph import Graph
from facelift.graph.nearest import Index, Nearest, nearest_admissible
from facelift.graph.points import move_costs
from facelift.graph.routes import absorbing
from facelift.graph.search import costs_to_any, index_of_many
from facelift.language import say
from facelift.models.oracle import Oracle
from facelift.multiverse import whynot
from facelift.multiverse.certificate import Certificate, Proof, proof_of
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.whynot import WhyNot
from facelift.steps.base import Case, Local, Request, Steps
from facelift.steps.certificates import BlockedRows
from facelift.terrain.terrain import Terrain

N_REMEMBERED = 8
"""Goals whose candidates are remembered."""

LIMITED = say(
    "Not proven: with a limit on steps, a short way is left out where a longer one to the same "
    "record takes less effort."
)

_log = logging.getLogger("facelift")


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
    def guide(self) -> Callable[[], Floats] | None:
        """What leads searches to the candidates; nothing where too few people ask for them."""
        return (lambda: self.nearest) if self.shared else None

    def without(self, record: int | None) -> Candidates:
        """The others, if one record is nowhere to go for a case."""
        if record is None:
            return self
        others = np.arange(len(self.mask)) != record
        return replace(self, mask=self.mask & others, shared=False)


@dataclass(frozen=True, eq=False)
class Rows(Steps):
    """Steps from one record to another, on a graph that all cases share.

    `neighbourhood` says which moves between records are edges, `enterable` which records the rules
    allow; `parameters` decided that. Who adds records needs the moves that edges were made of:
    `nearest` says which edges they are, or `moves` has them where not all of them are edges.

    Examples
    --------
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    >>> rows = explainer.steps_
    >>> case = rows.case(explainer.terrain_.point([2.0]))
    >>> goal = rows.oracle.goal(None, case.answers, explainer.threshold)
    >>> case.vertex, rows.candidates(goal, Request.of(explainer)).mask.sum()
    (2, np.int64(6))
    """

    joins_records: ClassVar[bool] = True
    shares_graph: ClassVar[bool] = True

    neighbourhood: Neighbourhood
    enterable: Bools
    parameters: tuple[Any, ...]
    nearest: Bools | None = None
    moves: sparse.csr_array | None = None
    recall: float | None = None
    _remembered: dict[tuple[Goal | Range, bool], Candidates] = field(
        default_factory=dict, repr=False
    )
    _index: list[Index] = field(default_factory=list, repr=False)
    """At most one; shared with copies for single cases."""

    @classmethod
    def fitted(
        cls,
        settings: Any,
        terrain: Terrain,
        oracle: Oracle,
        *,
        graph: Graph | None = None,
        nearest: Nearest | None = None,
    ) -> Self:
        """Every record leads to its nearest admissible others."""
        points = oracle.points
        neighbourhood = neighbourhood_of(settings, terrain, points)
        enterable = terrain.admissible(points)
        if graph is not None:
            return cls(terrain, oracle, graph, neighbourhood, enterable, _deciding(settings))
        moves = nearest_moves(points, neighbourhood, enterable, nearest or _nearest(settings))
        graph, edges = graph_of(points, moves, neighbourhood, enterable)
        share = 1.0
        if settings.neighbors == "approximate":
            share = recall(moves, points, neighbourhood, enterable, _exact(settings))
            _log.info("Approximate neighbours: %.2f %% of the nearest are among them.", 100 * share)
        made = cls(terrain, oracle, graph, neighbourhood, enterable, _deciding(settings))
        return replace(made, **_kept(neighbourhood, edges, moves), recall=share)

    def grown(self, settings: Any, oracle: Oracle) -> Self:
        """The same among more records; known moves are not looked for again."""
        points, own = oracle.points, self.neighbourhood
        neighbourhood = neighbourhood_of(settings, self.terrain, points)
        enterable = self.terrain.admissible(points)
        among = points, neighbourhood, enterable
        nearest, moves = self._known_moves(neighbourhood, settings)
        if nearest is not None and neighbourhood.keeps_moves and neighbourhood.edges == own.edges:
            n_threads = _n_threads(settings)
            edges, nearest = grown_edges(self.graph.costs, nearest, *among, n_threads=n_threads)
            graph = Graph(points, edges)
        else:
            if nearest is not None:
                moves = moves_among(self.graph.costs, nearest)
            if moves is not None:
                moves = grown_moves(moves, *among, n_threads=_n_threads(settings))
            else:
                moves = nearest_moves(*among, _nearest(settings))
            graph, nearest = graph_of(points, moves, neighbourhood, enterable)
        return replace(
            self,
            oracle=oracle,
            graph=graph,
            neighbourhood=neighbourhood,
            enterable=enterable,
            parameters=_deciding(settings),
            **_kept(neighbourhood, nearest, moves),
            _remembered={},
            _index=[],
        )

    def _known_moves(
        self, neighbourhood: Neighbourhood, settings: Any
    ) -> tuple[Bools | None, sparse.csr_array | None]:
        """Which edges are the moves they were made of, or these moves, if either is known."""
        own = self.neighbourhood
        if (neighbourhood.n_neighbors, neighbourhood.max_step) != (own.n_neighbors, own.max_step):
            return None, None
        told = own.keeps_moves and settings.neighbors == "exact"
        if self.nearest is None and self.moves is None and told and own.n_neighbors is not None:
            return moves_in(self.graph.costs, own.n_neighbors), None
        return self.nearest, self.moves

    def nearest_edges(self, settings: Any) -> Bools | None:
        """Which edges are moves, if it is known and the parameters still are what decided that."""
        return self.nearest if _deciding(settings) == self.parameters else None

    def knowing(self, nearest: Bools | None) -> Self:
        """The same where a folder says which edges are moves; they are told from others if not."""
        n_neighbors = self.neighbourhood.n_neighbors
        if nearest is None or n_neighbors is None or not self.neighbourhood.keeps_moves:
            return self
        firsts = np.append(0, np.cumsum(nearest))[self.graph.costs.indptr]
        fits = np.diff(firsts).max(initial=0) <= n_neighbors
        return replace(self, nearest=nearest) if fits else self

    def under(self, settings: Any, terrain: Terrain, oracle: Oracle) -> Self:
        """The graph is built anew, unless nothing that decides on edges has changed."""
        if terrain == self.terrain and _deciding(settings) == self.parameters:
            return replace(self, oracle=oracle, _remembered={})
        return self.fitted(settings, terrain, oracle)

    @property
    def learnt(self) -> dict[str, Any]:
        """How many of the nearest neighbours were found; a folder does not say."""
        return {} if self.recall is None else {"recall_": self.recall}

    def local(self, case: Case, goal: Goal | Range, wanted: Request) -> Local:
        """The graph of all records, the case among them or attached to it."""
        candidates = self.in_time(case, self.candidates(goal, wanted).without(case.twin), wanted)
        graph, source = self.placed(case, candidates.graph)
        return Local(
            case,
            goal,
            wanted,
            graph,
            source,
            partial(self.answers, case),
            candidates.mask,
            candidates.guide,
            agreement=partial(self.oracle.record_agreement, point=case.point, goal=goal),
        )

    def in_time(self, case: Case, candidates: Candidates, wanted: Request) -> Candidates:
        """The candidates that there is time for, on a graph whose routes keep the deadline."""
        if wanted.deadline is None:
            return candidates
        late = self.late(case.point, self.oracle.points, wanted)
        graph, mask = absorbing(candidates.graph, late), candidates.mask & ~late
        return replace(candidates, graph=graph, mask=mask, shared=False)

    @property
    def costs_moves(self) -> bool:
        """Not where edges are weighed by how many records lie around them."""
        return self.neighbourhood.edge_cost is distance

    def shared_graph(self, goal: Goal | Range, wanted: Request) -> Graph | None:
        """The graph of the records, to which cases that are none are attached."""
        return self.candidates(goal, wanted).graph

    def reweighed(self, graph: Graph, terrain: Terrain, origin: Floats) -> Graph:  # noqa: ARG002
        """The same edges, as far as the terrain and the largest step allow them."""
        starts, ends, points = graph.starts, graph.costs.indices.astype(np.int64), graph.points
        moves = move_costs(terrain.prices, points, points, (starts, ends))
        kept = np.flatnonzero(
            np.isfinite(moves) & (moves <= (self.neighbourhood.max_step or np.inf))
        )
        n, n_neighbors = len(self.graph), self.neighbourhood.n_neighbors
        edges = Edges(points, starts[kept], ends[kept], moves[kept], n, n_neighbors)
        weights = np.full(len(moves), np.inf)
        weights[kept] = self.neighbourhood.edge_cost(edges)
        return graph.weighed(weights)

    def proof(self, local: Local, costs: list[float]) -> Proof:
        """All ways through the records are known, but those with too many steps left out."""
        if local.wanted.max_steps is not None:
            return Proof(sentence=LIMITED)
        bound = costs[0] if costs else np.inf
        return proof_of(costs, bound, all_below=np.inf, among="records")

    def why_not(self, local: Local) -> WhyNot:
        """No record has the outcome, too few of the committee agree, or no way leads there."""
        goal, candidates = local.goal, self.candidates(local.goal, local.wanted)
        best = goal.best(self.oracle.known[candidates.allowed])
        n_candidates = int(candidates.mask.sum())
        if n_candidates:
            n_neighbors = self.neighbourhood.n_neighbors
            if n_neighbors is not None and n_neighbors >= len(self.graph) - 1:
                n_neighbors = None  # there are no more
            in_reach, limit = len(local.in_reach()), local.wanted.max_steps
            if not in_reach and self.neighbourhood.edges != "mutual":
                n_neighbors = limit = None  # nothing is admissible, however far one looks
            return whynot.no_route(n_candidates, in_reach, best, goal, n_neighbors, limit)
        alone = np.flatnonzero(goal.reached(self.oracle.known) & candidates.allowed)
        shares = self.oracle.record_agreement(alone, local.case.point, goal)
        if shares is None or not len(shares):
            return whynot.no_candidate(goal, best)
        return whynot.no_agreement(goal, best, shares, self.oracle.min_agreement)

    def certificate(self, local: Local) -> Certificate:
        """Which rules or which missing edge keeps the case from the records with the outcome."""
        would_do = self.candidates(local.goal, local.wanted).would_do
        return BlockedRows(
            local,
            self.terrain,
            self.neighbourhood,
            would_do & self.oracle.records_reaching(local.goal),
            self.enterable,
            self.oracle.committee is None,
        ).certificate()

    def candidates(self, goal: Goal | Range, wanted: Request) -> Candidates:
        """Records that have the outcome and may be entered, of those allowed if not all are."""
        if wanted.among is not None:
            found = self._candidates(goal, wanted.stop_at_first, wanted.among)
            return replace(found, shared=False)
        key = goal, wanted.stop_at_first
        known = self._remembered.get(key)  # another thread may forget it any time
        if known is None:
            known = self._candidates(*key, np.ones_like(self.enterable))
            if len(self._remembered) >= N_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = known
        return known

    def placed(self, case: Case, graph: Graph) -> tuple[Graph, int]:
        """The case as a vertex: the record it equals, or a new one attached to the graph."""
        if case.vertex is not None:
            return graph, case.vertex
        try:
            moves = case.moves or self._moves_of_one(case)
            place = case.point, self.neighbourhood, self.enterable
            return attached(graph, *place, moves), len(graph)
        except InvalidInput as fault:  # of an edge cost; it is this case that cannot be weighed
            raise InvalidData(str(fault)) from None

    def _moves_of_one(self, case: Case) -> tuple[Ints, Floats]:
        """The records next to a case that is none: those of its twin, if it has one."""
        if case.twin is None:
            return self.moves_of_new(case.point[np.newaxis, :])[0]
        edges, points = self.graph.costs, self.graph.points
        ends = edges.indices[slice(*edges.indptr[case.twin : case.twin + 2])].astype(np.int64)
        starts = np.full(len(ends), case.twin)
        return ends, move_costs(self.neighbourhood.prices, points, points, (starts, ends))

    def moves_of_new(self, points: Floats) -> list[tuple[Ints, Floats]]:
        """The nearest admissible records of each new point, all looked for at once."""
        places = self.neighbourhood, self.enterable, self.index
        starts, ends, costs = moves_from(points, self.graph.points, *places)
        if len(points) == 1:
            return [(ends, costs)]
        firsts = np.searchsorted(starts, np.arange(1, len(points)))
        return list(zip(np.split(ends, firsts), np.split(costs, firsts), strict=True))

    @property
    def index(self) -> Index | None:
        """The records that may be entered, in blocks, where there are many; made once."""
        if not self._index:
            made = index_of_many(self.graph, self.enterable, self.neighbourhood.prices)
            if made is None:
                return None
            self._index.append(made)
        return self._index[0]

    def answers(self, case: Case, vertices: Ints) -> Floats:
        """What the model says of records, and of the case itself where it is not one of them."""
        known = self.oracle.known
        found = known[np.minimum(vertices, len(known) - 1)]
        found[vertices == len(known)] = case.answers
        return np.asarray(found)

    def _candidates(self, goal: Goal | Range, stop_at_first: bool, among: Bools) -> Candidates:
        allowed = self.enterable & among
        mask = self.oracle.records_reaching(goal) & allowed
        graph = absorbing(self.graph, mask) if stop_at_first else self.graph
        return Candidates(graph, mask, allowed, among)


def _kept(
    neighbourhood: Neighbourhood, nearest: Bools, moves: sparse.csr_array | None
) -> dict[str, Any]:
    """What is kept of moves to add records later."""
    if neighbourhood.keeps_moves:
        return {"nearest": nearest, "moves": None}
    return {"nearest": None, "moves": moves}


def _deciding(settings: Any) -> tuple[Any, ...]:
    """The parameters of an explainer that decide which edges there are, and what they cost."""
    names = ("n_neighbors", "edges", "edge_cost", "max_step", "neighbors", "random_state")
    return tuple(getattr(settings, name) for name in names)


def edge_cost_of(settings: Any) -> str | EdgeCost:
    """The edge cost asked for; the distance of a field is the one that keeps to where records are.

    >>> from types import SimpleNamespace as Settings
    >>> [edge_cost_of(Settings(steps=steps, edge_cost="distance")) for steps in ("rows", "field")]
    ['distance', 'power']
    """
    through = settings.steps == "field" and settings.edge_cost == "distance"
    found: str | EdgeCost = "power" if through else settings.edge_cost
    return found


def neighbourhood_of(settings: Any, terrain: Terrain, points: Floats) -> Neighbourhood:
    """Which moves become edges, by the parameters of an explainer."""
    return Neighbourhood(
        terrain.prices,
        settings.n_neighbors,
        settings.edges,
        named_edge_cost(edge_cost_of(settings), points),
        settings.max_step,
    )


def _nearest(settings: Any) -> Nearest:
    """How neighbours are looked for."""
    if settings.neighbors == "exact":
        return _exact(settings)
    seed = settings.random_state
    return partial(approximate_nearest, n_threads=_n_threads(settings), random_state=seed)


def _exact(settings: Any) -> Nearest:
    return partial(nearest_admissible, n_threads=_n_threads(settings))


def _n_threads(settings: Any) -> int:
    from joblib import effective_n_jobs

    return int(effective_n_jobs(settings.n_jobs))
