"""Searches from both ends that meet half way: from many vertices to many destinations; compiled."""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import NamedTuple, boolean, float64, int32, int64

from facelift.graph.kernels.queue import CSR, OPTIONS, WAVE, clear, offer, pop, readable
from facelift.graph.kernels.searches import left_at_least, past
from facelift.graph.kernels.workspace import SIZE, SLACK, TOUCHED, Known

KNOWN = NamedTuple((float64[::1], readable(float64), float64), Known)


@njit(boolean(int32, float64, int32[::1], float64[::1], int32[:, ::1], float64[::1]), **OPTIONS)
def _read_notes(vertex, cost, newest, notes, owners, left):
    """Shorten what is left by the notes at a vertex; whether any of them did."""
    shorter = False
    note = newest[vertex]
    while note >= 0:
        b = owners[1, note]
        if cost + notes[note] < left[b]:
            left[b] = cost + notes[note]
            shorter = True
        note = owners[2, note]
    return shorter


@njit(float64(KNOWN, int32), **OPTIONS)
def _walked_at_least(known, vertex):
    """What a vertex costs from the factual, at least: exact where the search settled it."""
    unsettled = max(known.horizon - left_at_least(known.guide, vertex), 0.0)
    return min(known.walked[vertex], unsettled)


@njit(void(CSR, float64, float64, KNOWN, WAVE), **OPTIONS)
def _settle_back(back, reach, last, known, wave):
    """Settle what is within reach back from what is queued, and not on too long a way."""
    costs = wave.costs
    while wave.counts[SIZE] > 0:
        v = pop(wave)
        for e in range(back.indptr[v], back.indptr[v + 1]):
            u = back.indices[e]
            cost = costs[v] + back.data[e]
            if cost < costs[u] and cost <= reach and cost + _walked_at_least(known, u) <= last:
                costs[u] = cost
                offer(wave, u, cost)


@njit(
    void(
        CSR,
        float64,
        float64,
        KNOWN,
        readable(float64),
        int32,
        WAVE,
        int32[::1],
        float64[::1],
        int32[:, ::1],
        float64[::1],
    ),
    **OPTIONS,
)
def _settle_out(edges, reach, limit, known, away, start, wave, newest, notes, owners, left):
    """Shorten what is left from one vertex by ways through the notes that destinations left."""
    costs = wave.costs
    costs[start] = 0.0
    offer(wave, start, 0.0)
    _read_notes(start, 0.0, newest, notes, owners, left)
    most = left.max()
    stop = min(limit, past(most - reach))
    ahead = (left - away).max() + SLACK * away.max()
    while wave.counts[SIZE] > 0 and wave.keys[0] <= stop:
        u = pop(wave)
        for e in range(edges.indptr[u], edges.indptr[u + 1]):
            v = edges.indices[e]
            cost = costs[u] + edges.data[e]
            if cost < costs[v]:
                if newest[v] >= 0 and _read_notes(v, cost, newest, notes, owners, left):
                    most = left.max()
                    stop = min(limit, past(most - reach))
                    ahead = (left - away).max() + SLACK * away.max()
                if (
                    cost <= stop
                    and cost - known.walked[v] <= ahead
                    and cost + left_at_least(known.guide, v) <= past(min(most, reach + limit))
                ):
                    costs[v] = cost
                    offer(wave, v, cost)


@njit(
    void(
        CSR,
        CSR,
        readable(int32),
        readable(int64),
        KNOWN,
        readable(float64),
        float64,
        float64,
        readable(int32),
        WAVE,
        int32[::1],
        float64[:, ::1],
    ),
    **OPTIONS,
)
def between(
    edges, back, members, offsets, known, away, reach, limit, needed, wave, newest, remaining
):
    """Shorten the costs from every needed vertex to each destination, a set of members.

    Two searches meet: one back from each destination, as far as `reach`, leaves a note at every
    vertex it settles; one from each needed vertex, as far as `limit`, reads them. Two balls of half
    the radius hold far fewer vertices than one. Every way of at most `reach + limit` is found.

    What a search from the factual found is `known`, and `away` its cost to each destination. By
    these, and what is known to remain at most, vertices are left out that no shorter way can pass.
    `newest` is the last note at every vertex, -1 for none, before and after.
    """
    n = 0
    notes = np.empty(1024)
    owners = np.empty((3, 1024), dtype=np.int32)  # vertex, destination, the note before
    for b in range(len(offsets) - 1):
        last = 0.0
        for i in range(len(needed)):
            last = max(last, remaining[i, b] + _walked_at_least(known, needed[i]))
        for v in members[offsets[b] : offsets[b + 1]]:
            wave.costs[v] = 0.0
            offer(wave, v, 0.0)
        _settle_back(back, reach, past(last), known, wave)
        while n + wave.counts[TOUCHED] > len(notes):
            notes = np.append(notes, notes)
            owners = np.concatenate((owners, owners), axis=1)
        for i in range(wave.counts[TOUCHED]):
            v = wave.touched[i]
            notes[n] = wave.costs[v]
            owners[0, n], owners[1, n], owners[2, n] = v, b, newest[v]
            newest[v] = n
            n += 1
        clear(wave)
    for i in range(len(needed)):
        left = remaining[i]
        _settle_out(edges, reach, limit, known, away, needed[i], wave, newest, notes, owners, left)
        clear(wave)
    for i in range(n):
        newest[owners[0, i]] = -1
