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


class Network(NamedTuple):
    """The edges of a graph, and the same turned round."""

    edges: Csr
    back: Csr


class Wave(NamedTuple):
    """Costs found so far, and the queue of a search (see `kernels.queue`)."""

    costs: Floats
    heap: Indices
    keys: Floats
    place: Indices
    touched: Indices
    counts: Ints


class Space(NamedTuple):
    """Arrays that searches work in, forward and back; each leaves them as it found them."""

    out: Wave
    back: Wave
    listed: Indices
    levels: Indices
    newest: Indices


class Origin(NamedTuple):
    """Where a search begins: at some vertices, each at a cost.

    `attached` is a vertex beyond the graph that leads to them, -1 if the search begins at the only
    one of them.
    """

    vertices: Indices
    costs: Floats
    attached: int


class Known(NamedTuple):
    """What a search from the factual found: costs, what led it, and how far it came."""

    walked: Floats
    guide: Floats
    horizon: float


class Destinations(NamedTuple):
    """Sets of vertices: members of set b are at `offsets[b]` to `offsets[b + 1]`.

    `away` is what each costs from the factual.
    """

    members: Indices
    offsets: Ints
    away: Floats


class Bounds(NamedTuple):
    """What is known of remaining costs: row `rows[i]` has at most `costs[i]` more than row `by[i]`.

    Destination b has a member in row `ends[b]`, where there are any rows of ends.
    """

    rows: Ints
    by: Ints
    costs: Floats
    ends: Ints


class Notes(NamedTuple):
    """Costs to destinations, left at vertices: `newest` is the last note of each, -1 for none.

    `owners` has the vertex of every note, its destination, and the note before it.
    """

    newest: Indices
    costs: Floats
    owners: Indices


class LabelTable(NamedTuple):
    """The nearest candidates of every vertex and what they cost; (n, width) each."""

    costs: Floats
    ends: Indices


class Heading(NamedTuple):
    """Who heads for which goal: `people[firsts[g] : firsts[g + 1]]` for goal g, within its radius.

    To person `people[i]` it is destination `columns[i]`.
    """

    goals: Indices
    radii: Floats
    firsts: Ints
    people: Ints
    columns: Ints


def csr(costs: sparse.csr_array) -> Csr:
    """The edges as compiled searches take them: read-only, also where they came from elsewhere."""
    return Csr(*(_read_only(each) for each in (costs.indptr, costs.indices, costs.data)))


def origin(vertices: Ints, costs: Floats, attached: int = -1) -> Origin:
    """Where a search begins."""
    return Origin(np.array(vertices, dtype=np.int32), np.array(costs), attached)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.flags.writeable:
        array = array.view()
        frozen(array)
    return array


def wave(n: int) -> Wave:
    """The wave of a search that has not begun, on a graph of n vertices."""
    heap, touched = np.empty((2, n), dtype=np.int32)
    place = np.full(n, UNSEEN, dtype=np.int32)
    return Wave(np.full(n, np.inf), heap, np.empty(n), place, touched, np.zeros(3, np.int64))


_networks: WeakKeyDictionary[Graph, Network] = WeakKeyDictionary()
"""The edges of graphs that were searched before."""


def network(graph: Graph) -> Network:
    """The edges of a graph in both directions."""
    known = _networks.get(graph)
    if known is None:
        known = _networks[graph] = Network(csr(graph.costs), csr(graph.reversed))
    return known


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
