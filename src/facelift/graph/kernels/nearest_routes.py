"""Routes to the nearest candidates and what remains on them, in one compiled call.

What remains is found by searches from both ends that meet half way. Loops stand where NumPy has
words: to compile its sorting, picking and stretching takes longer than all that is here.
"""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import Tuple, boolean, float64, int32, int64

from facelift.graph.kernels import (
    LISTED,
    SIZE,
    SLACK,
    TOUCHED,
    Bounds,
    Destinations,
    Drafts,
    Known,
    Notes,
)
from facelift.graph.kernels.outward import (
    NETWORK,
    OPTIONS,
    ORIGIN,
    REACH,
    SPACE,
    clear,
    left_at_least,
    offer,
    past,
    pop,
    readable,
    record,
    spread,
    trace,
)

SHORTEST = 0.01
"""What the first round reaches at least, as a share of the way to the farthest destination."""

FARTHER_BACK, FARTHER_OUT = 1.3, 2.0
"""How much farther each round of searches between journeys goes than the one before: back from the
destinations, which nothing leads, and out from the waypoints, where a guide leaves most out."""

_DESTINATIONS = record(Destinations, int32[::1], int64[::1], float64[::1])
_ROUTES = Tuple((int64[::1], int64[::1], float64[::1], float64[:, ::1]))


@njit
def _largest(values):
    """The largest of some numbers; -inf of none."""
    largest = -np.inf
    for value in values:
        largest = max(largest, value)
    return largest


@njit
def _picked(values, places):
    """Some of the values."""
    found = np.empty(len(places), dtype=values.dtype)
    for i in range(len(places)):
        found[i] = values[places[i]]
    return found


@njit
def _twice(values):
    """The same with as much room again."""
    found = np.empty(2 * len(values), dtype=values.dtype)
    for i in range(len(values)):
        found[i] = values[i]
    return found


@njit
def _sort(vertices, keys, first, last):
    """Put vertices and their keys in the order of the keys, from one place up to another."""
    gap = 1
    while 3 * gap < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last):
            vertex, key, j = vertices[i], keys[i], i
            while j >= first + gap and keys[j - gap] > key:
                vertices[j], keys[j] = vertices[j - gap], keys[j - gap]
                j -= gap
            vertices[j], keys[j] = vertex, key
        gap //= 3


@njit
def _read_notes(vertex, cost, notes, left):
    """Shorten what is left by the notes at a vertex; whether any of them did."""
    shorter, place = False, notes.place[vertex]
    if place >= 0:
        for note in range(notes.firsts[place], notes.firsts[place + 1]):
            b = notes.destinations[note]
            if cost + notes.costs[note] < left[b]:
                left[b] = cost + notes.costs[note]
                shorter = True
    return shorter


@njit
def _walked_at_least(known, vertex):
    """What a vertex costs from the factual, at least: exact where the search settled it."""
    unsettled = max(known.horizon - left_at_least(known.guide, vertex), 0.0)
    return min(known.walked[vertex], unsettled)


@njit
def _settle_back(back, reach, last, known, wave):
    """Settle what is within reach back from what is queued, and not on too long a way.

    Returns whether there is more beyond reach.
    """
    costs, more = wave.costs, False
    while wave.counts[SIZE] > 0:
        v = pop(wave)
        for e in range(back.indptr[v], back.indptr[v + 1]):
            u = back.indices[e]
            cost = costs[v] + back.data[e]
            if cost >= costs[u] or (more and cost > reach):
                continue
            if cost + _walked_at_least(known, u) <= last:
                if cost <= reach:
                    costs[u] = cost
                    offer(wave, u, cost)
                else:
                    more = True
    return more


@njit
def _settle_out(edges, reach, limit, known, away, start, wave, notes, left):
    """Shorten what is left from one vertex by ways through the notes that destinations left.

    Returns whether there is more beyond the limit.
    """
    costs = wave.costs
    costs[start] = 0.0
    offer(wave, start, 0.0)
    _read_notes(start, 0.0, notes, left)
    most = ahead = stop = np.inf
    shorter, more = True, False
    while wave.counts[SIZE] > 0:
        if shorter:
            most, ahead = _largest(left), -np.inf
            for b in range(len(left)):
                ahead = max(ahead, left[b] - away[b])
            ahead += SLACK * _largest(away)
            stop = past(most - reach)
            shorter = False
        if wave.keys[0] > stop:
            break
        u = pop(wave)
        for e in range(edges.indptr[u], edges.indptr[u + 1]):
            v = edges.indices[e]
            cost = costs[u] + edges.data[e]
            if cost < costs[v]:
                shorter |= _read_notes(v, cost, notes, left)
                if cost > stop or (more and cost > limit) or cost - known.walked[v] > ahead:
                    continue
                least = cost + left_at_least(known.guide, v)
                if least <= past(most) and least < np.inf:
                    if cost <= limit and least <= past(reach + limit):
                        costs[v] = cost
                        offer(wave, v, cost)
                    else:
                        more = True
    return more


