"""A plan: the ways that are open from where somebody stands, and what the next steps do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift.graph.graph import Graph
from facelift.graph.routes import forward
from facelift.multiverse.exploration import Route, journeys_to
from facelift.multiverse.frames import differ
from facelift.multiverse.goal import Goal, Range, number_words
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.walking.position import Option, Position
from facelift.walking.replanning import Said
from facelift.walking.walk import Change, Name, Walk

Ask = Callable[[Floats], Floats | None]
"""What the model says of some points, one column per class; None where there is no model."""

Decode = Callable[[Floats], pd.DataFrame]

DIGITS = 12
"""Digits of a chance that count: a model's last ones depend on how many rows it is asked about."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A walk, the multiverse it goes through, and where it is in there.

    `position` is None when nothing leads to the goal. `names[b]` is the name of destination b,
    and `similar[b]` how many ways it stands for (1, unless ways that run alike are collapsed).
    """

    walk: Walk
    multiverse: Multiverse
    position: Position | None
    names: tuple[Name, ...]
    point: Floats
    ask: Ask
    decode: Decode
    route: Route
    similar: tuple[int, ...]

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
    def graph(self) -> Graph | None:
        """Where one can still walk."""
        if self.position is None:
            return None
        return self.position.open_graph

    @cached_property
    def ways(self) -> Multiverse:
        """The ways from here to the open destinations, cheapest first; names go with `lines`."""
        if self.graph is None or self.position is None or not self.open:
            return Multiverse((), ())
        sets = [self.multiverse.destinations[b] for b in self.open]
        return journeys_to(forward(self.graph, self.position.vertex), sets, route=self.route)

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
        said = self.ask(self.point[np.newaxis, :])
        return None if said is None else np.asarray(said[0])

    @cached_property
    def answers(self) -> dict[int, Floats | None]:
        """What it says at every vertex of the ways and next steps, in one question."""
        if self.position is None:
            return {}
        vertices = sorted({*self._visited, *(option.end for option in self.options)})
        said = self.ask(self.position.graph.points[vertices]) if vertices else None
        if said is None:
            return dict.fromkeys(vertices)
        return dict(zip(vertices, said, strict=True))

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
        if figure is None:
            return "–"
        predicts = isinstance(self.multiverse.goal, Range)
        return number_words(figure) if predicts else f"{figure:.0%}"

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
        frame = self.decode(points)
        names = [str(name) for name in frame.columns]
        cells = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
        return [dict(zip(names, row, strict=True)) for row in cells]

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


def replayed(
    position: Position, walked: Sequence[int], edges: Iterable[tuple[int, int]]
) -> Position:
    """The position after steps along vertices, with some edges ruled out.

    A step that the graph does not know is an error; one that was ruled out later stays walked.
    """
    for vertex in walked:
        cost = position.graph.edge_cost(position.vertex, vertex)
        position = position.step(_bare_option(position.vertex, vertex, cost))
    n = len(position.graph)
    steps = frozenset(edge for edge in edges if min(edge) >= 0 and max(edge) < n)
    return replace(position, said=Said(steps)) if steps else position


def grouped(multiverse: Multiverse, groups: Sequence[Sequence[int]], route: Route) -> Multiverse:
    """The multiverse with several destinations seen as one: to reach any of them is to reach it."""
    graph, factual = multiverse.walkable_graph()
    sets: list[Ints] = [
        np.unique(np.concatenate([multiverse.destinations[b] for b in group])) for group in groups
    ]
    found = journeys_to(forward(graph, factual), sets, route=route)
    return Multiverse(
        found.journeys,
        found.destinations,
        goal=multiverse.goal,
        survey=multiverse.survey,
        graph=graph,
        factual=factual,
        question=multiverse.question,
    )


def _bare_option(start: int, end: int, cost: float) -> Option:
    return Option(start, end, cost, np.empty(0), ())
