"""Telling journeys: what the model says at each waypoint, how its rows read, how long it takes."""

from __future__ import annotations

from dataclasses import replace

from facelift.arrays import Floats
from facelift.multiverse.goal import Goal
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain


def told(found: Multiverse, probabilities: Floats, goal: Goal, terrain: Terrain) -> Multiverse:
    """The multiverse with its goal, and its journeys told; `probabilities` are by vertex."""

    def tell(journey: Journey) -> Journey:
        answers = probabilities[journey.vertices]
        return replace(
            journey,
            probabilities=answers,
            chances=goal.chances(answers),
            times=terrain.earliest(journey.waypoints),
            period=terrain.period,
            decode=terrain.to_pandas,
        )

    return replace(found, journeys=tuple(map(tell, found)), goal=goal)
