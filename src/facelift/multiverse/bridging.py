"""Journeys for other explainers' counterfactuals, through the data (binary space partition)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from facelift.arrays import Floats, Ints, finite_floats
from facelift.errors import InvalidInput

Schedule = Literal["halve", "unit"]
Choice = Callable[[Ints, Floats], int]


def bridge(
    factual: npt.ArrayLike,
    counterfactual: npt.ArrayLike,
    points: npt.ArrayLike,
    *,
    smallest: float | None = None,
    schedule: Schedule = "halve",
    rng: np.random.Generator | None = None,
) -> Floats:
    """Waypoints from the factual to a given counterfactual through data points; shape (k, m).

    Algorithm 6. Only points within the distance of the two ends from both of them are used (the
    lens, without which steps could move away). The segment is split at its midpoint again and
    again, keeping points within reach d of both ends of each half, until d falls below
    `smallest` (the paper's τ; an eighth of the distance by default) or both halves are empty.
    Every step comes strictly closer to the counterfactual.

    The reach d halves at each level, or shrinks by 1 (`schedule="unit"`, as published). Of a last
    cell the member nearest its midpoint is taken, or a random one with `rng` (as published).

    >>> bridge([0.0, 0.0], [4.0, 0.0], [[1, 0.2], [3, 0.1], [9, 9]])
    array([[0. , 0. ],
           [1. , 0.2],
           [3. , 0.1],
           [4. , 0. ]])
    """
    start = finite_floats(factual, "factual", ndim=1)
    end = finite_floats(counterfactual, "counterfactual", ndim=1)
    data = finite_floats(points, "points", ndim=2)
    reach = float(np.linalg.norm(end - start))
    if reach == 0:
        raise InvalidInput("Factual and counterfactual are the same point: nothing to bridge.")
    if schedule not in ("halve", "unit"):
        raise InvalidInput(f"schedule must be 'halve' or 'unit', got {schedule!r}.")
    lens = _within(data, np.arange(len(data)), start, end, reach)
    threshold = reach / 8 if smallest is None else smallest
    if not threshold > 0:
        raise InvalidInput(f"smallest must be positive, got {smallest}.")
    shrink = (lambda d: d / 2) if schedule == "halve" else (lambda d: d - 1)
    members = _partition(data, lens, start, end, reach, threshold, shrink, _chooser(data, rng))
    return _closer_and_closer(start, end, data[np.unique(members).astype(np.int64)])


def _partition(
    data: Floats,
    indices: Ints,
    start: Floats,
    end: Floats,
    reach: float,
    smallest: float,
    shrink: Callable[[float], float],
    choose: Callable[[Ints, Floats], int],
) -> list[int]:
    """The recursion: one member of every last cell."""
    if not len(indices):
        return []
    middle = (start + end) / 2
    shorter = shrink(reach)
    halves = [(start, middle), (middle, end)]
    parts = [_within(data, indices, a, b, shorter) for a, b in halves]
    if reach < smallest or not any(len(part) for part in parts):
        return [choose(indices, middle)]
    return [
        member
        for part, (a, b) in zip(parts, halves, strict=True)
        for member in _partition(data, part, a, b, shorter, smallest, shrink, choose)
    ]


def _within(data: Floats, indices: Ints, a: Floats, b: Floats, reach: float) -> Ints:
    near_a = ((data[indices] - a) ** 2).sum(axis=1) <= reach * abs(reach)
    near_b = ((data[indices] - b) ** 2).sum(axis=1) <= reach * abs(reach)
    return np.asarray(indices[near_a & near_b])


def _chooser(data: Floats, rng: np.random.Generator | None) -> Choice:
    if rng is not None:
        return lambda indices, middle: int(rng.choice(indices))  # noqa: ARG005
    return lambda indices, middle: int(
        indices[np.argmin(((data[indices] - middle) ** 2).sum(axis=1))]
    )


def _closer_and_closer(start: Floats, end: Floats, between: Floats) -> Floats:
    """Ends and points in order of falling distance to the end, each strictly closer."""
    left = np.sqrt(((between - end) ** 2).sum(axis=1))
    useful = (left > 0) & (left < np.linalg.norm(end - start))
    order = np.argsort(-left[useful], kind="stable")
    distances, waypoints = left[useful][order], between[useful][order]
    first = np.append(True, np.diff(distances) < 0)[: len(distances)]
    return np.vstack([start, waypoints[first], end])
