"""True outcomes of records, where they are known: to tell where the model is often wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal, Range


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
