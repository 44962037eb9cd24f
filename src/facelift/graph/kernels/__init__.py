"""Compiled loops, loaded when first needed: numba turns them into machine code once per machine.

What is small is done with NumPy and SciPy instead, with the same answers, so that nobody waits for
a compiler to explain a thousand rows. Here, too, are the arrays that compiled searches read and
work in, by name; a work space is used again and again.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from facelift._arrays import Floats, Ints, frozen
from facelift._progress import announced
from facelift.graph.graph import Graph

HERE = Path(__file__).parent


@cache
def can_compile() -> bool:
    """Whether there is a compiler; browsers have none, and all but large tables do without."""
    try:
        return find_spec("numba") is not None
    except ValueError:  # somebody keeps it from being imported
        return False


@cache
def kernel(name: str) -> ModuleType:
    """A module of this package; the first time on a machine, loading it compiles it."""
    forget_stale(HERE, [*HERE.glob("*.py")])
    message = f"Preparing compiled {name} (slow only the first time on a machine) …"
    with announced(message):
        return import_module(f"facelift.graph.kernels.{name}")


def forget_stale(folder: Path, sources: list[Path]) -> None:
    """Remove machine code that is older than any of its sources.

    numba looks at a function's own file only, not at the functions and types it is made of; after
    a change of those it would go on with the code of before.
    """
    with suppress(OSError):  # where nothing may be written, nothing was kept either
        newest = max(source.stat().st_mtime for source in sources)
        for kept in folder.glob("__pycache__/*.nb[ic]"):
            if kept.stat().st_mtime < newest:
                kept.unlink(missing_ok=True)


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


class Reach(NamedTuple):
    """What can be told at once of which vertices lead where.

    The `component` of every vertex holds those that lead to each other, and is numbered after all
    that it leads to; `bits` has some bits for each, and those of all it leads to.
    """

    component: Indices
    bits: npt.NDArray[np.uint64]


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
    noted: Indices


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


class Drafts(NamedTuple):
    """Notes in the order they are left: at which of the `places`, and at what cost.

    `vertices` and `sizes` are of the places, the vertex and how many notes it has; `counts` are how
    many places and notes there are.
    """

    vertices: Indices
    sizes: Indices
    places: Indices
    costs: Floats
    counts: tuple[int, int]


class Notes(NamedTuple):
    """Costs to destinations, left at vertices; `place` numbers those with any, -1 for none.

    Those at place i are at `firsts[i]` to `firsts[i + 1]`.
    """

    place: Indices
    firsts: Ints
    destinations: Indices
    costs: Floats


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


def components(graph: Graph) -> tuple[int, Indices, Indices]:
    """How many sets of vertices lead to each other, which is whose, and the vertices in order.

    Whatever a set leads to comes before it, as SciPy numbers them.
    """
    ones = sparse.csr_array(
        (np.ones(graph.costs.nnz, np.int8), graph.costs.indices, graph.costs.indptr),
        shape=graph.costs.shape,
    )  # edges of cost 0 are edges, too
    n_components, component = connected_components(ones, connection="strong")
    order = np.argsort(component, kind="stable").astype(np.int32)
    return int(n_components), component, order


_reaches: WeakKeyDictionary[Graph, Reach] = WeakKeyDictionary()
"""What is known of who can reach whom on graphs that were searched before."""

N_WORDS = 8
"""Words of marks per component: on Adult with rules they tell 99 in 100 pairs without a way."""


def reach(graph: Graph) -> Reach:
    """What tells of most pairs of vertices without a way that there is none."""
    known = _reaches.get(graph)
    if known is None:
        n_components, component, order = components(graph)
        bit = np.random.default_rng(0).integers(64 * N_WORDS, size=n_components)
        bits = np.zeros((n_components, N_WORDS), dtype=np.uint64)
        bits[np.arange(n_components), bit // 64] = np.uint64(1) << (bit % 64).astype(np.uint64)
        edges = network(graph).edges
        kernel("outward").gather(edges.indptr, edges.indices, component, order, bits)
        known = _reaches[graph] = Reach(component, bits)
    return known


_spaces: WeakKeyDictionary[Graph, list[Space]] = WeakKeyDictionary()
"""Work spaces of every graph that no search is using."""


def borrow(graph: Graph) -> Space:
    """A work space for one thread, to be given back."""
    try:
        return _spaces.setdefault(graph, []).pop()
    except IndexError:
        n = len(graph)
        levels, noted = np.full((2, n), -1, dtype=np.int32)
        return Space(wave(n), wave(n), np.empty(n, dtype=np.int32), levels, noted)


def give_back(graph: Graph, space: Space) -> None:
    """Keep a work space for the next search."""
    _spaces[graph].append(space)
