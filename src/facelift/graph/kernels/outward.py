"""Searches on CSR arrays, compiled: outward to the nearest candidates, and the routes there.

Their queue is a 4-ary heap whose vertices know their place. They go on a little past their end
(`SLACK`), so that ties and rounding decide nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import Array, BaseTuple, Tuple, boolean, float64, int32, int64, uint64

from facelift.graph.kernels import (
    LISTED,
    SETTLED,
    SIZE,
    SLACK,
    TOUCHED,
    UNSEEN,
    Csr,
    Network,
    Origin,
    Reach,
    Space,
    Wave,
)

__all__ = ["clear", "gather", "left_at_least", "past", "spread", "start", "trace"]

ON_ROUTE = -2
"""Level of a vertex on some cheapest route whose number of steps is not known yet."""


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


@njit
def past(key):
    """A little more than a cost."""
    return key * (1.0 + SLACK)


@njit
def left_at_least(guide, vertex):
    """What is left from a vertex to any candidate, at least; 0 without a guide."""
    return guide[vertex] if len(guide) > 0 else 0.0


@njit
def _bound(best, owners, vertex, cost):
    """Note a cost of a candidate among the best so far; the largest of these."""
    worst = 0
    for i in range(len(best)):
        if owners[i] == vertex:
            worst = i
            break
        if best[i] > best[worst]:
            worst = i
    if cost < best[worst]:
        best[worst], owners[worst] = cost, vertex
    return best.max()


@njit(void(ORIGIN, readable(float64), WAVE), **BRIEF)
def start(origin, guide, out):
    """Queue where a search starts from."""
    for i in range(len(origin.vertices)):
        v = origin.vertices[i]
        if origin.costs[i] < out.costs[v]:
            least = origin.costs[i] + left_at_least(guide, v)
            if least < np.inf:
                out.costs[v] = origin.costs[i]
                offer(out, v, least)


@njit(
    float64(CSR, readable(boolean), readable(float64), int64, boolean, WAVE, int32[::1]),
    **OPTIONS,
)
def spread(edges, candidates, guide, wanted, bounded, out, listed):
    """Settle what is queued and beyond, until `wanted` candidates are listed; the horizon.

    A guide is the least cost from every vertex to any candidate: the search then settles in the
    order of what a way through a vertex costs at least, and leaves out what leads to none. Whatever
    is not settled costs more than the horizon, what the guide says of it included. With `bounded`
    the search cannot be continued: ways dearer than the candidates already found are left out.
    """
    costs, counts = out.costs, out.counts
    best = np.full(wanted if bounded else 1, np.inf)
    owners = np.full(len(best), -1, dtype=np.int32)
    limit = np.inf
    stop = np.inf
    if counts[LISTED] >= wanted:
        return out.keys[0] if counts[SIZE] > 0 else np.inf
    while counts[SIZE] > 0 and out.keys[0] <= stop:
        u = pop(out)
        if candidates[u]:
            listed[counts[LISTED]] = u
            counts[LISTED] += 1
            if counts[LISTED] == wanted:
                stop = past(costs[u])
        for e in range(edges.indptr[u], edges.indptr[u + 1]):
            v = edges.indices[e]
            cost = costs[u] + edges.data[e]
            if cost < costs[v] and out.place[v] != SETTLED:
                least = cost + left_at_least(guide, v)
                if least <= limit and least < np.inf:
                    costs[v] = cost
                    offer(out, v, least)
                    if bounded and candidates[v]:
                        limit = past(_bound(best, owners, v, cost))
    return min(stop, limit)


@njit
def _on_cheapest_routes(back, costs, ends, looser, levels):
    """All vertices on some cheapest route to any of the ends; their levels say so."""
    found = [np.int32(0) for _ in range(0)]
    for end in ends:
        if levels[end] == -1:
            levels[end] = ON_ROUTE
            found.append(end)
    i = 0
    while i < len(found):
        v = found[i]
        i += 1
        for e in range(back.indptr[v], back.indptr[v + 1]):
            u = back.indices[e]
            if levels[u] == -1 and costs[u] + back.data[e] <= costs[v] * looser:
                levels[u] = ON_ROUTE
                found.append(u)
    return found


@njit
def _count_steps(edges, costs, origin, n_found, looser, levels):
    """Write the fewest steps from the origin to all vertices that lie on routes."""
    queue = np.empty(n_found, dtype=np.int32)
    size = 0
    for i in range(len(origin.vertices)):
        v = origin.vertices[i]
        if levels[v] == ON_ROUTE and origin.costs[i] <= costs[v] * looser:
            levels[v] = 0
            queue[size] = v
            size += 1
    i = 0
    while i < size:
        u = queue[i]
        i += 1
        for e in range(edges.indptr[u], edges.indptr[u + 1]):
            v = edges.indices[e]
            if levels[v] == ON_ROUTE and costs[u] + edges.data[e] <= costs[v] * looser:
                levels[v] = levels[u] + 1
                queue[size] = v
                size += 1


@njit(
    Tuple((int32[::1], int32[::1], float64[::1]))(
        NETWORK, readable(float64), ORIGIN, readable(int32), float64, int32[::1]
    ),
    **OPTIONS,
)
def trace(network, costs, origin, ends, tolerance, levels):
    """Routes of fewest steps among the cheapest, smaller vertices first from their end.

    Returns how many vertices each has, all of them one after the other, and what the step to each
    costs; a route starts at a vertex of the origin. `levels` is -1 everywhere, before and after.
    """
    back, looser = network.back, 1.0 + tolerance
    found = _on_cheapest_routes(back, costs, ends, looser, levels)
    _count_steps(network.edges, costs, origin, len(found), looser, levels)
    lengths = np.empty(len(ends), dtype=np.int32)
    for i in range(len(ends)):
        lengths[i] = levels[ends[i]] + 1
    routes = np.empty(lengths.sum(), dtype=np.int32)
    steps = np.empty(len(routes))
    last = 0
    for i in range(len(ends)):
        last += lengths[i]
        v = ends[i]
        for j in range(1, lengths[i]):
            routes[last - j] = v
            for e in range(back.indptr[v], back.indptr[v + 1]):
                u = back.indices[e]
                if levels[u] == levels[v] - 1 and costs[u] + back.data[e] <= costs[v] * looser:
                    steps[last - j] = back.data[e]
                    v = u
                    break
        routes[last - lengths[i]] = v
        for j in range(len(origin.vertices)):
            if origin.vertices[j] == v:  # its own edge: a detour may be cheaper by rounding
                steps[last - lengths[i]] = origin.costs[j]
                break
    for v in found:
        levels[v] = -1
    return lengths, routes, steps


@njit(
    void(readable(int32), readable(int32), readable(int32), readable(int32), uint64[:, ::1]),
    **OPTIONS,
)
def gather(indptr, indices, component, order, bits):
    """Add to the bits of every component those of whatever it leads to."""
    for i in range(len(order)):
        own = component[order[i]]
        for e in range(indptr[order[i]], indptr[order[i] + 1]):
            other = component[indices[e]]
            if other != own:
                for word in range(bits.shape[1]):
                    bits[own, word] |= bits[other, word]
