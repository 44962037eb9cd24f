"""Searches on CSR arrays, compiled.

All work in arrays as long as the graph that are put back as they were, so that a search costs what
it visits and not the size of the graph: `costs` is inf and `place` UNSEEN where it did not come.
A queue is a 4-ary heap: `heap` and `keys` by position, `place` the position of every vertex in it,
`counts` its size, and how many vertices were touched and listed.

Searches go on a little past their end (`SLACK`), so that ties and rounding decide nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import Array, Tuple, boolean, float64, int32, int64

UNSEEN, SETTLED = -1, -2
SIZE, TOUCHED, LISTED = 0, 1, 2
SLACK = 1e-6
"""How far a search goes past its end, relative to its cost."""


def _read(kind, axes=1):
    """Type of a C-ordered array that may be read-only."""
    return Array(kind, axes, "C", readonly=True)


_CSR = (_read(int32), _read(int32), _read(float64))
_QUEUE = (int32[::1], float64[::1], int32[::1], int32[::1], int64[::1])
_OPTIONS = {"cache": True, "nogil": True}
_BRIEF = {"cache": True}
"""Options of what is over before another thread could take up the interpreter's lock."""


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


@njit(float64(float64), **_OPTIONS)
def _past(key):
    return key * (1.0 + SLACK)


