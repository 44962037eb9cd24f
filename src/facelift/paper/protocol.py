"""One protocol for all methods: the same factuals, the same alternatives, the same measures."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from facelift import Journey, Multiverse, best
from facelift._arrays import Ints
from facelift.geometry import distances
from facelift.paper.methods import Method
from facelift.paper.settings import Column
from facelift.paper.world import Alternatives, World

NAN = float("nan")


@dataclass(frozen=True)
class Record:
    """What one method came to for one factual in one column.

    `distance` is Euclidean, between factual and counterfactual; `cost` is what the journey costs at
    the setting's prices. Where nothing was found, these are NaN and `failure` says why.
    `is_alternative` says that it led to one of the alternatives, which was then left out of the
    mean. `seconds` are of processor time, for one factual, without the fit.
    """

    column: str
    method: str
    row: int
    failure: str
    n_alternatives: int
    seconds: float
    distance: float = NAN
    cost: float = NAN
    steps: float = NAN
    opportunity: float = NAN
    is_alternative: bool = False


def measured(world: World, numbers: Ints, methods: Iterable[Method]) -> list[Record]:
    """What every method comes to for some rows, in every column of the setting."""
    vertices = world.explainer.vertices_[numbers].tolist()
    instead = {
        column: [world.alternatives(column, vertex) for vertex in vertices]
        for column in world.setting.columns
    }
    records: list[Record] = []
    for method in methods:
        start = time.process_time()
        found = method.explain(world.rows(numbers))
        seconds = (time.process_time() - start) / len(numbers)
        for column, sets in instead.items():
            for row, multiverse, others in zip(numbers.tolist(), found, sets, strict=True):
                records += _records(world, column, method, row, multiverse, others, seconds)
    return records


def _records(
    world: World,
    column: Column,
    method: Method,
    row: int,
    found: Multiverse,
    instead: Alternatives,
    seconds: float,
) -> Iterator[Record]:
    """What comes of each of a method's choices among the journeys it found for a row."""
    for name, choice in method.choices.items():
        nothing = Record(column.name, name, row, "nothing found", len(instead.vertices), seconds)
        if not len(found):
            yield nothing
            continue
        journey = best(found, choice(world, column, instead))
        if world.confirmed(journey.counterfactual, method.target):
            yield replace(nothing, failure="", **_measures(world, journey, instead))
        else:
            yield replace(nothing, failure="not confirmed by the model")


def _measures(world: World, journey: Journey, instead: Alternatives) -> dict[str, Any]:
    return {
        "distance": float(distances(journey.waypoints[0], journey.counterfactual)),
        "cost": journey.cost,
        "steps": journey.n_steps,
        "opportunity": world.opportunity(journey, instead),
        "is_alternative": world.is_alternative(journey, instead),
    }