@njit
def _no_drafts():
    """Room for some notes."""
    vertices, sizes = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    return Drafts(vertices, sizes, np.empty(1024, dtype=np.int32), np.empty(1024), (0, 0))


@njit
def _leave_notes(wave, drafts, place):
    """A note at every vertex that a search from a destination touched."""
    vertices, sizes, places, costs, counts = drafts
    n_places, n = counts
    while n + wave.counts[TOUCHED] > len(costs):
        vertices, sizes = _twice(vertices), _twice(sizes)
        places, costs = _twice(places), _twice(costs)
    for i in range(wave.counts[TOUCHED]):
        v = wave.touched[i]
        if place[v] < 0:
            place[v] = n_places
            vertices[n_places], sizes[n_places] = v, 0
            n_places += 1
        sizes[place[v]] += 1
        places[n], costs[n] = place[v], wave.costs[v]
        n += 1
    return Drafts(vertices, sizes, places, costs, (n_places, n))


@njit
def _by_place(drafts, bounds, place):
    """The notes of one destination after the other, put in the order of their places."""
    n_places, n = drafts.counts
    firsts, filled = np.empty(n_places + 1, np.int64), np.empty(n_places + 1, np.int64)
    firsts[0] = filled[0] = 0
    for i in range(n_places):
        firsts[i + 1] = filled[i + 1] = firsts[i] + drafts.sizes[i]
    costs, destinations = np.empty(n), np.empty(n, dtype=np.int32)
    for b in range(len(bounds) - 1):
        for note in range(bounds[b], bounds[b + 1]):
            at = filled[drafts.places[note]]
            costs[at], destinations[at] = drafts.costs[note], b
            filled[drafts.places[note]] += 1
    return Notes(place, firsts, destinations, costs)


@njit
def _search_both_ends(network, destinations, known, reach, limit, needed, space, remaining):
    """Shorten the costs from every needed vertex to each destination.

    Two searches meet: one back from each destination, as far as `reach`, leaves a note at every
    vertex it settles; one from each needed vertex, as far as `limit`, reads them. Two balls of half
    the radius hold far fewer vertices than one. Every way of at most `reach + limit` is found.

    By what a search from the factual found (`known`), and by what is known to remain at most,
    vertices are left out that no shorter way can pass. There are no notes before and after.
    Returns up to which cost all ways are known: any, if there is nothing beyond.
    """
    members, offsets, away = destinations
    wave, more_back, more_out = space.back, False, False
    bounds = np.empty(len(offsets), dtype=np.int64)
    bounds[0] = 0
    drafts = _no_drafts()
    for b in range(len(offsets) - 1):
        last = 0.0
        for i in range(len(needed)):
            last = max(last, remaining[i, b] + _walked_at_least(known, needed[i]))
        for i in range(offsets[b], offsets[b + 1]):
            wave.costs[members[i]] = 0.0
            offer(wave, members[i], 0.0)
        more_back |= _settle_back(network.back, reach, past(last), known, wave)
        drafts = _leave_notes(wave, drafts, space.noted)
        bounds[b + 1] = drafts.counts[1]
        clear(wave)
    notes = _by_place(drafts, bounds, space.noted)
    for i in range(len(needed)):
        left, start = remaining[i], needed[i]
        more_out |= _settle_out(network.edges, reach, limit, known, away, start, wave, notes, left)
        clear(wave)
    for i in range(drafts.counts[0]):
        space.noted[drafts.vertices[i]] = -1
    return reach + limit if more_back and more_out else np.inf


@njit
def _lower(left, row, cost, by):
    """Every destination is at most `cost` farther from a row than from the row `by`."""
    for b in range(left.shape[1]):
        left[row, b] = min(left[row, b], cost + left[by, b])


@njit
def _lower_by(bounds, left):
    """Lower remaining costs by what is known of them, and by the way past each other's ends."""
    for i in range(len(bounds.rows)):
        _lower(left, bounds.rows[i], bounds.costs[i], bounds.by[i])
    for b in range(len(bounds.ends)):
        for i in range(left.shape[0]):
            _lower(left, i, left[i, b], bounds.ends[b])


@njit
def _chosen(destinations, columns):
    """Some of the destinations."""
    members, offsets, away = destinations
    bounds = np.empty(len(columns) + 1, dtype=np.int64)
    bounds[0] = 0
    chosen = np.empty(len(members), dtype=np.int32)
    for j in range(len(columns)):
        n = bounds[j]
        for i in range(offsets[columns[j]], offsets[columns[j] + 1]):
            chosen[n] = members[i]
            n += 1
        bounds[j + 1] = n
    return Destinations(chosen, bounds, _picked(away, columns))


