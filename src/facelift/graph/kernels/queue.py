"""The queue of a search on CSR arrays, compiled: a 4-ary heap whose vertices know their place.

A `Front` has arrays as long as the graph that every search puts back as they were, so that it costs
what it visits and not the size of the graph: `costs` is inf and `place` UNSEEN where it did not
come. `heap` and `keys` are by position, `place` is the position of every vertex; `counts` are the
size of the heap, and how many vertices were touched and listed.
"""

from __future__ import annotations

from numba import njit, void
from numba.types import Array, NamedTuple, float64, int32, int64

from facelift.graph.spaces import Csr, Front

UNSEEN, SETTLED = -1, -2
SIZE, TOUCHED, LISTED = 0, 1, 2


def readable(kind, axes=1):
    """Type of a C-ordered array that may be read-only."""
    return Array(kind, axes, "C", readonly=True)


CSR = NamedTuple((readable(int32), readable(int32), readable(float64)), Csr)
FRONT = NamedTuple(
    (float64[::1], int32[::1], float64[::1], int32[::1], int32[::1], int64[::1]), Front
)
OPTIONS = {"cache": True, "nogil": True}
BRIEF = {"cache": True}
"""Options of what is over before another thread could take up the interpreter's lock."""


@njit(void(FRONT, int64, int32, float64), **OPTIONS)
def _rise(front, i, vertex, key):
    """Put a vertex at position i of the heap or above it, where its key belongs."""
    heap, keys, place = front.heap, front.keys, front.place
    while i > 0:
        parent = (i - 1) >> 2
        if keys[parent] <= key:
            break
        heap[i], keys[i] = heap[parent], keys[parent]
        place[heap[i]] = i
        i = parent
    heap[i], keys[i] = vertex, key
    place[vertex] = i


@njit(void(FRONT, int32, float64), **OPTIONS)
def offer(front, vertex, key):
    """Queue a vertex, or move it forward in the queue."""
    i = front.place[vertex]
    if i < 0:
        if i == UNSEEN:
            front.touched[front.counts[TOUCHED]] = vertex
            front.counts[TOUCHED] += 1
        i = front.counts[SIZE]
        front.counts[SIZE] += 1
    _rise(front, i, vertex, key)


@njit(int32(FRONT), **OPTIONS)
def pop(front):
    """Take the vertex with the least key out of the queue; it is settled."""
    heap, keys, place = front.heap, front.keys, front.place
    top = heap[0]
    place[top] = SETTLED
    front.counts[SIZE] -= 1
    size = front.counts[SIZE]
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


@njit(void(FRONT), **BRIEF)
def clear(front):
    """Put back what a search touched."""
    for i in range(front.counts[TOUCHED]):
        front.costs[front.touched[i]] = float("inf")
        front.place[front.touched[i]] = UNSEEN
    front.counts[:] = 0
