"""A search among points in shares that know nothing of each other, for workers on other machines.

The blocks of the points are dealt out to parts. Each part is searched by itself first; what it has
found limits what is looked for between parts. So each tile is looked at once, for both directions,
as on one machine; where every worker searched from its own points to all, it would be twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Ints
from facelift.graph.kernels import kernel
from facelift.graph.nearest.blocks import Singles
from facelift.graph.nearest.tiles import (
    Half,
    Prepared,
    blas,
    bounded,
    distances_between,
    nothing_yet,
    pairs_of_kind,
    passing_over,
)


@dataclass(frozen=True, eq=False)
class Share:
    """The tiles between a part of the blocks and some others, or within it where there are none."""

    part: int
    others: tuple[int, ...]
    n_parts: int
    limits: Singles
    """What ends must be cheaper than, squared; of every point in the order of the blocks."""
    width: int


class Found(NamedTuple):
    """What a share has found: for some rows, ends and their squared costs, one row's together."""

    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int16]
    ends: npt.NDArray[np.int32]
    costs: Singles


def within(n_parts: int, limits: Singles, width: int) -> list[Share]:
    """Each part by itself."""
    return [Share(part, (), n_parts, limits, width) for part in range(n_parts)]


def between(n_parts: int, limits: Singles, width: int) -> list[Share]:
    """Every two parts once, the same number of them for each as far as possible.

    >>> [share.others for share in between(4, np.zeros(9), 1)]
    [(1, 2), (2, 3), (3,), (0,)]
    """
    shares = []
    for part in range(n_parts):
        steps = list(range(1, (n_parts - 1) // 2 + 1))
        if n_parts % 2 == 0 and part < n_parts // 2:
            steps.append(n_parts // 2)
        others = tuple((part + step) % n_parts for step in steps)
        shares.append(Share(part, others, n_parts, limits, width))
    return [share for share in shares if share.others]


@dataclass(frozen=True, eq=False)
class InShares:
    """Looks for the nearest ends of all ends in shares; an `Elsewhere`.

    `run` searches some of them, wherever; it is also told under which names the first search has
    the one that is meant.
    """

    prepared: Prepared
    itself: Ints | None
    n_parts: int
    run: Callable[[tuple[str, ...], list[Share]], Iterable[Found]]
    names: tuple[str, ...] = ()

    def under(self, name: str) -> InShares:
        """The same for one of the searches that a search with codes is made of."""
        return replace(self, prepared=getattr(self.prepared, name), names=(*self.names, name))

    def __call__(self, limits: Singles, width: int) -> Any:
        """Parts by themselves, then what they have found between them."""
        nearest = nothing_yet(self.prepared.half, limits, width)
        for deal in (within, between):
            for found in self.run(
                self.names, deal(self.n_parts, nearest.costs[:, -1].copy(), width)
            ):
                _take_up(nearest, found)
        return nearest


def searched(prepared: Prepared, itself: Ints | None, share: Share) -> Found:
    """What one share finds among the ends of a search, which are its starts, too."""
    half = prepared.half
    half = half if itself is None else passing_over(half, itself, half)
    loops, nearest = kernel("nearest"), nothing_yet(half, share.limits, share.width)
    tiles = bounded(loops, half, half, prepared, _pairs(half, share))
    near_first = np.argsort(distances_between(half, half, tiles.pairs), kind="stable")
    ordered = (each[near_first] for each in (tiles.pairs, tiles.gaps, tiles.slacks))
    with blas().limit(limits=1):
        loops.search_tiles(half.side, half.side, prepared.rates, nearest, *ordered, True)
    counts = (nearest.ends >= 0).sum(axis=1)
    rows = np.flatnonzero(counts)
    there = nearest.ends[rows] >= 0
    ends, costs = nearest.ends[rows][there], nearest.costs[rows][there]
    return Found(rows.astype(np.int32), counts[rows].astype(np.int16), ends, costs)


def _take_up(nearest: Any, found: Found) -> None:
    """Merge what a share has found into all that is known, a `Nearest` of the compiled loops."""
    rows, width = found.rows, nearest.costs.shape[1]
    there = np.arange(width) < found.counts[:, np.newaxis]
    costs = np.full(there.shape, np.inf, dtype=np.float32)
    ends = np.full(there.shape, -1, dtype=np.int32)
    costs[there], ends[there] = found.costs, found.ends
    costs = np.hstack([nearest.costs[rows], costs])
    ends = np.hstack([nearest.ends[rows], ends])
    least = np.argsort(costs, axis=1, kind="stable")[:, :width]
    nearest.costs[rows] = np.take_along_axis(costs, least, axis=1)
    nearest.ends[rows] = np.take_along_axis(ends, least, axis=1)


def _pairs(half: Half, share: Share) -> npt.NDArray[np.int32]:
    """The pairs of blocks of a share that have points of one kind."""
    part = _part_of_each(half, share.n_parts)
    own = np.flatnonzero(part == share.part)
    pairs = pairs_of_kind(half.kinds[own], half.kinds, both=False)
    pairs[:, 0] = own[pairs[:, 0]]
    if not share.others:
        return np.asarray(pairs[(part[pairs[:, 1]] == share.part) & (pairs[:, 1] >= pairs[:, 0])])
    wanted: Bools = np.isin(np.arange(share.n_parts), share.others)
    return np.asarray(pairs[wanted[part[pairs[:, 1]]]])


def _part_of_each(half: Half, n_parts: int) -> Ints:
    """The part that each block belongs to; those of a part follow one another."""
    first = half.side.first
    return np.asarray(first[:-1] * n_parts // first[-1])
