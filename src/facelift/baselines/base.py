"""What baselines share: the estimator, and two ways from a table to journeys.

`OnRecords` chooses among records and leaves the rest to `FACElift`; `Synthetic` makes states up,
and whatever it proposes is made what a row could be, and verified before it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from facelift import models
from facelift._arrays import Bools, Floats
from facelift.errors import InvalidData, MissingValues, NotFitted, check_number
from facelift.explainer import FACElift
from facelift.graph.points import distinct_points
from facelift.multiverse import whynot
from facelift.multiverse.bridging import bridged
from facelift.multiverse.exploration import described
from facelift.multiverse.goal import Goal, goal_of
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.steps.base import check_case, points_or_faults
from facelift.terrain import tables
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain


@dataclass(eq=False, repr=False)
class Baseline(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """An estimator whose parameters are its fields: `__init__` stores them and does no more."""

    model: Any
    terrain: Terrain | None = None

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy that shares the fitted model: it is what is explained, not a part."""
        return type(self)(**self.get_params(deep=False))

    def _terrain_of(self, X: Any) -> Terrain:
        """The terrain given, or else the one that the table suggests."""
        return Terrain.infer(X) if self.terrain is None else self.terrain.given_as(X)

    def _check_parameters(self) -> None:
        """An error if a parameter cannot be right."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not hasattr(self, "terrain_"):
            raise NotFitted(f"This {type(self).__name__} is not fitted yet; call fit(X) first.")
        self._check_parameters()


class OnRecords(Baseline):
    """An explainer that chooses among records; `FACElift` finds the journeys to them."""

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002  (scikit-learn's signature)
        """Learn the records, and the graph that journeys run through.

        Fitted attributes: `graph_`, `terrain_`, `probabilities_`, `classes_`, `vertices_`.
        """
        self._check_parameters()
        self.explainer_ = self._explainer(X).fit(X)
        for name in ("graph_", "terrain_", "probabilities_", "classes_", "vertices_"):
            setattr(self, name, getattr(self.explainer_, name))
        self._learn()
        return self

    def _explainer(self, X: Any) -> FACElift:
        """The explainer that does the work."""
        raise NotImplementedError

    def _learn(self) -> None:
        """Whatever else the choice needs to know of the records."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """What a search for one person came to: a state, or None, and how many states it judged."""

    state: Floats | None
    n_states: int
    best_chance: float


class Inquiry:
    """Asking whether states of one person have the outcome; counts, and keeps the best chance."""

    def __init__(
        self,
        terrain: Terrain,
        rounded: Rounding,
        ask: Callable[[Floats], Floats],
        factual: Floats,
        goal: Goal,
    ) -> None:
        self._terrain, self._rounded, self._ask = terrain, rounded, ask
        self._factual, self._goal = factual, goal
        self.n_states, self.best_chance = 0, 0.0

    def rounded(self, points: Floats, box: Reach) -> Floats:
        """The nearest states within the box that rows can be."""
        return self._rounded(np.clip(points, box.low, box.high))

    def successes(self, states: Floats) -> Bools:
        """Which states the rules allow and the model sees as wanted; shape (n,)."""
        wanted = permitted(self._terrain, self._factual, states)
        if wanted.any():
            answers = self._ask(states[wanted])
            self.n_states += len(answers)
            self.best_chance = max(self.best_chance, float(self._goal.chances(answers).max()))
            wanted[wanted] = self._goal.reached(answers)
        return wanted


@dataclass(eq=False, repr=False)
class Synthetic(Baseline):
    """An explainer whose counterfactuals are states of its own making.

    Whatever a search proposes is checked before it is told: the rules must allow it and the model
    must say so. Journeys to it are bridged through the records (Algorithm 6).
    """

    _: KW_ONLY
    threshold: float = 0.5
    random_state: int = 0

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002  (scikit-learn's signature)
        """Learn the records.

        Fitted attributes: `points_` (distinct records), `vertices_` (the point of every row),
        `terrain_`, `probabilities_` (of every point), `classes_`.
        """
        self._check_parameters()
        terrain = self._terrain_of(X)
        if gapped := [str(feature.name) for feature in terrain.features if feature.missing]:
            raise MissingValues(
                f"{type(self).__name__} makes states up, which have all their values; drop or fill "
                f"missing ones in {', '.join(gapped)}."
            )
        points, vertices, _ = distinct_points(np.asarray(terrain.encode(X)))
        answers = models.probabilities(self.model, terrain.decode(points), len(points))
        self.terrain_, self.points_, self.vertices_ = terrain, points, vertices
        self.probabilities_ = answers
        self.classes_ = np.array(models.class_labels(self.model, answers.shape[1]))
        self.n_features_in_ = len(terrain.features)
        self.feature_names_in_ = np.array(terrain.schema.names, dtype=object)
        self._rounded = rounding(terrain)
        self._enterable = terrain.admissible(points)
        self._passable = points if self._enterable.all() else points[self._enterable]
        self._learn()
        return self

    def explain(self, x: Any, target: Any = None) -> Multiverse:
        """The journey of one case to a counterfactual made up for it; empty if none was found.

        Parameters
        ----------
        x
            One row of a frame, a Series, a mapping or a 1-D array, in or outside the table.
        target
            A class label or several (any of them will do); None for the other of two.
        """
        self._check_fitted()
        return self._explain([self.terrain_.point(x)], target)[0]

    def explain_many(self, X: Any, target: Any = None) -> list[Multiverse]:
        """One multiverse per row, in order; a hopeless row has an empty one that says why."""
        self._check_fitted()
        found = points_or_faults(self.terrain_, tables.conform(X, self.terrain_.schema))
        faults = {i: self._fault(point) for i, point in enumerate(found)}
        good = [i for i, fault in faults.items() if fault is None]
        answers = self._explain([found[i] for i in good], target)  # type: ignore[misc]
        told_ones = dict(zip(good, answers, strict=True))
        return [
            told_ones[i] if fault is None else Multiverse((), (), why_not=fault)
            for i, fault in faults.items()
        ]

    def _learn(self) -> None:
        """Whatever else a search needs to know of the records."""

    def _check_parameters(self) -> None:
        check_number("threshold", self.threshold, Real, "in (0, 1]", lambda v: 0 < v <= 1)
        check_number("random_state", self.random_state, Integral, "0 or more", lambda v: v >= 0)

    def _search(self, factuals: Floats, goal: Goal) -> list[Attempt]:
        """An attempt for each of some factuals that have the same goal."""
        raise NotImplementedError

    def _inquiry(self, factual: Floats, goal: Goal) -> Inquiry:
        return Inquiry(self.terrain_, self._rounded, self._ask, factual, goal)

    def _ask(self, points: Floats) -> Floats:
        return models.probabilities(self.model, self.terrain_.decode(points), len(points))

    def _fault(self, point: Floats | InvalidData) -> WhyNot | None:
        """What is wrong with a row, if anything."""
        try:
            if isinstance(point, InvalidData):
                raise point
            check_case(self.terrain_, point)
        except InvalidData as fault:
            return WhyNot("bad row", str(fault), "")
        return None

    def _explain(self, points: Sequence[Floats], target: Any) -> list[Multiverse]:
        """Cases with the same goal are searched together, which some searches are quicker at."""
        if not points:
            return []
        factuals = np.array(points) + 0.0  # no -0.0
        for factual in factuals:
            check_case(self.terrain_, factual)
        answers = self._ask(factuals)
        classes = self.classes_.tolist()
        goals = [goal_of(target, classes, answer, self.threshold) for answer in answers]
        found: dict[int, Multiverse] = {}
        for goal in set(goals):
            reached = goal.reached(answers)
            same = np.array([each == goal for each in goals])
            for i in np.flatnonzero(same & reached).tolist():
                why_not = whynot.already_there(goal, float(goal.chances(answers[i])))
                found[i] = Multiverse((), (), why_not=why_not, goal=goal)
            wanting = np.flatnonzero(same & ~reached)
            attempts = self._search(factuals[wanting], goal) if len(wanting) else []
            for i, attempt in zip(wanting.tolist(), attempts, strict=True):
                found[i] = self._multiverse(factuals[i], attempt, goal)
        return [found[i] for i in range(len(factuals))]

    def _multiverse(self, factual: Floats, attempt: Attempt, goal: Goal) -> Multiverse:
        """The journey to what a search proposes, if it is allowed and the model agrees."""
        state = attempt.state
        verified = state is not None and self._inquiry(factual, goal).successes(state[np.newaxis])
        if state is None or not verified:
            why_not = whynot.not_found(goal, attempt.best_chance, attempt.n_states)
            return Multiverse((), (), why_not=why_not, goal=goal)
        found = bridged(factual, state, self._passable, self.terrain_.prices)
        answers = self._ask(found[0].waypoints)
        return described(replace(found, goal=goal), self.terrain_, answers.__getitem__)


Rounding = Callable[[Floats], Floats]
"""The nearest points that rows of a table encode to; shape (n, m)."""


def rounding(terrain: Terrain) -> Rounding:
    """How points of a terrain become those of rows: whole numbers whole, levels on one level.

    Features that can take any number, such as pixels, stay as they are.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 40], "housing": ["own", "rent"]})
    >>> rounding(Terrain.infer(table))(np.array([[0.51, 0.4, 0.3]])).tolist()
    [[0.5, 1.0, 0.0]]
    """
    functions = [
        (place, partial(kind_of(feature).rounded, feature, decimals=0))
        for (feature, place), held in zip(terrain.parts, terrain.schema.held, strict=True)
        if kind_of(feature).grain(feature, whole=held.whole) != 0
    ]

    def rounded(points: Floats) -> Floats:
        found = points.copy()
        for place, function in functions:
            found[:, place] = function(points[:, place])
        return found

    return rounded


@dataclass(frozen=True, eq=False)
class Reach:
    """What one person can become: every coordinate between `low` and `high`; shape (m,) each."""

    factual: Floats
    low: Floats
    high: Floats

    @property
    def free(self) -> Bools:
        """Coordinates that can change at all; shape (m,)."""
        return self.low < self.high

    @property
    def radius(self) -> float:
        """Distance to the farthest corner."""
        farthest = np.maximum(self.high - self.factual, self.factual - self.low)
        return float(np.sqrt((farthest**2).sum()))


def reach(terrain: Terrain, factual: Floats) -> Reach:
    """The box of what a person can become: within the range seen, bounds and directions.

    Rules between columns, and single changes of ordered levels, are no matter of a box.

    >>> terrain = Terrain.infer(np.array([[0.0, 0.0], [10.0, 1.0]]))
    >>> box = reach(terrain.increase_only("x0").freeze("x1"), np.array([0.4, 0.0]))
    >>> box.low.tolist(), box.high.tolist()
    ([0.4, 0.0], [1.0, 0.0])
    """
    low, high = np.zeros(len(factual)), np.ones(len(factual))
    for feature, place in zip(terrain.features, terrain.slices, strict=True):
        low[place], high[place] = kind_of(feature).reach(feature, factual[place])
    return Reach(factual, low, high)


def permitted(terrain: Terrain, factual: Floats, points: Floats) -> Bools:
    """Whether the rules let a person become each of some states other than what they are; (n,)."""
    allowed = np.isfinite(terrain.prices.cost(factual, points))
    allowed &= (points != factual).any(axis=1)
    allowed[allowed] = terrain.admissible(points[allowed])
    return allowed
