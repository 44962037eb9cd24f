"""A journey as a curve of straight segments; and when two lengths or costs are the same."""

from __future__ import annotations

from numbers import Integral

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
