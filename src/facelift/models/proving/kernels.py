"""Compiled loops of `search`: factors of a score over boxes of cells, and lower bounds of a cost.

A factor is a tree as a person sees it: leaves with a value and, for each ladder that the tree
asks about (a slot), the set of cells (a mask) in which one falls into that leaf. Arrays of a
`Factors` value lie one after the other: slots by factor, masks by slot, members by mask, leaves by
factor, and for each leaf the mask of every slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

try:
    from numba import njit
except ImportError:  # no compiler: the same loops, slowly

    def njit(**_):
        """Leave a function as it is."""
        return lambda function: function


OPTIONS = {"cache": True, "nogil": True}


class Factors(NamedTuple):
    """Factors of a score; `*_at` say where the parts of each begin, and end with the total."""

    trees: np.ndarray  # (factors,) which tree each is
    slot_at: np.ndarray  # (factors + 1,)
    slot_ladder: np.ndarray  # (slots,)
    share_at: np.ndarray  # (slots + 1,)
    mask_at: np.ndarray  # (slots + 1,)
    member_at: np.ndarray  # (masks + 1,)
    members: np.ndarray  # cells, numbered within their ladder
    leaf_at: np.ndarray  # (factors + 1,)
    values: np.ndarray  # (leaves,)
    choice_at: np.ndarray  # (slots + 1,)
    choices: np.ndarray  # mask of each leaf, numbered within its slot
    unary: np.ndarray  # (cells,) what cells add by themselves
    base: float  # what is added wherever one is


@njit(**OPTIONS)
def _fold(unary, a, values, leaf, n_leaves, choices, choice, member_at, members, mask):
    """Add a factor that asks about one ladder to what the cells of that ladder add."""
    for f in range(n_leaves):
        m = mask + choices[choice + f]
        for p in range(member_at[m], member_at[m + 1]):
            unary[a + members[p]] += values[leaf + f]


@njit(**OPTIONS)
def _longer(array):
    """The same array with as much room again; quicker to compile than NumPy's own."""
    more = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        more[i] = array[i]
    return more


@njit(**OPTIONS)
def _same(members, start, stop, other):
    for p in range(stop - start):  # noqa: SIM110
        if members[start + p] != members[other + p]:
            return False
    return True


