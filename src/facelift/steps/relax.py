"""Which rules to relax so that a way opens: one search whose labels are sets of rules.

A label is a state together with the rules that a way to it breaks. Rules only add up along a way,
so whatever lies behind a label that contains the rules of a success need not be looked at. Small
sets come first, then cheap states: what is found first is minimal. The search knows nothing of
records or actions; their `Moves` say what can be done from a state and which rules it breaks.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.steps.lattice import Keys
from facelift.steps.proposers import FIRST_BATCH
from facelift.terrain.rulebook import Masks, smallest

NO_LABEL = (64.0, np.inf)
"""A rank behind that of every label: none has so many rules."""


@dataclass(frozen=True, eq=False)
class Labels:
    """States, the rules that ways to them break, what these cost, and the label before each."""

    states: Keys
    masks: Masks
    costs: Floats
    n_steps: Ints
    before: Ints

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, chosen: Ints | Bools | slice) -> Labels:
        return Labels(*(getattr(self, each.name)[chosen] for each in fields(self)))

    @classmethod
    def joined(cls, *parts: Labels) -> Labels:
        """All labels of some parts, one part after the other."""
        names = [each.name for each in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def rank(self, place: int) -> tuple[float, float]:
        """How many rules a label breaks, and what it costs."""
        return float(np.bitwise_count(self.masks[place])), float(self.costs[place])


class Moves(Protocol):
    """What can be done from a case, and which rules that breaks."""

    @property
    def start(self) -> Labels:
        """The case itself, which breaks nothing."""

    @property
    def room(self) -> int:
        """How many more states may be judged."""

    def judge(self, labels: Labels) -> tuple[Labels, Bools, Bools]:
        """The labels with the rules that being there breaks; which can be passed; which succeed."""

    def farther(self, labels: Labels, places: Ints) -> Labels:
        """All labels one move farther than some, which are at `places`."""


def smallest_ways(moves: Moves, *, by_size: bool = True) -> tuple[list[Labels], bool]:
    """The ways to successes whose sets of rules contain no other, cheapest first; and if all.

    Without `by_size` cheap states come first, whatever their rules; then sets are the smallest of
    those found only.
    """
    taken, ends, batch, left = moves.start, dict[int, int](), FIRST_BATCH, NO_LABEL
    frontier = moves.farther(taken, np.zeros(1, dtype=np.int64))
    frontier = frontier[_order(frontier, by_size=by_size)]
    while len(frontier) and moves.room > 0:
        size = min(batch, moves.room)
        if by_size:  # labels as small as any left
            sizes = np.bitwise_count(frontier.masks[:size])
            size = int(np.searchsorted(sizes, sizes[0], side="right"))
        now, passable, won = moves.judge(frontier[:size])
        first, taken = len(taken), Labels.joined(taken, now)
        _keep_cheapest(ends, taken, first + np.flatnonzero(won))
        on = first + np.flatnonzero(passable & ~won)
        found = Labels.joined(frontier[size:], moves.farther(taken[on], on))
        found = _pruned(_fresh(found, taken), taken, ends)
        order, room = _order(found, by_size=by_size), moves.room
        if len(order) > room:
            left = min(left, found.rank(order[room]))
        frontier = found[order[:room]]
        batch *= 2
    complete = not len(frontier) and left == NO_LABEL
    if len(frontier):
        left = min(left, frontier.rank(0))
    return _certain(taken, ends, left, by_size=by_size), complete


def _keep_cheapest(ends: dict[int, int], taken: Labels, won: Ints) -> None:
    """Remember the cheapest success of each set of rules."""
    for place in won.tolist():
        mask = int(taken.masks[place])
        if mask not in ends or taken.costs[place] < taken.costs[ends[mask]]:
            ends[mask] = place


def _fresh(frontier: Labels, taken: Labels) -> Labels:
    """Labels not taken yet, each state and set of rules once: the first of them."""
    _, keys = np.unique(np.append(taken.states, frontier.states), return_inverse=True)
    masks = np.append(taken.masks, frontier.masks)
    order = np.lexsort((masks, keys))  # stable: taken ones come first
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(keys[order]) != 0) | (masks[order][1:] != masks[order][:-1])
    chosen = np.sort(order[new])
    return frontier[chosen[chosen >= len(taken)] - len(taken)]


def _pruned(frontier: Labels, taken: Labels, ends: dict[int, int]) -> Labels:
    """Labels behind which there may be a smaller set than those found, or a cheaper way."""
    kept = np.ones(len(frontier), dtype=bool)
    for mask in smallest(ends):
        same = frontier.masks == np.uint64(mask)
        contains = np.uint64(mask) & ~frontier.masks == 0
        kept &= ~contains | (same & (frontier.costs < taken.costs[ends[mask]]))
    return frontier[kept]


def _order(frontier: Labels, *, by_size: bool) -> Ints:
    sizes = np.bitwise_count(frontier.masks) if by_size else np.zeros(len(frontier))
    return np.lexsort((frontier.costs, sizes))


def _certain(
    taken: Labels, ends: dict[int, int], left: tuple[float, float], *, by_size: bool
) -> list[Labels]:
    """The ways to the smallest sets, as far as nothing `left` to look at could come before."""
    known = [(taken.rank(ends[mask]), mask) for mask in smallest(ends)]
    certain = [mask for rank, mask in known if not by_size or rank <= left]
    if not certain:  # no smaller set is left, but perhaps a cheaper way
        certain = [mask for rank, mask in known if rank[0] <= left[0]]
    certain.sort(key=lambda mask: (taken.costs[ends[mask]], mask.bit_count(), mask))
    return [_way(taken, ends[mask]) for mask in certain]


def _way(taken: Labels, place: int) -> Labels:
    """The labels from the start to one of them."""
    places = [place]
    while taken.before[places[-1]] >= 0:
        places.append(int(taken.before[places[-1]]))
    return taken[np.array(places[::-1])]
