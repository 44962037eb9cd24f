"""An outside judge of states and ways: rules, plausibility and the model, each asked plainly.

Plausibility is judged by scikit-learn's neighbours and not by the code that is measured; only the
bound, learnt when the explainer was fitted, is taken over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from facelift.steps.lattice import Lattice

CLOSE = 1e-6
MOST_STEPS = 7


@dataclass(frozen=True, eq=False)
class Judge:
    """What counts as a success of a fitted explainer."""

    explainer: Any
    model: Any
    threshold: float

    @cached_property
    def neighbours(self) -> NearestNeighbors:
        return NearestNeighbors(algorithm="brute").fit(self.explainer.graph_.points)

    @property
    def terrain(self) -> Any:
        return self.explainer.terrain_

    def _rarity(self, points: Any, n_neighbors: int) -> Any:
        if not len(points):
            return np.zeros(0)
        distances = self.neighbours.kneighbors(points, n_neighbors)[0][:, -1]
        bound = self.explainer.plausibility_.bound
        return distances / bound if bound else np.where(distances > 0, np.inf, 0.0)

    def rarity(self, points: Any) -> Any:
        """Distance to the k-th nearest record as a share of the bound."""
        return self._rarity(points, self.explainer.plausibility_.n_neighbors)

    def rarer_than_most(self, points: Any) -> Any:
        """Whether records are farther from others than 95 % of the records are."""
        return self._rarity(points, self.explainer.plausibility_.n_neighbors + 1) > 1

    def chances(self, points: Any) -> Any:
        """What the model says of points."""
        return self.model.predict_proba(self.terrain.decode(points))[:, 1]

    def of(self, person: Any) -> Person:
        """The judge of one person's states."""
        point, terrain = self.terrain.case(person)
        rarest = max(1.0, float(self.rarity(point[np.newaxis, :])[0]))
        return Person(self, terrain, point, rarest)


@dataclass(frozen=True, eq=False)
class Person:
    """Where somebody stands, and what they may get to."""

    judge: Judge
    terrain: Any
    point: Any
    rarest: float
    """The rarity that is still plausible: 1, or the person's own."""

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice.of(self.terrain, self.point)

    def plausible(self, points: Any) -> Any:
        return self.judge.rarity(points) <= self.rarest * (1 + CLOSE)

    def admissible(self, points: Any) -> Any:
        """Whether points keep the rules, plausibility apart."""
        priced = np.isfinite(self.efforts(points))
        return priced & np.asarray(self.terrain.admissible(points))

    def efforts(self, points: Any) -> Any:
        """What single changes, one feature after the other, cost; infinite where one is ruled out.

        States of the lattice cost what their chains of changes do.
        """
        known = self.lattice.costs_of(points)
        return np.where(np.isfinite(known), known, self.direct_costs(self.terrain, points))

    def direct_costs(self, terrain: Any, points: Any) -> Any:
        """What points cost at the prices of a terrain, one feature after the other."""
        return self.costs_by_feature(terrain, points).sum(axis=1)

    def costs_by_feature(self, terrain: Any, points: Any) -> Any:
        """What the change of each feature costs, (points, features)."""
        found = []
        for part in terrain.slices:
            moved = np.repeat(self.point[np.newaxis, :], len(points), axis=0)
            moved[:, part] = points[:, part]
            found.append(terrain.cost(self.point, moved))
        return np.column_stack(found)

    def columns_changed(self, points: Any) -> Any:
        """How many features points differ in."""
        differs = [
            (points[:, part] != self.point[part]).any(axis=1) for part in self.terrain.slices
        ]
        return np.sum(differs, axis=0)

    def succeeds(self, points: Any) -> Any:
        """Whether points have the outcome, keep the rules and are plausible."""
        good = self.admissible(points)
        good[good] = self.judge.chances(points[good]) >= self.judge.threshold if good.any() else []
        good[good] = self.plausible(points[good])
        return good

    def has_way(self, state: Any) -> bool:
        """Whether an order of changes leads to a state through states that will do.

        A feature with an order moves there at once, a category by its chain; within seven steps.
        """
        chains = [
            ladder.climb(int(p)) if ladder.unordered else sorted({0, int(p)}, key=lambda q: q != 0)
            for ladder, p in zip(self.lattice.ladders, state, strict=True)
        ]
        if sum(len(chain) - 1 for chain in chains) > MOST_STEPS:
            return False
        places = list(product(*(range(len(chain)) for chain in chains)))
        states = np.array([[c[i] for c, i in zip(chains, p, strict=True)] for p in places])
        points = self.lattice.points(states)
        allowed = np.asarray(self.terrain.admissible(points)) & self.plausible(points)
        return joined({p for p, good in zip(places, allowed, strict=True) if good}, places[-1])

    def faults(self, journey: Any) -> list[str]:
        """What is wrong with a journey; nothing, it is hoped."""
        points = journey.waypoints
        steps = np.array([self.terrain.cost(*pair) for pair in pairwise(points)])
        found = {
            "a step is forbidden": not np.isfinite(steps).all(),
            "a waypoint breaks a rule": not np.asarray(self.terrain.admissible(points[1:])).all(),
            "a waypoint is not plausible": not self.plausible(points).all(),
            "the end has not the outcome": self.judge.chances(points[-1:])[0]
            < self.judge.threshold * (1 - CLOSE),
        }
        return [words for words, true in found.items() if true]


def joined(allowed: set[tuple[int, ...]], end: tuple[int, ...]) -> bool:
    """Whether single steps up, through allowed places, lead from the origin to an end."""
    reached = {tuple(0 for _ in end)}
    for place in sorted(allowed, key=sum):
        before = (tuple(x - (i == j) for j, x in enumerate(place)) for i in range(len(place)))
        if not reached.isdisjoint(before):
            reached.add(place)
    return end in reached
