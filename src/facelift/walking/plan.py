"""A plan: the ways that are open from where somebody stands, and what the next steps do.

Plans from one start share what was searched for there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from facelift._arrays import Floats, Ints
from facelift.explainer import FACElift
from facelift.geometry import distances
from facelift.graph.plausibility import learn_plausibility
from facelift.graph.routes import forward
from facelift.multiverse.exploration import Route, journeys_to
from facelift.multiverse.frames import differ, row_values
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.questions.resilience import Resilience, resilience_unasked
from facelift.terrain.feature import Feature
from facelift.walking.limits import Limits
from facelift.walking.position import Option, Position
from facelift.walking.replanning import Reach
from facelift.walking.walk import N_COLOURS, Change, Name, Walk, destination_key

if TYPE_CHECKING:
    import pandas as pd

    from facelift.walking.guide import Guide

DIGITS = 12
"""Digits of a chance that count: a model's last ones depend on how many rows it is asked about."""

N_NEARBY = 10
"""So many of the nearest records say how firm a place is."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where plans start: all ways found from there, those shown, and what limits leave of them.

    `keys[b]` tells destination b of the ways shown from others on every later plan; `similar[b]`
    is how many ways it stands for (1, unless ways that run alike are shown as one).
    """

    found: Multiverse
    shown: Multiverse
    keys: tuple[str, ...]
    similar: tuple[int, ...]
    limits: Limits

    @classmethod
    def of(cls, found: Multiverse, limits: Limits, unfolded: str | None, route: Route) -> Start:
        """The start of what was found; `unfolded` is the key of a family to look into."""
        groups = _shown_as_one(found, unfolded, route)
        shown = found if groups is None else grouped(found, groups, route)
        keys = tuple(destination_key(journey.counterfactual) for journey in shown)
        return cls(found, shown, keys, _sizes(found, groups, keys), limits)

    @cached_property
    def position(self) -> Position:
        """The first position, with everything still open."""
        return Position.start(self.shown, self.limits)

    def within(self, edges: tuple[tuple[int, int], ...]) -> Reach:
        """What can be reached with some edges ruled out."""
        return Reach(self.shown, replace(self.limits, edges=edges), self.limits)

    def after(self, walked: Sequence[int], reach: Reach | None) -> Position | None:
        """The position after steps along vertices, None without ways; `reach` if edges are closed.

        A step that the graph does not know is an error; one ruled out later stays walked.
        """
        if not len(self.shown):
            return None
        position = self.position
        for vertex in walked:
            cost = position.graph.edge_cost(position.vertex, vertex)
            position = position.step(Option(position.vertex, vertex, cost, np.empty(0), ()))
        return position if reach is None else replace(position, reach=reach)


@dataclass(frozen=True)
class Nearby:
    """Real records near a place: the distance to them, and how many of the nearest succeed.

    `rarity` is the distance as a share of what is ordinary.
    """

    rarity: float
    n_records: int
    n_succeed: int


