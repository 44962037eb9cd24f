"""A committee: other models that are asked, too, whether a goal is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from facelift import models
from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidModel
from facelift.geometry import TOLERANCE
from facelift.multiverse.goal import Goal, Range
from facelift.terrain.terrain import Terrain


@dataclass(frozen=True, eq=False)
class Committee:
    """What several models say of points, and the share of them that must agree.

    `ask` gives the answers of all members for some points, shape (members, n, answers); `known`
    holds those for the records of a graph, `min_agreement` the share that a destination needs.
    """

    ask: Callable[[Floats], Floats]
    min_agreement: float
    known: Floats

    def __len__(self) -> int:
        return len(self.known)

    def agreement(self, points: Floats, goal: Goal | Range) -> Floats:
        """Share of the members that say the goal is reached at each point; shape (n,)."""
        return agreement(self.ask(points), goal)

    def agreement_of(self, vertices: Ints, point: Floats, goal: Goal | Range) -> Floats:
        """The same for records; a vertex beyond them stands for the case at `point`."""
        n = self.known.shape[1]
        shares = agreement(self.known[:, np.minimum(vertices, n - 1)], goal)
        if (vertices >= n).any():
            shares[vertices >= n] = self.agreement(point[np.newaxis, :], goal)
        return shares

    def lasting(self, goal: Goal | Range) -> Bools:
        """Which records enough members agree on; shape (n,)."""
        return self.enough(agreement(self.known, goal))

    def enough(self, shares: Floats) -> Bools:
        """Whether shares of agreement are what a destination needs."""
        return shares >= self.min_agreement * (1 - TOLERANCE)


def convened(
    members: Sequence[Any],
    terrain: Terrain,
    points: Floats,
    classes: tuple[Any, ...],
    min_agreement: float,
    *,
    said: Floats | None = None,
) -> Committee:
    """The committee of some models, who must know the classes of the model, and what it says.

    `points` are those of the records; `said` what it says of them, where that is known already.
    """
    ask = partial(_answers, members, terrain)
    said = ask(points) if said is None else said
    for i, member in enumerate(members):
        if models.class_labels(member, said.shape[2]) != classes:
            raise InvalidModel(
                f"Member {i} of the committee knows other classes than the model, "
                f"{list(classes)}; all must answer with the same columns."
            )
    return Committee(ask, min_agreement, said)


def _answers(members: Sequence[Any], terrain: Terrain, points: Floats) -> Floats:
    """What every member says of points; (members, n, answers)."""
    table = terrain.decode(points)
    said = [models.answers(member, table, len(points)) for member in members]
    if len({each.shape for each in said}) > 1:
        raise InvalidModel("The members of the committee answer with different columns.")
    return np.stack(said)


def agreement(answers: Floats, goal: Goal | Range) -> Floats:
    """Share of models by whose answers the goal is reached, from (models, n, answers); (n,).

    >>> answers = np.array([[[0.4, 0.6], [0.9, 0.1]], [[0.2, 0.8], [0.5, 0.5]]])
    >>> agreement(answers, Goal(("good",), 0.5, ("bad", "good"))).tolist()
    [1.0, 0.5]
    """
    return np.asarray(goal.reached(answers).mean(axis=0))
