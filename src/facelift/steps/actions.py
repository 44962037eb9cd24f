"""Steps that change one feature at a time, through plausible states that each case grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.nearest.exact import Nearest
from facelift.graph.plausibility import Plausibility, learn_plausibility
from facelift.graph.points import move_costs
from facelift.graph.routes import Search
from facelift.models.oracle import Oracle
from facelift.multiverse import whynot
from facelift.multiverse.exploration import most_open_route
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.proof import Proof, proof_of
from facelift.multiverse.whynot import Certificate, Survey, WhyNot
from facelift.steps.ascent import climb
from facelift.steps.base import Case, Local, Request, Steps, without_edges
from facelift.steps.certificates import BlockedActions
from facelift.steps.certified import document_of
from facelift.steps.growth import LEAST_ROOM, Judgement, grow, no_undercutting
from facelift.steps.lattice import Lattice, States
from facelift.steps.proof import Prover
from facelift.terrain.ladder import ladders
from facelift.terrain.rules import rules_text
from facelift.terrain.terrain import Terrain

MAX_ACTIONS = 7
"""Steps of a journey of actions, unless told otherwise."""

LEAST_MISSING = 1e-9
"""What a state lacks at least that the model says is there, and its committee not."""


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
        learnt = learn_plausibility(oracle.points, quantile)
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
        """The states between the case and the destinations that growing outward finds."""
        if wanted.among is not None:
            raise InvalidInput("among is for steps='rows': actions lead to states of their own.")
        yes, no = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
        lattice = Lattice(case.point, tuple(ladders(self.terrain, case.point)))
        steps = self.as_rare_as(case.point)
        climber = steps.remembering()
        growth = grow(
            lattice,
            self.terrain.prices,
            partial(steps.judge, goal=goal),
            Judgement(yes, no, case.answers[np.newaxis, :]),
            n_destinations=wanted.count,
            max_steps=_limit(wanted),
            max_states=wanted.max_states,
            min_separation=wanted.min_separation,
            beyond=partial(
                climb,
                lacking=max(float(goal.missing(case.answers)), LEAST_MISSING),
                missing=partial(climber.missing, goal=goal),
                within=partial(_within, lattice, wanted),
                judge=partial(climber.judge, goal=goal),
            ),
            prove=Prover(
                lattice,
                goal,
                self.terrain.decode,
                self.oracle.reading,
                partial(climber.judge, goal=goal),
                _limit(wanted),
                wanted.max_states,
                max(wanted.max_states, LEAST_ROOM),
            ),
        )
        found = len(growth.ends) > 0
        return Local(
            case,
            goal,
            wanted,
            growth.graph,
            0,
            growth.judged.probabilities.__getitem__,
            destinations=growth.destinations,
            ends=growth.ends,
            survey=Survey(growth.n_states, growth.n_calls, growth.stopped),
            seen=None if found else (lattice.points(growth.reached), growth.probabilities),
            bound=growth.bound,
        )

    def reweighed(self, graph: Graph, terrain: Terrain, origin: Floats) -> Graph:
        """The same actions at other prices; no detour undercuts a direct change."""
        starts, ends, points = graph.starts, graph.costs.indices.astype(np.int64), graph.points
        moves = move_costs(terrain.prices, points, points, (starts, ends))
        away = Lattice(origin, tuple(ladders(terrain, origin))).costs_of(points)
        return graph.weighed(no_undercutting(moves, away[starts], away[ends]))

    def route(self, search: Search, end: int, remaining: Floats) -> Ints:
        """The order of actions that keeps most open."""
        return most_open_route(search, end, remaining)

    def proof(self, local: Local, costs: list[float]) -> Proof:
        """What the bound of all states says of the journeys."""
        bound = local.bound
        if bound is None:
            return Proof()
        among = f" of at most {_limit(local.wanted)} steps" if bound.of_steps else ""
        proof = proof_of(costs, bound.least, all_below=bound.all_below, among=among, why=bound.why)
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
            return whynot.no_state(goal, best, local.survey, _limit(local.wanted))
        return whynot.no_agreement(goal, best, shares, self.oracle.min_agreement)

    def certificate(self, local: Local) -> Certificate | None:
        """Which rules keep all states that succeed out of reach."""
        if local.seen is None or local.survey is None:
            return None
        return BlockedActions(
            local,
            self.terrain,
            partial(self.as_rare_as(local.case.point).judge_beyond, goal=local.goal),
            _limit(local.wanted),
            self.oracle.committee is None,
            int(self.oracle.records_reaching(local.goal).sum()),
        ).certificate()

    def as_rare_as(self, point: Floats) -> Self:
        """The same steps for somebody who may be rarer than most: as far from records will do."""
        rarity = float(self.plausibility.rarity(point[np.newaxis, :])[0])
        if not 1 < rarity < np.inf:
            return self
        return replace(self, plausibility=self.plausibility.loosened(rarity))

    def remembering(self) -> Self:
        """The same steps with an oracle that is asked about no state twice."""
        known = self.oracle.memory is not None
        return self if known else replace(self, oracle=self.oracle.remembering())

    def missing(self, points: Floats, goal: Goal | Range) -> Floats:
        """How much the model's answer lacks of the goal; infinite where a rule forbids a state."""
        left = np.full(len(points), np.inf)
        allowed = self.terrain.admissible(points)
        if allowed.any():
            some = points[allowed]
            answers = self.oracle.answers(some)
            reached = self.oracle.reaches(some, goal, answers)
            left[allowed] = np.where(reached, 0.0, np.maximum(goal.missing(answers), LEAST_MISSING))
        return left

    def rarity(self, points: Floats) -> Floats | None:
        """How far states are from real records; up to 1 is plausible."""
        return self.plausibility.rarity(points)

    def judge(self, points: Floats, goal: Goal | Range) -> Judgement:
        """Whether states are admissible and plausible, and what the model says of these."""
        allowed = self.terrain.admissible(points)
        plausible, succeeds = np.zeros((2, len(points)), dtype=bool)
        answers = np.full((len(points), goal.n_answers), np.nan)
        if allowed.any():
            judged = self.judge_beyond(points[allowed], goal)
            plausible[allowed], succeeds[allowed] = judged.admissible, judged.succeeds
            answers[allowed] = judged.probabilities
        return Judgement(plausible, succeeds, answers)

    def judge_beyond(self, points: Floats, goal: Goal | Range) -> Judgement:
        """The same for any states, whatever the terrain."""
        plausible = self._plausible(points)
        answers = np.full((len(points), goal.n_answers), np.nan)
        if plausible.any():
            answers[plausible] = self.oracle.answers(points[plausible])
        return Judgement(plausible, self.oracle.reaches(points, goal, answers), answers)

    def _plausible(self, points: Floats) -> Bools:
        plausible, memory = self.plausibility.plausible, self.oracle.memory
        if memory is None:
            return plausible(points)
        about = "plausible", self.plausibility.bound
        return np.asarray(memory.recall(points, plausible, about))


def _within(lattice: Lattice, wanted: Request, states: States) -> Bools:
    """Whether states take few enough steps."""
    return np.asarray(lattice.n_steps(states) <= _limit(wanted))


def _limit(wanted: Request) -> int:
    """The most actions of a journey."""
    return MAX_ACTIONS if wanted.max_steps is None else wanted.max_steps
