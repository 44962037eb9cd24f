"""FACE (Poyiadzi and others 2020): the shortest journey through records to one with the outcome.

Feasible and Actionable Counterfactual Explanations: records are joined to others nearby, steps
through sparse regions may cost more, and the counterfactual is the record nearest along the graph.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.baselines.base import OnRecords
from facelift.errors import InvalidInput, check_number
from facelift.explainer import FACElift
from facelift.graph import edge_costs
from facelift.graph.edge_costs import EdgeCost
from facelift.multiverse.multiverse import Multiverse

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
