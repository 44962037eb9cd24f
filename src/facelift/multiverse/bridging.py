"""Journeys for other explainers' counterfactuals, through the data (binary space partition)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from facelift._arrays import Floats, Ints, finite_floats
from facelift.errors import InvalidInput
from facelift.geometry import distances

Schedule = Literal["halve", "unit"]
Choice = Callable[[Ints, Floats], int]

MAX_CELLS = 2**14
"""Most cells a level may have: shrinking by 1 between far-apart ends would double them for long."""


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
    lens, without which steps could move away), and only those nearer than the factual. The
    segment is split at its midpoint again and again, keeping points within reach d of both ends of
    each half, until d falls below `smallest` (the paper's τ; an eighth of the distance by default)
    or both halves are empty. Every step comes strictly closer to the counterfactual.

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
    _check_coordinates(start, end, data)
    reach = float(distances(end, start))
    if reach == 0:
        raise InvalidInput("Factual and counterfactual are the same point: nothing to bridge.")
    if schedule not in ("halve", "unit"):
        raise InvalidInput(f"schedule must be 'halve' or 'unit', got {schedule!r}.")
    threshold = reach / 8 if smallest is None else smallest
    if not threshold > 0:
        raise InvalidInput(f"smallest must be positive, got {smallest}.")
    # The ends' own rows are no waypoints; left in, they would fill cells that others need.
    left = distances(data, end)
    between = np.flatnonzero((left > 0) & (left < reach))
    lens = _Cell(start, end, _within(data, between, start, end, reach))
    shrink = (lambda d: d / 2) if schedule == "halve" else (lambda d: d - 1)
    members = _partition(data, lens, reach, threshold, shrink, _chooser(data, rng))
    return _closer_and_closer(start, end, data[np.unique(members).astype(np.int64)])


def _check_coordinates(start: Floats, end: Floats, data: Floats) -> None:
    if not len(start) == len(end) == data.shape[1]:
        raise InvalidInput(
            "Factual, counterfactual and points must have equally many coordinates, "
            f"got {len(start)}, {len(end)} and {data.shape[1]}."
        )


class _Cell(NamedTuple):
    """A piece of the segment, and the data points within reach of both its ends."""

    start: Floats
    end: Floats
    indices: Ints

    @property
    def middle(self) -> Floats:
        return np.asarray((self.start + self.end) / 2)


def _partition(
    data: Floats,
    lens: _Cell,
    reach: float,
    smallest: float,
    shrink: Callable[[float], float],
    choose: Choice,
) -> list[int]:
    """One member of every last cell; cells are split level by level."""
    members: list[int] = []
    cells = [lens] if len(lens.indices) else []
    while cells:
        shorter = shrink(reach)
        split = [_halves(data, cell, shorter) if reach >= smallest else [] for cell in cells]
        last = [cell for cell, halves in zip(cells, split, strict=True) if not halves]
        members += [choose(cell.indices, cell.middle) for cell in last]
        cells, reach = [half for halves in split for half in halves], shorter
        if len(cells) > MAX_CELLS:
            raise InvalidInput(
                f"The way falls into more than {MAX_CELLS:,} cells; raise `smallest`, use "
                "schedule='halve', or scale the points so that the ends are less far apart."
            )
    return members


def _halves(data: Floats, cell: _Cell, reach: float) -> list[_Cell]:
    """Both halves of a cell but those without data points; none if it is too short to split."""
    middle = cell.middle
    if (middle == cell.start).all() or (middle == cell.end).all():
        return []
    halves = [(cell.start, middle), (middle, cell.end)]
    cells = [_Cell(a, b, _within(data, cell.indices, a, b, reach)) for a, b in halves]
    return [half for half in cells if len(half.indices)]


def _within(data: Floats, indices: Ints, a: Floats, b: Floats, reach: float) -> Ints:
    near = (distances(data[indices], a) <= reach) & (distances(data[indices], b) <= reach)
    return np.asarray(indices[near])


def _chooser(data: Floats, rng: np.random.Generator | None) -> Choice:
    if rng is not None:
        return lambda indices, middle: int(rng.choice(indices))  # noqa: ARG005
    return lambda indices, middle: int(
        indices[np.argmin(((data[indices] - middle) ** 2).sum(axis=1))]
    )


def _closer_and_closer(start: Floats, end: Floats, between: Floats) -> Floats:
    """Ends and points in order of falling distance to the end, each strictly closer."""
    left = distances(between, end)
    order = np.argsort(-left, kind="stable")
    first = np.append(True, np.diff(left[order]) < 0)[: len(order)]
    return np.vstack([start, between[order][first], end])
