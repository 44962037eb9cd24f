"""Journeys that change one feature at a time: a terrain and a way to ask the model in, ways out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from facelift._arrays import Floats
from facelift.graph.plausibility import Plausibility
from facelift.graph.routes import forward
from facelift.models.agreement import Committee
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

Answer = Callable[[Floats, int], Floats]
"""Points and the number of classes to what the model says, NaN where a point is not plausible."""

MAX_ACTIONS = 7
"""Steps of a journey of actions, unless told otherwise."""


class Memory:
    """What was said of points, for people who change their mind: most states come up again.

    Holds up to `most` points, then forgets all of them; may be used from several threads. For one
    model and one notion of what is plausible only.
    """

    def __init__(self, most: int = 100_000) -> None:
        self.most = most
        self._known: dict[bytes, Floats] = {}

    def __len__(self) -> int:
        return len(self._known)

    def known(self, points: Floats) -> list[Floats | None]:
        """What was said of each point, None where nothing was."""
        remembered = self._known  # another thread may put a new one in its place
        return [remembered.get(key) for key in _keys(points)]

    def recall(self, points: Floats, n_classes: int, answer: Answer) -> Floats:
        """What is known of points; only the others are asked about, in one batch."""
        keys, found = _keys(points), self.known(points)
        new = [i for i, each in enumerate(found) if each is None]
        said = answer(points[new], n_classes) if new else np.empty((0, n_classes))
        for i, each in zip(new, said, strict=True):
            found[i] = each
        if len(self._known) + len(new) > self.most:
            self._known = {}
        self._known.update(zip([keys[i] for i in new], said, strict=True))
        return np.array(found)


def _keys(points: Floats) -> list[bytes]:
    """Points as bytes, one each."""
    rows = np.ascontiguousarray(points + 0.0)  # no -0.0
    size, whole = rows.shape[1] * rows.itemsize, rows.tobytes()
    return [whole[start : start + size] for start in range(0, len(whole), size)]


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What states are judged by: the terrain, what is plausible, and what the model says."""

    terrain: Terrain
    plausibility: Plausibility
    ask: Callable[[Floats], Floats]
    committee: Committee | None = None

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
        answers = self.answers(points, goal.n_answers)
        plausible = ~np.isnan(answers[:, 0])
        succeeds = plausible & goal.reached(answers)
        if self.committee is not None and succeeds.any():
            succeeds[succeeds] = self.committee.enough(
                self.committee.agreement(points[succeeds], goal)
            )
        return Judgement(plausible, succeeds, answers)

    def answers(self, points: Floats, n_classes: int) -> Floats:
        """What the model says of plausible points, NaN for the others; whatever the terrain."""
        answers = np.full((len(points), n_classes), np.nan)
        plausible = self.plausibility.plausible(points)
        if plausible.any():
            answers[plausible] = self.ask(points[plausible])
        return answers


@dataclass(frozen=True, eq=False)
class RememberedSurroundings(Surroundings):
    """Surroundings that ask about no point twice, also under other rules for the same table."""

    memory: Memory = field(default_factory=Memory)

    def answers(self, points: Floats, n_classes: int) -> Floats:
        """What was said of points before, or is now."""
        return self.memory.recall(points, n_classes, super().answers)


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
        growth.probabilities if surroundings.committee is None else None,
    )
    why_not = replace(why_not, certify=asked.certificate)
    closest = lattice.points(growth.reached[[np.argmax(merit)]])[0] if len(merit) else None
    return Multiverse((), (), why_not=why_not, goal=goal, survey=survey, closest=closest)


def _journeys(surroundings: Surroundings, growth: Growth, goal: Goal | Range) -> Multiverse:
    ends = growth.ends.tolist()
    search = forward(growth.graph, 0)
    found = journeys_to(search, growth.destinations, ends=ends, route=most_open_route)
    answers, committee = growth.judged.probabilities.__getitem__, surroundings.committee
    agreement = None
    if committee is not None:
        agreement = lambda vertices: committee.agreement(growth.graph.points[vertices], goal)  # noqa: E731
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
    best, committee = goal.best(growth.probabilities), surroundings.committee
    reached = goal.reached(growth.probabilities)
    if committee is None or not reached.any():
        return whynot.no_state(goal, best, survey, limit)
    points = lattice.points(growth.reached[reached])
    most = float(committee.agreement(points, goal).max())
    return whynot.no_agreement(goal, best, most, committee.min_agreement, len(points))
