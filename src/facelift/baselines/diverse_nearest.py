"""A diverse set of the nearest records with the outcome, as the paper's alternatives are chosen."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from facelift import models
from facelift._arrays import Ints
from facelift.baselines.base import OnRecords
from facelift.errors import InvalidData, check_number
from facelift.explainer import FACElift
from facelift.graph.routes import Wanted, cheapest_apart
from facelift.multiverse.goal import goal_of
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.terrain import tables


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
