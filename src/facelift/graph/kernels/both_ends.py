"""Searches from both ends that meet half way: from many vertices to many destinations; compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from facelift.graph.kernels.outward import left_at_least, past
from facelift.graph.kernels.queue import clear, offer, pop
from facelift.graph.kernels.workspace import SIZE, SLACK, TOUCHED, Notes


@njit
def _read_notes(vertex, cost, notes, left):
    """Shorten what is left by the notes at a vertex; whether any of them did."""
    shorter = False
    note = notes.newest[vertex]
    while note >= 0:
        b = notes.owners[1, note]
        if cost + notes.costs[note] < left[b]:
            left[b] = cost + notes.costs[note]
            shorter = True
        note = notes.owners[2, note]
    return shorter


@njit
def _walked_at_least(known, vertex):
    """What a vertex costs from the factual, at least: exact where the search settled it."""
    unsettled = max(known.horizon - left_at_least(known.guide, vertex), 0.0)
    return min(known.walked[vertex], unsettled)


@njit
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


@njit
def _settle_out(edges, reach, limit, known, away, start, wave, notes, left):
    """Shorten what is left from one vertex by ways through the notes that destinations left."""
    costs = wave.costs
    costs[start] = 0.0
    offer(wave, start, 0.0)
    _read_notes(start, 0.0, notes, left)
    most = left.max()
    stop = min(limit, past(most - reach))
    ahead = (left - away).max() + SLACK * away.max()
    while wave.counts[SIZE] > 0 and wave.keys[0] <= stop:
        u = pop(wave)
        for e in range(edges.indptr[u], edges.indptr[u + 1]):
            v = edges.indices[e]
            cost = costs[u] + edges.data[e]
            if cost < costs[v]:
                if notes.newest[v] >= 0 and _read_notes(v, cost, notes, left):
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


@njit
def _leave_notes(wave, destination, n, notes):
    """A note of one destination at every vertex that a search from it touched; there were n."""
    newest, costs, owners = notes.newest, notes.costs, notes.owners
    while n + wave.counts[TOUCHED] > len(costs):
        costs = np.append(costs, costs)
        owners = np.concatenate((owners, owners), axis=1)
    for i in range(wave.counts[TOUCHED]):
        v = wave.touched[i]
        costs[n] = wave.costs[v]
        owners[0, n], owners[1, n], owners[2, n] = v, destination, newest[v]
        newest[v] = n
        n += 1
    return n, Notes(newest, costs, owners)


@njit
def search_both_ends(network, destinations, known, reach, limit, needed, space, remaining):
    """Shorten the costs from every needed vertex to each destination.

    Two searches meet: one back from each destination, as far as `reach`, leaves a note at every
    vertex it settles; one from each needed vertex, as far as `limit`, reads them. Two balls of half
    the radius hold far fewer vertices than one. Every way of at most `reach + limit` is found.

    By what a search from the factual found (`known`), and by what is known to remain at most,
    vertices are left out that no shorter way can pass. There are no notes before and after.
    """
    members, offsets, away = destinations
    wave, n = space.back, 0
    notes = Notes(space.newest, np.empty(1024), np.empty((3, 1024), dtype=np.int32))
    for b in range(len(offsets) - 1):
        last = 0.0
        for i in range(len(needed)):
            last = max(last, remaining[i, b] + _walked_at_least(known, needed[i]))
        for v in members[offsets[b] : offsets[b + 1]]:
            wave.costs[v] = 0.0
            offer(wave, v, 0.0)
        _settle_back(network.back, reach, past(last), known, wave)
        n, notes = _leave_notes(wave, b, n, notes)
        clear(wave)
    for i in range(len(needed)):
        left = remaining[i]
        _settle_out(network.edges, reach, limit, known, away, needed[i], wave, notes, left)
        clear(wave)
    for i in range(n):
        space.newest[notes.owners[0, i]] = -1
