"""Journeys that change one feature at a time: a terrain and a way to ask the model in, ways out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.graph.plausibility import Plausibility
from facelift.graph.routes import forward
from facelift.models.oracle import Oracle
from facelift.multiverse import whynot
from facelift.multiverse.exploration import journeys_to
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.ordering import most_open_route
from facelift.multiverse.telling import Telling, told
from facelift.multiverse.whynot import Survey, WhyNot
from facelift.steps.certificates import ActionQuestion
from facelift.steps.growth import Growth, Judgement, grow
from facelift.steps.lattice import Lattice
from facelift.terrain.ladder import ladders
from facelift.terrain.terrain import Terrain

MAX_ACTIONS = 7
"""Steps of a journey of actions, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What states are judged by: the terrain, what is plausible, and what the oracle says."""

    terrain: Terrain
    plausibility: Plausibility
    oracle: Oracle

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


def through_actions(
    surroundings: Surroundings,
    point: Floats,
    probabilities: Floats,
    goal: Goal | Range,
    *,
    n_counterfactuals: int,
    min_separation: float,
    max_steps: int | None,
    max_states: int,
) -> Multiverse:
    """Journeys from a point, of which the model gives the probabilities, to a goal."""
    limit = MAX_ACTIONS if max_steps is None else max_steps
    yes, no = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
    lattice = Lattice(point, tuple(ladders(surroundings.terrain, point)))
    growth = grow(
        lattice,
        surroundings.terrain.prices,
        partial(surroundings.judge, goal=goal),
        Judgement(yes, no, probabilities[np.newaxis, :]),
        n_destinations=n_counterfactuals,
        max_steps=limit,
        max_states=max_states,
        min_separation=min_separation,
    )
    survey = Survey(growth.n_states, growth.n_calls, growth.stopped)
    if len(growth.ends):
        return replace(_journeys(surroundings, growth, goal), survey=survey)
    merit = goal.merit(growth.probabilities)
    why_not = _no_state(surroundings, lattice, growth, goal, survey, limit)
    asked = ActionQuestion(
        surroundings.terrain,
        point,
        probabilities,
        goal,
        partial(surroundings.judge_beyond, goal=goal),
        limit,
        max_steps is not None,
        max_states,
        growth.stopped == "exhausted",
        growth.probabilities if surroundings.oracle.committee is None else None,
    )
    why_not = replace(why_not, certify=asked.certificate)
    closest = lattice.points(growth.reached[[np.argmax(merit)]])[0] if len(merit) else None
    return Multiverse((), (), why_not=why_not, goal=goal, survey=survey, closest=closest)


def _journeys(surroundings: Surroundings, growth: Growth, goal: Goal | Range) -> Multiverse:
    ends = growth.ends.tolist()
    search = forward(growth.graph, 0)
    found = journeys_to(search, growth.destinations, ends=ends, route=most_open_route)
    answers, points = growth.judged.probabilities.__getitem__, growth.graph.points
    agreement = lambda vertices: surroundings.oracle.agreement(points[vertices], goal)  # noqa: E731
    found = told(found, Telling(answers, goal, surroundings.terrain, agreement))
    rarity = surroundings.plausibility.rarity
    return replace(found, journeys=tuple(replace(j, rarity=rarity(j.waypoints)) for j in found))


def _no_state(
    surroundings: Surroundings,
    lattice: Lattice,
    growth: Growth,
    goal: Goal | Range,
    survey: Survey,
    limit: int,
) -> WhyNot:
    """Why no state will do: none has the outcome, or the committee agrees on none of those."""
    best, oracle = goal.best(growth.probabilities), surroundings.oracle
    alone = lattice.points(growth.reached[goal.reached(growth.probabilities)])
    shares = oracle.agreement(alone, goal) if len(alone) else None
    if shares is None:
        return whynot.no_state(goal, best, survey, limit)
    return whynot.no_agreement(goal, best, shares, oracle.min_agreement)