@njit(**OPTIONS)
def specialise(roots, ladder_of, left, right, value, goes, fixed, first, unary, base):
    """Factors of trees: `goes[node, cell]` says which cells of the node's ladder go left.

    `ladder_of` is the ladder a node asks about, -1 of a leaf, -2 where nothing can change: there
    `fixed` says whether one goes left. `first` says where the cells of each ladder begin.
    """
    n_ladders, n_cells = len(first) - 1, first[-1]
    n_nodes, n_trees = len(left), len(roots)
    trees = np.empty(n_trees, np.int32)
    slot_at = np.zeros(n_trees + 1, np.int32)
    leaf_at = np.zeros(n_trees + 1, np.int32)
    slot_ladder = np.empty(n_nodes, np.int32)
    values = np.empty(n_nodes, np.float64)
    choices = np.empty(1024, np.uint16)
    choice_at = np.zeros(n_nodes + 1, np.int32)
    mask_at = np.zeros(n_nodes + 1, np.int32)
    share_at = np.zeros(n_nodes + 1, np.int32)
    member_at = np.zeros(1024, np.int32)
    members = np.empty(4096, np.uint16)
    stack_node = np.empty(n_nodes + 1, np.int32)
    stack_row = np.empty(n_nodes + 1, np.int32)
    boxes = np.empty((n_nodes + 2, n_cells), np.uint8)
    leaf_row = np.empty(n_nodes + 1, np.int32)
    uses = np.empty(n_ladders, np.int32)
    n_slots = n_masks = n_members = n_leaves = n_choices = kept = 0
    for t in range(n_trees):
        # all leaves that can be reached, with the box of cells that falls into each
        top, used_rows, n_found = 0, 1, 0
        stack_node[0], stack_row[0] = roots[t], 0
        for c in range(n_cells):
            boxes[0, c] = 1
        for i in range(n_ladders):
            uses[i] = 0
        while top >= 0:
            node, row = stack_node[top], stack_row[top]
            ladder = ladder_of[node]
            if ladder == -1:
                leaf_row[n_found] = row
                values[n_leaves + n_found] = value[node]
                n_found += 1
                top -= 1
                continue
            if ladder == -2:
                stack_node[top] = left[node] if fixed[node] else right[node]
                continue
            a, b = first[ladder], first[ladder + 1]
            n_left = n_right = 0
            for c in range(a, b):
                if boxes[row, c]:
                    if goes[node, c - a]:
                        n_left += 1
                    else:
                        n_right += 1
            if n_right == 0 or n_left == 0:
                stack_node[top] = left[node] if n_right == 0 else right[node]
                continue
            other = used_rows
            used_rows += 1
            for c in range(n_cells):
                boxes[other, c] = boxes[row, c]
            for c in range(a, b):
                if goes[node, c - a]:
                    boxes[other, c] = 0
                else:
                    boxes[row, c] = 0
            uses[ladder] = 1
            stack_node[top] = right[node]
            stack_row[top] = other
            top += 1
            stack_node[top], stack_row[top] = left[node], row
        if n_found == 1:
            base += values[n_leaves]
            continue
        slots_before, masks_before, members_before = n_slots, n_masks, n_members
        choices_before = n_choices
        for i in range(n_ladders):
            if not uses[i]:
                continue
            s = n_slots
            slot_ladder[s] = i
            a, b = first[i], first[i + 1]
            begin = n_masks
            while n_choices + n_found > len(choices):
                choices = _longer(choices)
            for f in range(n_found):
                while n_members + (b - a) > len(members):
                    members = _longer(members)
                start = n_members
                for c in range(a, b):
                    if boxes[leaf_row[f], c]:
                        members[n_members] = c - a
                        n_members += 1
                found = -1
                for m in range(begin, n_masks):
                    alike = member_at[m + 1] - member_at[m] == n_members - start
                    if alike and _same(members, start, n_members, member_at[m]):
                        found = m
                        break
                if found >= 0:
                    n_members = start
                else:
                    found = n_masks
                    n_masks += 1
                    if n_masks + 1 > len(member_at):
                        member_at = _longer(member_at)
                    member_at[n_masks] = n_members
                choices[n_choices] = found - begin
                n_choices += 1
            n_slots += 1
            choice_at[n_slots] = n_choices
            mask_at[n_slots] = n_masks
            share_at[n_slots] = share_at[s] + (b - a)
        if n_slots - slots_before == 1:
            a = first[slot_ladder[slots_before]]
            where = choices, choices_before, member_at, members, masks_before
            _fold(unary, a, values, n_leaves, n_found, *where)
            n_slots, n_masks, n_members = slots_before, masks_before, members_before
            n_choices = choices_before
            continue
        n_leaves += n_found
        trees[kept] = t
        kept += 1
        slot_at[kept], leaf_at[kept] = n_slots, n_leaves
    return Factors(
        trees[:kept].copy(),
        slot_at[: kept + 1].copy(),
        slot_ladder[:n_slots].copy(),
        share_at[: n_slots + 1].copy(),
        mask_at[: n_slots + 1].copy(),
        member_at[: n_masks + 1].copy(),
        members[:n_members].copy(),
        leaf_at[: kept + 1].copy(),
        values[:n_leaves].copy(),
        choice_at[: n_slots + 1].copy(),
        choices[:n_choices].copy(),
        unary,
        base,
    )


@njit(**OPTIONS)
def cheapest_cells(box, costs, first, limit):
    """The least cost of each ladder within a box, and what is left of the limit beside them."""
    least_costs = np.full(len(first) - 1, np.inf)
    slack = limit
    for i in range(len(first) - 1):
        for c in range(first[i], first[i + 1]):
            if box[c]:
                least_costs[i] = min(least_costs[i], costs[c])
        slack -= least_costs[i]
    return least_costs, slack


