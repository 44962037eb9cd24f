"""A person's problem for treecf, restricted to our levels and prices.

A column with an order becomes switches, one between each level and the next, each with the price of
that step, and none on before the one below it. A category becomes a category with one price.
treecf knows ends and no plausibility of ours: its cheapest end is a lower bound of ways.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from facelift.models.proving import Problem


@dataclass(frozen=True, eq=False)
class Column:
    """A ladder as treecf sees it: its cells in order, its first feature and where one stands."""

    ladder: int
    first: int
    cells: Any
    costs: Any
    own: int
    switches: bool

    @property
    def width(self) -> int:
        return len(self.cells) - 1 if self.switches else 1

    def values(self, place: int) -> list[float]:
        """The features of a place among the cells."""
        if not self.switches:
            return [float(place)]
        return [float(place > j) for j in range(self.width)]

    def place(self, values: Any) -> int:
        return int(values.sum() if self.switches else values[0])

    def weights(self) -> list[float]:
        steps = np.abs(np.diff(self.costs)) if self.switches else [self.costs.max(initial=0.0)]
        return [max(float(step), 1e-9) for step in steps]


def columns_of(problem: Problem, ladders: Any) -> list[Column] | None:
    """The columns for treecf; None where it cannot be told the prices."""
    found, first = [], 0
    for i, ladder in enumerate(ladders):
        costs = problem.costs[problem.first[i] : problem.first[i + 1]]
        nearest = [np.flatnonzero(problem.cells[i] == c)[0] for c in range(len(costs))]
        switches = ladder.values.shape[1] == 1
        order = np.argsort(ladder.values[nearest, 0]) if switches else np.arange(len(costs))
        own = int(np.flatnonzero(order == problem.cells[i][0])[0])
        others = np.delete(costs[order], own)
        if not switches and len(others) and np.ptp(others) > 1e-9:
            return None
        if switches and (np.diff(costs[order[own:]]) < 0).any():
            return None
        found.append(Column(i, first, order, costs[order], own, switches))
        first += found[-1].width
    return found


@dataclass(frozen=True, eq=False)
class Writer:
    """One tree of a problem, written node by node as treecf keeps it."""

    ir: Any
    problem: Problem
    columns: list[Column]
    nodes: list[Any]

    def write(self, at: int) -> int:
        """Write what a node of the problem leads to; the number of the node written."""
        _, ladder_of, left, right, values, goes, fixed = self.problem.trees
        if ladder_of[at] == -1:
            return self._keep(lambda: (None, None, None, None, None, None, float(values[at])))
        if ladder_of[at] == -2:
            return self.write(int(left[at] if fixed[at] else right[at]))
        column = self.columns[ladder_of[at]]
        sides = goes[at][column.cells].astype(bool)
        return self._split(column, sides, 0, int(left[at]), int(right[at]))

    def _split(self, column: Column, sides: Any, start: int, left: int, right: int) -> int:
        """Write a split of the places from `start` on, at each of which it goes left or right."""
        ahead = sides[start:]
        if (ahead == ahead[0]).all():
            return self.write(left if ahead[0] else right)
        if not column.switches:
            chosen = frozenset(np.flatnonzero(sides).tolist())
            ends = lambda: (self.write(left), self.write(right))  # noqa: E731
            return self._keep(lambda: (column.first, None, None, False, *ends(), None, chosen))
        turn = start + int((ahead != ahead[0]).argmax())
        return self._keep(
            lambda: (
                column.first + turn - 1,
                0.5,
                self.ir.SplitOp.LE,
                True,
                self.write(left if ahead[0] else right),
                self._split(column, sides, turn, left, right),
                None,
            )
        )

    def _keep(self, written: Any) -> int:
        """Number a node before those below it are."""
        place = len(self.nodes)
        self.nodes.append(None)
        self.nodes[place] = self.ir.Node(place, *written())
        return place


def ensemble_of(treecf: Any, problem: Problem, columns: list[Column]) -> Any:
    """The trees as treecf writes them, asking about the features of columns."""
    from treecf.ir.model import CategoricalFeature

    ir, trees = treecf.ir, []
    for root in problem.trees[0]:
        writer = Writer(ir, problem, columns, [])
        writer.write(int(root))
        trees.append(ir.Tree(tuple(writer.nodes)))
    n = sum(column.width for column in columns)
    words = {c.first: CategoricalFeature(len(c.cells)) for c in columns if not c.switches}
    names = tuple(f"f{i}" for i in range(n))
    return ir.EnsembleIR(tuple(trees), problem.base, ir.Link.IDENTITY, n, names, {}, words)


def treecf_state(problem: Problem, ladders: Any, seconds: float) -> tuple[Any, bool] | None:
    """The state treecf finds and whether it is proven; None where it cannot be asked."""
    import treecf

    columns = columns_of(problem, ladders)
    if columns is None or problem.score.trees is None:
        return None
    explainer = explainer_of(treecf, problem, columns)
    start = np.array([value for column in columns for value in column.values(column.own)])
    target = treecf.Target.raw(op=">=", value=problem.score.least)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = explainer.explain(start, target, "exact", seed=0, time_budget_s=seconds)
    if not hasattr(found, "x_cf"):
        return None
    return state_of(problem, columns, found.x_cf), found.proof == "optimal"


def explainer_of(treecf: Any, problem: Problem, columns: list[Column]) -> Any:
    """treecf with our prices, and switches that are on only if the one below is."""
    ensemble = ensemble_of(treecf, problem, columns)
    switches = [
        [f"f{column.first + i}" for i in range(column.width)]
        for column in columns
        if column.switches
    ]
    rules = [treecf.Range(name, 0.0, 1.0) for names in switches for name in names]
    rules += [
        treecf.Linear({above: 1.0, below: -1.0}, "<=", 0.0)
        for names in switches
        for below, above in pairwise(names)
    ]
    weights = [weight for column in columns for weight in column.weights()]
    return treecf.Explainer(
        ensemble,
        constraints=rules,
        weights=dict(zip(ensemble.feature_names, weights, strict=True)),
        normalizers=np.ones(len(weights)),
        value_policy={name: "integer" for names in switches for name in names},
    )


def state_of(problem: Problem, columns: list[Column], values: Any) -> Any:
    """The state that treecf's features stand for: of each cell the cheapest level."""
    state = np.zeros(len(columns), dtype=np.int64)
    for column in columns:
        cell = column.cells[column.place(values[column.first : column.first + column.width])]
        levels = np.flatnonzero(problem.cells[column.ladder] == cell)
        costs = problem.levels[column.ladder].costs[levels]
        state[column.ladder] = levels[costs.argmin()]
    return state
