"""FACElift: from a table and a model to multiverses; the only module that meets both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from facelift import models, storage
from facelift.arrays import Floats, Ints
from facelift.errors import InvalidData, InvalidInput, NotFitted, nearest_name
from facelift.graph.edge_costs import EdgeCost, density, distance, kde, power, scott_bandwidth
from facelift.graph.graph import Graph
from facelift.graph.rows import Neighbourhood, attached, distinct_points, row_graph
from facelift.multiverse import whynot
from facelift.multiverse.destinations import absorbing, search_destinations
from facelift.multiverse.exploration import journeys_to
from facelift.multiverse.goal import Goal
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.terrain import encoding
from facelift.terrain.terrain import Terrain


class FACElift(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Counterfactual journeys through real records, compared by what they keep open.

    Parameters
    ----------
    model
        A fitted classifier with `predict_proba` (pipelines are fine), or a function from rows to
        one probability column per class. It gets what `fit` got: frames as frames, arrays as
        arrays.
    terrain
        What may change and at what price; inferred from the table when None.
    steps
        "rows": each step leads from one real record to another.
    n_neighbors
        How many nearest admissible records each record leads to; None with `max_step` for all
        within that cost.
    edges
        "union" adds the reverse of each edge where allowed, "out" does not (Algorithm 4),
        "mutual" keeps pairs that chose each other.
    edge_cost
        "distance" (the cost of the move), "density" or "kde" (FACE), or a function of
        `facelift.graph.Edges`, such as `facelift.graph.power(2)`.
    n_counterfactuals
        How many destinations to look for: the nearest by journey cost.
    threshold
        Probability of the target that counts as reaching it.
    min_separation
        Least Euclidean distance, on points, between two destinations.
    max_steps
        Destinations whose cheapest journey takes more steps are left out.
    max_step
        Largest cost of a single step.
    stop_at_first
        Whether a journey must end at the first record that has the outcome.
    n_jobs
        How many threads `explain_many` uses, as in joblib.
    random_state
        Seed of whatever draws at random. Searching through rows does not: it is here so that the
        parameters of all explainers read alike.

    Examples
    --------
    >>> from facelift.toys import moons
    >>> world = moons(200)
    >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
    >>> explainer = FACElift(model, n_neighbors=5, n_counterfactuals=3).fit(world.points)
    >>> multiverse = explainer.explain(world.points[0])
    >>> len(multiverse), multiverse[0].n_steps > 1
    (3, True)
    """

    def __init__(
        self,
        model: Any,
        terrain: Terrain | None = None,
        *,
        steps: str = "rows",
        n_neighbors: int | None = 20,
        edges: str = "union",
        edge_cost: str | EdgeCost = "distance",
        n_counterfactuals: int = 10,
        threshold: float = 0.5,
        min_separation: float = 0.0,
        max_steps: int | None = None,
        max_step: float | None = None,
        stop_at_first: bool = False,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.model = model
        self.terrain = terrain
        self.steps = steps
        self.n_neighbors = n_neighbors
        self.edges = edges
        self.edge_cost = edge_cost
        self.n_counterfactuals = n_counterfactuals
        self.threshold = threshold
        self.min_separation = min_separation
        self.max_steps = max_steps
        self.max_step = max_step
        self.stop_at_first = stop_at_first
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002  (scikit-learn's signature)
        """Learn the graph of records that journeys run through.

        Fitted attributes: `graph_`, `terrain_`, `probabilities_` (of every vertex), `classes_`,
        `vertices_` (the vertex of every row of X), `multiplicity_` (the rows of every vertex).
        """
        self._check_parameters()
        terrain = Terrain.infer(X) if self.terrain is None else self.terrain
        points, vertices, counts = distinct_points(np.asarray(terrain.encode(X)))
        answers = self._ask(terrain, points)
        self.terrain_ = terrain
        self.vertices_, self.multiplicity_ = vertices, counts
        self.probabilities_ = answers
        self.classes_ = np.array(models.class_labels(self.model, answers.shape[1]))
        self.n_features_in_ = len(terrain.features)
        self.feature_names_in_ = np.array(terrain.schema.names, dtype=object)
        self._enterable = terrain.within_bounds(points)
        self.graph_ = row_graph(points, self._neighbourhood(points), self._enterable)
        return self

    def explain(self, x: Any, target: Any = None) -> Multiverse:
        """Journeys of one case to the target outcome.

        Parameters
        ----------
        x
            One row of a frame, a Series, a mapping or a 1-D array, in or outside the table.
        target
            A class label or several (any of them will do); None for any other than the predicted.
        """
        self._check_fitted()
        case = self._case(x)
        wanted = self._target(target, case.probabilities)
        return self._explain(case, wanted)

    def explain_many(self, X: Any, target: Any = None) -> list[Multiverse]:
        """One multiverse per row, in order; a hopeless row has an empty one that says why."""
        self._check_fitted()
        frame = encoding.conform(X, self.terrain_.schema)
        rows = [frame.iloc[[i]] for i in range(len(frame))]
        if self.n_jobs in (None, 1):
            return [self._explain_row(row, target) for row in rows]
        from joblib import Parallel, delayed

        tasks = (delayed(self._explain_row)(row, target) for row in rows)
        return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(tasks))

    def save(self, folder: str | Path) -> None:
        """Write the fitted explainer, without its model, to a folder of arrays and JSON."""
        self._check_fitted()
        parameters = {k: v for k, v in self.get_params(deep=False).items() if k not in _NOT_SAVED}
        storage.write(
            folder,
            storage.Content(
                parameters=parameters,
                terrain=self.terrain_,
                graph=self.graph_,
                probabilities=self.probabilities_,
                classes=self.classes_.tolist(),
                vertices=self.vertices_,
                multiplicity=self.multiplicity_,
            ),
        )

    @classmethod
    def load(cls, folder: str | Path, *, model: Any) -> Self:
        """Read a saved explainer; the model must answer as the one it was fitted with."""
        content = storage.read(folder)
        explainer = cls(model, content.terrain, **content.parameters)
        explainer.terrain_ = content.terrain
        explainer.graph_ = content.graph
        explainer.vertices_, explainer.multiplicity_ = content.vertices, content.multiplicity
        explainer.probabilities_ = content.probabilities
        explainer.classes_ = np.array(content.classes)
        explainer.n_features_in_ = len(content.terrain.features)
        explainer.feature_names_in_ = np.array(content.terrain.schema.names, dtype=object)
        explainer._enterable = content.terrain.within_bounds(content.graph.points)
        explainer._check_same_model()
        return explainer

    def _explain_row(self, row: pd.DataFrame, target: Any) -> Multiverse:
        try:
            return self.explain(row, target)
        except InvalidData as fault:
            why = WhyNot("bad row", str(fault), "")
            return Multiverse((), (), why_not=why)

    def _explain(self, case: _Case, wanted: Ints) -> Multiverse:
        names = tuple(map(str, self.classes_))
        goal = Goal(tuple(names[i] for i in wanted), self.threshold, names)
        chance = float(case.probabilities[wanted].sum())
        if chance >= self.threshold:
            return Multiverse((), (), why_not=whynot.already_there(goal, chance), goal=goal)
        chances = self.probabilities_[:, wanted].sum(axis=1)
        found = self._search(case, chances)
        if found.why_not is not None:
            return replace(found, why_not=self._why_not(found.why_not, goal, chances), goal=goal)
        journeys = tuple(self._told(journey, case, wanted) for journey in found)
        return replace(found, journeys=journeys, goal=goal)

    def _search(self, case: _Case, chances: Floats) -> Multiverse:
        candidates = np.zeros(len(case.graph), dtype=bool)
        candidates[: len(chances)] = (chances >= self.threshold) & self._enterable
        graph = case.graph
        if self.stop_at_first:
            graph = absorbing(graph, candidates, case.vertex)
        search, ends = search_destinations(
            graph,
            case.vertex,
            candidates,
            self.n_counterfactuals,
            min_separation=self.min_separation,
            max_steps=self.max_steps,
        )
        return journeys_to(search, [np.array([end]) for end in ends])

    def _why_not(self, found: WhyNot, goal: Goal, chances: Floats) -> WhyNot:
        possible = chances[self._enterable]
        best = float(possible.max(initial=0.0))
        n_candidates = int((possible >= self.threshold).sum())
        if n_candidates == 0:
            return whynot.no_candidate(goal, best)
        return whynot.no_route(n_candidates, found.n_in_reach or 0, best)

    def _told(self, journey: Journey, case: _Case, wanted: Ints) -> Journey:
        """The journey with what the model says at each waypoint, and how to read its rows."""
        answers = np.vstack([case.probabilities, self.probabilities_[journey.vertices[1:]]])
        chances = answers[:, wanted].sum(axis=1)
        decode = self.terrain_.to_pandas
        return replace(journey, probabilities=answers, chances=chances, decode=decode)

    def _case(self, x: Any) -> _Case:
        """The factual as a vertex: the record it equals, or a new one attached to the graph."""
        terrain = self.terrain_
        row = encoding.one_row(x, terrain.schema)
        point = np.asarray(encoding.encode_frame(row, terrain.features))[0] + 0.0
        self._check_bounds(point)
        same = np.flatnonzero((self.graph_.points == point).all(axis=1))
        if len(same):
            vertex = int(same[0])
            return _Case(vertex, self.graph_, self.probabilities_[vertex])
        graph = attached(
            self.graph_, point, self._neighbourhood(self.graph_.points), self._enterable
        )
        answers = self._ask(terrain, point[np.newaxis, :])[0]
        return _Case(len(graph) - 1, graph, answers)

    def _check_bounds(self, point: Floats) -> None:
        outside = self.terrain_.out_of_bounds(point[np.newaxis, :])[0]
        for feature, out in zip(self.terrain_.features, outside, strict=True):
            if out:
                raise InvalidData(
                    f"The case itself lies outside the bounds of {feature.name!r}, "
                    f"{feature.lower:g} to {feature.upper:g}; widen them with between()."
                )

    def _target(self, target: Any, current: Floats) -> Ints:
        """Columns of the classes asked for."""
        if target is None:
            return np.flatnonzero(np.arange(len(current)) != int(current.argmax()))
        several = isinstance(target, Iterable) and not isinstance(target, str | bytes)
        labels = list(target) if several else [target]
        known = self.classes_.tolist()
        for label in labels:
            if label not in known:
                raise InvalidInput(f"There is no class {label!r}; {nearest_name(label, known)}")
        if not 0 < len(set(labels)) < len(known):
            raise InvalidInput(
                f"The target must be some but not all of the classes {known}, got {labels}."
            )
        return np.array(sorted(known.index(label) for label in set(labels)), dtype=np.int64)

    def _ask(self, terrain: Terrain, points: Floats) -> Floats:
        return models.probabilities(self.model, terrain.decode(points), len(points))

    def _neighbourhood(self, points: Floats) -> Neighbourhood:
        return Neighbourhood(
            self.terrain_.prices,
            self.n_neighbors,
            self.edges,  # type: ignore[arg-type]  # checked by Neighbourhood
            _edge_cost(self.edge_cost, points),
            self.max_step,
        )

    def _check_parameters(self) -> None:
        if self.steps != "rows":
            raise InvalidInput(f"steps must be 'rows', got {self.steps!r}.")
        if not self.n_counterfactuals >= 1:
            raise InvalidInput(
                f"n_counterfactuals must be 1 or more, got {self.n_counterfactuals}."
            )
        if not 0 < self.threshold <= 1:
            raise InvalidInput(f"threshold must lie in (0, 1], got {self.threshold}.")
        if not self.min_separation >= 0:
            raise InvalidInput(f"min_separation must be 0 or more, got {self.min_separation}.")
        if self.max_steps is not None and self.max_steps < 1:
            raise InvalidInput(f"max_steps must be 1 or more, got {self.max_steps}.")

    def _check_fitted(self) -> None:
        if not hasattr(self, "graph_"):
            raise NotFitted("This FACElift is not fitted yet; call fit(X) first.")

    def _check_same_model(self) -> None:
        """The first records must get the probabilities they had when the explainer was fitted."""
        sample = slice(0, 100)
        answers = self._ask(self.terrain_, self.graph_.points[sample])
        expected = self.probabilities_[sample]
        if answers.shape != expected.shape or not np.allclose(answers, expected, atol=1e-6):
            raise InvalidInput(
                "The model answers differently from the one this explainer was fitted with; "
                "fit a new explainer, or load with the original model."
            )


@dataclass(frozen=True, eq=False)
class _Case:
    """The factual: its vertex, the graph that belongs to, and the model's answer."""

    vertex: int
    graph: Graph
    probabilities: Floats


_NOT_SAVED: set[Hashable] = {"model", "terrain"}


def _edge_cost(edge_cost: str | EdgeCost, points: Floats) -> EdgeCost:
    if callable(edge_cost):
        return edge_cost
    if edge_cost == "distance":
        return distance
    if edge_cost == "density":
        return density()
    if edge_cost == "kde":
        return kde(points, scott_bandwidth(points))
    if edge_cost == "power":
        return power(2.0)
    raise InvalidInput(
        f"edge_cost must be 'distance', 'density', 'kde', 'power' or a function, got {edge_cost!r}."
    )