@njit(float64(_read(float64), int32), **_OPTIONS)
def _left_at_least(guide, vertex):
    """What is left from a vertex to any candidate, at least; 0 without a guide."""
    return guide[vertex] if len(guide) > 0 else 0.0


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
        _read(boolean),
        _read(float64),
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
    candidates,
    guide,
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

    A guide is the least cost from every vertex to any candidate: the search then settles in the
    order of what a way through a vertex costs at least, and leaves out what leads to none. Whatever
    is not settled costs more than the horizon, what the guide says of it included. With `bounded`
    the search cannot be continued: ways dearer than the candidates already found are left out.
    """
    best = np.full(wanted if bounded else 1, np.inf)
    owners = np.full(len(best), -1, dtype=np.int32)
    limit = np.inf
    stop = np.inf
    if counts[LISTED] >= wanted:
        return keys[0] if counts[SIZE] > 0 else np.inf
    while counts[SIZE] > 0 and keys[0] <= stop:
        u = _pop(heap, keys, place, touched, counts)
        if candidates[u]:
            listed[counts[LISTED]] = u
            counts[LISTED] += 1
            if counts[LISTED] == wanted:
                stop = _past(costs[u])
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            cost = costs[u] + data[e]
            if cost < costs[v] and place[v] != SETTLED:
                least = cost + _left_at_least(guide, v)
                if least <= limit and least < np.inf:
                    costs[v] = cost
                    _offer(heap, keys, place, touched, counts, v, least)
                    if bounded and candidates[v]:
                        limit = _past(_bound(best, owners, v, cost))
    return min(stop, limit)


@njit(void(_read(int32), _read(float64), _read(float64), float64[::1], *_QUEUE), **_BRIEF)
def start(seeds, seed_costs, guide, costs, heap, keys, place, touched, counts):
    """Queue where a search starts from."""
    for i in range(len(seeds)):
        if seed_costs[i] < costs[seeds[i]]:
            least = seed_costs[i] + _left_at_least(guide, seeds[i])
            if least < np.inf:
                costs[seeds[i]] = seed_costs[i]
                _offer(heap, keys, place, touched, counts, seeds[i], least)


@njit(void(float64[::1], *_QUEUE), **_BRIEF)
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


@njit(boolean(int32, float64, int32[::1], float64[::1], int32[:, ::1], float64[::1]), **_OPTIONS)
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


@njit(float64(_read(float64), _read(float64), float64, int32), **_OPTIONS)
def _walked_at_least(walked, guide, horizon, vertex):
    """What a vertex costs from the factual, at least: exact where the search settled it."""
    return min(walked[vertex], max(horizon - _left_at_least(guide, vertex), 0.0))


@njit(
    void(
        *_CSR,
        float64,
        float64,
        _read(float64),
        _read(float64),
        float64,
        float64[::1],
        *_QUEUE,
    ),
    **_OPTIONS,
)
def _settle_back(
    into,
    origins,
    weights,
    reach,
    last,
    walked,
    guide,
    horizon,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
):
    """Settle what is within reach back from what is queued, and not on too long a way."""
    while counts[SIZE] > 0:
        v = _pop(heap, keys, place, touched, counts)
        for e in range(into[v], into[v + 1]):
            u = origins[e]
            cost = costs[v] + weights[e]
            if (
                cost < costs[u]
                and cost <= reach
                and cost + _walked_at_least(walked, guide, horizon, u) <= last
            ):
                costs[u] = cost
                _offer(heap, keys, place, touched, counts, u, cost)


@njit(
    void(
        *_CSR,
        float64,
        float64,
        _read(float64),
        _read(float64),
        _read(float64),
        int32,
        float64[::1],
        *_QUEUE,
        int32[::1],
        float64[::1],
        int32[:, ::1],
        float64[::1],
    ),
    **_OPTIONS,
)
def _settle_out(
    indptr,
    indices,
    data,
    reach,
    limit,
    walked,
    guide,
    away,
    start,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    newest,
    notes,
    owners,
    left,
):
    """Shorten what is left from one vertex by ways through the notes that destinations left."""
    costs[start] = 0.0
    _offer(heap, keys, place, touched, counts, start, 0.0)
    _read_notes(start, 0.0, newest, notes, owners, left)
    most = left.max()
    stop = min(limit, _past(most - reach))
    ahead = (left - away).max() + SLACK * away.max()
    while counts[SIZE] > 0 and keys[0] <= stop:
        u = _pop(heap, keys, place, touched, counts)
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            cost = costs[u] + data[e]
            if cost < costs[v]:
                if newest[v] >= 0 and _read_notes(v, cost, newest, notes, owners, left):
                    most = left.max()
                    stop = min(limit, _past(most - reach))
                    ahead = (left - away).max() + SLACK * away.max()
                if (
                    cost <= stop
                    and cost - walked[v] <= ahead
                    and cost + _left_at_least(guide, v) <= _past(min(most, reach + limit))
                ):
                    costs[v] = cost
                    _offer(heap, keys, place, touched, counts, v, cost)


@njit(
    void(
        *_CSR,
        *_CSR,
        _read(int32),
        _read(int64),
        _read(float64),
        _read(float64),
        float64,
        _read(float64),
        float64,
        float64,
        _read(int32),
        float64[::1],
        *_QUEUE,
        int32[::1],
        float64[:, ::1],
    ),
    **_OPTIONS,
)
def between(
    indptr,
    indices,
    data,
    into,
    origins,
    weights,
    members,
    offsets,
    walked,
    guide,
    horizon,
    away,
    reach,
    limit,
    needed,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    newest,
    remaining,
):
    """Shorten the costs from every needed vertex to each destination, a set of members.

    Two searches meet: one back from each destination, as far as `reach`, leaves a note at every
    vertex it settles; one from each needed vertex, as far as `limit`, reads them. Two balls of half
    the radius hold far fewer vertices than one. Every way of at most `reach + limit` is found.

    A search from the factual has come as far as its `horizon`: `walked` is what it found, `guide`
    what led it, `away` its cost to each destination. By these, and what is known to remain at most,
    vertices are left out that no shorter way can pass. `newest` is the last note at every vertex,
    -1 for none, before and after.
    """
    n = 0
    notes = np.empty(1024)
    owners = np.empty((3, 1024), dtype=np.int32)  # vertex, destination, the note before
    for b in range(len(offsets) - 1):
        last = 0.0
        for i in range(len(needed)):
            last = max(last, remaining[i, b] + _walked_at_least(walked, guide, horizon, needed[i]))
        for v in members[offsets[b] : offsets[b + 1]]:
            costs[v] = 0.0
            _offer(heap, keys, place, touched, counts, v, 0.0)
        _settle_back(
            into,
            origins,
            weights,
            reach,
            _past(last),
            walked,
            guide,
            horizon,
            costs,
            heap,
            keys,
            place,
            touched,
            counts,
        )
        while n + counts[TOUCHED] > len(notes):
            notes = np.append(notes, notes)
            owners = np.concatenate((owners, owners), axis=1)
        for i in range(counts[TOUCHED]):
            v = touched[i]
            notes[n] = costs[v]
            owners[0, n], owners[1, n], owners[2, n] = v, b, newest[v]
            newest[v] = n
            n += 1
        clear(costs, heap, keys, place, touched, counts)
    for i in range(len(needed)):
        _settle_out(
            indptr,
            indices,
            data,
            reach,
            limit,
            walked,
            guide,
            away,
            needed[i],
            costs,
            heap,
            keys,
            place,
            touched,
            counts,
            newest,
            notes,
            owners,
            remaining[i],
        )
        clear(costs, heap, keys, place, touched, counts)
    for i in range(n):
        newest[owners[0, i]] = -1


@njit(void(float64[:, ::1], int64, float64, int64), **_OPTIONS)
def _lower(left, row, cost, by):
    """Every destination is at most `cost` farther from a row than from the row `by`."""
    for b in range(left.shape[1]):
        left[row, b] = min(left[row, b], cost + left[by, b])


@njit(Tuple((int32[::1], int64[::1]))(_read(int32), _read(int64), int64[::1]), **_OPTIONS)
def _chosen(members, offsets, columns):
    """The members of some destinations, and where those of each start and end."""
    bounds = np.zeros(len(columns) + 1, dtype=np.int64)
    sets = np.empty(len(members), dtype=np.int32)
    for j in range(len(columns)):
        own = members[offsets[columns[j]] : offsets[columns[j] + 1]]
        bounds[j + 1] = bounds[j] + len(own)
        sets[bounds[j] : bounds[j + 1]] = own
    return sets[: bounds[-1]], bounds


@njit(
    void(
        *_CSR,
        *_CSR,
        _read(int32),
        _read(int64),
        _read(float64),
        _read(float64),
        float64,
        _read(float64),
        float64,
        float64,
        float64,
        _read(int32),
        _read(int64),
        _read(int64),
        _read(float64),
        _read(int64),
        float64[::1],
        *_QUEUE,
        int32[::1],
        float64[:, ::1],
    ),
    **_OPTIONS,
)
def close_in(
    indptr,
    indices,
    data,
    into,
    origins,
    weights,
    members,
    offsets,
    walked,
    guide,
    horizon,
    away,
    reach,
    farther_back,
    farther_out,
    vertices,
    rows,
    by,
    at_most,
    ends,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    newest,
    left,
):
    """Lower `left`, from vertices to destinations, to the least costs there are.

    In rounds of `between` that go farther and farther, until nothing shorter can turn up. From
    row `rows[i]` every destination is `at_most[i]` farther than from row `by[i]`; destination b has
    a member in row `ends[b]`, where there are any rows of ends.
    """
    found, limit = 0.0, reach
    while True:
        for i in range(len(rows)):
            _lower(left, rows[i], at_most[i], by[i])
        for b in range(len(ends)):
            for i in range(len(vertices)):
                _lower(left, i, left[i, b], ends[b])
        unsure = left > found  # ways no longer than `found` are all known
        open_rows = np.array([i for i in range(unsure.shape[0]) if unsure[i].any()])
        if len(open_rows) == 0:
            return
        columns = np.array([b for b in range(unsure.shape[1]) if unsure[:, b].any()])
        sets, bounds = _chosen(members, offsets, columns)
        known = np.empty((len(open_rows), len(columns)))
        for i in range(len(open_rows)):
            for j in range(len(columns)):
                known[i, j] = left[open_rows[i], columns[j]]
        if reach >= away.max():
            limit = np.inf
        limit = min(limit, _past(max(known.max() - reach, 0.0)))
        between(
            indptr,
            indices,
            data,
            into,
            origins,
            weights,
            sets,
            bounds,
            walked,
            guide,
            horizon,
            away[columns],
            reach,
            limit,
            vertices[open_rows],
            costs,
            heap,
            keys,
            place,
            touched,
            counts,
            newest,
            known,
        )
        for i in range(len(open_rows)):
            for j in range(len(columns)):
                left[open_rows[i], columns[j]] = known[i, j]
        found = reach + limit
        reach *= farther_back
        limit *= farther_out


@njit(Tuple((int64[::1], int64[::1]))(int32[::1], int32[::1], int64), **_OPTIONS)
def _past_starts(lengths, along, n_left_out):
    """Places in `along` without the first few of each route, and where those of each begin."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    places = np.empty(len(along) - n_left_out * len(lengths), dtype=np.int64)
    first = 0
    for b in range(len(lengths)):
        bounds[b + 1] = bounds[b] + lengths[b] - n_left_out
        for i in range(bounds[b + 1] - bounds[b]):
            places[bounds[b] + i] = first + n_left_out + i
        first += lengths[b]
    return places, bounds


