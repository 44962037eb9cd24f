"""One study to be explained: who, over which graph, and what they could do instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from facelift import FACElift, Goal, Graph, Journey, Terrain, __version__, geometry
from facelift.graph import costs_between, nearest_admissible, remaining_costs
from facelift.paper import Bools, Floats, Ints
from facelift.paper.networks import digest
from facelift.paper.studies import N_ALTERNATIVES, THRESHOLD, Column, Setting, Study

FORMAT = "facelift/protocol/2"
"""Changes whenever the same setting would be measured otherwise."""

PACK = 200
"""Records that are looked at together, to find some that lie apart."""

POOL = 50
"""Nearest records with the outcome that alternatives are drawn from, or as many as it takes."""


class Remaining:
    """What is left from vertices to some destinations, searched once for each vertex asked about.

    Whoever will ask about many does well to ask about all of them first: one search answers.
    """

    def __init__(self, graph: Graph, destinations: Ints) -> None:
        self._graph, self._destinations = graph, destinations
        self._left: dict[int, Floats] = {}

    def at(self, vertices: Ints) -> Floats:
        """From each of some vertices to each destination; (k, c), inf where there is no way."""
        asked = vertices.tolist()
        new = np.array(sorted(set(asked) - self._left.keys()), dtype=np.int64)
        if len(new):
            found = costs_between(self._graph, new, self._destinations)
            self._left.update(zip(new.tolist(), found, strict=True))
        return np.array([self._left[vertex] for vertex in asked])


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Vertices that somebody could go to instead, and one more for whoever goes to one of them.

    `left` tells what is left to `vertices` from others.
    """

    vertices: Ints
    left: Remaining

    def others(self, vertex: int | None) -> Ints:
        """Places of the first five that are not that vertex."""
        return np.flatnonzero(self.vertices != vertex)[:N_ALTERNATIVES]


