"""The cheapest success of a model that can be read, and the proof that none is cheaper.

A *problem* is a score that is a sum (`reading.Score`) and, for each ladder of a person, its levels:
what the model sees there and what it costs to get there. A state is one level per ladder, its cost
the sum of theirs; a success is a state whose score is at least `score.least`.

The proof is a branch and bound over boxes of states (SPEC 13). In each box the cost of every ladder
is split over the trees that ask about it, one multiplier stands for the threshold, and each tree
takes its best leaf: the sum is a lower bound, whatever the split. Levels that no tree tells apart
are one cell. This module knows arrays only; plausibility and rules that couple ladders are for the
caller to judge (`accept`).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints, slices
from facelift._progress import announced
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE
from facelift.models.proving import Problem
from facelift.models.proving.certificate import Multipliers, ProofCertificate

WORK = 2_000_000
"""Units of work after which a search stops: about a second of CPU time."""

UNITS_PER_STATE = 0.04
"""Units of asking one tree about one state; a unit is one ladder of one tree in one sweep."""

UNITS_PER_BOX = 160
"""Units of looking at a box, whatever is in it."""

ROOT_SWEEPS, SWEEPS = 60, 6
"""Sweeps that improve the bound of the whole lattice, and of a box within it."""

PATIENCE = 0.02
"""Sweeps go on while each closes this share of the gap between the bound and the limit."""

MOST_WAITING = 64
"""So many successes at most wait to be judged in one call."""

UNITS_PER_CALL, UNITS_PER_JUDGED = 2_000, 40
"""Units of asking the caller about successes, and about each of them."""

Accept = Callable[[Ints], Bools]


@dataclass(frozen=True, eq=False)
class Optimum:
    """What a search found, and what it proved.

    `state` is the cheapest accepted success, None if there is none, and `cost` its cost, inf then.
    No accepted success at all costs less than `bound`. `proven`: nothing is left to search; the
    state is the cheapest there is, or nothing below the limit is accepted. `work` are the units of
    work done, `n_boxes` the boxes looked at, `n_rejected` the successes the caller did not accept.
    """

    state: Ints | None
    cost: float
    bound: float
    proven: bool
    work: int
    n_boxes: int
    n_rejected: int

    @property
    def gap(self) -> float:
        """By which share the state may be dearer than the cheapest; 0 where it is proven."""
        if self.proven or self.cost <= self.bound:
            return 0.0
        return self.cost / self.bound - 1 if self.bound > 0 else float("inf")


@cache
def kernels() -> Any:
    """The compiled loops; the first time on a machine, loading them compiles them."""
    with announced("Preparing compiled proofs (slow only the first time on a machine) …"):
        return import_module("facelift.models.proving.kernels")


@dataclass(eq=False)
class _Box:
    """Cells that are left, the factors and shares that bound them, and whether that was done."""

    cells: Any
    factors: Any
    shares: Floats
    multiplier: float
    bound: float = -np.inf
    """The best bound known of the box; it may come from a box around it."""
    proof: tuple[Any, Floats, float] | None = None
    """The factors, shares and multiplier that give this bound,"""
    ladder: int = -1
    """cell by cell of this ladder, or at once."""
    bounded: bool = False
    branch: dict[str, Any] = field(default_factory=dict)
    """What a certificate says of the box."""

    def raise_to(self, bound: float, ladder: int = -1) -> None:
        """Keep a bound that the box's own shares give, if it is better than what is known."""
        if bound > self.bound:
            self.bound, self.ladder = bound, ladder
            self.proof = self.factors, self.shares, self.multiplier


