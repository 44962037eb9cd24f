"""The five methods of the tables, and one protocol for all of them.

The same factuals, the same alternatives, the same measures; a method says how it finds journeys,
and which of them it recommends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from facelift import Journey, Multiverse, best, opportunity, proximity
from facelift.baselines import GrowingSpheres, Prototype
from facelift.geometry import distances
from facelift.paper import Floats, Ints
from facelift.paper.studies import THRESHOLD, Column
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


Criterion = Callable[[Multiverse], Floats]
"""A score per journey, the highest wins."""

Choice = Callable[[World, Column, Alternatives], Criterion]
"""What a method recommends by: a criterion that may depend on the column and the alternatives."""


@dataclass(frozen=True, eq=False)
class Method:
    """A search for journeys to some classes, and the choices among what it finds, by name."""

    explain: Callable[[Any], list[Multiverse]]
    choices: Mapping[str, Choice]
    target: tuple[Any, ...]


def by_cost(_world: World, _column: Column, _instead: Alternatives) -> Criterion:
    """The cheapest: what FACE takes, and the only one where there is only one."""
    return proximity


def by_own_destinations(world: World, column: Column, _instead: Alternatives) -> Criterion:
    """FACElift's choice (SPEC 5): what keeps most of its own other destinations open.

    Where alternatives are of other classes it looks at those classes instead, each a destination
    as a whole (SPEC 3). Either way it does not know the alternatives it will be judged by.
    """
    if not column.classes:
        return opportunity

    def criterion(multiverse: Multiverse) -> Floats:
        return np.asarray(world.class_potentials(column, multiverse).mean(axis=1))

    return criterion


def by_alternatives(world: World, _column: Column, instead: Alternatives) -> Criterion:
    """As the paper scores FACElift: by the very alternatives it is then judged by."""

    def criterion(multiverse: Multiverse) -> Floats:
        return np.array([world.opportunity(journey, instead) for journey in multiverse])

    return criterion


TOLD, APART = ", told", ", apart"
"""What is added to the name of a method that knows the alternatives it is judged by, or whose own
destinations are as far apart as these."""

BASELINES = ("FACE", "GrowingSpheres", "Prototype")
OURS = ("FACElift c=5", "FACElift c=10")
METHODS = (*BASELINES, *OURS, *(name + TOLD for name in OURS))


def methods(world: World) -> list[Method]:
    """All methods, fitted, in the order of the tables."""
    ours = [facelift(world, n_counterfactuals) for n_counterfactuals in (5, 10)]
    return [face(world), _growing_spheres(world), _prototype(world), *ours]


def face(world: World) -> Method:
    """FACE on the k-NN graph: the first of FACElift's journeys."""
    return Method(_through_records(world, 1), {"FACE": by_cost}, (world.setting.target,))


def facelift(world: World, n_counterfactuals: int) -> Method:
    """FACElift, choosing by its own destinations, and told the alternatives."""
    name = f"FACElift c={n_counterfactuals}"
    choices = {name: by_own_destinations, name + TOLD: by_alternatives}
    return Method(_through_records(world, n_counterfactuals), choices, (world.setting.target,))


def facelift_apart(world: World, n_counterfactuals: int) -> Method:
    """FACElift whose own destinations are as far apart as the alternatives, not told these."""
    search = _through_records(world, n_counterfactuals, world.setting.spacing)
    name = f"FACElift c={n_counterfactuals}{APART}"
    return Method(search, {name: by_own_destinations}, (world.setting.target,))


def _through_records(
    world: World, n_counterfactuals: int, min_separation: float = 0.0
) -> Callable[[Any], list[Multiverse]]:
    """Journeys to the nearest records with the outcome, on the graph that all share."""

    def explain(rows: Any) -> list[Multiverse]:
        explainer = world.explainer.set_params(
            n_counterfactuals=n_counterfactuals, min_separation=min_separation
        )
        return list(explainer.explain_many(rows, world.setting.target, progress=False))

    return explain


class _AskedOnPoints:
    """Asks the network about states that were made up without making rows of them."""

    model: Any

    def _ask(self, points: Floats) -> Floats:
        return np.asarray(self.model.on_points(points))


class _GrowingSpheres(_AskedOnPoints, GrowingSpheres):
    pass


class _Prototype(_AskedOnPoints, Prototype):
    pass


def _growing_spheres(world: World) -> Method:
    study, setting = world.study, world.setting
    explainer = _GrowingSpheres(
        study.model,
        world.terrain,
        threshold=THRESHOLD,
        random_state=world.seed,
        **setting.spheres,  # type: ignore[arg-type]
    ).fit(study.rows)
    others = tuple(each for each in explainer.classes_.tolist() if each != setting.undesired)
    target = others if setting.any_class else (setting.target,)
    return Method(
        lambda rows: explainer.explain_many(rows, target), {"GrowingSpheres": by_cost}, target
    )


def _prototype(world: World) -> Method:
    study, setting = world.study, world.setting
    explainer = _Prototype(
        study.model,
        world.terrain,
        differentiable=study.model.differentiable,
        threshold=THRESHOLD,
        random_state=world.seed,
        **setting.prototype,
    ).fit(study.rows)
    target = (setting.target,)
    return Method(lambda rows: explainer.explain_many(rows, target), {"Prototype": by_cost}, target)
