"""The queue of a search on CSR arrays, compiled: a 4-ary heap whose vertices know their place.

A `Wave` has arrays as long as the graph that every search puts back as they were, so that it costs
what it visits and not the size of the graph: `costs` is inf and `place` UNSEEN where it did not
come. `heap` and `keys` are by position, `place` is the position of every vertex; `counts` are the
size of the heap, and how many vertices were touched and listed.

What Python calls has a signature, and is compiled when its module is imported; what only compiled
code calls is compiled with it.
"""

from __future__ import annotations

from numba import njit, void
from numba.types import Array, BaseTuple, float64, int32, int64, uint64

from facelift.graph.kernels.workspace import (
    SETTLED,
    SIZE,
    TOUCHED,
    UNSEEN,
    Csr,
    Network,
    Origin,
    Reach,
    Space,
    Wave,
)


def readable(kind, axes=1):
    """Type of a C-ordered array that may be read-only."""
    return Array(kind, axes, "C", readonly=True)


def record(kind, *fields):
    """Type of a named tuple."""
    return BaseTuple.from_types(fields, kind)


_SHORTS, _FLOATS = int32[::1], float64[::1]

CSR = record(Csr, readable(int32), readable(int32), readable(float64))
NETWORK = record(Network, CSR, CSR)
REACH = record(Reach, _SHORTS, uint64[:, ::1])
WAVE = record(Wave, _FLOATS, _SHORTS, _FLOATS, _SHORTS, _SHORTS, int64[::1])
SPACE = record(Space, WAVE, WAVE, _SHORTS, _SHORTS, _SHORTS)
ORIGIN = record(Origin, _SHORTS, _FLOATS, int64)
OPTIONS = {"cache": True, "nogil": True}
BRIEF = {"cache": True}
"""Options of what is over before another thread could take up the interpreter's lock."""


@njit
def _rise(wave, i, vertex, key):
    """Put a vertex at position i of the heap or above it, where its key belongs."""
    heap, keys, place = wave.heap, wave.keys, wave.place
    while i > 0:
        parent = (i - 1) >> 2
        if keys[parent] <= key:
            break
        heap[i], keys[i] = heap[parent], keys[parent]
        place[heap[i]] = i
        i = parent
    heap[i], keys[i] = vertex, key
    place[vertex] = i


@njit
def offer(wave, vertex, key):
    """Queue a vertex, or move it forward in the queue."""
    i = wave.place[vertex]
    if i < 0:
        if i == UNSEEN:
            wave.touched[wave.counts[TOUCHED]] = vertex
            wave.counts[TOUCHED] += 1
        i = wave.counts[SIZE]
        wave.counts[SIZE] += 1
    _rise(wave, i, vertex, key)


@njit
def pop(wave):
    """Take the vertex with the least key out of the queue; it is settled."""
    heap, keys, place = wave.heap, wave.keys, wave.place
    top = heap[0]
    place[top] = SETTLED
    wave.counts[SIZE] -= 1
    size = wave.counts[SIZE]
    if size > 0:
        vertex, key, i = heap[size], keys[size], 0
        while True:
            first = 4 * i + 1
            if first >= size:
                break
            best = first
            for child in range(first + 1, min(first + 4, size)):
                if keys[child] < keys[best]:
                    best = child
            if keys[best] >= key:
                break
            heap[i], keys[i] = heap[best], keys[best]
            place[heap[i]] = i
            i = best
        heap[i], keys[i] = vertex, key
        place[vertex] = i
    return top


@njit(void(WAVE), **BRIEF)
def clear(wave):
    """Put back what a search touched."""
    for i in range(wave.counts[TOUCHED]):
        wave.costs[wave.touched[i]] = float("inf")
        wave.place[wave.touched[i]] = UNSEEN
    wave.counts[:] = 0