class Search:
    """A search for the cheapest accepted success below a limit, which can go on where it stopped.

    `accept` is given successes, (n, ladders), and says which of them will do; each is asked about
    once, in no order. Everything is accepted by default. `known` are states that were accepted
    before.

    >>> from facelift.models.proving import Levels
    >>> from facelift.models.proving.reading import Score
    >>> score = Score(base=0.0, least=1.5, weights=np.array([1.0, 1.0]))
    >>> first = Levels(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, 1.0]))
    >>> other = Levels(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([0.0, 3.0]))
    >>> problem = Problem.of(score, np.zeros(2), [first, other])
    >>> search = Search(problem, accept=lambda states: states[:, 0] == 1)
    >>> best = search.run()
    >>> best.state.tolist(), best.cost, best.n_rejected
    ([1, 1], 4.0, 1)
    """

    def __init__(
        self,
        problem: Problem,
        *,
        limit: float = np.inf,
        accept: Accept | None = None,
        known: Ints | None = None,
        record: bool = False,
    ) -> None:
        self.problem, self.accept = problem, accept
        self.limit = min(limit, problem.most)
        self.state: Ints | None = None
        self.work = 0.0
        self.n_boxes = 0
        self.judged: dict[bytes, bool] = {}
        self.n_rejected = 0
        self._waiting: list[Ints] = []
        self._recorded: dict[int, Any] | None = {} if record else None
        self._root: dict[str, Any] = {}
        self._heap: list[tuple[float, int, Any]] = []
        self._ticket = count()
        self._started = False
        if known is not None:
            self._take(known, np.ones(len(known), dtype=bool))

    def run(self, work: float = WORK) -> Optimum:
        """Go on for so many units of work, and say what is known then."""
        until = self.work + work
        if not self._started:
            self._started = True
            self._start()
        while self._heap and self.work < until:
            key, _, item = heapq.heappop(self._heap)
            if key >= self._enough:
                self._close(item)
            elif isinstance(item, Products):
                self._take_some(item)
            else:
                self._look_into(item)
        self._judge_waiting()
        return self.best

    @property
    def best(self) -> Optimum:
        """What is known so far."""
        bound = min([self.limit, *(key for key, _, _ in self._heap[:1])])
        proven = not self._heap or bound >= self._enough
        cost = np.inf if self.state is None else self.limit
        return Optimum(
            self.state,
            cost,
            self.limit if proven else bound,
            proven,
            int(self.work),
            self.n_boxes,
            self.n_rejected,
        )

    @property
    def certificate(self) -> ProofCertificate:
        """What proves the bound, for whoever checks it; of a search that records and is done."""
        if self._recorded is None or not self.best.proven:
            raise InvalidInput("A certificate needs a search that records, and that is done.")
        for _, _, item in self._heap:
            self._close(item)
        kept = sorted(self._recorded.values(), key=lambda each: each[0])
        several = [Multipliers(*_shares(*each[1:])) for each in kept]
        rejected = [np.frombuffer(key, np.int64) for key, good in self.judged.items() if not good]
        states = np.array(rejected, dtype=np.int64).reshape(len(rejected), len(self.problem.levels))
        cells = self.problem.cells
        return ProofCertificate(self.limit, cells, self._root, tuple(several), states)

    def reaches(self, states: Ints) -> Bools:
        """Whether states succeed by the score; (n,)."""
        problem = self.problem
        cells = np.column_stack(
            [np.zeros((len(states), 0), dtype=np.int64)]
            + [cell[states[:, i]] for i, cell in enumerate(problem.cells)]
        )
        totals = kernels().scores(*problem.trees, cells)
        totals += problem.base + problem.unary[problem.first[:-1] + cells].sum(axis=1)
        return np.asarray(totals >= problem.score.least)

    @property
    def _enough(self) -> float:
        """A bound from which on nothing in a box is cheaper than what is known."""
        return self.limit * (1 - TOLERANCE)

    def _push(self, key: float, item: Any) -> None:
        heapq.heappush(self._heap, (key, next(self._ticket), item))

    def _start(self) -> None:
        """Look for a first success, and bound the whole lattice."""
        problem, k = self.problem, kernels()
        unary = problem.unary.copy()
        factors = k.specialise(*problem.trees, problem.first, unary, problem.base)
        self.work += 2 * len(factors.slot_ladder)
        stays = [each.costs.argmin() for each in problem.levels]
        here = np.array([cell[at] for cell, at in zip(problem.cells, stays, strict=True)], np.int64)
        self._descend(here)
        shares = np.zeros(int(factors.share_at[-1]))
        box = _Box(np.ones(len(problem.costs), np.uint8), factors, shares, 0.0, branch=self._root)
        if self._narrow(box):
            box.multiplier = self._first_multiplier(here)
            self._improve(box, 4, -1.0, 0)
            self._improve(box, ROOT_SWEEPS, PATIENCE / 2, 2)
            box.bounded = True
            self._push(box.bound, box)

    def _first_multiplier(self, here: Ints) -> float:
        """What a unit of score costs, roughly."""
        problem = self.problem
        own = problem.base + float(kernels().scores(*problem.trees, here[np.newaxis])[0])
        own += problem.unary[problem.first[:-1] + here].sum()
        missing = max(problem.score.least - own, 1e-9)
        return float(min(0.6 * self.limit / missing, 1e9))

    def _look_into(self, box: _Box) -> None:
        """Improve the bound of a box, and close or split it."""
        self.n_boxes += 1
        self.work += UNITS_PER_BOX
        if not box.bounded and not self._bounded(box, SWEEPS):
            return
        box.bounded = True
        if self.n_boxes & (self.n_boxes - 1) == 0:
            self._round(box)
        bound, reduced = self._reduced(box)
        dear = (box.cells == 1) & (bound + reduced >= self._enough)
        if dear.any():
            self._drop(box, dear)
            if not self._bounded(box, 2):
                return
            bound, reduced = self._reduced(box)
        self._split(box, bound, reduced)

    def _bounded(self, box: _Box, sweeps: int) -> bool:
        """Narrow a box and improve its bound; whether it must be looked into further."""
        if not self._narrow(box):
            return False
        self._improve(box, sweeps, PATIENCE, 2)
        if box.bound >= self._enough:
            self._close(box)
        return box.bound < self._enough

    def _split(self, box: _Box, bound: float, reduced: Floats) -> None:
        """Queue the two sides of a box."""
        problem = self.problem
        gap = max(self.limit - bound, 1e-12)
        ladder, side = kernels().choose(
            box.factors, box.cells, problem.costs, problem.first, reduced, gap
        )
        own = np.zeros(len(side), dtype=bool)
        own[problem.first[ladder] : problem.first[ladder + 1]] = True
        boxes: list[dict[str, Any]] = [{}, {}]
        for there, branch in zip((side == 1, side == 0), boxes, strict=True):
            cells = np.where(own & ~there, 0, box.cells).astype(np.uint8)
            part = replace(box, cells=cells, bounded=False, branch=branch)
            part.raise_to(bound + float(reduced[own & (cells == 1)].min()), int(ladder))
            if part.bound >= self._enough:
                self._close(part)
            else:
                self._push(part.bound, part)
        chosen = np.flatnonzero(side[own]).tolist()
        box.branch.update(reason="split", ladder=int(ladder), cells=chosen, boxes=boxes)

    def _close(self, item: _Box | Products) -> None:
        """Say why nothing cheaper is in a box; of states that were listed it was said before."""
        if isinstance(item, _Box):
            shown = self._multipliers(item.proof)
            item.branch.update(reason="bound", multipliers=shown, ladder=item.ladder)

    def _drop(self, box: _Box, dear: Bools) -> None:
        """Take cells out of a box that its own multipliers show to be too dear."""
        parts = slices(np.diff(self.problem.first).tolist())
        cells = [[i, np.flatnonzero(dear[part]).tolist()] for i, part in enumerate(parts)]
        kept = [pair for pair in cells if pair[1]]
        shown = self._multipliers((box.factors, box.shares, box.multiplier))
        box.branch["dropped"] = {"multipliers": shown, "cells": kept}
        box.cells = np.where(dear, 0, box.cells).astype(np.uint8)

    def _multipliers(self, proof: tuple[Any, Floats, float] | None) -> int:
        """The number of multipliers among those that were recorded; 0 if none are."""
        if self._recorded is None or proof is None:
            return 0
        kept = self._recorded.setdefault(id(proof[1]), (len(self._recorded), *proof))
        return int(kept[0])

    def _all_left(self, cells: Any) -> bool:
        """Whether every ladder has a cell left."""
        return bool(np.add.reduceat(cells, self.problem.first[:-1], dtype=np.int64).all())

    def _narrow(self, box: _Box) -> bool:
        """Leave out what cannot matter; whether anything is left to look into.

        A box in which every state succeeds becomes a list of states, cheapest first.
        """
        problem, k = self.problem, kernels()
        common = (problem.costs, problem.first, self.limit)
        self.work += 2 * len(box.factors.slot_ladder) + len(problem.first)
        if not k.prune(box.factors, box.cells, *common) or not self._all_left(box.cells):
            box.branch["reason"] = "pruned"
            return False
        box.factors, box.shares = k.restrict(box.factors, box.shares, box.cells, *common)
        low, high = k.extremes(box.factors, box.cells, problem.first)
        if high < problem.score.least:
            box.branch["reason"] = "dead"
            return False
        if low >= problem.score.least:
            box.branch["reason"] = "states"
            states = Products(problem, box.cells)
            self._push(states.next_cost, states)
            return False
        return True

    def _improve(self, box: _Box, sweeps: int, patience: float, move: int) -> None:
        """Raise the bound of a box by so many sweeps at most."""
        improve, limits = kernels().improve, (sweeps, self.limit, patience, move)
        bound, box.multiplier, done = improve(*self._relaxed(box), *limits)
        self.work += done * (len(box.factors.slot_ladder) + len(self.problem.first))
        box.raise_to(float(bound))

    def _reduced(self, box: _Box) -> tuple[float, Floats]:
        """The bound of a box, and by how much it rises where a ladder is held at a cell."""
        self.work += len(box.factors.slot_ladder)
        bound, reduced = kernels().bound_of(*self._relaxed(box))
        return float(bound), reduced

    def _relaxed(self, box: _Box) -> tuple[Any, ...]:
        """What a bound of a box is made of."""
        problem, least = self.problem, self.problem.score.least
        shared = box.factors, box.shares, box.cells
        return *shared, problem.costs, problem.first, box.multiplier, least

    def _round(self, box: _Box) -> None:
        """Look for a success near what the shares of a box would choose."""
        _, reduced = self._reduced(box)
        parts = slices(np.diff(self.problem.first).tolist())
        choice = [
            np.lexsort((self.problem.costs[part], np.round(reduced[part], 9)))[0] for part in parts
        ]
        self._descend(np.array(choice, dtype=np.int64))

    def _descend(self, start: Ints) -> None:
        """Look for a cheap success near a state of cells."""
        problem = self.problem
        cells, succeeds, tried = kernels().descend(
            problem.trees,
            problem.unary,
            problem.base,
            problem.costs,
            problem.first,
            problem.score.least,
            start,
        )
        self.work += tried * (len(problem.trees[0]) * UNITS_PER_STATE + 1)
        if succeeds:
            state = [
                np.flatnonzero(cell == at)[each.costs[cell == at].argmin()]
                for each, cell, at in zip(problem.levels, problem.cells, cells, strict=True)
            ]
            self._judge(np.array([state], dtype=np.int64))

    def _take_some(self, states: Products) -> None:
        """Judge the next states of a box in which all succeed."""
        batch = states.take(states.portion, self.limit)
        self.work += len(batch) * len(self.problem.first)
        states.portion = min(2 * states.portion, MOST_WAITING)
        if len(batch):
            self._waiting.append(batch)
            self._push(states.next_cost, states)
        if sum(map(len, self._waiting)) > min(self.n_rejected // 2, MOST_WAITING):
            self._judge_waiting()

    def _judge_waiting(self) -> None:
        """Judge the states that wait: the more were rejected, the more are judged at once."""
        if self._waiting:
            waiting, self._waiting = np.concatenate(self._waiting), []
            self._judge(waiting)

    def _judge(self, states: Ints) -> None:
        """Ask the caller about successes that are cheaper than what is known."""
        new = [
            row
            for row in states
            if row.tobytes() not in self.judged
            and float(self.problem.cost(row[np.newaxis])[0]) < self.limit
        ]
        if new:
            batch = np.array(new, dtype=np.int64)
            good = np.ones(len(batch), dtype=bool)
            if self.accept is not None:
                self.work += UNITS_PER_CALL + UNITS_PER_JUDGED * len(batch)
                good = np.asarray(self.accept(batch), dtype=bool)
            self._take(batch, good)

    def _take(self, states: Ints, good: Bools) -> None:
        """Remember what was judged, and the cheapest of what was accepted."""
        self.judged.update((row.tobytes(), bool(g)) for row, g in zip(states, good, strict=True))
        self.n_rejected += int((~good).sum())
        costs = self.problem.cost(states)
        for i in np.flatnonzero(good):
            if costs[i] < self.limit:
                self.limit, self.state = float(costs[i]), states[i]


def _shares(factors: Any, shares: Floats, multiplier: float) -> tuple[Any, ...]:
    """The price of the threshold, and the tree, the ladder and the shares of every slot."""
    trees = np.repeat(factors.trees, np.diff(factors.slot_at)).astype(np.int64)
    parts = tuple(np.split(shares, factors.share_at[1:-1])) if len(trees) else ()
    return multiplier, trees, factors.slot_ladder.astype(np.int64), parts


class Products:
    """States of a box, cheapest first: one level per ladder out of those whose cells are left."""

    def __init__(self, problem: Problem, cells: Any) -> None:
        self.problem = problem
        parts = slices(np.diff(problem.first).tolist())
        self.levels = [
            order[cells[part][cell[order]] == 1]
            for order, cell, part in zip(problem.cheapest_levels, problem.cells, parts, strict=True)
        ]
        self.costs = [
            each.costs[kept].tolist()
            for each, kept in zip(problem.levels, self.levels, strict=True)
        ]
        least = sum(costs[0] for costs in self.costs)
        self.heap: list[tuple[float, tuple[int, ...], int]] = [(least, (0,) * len(self.levels), 0)]
        self.portion = 1

    @property
    def next_cost(self) -> float:
        """The cost of the next state, inf after the last."""
        return self.heap[0][0] if self.heap else np.inf

    def take(self, n: int, limit: float) -> Ints:
        """The next states, n at most, that are cheaper than the limit; (n, ladders)."""
        taken: list[list[int]] = []
        while self.heap and len(taken) < n and self.heap[0][0] < limit:
            cost, places, last = heapq.heappop(self.heap)
            taken.append([kept[at] for kept, at in zip(self.levels, places, strict=True)])
            for i in range(last, len(places)):
                at = places[i] + 1
                if at < len(self.costs[i]):
                    dearer = cost - self.costs[i][at - 1] + self.costs[i][at]
                    if dearer < limit:
                        after = (*places[:i], at, *places[i + 1 :])
                        heapq.heappush(self.heap, (dearer, after, i))
        return np.array(taken, dtype=np.int64).reshape(len(taken), len(self.levels))