@njit
def _leads(reach, start, end):
    """Whether there may be a way from one vertex to another; if not, there is none."""
    here, there = reach.component[start], reach.component[end]
    if here < there:
        return False
    for word in range(reach.bits.shape[1]):
        if reach.bits[there, word] & ~reach.bits[here, word]:
            return False
    return True


@njit
def _hopeless(reach, vertices, destinations):
    """Which vertices lead to no member of which destinations, as far as can be told at once."""
    members, offsets, _ = destinations
    found = np.empty((len(vertices), len(offsets) - 1), dtype=np.bool_)
    for i in range(len(vertices)):
        for b in range(len(offsets) - 1):
            found[i, b] = True
            for j in range(offsets[b], offsets[b + 1]):
                if _leads(reach, vertices[i], members[j]):
                    found[i, b] = False
                    break
    return found


@njit
def _unsettled(settled):
    """Rows and columns of which some are not settled."""
    rows, columns = np.empty(settled.shape[0], np.int64), np.empty(settled.shape[1], np.int64)
    n_rows = n_columns = 0
    for i in range(settled.shape[0]):
        for b in range(settled.shape[1]):
            if not settled[i, b]:
                rows[n_rows] = i
                n_rows += 1
                break
    for b in range(settled.shape[1]):
        for i in range(settled.shape[0]):
            if not settled[i, b]:
                columns[n_columns] = b
                n_columns += 1
                break
    return rows[:n_rows], columns[:n_columns]


@njit
def _lower_remaining(network, reach, destinations, known, step, vertices, bounds, space, left):
    """Lower `left`, from vertices to destinations, to the least costs there are.

    In rounds of searches from both ends that go farther and farther, until nothing shorter can turn
    up; the first goes as far as a `step`.
    """
    farthest = _largest(destinations.away)
    back = out = max(step, SHORTEST * farthest)  # free steps say nothing about how far to go
    settled = _hopeless(reach, vertices, destinations)
    while True:
        _lower_by(bounds, left)
        rows, columns = _unsettled(settled)
        if len(rows) == 0:
            return
        open_left, most = np.empty((len(rows), len(columns))), -np.inf
        for i in range(len(rows)):
            for j in range(len(columns)):
                at = rows[i], columns[j]
                open_left[i, j] = -np.inf if settled[at] else left[at]  # nothing to be found there
                most = max(most, open_left[i, j])
        if back >= farthest:
            out = np.inf
        out = min(out, past(max(most - back, 0.0)))
        chosen, needed = _chosen(destinations, columns), _picked(vertices, rows)
        found = _search_both_ends(network, chosen, known, back, out, needed, space, open_left)
        for i in range(len(rows)):
            for j in range(len(columns)):
                at = rows[i], columns[j]
                if not settled[at]:
                    left[at] = open_left[i, j]
                    settled[at] = left[at] <= found
        back *= FARTHER_BACK
        out *= FARTHER_OUT


@njit(
    void(
        NETWORK,
        REACH,
        _DESTINATIONS,
        readable(float64),
        float64,
        float64,
        int32[::1],
        SPACE,
        float64[:, ::1],
    ),
    **OPTIONS,
)
def nearby(network, reach, destinations, guide, horizon, step, vertices, space, left):
    """Lower `left`, from vertices of no route in particular, to the least costs there are."""
    none = np.empty(0, dtype=np.int64)
    known, nothing = Known(space.out.costs, guide, horizon), Bounds(none, none, np.empty(0), none)
    _lower_remaining(network, reach, destinations, known, step, vertices, nothing, space, left)


@njit
def _cheapest(vertices, costs, wanted, tolerance):
    """The wanted vertices that cost least; where costs are the same, smaller numbers first.

    The vertices themselves are put in that order. The rule of `routes.cheapest_apart`, which small
    graphs go by.
    """
    keys = _picked(costs, vertices)
    _sort(vertices, keys, 0, len(vertices))
    first = 0
    for i in range(1, len(vertices) + 1):
        at_end = i == len(vertices)
        if at_end or costs[vertices[i]] > costs[vertices[i - 1]] * (1.0 + tolerance):
            for j in range(first, i):
                keys[j] = vertices[j]
            _sort(vertices, keys, first, i)
            first = i
    return vertices[:wanted]


@njit
def _past_starts(lengths, along, n_left_out):
    """Places in `along` without the first few of each route, and where those of each begin."""
    firsts = np.empty(len(lengths) + 1, dtype=np.int64)
    firsts[0] = 0
    places = np.empty(len(along) - n_left_out * len(lengths), dtype=np.int64)
    first = 0
    for b in range(len(lengths)):
        firsts[b + 1] = firsts[b] + lengths[b] - n_left_out
        for i in range(firsts[b + 1] - firsts[b]):
            places[firsts[b] + i] = first + n_left_out + i
        first += lengths[b]
    return places, firsts


