"""Which rows of an array are the same, without sorting the rows themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelift.arrays import Floats, Ints

_ODD = np.uint64(0x9E3779B97F4A7C15)  # any odd number without a pattern
_SHIFT = np.uint64(29)


def distinct_rows(rows: Floats) -> tuple[Ints, Ints]:
    """Places of the distinct rows in order of first appearance, and the one each row is.

    Rows are told apart by a hash, and the result is checked on the rows themselves.

    >>> distinct_rows(np.array([[2.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 1.0]]))
    (array([0, 1, 3]), array([0, 1, 0, 2]))
    """
    rows = rows + 0.0  # no -0.0
    first, codes = _in_order(*np.unique(_hashes(rows), return_index=True, return_inverse=True)[1:])
    if _same(rows, first[codes]):
        return first, codes
    found = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return _in_order(found[1], found[2].reshape(-1))


def _in_order(first: npt.NDArray[np.intp], codes: npt.NDArray[np.intp]) -> tuple[Ints, Ints]:
    """Renumber by first appearance."""
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[codes]


def _hashes(rows: Floats) -> npt.NDArray[np.uint64]:
    bits = rows.view(np.uint64)
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for column in range(rows.shape[1]):
        hashes ^= bits[:, column]
        hashes *= _ODD
        hashes ^= hashes >> _SHIFT
    return hashes


def _same(rows: Floats, places: Ints) -> bool:
    """Whether every row equals the one at its place."""
    return all(np.array_equal(column, column[places]) for column in rows.T)
