"""What records around a place say of the model's word on it: how firm, and how often wrong.

Where true outcomes of records are known, they tell how often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betainc

from facelift._arrays import Floats, Ints, chunks
from facelift.errors import InvalidInput
from facelift.geometry import distances
from facelift.language import count
from facelift.multiverse.goal import Goal, Range

NEARBY = 20
"""So many records around an end say how firm it is and how often the model errs there."""

OFTEN = 0.25
"""The model is often wrong where it gets at least this share of the rows known wrong."""

ENOUGH = 10
"""Of fewer rows whose outcome is known nothing is said."""

_HALVINGS = 60


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


def counted(y: Any, vertices: Ints, n_vertices: int, classes: tuple[Any, ...]) -> Floats | None:
    """The rows of every vertex by their true class; of true numbers, their sum and how many.

    The last column counts outcomes that the model does not know. Rows whose outcome is missing are
    not counted. None where `y` is None.

    >>> counted(["no", "yes", None, "so so"], np.array([0, 0, 1, 1]), 2, ("no", "yes"))
    array([[1., 1., 0.],
           [0., 0., 1.]])
    """
    if y is None:
        return None
    truths = np.asarray(y, dtype=object)
    if truths.shape != vertices.shape:
        raise InvalidInput(
            f"y must hold one true outcome per row of X ({len(vertices)}), "
            f"got shape {truths.shape}."
        )
    known = ~pd.isna(truths)
    if not classes:
        return _sums(_numbers(truths[known]), vertices[known], n_vertices)
    columns = _columns(truths[known], classes)
    counts = np.zeros((n_vertices, len(classes) + 1))
    np.add.at(counts, (vertices[known], columns), 1.0)
    return counts


def added(before: Floats | None, more: Floats | None, n_vertices: int) -> Floats | None:
    """Counts of records known before and of rows added; None where neither is known.

    >>> added(np.ones((1, 2)), np.array([[0.0, 1.0], [1.0, 0.0]]), 2)
    array([[1., 2.],
           [1., 0.]])
    """
    if before is None or (len(before) == n_vertices and more is None):
        return more if before is None else before
    grown = np.zeros((n_vertices, before.shape[1]))
    grown[: len(before)] = before
    return grown if more is None else grown + more


def errors(truths: Floats | None, answers: Floats, goal: Goal | Range) -> tuple[float, int]:
    """How many rows the model gets wrong, and of how many the truth is known.

    Wrong is who has the outcome by the model and not in truth, or the other way round.

    >>> goal = Goal(("yes",), 0.5, ("no", "yes"))
    >>> truths = np.array([[1.0, 2.0, 1.0], [4.0, 0.0, 1.0]])
    >>> errors(truths, np.array([[0.3, 0.7], [0.9, 0.1]]), goal)
    (2.0, 9)
    """
    if truths is None:
        return float("nan"), 0
    told = goal.outcome.reached(answers)
    if isinstance(goal, Range):
        sums, counts = truths.T
        means = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)
        wrong = counts * (told != goal.reached(means[:, np.newaxis]))
        return float(wrong.sum()), int(counts.sum())
    wanted = np.append(goal.outcome.reached(np.eye(truths.shape[1] - 1)), False)
    wrong = np.where(told, truths[:, ~wanted].sum(axis=1), truths[:, wanted].sum(axis=1))
    return float(wrong.sum()), int(truths.sum())


def share_interval(successes: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The mid-P interval of a share (Clopper and Pearson's, with half of what was seen itself).

    Wilson's covers a share of 2 % among 8 people in 85 % of samples where 95 % are promised; this
    one in 99 %, and nowhere that we looked in fewer than 92.9 %. NaN where there is nobody.

    >>> low, high = share_interval(np.array([0.0, 4.0]), np.array([8.0, 8.0]), 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.184], [0.312, 0.816])
    """
    successes, n = np.broadcast_arrays(*map(np.asarray, (successes, n)))
    seen, all_of_them = np.stack([successes, n - successes]), np.stack([n, n])
    low, failing = _smallest_share(seen, all_of_them, (1 - confidence) / 2)
    nobody = n <= 0
    return np.where(nobody, np.nan, low), np.where(nobody, np.nan, 1 - failing)


def _smallest_share(successes: Floats, n: Floats, tail: float) -> Floats:
    """The share at which so many successes, or more, have the probability `tail` (mid-P)."""
    low, high = np.zeros(n.shape), np.ones(n.shape)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_low = _mid_p(successes, n, middle) < tail
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return np.asarray(np.where(successes <= 0, 0.0, low))


def _mid_p(k: Floats, n: Floats, share: Floats) -> Floats:
    """Probability of more than k successes, and half that of k."""
    some = np.maximum(k, 1)
    at_least = betainc(some, np.maximum(n - k + 1, 1), share)
    more = np.where(k >= n, 0.0, betainc(some + 1, np.maximum(n - k, 1), share))
    return np.asarray((at_least + more) / 2)


def _columns(truths: Any, classes: tuple[Any, ...]) -> Ints:
    """The class of each outcome, by number, the last for those that the model does not know."""
    places = {label: place for place, label in enumerate(classes)}
    found = np.array([places.get(truth, len(classes)) for truth in truths], dtype=np.int64)
    if len(found) and (found == len(classes)).all():
        raise InvalidInput(
            f"y holds {truths[0]!r} and other outcomes, none of which is a class of the model; "
            f"it has {list(classes)}."
        )
    return found


def _numbers(truths: Any) -> Floats:
    try:
        return np.asarray(truths, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("y must hold numbers, as the model predicts numbers.") from None


def _sums(numbers: Floats, vertices: Ints, n_vertices: int) -> Floats:
    sums = np.bincount(vertices, weights=numbers, minlength=n_vertices)
    return np.stack([sums, np.bincount(vertices, minlength=n_vertices)], axis=1)
