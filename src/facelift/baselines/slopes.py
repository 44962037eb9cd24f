"""How the chance of a goal changes with each coordinate: exactly, or by asking a black box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift._arrays import Floats
from facelift._checks import optional
from facelift.baselines.states import Moulds, whole_columns
from facelift.multiverse.goal import Goal
from facelift.terrain.feature import Feature
from facelift.terrain.terrain import Terrain

Slope = Callable[[Floats], tuple[Floats, Floats]]
"""Chances of points (n, m) and their gradients: shapes (n,) and (n, m)."""


def exact_slope(differentiable: Callable[[Any], Any], goal: Goal) -> Slope:
    """The slope of a function of torch tensors, from points to probabilities."""
    torch = optional("torch", extra="torch", what="An exact gradient")
    columns = [goal.classes.index(label) for label in goal.target]

    def slope(points: Floats) -> tuple[Floats, Floats]:
        tensor = torch.tensor(points, requires_grad=True)
        chances = differentiable(tensor)[:, columns].sum(dim=1)
        (gradient,) = torch.autograd.grad(chances.sum(), tensor)
        return chances.detach().numpy(), gradient.numpy()

    return slope


def numerical_slope(
    ask: Callable[[Floats], Floats], terrain: Terrain, moulds: Moulds, goal: Goal, step: float
) -> Slope:
    """The slope of a black box, by asking it about neighbours of each point.

    Numbers are moved up and down by `step` (ordered levels and whole numbers by at least one);
    levels without an order are switched on one at a time, and count by what that changes.
    """
    probes = _probes(terrain, step)

    def slope(points: Floats) -> tuple[Floats, Floats]:
        rows = moulds.settled(points)
        asked = np.concatenate([rows, *(probe.moved(rows) for probe in probes)])
        chances = goal.chances(ask(asked)).reshape(-1, len(rows))
        gradient = np.zeros_like(rows)
        for probe, plus in zip(probes, chances[1:], strict=True):
            gradient[:, probe.coordinate] += probe.share * (plus - chances[0])
        return chances[0], gradient

    return slope


@dataclass(frozen=True)
class _Probe:
    """A question to a black box, what if one coordinate were elsewhere.

    The gradient along it gets `share` times what that changes. A number is moved `by` some; a
    `level` is switched on in its `place`, all others there off.
    """

    coordinate: int
    place: slice
    by: float
    share: float
    level: bool

    def moved(self, rows: Floats) -> Floats:
        """The rows with the coordinate moved."""
        moved = rows.copy()
        if self.level:
            moved[:, self.place] = 0.0
            moved[:, self.coordinate] = 1.0
        else:
            moved[:, self.coordinate] += self.by
        return moved


def _probes(terrain: Terrain, step: float) -> list[_Probe]:
    found = []
    columns = zip(terrain.features, terrain.slices, whole_columns(terrain), strict=True)
    for feature, place, whole in columns:
        if feature.kind == "categorical":
            found += [_Probe(i, place, 0.0, 1.0, True) for i in range(place.start, place.stop)]
        else:
            by = max(step, _grain(feature, whole))
            found += [
                _Probe(place.start, place, sign * by, sign / (2 * by), False) for sign in (1, -1)
            ]
    return found


def _grain(feature: Feature, whole: bool) -> float:
    """Least move of a coordinate that changes anything."""
    if feature.kind == "ordinal":
        return 1 / max(len(feature.levels) - 1, 1)
    return 1 / feature.span if whole else 0.0
