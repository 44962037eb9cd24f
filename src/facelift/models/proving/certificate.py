"""Certificates of proofs: the branching that proves a bound, and a check without the search.

The check reads the trees anew, level by level, and follows the branching: in each box it leaves out
what is too dear, and then asks for the reason that the certificate gives. It is slow and plain.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints, slices
from facelift.errors import FaceliftError
from facelift.geometry import TOLERANCE
from facelift.models.proving import Levels
from facelift.models.proving.reading import Score


class Unproven(FaceliftError, ValueError):
    """A certificate that does not prove what it says."""


@dataclass(frozen=True, eq=False)
class Multipliers:
    """How the costs of ladders are split over trees, and the price of the threshold.

    Pair by pair, `trees` and `ladders` say whose share it is; `shares` has one array per pair, one
    number per cell of the ladder.
    """

    threshold: float
    trees: Ints
    ladders: Ints
    shares: tuple[Floats, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain values: the shares one after the other, packed."""
        return {
            "threshold": self.threshold,
            "trees": self.trees.tolist(),
            "ladders": self.ladders.tolist(),
            "lengths": [len(each) for each in self.shares],
            "shares": _packed(np.concatenate([np.zeros(0), *self.shares])),
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Multipliers:
        """The same, read again."""
        shares = _unpacked(document["shares"])
        parts = tuple(shares[part] for part in slices(document["lengths"]))
        trees, ladders = (np.array(document[name], dtype=int) for name in ("trees", "ladders"))
        return cls(float(document["threshold"]), trees, ladders, parts)


@dataclass(frozen=True, eq=False)
class ProofCertificate:
    """Why no success but the `rejected` costs less than `bound`.

    `cells` number the levels of each ladder as shares do. `branching` is a box: what may be left
    out of it (`dropped`, by which multipliers), and the reason why nothing cheaper is in the rest:
    "pruned" (too dear), "dead" (the score is never reached), "bound" (by which multipliers, cell
    by cell of which ladder), "states" (all cheaper ones were rejected), or "split" (`cells` of a
    ladder in the first of two boxes, the others in the second).
    """

    bound: float
    cells: tuple[Ints, ...]
    branching: dict[str, Any]
    multipliers: tuple[Multipliers, ...]
    rejected: Ints

    def to_dict(self) -> dict[str, Any]:
        """As values that JSON can hold."""
        return {
            "bound": self.bound,
            "cells": [each.tolist() for each in self.cells],
            "branching": self.branching,
            "multipliers": [each.to_dict() for each in self.multipliers],
            "rejected": self.rejected.tolist(),
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> ProofCertificate:
        """The same, read again."""
        cells = tuple(np.array(each, dtype=int) for each in document["cells"])
        rejected = np.array(document["rejected"], dtype=int).reshape(-1, len(cells))
        several = tuple(map(Multipliers.from_dict, document["multipliers"]))
        return cls(float(document["bound"]), cells, document["branching"], several, rejected)


def _packed(numbers: Floats) -> str:
    return base64.b64encode(zlib.compress(numbers.astype("<f8").tobytes(), 9)).decode()


def _unpacked(text: str) -> Floats:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<f8").astype(np.float64)


def check(
    certificate: ProofCertificate, score: Score, factual: Floats, levels: Sequence[Levels]
) -> int:
    """Follow a certificate for a problem; the number of boxes looked at.

    Raises
    ------
    Unproven
        If a box may hold a success that is cheaper than the bound, and was not rejected.

    Examples
    --------
    >>> from facelift.models.proving.search import Search
    >>> from facelift.models.proving import Problem
    >>> score = Score(base=0.0, least=1.5, weights=np.array([1.0, 1.0]))
    >>> first = Levels(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, 1.0]))
    >>> other = Levels(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([0.0, 3.0]))
    >>> search = Search(Problem.of(score, np.zeros(2), [first, other]), record=True)
    >>> search.run().cost
    3.0
    >>> check(search.certificate, score, np.zeros(2), [first, other])
    1
    """
    if not all(each.threshold >= 0 for each in certificate.multipliers):
        raise Unproven("A price of the threshold below zero proves nothing.")
    lattice = _Lattice(score, factual, levels, certificate)
    return lattice.follow(certificate.branching, np.ones(len(lattice.costs), dtype=bool))


@dataclass(frozen=True, eq=False)
class _Parts:
    """A score in a box: what all states add, what levels add, and which trees are left."""

    base: float
    own: Floats
    trees: list[int]


class _Lattice:
    """Levels of all ladders one after the other, and the leaves of all trees over them.

    `values` (leaves,) are what they add, `leaves` (leaves, levels) the levels that lead there;
    tree t has those from `at[t]` to `at[t + 1]`.
    """

    def __init__(
        self, score: Score, factual: Floats, levels: Sequence[Levels], certificate: ProofCertificate
    ) -> None:
        self.certificate, self.score, self.levels = certificate, score, levels
        self.parts = slices(len(each) for each in levels)
        self.starts = np.array([part.start for part in self.parts], dtype=np.int64)
        self.costs = np.concatenate([np.zeros(0), *(each.costs for each in levels)])
        self.base, self.own = score.base, np.zeros(len(self.costs))
        if score.weights is not None:
            self.base += float(factual @ score.weights)
            for part, each in zip(self.parts, levels, strict=True):
                self.own[part] = (each.inputs - factual) @ score.weights
        whole = np.ones(len(self.costs), dtype=bool)
        roots = [] if score.trees is None else score.trees.roots.tolist()
        trees = [list(_leaves(score.trees, root, factual, self._levels, whole)) for root in roots]
        self.at = np.cumsum([0, *map(len, trees)])
        self.values = np.array([value for tree in trees for value, _ in tree])
        leaves = [box for tree in trees for _, box in tree]
        self.leaves = np.array(leaves, dtype=bool).reshape(len(leaves), len(self.costs))
        self.limit = certificate.bound * (1 - 2 * TOLERANCE)
        self.rejected = {row.tobytes() for row in certificate.rejected.astype(np.int64)}

    def _levels(self, column: int, own: float) -> tuple[slice, Floats] | None:
        """The ladder that moves a column, and its values there; None if none does."""
        for part, each in zip(self.parts, self.levels, strict=True):
            values = each.inputs[:, column]
            if not ((values == own) | (np.isnan(values) & np.isnan(own))).all():
                return part, values
        return None

    def follow(self, branch: dict[str, Any], box: Bools) -> int:
        """Check the reasons for a box and all boxes within; how many there are."""
        todo, done = [(branch, box)], 0
        while todo:
            branch, box = todo.pop()
            done += 1
            box = self._without_dropped(branch, box)
            if not self._pruned(box):
                todo += self._explained(branch, box)
        return done

    def _without_dropped(self, branch: dict[str, Any], box: Bools) -> Bools:
        """A box without the levels that its multipliers show to be too dear."""
        if "dropped" not in branch:
            return box
        dropped = branch["dropped"]
        multipliers = self.certificate.multipliers[dropped["multipliers"]]
        left = box.copy()
        for ladder, cells in dropped["cells"]:
            part = self.parts[ladder]
            gone = np.isin(self.certificate.cells[ladder], cells)
            within = left.copy()
            within[part] &= gone
            left[part] &= ~gone
            if not self._pruned(within) and not self._too_dear(within, multipliers, ladder):
                raise Unproven("Levels were left out that may be part of a cheaper success.")
        return left

    def _explained(self, branch: dict[str, Any], box: Bools) -> list[tuple[dict[str, Any], Bools]]:
        """Check the reason for a box; the boxes it was split into, if it was."""
        reason = branch["reason"]
        if reason == "split":
            part = self.parts[branch["ladder"]]
            there = np.isin(self.certificate.cells[branch["ladder"]], branch["cells"])
            first, second = box.copy(), box.copy()
            first[part] &= there
            second[part] &= ~there
            return list(zip(branch["boxes"], (first, second), strict=True))
        if reason == "bound":
            multipliers = self.certificate.multipliers[branch["multipliers"]]
            holds = self._too_dear(box, multipliers, branch["ladder"])
        else:  # a box said to be pruned was not
            holds = {"dead": self._dead, "states": self._all_rejected}.get(reason, _never)(box)
        if not holds:
            raise Unproven(f"A box may hold a cheaper success; the reason given was {reason!r}.")
        return []

    def _pruned(self, box: Bools) -> bool:
        """Take out of a box the levels of no cheaper state; whether nothing is left."""
        while True:
            before = box.sum()
            least, slack = self._slack(box)
            if not slack > 0:
                return True
            box &= self.costs - np.repeat(least, [len(each) for each in self.levels]) < slack
            if len(self.values):
                inside = self.leaves & self._alive(box, least, slack)[:, np.newaxis]
                box &= np.logical_or.reduceat(inside, self.at[:-1]).all(axis=0)
            if box.sum() == before:
                return False

    def _slack(self, box: Bools) -> tuple[Floats, float]:
        """The least cost of each ladder in a box, and what is left of the limit beside them."""
        inside = np.where(box, self.costs, np.inf)
        least = np.array([inside[part].min() for part in self.parts])
        return least, float(self.limit - least.sum())

    def _alive(self, box: Bools, least: Floats, slack: float) -> Bools:
        """Which leaves can be reached at less than the limit."""
        inside = np.where(self.leaves & box, self.costs, np.inf)
        extra = np.minimum.reduceat(inside, self.starts, axis=1) - least
        return np.asarray(extra.sum(axis=1) < slack)

    def _split_up(self, box: Bools, alive: Bools, kept: set[int]) -> _Parts:
        """The trees in a box; those that ask about one ladder only become what its levels add."""
        base, own, trees = self.base, self.own.copy(), []
        for t in range(len(self.at) - 1):
            mine = np.arange(self.at[t], self.at[t + 1])[alive[self.at[t] : self.at[t + 1]]]
            inside = self.leaves[mine] & box
            alike = np.logical_and.reduceat((inside == box).all(axis=0), self.starts)
            asked = np.flatnonzero(~alike)
            if t in kept or (len(asked) > 1 and len(mine) > 1):
                trees.append(t)
            elif len(mine) == 1:
                base += float(self.values[mine[0]])
            else:
                part = self.parts[asked[0]]
                own[part] += inside[:, part].T @ self.values[mine]
        return _Parts(base, own, trees)

    def _dead(self, box: Bools) -> bool:
        """Whether no state of a box can have the score."""
        alive = self._alive(box, *self._slack(box))
        parts = self._split_up(box, alive, set())
        values = np.where(alive, self.values, -np.inf)
        most = parts.base + sum(values[self.at[t] : self.at[t + 1]].max() for t in parts.trees)
        own = np.where(box, parts.own, -np.inf)
        return bool(most + sum(own[part].max() for part in self.parts) < self.score.least)

    def _too_dear(self, box: Bools, multipliers: Multipliers, ladder: int) -> bool:
        """Whether multipliers show that no success in a box is cheaper than the bound.

        Where they do not for the box as it is, each cell of a ladder is held, one after the other.
        """
        if self._bound(box, multipliers) >= self.limit:
            return True
        if ladder < 0:
            return False
        part, cells = self.parts[ladder], self.certificate.cells[ladder]
        for cell in np.unique(cells[box[part]]):
            held = box.copy()
            held[part] &= cells == cell
            if not self._pruned(held) and not self._bound(held, multipliers) >= self.limit:
                return False
        return True

    def _bound(self, box: Bools, multipliers: Multipliers) -> float:
        """The lower bound of the cost of a success in a box that multipliers give."""
        alive = self._alive(box, *self._slack(box))
        price = multipliers.threshold
        energies = np.where(alive, -price * self.values, np.inf)
        left = self.costs.copy()
        pairs = zip(multipliers.trees, multipliers.ladders, multipliers.shares, strict=True)
        for tree, ladder, share in pairs:
            part, mine = self.parts[ladder], slice(self.at[tree], self.at[tree + 1])
            by_level = share[self.certificate.cells[ladder]]
            inside = self.leaves[mine, part] & box[part]
            energies[mine] += np.where(inside, by_level, np.inf).min(axis=1)
            left[part] -= by_level
        parts = self._split_up(box, alive, set(multipliers.trees.tolist()))
        bound = price * (self.score.least - parts.base)
        bound += sum(energies[self.at[t] : self.at[t + 1]].min() for t in parts.trees)
        left = np.where(box, left - price * parts.own, np.inf)
        return float(bound + sum(left[part].min() for part in self.parts))

    def _all_rejected(self, box: Bools) -> bool:
        """Whether every state of a box that is cheaper than the bound was rejected."""
        kept = [np.flatnonzero(box[part]) for part in self.parts]
        kept = [each[np.argsort(self.levels[i].costs[each])] for i, each in enumerate(kept)]
        least = np.array([self.levels[i].costs[each[0]] for i, each in enumerate(kept)])
        after = np.append(np.cumsum(least[::-1])[::-1], 0.0)
        return all(
            state.tobytes() in self.rejected for state in self._cheaper(kept, after, [], 0.0)
        )

    def _cheaper(
        self, kept: list[Ints], after: Floats, chosen: list[int], cost: float
    ) -> Iterator[Ints]:
        """States of a box that are cheaper than the bound."""
        i = len(chosen)
        if i == len(kept):
            yield np.array(chosen, dtype=np.int64)
            return
        for level in kept[i]:
            paid = cost + float(self.levels[i].costs[level])
            if paid + after[i + 1] >= self.limit:
                break
            yield from self._cheaper(kept, after, [*chosen, int(level)], paid)


def _leaves(
    trees: Any, node: int, factual: Floats, levels: Any, box: Bools
) -> Iterator[tuple[float, Bools]]:
    """Leaves below a node, with the levels that lead there."""
    column = int(trees.columns[node])
    if column < 0:
        yield float(trees.values[node, 0]), box
        return
    asked = levels(column, factual[column])
    if asked is None:
        goes = trees.goes_left(np.array(node), factual[column])
        yield from _leaves(
            trees, int((trees.left if goes else trees.right)[node]), factual, levels, box
        )
        return
    part, values = asked
    goes = trees.goes_left(np.array(node), values)
    for child, there in ((trees.left[node], goes), (trees.right[node], ~goes)):
        inner = box.copy()
        inner[part] &= there
        if inner[part].any():
            yield from _leaves(trees, int(child), factual, levels, inner)


def _never(box: Bools) -> bool:  # noqa: ARG001
    """Why a box that is not pruned should be: there is no reason."""
    return False
