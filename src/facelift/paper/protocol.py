"""One protocol for all methods: the same factuals, the same alternatives, the same measures.

`measured` makes records; `cells` and `people` make tables of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from facelift import Journey, Multiverse, best
from facelift.geometry import distances
from facelift.paper.methods import METHODS, Method
from facelift.paper.results import Ints
from facelift.paper.studies import Column
from facelift.paper.world import Alternatives, World

MEASURES = ("distance", "cost", "steps", "opportunity")

NAN = float("nan")


@dataclass(frozen=True)
class Record:
    """What one method came to for one factual in one column, by one kind of alternatives.

    `distance` is Euclidean, between factual and counterfactual; `cost` is what the journey costs at
    the setting's prices. Where nothing was found, these are NaN and `failure` says why.
    `is_alternative` says that it led to one of the alternatives, and a further one stood in.
    `seconds` are of processor time, for one factual, without the fit.
    """

    column: str
    alternatives: str
    method: str
    row: int
    failure: str
    seconds: float
    n_alternatives: int = 0
    distance: float = NAN
    cost: float = NAN
    steps: float = NAN
    opportunity: float = NAN
    is_alternative: bool = False


def measured(world: World, numbers: Ints, methods: Iterable[Method]) -> list[Record]:
    """What every method comes to for some rows, in every column, by both kinds of alternatives."""
    vertices = world.explainer.vertices_[numbers].tolist()
    instead = {
        column: [world.alternatives(column, vertex) for vertex in vertices]
        for column in world.setting.columns
    }
    known = list(methods)
    found, seconds = [], []
    for method in known:
        start = time.process_time()
        found.append(method.explain(world.rows(numbers)))
        seconds.append((time.process_time() - start) / len(numbers))
    _look_ahead(world, found, list(instead.values()))
    records: list[Record] = []
    for method, multiverses, each in zip(known, found, seconds, strict=True):
        choices: list[tuple[Record, Journey | None, Alternatives]] = []
        for column, sets in instead.items():
            for row, multiverse, others in zip(numbers.tolist(), multiverses, sets, strict=True):
                for kind, alternatives in others.items():
                    about = Record(column.name, kind, "", row, "", each)
                    choices += _choices(world, column, method, multiverse, alternatives, about)
        records += _records(world, method, choices)
    return records


def _look_ahead(
    world: World,
    found: Sequence[Sequence[Multiverse]],
    instead: Sequence[Sequence[Mapping[str, Alternatives]]],
) -> None:
    """Search once for all that will be asked about each person."""
    everybody = [
        [point for multiverse in own for journey in multiverse for point in journey.waypoints]
        for own in zip(*found, strict=True)
    ]
    world.meet(point for waypoints in everybody for point in waypoints)
    for waypoints, sets in zip(everybody, zip(*instead, strict=True), strict=True):
        vertices = world.vertices_of(waypoints)
        for alternatives in [each for kinds in sets for each in kinds.values()]:
            alternatives.left.at(vertices)


def _choices(
    world: World,
    column: Column,
    method: Method,
    found: Multiverse,
    instead: Alternatives,
    about: Record,
) -> Iterator[tuple[Record, Journey | None, Alternatives]]:
    """Each of a method's choices among the journeys it found for a row; None of none."""
    for name, choice in method.choices.items():
        known = replace(about, method=name, n_alternatives=len(instead.vertices))
        chosen = best(found, choice(world, column, instead)) if len(found) else None
        yield known, chosen, instead


def _records(
    world: World, method: Method, choices: Sequence[tuple[Record, Journey | None, Alternatives]]
) -> Iterator[Record]:
    """What comes of the choices; the model is asked about all their ends at once."""
    ends = [journey.counterfactual for _, journey, _ in choices if journey is not None]
    confirmed = iter(world.confirmed(np.array(ends), method.target) if ends else ())
    for about, journey, instead in choices:
        if journey is None:
            yield replace(about, failure="nothing found")
        elif next(confirmed):
            yield replace(about, **_measures(world, journey, instead))
        else:
            yield replace(about, failure="not confirmed by the model")


def _measures(world: World, journey: Journey, instead: Alternatives) -> dict[str, Any]:
    return {
        "distance": float(distances(journey.waypoints[0], journey.counterfactual)),
        "cost": journey.cost,
        "steps": journey.n_steps,
        "opportunity": world.opportunity(journey, instead),
        "is_alternative": world.is_alternative(journey, instead),
    }


def cells(records: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means and deviations of every group of records; failures are counted and left out.

    `one_step` is the share of journeys that have a single step. For these opportunity is the share
    of the alternatives that the step brings nearer, `served`.
    """
    names = list(by)
    found, single = records["failure"] == "", records["steps"] == 1
    noted = records.assign(found=found, one_step=single.where(found).astype(float))
    noted["served"] = records["opportunity"].where(single)
    groups = noted.groupby(names, sort=False)
    table = pd.DataFrame(
        {
            "factuals": groups.size(),
            "success": groups["found"].mean(),
            "compared": groups["opportunity"].count(),
            "is_alternative": groups["is_alternative"].mean(),
            "one_step": groups["one_step"].mean(),
            "served": groups["served"].mean(),
            "seconds": groups["seconds"].mean(),
        }
    )
    for measure in MEASURES:
        table[measure], table[f"{measure}_sd"] = groups[measure].mean(), groups[measure].std()
    return table.reset_index()


def people(records: pd.DataFrame) -> pd.DataFrame:
    """Opportunity potential of everybody in thousandths, a column for each method.

    This is what is tested; rounded, so that it can be kept and tested again.
    """
    shares = records.assign(opportunity=(records["opportunity"] * 1000).round())
    wide = shares.pivot_table(
        index=["seed", "alternatives", "column", "row"],
        columns="method",
        values="opportunity",
        sort=False,
        dropna=False,
    )
    return wide[list(METHODS)].dropna(how="all").astype("Int64").reset_index()
