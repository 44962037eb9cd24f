"""Points as rows of an array: which vertex is one, which are the same, what moves cost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelift._arrays import FEW_CELLS, Floats, Ints, chunks
from facelift.terrain.prices import Prices

Hashes = npt.NDArray[np.uint64]


class Lookup:
    """Vertices by their point: a sorted table of hashes, the points themselves to be sure.

    >>> lookup = Lookup(np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> lookup.vertex(np.array([2.0, 3.0])), lookup.vertex(np.array([2.0, 4.0]))
    (1, None)
    """

    def __init__(self, points: Floats, known: Lookup | None = None) -> None:
        """`known` has the first of the points."""
        self._points, n_known = points, 0 if known is None else len(known._order)
        hashes = hashes_of(points[n_known:])
        order: Ints = np.argsort(hashes, kind="stable")
        hashes, order = hashes[order], order + n_known
        if known is not None:
            places = np.searchsorted(known._hashes, hashes, side="right")
            hashes = np.insert(known._hashes, places, hashes)
            order = np.insert(known._order, places, order)
        self._hashes: Hashes = hashes
        self._order: Ints = order

    def vertices(self, points: Floats) -> Ints:
        """The first vertex that is each of the points, -1 where there is none; shape (p,)."""
        hashes = hashes_of(points)
        place = np.searchsorted(self._hashes, hashes).clip(0, len(self._order) - 1)
        found: Ints = self._order[place]
        other = (self._points[found] != points).any(axis=1)
        found[other] = -1
        for i in np.flatnonzero(other & (self._hashes[place] == hashes)):  # hardly any
            vertex = self.vertex(points[i])
            found[i] = -1 if vertex is None else vertex
        return found

    def vertex(self, point: Floats) -> int | None:
        """The first vertex with exactly this point, None if there is none."""
        sought = hashes_of(point[np.newaxis, :])
        first = int(np.searchsorted(self._hashes, sought[0]))
        last = int(np.searchsorted(self._hashes, sought[0], side="right"))
        for vertex in self._order[first:last].tolist():
            if (self._points[vertex] == point).all():
                return int(vertex)
        return None


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


def hashes_of(points: Floats) -> Hashes:
    """A number per row that depends on every bit of it; 0.0 and -0.0 are the same."""
    n, m = points.shape
    factors = np.arange(1, 2 * m, 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashes = np.zeros(n, dtype=np.uint64)
    for part in chunks(n, m, FEW_CELLS):
        bits = np.ascontiguousarray(points[part] + 0.0).view(np.uint64)
        mixed = bits >> np.uint64(32)
        mixed ^= bits
        mixed *= np.uint64(0xD6E8FEB86659FD93)
        mixed ^= np.right_shift(mixed, np.uint64(32), out=bits)
        mixed *= factors
        hashes[part] = mixed.sum(axis=1, dtype=np.uint64)
    return hashes


def move_costs(prices: Prices, starts: Floats, ends: Floats, pairs: tuple[Ints, Ints]) -> Floats:
    """Cost of the moves between pairs of rows of `starts` and `ends`, given by their indices."""
    first, second = pairs
    parts = chunks(len(first), starts.shape[1])
    costs = [prices.cost(starts[first[part]], ends[second[part]]) for part in parts]
    return np.concatenate([np.empty(0), *costs])
