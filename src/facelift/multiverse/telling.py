"""Telling journeys: what the model says at each waypoint, how its rows read, how long it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from facelift.arrays import Floats, Ints
from facelift.multiverse.goal import Goal
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain


def told(
    found: Multiverse, answers: Callable[[Ints], Floats], goal: Goal, terrain: Terrain
) -> Multiverse:
    """The multiverse with its goal, and its journeys told; `answers` gives what vertices get."""

    def tell(journey: Journey) -> Journey:
        said = answers(journey.vertices)
        return replace(
            journey,
            probabilities=said,
            chances=goal.chances(said),
            times=terrain.earliest(journey.waypoints),
            period=terrain.period,
            decode=terrain.to_pandas,
        )

    return replace(found, journeys=tuple(map(tell, found)), goal=goal)