@njit(
    Tuple((int64[::1], int64[::1], float64[::1], float64[:, ::1]))(
        *_CSR,
        *_CSR,
        _read(float64),
        _read(float64),
        float64,
        _read(int32),
        _read(float64),
        int32,
        _read(int32),
        float64,
        float64,
        float64,
        int32[::1],
        float64[::1],
        *_QUEUE,
        int32[::1],
    ),
    **_OPTIONS,
)
def ways(
    indptr,
    indices,
    data,
    into,
    origins,
    weights,
    walked,
    guide,
    horizon,
    seeds,
    seed_costs,
    source,
    ends,
    tolerance,
    farther_back,
    farther_out,
    levels,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    newest,
):
    """Routes of `trace`, from where the search began, and what is left to every end on them.

    `source` is a vertex attached to the seeds, -1 where the only seed is where the search began.
    Returns how many vertices each route has, all of them one after the other, what the step to each
    costs (0 at the start of a route), and the least cost from there to every end.
    """
    attached = 1 if source >= 0 else 0
    if len(ends) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, np.empty(0), np.empty((0, 0))
    lengths, along, steps = trace(
        indptr,
        indices,
        data,
        into,
        origins,
        weights,
        walked,
        seeds,
        seed_costs,
        attached,
        ends,
        tolerance,
        levels,
    )
    inner, bounds = _past_starts(lengths, along, 1 - attached)
    vertices = np.unique(along[inner])
    rows = np.searchsorted(vertices, along[inner])
    end_rows = np.searchsorted(vertices, ends)
    left = np.full((len(vertices), len(ends)), np.inf)
    by = np.empty(len(rows), dtype=np.int64)
    at_most = np.empty(len(rows))
    away = np.empty(len(ends))
    for b in range(len(ends)):
        left[end_rows[b], b] = 0.0
        away[b] = walked[ends[b]]
        ahead = 0.0
        for i in range(bounds[b + 1] - 1, bounds[b] - 1, -1):
            by[i], at_most[i] = end_rows[b], ahead
            ahead += steps[inner[i]]
    close_in(
        indptr,
        indices,
        data,
        into,
        origins,
        weights,
        ends,
        np.arange(len(ends) + 1),
        walked,
        guide,
        horizon,
        away,
        steps.max(),
        farther_back,
        farther_out,
        vertices,
        rows,
        by,
        at_most,
        end_rows,
        costs,
        heap,
        keys,
        place,
        touched,
        counts,
        newest,
        left,
    )
    start = seeds[0] if source < 0 else source
    n = len(rows) + len(ends)
    told, told_steps, told_left = np.empty(n, np.int64), np.zeros(n), np.empty((n, len(ends)))
    for b in range(len(ends)):
        at = bounds[b] + b
        told[at], told_left[at] = start, away
        for i in range(bounds[b], bounds[b + 1]):
            at = i + b + 1
            told[at], told_steps[at] = along[inner[i]], steps[inner[i]]
            told_left[at] = left[rows[i]]
    return bounds[1:] - bounds[:-1] + 1, told, told_steps, told_left


