"""One study to be explained: who, over which graph, and what they could do instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from facelift import FACElift, Goal, Graph, Journey, Terrain, __version__, geometry
from facelift.graph import forward, nearest_admissible, remaining_costs
from facelift.paper.networks import digest
from facelift.paper.results import Bools, Floats, Ints
from facelift.paper.settings import N_ALTERNATIVES, THRESHOLD, Column, Setting
from facelift.paper.studies import Study

FORMAT = "facelift/protocol/1"
"""Changes whenever the same setting would be measured otherwise."""


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Vertices that somebody could go to instead, and what is left to each from every vertex."""

    vertices: Ints
    left: Floats


@dataclass(frozen=True, eq=False)
class World:
    """A study under a setting; everything that takes long is made when first asked for."""

    setting: Setting
    study: Study
    seed: int = 0

    @cached_property
    def factuals(self) -> Ints:
        """Rows to be explained, in an order drawn by the seed: fewer are a part of more."""
        setting, study = self.setting, self.study
        wanted = np.full(len(study.tested), True) if setting.everybody else study.tested.copy()
        if setting.labelled:
            wanted &= study.labels == setting.undesired
        numbers = np.flatnonzero(wanted)
        answers = study.model.predict_proba(self.rows(numbers))
        chosen = np.asarray(study.model.classes_)[answers.argmax(axis=1)]
        order = np.random.default_rng(self.seed).permutation(numbers[chosen == setting.undesired])
        return order[: setting.most]

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

    def alternatives(self, column: Column, vertex: int) -> Alternatives:
        """Where somebody could go instead, whichever explainer advises them.

        Of the records in reach with an outcome asked for, the nearest by the cost of the direct
        move, each at least the spacing from those before it. The first of them is nobody's
        alternative where it is of the target class: it is the counterfactual that explainers look
        for, and the five next are what one could do instead of it.
        """
        classes = column.classes or (self.setting.target,)
        n_first = 0 if column.classes else 1
        wanted = np.isfinite(forward(self.graph, vertex).costs)
        wanted &= np.logical_or.reduce([self.of_class(label) for label in classes])
        wanted[vertex] = False
        found = np.flatnonzero(wanted)
        points = self.graph.points[found]
        costs = self.terrain.cost(self.graph.points[vertex], points)
        apart = cheapest_apart(points, costs, n_first + N_ALTERNATIVES, self.setting.spacing)
        vertices = found[apart[n_first:]]
        return Alternatives(vertices, remaining_costs(self.graph, list(vertices[:, np.newaxis])))

    def opportunity(self, journey: Journey, instead: Alternatives) -> float:
        """Mean opportunity potential of a journey towards alternatives, its own end left out.

        Algorithm 5 along the journey's waypoints, whoever found them; NaN if nothing is left.
        """
        left = self.left_along(journey.waypoints, instead.left)
        potentials = geometry.opportunity_potential(journey.step_costs, left)
        others = instead.vertices != self._vertex(journey.counterfactual)
        return float(potentials[others].mean()) if others.any() else float("nan")

    def is_alternative(self, journey: Journey, instead: Alternatives) -> bool:
        """Whether a journey ends at one of the alternatives."""
        return bool((instead.vertices == self._vertex(journey.counterfactual)).any())

    def left_along(self, waypoints: Floats, left: Floats) -> Floats:
        """What is left from each waypoint to each destination; (k, c) from (n, c).

        A waypoint that is no record, as a counterfactual somebody made up, leads to its own nearest
        records, like a case that is not in the table (SPEC 2).
        """
        return np.array([self._left_from(point, left) for point in waypoints])

    def class_potentials(self, column: Column, journeys: Iterable[Journey]) -> Floats:
        """Opportunity potential of journeys through records towards whole classes; (a, classes)."""
        left = self._left_to_classes(column)
        found = [
            geometry.opportunity_potential(journey.step_costs, left[journey.vertices])
            for journey in journeys
        ]
        return np.array(found)

    def confirmed(self, point: Floats, target: Sequence[Any]) -> bool:
        """Whether the model itself gives a point one of the classes asked for."""
        answers = self.study.model.predict_proba(self.terrain.decode(point[np.newaxis]))
        goal = Goal(tuple(target), THRESHOLD, tuple(self.explainer.classes_.tolist()))
        return bool(goal.reached(answers)[0])

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

    def _left_from(self, point: Floats, left: Floats) -> Floats:
        vertex = self._vertex(point)
        if vertex is not None:
            return np.asarray(left[vertex])
        [ends], [costs] = nearest_admissible(
            point[np.newaxis], self.graph.points, self.terrain.prices, self.setting.n_neighbors
        )
        return np.asarray((costs[:, np.newaxis] + left[ends]).min(axis=0))

    def _vertex(self, point: Floats) -> int | None:
        return self._vertices.get((point + 0.0).tobytes())  # no -0.0

    @cached_property
    def _vertices(self) -> dict[bytes, int]:
        points = self.graph.points + 0.0
        return {point.tobytes(): vertex for vertex, point in enumerate(points)}

    @cached_property
    def _known(self) -> dict[Column, Floats]:
        return {}


def cheapest_apart(points: Floats, costs: Floats, count: int, spacing: float) -> Ints:
    """Places of the cheapest points, each at least the spacing from those before it.

    >>> line = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> cheapest_apart(line, np.array([3.0, 1.0, 2.0, 4.0]), 2, spacing=1.5).tolist()
    [1, 3]
    """
    left = np.lexsort((np.arange(len(costs)), geometry.tied_ranks(costs)))
    chosen: list[int] = []
    while len(left) and len(chosen) < count:
        chosen.append(int(left[0]))
        left = left[1:]
        left = left[geometry.distances(points[left], points[chosen[-1]]) >= spacing]
    return np.array(chosen, dtype=np.int64)
