"""Telling journeys: what the model says at each waypoint, how its rows read, how long it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from facelift.arrays import Floats, Ints, slices
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain


def told(
    found: Multiverse,
    answers: Callable[[Ints], Floats],
    goal: Goal | Range,
    terrain: Terrain,
    agreement: Callable[[Ints], Floats] | None = None,
) -> Multiverse:
    """The multiverse with its goal, and its journeys told.

    `answers` gives what vertices get, `agreement` the share of other models that say they reach
    the goal.
    """
    vertices = np.concatenate([journey.vertices for journey in found])
    said = answers(vertices)
    shares = None if agreement is None else agreement(vertices)
    figures, predicts = goal.figures(said), isinstance(goal, Range)
    parts = slices(len(journey.vertices) for journey in found)
    journeys = tuple(
        replace(
            journey,
            probabilities=said[part],
            chances=None if predicts else figures[part],
            predictions=figures[part] if predicts else None,
            agreement=None if shares is None else shares[part],
            times=terrain.earliest(journey.waypoints) if terrain.period else None,
            period=terrain.period,
            decode=terrain.to_pandas,
        )
        for journey, part in zip(found, parts, strict=True)
    )
    return replace(found, journeys=journeys, goal=goal)