@njit(int32[::1](int32[::1], _read(float64), int64, float64), **_OPTIONS)
def _cheapest(vertices, costs, wanted, tolerance):
    """The wanted vertices that cost least; where costs are the same, smaller numbers first."""
    ordered = vertices[np.argsort(costs[vertices], kind="mergesort")]
    first = 0
    for i in range(1, len(ordered) + 1):
        past = i == len(ordered)
        if past or costs[ordered[i]] > costs[ordered[i - 1]] * (1.0 + tolerance):
            ordered[first:i] = np.sort(ordered[first:i])
            first = i
    return ordered[:wanted]


@njit(
    Tuple((int64[::1], int64[::1], float64[::1], float64[:, ::1]))(
        *_CSR,
        *_CSR,
        _read(boolean),
        _read(float64),
        int64,
        _read(int32),
        _read(float64),
        int32,
        float64,
        float64,
        float64,
        float64[::1],
        *_QUEUE,
        int32[::1],
        int32[::1],
        float64[::1],
        *_QUEUE,
        int32[::1],
    ),
    **_OPTIONS,
)
def nearest_ways(
    indptr,
    indices,
    data,
    into,
    origins,
    weights,
    candidates,
    guide,
    wanted,
    seeds,
    seed_costs,
    source,
    tolerance,
    farther_back,
    farther_out,
    walked,
    out_heap,
    out_keys,
    out_place,
    out_touched,
    out_counts,
    listed,
    levels,
    costs,
    heap,
    keys,
    place,
    touched,
    counts,
    newest,
):
    """The `ways` to the nearest candidates, of a search that was started: all in one call."""
    begins_there = source < 0 and candidates[seeds[0]]
    horizon = spread(
        indptr,
        indices,
        data,
        candidates,
        guide,
        wanted + begins_there,
        True,
        walked,
        out_heap,
        out_keys,
        out_place,
        out_touched,
        out_counts,
        listed,
    )
    found = listed[: out_counts[LISTED]].copy()
    if begins_there:
        found = found[found != seeds[0]]
    return ways(
        indptr,
        indices,
        data,
        into,
        origins,
        weights,
        walked,
        guide,
        horizon,
        seeds,
        seed_costs,
        source,
        _cheapest(found, walked, wanted, tolerance),
        tolerance,
        farther_back,
        farther_out,
        levels,
        costs,
        heap,
        keys,
        place,
        touched,
        counts,
        newest,
    )
