"""Searches on CSR arrays, compiled.

All work in arrays as long as the graph that are put back as they were, so that a search costs what
it visits and not the size of the graph: `costs` is inf and `place` UNSEEN where it did not come.
A queue is a 4-ary heap: `heap` and `keys` by position, `place` the position of every vertex in it,
`counts` its size, how many vertices were touched, listed, and taken up again.

A guide is a lower bound of what is still to go (or of what was walked so far) that never falls by
more than an edge costs; vertices are settled by cost plus guide. What is settled is exact, to the
last bit: a vertex that a better route reaches after all is taken up again, and searches go on a
little past their end (`SLACK`), so that rounding in the keys decides nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import Array, Tuple, boolean, float64, int32, int64

from facelift.graph.routes import SLACK

UNSEEN, SETTLED = -1, -2
SIZE, TOUCHED, LISTED, REOPENED = 0, 1, 2, 3


def _read(kind, axes=1):
    """Type of a C-ordered array that may be read-only."""
    return Array(kind, axes, "C", readonly=True)


_CSR = (_read(int32), _read(int32), _read(float64))
_QUEUE = (int32[::1], float64[::1], int32[::1], int32[::1], int64[::1])
_OPTIONS = {"cache": True, "nogil": True}


@njit(void(int32[::1], float64[::1], int32[::1], int64, int32, float64), **_OPTIONS)
def _rise(heap, keys, place, i, vertex, key):
    """Put a vertex at position i of the heap or above it, where its key belongs."""
    while i > 0:
        parent = (i - 1) >> 2
        if keys[parent] <= key:
            break
        heap[i], keys[i] = heap[parent], keys[parent]
        place[heap[i]] = i
        i = parent
    heap[i], keys[i] = vertex, key
    place[vertex] = i


@njit(void(*_QUEUE, int32, float64), **_OPTIONS)
def _offer(heap, keys, place, touched, counts, vertex, key):
    """Queue a vertex, or move it forward in the queue."""
    i = place[vertex]
    if i < 0:
        if i == UNSEEN:
            touched[counts[TOUCHED]] = vertex
            counts[TOUCHED] += 1
        else:
            counts[REOPENED] += 1
        i = counts[SIZE]
        counts[SIZE] += 1
    _rise(heap, keys, place, i, vertex, key)


@njit(int32(*_QUEUE), **_OPTIONS)
def _pop(heap, keys, place, touched, counts):
    """Take the vertex with the least key out of the queue; it is settled."""
    top = heap[0]
    place[top] = SETTLED
    counts[SIZE] -= 1
    size = counts[SIZE]
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


@njit(float64(float64, float64), **_OPTIONS)
def _past(key, scale):
    return key + SLACK * (abs(key) + scale)


@njit(float64(float64[::1], int32[::1], int32, float64), **_OPTIONS)
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


@njit(
    float64(
        *_CSR,
        _read(float64),
        _read(boolean),
        int64,
        boolean,
        float64[::1],
        *_QUEUE,
        int32[::1],
    ),
    **_OPTIONS,
)
def spread(
    indptr,
    indices,
    data,
    guide,
    candidates,
    wanted,
    bounded,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    listed,
):
    """Settle what is queued and beyond, until `wanted` candidates are listed; the horizon.

    Whatever is not settled has a key past the horizon. `guide` may be empty. With `bounded` the
    search cannot be continued: vertices dearer than the candidates already found are left out.
    """
    guided = len(guide) > 0
    best = np.full(wanted if bounded else 1, np.inf)
    owners = np.full(len(best), -1, dtype=np.int32)
    limit = np.inf
    stop = np.inf
    if counts[LISTED] >= wanted:
        return keys[0] if counts[SIZE] > 0 else np.inf
    while counts[SIZE] > 0 and keys[0] <= stop:
        key = keys[0]
        u = _pop(heap, keys, place, touched, counts)
        if candidates[u] and not (counts[REOPENED] and u in listed[: counts[LISTED]]):
            listed[counts[LISTED]] = u
            counts[LISTED] += 1
            if counts[LISTED] == wanted:
                stop = _past(key, 0.0)
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            cost = costs[u] + data[e]
            if cost >= costs[v]:
                continue
            key = cost + guide[v] if guided else cost
            if key > limit or key == np.inf:
                continue
            costs[v] = cost
            _offer(heap, keys, place, touched, counts, v, key)
            if bounded and candidates[v]:
                limit = _past(_bound(best, owners, v, cost), 0.0)
    return min(stop, limit)


@njit(void(_read(int32), _read(float64), _read(float64), float64[::1], *_QUEUE), **_OPTIONS)
def start(seeds, seed_costs, guide, costs, heap, keys, place, touched, counts):
    """Queue where a search starts from, at most once each."""
    for i in range(len(seeds)):
        v = seeds[i]
        key = seed_costs[i] + guide[v] if len(guide) > 0 else seed_costs[i]
        if seed_costs[i] < costs[v] and key < np.inf:
            costs[v] = seed_costs[i]
            _offer(heap, keys, place, touched, counts, v, key)


@njit(void(float64[::1], *_QUEUE), **_OPTIONS)
def clear(costs, heap, keys, place, touched, counts):
    """Put back what a search touched."""
    for i in range(counts[TOUCHED]):
        costs[touched[i]] = np.inf
        place[touched[i]] = UNSEEN
    counts[:] = 0


@njit(
    Tuple((int32[::1], int32[::1], float64[::1]))(
        *_CSR,
        *_CSR,
        _read(float64),
        _read(int32),
        _read(float64),
        int64,
        _read(int32),
        float64,
        int32[::1],
    ),
    **_OPTIONS,
)
def trace(
    indptr,
    indices,
    data,
    into,
    origins,
    weights,
    costs,
    seeds,
    seed_costs,
    first,
    ends,
    tolerance,
    levels,
):
    """Routes of fewest steps among the cheapest, smaller vertices first from their end.

    Returns how many vertices each has, all of them one after the other, and what the step to each
    costs; a route starts at a seed, with `first` steps behind it. `levels` is -1 everywhere, before
    and after.
    """
    looser = 1.0 + tolerance
    found = [np.int32(0) for _ in range(0)]
    for end in ends:
        if levels[end] == -1:
            levels[end] = -2
            found.append(end)
    i = 0
    while i < len(found):  # everything that lies on some cheapest route
        v = found[i]
        i += 1
        for e in range(into[v], into[v + 1]):
            u = origins[e]
            if levels[u] == -1 and costs[u] + weights[e] <= costs[v] * looser:
                levels[u] = -2
                found.append(u)
    queue = np.empty(len(found), dtype=np.int32)
    size = 0
    for i in range(len(seeds)):
        v = seeds[i]
        if levels[v] == -2 and seed_costs[i] <= costs[v] * looser:
            levels[v] = first
            queue[size] = v
            size += 1
    i = 0
    while i < size:
        u = queue[i]
        i += 1
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if levels[v] == -2 and costs[u] + data[e] <= costs[v] * looser:
                levels[v] = levels[u] + 1
                queue[size] = v
                size += 1
    lengths = np.empty(len(ends), dtype=np.int32)
    for i in range(len(ends)):
        lengths[i] = levels[ends[i]] - first + 1
    routes = np.empty(lengths.sum(), dtype=np.int32)
    steps = np.empty(len(routes))
    last = 0
    for i in range(len(ends)):
        last += lengths[i]
        v = ends[i]
        for j in range(1, lengths[i]):
            routes[last - j] = v
            for e in range(into[v], into[v + 1]):
                u = origins[e]
                if levels[u] == levels[v] - 1 and costs[u] + weights[e] <= costs[v] * looser:
                    steps[last - j] = weights[e]
                    v = u
                    break
        routes[last - lengths[i]] = v
        steps[last - lengths[i]] = costs[v]
    for v in found:
        levels[v] = -1
    return lengths, routes, steps


@njit(float64(int32, _read(float64), _read(float64), float64), **_OPTIONS)
def _walked_at_least(vertex, walked, guide, horizon):
    """The cost walked so far to be at a vertex, or less: exact where the forward search came."""
    if len(walked) == 0:
        return 0.0
    left = guide[vertex] if len(guide) > 0 else 0.0
    return min(walked[vertex], horizon - left)


@njit(
    void(
        *_CSR,
        _read(int32),
        _read(int64),
        _read(float64),
        _read(float64),
        float64,
        _read(int32),
        _read(int32),
        _read(float64),
        float64[::1],
        *_QUEUE,
        boolean[::1],
        float64[:, ::1],
    ),
    **_OPTIONS,
)
def approach(
    into,
    origins,
    weights,
    members,
    offsets,
    walked,
    guide,
    horizon,
    needed,
    seeds,
    seed_costs,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    waiting,
    remaining,
):
    """Write the least cost from every needed vertex to each destination, a set of members.

    `walked` holds the costs from where a forward search set out, or nothing; its `guide` and
    `horizon` say how far that came: what it did not settle is at least that far away. The last row
    of `remaining` is for where that search set out, by way of its seeds.
    """
    for b in range(len(offsets) - 1):
        for v in members[offsets[b] : offsets[b + 1]]:
            costs[v] = 0.0
            key = _walked_at_least(v, walked, guide, horizon)
            _offer(heap, keys, place, touched, counts, v, key)
        for v in needed:
            waiting[v] = True
        n_waiting = len(needed)
        stop = np.inf
        while counts[SIZE] > 0 and keys[0] <= stop:
            key = keys[0]
            v = _pop(heap, keys, place, touched, counts)
            if waiting[v]:
                waiting[v] = False
                n_waiting -= 1
                if n_waiting == 0:
                    stop = _past(key, costs[v])
            for e in range(into[v], into[v + 1]):
                u = origins[e]
                cost = costs[v] + weights[e]
                if cost < costs[u]:
                    key = cost + _walked_at_least(u, walked, guide, horizon)
                    if key < np.inf:
                        costs[u] = cost
                        _offer(heap, keys, place, touched, counts, u, key)
        for i in range(len(needed)):
            waiting[needed[i]] = False
            remaining[i, b] = costs[needed[i]]
        remaining[len(needed), b] = np.inf
        for i in range(len(seeds)):
            left = seed_costs[i] + costs[seeds[i]]
            remaining[len(needed), b] = min(remaining[len(needed), b], left)
        clear(costs, heap, keys, place, touched, counts)
