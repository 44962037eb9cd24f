"""When two costs are the same: one tolerance, and the order it leaves open."""

from __future__ import annotations

import numpy as np

from facelift._arrays import Floats, Ints

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
