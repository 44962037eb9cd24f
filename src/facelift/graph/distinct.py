"""Which rows of an array are the same, without sorting the rows themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelift._arrays import Floats, Ints
from facelift.graph.lookup import hashes_of


def distinct_points(points: Floats) -> tuple[Floats, Ints, Ints]:
    """Distinct points in order of first appearance, the one each row is, and how many rows it has.

    >>> distinct_points(np.array([[2.0], [1.0], [2.0]]))
    (array([[2.],
           [1.]]), array([0, 1, 0]), array([2, 1]))
    """
    first, codes = distinct_rows(points)
    return points[first], codes, np.bincount(codes, minlength=len(first))


def distinct_rows(rows: Floats) -> tuple[Ints, Ints]:
    """Places of the distinct rows in order of first appearance, and the one each row is.

    Rows are told apart by a hash, and the result is checked on the rows themselves.

    >>> distinct_rows(np.array([[2.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 1.0]]))
    (array([0, 1, 3]), array([0, 1, 0, 2]))
    """
    found = np.unique(hashes_of(rows), return_index=True, return_inverse=True)
    first, codes = _by_appearance(found[1], found[2])
    if all(np.array_equal(column, column[first[codes]]) for column in rows.T):
        return first, codes
    found = np.unique(rows + 0.0, axis=0, return_index=True, return_inverse=True)  # no -0.0
    return _by_appearance(found[1], found[2].reshape(-1))


def _by_appearance(first: npt.NDArray[np.intp], codes: npt.NDArray[np.intp]) -> tuple[Ints, Ints]:
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[codes]