@njit(**OPTIONS)
def _extra_costs(factors, t, box, costs, first, least_costs, extra, extras):
    """What each leaf of a factor costs beyond the cheapest cells; inf where it is out of reach."""
    f0, f1 = factors.leaf_at[t], factors.leaf_at[t + 1]
    for f in range(f0, f1):
        extras[f] = 0.0
    for s in range(factors.slot_at[t], factors.slot_at[t + 1]):
        i, m0 = factors.slot_ladder[s], factors.mask_at[s]
        for m in range(m0, factors.mask_at[s + 1]):
            least = np.inf
            for p in range(factors.member_at[m], factors.member_at[m + 1]):
                c = first[i] + factors.members[p]
                if box[c]:
                    least = min(least, costs[c])
            extra[m] = least - least_costs[i]
        at = factors.choice_at[s]
        for f in range(f0, f1):
            extras[f] += extra[m0 + factors.choices[at + f - f0]]


@njit(**OPTIONS)
def prune(factors, box, costs, first, limit):
    """Take cells out of a box that no state cheaper than the limit can have; whether any is left.

    A cell goes where it is too dear by itself, or where every leaf that it can fall into is.
    """
    n_ladders = len(first) - 1
    extra = np.empty(len(factors.member_at) - 1)
    extras = np.empty(len(factors.values))
    covered = np.empty(first[n_ladders], np.uint8)
    cheap = np.empty(len(extra), np.uint8)
    changed = True
    while changed:
        changed = False
        least_costs, slack = cheapest_cells(box, costs, first, limit)
        if not slack > 0.0:
            return False
        for i in range(n_ladders):
            for c in range(first[i], first[i + 1]):
                if box[c] and costs[c] - least_costs[i] >= slack:
                    box[c] = 0
        for t in range(len(factors.trees)):
            _extra_costs(factors, t, box, costs, first, least_costs, extra, extras)
            f0, f1 = factors.leaf_at[t], factors.leaf_at[t + 1]
            for s in range(factors.slot_at[t], factors.slot_at[t + 1]):
                i, m0, at = factors.slot_ladder[s], factors.mask_at[s], factors.choice_at[s]
                for m in range(m0, factors.mask_at[s + 1]):
                    cheap[m] = 0
                for f in range(f0, f1):
                    if extras[f] < slack:
                        cheap[m0 + factors.choices[at + f - f0]] = 1
                a, b = first[i], first[i + 1]
                for c in range(a, b):
                    covered[c] = 0
                for m in range(m0, factors.mask_at[s + 1]):
                    if cheap[m]:
                        for p in range(factors.member_at[m], factors.member_at[m + 1]):
                            covered[a + factors.members[p]] = 1
                for c in range(a, b):
                    if box[c] and not covered[c]:
                        box[c] = 0
                        changed = True
    return True