@njit
def _numbered(along, ends, place):
    """The different vertices of routes as they come, and which of them each is, and each end.

    `place` is -1 everywhere, before and after.
    """
    vertices, n = np.empty(len(along), dtype=np.int32), 0
    rows, end_rows = np.empty(len(along), np.int64), np.empty(len(ends), np.int64)
    for i in range(len(along)):
        if place[along[i]] < 0:
            place[along[i]] = n
            vertices[n] = along[i]
            n += 1
        rows[i] = place[along[i]]
    for b in range(len(ends)):
        end_rows[b] = place[ends[b]]
    for i in range(n):
        place[vertices[i]] = -1
    return vertices[:n], rows, end_rows


@njit
def _bounds_on_routes(rows, firsts, steps, end_rows):
    """From a waypoint every destination is at most as much farther as the end of its own route."""
    by, costs = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    for b in range(len(end_rows)):
        ahead = 0.0
        for i in range(firsts[b + 1] - 1, firsts[b] - 1, -1):
            by[i], costs[i] = end_rows[b], ahead
            ahead += steps[i]
    return Bounds(rows, by, costs, end_rows)


@njit
def _with_starts(origin, firsts, along, steps, left, rows, away):
    """What `routes` returns: the waypoints of each route after its start."""
    n_ends, n = len(away), len(along) + len(away)
    start = origin.vertices[0] if origin.attached < 0 else origin.attached
    vertices, costs, remaining = np.empty(n, np.int64), np.empty(n), np.empty((n, n_ends))
    lengths = np.empty(n_ends, np.int64)
    for b in range(n_ends):
        lengths[b] = firsts[b + 1] - firsts[b] + 1
        at = firsts[b] + b
        vertices[at], costs[at] = start, 0.0
        for c in range(n_ends):
            remaining[at, c] = away[c]
        for i in range(firsts[b], firsts[b + 1]):
            at = i + b + 1
            vertices[at], costs[at] = along[i], steps[i]
            for c in range(n_ends):
                remaining[at, c] = left[rows[i], c]
    return lengths, vertices, costs, remaining


@njit(
    _ROUTES(
        NETWORK,
        REACH,
        readable(boolean),
        readable(float64),
        float64,
        int64,
        ORIGIN,
        int32[::1],
        float64,
        SPACE,
    ),
    **OPTIONS,
)
def routes(network, reach, candidates, guide, horizon, wanted, origin, ends, tolerance, space):
    """Routes of `trace`, from where the search began, and what is left to every end on them.

    Where any are `wanted`, the ends are the nearest candidates, of a search that was started and
    goes on here; else those given, up to whose costs it has come (`horizon`).

    Returns how many vertices each route has, all of them one after the other, what the step to each
    costs (0 at the start of a route), and the least cost from there to every end.
    """
    if wanted > 0:
        begins_there = origin.attached < 0 and candidates[origin.vertices[0]]
        n_listed = wanted + begins_there
        horizon = spread(network.edges, candidates, guide, n_listed, True, space.out, space.listed)
        ends, n = np.empty(space.out.counts[LISTED], dtype=np.int32), 0
        for i in range(len(ends)):
            if not begins_there or space.listed[i] != origin.vertices[0]:
                ends[n] = space.listed[i]
                n += 1
        ends = ends[:n]
    else:
        wanted = len(ends)
    known = Known(space.out.costs, guide, horizon)
    ends = _cheapest(ends, known.walked, wanted, tolerance)
    ends = _cheapest(ends, known.walked, wanted, tolerance)  # a chain of ties may end with the last
    if len(ends) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, np.empty(0), np.empty((0, 0))
    lengths, along, steps = trace(network, known.walked, origin, ends, tolerance, space.levels)
    inner, firsts = _past_starts(lengths, along, 1 if origin.attached < 0 else 0)
    dearest_step, along, steps = _largest(steps), _picked(along, inner), _picked(steps, inner)
    vertices, rows, end_rows = _numbered(along, ends, space.noted)
    left = np.empty((len(vertices), len(ends)))
    for i in range(len(vertices)):
        for b in range(len(ends)):
            left[i, b] = 0.0 if end_rows[b] == i else np.inf
    away, own = _picked(known.walked, ends), np.empty(len(ends) + 1, dtype=np.int64)
    for b in range(len(own)):
        own[b] = b
    bounds = _bounds_on_routes(rows, firsts, steps, end_rows)
    _lower_remaining(
        network,
        reach,
        Destinations(ends, own, away),
        known,
        dearest_step,
        vertices,
        bounds,
        space,
        left,
    )
    return _with_starts(origin, firsts, along, steps, left, rows, away)
