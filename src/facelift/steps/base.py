"""Steps: how a case gets a local graph; and the one way from there to a multiverse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidData, InvalidInput
from facelift.geometry import TOLERANCE
from facelift.graph.graph import Graph
from facelift.graph.nearest import Nearest
from facelift.graph.points import Lookup, move_costs
from facelift.graph.routes import Search, SharedCosts, Variety, Wanted, forward, remaining_costs
from facelift.language import say
from facelift.models.oracle import Oracle
from facelift.multiverse import whynot
from facelift.multiverse.bridging import bridge_many
from facelift.multiverse.certificate import Certificate, Proof
from facelift.multiverse.exploration import (
    Routing,
    described,
    journeys_to,
    nearest_journeys,
    plain_routes,
    with_variants,
)
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import Survey, WhyNot
from facelift.steps.proof import Bound
from facelift.terrain.feature import changed
from facelift.terrain.terrain import Terrain

HURRIES = 4
"""So many searches look for a quicker way, where there is none before a deadline."""

ALREADY_THERE = Proof("cheapest", 0.0, 0.0, True, say("Nothing needs to change."))

Located = tuple[Floats, Terrain]
"""The point of a row, and the terrain that gives its numbers back as they are."""


@dataclass(frozen=True, eq=False)
class Case:
    """The factual: its point, what the model says of it, and the record it equals, if any."""

    point: Floats
    answers: Floats
    vertex: int | None
    moves: tuple[Ints, Floats] | None = None
    """The records next to it and what moves there cost, where they are known."""
    twin: int | None = None
    """A record with other numbers that no distance tells from it: nowhere to go."""


@dataclass(frozen=True, eq=False)
class Newcomer:
    """What is known beforehand of somebody who is no record.

    `numbers` are those of the case as it was given, one per feature, NaN for levels.
    """

    answers: Floats | None = None
    moves: tuple[Ints, Floats] | None = None
    numbers: Sequence[float] | None = None


@dataclass(frozen=True)
class Request(Wanted):
    """Which destinations are wanted, and how far to go for them.

    With `stop_at_first` a journey through records ends at the first one that has the outcome;
    where states are made up, `patience` says how much work that may be, and `max_states` how many
    states are looked at outward, None for as many as patience has; `among` says which records may
    be destinations, all if None; `deadline` in how many periods one must have arrived. `also` has
    points to head for besides, as far as they can be reached and have the outcome; (n, m).
    `routes` asks for further routes to each destination, `keep_open` names classes to keep open.
    If `onward`, no step takes back what another has done, as long as ways are left.
    """

    stop_at_first: bool = False
    max_states: int | None = None
    among: Bools | None = None
    patience: str | int = "normal"
    deadline: float | None = None
    also: Floats | None = None
    routes: Variety | None = None
    keep_open: tuple[str, ...] = ()
    onward: bool = False

    @classmethod
    def of(
        cls,
        settings: Any,
        among: Bools | None = None,
        deadline: float | None = None,
        also: Floats | None = None,
        routes: Variety | None = None,
    ) -> Self:
        """What the parameters of an explainer ask for."""
        return cls(
            settings.n_counterfactuals,
            settings.min_separation,
            settings.max_steps,
            settings.stop_at_first,
            settings.max_states,
            among,
            settings.patience,
            deadline,
            also,
            routes,
        )


@dataclass(frozen=True, eq=False)
class Local:
    """A case and its goal, the graph around it, what to head for there, what the model says of it.

    `source` is the vertex of the case. Either `candidates` says which vertices will do, and the
    wanted ones of them are taken (`guide` as in `nearest_routes`); or `destinations` are sets of
    vertices, of which each journey ends at the one in `ends`. `agreement` gives the share of the
    committee that says vertices reach the goal, None to ask about their points. `survey` tells how
    far a search that made states up went, `seen` the points and answers of those it could pass,
    `bound` what is proven of all states; no journey passes a vertex that has `arrived`. Where there
    is no destination, `n_rarer` states have the outcome that nobody can get to.
    """

    case: Case
    goal: Goal | Range
    wanted: Request
    graph: Graph
    source: int
    answers: Callable[[Ints], Floats]
    candidates: Bools | None = None
    guide: SharedCosts | None = None
    destinations: tuple[Ints, ...] = ()
    ends: Ints | None = None
    agreement: Callable[[Ints], Floats | None] | None = None
    survey: Survey | None = None
    seen: tuple[Floats, Floats] | None = None
    bound: Bound | None = None
    arrived: Bools | None = None
    n_rarer: int = 0

    def journeys(self, routes: Routing) -> Multiverse:
        """The journeys to the destinations, cheapest first."""
        if self.candidates is not None:
            return self._nearest(self.candidates)
        if not self.destinations:
            return Multiverse((), ())
        ends = None if self.ends is None else self.ends.tolist()
        found = journeys_to(
            self._search(ends or []),
            self.destinations,
            ends=ends,
            routes=routes,
            remaining=remaining_costs(self.graph, self.destinations),
        )
        return replace(found, graph=self.graph)

    def varied(self, found: Multiverse, *, as_short: bool) -> Multiverse:
        """The journeys with further routes to their ends, if any are wanted."""
        variety, limit = self.wanted.routes, self.wanted.max_steps
        if variety is None or variety.count == 1:
            return found
        search = self._search([int(journey.vertices[-1]) for journey in found])
        return with_variants(found, search, variety, max_steps=limit, as_short=as_short)

    def _nearest(self, candidates: Bools) -> Multiverse:
        """The journeys to the nearest candidates, and to those that are wanted besides."""
        found = nearest_journeys(self.graph, self.source, candidates, self.wanted, self.guide)
        if self.wanted.also is None:
            return found
        ends = [int(journey.vertices[-1]) for journey in found]
        lookup = Lookup(self.graph.points)
        more = [v for v in lookup.vertices(self.wanted.also).tolist() if v >= 0 and candidates[v]]
        more = [v for v in dict.fromkeys(more) if v not in {*ends, self.source}]
        if not more:
            return found
        return journeys_to(
            forward(self.graph, self.source), [np.array([v]) for v in [*ends, *more]]
        )

    def _search(self, ends: list[int]) -> Search:
        """The search from the case; it goes on from nowhere that one has arrived, if it can."""
        search = forward(self.graph, self.source)
        if self.arrived is None:
            return search
        onward = forward(self.graph.with_edges(~self.arrived[self.graph.starts]), self.source)
        return onward if np.isfinite(onward.costs[ends]).all() else search

    def in_reach(self) -> Ints:
        """The vertices that can be reached, without the case itself."""
        reached = np.isfinite(forward(self.graph, self.source).costs)
        reached[self.source] = False
        return np.flatnonzero(reached)

    def closest(self) -> Floats | None:
        """Of the points in reach, the one nearest to the goal; None if there is none."""
        if self.seen is not None:
            points, answers = self.seen
            return points[np.argmax(self.goal.merit(answers))] if len(points) else None
        vertices = self.in_reach()
        if not len(vertices):
            return None
        best = vertices[np.argmax(self.goal.merit(self.answers(vertices)))]
        return np.asarray(self.graph.at(np.array([best]))[0])


@dataclass(frozen=True, eq=False)
class Steps(ABC):
    """How cases of one fitted table get from step to step; each kind of step is a subclass.

    A kind of step says how a case gets its `local` graph. What it learns from the table, other than
    the oracle's records, it learns in `fitted`. Everything else has a default here, and
    `multiverse` is the same for all: it finds the journeys, describes them, and says why not.

    `graph` holds the records, with edges where all cases share them. The name of a kind stands in
    `facelift.steps.KINDS`.
    """

    terrain: Terrain
    oracle: Oracle
    graph: Graph

    single_changes: ClassVar[bool] = False
    """Whether a step changes one thing, so that a kind of change can be ruled out."""
    joins_records: ClassVar[bool] = False
    """Whether `fit` joins the records to a graph."""
    shares_graph: ClassVar[bool] = False
    """Whether all cases share one graph of records; else each grows its own."""

    @classmethod
    def check(cls, settings: Any) -> None:
        """An error if parameters of an explainer cannot be right for this kind of step."""
        if settings.terrain is not None and settings.terrain.links and not cls.single_changes:
            raise InvalidInput("Links are for steps='actions': a step between records is free.")

    @classmethod
    def fitted(
        cls,
        settings: Any,  # noqa: ARG003  (for kinds that have parameters)
        terrain: Terrain,
        oracle: Oracle,
        *,
        graph: Graph | None = None,
        nearest: Nearest | None = None,  # noqa: ARG003  (for kinds that look for neighbours)
    ) -> Self:
        """Steps among the records of an oracle, by the parameters of an explainer.

        `graph` is known where it was saved; `nearest` looks for neighbours on a cluster, say.
        """
        return cls(terrain, oracle, without_edges(oracle.points) if graph is None else graph)

    def grown(self, settings: Any, oracle: Oracle) -> Self:
        """The same steps among more records."""
        return self.fitted(settings, self.terrain, oracle)

    def under(self, settings: Any, terrain: Terrain, oracle: Oracle) -> Self:
        """The same steps under other rules for the same table."""
        return self.fitted(settings, terrain, oracle)

    def nearest_edges(self, settings: Any) -> Bools | None:  # noqa: ARG002
        """Which edges lead to the nearest, by the parameters of an explainer; None if no matter."""
        return None

    def knowing(self, nearest: Bools | None) -> Self:  # noqa: ARG002
        """The same steps with the `nearest_edges` that a folder kept, if it did."""
        return self

    @property
    def learnt(self) -> dict[str, Any]:
        """Further fitted attributes of an explainer, by name."""
        return {"recall_": 1.0}

    @abstractmethod
    def local(self, case: Case, goal: Goal | Range, wanted: Request) -> Local:
        """The graph around a case, and what to head for on it."""

    def late(self, point: Floats, points: Floats, wanted: Request) -> Bools:
        """Whether there is no time to come from one point to others before the deadline; (n,)."""
        in_time = np.zeros(len(points), dtype=bool)
        if wanted.deadline is None:
            return in_time
        times = self.terrain.earliest(np.vstack([point, points]))
        return in_time if times is None else times[1:] > wanted.deadline * (1 + TOLERANCE)

    @property
    def costs_moves(self) -> bool:
        """Whether a step costs what its move does, so that effort has the terrain's unit."""
        return True

    def shared_graph(self, goal: Goal | Range, wanted: Request) -> Graph | None:  # noqa: ARG002
        """The graph that all cases share on the way to a goal; None if each has its own."""
        return None

    def reweighed(self, graph: Graph, terrain: Terrain, origin: Floats) -> Graph:  # noqa: ARG002
        """A local graph at the prices of another terrain, without the edges it forbids.

        `origin` is the point of the case it was made for.
        """
        ends, points = graph.costs.indices.astype(np.int64), graph.points
        return graph.weighed(move_costs(terrain.prices, points, points, (graph.starts, ends)))

    def outward(self, graph: Graph, origin: Floats) -> Bools:  # noqa: ARG002
        """Which edges of a local graph take nothing back that lies behind them; (edges,).

        `origin` is the point of the case it was made for.
        """
        return np.ones(graph.costs.nnz, dtype=bool)

    def routes(self, search: Search, ends: Sequence[int], remaining: Floats) -> list[Ints]:
        """Which of equally cheap routes journeys take."""
        return plain_routes(search, ends, remaining)

    def why_not(self, local: Local) -> WhyNot:
        """Why a local graph has no journey."""
        answers = local.answers(local.in_reach())
        return whynot.not_found(local.goal, local.goal.best(answers), len(answers))

    def certificate(self, local: Local) -> Certificate | None:  # noqa: ARG002
        """What stands between, exactly, and what would open a journey; None if nobody can say."""
        return None

    def proof(self, local: Local, costs: list[float]) -> Proof:  # noqa: ARG002
        """How sure it is that the cheapest of some journeys is the cheapest there can be."""
        return Proof()

    def rarity(self, points: Floats) -> Floats | None:  # noqa: ARG002
        """How far points are from real records (up to 1 is plausible); None where all are real."""
        return None

    def answers_before(self, case: Case, found: Multiverse) -> Iterator[tuple[Floats, Floats]]:
        """The case, if it is a record, and the destinations, with what the model said of each."""
        if case.vertex is not None:
            yield case.point, case.answers
        for journey in found:
            if journey.probabilities is not None:
                yield journey.waypoints[-1], journey.probabilities[-1]

    def places(self, points: Sequence[Floats | InvalidData]) -> list[int]:
        """The record that each point is, -1 for none."""
        nowhere = np.full(self.terrain.n_coordinates, np.nan)
        rows = [nowhere if isinstance(point, InvalidData) else point for point in points]
        found = self.oracle.lookup.vertices(np.array(rows).reshape(-1, len(nowhere)))
        return [int(vertex) for vertex in found]

    def case(self, point: Floats, place: int | None = None, known: Newcomer = Newcomer()) -> Case:
        """The factual at a point; the model is asked about it unless it is a record, or known."""
        check_case(self.terrain, point)
        vertex = self.places([point])[0] if place is None else place
        if vertex >= 0 and not self.terrain.keeps(point):
            return Case(point, self.oracle.known[vertex], vertex)
        answers = known.answers
        if answers is None:
            answers = self.oracle.answers(point[np.newaxis, :], known.numbers)[0]
        return Case(point, answers, None, known.moves, vertex if vertex >= 0 else None)

    def newcomers(
        self, people: Sequence[Located | InvalidData], places: Sequence[int]
    ) -> list[Newcomer]:
        """What is to be known of many people who are no records; the model is asked once."""
        found = [Newcomer()] * len(people)
        new = {
            i: person
            for i, (person, place) in enumerate(zip(people, places, strict=True))
            if not isinstance(person, InvalidData) and place < 0
        }
        if not new:
            return found
        points = np.array([point + 0.0 for point, _ in new.values()])
        answers = self.oracle.answers_of(points, [terrain for _, terrain in new.values()])
        for i, answer, moves in zip(new, answers, self.moves_of_new(points), strict=True):
            found[i] = Newcomer(answer, moves)
        return found

    def moves_of_new(self, points: Floats) -> Sequence[tuple[Ints, Floats] | None]:
        """The records next to new points, where steps lead to records."""
        return [None] * len(points)

    def keeping(self, terrain: Terrain) -> Self:
        """The same steps for a case whose numbers a terrain keeps (`Terrain.case`)."""
        if terrain is self.terrain:
            return self
        kept: Self = changed(self, terrain=terrain, oracle=self.oracle.keeping(terrain))
        return kept

    def multiverse(self, case: Case, goal: Goal | Range, wanted: Request) -> Multiverse:
        """The journeys of a case to a goal, or why there are none."""
        if self._is_there(case, goal):
            return replace(_already_there(case, goal), kept=wanted.keep_open)
        local, found = self._ways(self.local(case, goal, wanted))
        # Of single changes, a longer route to the same end makes one of them in two steps.
        found = local.varied(found, as_short=self.single_changes)
        proof = self.proof(local, found.costs.tolist())
        kept = wanted.keep_open
        found = replace(found, goal=goal, survey=local.survey, proof=proof, kept=kept)
        if len(found):
            return self._described(found, local)
        why_not = replace(self.why_not(local), certify=partial(self.certificate, local))
        if wanted.deadline is not None:
            quickest = self._quickest(case, goal, wanted)
            why_not = whynot.in_time(why_not, wanted.deadline, quickest, self.terrain.period)
        return replace(found, why_not=why_not, closest=local.closest())

    def _described(self, found: Multiverse, local: Local) -> Multiverse:
        """The journeys with what there is to say of their waypoints."""
        goals = _kept(local)
        return described(
            found,
            self.terrain,
            local.answers,
            agreement=local.agreement or self._agreement(local.graph, local.goal),
            rarity=self.rarity,
            towards=partial(self.towards, local, goals) if goals else None,
        )

    def left_to_classes(self, graph: Graph, goal: Goal, wanted: Request, vertices: Ints) -> Floats:
        """Least cost from vertices of a graph to each class that is to be kept open; (n, q).

        For whoever walks on through a graph of journeys found before.
        """

        def answers(places: Ints) -> Floats:
            return self.oracle.answers(graph.at(places))

        source = int(vertices[0])
        case = Case(graph.points[source], answers(vertices[:1])[0], None)
        local = Local(case, goal, wanted, graph, source, answers)
        return self.towards(local, _kept(local), vertices)

    def towards(self, local: Local, goals: Sequence[Goal | Range], vertices: Ints) -> Floats:
        """Least cost from each vertex to anything that reaches each of some goals; (n, q).

        Through records, by the search that also finds what is left to a destination; inf where no
        record of a class is in reach.
        """
        points = self.terrain.admissible(self.oracle.points)
        sets = [np.flatnonzero(self.oracle.records_reaching(goal) & points) for goal in goals]
        left = np.full((len(vertices), len(goals)), np.inf)
        for place, members in enumerate(sets):
            if len(members):
                left[:, place] = remaining_costs(local.graph, [members])[vertices, 0]
        return left

    def _ways(self, local: Local) -> tuple[Local, Multiverse]:
        """The journeys, on the graph without edges that lead back if those are not wanted."""
        onward = self.outward(local.graph, local.case.point) if local.wanted.onward else None
        if onward is not None and not onward.all():
            narrower = replace(local, graph=local.graph.with_edges(onward))
            if len(found := narrower.journeys(self.routes)):
                return narrower, found
        return local, local.journeys(self.routes)

    def _quickest(self, case: Case, goal: Goal | Range, wanted: Request) -> float | None:
        """How long the quickest way takes that is found if there is more time; None if none is."""
        quickest, limit = None, None
        for _ in range(HURRIES):
            later = self.local(case, goal, replace(wanted, deadline=limit))
            ends = [self.terrain.earliest(each.waypoints) for each in later.journeys(self.routes)]
            times = [float(end[-1]) for end in ends if end is not None]
            if not times:
                break
            quickest = min(times)
            limit = quickest * (1 - 2 * TOLERANCE)  # is there one that takes less?
        return quickest

    def bridged(self, case: Case, goal: Goal | Range, ends: Floats) -> Multiverse:
        """Journeys through records to those of some points that have the outcome."""
        if self._is_there(case, goal):
            return _already_there(case, goal)
        answers = self.oracle.answers(ends) if len(ends) else np.empty((0, goal.n_answers))
        good = self.oracle.reaches(ends, goal, answers)
        if not good.any():
            why_not = whynot.not_found(goal, goal.best(answers), len(ends))
            return Multiverse((), (), why_not=why_not, goal=goal)
        found = bridge_many(case.point, ends[good], self.graph.points, terrain=self.terrain)
        found = replace(found, goal=goal)
        if not len(found) or found.graph is None:
            return found
        answers = self.oracle.answers(found.graph.points)
        agreement = self._agreement(found.graph, goal)
        return described(found, self.terrain, answers.__getitem__, agreement=agreement)

    def _is_there(self, case: Case, goal: Goal | Range) -> bool:
        """Whether a case has the outcome asked for, and enough of the committee agree."""
        answers = case.answers[np.newaxis, :]
        return bool(self.oracle.reaches(case.point[np.newaxis, :], goal.outcome, answers)[0])

    def _agreement(self, graph: Graph, goal: Goal | Range) -> Callable[[Ints], Floats | None]:
        return lambda vertices: self.oracle.agreement(graph.at(vertices), goal)


