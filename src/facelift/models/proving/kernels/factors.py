"""Factors of a score over boxes of cells: trees as a person sees them, and what a box leaves.

A factor is a tree as a person sees it: leaves with a value and, for each ladder that the tree
asks about (a slot), the set of cells (a mask) in which one falls into that leaf. Arrays of a
`Factors` value lie one after the other: slots by factor, masks by slot, members by mask, leaves by
factor, and for each leaf the mask of every slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from facelift.models.proving.kernels import OPTIONS, njit


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
