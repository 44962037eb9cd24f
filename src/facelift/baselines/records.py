"""Baselines whose journeys run through records: FACE, and a diverse set of the nearest.

FACE is Poyiadzi and others 2020, Feasible and Actionable Counterfactual Explanations: records are
joined to others nearby, steps through sparse regions may cost more, and the counterfactual is the
record nearest along the graph. A diverse set is chosen like the paper's alternatives.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from facelift import models
from facelift._arrays import Bools, Floats, Ints
from facelift.baselines.base import OnRecords
from facelift.errors import InvalidData, InvalidInput, check_number
from facelift.explainer import FACElift
from facelift.graph import edge_costs
from facelift.graph.edge_costs import EdgeCost
from facelift.graph.routes import Wanted, cheapest_apart
from facelift.multiverse.goal import goal_of
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.terrain import tables

Variant = Literal["knn", "epsilon", "kde"]


@dataclass(eq=False, repr=False)
class FACE(OnRecords):
    """The shortest journey through records, on one of the authors' three graphs.

    Parameters
    ----------
    model
        As in `FACElift`.
    terrain
        What may change and at what price (the authors' conditions on edges); inferred when None.
    variant
        "knn": each record leads to its `n_neighbors` nearest; "epsilon": to all within a cost of
        `epsilon`; "kde": to all within `epsilon` (or its nearest, without one), with the density
        of a kernel estimate.
    n_neighbors
        Neighbours of each record; not used where `epsilon` is.
    epsilon
        Largest cost of a step.
    edge_cost
        "distance": a step costs what its move costs. "density": as the authors weigh them, by the
        logarithm of the density estimate that belongs to the variant; where that would not be
        positive, an error says what to change.
    bandwidth
        Of the kernel estimate; Scott's rule if None.
    min_density
        Share of records, the sparsest, that cannot be counterfactuals (the authors' threshold on
        the density), by the kernel estimate.
    n_counterfactuals
        How many journeys to look for, shortest first.
    threshold
        Probability of the target that counts as reaching it.
    n_jobs
        As in `FACElift`.

    Examples
    --------
    >>> from facelift.toys import moons
    >>> world = moons(200)
    >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
    >>> explainer = FACE(model, variant="epsilon", epsilon=0.15).fit(world.points)
    >>> journey = explainer.explain(world.points[0])[0]
    >>> bool((journey.step_costs <= 0.15).all())
    True
    """

    _: KW_ONLY
    variant: Variant = "knn"
    n_neighbors: int = 20
    epsilon: float | None = None
    edge_cost: Literal["distance", "density"] = "distance"
    bandwidth: float | None = None
    min_density: float = 0.0
    n_counterfactuals: int = 1
    threshold: float = 0.5
    n_jobs: int | None = None

    def explain(self, x: Any, target: Any = None) -> Multiverse:
        """The shortest journeys of one case to the target outcome.

        Parameters
        ----------
        x
            One row of a frame, a Series, a mapping or a 1-D array, in or outside the table.
        target
            A class label or several (any of them will do); None for the other of two.
        """
        self._check_fitted()
        return self.explainer_.explain(x, target, among=self._among())

    def explain_many(self, X: Any, target: Any = None) -> list[Multiverse]:
        """One multiverse per row, in order; a hopeless row has an empty one that says why."""
        self._check_fitted()
        return self.explainer_.explain_many(X, target, among=self._among())

    def _explainer(self, X: Any) -> FACElift:
        terrain = self._terrain_of(X)
        limited = self.epsilon is not None and self.variant != "knn"
        return FACElift(
            self.model,
            terrain,
            n_neighbors=None if limited else self.n_neighbors,
            max_step=self.epsilon if limited else None,
            edge_cost=self._weighing(np.asarray(terrain.encode(X))),
            n_counterfactuals=self.n_counterfactuals,
            threshold=self.threshold,
            margin=0,
            n_jobs=self.n_jobs,
        )

    def _learn(self) -> None:
        self.dense_ = self._dense(self.graph_.points)[self.vertices_]

    def _among(self) -> Bools | None:
        return None if self.dense_.all() else self.dense_

    def _weighing(self, points: Floats) -> EdgeCost:
        """What steps cost, by variant."""
        if self.edge_cost == "distance":
            return edge_costs.distance
        if self.variant == "kde":
            return edge_costs.kde(points, self._bandwidth(points))
        if self.variant == "epsilon" and self.epsilon is not None:
            return edge_costs.ball(self.epsilon, points.shape[1])
        return edge_costs.density()

    def _dense(self, points: Floats) -> Bools:
        """Whether each point is dense enough to be a counterfactual."""
        if self.min_density == 0:
            return np.ones(len(points), dtype=bool)
        estimate = edge_costs.log_density(points, self._bandwidth(points))(points)
        return np.asarray(estimate >= np.quantile(estimate, self.min_density))

    def _bandwidth(self, points: Floats) -> float:
        return self.bandwidth or edge_costs.scott_bandwidth(points)

    def _check_parameters(self) -> None:
        if self.variant not in ("knn", "epsilon", "kde"):
            raise InvalidInput(f"variant must be 'knn', 'epsilon' or 'kde', got {self.variant!r}.")
        if self.edge_cost not in ("distance", "density"):
            raise InvalidInput(
                f"edge_cost must be 'distance' or 'density', got {self.edge_cost!r}."
            )
        if self.variant == "epsilon" and self.epsilon is None:
            raise InvalidInput("variant='epsilon' needs epsilon, the largest cost of a step.")
        for name in ("epsilon", "bandwidth"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), Real, "above 0", lambda v: v > 0)
        check_number("min_density", self.min_density, Real, "in [0, 1)", lambda v: 0 <= v < 1)


@dataclass(eq=False, repr=False)
class DiverseNearest(OnRecords):
    """The nearest records with the outcome that lie apart from each other.

    Records are taken by the cost of the direct move, each at least `min_separation` from those
    before it (Karimi and others 2020, as the paper uses it); how one gets there is found on the
    graph of records afterwards. Of records that no journey leads to there is none to tell.

    Parameters
    ----------
    model
        As in `FACElift`.
    terrain
        What may change and at what price; inferred when None.
    n_counterfactuals
        How many to look for.
    min_separation
        Least Euclidean distance, on points, between two of them.
    n_neighbors
        Of each record, in the graph that journeys run through.
    threshold
        Probability of the target that counts as reaching it.

    Examples
    --------
    >>> from facelift.toys import moons
    >>> world = moons(200)
    >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
    >>> explainer = DiverseNearest(model, n_counterfactuals=3, min_separation=0.4).fit(world.points)
    >>> ends = np.array([journey.counterfactual for journey in explainer.explain(world.points[0])])
    >>> bool(np.linalg.norm(ends[0] - ends[1]) >= 0.4)
    True
    """

    _: KW_ONLY
    n_counterfactuals: int = 5
    min_separation: float = 1.0
    n_neighbors: int = 20
    threshold: float = 0.5

    def explain(self, x: Any, target: Any = None) -> Multiverse:
        """Journeys of one case to the nearest records with the outcome that lie apart.

        Parameters
        ----------
        x
            One row of a frame, a Series, a mapping or a 1-D array, in or outside the table.
        target
            A class label or several (any of them will do); None for the other of two.
        """
        chosen = self.nearest(x, target)
        return self.explainer_.explain(x, target, among=np.isin(self.vertices_, chosen))

    def explain_many(self, X: Any, target: Any = None) -> list[Multiverse]:
        """One multiverse per row, in order; a hopeless row has an empty one that says why."""
        self._check_fitted()
        frame = tables.conform(X, self.terrain_.schema)
        return [self._explained(frame.iloc[[i]], target) for i in range(len(frame))]

    def nearest(self, x: Any, target: Any = None) -> Ints:
        """Vertices of these records, nearest first, whether or not a journey leads there.

        >>> from facelift import toys
        >>> line, model = toys.line()
        >>> DiverseNearest(model, min_separation=0.3).fit(line).nearest([2.0]).tolist()
        [5, 8]
        """
        self._check_fitted()
        point = np.asarray(self.terrain_.point(x))[np.newaxis, :]
        current = models.probabilities(self.model, self.terrain_.decode(point), 1)[0]
        goal = goal_of(target, self.classes_.tolist(), current, self.threshold)
        points = self.graph_.points
        costs = self.terrain_.prices.cost(point, points)
        can_be = goal.reached(self.probabilities_) & self.terrain_.admissible(points)
        found = np.flatnonzero(can_be & np.isfinite(costs) & (points != point).any(axis=1))
        wanted = Wanted(self.n_counterfactuals, self.min_separation)
        return cheapest_apart(self.graph_, found, costs[found], wanted)

    def _explainer(self, X: Any) -> FACElift:  # noqa: ARG002  (FACE's graph depends on the table)
        return FACElift(
            self.model,
            self.terrain,
            n_neighbors=self.n_neighbors,
            n_counterfactuals=self.n_counterfactuals,
            threshold=self.threshold,
            margin=0,
        )

    def _explained(self, row: Any, target: Any) -> Multiverse:
        try:
            return self.explain(row, target)
        except InvalidData as fault:
            return Multiverse((), (), why_not=WhyNot("bad row", str(fault), ""))

    def _check_parameters(self) -> None:
        check_number(
            "n_counterfactuals", self.n_counterfactuals, Integral, "1 or more", lambda v: v >= 1
        )
        check_number("min_separation", self.min_separation, Real, "0 or more", lambda v: v >= 0)
