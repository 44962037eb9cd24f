"""What records around a place say of the model's word on it: how firm, and how often wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift._arrays import Floats, Ints, chunks
from facelift.geometry import distances
from facelift.language import count
from facelift.models.truths import errors
from facelift.multiverse.goal import Goal, Range

NEARBY = 20
"""So many records around an end say how firm it is and how often the model errs there."""

OFTEN = 0.25
"""The model is often wrong where it gets at least this share of the rows known wrong."""

ENOUGH = 10
"""Of fewer rows whose outcome is known nothing is said."""


@dataclass(frozen=True)
class Around:
    """Of the records nearest to a place: how many the model denies the outcome (`undone`).

    Of the `known` rows whose true outcome was given, the model gets so many `wrong`.
    """

    n_records: int
    undone: int
    wrong: float
    known: int

    @property
    def doubts(self) -> list[str]:
        """What to beware of, in sentences; none where there is nothing to say.

        >>> print(*Around(20, 4, 6.0, 20).doubts)
        The model is often wrong here: of 20 similar cases whose outcome is known, it misjudges 6.
        >>> print(*Around(20, 14, float("nan"), 0).doubts)
        It hangs by a thread: of the 20 most similar records, the model denies it to 14.
        """
        found = []
        if self.known >= ENOUGH and self.wrong >= OFTEN * self.known:
            found.append(
                count(
                    "The model is often wrong here: of {n} similar case whose outcome is known, it "
                    "misjudges {wrong}.",
                    "The model is often wrong here: of {n} similar cases whose outcome is known, "
                    "it misjudges {wrong}.",
                    self.known,
                    wrong=round(self.wrong),
                )
            )
        if 2 * self.undone > self.n_records:
            found.append(
                count(
                    "It hangs by a thread: of the {n} most similar record, the model denies it to "
                    "{undone}.",
                    "It hangs by a thread: of the {n} most similar records, the model denies it to "
                    "{undone}.",
                    self.n_records,
                    undone=self.undone,
                )
            )
        return found


def around(explainer: Any, place: Floats, goal: Goal | Range, nearby: int = NEARBY) -> Around:
    """What the records of a fitted explainer that are nearest to a place say of it."""
    return among(explainer, _nearest(place, explainer.graph_.points, nearby), goal)


def among(explainer: Any, near: Ints, goal: Goal | Range) -> Around:
    """The same of some records."""
    answers, truths = explainer.probabilities_[near], explainer.truths_
    undone = int((~goal.outcome.reached(answers)).sum())
    wrong, known = errors(None if truths is None else truths[near], answers, goal)
    return Around(len(near), undone, wrong, known)


def _nearest(place: Floats, points: Floats, nearby: int) -> Ints:
    """Records nearest to a place; equally near ones by their number."""
    parts = chunks(len(points), points.shape[1])
    far = np.concatenate([distances(points[part], place) for part in parts])
    return np.argsort(far, kind="stable")[:nearby]
