"""Bounds of what a success costs: below, for a box, and where to split it; above, by a state."""

from __future__ import annotations

import numpy as np

from facelift.models.proving.kernels import OPTIONS, njit


@njit(**OPTIONS)
def _burden(factors, shares, minima, burdens):
    """Least share of every mask, and what each leaf costs: the sum over its slots."""
    for f in range(len(burdens)):
        burdens[f] = 0.0
    for t in range(len(factors.trees)):
        f0, f1 = factors.leaf_at[t], factors.leaf_at[t + 1]
        for s in range(factors.slot_at[t], factors.slot_at[t + 1]):
            at, m0 = factors.share_at[s], factors.mask_at[s]
            for m in range(m0, factors.mask_at[s + 1]):
                least = np.inf
                for p in range(factors.member_at[m], factors.member_at[m + 1]):
                    least = min(least, shares[at + factors.members[p]])
                minima[m] = least
            here = factors.choice_at[s]
            for f in range(f0, f1):
                burdens[f] += minima[m0 + factors.choices[here + f - f0]]


@njit(**OPTIONS)
def _left(factors, shares, box, costs, first):
    """What is left of the cost of every cell beside the shares of factors; inf outside the box."""
    left = costs.copy()
    for s in range(len(factors.slot_ladder)):
        a, at = first[factors.slot_ladder[s]], factors.share_at[s]
        for c in range(factors.share_at[s + 1] - at):
            left[a + c] -= shares[at + c]
    for c in range(len(left)):
        if not box[c]:
            left[c] = np.inf
    return left


@njit(**OPTIONS)
def _dual(factors, burdens, left, first, multiplier, missing):
    """The bound at a multiplier for shares as they are, and its slope there."""
    bound, slope = multiplier * missing, missing
    for t in range(len(factors.trees)):
        least, value = np.inf, 0.0
        for f in range(factors.leaf_at[t], factors.leaf_at[t + 1]):
            energy = burdens[f] - multiplier * factors.values[f]
            if energy < least:
                least, value = energy, factors.values[f]
        bound += least
        slope -= value
    for i in range(len(first) - 1):
        least, value = np.inf, 0.0
        for c in range(first[i], first[i + 1]):
            energy = left[c] - multiplier * factors.unary[c]
            if energy < least:
                least, value = energy, factors.unary[c]
        bound += least
        slope -= value
    return bound, slope


@njit(**OPTIONS)
def _best_multiplier(factors, burdens, left, first, multiplier, missing, steps):
    """The multiplier that raises the bound most for shares as they are: where tangents cross."""
    bound, slope = _dual(factors, burdens, left, first, multiplier, missing)
    best, where = bound, multiplier
    low, high = 0.0, np.inf
    low_bound, low_slope = _dual(factors, burdens, left, first, 0.0, missing)
    if low_slope <= 0.0:
        return 0.0
    if low_bound > best:
        best, where = low_bound, 0.0
    high_bound = high_slope = 0.0
    for _ in range(steps):
        if slope > 0.0:
            low, low_bound, low_slope = multiplier, bound, slope
        elif slope < 0.0:
            high, high_bound, high_slope = multiplier, bound, slope
        else:
            break
        if high == np.inf:
            multiplier = max(2.0 * low, 1e-9)
        else:
            crossing = (high_bound - low_bound + low_slope * low - high_slope * high) / (
                low_slope - high_slope
            )
            if not (crossing - low > 1e-12 * high and high - crossing > 1e-12 * high):
                break
            multiplier = crossing
        if multiplier > 1e12:
            break
        bound, slope = _dual(factors, burdens, left, first, multiplier, missing)
        if bound > best:
            best, where = bound, multiplier
    return where


