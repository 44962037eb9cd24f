"""Compiled search of records near points: how far the k-th is, and which lie within a distance.

Records lie in cells of near ones, and cells in runs of such; around each is a box. What is too far
from a box is too far from everything in it. Cells that held near records of the point before are
looked into first: states that are asked about together are near each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from facelift._arrays import Bools, Floats, Ints

OPTIONS = {"cache": True, "nogil": True}


class Crowd(NamedTuple):
    """Records in cells, cells in runs; boxes have the least and the largest of each column."""

    records: Floats  # (n, columns), cell by cell
    starts: Ints  # (cells + 1,) where the records of each cell start
    least: Floats  # (cells, columns)
    largest: Floats
    runs: Ints  # (runs + 1,) where the cells of each run start
    run_least: Floats  # (runs, columns)
    run_largest: Floats
    left_out: Bools  # (n,) records that do not count; none where there are no entries


@njit(**OPTIONS)
def _gap(point, least, largest, limit):
    """Squared distance of a point to a box; anything larger than the limit where it is."""
    total = 0.0
    for c in range(len(point)):
        apart = max(least[c] - point[c], point[c] - largest[c])
        if apart > 0.0:
            total += apart * apart
            if total > limit:
                break
    return total


@njit(**OPTIONS)
def _look(crowd, cell, point, before, best, limit):
    """Put squared distances to the records of a cell among the `best`; whether any was put there.

    `before` is what the columns left out add. Only distances up to the limit count.
    """
    found, last, some = False, len(best) - 1, len(crowd.left_out) > 0
    for r in range(crowd.starts[cell], crowd.starts[cell + 1]):
        if some and crowd.left_out[r]:
            continue
        total, most = before, min(best[last], limit)
        for c in range(len(point)):
            apart = crowd.records[r, c] - point[c]
            total += apart * apart
            if total > most:
                break
        if total <= most and total < best[last]:
            at = last
            while at > 0 and best[at - 1] > total:
                best[at] = best[at - 1]
                at -= 1
            best[at] = total
            found = True
    return found


@njit(**OPTIONS)
def kth_squares(crowd, runs, squares, points, k, enough, limit):
    """Squared distance of points to their k-th nearest record; inf beyond the limit; (s,).

    Only `runs` are looked at, where the columns left out add `squares`. A k-th that is nearer than
    `enough` need not be the nearest there is.
    """
    found = np.empty(len(points))
    best = np.empty(k)
    seen = np.full(len(crowd.starts), -1, np.int64)
    recent = np.empty((64, 2), np.int64)
    n_recent = oldest = 0
    for p in range(len(points)):
        point = points[p]
        best[:] = np.inf
        for i in range(1, n_recent + 1):
            if best[k - 1] < enough:
                break
            cell, at = recent[oldest - i]  # the latest first
            seen[cell] = p
            left = min(best[k - 1], limit) - squares[at]
            if _gap(point, crowd.least[cell], crowd.largest[cell], left) <= left:
                _look(crowd, cell, point, squares[at], best, limit)
        for i in range(len(runs)):
            if best[k - 1] < enough:
                break
            run, left = runs[i], min(best[k - 1], limit) - squares[i]
            if left < 0.0 or _gap(point, crowd.run_least[run], crowd.run_largest[run], left) > left:
                continue
            for cell in range(crowd.runs[run], crowd.runs[run + 1]):
                left = min(best[k - 1], limit) - squares[i]
                near = seen[cell] != p
                if not near or _gap(point, crowd.least[cell], crowd.largest[cell], left) > left:
                    continue
                if _look(crowd, cell, point, squares[i], best, limit):
                    recent[oldest, 0], recent[oldest, 1] = cell, i
                    oldest = (oldest + 1) % len(recent)
                    n_recent = min(n_recent + 1, len(recent))
                    seen[cell] = p
        found[p] = best[k - 1]
    return found


@njit(**OPTIONS)
def within(crowd, runs, squares, point, limit):
    """Places of the records whose squared distance to a point is at most the limit."""
    places = np.empty(len(crowd.records), np.int64)
    n, some = 0, len(crowd.left_out) > 0
    for i in range(len(runs)):
        run, left = runs[i], limit - squares[i]
        if left < 0.0 or _gap(point, crowd.run_least[run], crowd.run_largest[run], left) > left:
            continue
        for cell in range(crowd.runs[run], crowd.runs[run + 1]):
            if _gap(point, crowd.least[cell], crowd.largest[cell], left) > left:
                continue
            for r in range(crowd.starts[cell], crowd.starts[cell + 1]):
                if some and crowd.left_out[r]:
                    continue
                total = 0.0
                for c in range(len(point)):
                    apart = crowd.records[r, c] - point[c]
                    total += apart * apart
                    if total > left:
                        break
                if total <= left:
                    places[n] = r
                    n += 1
    return places[:n].copy()