@dataclass(frozen=True, eq=False)
class Plan:
    """A walk, the start it has in common with others, and where it is in there.

    `position` is None when nothing leads to the goal. `names[b]` is the name of destination b.
    """

    walk: Walk
    start: Start
    position: Position | None
    names: tuple[Name, ...]
    point: Floats
    guide: Guide

    @property
    def multiverse(self) -> Multiverse:
        """The ways shown, from the start."""
        return self.start.shown

    @property
    def similar(self) -> tuple[int, ...]:
        """How many ways each destination stands for."""
        return self.start.similar

    @cached_property
    def row(self) -> dict[str, Any]:
        """The values here, by column."""
        return self.rows(self.point[np.newaxis, :])[0]

    @property
    def arrived(self) -> bool:
        """Whether one stands where the goal is reached."""
        there = self.multiverse.why_not
        already = there is not None and there.reason == "already there"
        return already or (self.position is not None and bool(self.position.arrived))

    @cached_property
    def open(self) -> list[int]:
        """Numbers of the destinations in reach from here."""
        if self.position is None or self.arrived:
            return []
        return np.flatnonzero(np.isfinite(self.position.remaining)).tolist()

    @cached_property
    def ways(self) -> Multiverse:
        """The ways from here to the open destinations, cheapest first; names go with `lines`."""
        if self.position is None or not self.open:
            return Multiverse((), ())
        sets = [self.multiverse.destinations[b] for b in self.open]
        reach = self.position.reach
        search = forward(reach.graph, self.position.vertex)
        remaining = reach.remaining[:, self.open]
        return journeys_to(search, sets, route=self.guide.route, remaining=remaining)

    @cached_property
    def resilience(self) -> Resilience | None:
        """How many ways from here share nothing; None without ways, or where it takes too long."""
        return resilience_unasked(self.ways.in_rows(self.decode, self.features))

    @cached_property
    def nearby(self) -> Nearby | None:
        """The records around here; None where there are none to compare with."""
        explainer, goal = self.guide.explainer, self.guide.multiverse.goal
        if explainer is None or goal is None:
            return None
        away = distances(explainer.graph_.points, self.point)
        nearest = np.argsort(away, kind="stable")[:N_NEARBY]
        succeed = int(goal.outcome.reached(explainer.probabilities_[nearest]).sum())
        rarity = 0.0 if (away == 0).any() else _rarity(explainer, self.point)
        return Nearby(rarity, len(nearest), succeed)

    @cached_property
    def lines(self) -> list[Name]:
        """The name of each way."""
        known = self.multiverse.destinations
        numbers = [next(b for b in self.open if known[b] is m) for m in self.ways.destinations]
        return [self.names[b] for b in numbers]

    @cached_property
    def options(self) -> list[Option]:
        """Next steps, the most helpful first."""
        return [] if self.position is None or self.arrived else self.position.options()

    @property
    def chance(self) -> float | None:
        """The chance here; None where the model predicts a number."""
        return None if isinstance(self.multiverse.goal, Range) else self.figure

    @cached_property
    def figure(self) -> float | None:
        """What is told of the place here: the chance, or the predicted number."""
        return self._figure(self.answer)

    @cached_property
    def answer(self) -> Floats | None:
        """What the model says here, by class."""
        if self.position is not None and self.position.vertex in self.answers:
            return self.answers[self.position.vertex]
        answers = self.guide.ask(self.point[np.newaxis, :], self.walk)
        return None if answers is None else np.asarray(answers[0])

    @cached_property
    def answers(self) -> dict[int, Floats | None]:
        """What it says at every vertex of the ways and next steps, in one question."""
        if self.position is None:
            return {}
        vertices = sorted({*self._visited, *(option.end for option in self.options)})
        points = self.position.graph.points[vertices]
        answers = self.guide.ask(points, self.walk) if vertices else None
        if answers is None:
            return dict.fromkeys(vertices)
        return dict(zip(vertices, answers, strict=True))

    @cached_property
    def chances(self) -> dict[int, float | None]:
        """The chance at every vertex of the ways and next steps."""
        predicts = isinstance(self.multiverse.goal, Range)
        return dict.fromkeys(self.figures) if predicts else self.figures

    @cached_property
    def figures(self) -> dict[int, float | None]:
        """The chance, or the predicted number, at every vertex of the ways and next steps."""
        return {vertex: self._figure(answer) for vertex, answer in self.answers.items()}

    @property
    def measure(self) -> str:
        """What a figure is: a chance, or predicted."""
        goal = self.multiverse.goal
        return "chance" if goal is None else goal.measure

    def outlook(self, figure: float | None) -> str:
        """A figure in words; a dash where there is none."""
        goal = self.multiverse.goal
        return "–" if figure is None or goal is None else goal.short_words(figure)

    def seen_as(self, answer: Floats | None) -> tuple[str, float] | None:
        """The likeliest outcome by an answer of the model, and its probability."""
        goal = self.multiverse.goal
        if not isinstance(goal, Goal) or answer is None:
            return None
        likeliest = int(np.argmax(answer))
        return goal.classes[likeliest], round(float(answer[likeliest]), DIGITS)

    def _figure(self, answer: Floats | None) -> float | None:
        goal = self.multiverse.goal
        if goal is None or answer is None:
            return None
        return round(float(goal.figures(answer)), DIGITS)

    @cached_property
    def values(self) -> dict[int, dict[str, Any]]:
        """The row of every vertex of the ways and next steps, decoded together."""
        if self.position is None:
            return {}
        ends = {option.end for option in self.options}
        vertices = sorted({*self._visited, *ends, self.position.vertex})
        return dict(zip(vertices, self.rows(self.position.graph.points[vertices]), strict=True))

    @property
    def _visited(self) -> Iterable[int]:
        return (int(v) for journey in self.ways for v in journey.vertices)

    def rows(self, points: Floats) -> list[dict[str, Any]]:
        """Points in the table's own units, by column."""
        return row_values(self.decode(points))

    @property
    def features(self) -> Mapping[str, Feature]:
        """What columns are called, by name."""
        return self.guide.features

    def decode(self, points: Floats) -> pd.DataFrame:
        """The same as a frame."""
        return self.guide.decode(points, self.walk)

    def changes(self, start: int, end: int) -> tuple[Change, ...]:
        """What changes between two vertices of the ways or next steps."""
        return changed(self.values[start], self.values[end])

    def steps(self, journey: Journey) -> list[tuple[Change, ...]]:
        """What each step of a way changes."""
        vertices = journey.vertices.tolist()
        return [self.changes(u, v) for u, v in pairwise(vertices)]

    def closes(self, journey: Journey) -> list[list[Name]]:
        """Names of the ways that each step of a way puts out of reach for good."""
        return [[self.lines[b] for b in step] for step in journey.closes]