@njit(**OPTIONS)
def bound_of(factors, shares, box, costs, first, multiplier, least):
    """The lower bound that shares and a multiplier give in a box, and the reduced costs of cells.

    A reduced cost is by how much the bound rises at least if a ladder is held at that cell.
    """
    minima = np.empty(len(factors.member_at) - 1)
    burdens = np.empty(len(factors.values))
    _burden(factors, shares, minima, burdens)
    left = _left(factors, shares, box, costs, first)
    bound, _ = _dual(factors, burdens, left, first, multiplier, least - factors.base)
    reduced = np.empty(len(costs))
    for i in range(len(first) - 1):
        lowest = np.inf
        for c in range(first[i], first[i + 1]):
            reduced[c] = left[c] - multiplier * factors.unary[c]
            lowest = min(lowest, reduced[c])
        for c in range(first[i], first[i + 1]):
            reduced[c] -= lowest
    bests = np.empty(len(minima))
    marginal = np.empty(len(costs))
    for t in range(len(factors.trees)):
        f0, f1 = factors.leaf_at[t], factors.leaf_at[t + 1]
        lowest = np.inf
        for f in range(f0, f1):
            lowest = min(lowest, burdens[f] - multiplier * factors.values[f])
        for s in range(factors.slot_at[t], factors.slot_at[t + 1]):
            i, m0, here = factors.slot_ladder[s], factors.mask_at[s], factors.choice_at[s]
            a, b, at = first[i], first[i + 1], factors.share_at[s]
            for m in range(m0, factors.mask_at[s + 1]):
                bests[m] = np.inf
            for f in range(f0, f1):
                m = m0 + factors.choices[here + f - f0]
                bests[m] = min(bests[m], burdens[f] - minima[m] - multiplier * factors.values[f])
            for c in range(b - a):
                marginal[c] = np.inf
            for m in range(m0, factors.mask_at[s + 1]):
                for q in range(factors.member_at[m], factors.member_at[m + 1]):
                    c = factors.members[q]
                    marginal[c] = min(marginal[c], bests[m])
            for c in range(b - a):
                if box[a + c]:
                    reduced[a + c] += marginal[c] + shares[at + c] - lowest
    return bound, reduced