@njit(**OPTIONS)
def restrict(factors, shares, box, costs, first, limit):
    """The factors and shares that matter in a smaller box; `box` says which cells are in it.

    Leaves out of reach go, slots in which all leaves are alike go; a factor with one slot left
    becomes part of what cells add, one with a single leaf part of the base.
    """
    least_costs, slack = cheapest_cells(box, costs, first, limit)
    n_factors = len(factors.trees)
    n_slots, n_masks = len(factors.slot_ladder), len(factors.member_at) - 1
    trees = np.empty(n_factors, np.int32)
    slot_at = np.zeros(n_factors + 1, np.int32)
    leaf_at = np.zeros(n_factors + 1, np.int32)
    choice_at = np.zeros(n_slots + 1, np.int32)
    slot_ladder = np.empty(n_slots, np.int32)
    share_at = np.zeros(n_slots + 1, np.int32)
    mask_at = np.zeros(n_slots + 1, np.int32)
    member_at = np.zeros(n_masks + 1, np.int32)
    members = np.empty(len(factors.members) + 1, np.uint16)
    values = np.empty(len(factors.values), np.float64)
    choices = np.empty(len(factors.choices), np.uint16)
    new_shares = np.empty(len(shares), np.float64)
    extra = np.empty(n_masks, np.float64)
    extras = np.empty(len(factors.values), np.float64)
    renamed = np.empty(n_masks, np.int32)
    alive = np.empty(len(factors.values), np.uint8)
    unary = factors.unary.copy()
    base = factors.base
    sizes = np.zeros(len(first) - 1, np.int32)
    for i in range(len(first) - 1):
        for c in range(first[i], first[i + 1]):
            sizes[i] += box[c]
    kept = n_slots_kept = n_masks_kept = n_members = n_leaves = n_choices = 0
    for t in range(n_factors):
        f0, f1 = factors.leaf_at[t], factors.leaf_at[t + 1]
        _extra_costs(factors, t, box, costs, first, least_costs, extra, extras)
        n_alive, before = 0, n_leaves
        for f in range(f0, f1):
            alive[f] = extras[f] < slack
            if alive[f]:
                values[before + n_alive] = factors.values[f]
                n_alive += 1
        if n_alive == 1:
            base += values[before]
            continue
        # slots that still tell leaves apart, and their masks without doubles
        slots_before, masks_before, members_before = n_slots_kept, n_masks_kept, n_members
        choices_before = n_choices
        for s in range(factors.slot_at[t], factors.slot_at[t + 1]):
            i = factors.slot_ladder[s]
            a, m0, at = first[i], factors.mask_at[s], factors.choice_at[s]
            begin, start_members, start_choices = n_masks_kept, n_members, n_choices
            for m in range(m0, factors.mask_at[s + 1]):
                renamed[m] = -1
            for f in range(f0, f1):
                if not alive[f]:
                    continue
                m = m0 + factors.choices[at + f - f0]
                if renamed[m] < 0:
                    start = n_members
                    for p in range(factors.member_at[m], factors.member_at[m + 1]):
                        if box[a + factors.members[p]]:
                            members[n_members] = factors.members[p]
                            n_members += 1
                    for q in range(begin, n_masks_kept):
                        alike = member_at[q + 1] - member_at[q] == n_members - start
                        if alike and _same(members, start, n_members, member_at[q]):
                            renamed[m] = q
                            break
                    if renamed[m] >= 0:
                        n_members = start
                    else:
                        renamed[m] = n_masks_kept
                        n_masks_kept += 1
                        member_at[n_masks_kept] = n_members
                choices[n_choices] = renamed[m] - begin
                n_choices += 1
            if n_masks_kept - begin == 1 and n_members - start_members == sizes[i]:
                # all leaves allow all cells
                n_masks_kept, n_members, n_choices = begin, start_members, start_choices
                continue
            slot_ladder[n_slots_kept] = i
            width = first[i + 1] - a
            for c in range(width):
                new_shares[share_at[n_slots_kept] + c] = shares[factors.share_at[s] + c]
            n_slots_kept += 1
            mask_at[n_slots_kept] = n_masks_kept
            choice_at[n_slots_kept] = n_choices
            share_at[n_slots_kept] = share_at[n_slots_kept - 1] + width
        if n_slots_kept - slots_before == 1:
            a = first[slot_ladder[slots_before]]
            where = choices, choices_before, member_at, members, masks_before
            _fold(unary, a, values, before, n_alive, *where)
            n_slots_kept, n_masks_kept, n_members = slots_before, masks_before, members_before
            n_choices = choices_before
            continue
        n_leaves += n_alive
        trees[kept] = factors.trees[t]
        kept += 1
        slot_at[kept], leaf_at[kept] = n_slots_kept, n_leaves
    smaller = Factors(
        trees[:kept].copy(),
        slot_at[: kept + 1].copy(),
        slot_ladder[:n_slots_kept].copy(),
        share_at[: n_slots_kept + 1].copy(),
        mask_at[: n_slots_kept + 1].copy(),
        member_at[: n_masks_kept + 1].copy(),
        members[:n_members].copy(),
        leaf_at[: kept + 1].copy(),
        values[:n_leaves].copy(),
        choice_at[: n_slots_kept + 1].copy(),
        choices[:n_choices].copy(),
        unary,
        base,
    )
    return smaller, new_shares[: share_at[n_slots_kept]].copy()


@njit(**OPTIONS)
def extremes(factors, box, first):
    """The least and the largest sum in a box, if each factor could choose by itself."""
    low = high = factors.base
    for t in range(len(factors.trees)):
        least, most = np.inf, -np.inf
        for f in range(factors.leaf_at[t], factors.leaf_at[t + 1]):
            least, most = min(least, factors.values[f]), max(most, factors.values[f])
        low, high = low + least, high + most
    for i in range(len(first) - 1):
        least, most = np.inf, -np.inf
        for c in range(first[i], first[i + 1]):
            if box[c]:
                least, most = min(least, factors.unary[c]), max(most, factors.unary[c])
        low, high = low + least, high + most
    return low, high


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
