"""Searches for everybody at once on CSR arrays, compiled.

Queues as in `queue`; one of labels, in which a vertex stands once per end, is a heap of its own.
"""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import Tuple, float64, int32, int64

from facelift.graph.kernels import SIZE, Heading, LabelTable
from facelift.graph.kernels.outward import (
    CSR,
    NETWORK,
    OPTIONS,
    WAVE,
    clear,
    offer,
    pop,
    readable,
    record,
)

_LABELS = record(LabelTable, float64[:, ::1], int32[:, ::1])
_HEADING = record(Heading, int32[::1], float64[::1], int64[::1], int64[::1], int64[::1])


@njit
def _push(keys, items, size, key, vertex, end):
    """Queue a label; the new size of the heap."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] <= key:
            break
        keys[i] = keys[parent]
        items[i, 0], items[i, 1] = items[parent, 0], items[parent, 1]
        i = parent
    keys[i] = key
    items[i, 0], items[i, 1] = vertex, end
    return size + 1


@njit
def _drop(keys, items, size):
    """Take the first label off the heap; the new size."""
    size -= 1
    key, vertex, end = keys[size], items[size, 0], items[size, 1]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i] = keys[child]
        items[i, 0], items[i, 1] = items[child, 0], items[child, 1]
        i = child
    keys[i] = key
    items[i, 0], items[i, 1] = vertex, end
    return size


@njit
def _place(labels, vertex, end):
    """Where the label of an end stands at a vertex, -1 if it has none."""
    for j in range(labels.ends.shape[1]):
        if labels.ends[vertex, j] == end:
            return j
        if labels.ends[vertex, j] == -1:
            return -1
    return -1


@njit
def _noted(labels, vertex, end, cost):
    """Keep a label if it is among the least of its vertex; whether it is."""
    costs, ends, worst = labels.costs, labels.ends, 0
    for j in range(costs.shape[1]):
        if ends[vertex, j] == end:
            if cost < costs[vertex, j]:
                costs[vertex, j] = cost
                return True
            return False
        if ends[vertex, j] == -1:
            costs[vertex, j], ends[vertex, j] = cost, end
            return True
        if costs[vertex, j] > costs[vertex, worst]:
            worst = j
    if cost < costs[vertex, worst]:
        costs[vertex, worst], ends[vertex, worst] = cost, end
        return True
    return False


@njit(void(CSR, readable(int32), _LABELS), **OPTIONS)
def label(back, sources, labels):
    """The nearest ends of every vertex and what they cost, as many as there are columns.

    A search back from all ends at once; a vertex hands a label on when it is among its least.
    Whatever is left out costs at least as much as what is kept. Costs of labels start as inf, their
    ends as -1; the labels of a vertex come in no order.
    """
    keys = np.empty(1024)
    items = np.empty((1024, 2), dtype=np.int32)
    size = 0
    for i in range(len(sources)):
        if size == len(keys):
            keys, items = np.append(keys, keys), np.concatenate((items, items))
        _noted(labels, sources[i], sources[i], 0.0)
        size = _push(keys, items, size, 0.0, sources[i], sources[i])
    while size > 0:
        key, v, end = keys[0], items[0, 0], items[0, 1]
        size = _drop(keys, items, size)
        j = _place(labels, v, end)
        if j < 0 or labels.costs[v, j] < key:
            continue
        for e in range(back.indptr[v], back.indptr[v + 1]):
            u = back.indices[e]
            if _noted(labels, u, end, key + back.data[e]):
                if size == len(keys):
                    keys, items = np.append(keys, keys), np.concatenate((items, items))
                size = _push(keys, items, size, key + back.data[e], u, end)


@njit(
    Tuple((int32[::1], int32[::1], float64[::1]))(
        NETWORK, _LABELS, readable(int32), readable(int32), float64, int32[::1]
    ),
    **OPTIONS,
)
def routes(network, labels, starts, goals, tolerance, steps):
    """Routes by labels: of fewest steps among the cheapest, smaller vertices first from their end.

    Returns how many vertices each has, all of them one after the other, and what the step to each
    costs, 0 to the first. Every start has a label of its goal. `steps` is -1, before and after.
    """
    edges, back, costs, looser = network.edges, network.back, labels.costs, 1.0 + tolerance
    lengths = np.empty(len(starts), dtype=np.int32)
    vertices = np.empty(1024, dtype=np.int32)
    paid = np.zeros(1024)
    queue = np.empty(len(steps), dtype=np.int32)
    filled = 0
    for i in range(len(starts)):
        goal = goals[i]
        queue[0] = starts[i]
        steps[starts[i]] = 0
        size, first = 1, 0
        while steps[goal] == -1:
            u = queue[first]
            first += 1
            most = costs[u, _place(labels, u, goal)] * looser
            for e in range(edges.indptr[u], edges.indptr[u + 1]):
                v = edges.indices[e]
                if steps[v] == -1:
                    j = _place(labels, v, goal)
                    if j >= 0 and edges.data[e] + costs[v, j] <= most:
                        steps[v] = steps[u] + 1
                        queue[size] = v
                        size += 1
        length = steps[goal] + 1
        lengths[i] = length
        while filled + length > len(vertices):
            vertices, paid = np.append(vertices, vertices), np.append(paid, paid)
        v = goal
        for k in range(filled + length - 1, filled, -1):
            vertices[k] = v
            left = costs[v, _place(labels, v, goal)]
            for e in range(back.indptr[v], back.indptr[v + 1]):
                u = back.indices[e]
                if steps[u] == steps[v] - 1:
                    j = _place(labels, u, goal)
                    if j >= 0 and back.data[e] + left <= costs[u, j] * looser:
                        paid[k] = back.data[e]
                        v = u
                        break
        vertices[filled], paid[filled] = v, 0.0
        filled += length
        for k in range(size):
            steps[queue[k]] = -1
    return lengths, vertices[:filled].copy(), paid[:filled].copy()


@njit(
    void(CSR, _HEADING, readable(int64), readable(int32), WAVE, float64[:, ::1]),
    **OPTIONS,
)
def remaining_on_routes(back, heading, rows, vertices, wave, left):
    """What is left from waypoints to the goals of whoever walks there; inf beyond the radius.

    One search back from each goal, as far as its radius, serves everybody who heads there. The
    waypoints of person p are `vertices[rows[p] : rows[p + 1]]`, and the rows of `left`.
    """
    goals, radii, firsts, people, columns = heading
    for g in range(len(goals)):
        costs = wave.costs
        costs[goals[g]] = 0.0
        offer(wave, goals[g], 0.0)
        while wave.counts[SIZE] > 0:
            v = pop(wave)
            for e in range(back.indptr[v], back.indptr[v + 1]):
                u = back.indices[e]
                cost = costs[v] + back.data[e]
                if cost < costs[u] and cost <= radii[g]:
                    costs[u] = cost
                    offer(wave, u, cost)
        for i in range(firsts[g], firsts[g + 1]):
            for row in range(rows[people[i]], rows[people[i] + 1]):
                left[row, columns[i]] = costs[vertices[row]]
        clear(wave)
