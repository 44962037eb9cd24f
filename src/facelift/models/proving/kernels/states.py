"""Scores of single states, and cheap successes near one."""

from __future__ import annotations

import numpy as np

from facelift.models.proving.kernels.compiler import OPTIONS, njit


@njit(**OPTIONS)
def score(roots, ladder_of, left, right, value, goes, fixed, state):
    """The sum of the leaves that a state falls into; `state` is the cell of each ladder."""
    total = 0.0
    for t in range(len(roots)):
        node = roots[t]
        while ladder_of[node] != -1:
            i = ladder_of[node]
            goes_left = fixed[node] if i == -2 else goes[node, state[i]]
            node = left[node] if goes_left else right[node]
        total += value[node]
    return total


@njit(**OPTIONS)
def add_leaves(roots, columns, thresholds, left, right, values, missing_left, rows, totals):
    """Add to the totals of rows the leaves that they fall into, tree by tree; leaves ask nothing.

    A value goes left where it is at most the threshold, or missing and `missing_left`.
    """
    for root in roots:
        for r in range(len(rows)):
            node = root
            while columns[node] >= 0:
                value = rows[r, columns[node]]
                goes_left = missing_left[node] if np.isnan(value) else value <= thresholds[node]
                node = left[node] if goes_left else right[node]
            totals[r] += values[node]


@njit(**OPTIONS)
def _total(trees, unary, base, first, state):
    """The whole score of a state."""
    total = base + score(*trees, state)
    for i in range(len(first) - 1):
        total += unary[first[i] + state[i]]
    return total


@njit(**OPTIONS)
def _ascend(trees, unary, base, costs, first, least, state, held):
    """Change one ladder after the other, by the best gain per cost, until the score is `least`.

    `state` is changed in place; `held` ladders stay. Returns its cost, inf where the score cannot
    be raised so far, and the number of states tried.
    """
    n = len(first) - 1
    now = _total(trees, unary, base, first, state)
    cost, tried = 0.0, 1
    for i in range(n):
        cost += costs[first[i] + state[i]]
    while now < least:
        best_rate, ladder, cell, best_score, best_cost = 0.0, -1, -1, 0.0, 0.0
        done = False
        for i in range(n):
            if held[i]:
                continue
            own = state[i]
            for c in range(first[i + 1] - first[i]):
                if c == own:
                    continue
                extra = costs[first[i] + c] - costs[first[i] + own]
                if done and cost + extra >= best_cost:
                    continue
                state[i] = c
                tried += 1
                there = _total(trees, unary, base, first, state)
                if there >= least:
                    if not done or cost + extra < best_cost:
                        done = True
                        ladder, cell, best_score, best_cost = i, c, there, cost + extra
                elif not done and there > now:
                    rate = (there - now) / max(extra, 1e-9)
                    if rate > best_rate:
                        best_rate, ladder, cell = rate, i, c
                        best_score, best_cost = there, cost + extra
            state[i] = own
        if ladder < 0:
            return np.inf, tried
        state[ladder] = cell
        now, cost = best_score, best_cost
    return cost, tried


@njit(**OPTIONS)
def _back(trees, unary, base, costs, first, least, state, cost):
    """Move ladders to cheaper cells, by the largest saving first, while the score stays `least`."""
    n = len(first) - 1
    tried = 0
    while True:
        saving, ladder, cell = 0.0, -1, -1
        for i in range(n):
            own = state[i]
            for c in range(first[i + 1] - first[i]):
                gain = costs[first[i] + own] - costs[first[i] + c]
                if gain <= saving:
                    continue
                state[i] = c
                tried += 1
                if _total(trees, unary, base, first, state) >= least:
                    saving, ladder, cell = gain, i, c
            state[i] = own
        if ladder < 0:
            break
        state[ladder] = cell
        cost -= saving
    return cost, tried


@njit(**OPTIONS)
def descend(trees, unary, base, costs, first, least, state):
    """A cheap success near a state: ascend, step back, and swap single changes for others.

    Returns the state, whether it is a success, and the number of states tried.
    """
    n = len(first) - 1
    held = np.zeros(n, np.uint8)
    state = state.copy()
    cost, tried = _ascend(trees, unary, base, costs, first, least, state, held)
    if cost == np.inf:
        return state, False, tried
    cost, more = _back(trees, unary, base, costs, first, least, state, cost)
    tried += more
    improved = True
    while improved:
        improved = False
        for i in range(n):
            other = state.copy()
            for c in range(first[i + 1] - first[i]):
                if costs[first[i] + c] < costs[first[i] + other[i]]:
                    other[i] = c
            if other[i] == state[i]:
                continue
            held[i] = 1
            swapped, more = _ascend(trees, unary, base, costs, first, least, other, held)
            held[i] = 0
            tried += more
            if swapped < np.inf:
                swapped, more = _back(trees, unary, base, costs, first, least, other, swapped)
                tried += more
            if swapped < cost * (1 - 1e-9):
                state, cost, improved = other, swapped, True
                break
    return state, True, tried