@dataclass(frozen=True, eq=False)
class World:
    """A study under a setting; everything that takes long is made when first asked for."""

    setting: Setting
    study: Study
    seed: int = 0

    @property
    def factuals(self) -> Ints:
        """Rows to be explained, in an order drawn by the seed: fewer are a part of more."""
        return self.population[: self.setting.most]

    @cached_property
    def population(self) -> Ints:
        """All rows that could be explained, in that order."""
        setting, study = self.setting, self.study
        wanted = np.full(len(study.tested), True) if setting.everybody else study.tested.copy()
        if setting.labelled:
            wanted &= study.labels == setting.undesired
        numbers = np.flatnonzero(wanted)
        answers = study.model.predict_proba(self.rows(numbers))
        chosen = np.asarray(study.model.classes_)[answers.argmax(axis=1)]
        undesired = numbers[chosen == setting.undesired]
        return np.random.default_rng(self.seed).permutation(undesired)

    @cached_property
    def terrain(self) -> Terrain:
        """What moves cost: nothing is forbidden, lowering may have its own price."""
        lowering = self.setting.decrease
        known = self.study.terrain.features
        features = tuple(each.priced(increase=1.0, decrease=lowering) for each in known)
        return replace(self.study.terrain, features=features)

    @cached_property
    def explainer(self) -> FACElift:
        """The graph of all rows, which every method that walks on one shares."""
        return FACElift(
            self.study.model,
            self.terrain,
            n_neighbors=self.setting.n_neighbors,
            threshold=THRESHOLD,
            margin=0,
        ).fit(self.study.rows)

    @property
    def graph(self) -> Graph:
        """The data graph (SPEC 2)."""
        return self.explainer.graph_

    def rows(self, numbers: Ints) -> Any:
        """Some rows of the study, as its model takes them."""
        table = self.study.rows
        return table.iloc[numbers] if hasattr(table, "iloc") else table[numbers]

    def of_class(self, label: Any) -> Bools:
        """Vertices that the model gives a class at least the threshold; shape (n,)."""
        place = self.explainer.classes_.tolist().index(label)
        return np.asarray(self.explainer.probabilities_[:, place] >= THRESHOLD)

    def alternatives(self, column: Column, vertex: int) -> dict[str, Alternatives]:
        """Where somebody could go instead, whichever explainer advises them, chosen in two ways.

        Both are records in reach with an outcome asked for, each at least the spacing from those
        before it, and one more than are counted. "drawn": in an order drawn by the seed from the
        nearest by the cost of the direct move. "grown": the nearest first. There the first is
        nobody's alternative where it is of the target class: it is what explainers look for.
        """
        classes = column.classes or (self.setting.target,)
        wanted = self._components == self._components[vertex]
        wanted &= np.logical_or.reduce([self.of_class(label) for label in classes])
        wanted[vertex] = False
        found = np.flatnonzero(wanted)
        points = self.graph.points[found]
        costs = self.terrain.cost(self.graph.points[vertex], points)
        order = np.lexsort((np.arange(len(costs)), geometry.tied_ranks(costs)))
        n_first, count, spacing = (
            0 if column.classes else 1,
            N_ALTERNATIVES + 1,
            self.setting.spacing,
        )
        chosen = {
            "drawn": drawn_apart(points, order, count, spacing, self._stream(vertex)),
            "grown": apart(points, order, n_first + count, spacing)[n_first:],
        }
        return {
            name: Alternatives(found[each], Remaining(self.graph, found[each]))
            for name, each in chosen.items()
        }

    def opportunity(self, journey: Journey, instead: Alternatives) -> float:
        """Mean opportunity potential of a journey towards five alternatives to where it ends.

        Algorithm 5 along the journey's waypoints, whoever found them; NaN if nothing is left.
        """
        others = instead.others(self._vertex(journey.counterfactual))
        left = self._left_along(journey.waypoints, instead.left)[:, others]
        potentials = geometry.opportunity_potential(journey.step_costs, left)
        return float(potentials.mean()) if len(others) else float("nan")

    def is_alternative(self, journey: Journey, instead: Alternatives) -> bool:
        """Whether a journey ends at one of the alternatives, so that a further one stands in."""
        return self._vertex(journey.counterfactual) in instead.vertices[:N_ALTERNATIVES]

    def meet(self, points: Iterable[Floats]) -> None:
        """Find the nearest records of those of some points that are none, all at once."""
        new = {point.tobytes(): point for point in points if self._is_new(point)}
        if new:
            found = nearest_admissible(
                np.array(list(new.values())),
                self.graph.points,
                self.terrain.prices,
                self.setting.n_neighbors,
            )
            self._made_up.update(zip(new, zip(*found, strict=True), strict=True))

    def vertices_of(self, points: Iterable[Floats]) -> Ints:
        """Vertices that what is left from some points is told by, each once."""
        places = [self._places(point)[0] for point in points]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *places]))

    def class_potentials(self, column: Column, journeys: Iterable[Journey]) -> Floats:
        """Opportunity potential of journeys through records towards whole classes; (a, classes)."""
        left = self._left_to_classes(column)
        found = [
            geometry.opportunity_potential(journey.step_costs, left[journey.vertices])
            for journey in journeys
        ]
        return np.array(found)

    def confirmed(self, points: Floats, target: Sequence[Any]) -> Bools:
        """Whether the model itself gives points one of the classes asked for; shape (n,)."""
        answers = self.study.model.predict_proba(self.terrain.decode(points))
        goal = Goal(tuple(target), THRESHOLD, tuple(self.explainer.classes_.tolist()))
        return np.asarray(goal.reached(answers))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that decides what methods come to here."""
        arrays, labels = self.study.model.arrays, self.study.labels
        points = np.asarray(self.terrain.encode(self.study.rows))
        about = f"{FORMAT} {__version__} {self.setting} {self.seed}"
        return digest(about, {**arrays, "points": points, "labels": labels})

    def _left_to_classes(self, column: Column) -> Floats:
        if column not in self._known:
            sets = [np.flatnonzero(self.of_class(label)) for label in column.classes]
            self._known[column] = remaining_costs(self.graph, sets)
        return self._known[column]

    def _left_along(self, waypoints: Floats, left: Remaining) -> Floats:
        """What is left from each waypoint to each destination; shape (k, c)."""
        found = []
        for point in waypoints:
            ends, costs = self._places(point)
            found.append((costs[:, np.newaxis] + left.at(ends)).min(axis=0))
        return np.array(found)

    def _places(self, point: Floats) -> tuple[Ints, Floats]:
        """The vertex that a point is, at no cost; or the records that it leads to, and their costs.

        A waypoint that is no record, as a counterfactual somebody made up, leads to its own nearest
        records, like a case that is not in the table (SPEC 2).
        """
        vertex = self._vertex(point)
        if vertex is not None:
            return np.array([vertex]), np.zeros(1)
        self.meet([point])
        return self._made_up[point.tobytes()]

    def _is_new(self, point: Floats) -> bool:
        return self._vertex(point) is None and point.tobytes() not in self._made_up

    @cached_property
    def _made_up(self) -> dict[bytes, tuple[Ints, Floats]]:
        return {}

    @cached_property
    def _components(self) -> Ints:
        """A number per vertex, the same for those that can get to each other."""
        _, numbers = connected_components(self.graph.costs, connection="strong")
        return np.asarray(numbers, dtype=np.int64)

    def _stream(self, vertex: int) -> np.random.Generator:
        """Random numbers that belong to one person at one seed."""
        return np.random.default_rng([self.seed, vertex])

    def _vertex(self, point: Floats) -> int | None:
        return self._vertices.get((point + 0.0).tobytes())  # no -0.0

    @cached_property
    def _vertices(self) -> dict[bytes, int]:
        points = self.graph.points + 0.0
        return {point.tobytes(): vertex for vertex, point in enumerate(points)}

    @cached_property
    def _known(self) -> dict[Column, Floats]:
        return {}


def apart(points: Floats, order: Ints, count: int, spacing: float) -> Ints:
    """Places of the first points in an order, each at least the spacing from those before it.

    >>> line = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> apart(line, np.array([1, 2, 0, 3]), 2, spacing=1.5).tolist()
    [1, 3]
    """
    chosen: list[int] = []
    for i in range(0, len(order), PACK):
        left = order[i : i + PACK]
        for before in chosen:
            left = left[geometry.distances(points[left], points[before]) >= spacing]
        while len(left) and len(chosen) < count:
            chosen.append(int(left[0]))
            left = left[1:]
            left = left[geometry.distances(points[left], points[chosen[-1]]) >= spacing]
        if len(chosen) == count:
            break
    return np.array(chosen, dtype=np.int64)


def drawn_apart(
    points: Floats, order: Ints, count: int, spacing: float, rng: np.random.Generator
) -> Ints:
    """The same in a random order of the nearest; of twice as many, where too few lie apart.

    >>> line = np.arange(100.0)[:, np.newaxis]
    >>> sorted(drawn_apart(line, np.arange(100), 3, 40.0, np.random.default_rng(0)).tolist())
    [10, 51, 91]
    """
    size = POOL
    while True:
        found = apart(points, rng.permutation(order[:size]), count, spacing)
        if len(found) == count or size >= len(order):
            return found
        size *= 2
