"""Proving what no search can: that nothing cheaper exists, of models that can be read.

A `Problem` is what is to be proven: a score, and the levels among which a person can choose. Levels
that the score does not tell apart are one cell; the compiled loops know cells only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput
from facelift.models.proving.reading import Score


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of one ladder: `inputs` (k, m) are what the model sees, `costs` (k,) the price.

    Each row of `inputs` is the person's own with this ladder moved to a level.
    """

    inputs: Floats
    costs: Floats

    def __len__(self) -> int:
        return len(self.costs)


@dataclass(frozen=True, eq=False)
class Problem:
    """A score, a person's own inputs, and the levels of all ladders; see `Problem.of`.

    Cells are levels that the score tells apart; `first` says where those of each ladder begin.
    """

    score: Score
    factual: Floats
    levels: tuple[Levels, ...]
    columns: tuple[Ints, ...]
    """Columns of the inputs that each ladder moves."""
    first: Ints
    costs: Floats
    """The least cost of each cell."""
    cells: tuple[Ints, ...]
    """The cell of each level, numbered within its ladder."""
    unary: Floats
    base: float
    trees: tuple[Any, ...]

    @classmethod
    def of(cls, score: Score, factual: Floats, levels: Sequence[Levels]) -> Problem:
        """The problem of a person whose own inputs are `factual`, (m,).

        >>> score = Score(base=0.0, least=1.5, weights=np.array([1.0, 1.0]))
        >>> first = Levels(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, 1.0]))
        >>> other = Levels(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([0.0, 3.0]))
        >>> problem = Problem.of(score, np.zeros(2), [first, other])
        >>> states = np.array([[0, 1], [1, 1]])
        >>> problem.cost(states), score.values(problem.inputs(states))
        (array([3., 4.]), array([2., 3.]))
        """
        columns = _moved_columns(factual, levels)
        ladder_of, goes, fixed = _sides(score, factual, levels, columns)
        own = _own_parts(score, factual, levels)
        cells = tuple(
            _cells(goes[ladder_of == i][:, : len(each)], own[i]) for i, each in enumerate(levels)
        )
        first = np.cumsum([0, *(int(each.max()) + 1 for each in cells)])
        places = [_first_of(each) for each in cells]
        cell_goes = np.zeros((len(goes), int(np.diff(first).max(initial=1))), dtype=np.uint8)
        for i, place in enumerate(places):
            mine = np.flatnonzero(ladder_of == i)
            cell_goes[mine, : len(place)] = goes[mine][:, place]
        parts = [own[i][place] for i, place in enumerate(places)]
        least = [
            np.minimum.reduceat(each.costs[order], np.searchsorted(cell[order], np.arange(k)))
            for each, cell, k in zip(levels, cells, np.diff(first).tolist(), strict=True)
            for order in [np.argsort(cell, kind="stable")]
        ]
        base = score.base if score.weights is None else score.base + float(factual @ score.weights)
        return cls(
            score,
            factual,
            tuple(levels),
            columns,
            first,
            _together(least),
            cells,
            _together(parts),
            base,
            _tree_arrays(score, ladder_of, cell_goes, fixed),
        )

    def inputs(self, states: Ints) -> Floats:
        """What the model sees in states, (n, ladders); (n, m)."""
        rows = np.tile(self.factual, (len(states), 1))
        for i, (each, columns) in enumerate(zip(self.levels, self.columns, strict=True)):
            rows[:, columns] = each.inputs[states[:, i]][:, columns]
        return rows

    def cost(self, states: Ints) -> Floats:
        """What states cost, (n, ladders); (n,)."""
        total = np.zeros(len(states))
        for i, each in enumerate(self.levels):
            total += each.costs[states[:, i]]
        return total

    @property
    def most(self) -> float:
        """A cost that no state reaches."""
        dearest = sum(float(each.costs.max()) for each in self.levels)
        return dearest * (1 + 1e-6) + 1e-6

    @cached_property
    def cheapest_levels(self) -> tuple[Ints, ...]:
        """The levels of each ladder, cheapest first."""
        return tuple(np.argsort(each.costs, kind="stable") for each in self.levels)


def _moved_columns(factual: Floats, levels: Sequence[Levels]) -> tuple[Ints, ...]:
    """Columns that each ladder moves; no two may move the same."""
    taken = np.zeros(len(factual), dtype=bool)
    columns = []
    for each in levels:
        same = (each.inputs == factual) | (np.isnan(each.inputs) & np.isnan(factual))
        moved = ~same.all(axis=0)
        if (moved & taken).any():
            raise InvalidInput("Two ladders move the same column of the model's inputs.")
        taken |= moved
        columns.append(np.flatnonzero(moved))
    return tuple(columns)


def _sides(
    score: Score, factual: Floats, levels: Sequence[Levels], columns: tuple[Ints, ...]
) -> tuple[Ints, Bools, Bools]:
    """The ladder each node asks about (-1 a leaf, -2 none), and who goes left there.

    Levels of its ladder, (nodes, levels); and the person, where no ladder is asked about.
    """
    widest = max((len(each) for each in levels), default=1)
    if score.trees is None:
        return np.zeros(0, np.int64), np.zeros((0, widest), bool), np.zeros(0, bool)
    trees = score.trees
    owner = np.full(len(factual) + 1, -2)
    owner[-1] = -1  # the column of a leaf
    for i, moved in enumerate(columns):
        owner[moved] = i
    ladder_of = owner[trees.columns]
    goes = np.zeros((len(trees.columns), widest), dtype=bool)
    for i, each in enumerate(levels):
        mine = np.flatnonzero(ladder_of == i)
        values = each.inputs[:, trees.columns[mine]].T
        goes[mine, : len(each)] = trees.goes_left(mine[:, np.newaxis], values)
    fixed = np.zeros(len(trees.columns), dtype=bool)
    stays = np.flatnonzero(ladder_of == -2)
    fixed[stays] = trees.goes_left(stays, factual[trees.columns[stays]])
    return ladder_of, goes, fixed


def _own_parts(score: Score, factual: Floats, levels: Sequence[Levels]) -> list[Floats]:
    """What each level adds to the score by itself: nothing but in a linear model."""
    if score.weights is None:
        return [np.zeros(len(each)) for each in levels]
    return [(each.inputs - factual) @ score.weights for each in levels]


def _cells(goes: Bools, own: Floats) -> Ints:
    """Cells of levels, numbered as they first appear: alike at all nodes, and by themselves."""
    signs = np.packbits(goes, axis=0).T
    seen: dict[bytes, int] = {}
    keys = [row.tobytes() + part.tobytes() for row, part in zip(signs, own, strict=True)]
    return np.array([seen.setdefault(key, len(seen)) for key in keys])


def _first_of(cells: Ints) -> Ints:
    """The first level of each cell."""
    return np.unique(cells, return_index=True)[1]


def _together(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros(0), *parts])


def _tree_arrays(score: Score, ladder_of: Ints, goes: Any, fixed: Bools) -> tuple[Any, ...]:
    """Roots, ladders, children, values and sides of nodes, as the compiled loops take them."""
    if score.trees is None:
        none = np.zeros(0, dtype=np.int64)
        return none, none.astype(np.int32), none, none, np.zeros(0), goes, fixed
    trees = score.trees
    values = np.ascontiguousarray(trees.values[:, 0])
    return trees.roots, ladder_of.astype(np.int32), trees.left, trees.right, values, goes, fixed
