"""Journeys that change one feature at a time: a terrain and a way to ask the model in, ways out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from facelift.arrays import Floats
from facelift.graph.growth import Growth, Judgement, grow
from facelift.graph.lattice import Lattice
from facelift.graph.plausibility import Plausibility
from facelift.graph.routes import forward
from facelift.multiverse import whynot
from facelift.multiverse.exploration import journeys_to
from facelift.multiverse.goal import Goal
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.ordering import most_open_route
from facelift.multiverse.survey import Survey
from facelift.multiverse.telling import told
from facelift.terrain.ladder import ladders
from facelift.terrain.terrain import Terrain

MAX_ACTIONS = 7
"""Steps of a journey of actions, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What states are judged by: the terrain, what is plausible, and what the model says."""

    terrain: Terrain
    plausibility: Plausibility
    ask: Callable[[Floats], Floats]

    def judge(self, points: Floats, goal: Goal) -> Judgement:
        """Whether states are admissible and plausible, and what the model says of these."""
        plausible = self.terrain.admissible(points)
        plausible[plausible] = self.plausibility.plausible(points[plausible])
        answers = np.full((len(points), len(goal.classes)), np.nan)
        if plausible.any():
            answers[plausible] = self.ask(points[plausible])
        return Judgement(plausible, plausible & goal.reached(answers), answers)


def through_actions(
    surroundings: Surroundings,
    point: Floats,
    probabilities: Floats,
    goal: Goal,
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
    chances = goal.chances(growth.probabilities)
    why_not = whynot.no_state(goal, float(chances.max(initial=0.0)), survey, limit)
    closest = lattice.points(growth.reached[[np.argmax(chances)]])[0] if len(chances) else None
    return Multiverse((), (), why_not=why_not, goal=goal, survey=survey, closest=closest)


def _journeys(surroundings: Surroundings, growth: Growth, goal: Goal) -> Multiverse:
    ends = growth.ends.tolist()
    search = forward(growth.graph, 0)
    found = journeys_to(search, growth.destinations, ends=ends, route=most_open_route)
    found = told(found, growth.judged.probabilities.__getitem__, goal, surroundings.terrain)
    rarity = surroundings.plausibility.rarity
    return replace(found, journeys=tuple(replace(j, rarity=rarity(j.waypoints)) for j in found))
