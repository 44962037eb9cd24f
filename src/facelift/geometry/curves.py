"""Journeys as curves of straight segments: where two run together, part, and meet again.

And when two lengths or costs are the same.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
import numpy.typing as npt

from facelift._arrays import Floats, Ints, finite_floats
from facelift.errors import InvalidInput


def distances(a: Floats, b: Floats) -> Floats:
    """Euclidean distance between points along the last axis, broadcast over the others.

    >>> distances(np.array([[3.0, 4.0], [0.0, 1.0]]), np.zeros(2))
    array([5., 1.])
    """
    return np.asarray(np.sqrt(((a - b) ** 2).sum(axis=-1)))


def step_lengths(waypoints: npt.ArrayLike) -> Floats:
    """Euclidean length of each step; shape (k - 1,).

    >>> step_lengths([[0, 0], [3, 4], [3, 5]])
    array([5., 1.])
    """
    points = finite_floats(waypoints, "waypoints", ndim=2)
    return distances(points[1:], points[:-1])


def length(waypoints: npt.ArrayLike) -> float:
    """Euclidean length of the whole journey, the paper's c_L.

    >>> length([[0, 0], [3, 4], [3, 5]])
    6.0
    """
    return float(step_lengths(waypoints).sum())


def resample(waypoints: npt.ArrayLike, n_sections: int) -> Floats:
    """Stations at equal shares of the journey's length; shape (o, m).

    Algorithm 1: station j lies at arc length j/o of the whole, j = 1 … o, so the last one is the
    counterfactual and the factual is not among them. Zero-length steps are passed over; a journey
    of no length has all its stations where it starts.

    The paper's text sums to o and subtracts up to i; this follows its Algorithm 1.

    >>> resample([[0, 0], [3, 0], [3, 1]], 4)
    array([[1., 0.],
           [2., 0.],
           [3., 0.],
           [3., 1.]])
    """
    if not isinstance(n_sections, Integral) or n_sections < 1:
        raise InvalidInput(f"n_sections must be a whole number of at least 1, got {n_sections}.")
    points = finite_floats(waypoints, "waypoints", ndim=2)
    if not len(points):
        raise InvalidInput("waypoints must hold at least the factual, got none.")
    moves = np.append(True, step_lengths(points) > 0)
    corners = points[moves]
    travelled = np.append(0.0, np.cumsum(step_lengths(corners)))
    shares = np.arange(1, n_sections + 1) / n_sections  # the last is 1 to the bit
    positions = [
        np.interp(shares * travelled[-1], travelled, coordinate) for coordinate in corners.T
    ]
    return np.stack(positions, axis=1) if positions else np.empty((n_sections, 0))


TOLERANCE = 1e-9
"""Relative change below which two costs are the same; the only tolerance of the project."""


def tied_ranks(costs: Floats) -> Ints:
    """Rank of each cost along the last axis, from 0; costs that are the same share a rank.

    Sorting by rank, and by something else among equals, does not depend on the noise of sums: it
    is the same when all costs are multiplied by a number.

    >>> tied_ranks(np.array([0.3, 0.1, 0.1 + 0.2, np.inf]))
    array([1, 0, 1, 2])
    """
    order = np.argsort(costs, axis=-1, kind="stable")
    if costs.ndim == 1:  # by far the most frequent
        ascending = costs[order]
        rises = ascending[1:] > ascending[:-1] * (1 + TOLERANCE)
        ranks = np.zeros(len(costs), dtype=np.int64)
        ranks[order[1:]] = np.cumsum(rises)
        return ranks
    ascending = np.take_along_axis(costs, order, axis=-1)
    rises = ascending[..., 1:] > ascending[..., :-1] * (1 + TOLERANCE)
    ranks = np.zeros(np.shape(costs), dtype=np.int64)
    np.put_along_axis(ranks, order[..., 1:], np.cumsum(rises, axis=-1), axis=-1)
    return ranks


def separation(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """Distance of each station of `a` to the nearest station of `b`; shape (o,).

    The paper's d_S: `min_j ‖b_j − a_i‖` (Section 3, branching points).

    >>> separation([[1, 0], [2, 0]], [[1, 0], [2, 2]])
    array([0., 1.])
    """
    a, b = _stations(a, b)
    return np.asarray(distances(a[:, np.newaxis, :], b).min(axis=1))


def separation_from_line(a: npt.ArrayLike, line: npt.ArrayLike) -> Floats:
    """Distance of each station of `a` to the polyline through `line`; shape (o,).

    Unlike `separation` it does not depend on how finely the other journey was resampled.

    >>> separation_from_line([[1, 1], [2, 0]], [[0, 0], [4, 0]])
    array([1., 0.])
    """
    a, corners = _stations(a, line)
    if len(corners) == 1:
        return separation(a, corners)
    starts, steps = corners[:-1], np.diff(corners, axis=0)
    squares = (steps**2).sum(axis=1)
    offsets = a[:, np.newaxis, :] - starts[np.newaxis, :, :]
    along = (offsets * steps).sum(axis=2) / np.where(squares > 0, squares, 1.0)
    nearest = np.clip(along, 0.0, 1.0)[..., np.newaxis] * steps
    return np.asarray(distances(offsets, nearest).min(axis=1))


def strays(waypoints: npt.ArrayLike, n_sections: int) -> float:
    """How far a journey's waypoints lie off the line through its stations, at most.

    Resampling cuts corners: where this is large, stations stand for ground that the journey does
    not cross (the paper's section 3 asks to watch that); more sections bring it down.

    >>> strays([[0, 0], [1, 1], [2, 0]], 1), strays([[0, 0], [1, 1], [2, 0]], 2)
    (1.0, 0.0)
    """
    points = np.asarray(waypoints, dtype=np.float64)
    line = np.vstack([points[:1], resample(points, n_sections)])
    return float(separation_from_line(points, line).max())


def divergence(a: npt.ArrayLike, b: npt.ArrayLike, epsilon: float) -> int | None:
    """First station (from 1) at which `a` is more than `epsilon` away from `b`, or None.

    Algorithm 2.

    >>> divergence([[1, 0], [2, 0]], [[1, 0], [2, 2]], epsilon=0.5)
    2
    """
    return _first(separation(a, b) > _threshold(epsilon))


def convergence(a: npt.ArrayLike, b: npt.ArrayLike, epsilon: float) -> int | None:
    """First station (from 1) after their divergence at which `a` is back within `epsilon` of `b`.

    >>> convergence([[1, 0], [2, 0], [3, 0]], [[1, 0], [2, 2], [3, 0]], epsilon=0.5)
    3
    """
    parted = divergence(a, b, epsilon)
    if parted is None:
        return None
    met = _first(separation(a, b)[parted:] <= epsilon)
    return None if met is None else parted + met


def shared_proportion(a: npt.ArrayLike, b: npt.ArrayLike, epsilon: float) -> float:
    """Share of journey `a` before it parts from `b`: (i − 1)/o, or 1 if they never part.

    >>> shared_proportion([[1, 0], [2, 0]], [[1, 0], [2, 2]], epsilon=0.5)
    0.5
    """
    parted = divergence(a, b, epsilon)
    return 1.0 if parted is None else (parted - 1) / len(np.asarray(a))


def direction_difference(
    a: npt.ArrayLike, b: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> float:
    """Accumulated distance of two journeys, station by station: `Σ_j w_j ‖a_j − b_j‖`.

    The paper's d_E. Weights have Euclidean norm 1 and do not rise when early agreement matters
    more; by default they are equal. Weights of another norm are an error, not rescaled.

    >>> direction_difference([[1, 0], [2, 0]], [[1, 0], [2, 2]], weights=[0.8, 0.6])
    1.2
    """
    a, b = _stations(a, b)
    if len(a) != len(b):
        raise InvalidInput(
            f"Journeys must have equally many stations, got {len(a)} and {len(b)}; "
            "resample both to the same number."
        )
    return float((_weights(weights, len(a)) * distances(a, b)).sum())


def early(n_sections: int, rate: float) -> Floats:
    """Weights of sections that fall by the factor `rate` from one to the next, of norm 1.

    For `direction_difference` and `Multiverse.families`, where early agreement matters more; a
    rate of 1 weighs all sections alike.

    >>> early(3, 0.5).round(3)
    array([0.873, 0.436, 0.218])
    """
    if not (isinstance(n_sections, Integral) and n_sections >= 1):
        raise InvalidInput(f"n_sections must be a whole number of at least 1, got {n_sections}.")
    if not (isinstance(rate, Real) and 0 < rate <= 1):
        raise InvalidInput(f"rate must be above 0 and at most 1, got {rate}.")
    falling = float(rate) ** np.arange(n_sections)
    return np.asarray(falling / np.linalg.norm(falling))


def _weights(weights: npt.ArrayLike | None, n_sections: int) -> Floats:
    if weights is None:
        return np.full(n_sections, 1 / np.sqrt(n_sections))
    given = finite_floats(weights, "weights", ndim=1)
    if (given < 0).any():
        raise InvalidInput(f"weights must be zero or more, got {given.min():.4g}.")
    if len(given) != n_sections or not np.isclose(np.linalg.norm(given), 1.0):
        raise InvalidInput(
            f"weights must be {n_sections} numbers with Euclidean norm 1, got {len(given)} with "
            f"norm {np.linalg.norm(given):.4g}; divide them by their norm."
        )
    if (np.diff(given) > TOLERANCE).any():
        raise InvalidInput(
            "weights must not rise from one section to the next: early agreement matters at least "
            "as much as late; facelift.geometry.early makes such weights."
        )
    return given


def _stations(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Floats, Floats]:
    first, second = finite_floats(a, "a", ndim=2), finite_floats(b, "b", ndim=2)
    if not len(first) or not len(second) or first.shape[1] != second.shape[1]:
        raise InvalidInput(
            "Journeys must have stations with equally many coordinates, "
            f"got shapes {first.shape} and {second.shape}."
        )
    return first, second


def _threshold(epsilon: float) -> float:
    if not (isinstance(epsilon, Real) and epsilon >= 0):
        raise InvalidInput(f"epsilon must be zero or more, got {epsilon}.")
    return epsilon


def _first(condition: npt.NDArray[np.bool_]) -> int | None:
    return int(np.argmax(condition)) + 1 if condition.any() else None