@njit(**OPTIONS)
def improve(factors, shares, box, costs, first, multiplier, least, sweeps, enough, patience, move):
    """Raise a lower bound of the cost of any success in a box; the shares are changed in place.

    Each ladder's cost is split anew over the factors that ask about it so that all of them are
    equally content with each cell (their min-marginals are averaged); after every sweep the
    multiplier of the threshold goes where the bound is highest, where `move` says so. Ends when
    the bound is `enough`, or when sweeps gain less than the share `patience` of what is missing to
    it. Returns the bound, the multiplier, and the sweeps done.
    """
    n_ladders = len(first) - 1
    n_slots = len(factors.slot_ladder)
    missing = least - factors.base
    minima = np.empty(len(factors.member_at) - 1)
    burdens = np.empty(len(factors.values))
    marginals = np.empty(len(shares))
    bests = np.empty(len(minima))
    total = np.empty(first[n_ladders])
    by_ladder = np.zeros(n_ladders + 1, np.int32)
    for s in range(n_slots):
        by_ladder[factors.slot_ladder[s] + 1] += 1
    for i in range(n_ladders):
        by_ladder[i + 1] += by_ladder[i]
    slots = np.empty(n_slots, np.int32)
    factor_of = np.empty(n_slots, np.int32)
    filled = by_ladder[:-1].copy()
    for t in range(len(factors.trees)):
        for s in range(factors.slot_at[t], factors.slot_at[t + 1]):
            i = factors.slot_ladder[s]
            slots[filled[i]] = s
            factor_of[s] = t
            filled[i] += 1
    best, done = -np.inf, 0
    for sweep in range(sweeps):
        _burden(factors, shares, minima, burdens)
        if sweep > 0 or move > 1:
            left = _left(factors, shares, box, costs, first)
            if move:
                multiplier = _best_multiplier(
                    factors, burdens, left, first, multiplier, missing, 12
                )
        for f in range(len(burdens)):
            burdens[f] -= multiplier * factors.values[f]
        for turn in range(n_ladders):
            i = turn if sweep % 2 == 0 else n_ladders - 1 - turn
            k = by_ladder[i + 1] - by_ladder[i]
            if k == 0:
                continue
            a, width = first[i], first[i + 1] - first[i]
            for c in range(width):
                total[c] = costs[a + c] - multiplier * factors.unary[a + c]
            for p in range(by_ladder[i], by_ladder[i + 1]):
                s = slots[p]
                t = factor_of[s]
                at, m0, m1 = factors.share_at[s], factors.mask_at[s], factors.mask_at[s + 1]
                for m in range(m0, m1):
                    bests[m] = np.inf
                f0 = factors.leaf_at[t]
                here = factors.choice_at[s]
                for f in range(factors.leaf_at[t + 1] - f0):
                    m = m0 + factors.choices[here + f]
                    bests[m] = min(bests[m], burdens[f0 + f])
                for c in range(width):
                    marginals[at + c] = np.inf
                for m in range(m0, m1):
                    low = bests[m] - minima[m]
                    for q in range(factors.member_at[m], factors.member_at[m + 1]):
                        c = at + factors.members[q]
                        marginals[c] = min(marginals[c], low)
                for c in range(width):
                    total[c] += marginals[at + c]
            for c in range(width):
                total[c] /= k
            for p in range(by_ladder[i], by_ladder[i + 1]):
                s = slots[p]
                t = factor_of[s]
                at, m0, m1 = factors.share_at[s], factors.mask_at[s], factors.mask_at[s + 1]
                for c in range(width):
                    shares[at + c] = total[c] - marginals[at + c] if box[a + c] else 0.0
                for m in range(m0, m1):
                    low = np.inf
                    for q in range(factors.member_at[m], factors.member_at[m + 1]):
                        low = min(low, shares[at + factors.members[q]])
                    bests[m] = low - minima[m]
                    minima[m] = low
                f0 = factors.leaf_at[t]
                here = factors.choice_at[s]
                for f in range(factors.leaf_at[t + 1] - f0):
                    burdens[f0 + f] += bests[m0 + factors.choices[here + f]]
        done += 1
        bound = multiplier * missing
        for t in range(len(factors.trees)):
            low = np.inf
            for f in range(factors.leaf_at[t], factors.leaf_at[t + 1]):
                low = min(low, burdens[f])
            bound += low
        for i in range(n_ladders):
            if by_ladder[i] == by_ladder[i + 1]:
                low = np.inf
                for c in range(first[i], first[i + 1]):
                    if box[c]:
                        low = min(low, costs[c] - multiplier * factors.unary[c])
                bound += low
        gain = bound - best
        best = bound
        if bound >= enough or (sweep > 0 and gain < patience * (enough - bound)):
            break
    return best, multiplier, done


@njit(**OPTIONS)
def choose(factors, box, costs, first, reduced, gap):
    """Where to split a box: a ladder, and 1 for its cells on the cheaper side.

    Cells are split where the two sides differ most in reduced costs, on the ladder whose reduced
    costs are largest over all the factors that ask about it. The ladder is -1 if none matters.
    """
    n_ladders = len(first) - 1
    counts = np.zeros(n_ladders, np.int32)
    for s in range(len(factors.slot_ladder)):
        counts[factors.slot_ladder[s]] += 1
    best, chosen = -1.0, -1
    side = np.zeros(len(box), np.uint8)
    order = np.empty(len(box), np.int64)
    for i in range(n_ladders):
        size, spread = 0, 0.0
        low, high = np.inf, -np.inf
        for c in range(first[i], first[i + 1]):
            if box[c]:
                at = size
                while at > 0 and costs[order[at - 1]] > costs[c]:
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = c
                size += 1
                spread += min(reduced[c], gap)
                low, high = min(low, factors.unary[c]), max(high, factors.unary[c])
        if size < 2 or (counts[i] == 0 and low == high):
            continue
        spread = (spread + 1e-3 * gap) * max(counts[i], 1)
        if spread <= best:
            continue
        best, chosen = spread, i
        widest, cut = -1.0, 1
        for k in range(1, size):
            below = above = gap
            for q in range(size):
                if q < k:
                    below = min(below, reduced[order[q]])
                else:
                    above = min(above, reduced[order[q]])
            if below + above > widest:
                widest, cut = below + above, k
        for c in range(len(side)):
            side[c] = 0
        for q in range(cut):
            side[order[q]] = 1
    return chosen, side


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
