"""Records by the pattern of their categories, so that counting near ones skips most of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.graph.nearest.plain import squared_distances
from facelift.graph.portions import portions


@dataclass(frozen=True, eq=False)
class Patterns:
    """Records in order of their pattern: the columns that hold nothing but 0 and 1.

    A table of categories has far fewer patterns than records. What is too far from a pattern is too
    far from all its records; near ones differ in few other columns.
    """

    flags: Bools
    kinds: Floats
    """Every pattern once; shape (p, number of flags)."""
    others: Floats
    """The other columns of the records, in order of their pattern."""
    offsets: Ints
    """Where the records of each pattern start and end; shape (p + 1,)."""

    @classmethod
    def of(cls, records: Floats) -> Self:
        """Group some records.

        >>> patterns = Patterns.of(np.array([[0, 0.2], [1, 0.5], [0, 0.7]]))
        >>> patterns.kinds.ravel().tolist(), patterns.offsets.tolist()
        ([0.0, 1.0], [0, 2, 3])
        """
        flags = ((records == 0) | (records == 1)).all(axis=0)
        order, starts = _grouped(records[:, flags])
        return cls(
            flags=flags,
            kinds=records[order[starts]][:, flags],
            others=records[order][:, ~flags],
            offsets=np.append(starts, len(records)),
        )

    def within(self, points: Floats, inner: float, outer: float) -> tuple[Ints, Ints]:
        """How many records are surely within a squared distance, how many perhaps within another.

        Of shape (s,) each; rounding does not matter to either.
        """
        surely, maybe = np.zeros((2, len(points)), dtype=np.int64)
        order, starts = _grouped(points[:, self.flags])
        groups = np.split(order, starts[1:]) if len(points) else []
        firsts = points[order[starts]][:, self.flags]
        for rows in portions(len(groups), len(self.kinds)):
            apart, slack = squared_distances(firsts[rows], self.kinds)
            for group, squares, off in zip(groups[rows], apart, slack, strict=True):
                near = np.flatnonzero(squares <= outer + off)
                others, ends = points[group][:, ~self.flags], (near, squares[near])
                surely[group], maybe[group] = self._within(others, *ends, inner, outer, off)
        return surely, maybe

    def _within(
        self, others: Floats, near: Ints, squares: Floats, inner: float, outer: float, off: Floats
    ) -> tuple[Ints, Ints]:
        """The same for points of one pattern; the patterns near by, how far, and how far off."""
        lengths = self.offsets[near + 1] - self.offsets[near]
        members = np.repeat(self.offsets[near] - np.cumsum(lengths) + lengths, lengths)
        members += np.arange(len(members))
        counts = np.zeros((2, len(others)), dtype=np.int64)
        for rows in portions(len(others), len(members)):
            apart, slack = squared_distances(others[rows], self.others[members])
            apart += np.repeat(squares, lengths)
            counts[0, rows] = np.count_nonzero(apart < inner - slack - off, axis=1)
            counts[1, rows] = np.count_nonzero(apart <= outer + slack + off, axis=1)
        return counts[0], counts[1]


def _grouped(flags: Floats) -> tuple[Ints, Ints]:
    """An order in which equal rows stand together, and where each group starts in it."""
    if not flags.shape[1]:
        return np.arange(len(flags)), np.zeros(min(len(flags), 1), dtype=np.int64)
    rows = np.ascontiguousarray(flags).view(np.dtype((np.void, flags.itemsize * flags.shape[1])))
    _, kinds = np.unique(rows.ravel(), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    return order, starts
