"""Arrays that compiled searches read and work in, by name; a work space is used again and again."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from scipy import sparse

from facelift._arrays import Floats, Ints, frozen
from facelift.graph.graph import Graph

Indices = npt.NDArray[np.int32]

UNSEEN, SETTLED = -1, -2
"""Places of a vertex that a search has not come by, and of one that it is done with."""

SIZE, TOUCHED, LISTED = 0, 1, 2
"""What the counts of a wave count: the queue, vertices come by, candidates found."""

SLACK = 1e-6
"""How far a search goes past its end, relative to its cost."""


class Csr(NamedTuple):
    """The edges of a graph: those of vertex u are at `indptr[u]` to `indptr[u + 1]`."""

    indptr: Indices
    indices: Indices
    data: Floats


class Wave(NamedTuple):
    """Costs found so far, and the queue of a search (see `kernels.queue`)."""

    costs: Floats
    heap: Indices
    keys: Floats
    place: Indices
    touched: Indices
    counts: Ints


class Known(NamedTuple):
    """What a search from the factual found: costs, what led it, and how far it came."""

    walked: Floats
    guide: Floats
    horizon: float


class Space(NamedTuple):
    """Arrays that searches work in, forward and back; each leaves them as it found them."""

    out: Wave
    back: Wave
    listed: Indices
    levels: Indices
    newest: Indices


def csr(costs: sparse.csr_array) -> Csr:
    """The edges as compiled searches take them: read-only, also where they came from elsewhere."""
    return Csr(*(_read_only(each) for each in (costs.indptr, costs.indices, costs.data)))


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.flags.writeable:
        array = array.view()
        frozen(array)
    return array


def wave(n: int) -> Wave:
    """The wave of a search that has not begun, on a graph of n vertices."""
    heap, touched = np.empty((2, n), dtype=np.int32)
    place = np.full(n, -1, dtype=np.int32)
    return Wave(np.full(n, np.inf), heap, np.empty(n), place, touched, np.zeros(3, np.int64))


_spaces: WeakKeyDictionary[Graph, list[Space]] = WeakKeyDictionary()
"""Work spaces of every graph that no search is using."""


def borrow(graph: Graph) -> Space:
    """A work space for one thread, to be given back."""
    try:
        return _spaces.setdefault(graph, []).pop()
    except IndexError:
        n = len(graph)
        levels, newest = np.full((2, n), -1, dtype=np.int32)
        return Space(wave(n), wave(n), np.empty(n, dtype=np.int32), levels, newest)


def give_back(graph: Graph, space: Space) -> None:
    """Keep a work space for the next search."""
    _spaces[graph].append(space)
