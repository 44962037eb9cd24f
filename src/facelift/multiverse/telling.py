"""Telling journeys: what the model says at each waypoint, how its rows read, how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from facelift._arrays import Floats, Ints, slices
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain


@dataclass(frozen=True, eq=False)
class Telling:
    """What there is to tell of journeys towards a goal.

    `answers` gives what vertices get, `agreement` the share of other models that say they reach
    the goal.
    """

    answers: Callable[[Ints], Floats]
    goal: Goal | Range
    terrain: Terrain
    agreement: Callable[[Ints], Floats | None] | None = None

    def of(
        self, vertices: Ints, waypoints: Floats, lengths: Iterable[int]
    ) -> Iterator[dict[str, Any]]:
        """What is told of each of the journeys that lie one after the other, by field."""
        said = self.answers(vertices)
        shares = None if self.agreement is None else self.agreement(vertices)
        figures, predicts = self.goal.figures(said), isinstance(self.goal, Range)
        period = self.terrain.period
        for part in slices(lengths):
            yield {
                "probabilities": said[part],
                "chances": None if predicts else figures[part],
                "predictions": figures[part] if predicts else None,
                "agreement": None if shares is None else shares[part],
                "times": self.terrain.earliest(waypoints[part]) if period else None,
                "period": period,
                "decode": self.terrain.to_pandas,
            }


def told(found: Multiverse, telling: Telling) -> Multiverse:
    """The multiverse with its goal, and its journeys told."""
    vertices = np.concatenate([journey.vertices for journey in found])
    waypoints = np.concatenate([journey.waypoints for journey in found])
    words = telling.of(vertices, waypoints, [len(journey.vertices) for journey in found])
    journeys = tuple(replace(journey, **said) for journey, said in zip(found, words, strict=True))
    return replace(found, journeys=journeys, goal=telling.goal)
