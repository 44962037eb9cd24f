"""Points as rows of an array: which vertex is one, which are the same, which stand for a group.

Groups are made by splitting where rows spread most, again and again, as long as both sides keep k
rows (Mondrian: LeFevre, DeWitt and Ramakrishnan 2006); a prototype is what its group has in the
middle, so that nobody's row need be shown. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from facelift._arrays import FEW_CELLS, Bools, Floats, Ints, chunks
from facelift.errors import InvalidInput
from facelift.terrain.kinds import kind_of
from facelift.terrain.prices import Prices
from facelift.terrain.terrain import Terrain

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


DIGITS = 12
"""Digits of sums that count: the last ones depend on the order of the rows."""


def prototypes(points: Floats, terrain: Terrain, k: int) -> Floats:
    """The prototype that each row belongs to, as its point; shape (n, m).

    Each is the middle of at least k rows, and none equals a row that fewer than k share: where a
    group's middle does, its rows go to the nearest other prototype.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"age": [20, 22, 24, 60, 64, 62]}))
    >>> points = np.asarray(terrain.encode(pd.DataFrame({"age": [20, 21, 25, 60, 61, 65]})))
    >>> terrain.decode(prototypes(points, terrain, 3))["age"].tolist()
    [22, 22, 22, 62, 62, 62]
    """
    groups = grouped(points, k)
    middles = _middles(points, groups, terrain)
    shown = ~_somebody(middles, points, k)
    if not shown.any():
        raise InvalidInput(
            f"Every prototype of {k} records equals somebody's row; leave out columns that tell "
            "people apart, or take numbers with more digits."
        )
    nearest = np.arange(len(middles))
    nearest[~shown] = np.flatnonzero(shown)[KDTree(middles[shown]).query(middles[~shown])[1]]
    return np.asarray(middles[nearest[groups]])


def without_rare_values(terrain: Terrain, points: Floats, k: int) -> Terrain:
    """The terrain without numbers that fewer than k rows have or exceed.

    Ranges run from the k-th lowest to the k-th highest value, stops that are the value of fewer
    than k rows go, and so do the values that decoding would be exact by.
    """
    if len(points) < 2 * k:
        raise InvalidInput(
            f"Prototypes of {k} records need {2 * k} rows or more, got {len(points)}."
        )
    features = tuple(
        kind_of(feature).without_rare_values(feature, points[:, part], k)
        for feature, part in terrain.parts
    )
    return replace(terrain, features=features)


def grouped(points: Floats, k: int) -> Ints:
    """The group of each row: at least k rows each, split where they spread most; shape (n,).

    >>> grouped(np.array([[0.0], [0.1], [0.2], [0.8], [0.9], [0.9], [0.9]]), 3).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    groups = np.empty(len(points), dtype=np.int64)
    for number, rows in enumerate(_leaves(points, k)):
        groups[rows] = number
    return groups


def _leaves(points: Floats, k: int) -> Iterator[Ints]:
    """Rows of each group, from the lowest side of the first split on."""
    waiting = [np.arange(len(points))]
    while waiting:
        rows = waiting.pop()
        low = _lower_side(points[rows], k)
        if low is None:
            yield rows
        else:
            waiting += [rows[~low], rows[low]]


def _lower_side(values: Floats, k: int) -> Bools | None:
    """The rows below a cut near the middle of the widest coordinate; None if none can be cut."""
    n = len(values)
    if n < 2 * k:
        return None
    for i in np.argsort(-values.var(axis=0).round(DIGITS), kind="stable"):
        column = np.sort(values[:, i])
        cuts = np.flatnonzero(column[k - 1 : n - k] < column[k : n - k + 1]) + k
        if len(cuts):
            cut = cuts[np.argmin(np.abs(2 * cuts - n))]
            return np.asarray(values[:, i] < column[cut])
    return None


def _middles(points: Floats, groups: Ints, terrain: Terrain) -> Floats:
    """The middle of every group, as a row encodes it: means, middle levels, commonest levels."""
    sizes = np.bincount(groups)
    sums = np.column_stack([np.bincount(groups, column) for column in points.T])
    means = (sums / sizes[:, np.newaxis]).round(DIGITS)
    for feature, part in terrain.parts:
        means[:, part] = kind_of(feature).middle(feature, means[:, part])
    for block in terrain.distance.codes:
        means[:, block.coordinates] = points[_commonest(block.levels(points), groups)][
            :, block.coordinates
        ]
    return np.asarray(terrain.encode(terrain.decode(means))) + 0.0  # no -0.0


def _commonest(levels: Ints, groups: Ints) -> Ints:
    """A row of each group that has its commonest level, the first of equally common ones; (g,).

    >>> _commonest(np.array([7, 7, 9, 4, 2]), np.array([0, 0, 0, 1, 1]))
    array([0, 4])
    """
    pairs = np.column_stack([groups, levels])
    _, first, counts = np.unique(pairs, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((levels[first], -counts, groups[first]))
    _, best = np.unique(groups[first][order], return_index=True)
    return np.asarray(first[order][best])


def _somebody(middles: Floats, points: Floats, k: int) -> Bools:
    """Whether each prototype equals a row, of which there are fewer than k.

    Up to the noise of taking means, which would hide that both are told alike.
    """
    both: Floats = np.vstack([points, middles])
    _, codes = distinct_rows(np.asarray(both.round(9)))
    counts = np.bincount(codes[: len(points)], minlength=int(codes.max()) + 1)
    found = counts[codes[len(points) :]]
    return np.asarray((found > 0) & (found < k))
