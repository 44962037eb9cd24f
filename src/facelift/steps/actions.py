"""Steps that change one feature at a time, through plausible states that each case grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.nearest import Nearest
from facelift.graph.plausibility import Plausibility, learn_plausibility
from facelift.graph.points import move_costs
from facelift.graph.routes import Search
from facelift.language import count, say
from facelift.models.oracle import Oracle
from facelift.multiverse import whynot
from facelift.multiverse.certificate import Among, Certificate, Proof, proof_of
from facelift.multiverse.exploration import most_open_routes
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.whynot import Survey, WhyNot
from facelift.steps import PATIENCE, PROOF_UNITS, insisting, longer, patience_of
from facelift.steps.base import Case, Local, Request, Steps, without_edges
from facelift.steps.certificates import BlockedActions
from facelift.steps.growth import Growth, grow, no_undercutting, with_way_round
from facelift.steps.lattice import Lattice, Levels
from facelift.steps.proof import Bound, Prover, document_of
from facelift.steps.proposers import Ascent, Back, Proposer, Reach, Records, Swap, UniformCost
from facelift.steps.register import Judge, Register
from facelift.terrain.rules import rules_text
from facelift.terrain.terrain import Terrain

T = TypeVar("T", bound=np.generic)

MAX_ACTIONS = 7
"""Steps of a journey of actions, unless told otherwise."""

N_RECORDS = 200
"""So many of the nearest records that have the outcome are looked at."""

WIDER = 4
"""So many times as many states are gone on from where nothing else has found a way."""


@dataclass(frozen=True, eq=False)
class Actions(Steps):
    """Steps that change one feature, or one link of the terrain.

    States are made up as a search goes outward; `plausibility` says which are like real records, so
    that a share `quantile` of the records themselves are.
    """

    plausibility: Plausibility
    quantile: float

    single_changes: ClassVar[bool] = True

    @classmethod
    def check(cls, settings: Any) -> None:
        """The cost of a step is no limit here."""
        if settings.max_step is not None:
            raise InvalidInput(
                "max_step is for steps='rows'. An action goes from one level to another: give more "
                "of them with terrain.levels, or limit how many actions there are with max_steps."
            )

    @classmethod
    def fitted(
        cls,
        settings: Any,
        terrain: Terrain,
        oracle: Oracle,
        *,
        graph: Graph | None = None,
        nearest: Nearest | None = None,  # noqa: ARG003
    ) -> Self:
        """Learn what is plausible; each case grows a graph of its own."""
        quantile = settings.plausibility
        learnt = learn_plausibility(oracle.points, quantile, terrain.distance)
        graph = without_edges(oracle.points) if graph is None else graph
        return cls(terrain, oracle, graph, learnt, quantile)

    def under(self, settings: Any, terrain: Terrain, oracle: Oracle) -> Self:
        """Everything learnt is shared, unless something else is plausible now."""
        if settings.plausibility != self.quantile:
            return self.fitted(settings, terrain, oracle)
        return type(self)(terrain, oracle, self.graph, self.plausibility, self.quantile)

    @property
    def learnt(self) -> dict[str, Any]:
        """What is plausible."""
        return super().learnt | {"plausibility_": self.plausibility}

    def local(self, case: Case, goal: Goal | Range, wanted: Request) -> Local:
        """The states between the case and the destinations that a search finds."""
        if wanted.among is not None:
            raise InvalidInput("among is for steps='rows': actions lead to states of their own.")
        growth = self._insisted(self.register(case, goal, wanted), goal, wanted)
        register = growth.register
        radius = growth.radius if np.isfinite(growth.radius) else None
        survey = Survey(register.n_states, register.n_calls, growth.stopped, radius)
        return Local(
            case,
            goal,
            wanted,
            growth.graph,
            0,
            growth.answers.__getitem__,
            destinations=growth.destinations,
            ends=growth.ends,
            survey=survey,
            seen=None if len(growth.ends) else register.nearest(),
            bound=growth.bound,
            arrived=growth.wins,
            n_rarer=0 if len(growth.ends) else register.n_successes,
        )

    def _insisted(self, register: Register, goal: Goal | Range, wanted: Request) -> Growth[Bound]:
        """What a search finds; where that is nothing, though something may be left, it goes on.

        At last it looks for a way round, where that takes no time that was not thought of.
        """
        growth = self.grown_around(register, goal, wanted, work=patience_of(wanted.patience).work)
        more = insisting(wanted.patience) if wanted.max_states is None else None
        none = growth.bound is not None and growth.bound.least == np.inf
        if not (len(growth.ends) or growth.stopped != "budget" or none or more is None):
            growth = self.grown_around(register, goal, replace(wanted, patience=more), work=more)
        timed = wanted.deadline is not None or register.lattice.terrain is not None
        if len(growth.ends) or timed:
            return growth
        return with_way_round(growth, self.terrain.waiting.prices)

    def grown_around(
        self, register: Register, goal: Goal | Range, wanted: Request, *, work: int
    ) -> Growth[Bound]:
        """What a search finds when the register has done so much work, and what it proves."""
        reading, decode = self.oracle.reading, self.terrain.decode
        prover = Prover(register, goal, decode, reading, PROOF_UNITS * work)
        return grow(
            register,
            self.terrain.waiting.prices,
            *self._proposers(register, goal, wanted),
            n_destinations=wanted.count,
            work=work,
            prove=prover.bound,
            also=None if wanted.also is None else register.lattice.states_of(wanted.also),
        )

    def register(self, case: Case, goal: Goal | Range, wanted: Request) -> Register:
        """What is to be known of the states around a case: nothing yet."""
        steps = self.as_rare_as(case.point)
        lattice = Lattice.of(self.terrain, case.point)
        judge = replace(steps.judge(goal), allowed=partial(self._allowed, case.point, wanted))
        limit, apart = most_steps(wanted), wanted.min_separation
        return Register(lattice, judge, case.answers, max_steps=limit, apart=apart)

    def _allowed(self, point: Floats, wanted: Request, points: Floats) -> Bools:
        """Whether the rules allow states, and there is time for them."""
        return self.terrain.admissible(points) & ~self.late(point, points, wanted)

    def _proposers(
        self, register: Register, goal: Goal | Range, wanted: Request
    ) -> tuple[UniformCost, tuple[tuple[Proposer, ...], ...]]:
        """Who proposes states: outward by cost, and in tiers by what may succeed."""
        lattice, patience = register.lattice, patience_of(wanted.patience)
        states = patience.states if wanted.max_states is None else wanted.max_states
        outward = UniformCost(lattice, max_steps=register.max_steps, max_states=states)
        having = self.oracle.records_reaching(goal)
        near = self.plausibility.nearest(lattice.point, having, N_RECORDS)
        records = Records(lattice, self.oracle.points[near])
        climbing = Ascent(lattice, width=patience.width), records
        tiers = (*climbing, Back(lattice)), (Swap(lattice, width=patience.width),)
        if patience.work <= PATIENCE["normal"].work:
            return outward, tiers
        return outward, (*tiers, (Reach(lattice, width=WIDER * patience.width),))

    def towards(self, local: Local, goals: Sequence[Goal | Range], vertices: Ints) -> Floats:
        """Least cost found from each vertex to each goal: a quick search from every one of them.

        States are made up on the way to one goal; what is near to another was not looked at.
        """
        wanted = replace(local.wanted, count=1, patience="quick", also=None, routes=None)
        places, which = np.unique(vertices, return_inverse=True)
        left = [self._left(local, goals, vertex, wanted) for vertex in places.tolist()]
        return np.array(left)[which]

    def _left(
        self, local: Local, goals: Sequence[Goal | Range], vertex: int, wanted: Request
    ) -> list[float]:
        """What it costs from a vertex to each goal, inf where no way is found."""
        case = Case(local.graph.points[vertex], local.answers(np.array([vertex]))[0], None)
        found = []
        for goal in goals:
            reached = self.oracle.reaches(case.point[np.newaxis], goal, case.answers[np.newaxis])
            if reached[0]:
                found.append(0.0)
                continue
            costs = self.local(case, goal, wanted).journeys(self.routes).costs
            found.append(float(costs.min(initial=np.inf)))
        return found

    def reweighed(self, graph: Graph, terrain: Terrain, origin: Floats) -> Graph:
        """The same actions at other prices; no detour undercuts a direct change."""
        starts, ends, points = graph.starts, graph.costs.indices.astype(np.int64), graph.points
        moves = move_costs(terrain.waiting.prices, points, points, (starts, ends))
        away = Lattice.of(terrain, origin).costs_of(points)
        return graph.weighed(no_undercutting(moves, away[starts], away[ends]))

    def outward(self, graph: Graph, origin: Floats) -> Bools:
        """Actions that lead farther along their own ladder."""
        levels = graph.between
        if isinstance(levels, Levels):  # as it was grown
            lattice, states = levels.lattice, levels.states
        else:
            lattice = Lattice.of(self.terrain, origin)
            states = lattice.states_of(graph.points)
        starts, ends = graph.starts, graph.costs.indices
        farther = [
            ladder.contains[states[ends, i], states[starts, i]]
            for i, ladder in enumerate(lattice.ladders)
        ]
        return np.asarray(np.logical_and.reduce(farther))

    def routes(self, search: Search, ends: Sequence[int], remaining: Floats) -> list[Ints]:
        """The orders of actions that keep most open."""
        return most_open_routes(search, ends, remaining)

    def proof(self, local: Local, costs: list[float]) -> Proof:
        """What the bound of all states says of the journeys."""
        bound = local.bound
        if bound is None:
            return Proof()
        among, why = _among(local), bound.why
        all_below = bound.all_below if local.wanted.also is None else 0.0
        proof = proof_of(costs, bound.least, all_below=all_below, among=among, why=why)
        if bound.prover is None:
            return proof
        return replace(proof, certify=partial(self._proven_again, bound.prover, proof.bound))

    def _proven_again(self, prover: Prover, least: float) -> dict[str, Any] | None:
        """What others can check a proof by."""
        return document_of(prover, least, rules_text(self.terrain))

    def why_not(self, local: Local) -> WhyNot:
        """No state has the outcome, or the committee agrees on none of those."""
        if local.seen is None or local.survey is None:
            return super().why_not(local)
        goal, (points, answers) = local.goal, local.seen
        best, alone = goal.best(answers), points[goal.reached(answers)]
        shares = self.oracle.agreement(alone, goal) if len(alone) else None
        if shares is None:
            none = local.bound is not None and local.bound.least == np.inf
            more = {} if none else longer_search(local.wanted)
            limit = most_steps(local.wanted)
            return whynot.no_state(
                goal,
                best,
                local.survey,
                limit,
                longer=more,
                n_rarer=local.n_rarer,
                more_steps=Lattice.of(self.terrain, local.case.point).longest > limit,
            )
        return whynot.no_agreement(goal, best, shares, self.oracle.min_agreement)

    def certificate(self, local: Local) -> Certificate | None:
        """Which rules keep all states that succeed out of reach."""
        if local.seen is None or local.survey is None:
            return None
        return BlockedActions(
            local,
            self.terrain,
            self.as_rare_as(local.case.point).judge(local.goal),
            most_steps(local.wanted),
            self.oracle.committee is None,
            int(self.oracle.records_reaching(local.goal).sum()),
            _proven(local),
        ).certificate()

    def as_rare_as(self, point: Floats) -> Self:
        """The same steps for somebody who may be rarer than most: as far from records will do."""
        rarity = float(self.plausibility.rarity(point[np.newaxis, :])[0])
        if not 1 < rarity < np.inf:
            return self
        return replace(self, plausibility=self.plausibility.loosened(rarity))

    def rarity(self, points: Floats) -> Floats | None:
        """How far states are from real records; up to 1 is plausible."""
        return self._recalled(points, self.plausibility.rarity, "rarity")

    def judge(self, goal: Goal | Range) -> Judge:
        """Answers about points, whatever the terrain says of them."""

        def wins(points: Floats, answers: Floats) -> Bools:
            return self.oracle.reaches(points, goal, answers)

        return Judge(_everything, self.oracle.answers, goal.merit, wins, self._plausible)

    def _plausible(self, points: Floats) -> Bools:
        return self._recalled(points, self.plausibility.plausible, "plausible")

    def _recalled(
        self, points: Floats, find: Callable[[Floats], npt.NDArray[T]], about: str
    ) -> npt.NDArray[T]:
        """What plausibility finds of points, and what it found before."""
        memory = self.oracle.memory
        if memory is None:
            return find(points)
        return np.asarray(memory.recall(points, find, (about, self.plausibility.bound)))


def _everything(points: Floats) -> Bools:
    return np.ones(len(points), dtype=bool)


def most_steps(wanted: Request) -> int:
    """The most actions of a journey."""
    return MAX_ACTIONS if wanted.max_steps is None else wanted.max_steps


def _among(local: Local) -> Among:
    """Which ways a bound is about."""
    limited = local.bound is not None and local.bound.of_steps
    return most_steps(local.wanted) if limited else "all"


def _proven(local: Local) -> str:
    """That there is no way at all, and how that is known; nothing where it is not."""
    bound, survey = local.bound, local.survey
    if bound is None or survey is None or np.isfinite(bound.least):
        return ""
    how = count(
        "the only state there is was looked at", "all {n} states were looked at", survey.n_states
    )
    if bound.n_reached:
        how = count(
            "the {n} state within reach was looked at",
            "all {n} states within reach were looked at",
            bound.n_reached,
        )
    if bound.n_boxes:
        how = count(
            "the model itself rules out all states, in {n} group of them",
            "the model itself rules out all states, in {n} groups of them",
            bound.n_boxes,
        )
    if not bound.of_steps:
        return say("Proven: no way exists under these rules; {how}.", how=how)
    return count(
        "Proven: no way of at most {n} step exists under these rules; {how}.",
        "Proven: no way of at most {n} steps exists under these rules; {how}.",
        most_steps(local.wanted),
        how=how,
    )


def longer_search(wanted: Request) -> dict[str, Any]:
    """The parameter that would let a search go on, and its value."""
    if wanted.max_states is not None:
        return {"max_states": 10 * wanted.max_states}
    return {"patience": longer(wanted.patience)}
