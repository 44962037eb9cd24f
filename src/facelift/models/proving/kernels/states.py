"""Scores of single states, and cheap successes near one."""

from __future__ import annotations

import numpy as np

from facelift.models.proving.kernels.compiler import OPTIONS, njit


@njit(**OPTIONS)
def _leaf(node, ladder_of, left, right, goes, fixed, state):
    """The leaf below a node that a state falls into."""
    while ladder_of[node] != -1:
        i = ladder_of[node]
        goes_left = fixed[node] if i == -2 else goes[node, state[i]]
        node = left[node] if goes_left else right[node]
    return node


@njit(**OPTIONS)
def scores(roots, ladder_of, left, right, value, goes, fixed, states):
    """Sums of the leaves that states fall into; a state is the cell of each ladder; (n,)."""
    totals = np.zeros(len(states))
    for r in range(len(states)):
        for t in range(len(roots)):
            leaf = _leaf(roots[t], ladder_of, left, right, goes, fixed, states[r])
            totals[r] += value[leaf]
    return totals


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
def _settle(trees, state, leaves, asked):
    """Note what each tree says of a state, and which ladders it was asked about for that.

    `leaves` (trees,) and `asked` (trees, ladders + 1) are overwritten.
    """
    roots, ladder_of, left, right, value, goes, fixed = trees
    for t in range(len(roots)):
        for i in range(asked.shape[1]):
            asked[t, i] = 0
        node = roots[t]
        while ladder_of[node] != -1:
            i = ladder_of[node]
            goes_left = fixed[node] if i == -2 else goes[node, state[i]]
            node = left[node] if goes_left else right[node]
            if i != -2:
                asked[t, i] = 1
        leaves[t] = value[node]


@njit(**OPTIONS)
def _total(trees, unary, base, first, state, moved, leaves, asked):
    """The whole score of a state that is the settled one but for one ladder.

    Trees that were not asked about that ladder say the same.
    """
    roots, ladder_of, left, right, value, goes, fixed = trees
    total = 0.0
    for t in range(len(roots)):
        if asked[t, moved]:
            total += value[_leaf(roots[t], ladder_of, left, right, goes, fixed, state)]
        else:
            total += leaves[t]
    total = base + total
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
    leaves, asked = np.empty(len(trees[0])), np.empty((len(trees[0]), n + 1), np.uint8)
    _settle(trees, state, leaves, asked)
    now = _total(trees, unary, base, first, state, n, leaves, asked)  # nothing moved
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
                there = _total(trees, unary, base, first, state, i, leaves, asked)
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
        _settle(trees, state, leaves, asked)
    return cost, tried


@njit(**OPTIONS)
def _back(trees, unary, base, costs, first, least, state, cost):
    """Move ladders to cheaper cells, by the largest saving first, while the score stays `least`."""
    n = len(first) - 1
    leaves, asked = np.empty(len(trees[0])), np.empty((len(trees[0]), n + 1), np.uint8)
    _settle(trees, state, leaves, asked)
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
                if _total(trees, unary, base, first, state, i, leaves, asked) >= least:
                    saving, ladder, cell = gain, i, c
            state[i] = own
        if ladder < 0:
            break
        state[ladder] = cell
        cost -= saving
        _settle(trees, state, leaves, asked)
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