def without_edges(points: Floats) -> Graph:
    """A graph of points that nothing leads between."""
    return Graph(points, sparse.csr_array((len(points), len(points))))


def points_or_faults(terrain: Terrain, frame: pd.DataFrame) -> list[Floats | InvalidData]:
    """The point of every row of a frame with the terrain's columns, or what is wrong with it."""
    try:
        return list(np.asarray(terrain.from_pandas(frame)))
    except InvalidData as fault:
        if len(frame) == 1:
            return [fault]
    return [points_or_faults(terrain, frame.iloc[[i]])[0] for i in range(len(frame))]


def cases_or_faults(terrain: Terrain, frame: pd.DataFrame) -> list[Located | InvalidData]:
    """The same with the terrain that gives each row's numbers back as they are."""
    found = points_or_faults(terrain, frame)
    good = [i for i, each in enumerate(found) if not isinstance(each, InvalidData)]
    kept = dict(zip(good, terrain.keeping_each(frame.iloc[good]), strict=True))
    return [
        each if isinstance(each, InvalidData) else (each, kept[i]) for i, each in enumerate(found)
    ]


def check_case(terrain: Terrain, point: Floats) -> None:
    """An error if a case lies outside the bounds or breaks a requirement of its own terrain."""
    if terrain.admissible(point[np.newaxis, :])[0]:
        return
    outside = terrain.out_of_bounds(point[np.newaxis, :])[0]
    for feature, out in zip(terrain.features, outside, strict=True):
        if out:
            raise InvalidData(
                f"The case itself lies outside the bounds of {feature.name!r}, "
                f"{feature.lower:g} to {feature.upper:g}; widen them with between()."
            )
    raise InvalidData(f"The case itself breaks a requirement: {list(terrain.requirements)}.")


def _kept(local: Local) -> list[Goal]:
    """The goals that stand for the classes to be kept open."""
    goal = local.goal
    if not isinstance(goal, Goal):
        return []
    return [replace(goal, target=(each,)) for each in local.wanted.keep_open]


def _already_there(case: Case, goal: Goal | Range) -> Multiverse:
    why_not = whynot.already_there(goal, float(goal.figures(case.answers)))
    return Multiverse((), (), why_not=why_not, goal=goal, proof=ALREADY_THERE)
