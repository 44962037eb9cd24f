"""A person's journeys and what is left between them, in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit, void
from numba.types import NamedTuple, Tuple, boolean, float64, int32, int64

from facelift.graph.kernels.between import KNOWN, between
from facelift.graph.kernels.queue import CSR, OPTIONS, WAVE, readable
from facelift.graph.kernels.searches import past, spread, trace
from facelift.graph.kernels.workspace import LISTED, Known, Space

SHORTEST = 0.01
"""What the first round reaches at least, as a share of the way to the farthest destination."""

FARTHER_BACK, FARTHER_OUT = 1.3, 2.0
"""How much farther each round of searches between journeys goes than the one before: back from the
destinations, which nothing leads, and out from the waypoints, where a guide leaves most out."""

_SPACE = NamedTuple((WAVE, WAVE, int32[::1], int32[::1], int32[::1]), Space)


@njit(void(float64[:, ::1], int64, float64, int64), **OPTIONS)
def _lower(left, row, cost, by):
    """Every destination is at most `cost` farther from a row than from the row `by`."""
    for b in range(left.shape[1]):
        left[row, b] = min(left[row, b], cost + left[by, b])


@njit(Tuple((int32[::1], int64[::1]))(readable(int32), readable(int64), int64[::1]), **OPTIONS)
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
        CSR,
        CSR,
        readable(int32),
        readable(int64),
        KNOWN,
        readable(float64),
        float64,
        readable(int32),
        readable(int64),
        readable(int64),
        readable(float64),
        readable(int64),
        WAVE,
        int32[::1],
        float64[:, ::1],
    ),
    **OPTIONS,
)
def close_in(
    edges,
    back,
    members,
    offsets,
    known,
    away,
    reach,
    vertices,
    rows,
    by,
    at_most,
    ends,
    wave,
    newest,
    left,
):
    """Lower `left`, from vertices to destinations, to the least costs there are.

    In rounds of `between` that go farther and farther, until nothing shorter can turn up. From
    row `rows[i]` every destination is `at_most[i]` farther than from row `by[i]`; destination b has
    a member in row `ends[b]`, where there are any rows of ends.
    """
    reach = max(reach, SHORTEST * away.max())  # free steps say nothing about how far to go
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
        open_left = np.empty((len(open_rows), len(columns)))
        for i in range(len(open_rows)):
            for j in range(len(columns)):
                open_left[i, j] = left[open_rows[i], columns[j]]
        if reach >= away.max():
            limit = np.inf
        limit = min(limit, past(max(open_left.max() - reach, 0.0)))
        between(
            edges,
            back,
            sets,
            bounds,
            known,
            away[columns],
            reach,
            limit,
            vertices[open_rows],
            wave,
            newest,
            open_left,
        )
        for i in range(len(open_rows)):
            for j in range(len(columns)):
                left[open_rows[i], columns[j]] = open_left[i, j]
        found = reach + limit
        reach *= FARTHER_BACK
        limit *= FARTHER_OUT


@njit(
    void(
        CSR,
        CSR,
        readable(int32),
        readable(int64),
        readable(float64),
        float64,
        readable(float64),
        float64,
        readable(int32),
        _SPACE,
        float64[:, ::1],
    ),
    **OPTIONS,
)
def nearby(
    edges,
    back,
    members,
    offsets,
    guide,
    horizon,
    away,
    reach,
    vertices,
    space,
    left,
):
    """Lower `left`, from vertices of no route in particular, to the least costs there are."""
    none = np.empty(0, dtype=np.int64)
    close_in(
        edges,
        back,
        members,
        offsets,
        Known(space.out.costs, guide, horizon),
        away,
        reach,
        vertices,
        none,
        none,
        np.empty(0),
        none,
        space.back,
        space.newest,
        left,
    )


@njit(int32[::1](int32[::1], readable(float64), int64, float64), **OPTIONS)
def _cheapest(vertices, costs, wanted, tolerance):
    """The wanted vertices that cost least; where costs are the same, smaller numbers first.

    The rule of `destinations.cheapest_apart`, which small graphs go by.
    """
    ordered = vertices[np.argsort(costs[vertices], kind="mergesort")]
    first = 0
    for i in range(1, len(ordered) + 1):
        at_end = i == len(ordered)
        if at_end or costs[ordered[i]] > costs[ordered[i - 1]] * (1.0 + tolerance):
            ordered[first:i] = np.sort(ordered[first:i])
            first = i
    return ordered[:wanted]


@njit(Tuple((int64[::1], int64[::1]))(int32[::1], int32[::1], int64), **OPTIONS)
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
        CSR,
        CSR,
        readable(float64),
        float64,
        readable(int32),
        readable(float64),
        int32,
        readable(int32),
        float64,
        _SPACE,
    ),
    **OPTIONS,
)
def ways(
    edges,
    back,
    guide,
    horizon,
    seeds,
    seed_costs,
    source,
    ends,
    tolerance,
    space,
):
    """Routes of `trace`, from where the search began, and what is left to every end on them.

    `source` is a vertex attached to the seeds, -1 where the only seed is where the search began.
    Returns how many vertices each route has, all of them one after the other, what the step to each
    costs (0 at the start of a route), and the least cost from there to every end.
    """
    attached = 1 if source >= 0 else 0
    known = Known(space.out.costs, guide, horizon)
    if len(ends) == 0:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, np.empty(0), np.empty((0, 0))
    ends = _cheapest(ends.copy(), known.walked, len(ends), tolerance)
    lengths, along, steps = trace(
        edges, back, known.walked, seeds, seed_costs, attached, ends, tolerance, space.levels
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
        away[b] = known.walked[ends[b]]
        ahead = 0.0
        for i in range(bounds[b + 1] - 1, bounds[b] - 1, -1):
            by[i], at_most[i] = end_rows[b], ahead
            ahead += steps[inner[i]]
    close_in(
        edges,
        back,
        ends,
        np.arange(len(ends) + 1),
        known,
        away,
        steps.max(),
        vertices,
        rows,
        by,
        at_most,
        end_rows,
        space.back,
        space.newest,
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


@njit(
    Tuple((int64[::1], int64[::1], float64[::1], float64[:, ::1]))(
        CSR,
        CSR,
        readable(boolean),
        readable(float64),
        int64,
        readable(int32),
        readable(float64),
        int32,
        float64,
        _SPACE,
    ),
    **OPTIONS,
)
def nearest_ways(
    edges,
    back,
    candidates,
    guide,
    wanted,
    seeds,
    seed_costs,
    source,
    tolerance,
    space,
):
    """The `ways` to the nearest candidates, of a search that was started: all in one call."""
    begins_there = source < 0 and candidates[seeds[0]]
    n_listed = wanted + begins_there
    horizon = spread(edges, candidates, guide, n_listed, True, space.out, space.listed)
    found = space.listed[: space.out.counts[LISTED]].copy()
    if begins_there:
        found = found[found != seeds[0]]
    ends = _cheapest(found, space.out.costs, wanted, tolerance)
    return ways(
        edges,
        back,
        guide,
        horizon,
        seeds,
        seed_costs,
        source,
        ends,
        tolerance,
        space,
    )