def changed(before: dict[str, Any], after: dict[str, Any]) -> tuple[Change, ...]:
    """The columns that differ between two rows: name, before, after."""
    return tuple(
        (name, value, after[name]) for name, value in before.items() if differ(value, after[name])
    )


def grouped(multiverse: Multiverse, groups: Sequence[Sequence[int]], route: Route) -> Multiverse:
    """The multiverse with several destinations seen as one: to reach any of them is to reach it."""
    graph, factual = multiverse.walkable_graph()
    sets: list[Ints] = [
        np.unique(np.concatenate([multiverse.destinations[b] for b in group])) for group in groups
    ]
    ways = journeys_to(forward(graph, factual), sets, route=route)
    return replace(multiverse, journeys=ways.journeys, destinations=ways.destinations)


def _shown_as_one(found: Multiverse, unfolded: str | None, route: Route) -> list[list[int]] | None:
    """Which ways are shown as one: all alike, or the members of the family one looks into."""
    if unfolded is not None:
        for family in _families(found, range(len(found))):
            shown = grouped(found, [family], route)
            if destination_key(shown[0].counterfactual) == unfolded:
                return _families(found, family)
    if len(found) <= N_COLOURS:
        return None
    return _families(found, range(len(found)))


def _families(found: Multiverse, members: Iterable[int]) -> list[list[int]]:
    """At most seven groups of ways that run alike."""
    numbers = list(members)
    if len(numbers) <= N_COLOURS:
        return [[number] for number in numbers]
    some = replace(found, journeys=tuple(found[i] for i in numbers))
    return [[numbers[i] for i in f.members] for f in some.families(n_families=N_COLOURS)]


def _sizes(
    found: Multiverse, groups: list[list[int]] | None, keys: Sequence[str]
) -> tuple[int, ...]:
    """How many ways each destination shown stands for."""
    if groups is None:
        return (1,) * len(keys)
    by_key: dict[str, int] = {}
    for group in groups:
        ends = [destination_key(found[i].counterfactual) for i in group]
        by_key |= dict.fromkeys(ends, len(group))
    return tuple(by_key[key] for key in keys)


def _rarity(explainer: FACElift, point: Floats) -> float:
    learnt = getattr(explainer, "plausibility_", None)  # journeys through records need none
    learnt = learnt or learn_plausibility(explainer.graph_.points, explainer.plausibility)
    return float(learnt.rarity(point[np.newaxis, :])[0])
