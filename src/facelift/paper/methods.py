"""The five methods of the tables: how each finds journeys, and which of them it recommends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift import Multiverse, opportunity, proximity
from facelift.baselines import GrowingSpheres, Prototype
from facelift.paper.results import Floats
from facelift.paper.studies import THRESHOLD, Column
from facelift.paper.world import Alternatives, World

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
