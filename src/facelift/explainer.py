"""FACElift: from a table and a model to multiverses; the only module that meets both."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from facelift import storage
from facelift._arrays import Bools, Floats, Ints, frozen
from facelift._progress import gathered, streamed, tracked
from facelift.errors import (
    Interrupted,
    InvalidData,
    InvalidFolder,
    InvalidInput,
    NotFitted,
    check_number,
)
from facelift.graph.building import check_room
from facelift.graph.edge_costs import EdgeCost
from facelift.graph.nearest import Nearest
from facelift.graph.points import distinct_rows, prototypes, without_rare_values
from facelift.graph.routes import Variety, variety_of
from facelift.models.doubts import added, counted
from facelift.models.oracle import Committee, Memory, Oracle
from facelift.multiverse.goal import Goal, Range, aim, kept_classes
from facelift.multiverse.multiverse import Multiverse, Question
from facelift.multiverse.whynot import WhyNot
from facelift.steps import patience_of, steps_of
from facelift.steps.base import Case, Located, Newcomer, Request, Steps, cases_or_faults
from facelift.steps.offers import with_offers
from facelift.terrain import tables
from facelift.terrain.terrain import Terrain

GATHERED_FOR = 0.1
"""Seconds of results that the model is asked about again at once."""

Answer = tuple[Case | None, Multiverse]
"""A case, None if there is nothing to verify, and what was found for it."""


class FACElift(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Counterfactual journeys through real records, compared by what they keep open.

    Parameters
    ----------
    model
        A fitted classifier with `predict_proba` (pipelines are fine), or a function from rows to
        one probability column per class; or a regressor, or a function from rows to one number
        each, for targets that are ranges. It gets what `fit` got: frames as frames, arrays as
        arrays.
    terrain
        What may change and at what price; inferred from the table when None.
    steps
        "rows": each step leads from one real record to another. "actions": each step changes one
        feature (or one link of the terrain), through plausible states; for tables that people
        are to act on. "field": ways bend through dense ground without stepping on records; for
        tables of numbers and for pictures.
    n_neighbors
        How many nearest admissible records each record leads to; None with `max_step` for all
        within that cost.
    edges
        "union" adds the reverse of each edge where allowed, "out" does not (Algorithm 4),
        "mutual" keeps pairs that chose each other.
    edge_cost
        "distance" (the cost of the move), "density" or "kde" (FACE), "power" (its square), or a
        function of `facelift.graph.Edges`, such as `facelift.graph.power(3)`. In a field
        "distance" grows with the emptiness of the ground, as "power" does; a power of 1 gives
        straight lines.
    n_counterfactuals
        How many destinations to look for: the nearest by journey cost.
    threshold
        Probability of the target that decides; a range has its own ends.
    margin
        How far above the threshold journeys end, so that no hair decides; 0 in the paper. Whoever
        reaches the threshold needs no journey. None asks for certainty (`multiverse.goal.aim`). A
        range has no margin.
    min_separation
        Least Euclidean distance, on points, between two destinations.
    max_steps
        Destinations whose cheapest journey takes more steps are left out (actions: 7 if None).
    max_step
        Largest cost of a single step between rows.
    neighbors
        "exact", or "approximate" for tables beyond what an exact search can do in the time there is
        (needs the extra `ann`): forbidden moves stay impossible and costs exact, but some neighbour
        may not be the nearest; `recall_` says how many are, on a sample.
    stop_at_first
        Whether a journey through rows must end at the first record that has the outcome; one made
        of actions always does.
    max_states
        Actions: how many states are looked at outward from one case, the cheapest first; None for
        as many as `patience` has time for. Those on the ways to its destinations come on top.
    plausibility
        Actions: share of the records that are themselves as near to others as a state must be; who
        is rarer than that may pass through states as rare as they are.
    patience
        Actions: how long to search for one case: "quick", "normal" or "thorough" (about 0.1, 0.5
        and 3 seconds of a processor at most), or a number of units of work. The same patience
        gives the same answer on every machine.
    committee
        Other models that are asked, too, such as `facelift.models.committee` makes: every journey
        then says what share of them agrees at each waypoint (`journey.agreement`). A list of them,
        or a `facelift.models.Committee`, which also says what share must agree on a destination.
    verify
        Whether `explain` asks the model again about the case and, through rows, its destinations:
        what `fit` was told of them must still hold. Of made-up states the model is asked at once.
    n_jobs
        How many threads `fit` and `explain_many` use, as in joblib.
    random_state
        Seed of whatever draws at random: the search for approximate neighbours, nothing else.

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
        margin: float = 0.02,
        min_separation: float = 0.0,
        max_steps: int | None = None,
        max_step: float | None = None,
        neighbors: str = "exact",
        stop_at_first: bool = False,
        max_states: int | None = None,
        plausibility: float = 0.95,
        patience: str | int = "normal",
        committee: Committee | Sequence[Any] | None = None,
        verify: bool = True,
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
        self.margin = margin
        self.min_separation = min_separation
        self.max_steps = max_steps
        self.max_step = max_step
        self.neighbors = neighbors
        self.stop_at_first = stop_at_first
        self.max_states = max_states
        self.plausibility = plausibility
        self.patience = patience
        self.committee = committee
        self.verify = verify
        self.n_jobs = n_jobs
        self.random_state = random_state

    _steps: Steps

    @property
    def needed(self) -> float:
        """The chance that journeys end at: threshold and margin; see `multiverse.goal.aim`."""
        return aim(self.threshold, self.margin)

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy that shares the fitted model: it is what is explained, not a part."""
        return type(self)(**self.get_params(deep=False))

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        nearest: Nearest | None = None,
        share_rows: bool = True,
        min_records: int = 5,
    ) -> Self:
        """Learn the graph of records that journeys run through.

        `y` are the true outcomes of the rows, where they are known: `facelift.ground` then tells
        where the model is often wrong.
        `nearest` looks for neighbours where it is not to be done here, such as on a cluster.
        With `share_rows=False` no waypoint is somebody's row: journeys run through prototypes, each
        the middle of at least `min_records` rows. Kept and saved are the prototypes, which row
        belongs to which (`vertices_`, by the row's place in X), ranges and stops that so many rows
        reach, and the names of columns and levels, also of a level that one row has; no row is.
        By default, journeys through rows show real records.

        Fitted attributes: `graph_`, `terrain_`, `probabilities_` (of every vertex; one column
        of numbers where the model predicts one), `classes_` (empty then),
        `vertices_` (the vertex of every row of X), `multiplicity_` (the rows of every vertex). For
        journeys of actions `graph_` has no edges: each case grows its own. `recall_` is the share
        of nearest neighbours that were found: 1 unless they are approximate, then of a sample.
        `share_rows_` says whether vertices are rows, or prototypes. `truths_` holds how many rows
        of each vertex are truly of each class, None without `y`.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> explainer.graph_, explainer.classes_.tolist()
        (Graph(11 vertices, 24 edges, 1 coordinates), [0, 1])
        """
        self._check_parameters()
        terrain = Terrain.infer(X) if self.terrain is None else self.terrain.given_as(X)
        edges = (self.n_neighbors or 0) if steps_of(self.steps).joins_records else 0
        check_room(len(X), terrain.n_coordinates, edges)
        rows = np.asarray(terrain.encode(X))
        if share_rows:
            terrain = terrain if self.terrain is None else terrain.seeing(X)
        else:
            check_number("min_records", min_records, Integral, "2 or more", lambda v: v >= 2)
            terrain = without_rare_values(terrain, rows, min_records)
            rows = prototypes(np.asarray(terrain.encode(X)), terrain, min_records)
        return self._fit_points(terrain, rows, None, nearest, share_rows, y)

    def fit_points(
        self, terrain: Terrain, rows: Floats, answers: Floats, *, nearest: Nearest | None = None
    ) -> Self:
        """The same as `fit`, of a table that was encoded, and a model that was asked, elsewhere.

        `rows` (n, m) are all rows of the table as points of the terrain, `answers` (n, classes)
        what the model says of each.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> terrain = Terrain.infer(line)
        >>> points = np.asarray(terrain.encode(line))
        >>> FACElift(model, n_neighbors=2).fit_points(terrain, points, model(line)).graph_
        Graph(11 vertices, 24 edges, 1 coordinates)
        """
        self._check_parameters()
        return self._fit_points(terrain, rows, answers, nearest, True, None)

    def _fit_points(
        self,
        terrain: Terrain,
        rows: Floats,
        answers: Floats | None,
        nearest: Nearest | None,
        share_rows: bool,
        y: Any,
    ) -> Self:
        first, vertices = distinct_rows(rows)
        known = None if answers is None else answers[first]
        points = rows if len(first) == len(rows) else rows[first]  # large tables have few twice
        oracle = Oracle.asked(self.model, terrain, points, self._committee(), known)
        truths = counted(y, vertices, len(points), oracle.classes)
        steps = steps_of(self.steps).fitted(self, terrain, oracle, nearest=nearest)
        return self._keep(steps, vertices, share_rows, truths)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows, with the result of having fitted all of them at once on this terrain.

        The terrain stays as fitted: numbers outside the range it has seen lie outside [0, 1], and
        categories it does not know are an error. Vertices keep their numbers, new ones come after;
        the model is asked about new points only. The first call is a `fit`.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line[:9]).partial_fit(line[9:])
        >>> explainer.graph_, explainer.vertices_[-2:].tolist()
        (Graph(11 vertices, 24 edges, 1 coordinates), [9, 10])
        """
        if not hasattr(self, "graph_"):
            return self.fit(X, y)
        self._check_fitted()
        self._check_parameters()
        if not self.share_rows_:
            raise InvalidInput(
                "This explainer shares no rows, so none can be added; fit all of them again with "
                "share_rows=False."
            )
        rows = np.asarray(self.terrain_.encode(X))
        places = self.oracle_.lookup.vertices(rows)
        new = np.flatnonzero(places < 0)
        first, codes = distinct_rows(rows[new])
        places[new] = codes + len(self.graph_)
        points = np.vstack([self.graph_.points, rows[new[first]]])
        frozen(points)
        truths = counted(y, places, len(points), self.oracle_.classes)
        steps = self.steps_.keeping(self.terrain_.seeing(X))
        steps = steps.grown(self, steps.oracle.grown(points))
        vertices = np.concatenate([self.vertices_, places])
        return self._keep(steps, vertices, True, added(self.truths_, truths, len(points)))

    def explain(
        self,
        x: Any,
        target: Any = None,
        *,
        among: Any = None,
        deadline: float | str | None = None,
        also: Any = None,
        routes: int | Variety | None = None,
        keep_open: Any = None,
        onward: bool = False,
    ) -> Multiverse:
        """Journeys of one case to the target outcome.

        Parameters
        ----------
        x
            One row of a frame, a Series, a mapping or a 1-D array, in or outside the table.
        target
            A class label or several (any of them will do); None for the other of two. Where the
            model predicts a number, the range it should fall into: `(low, high)`, either None.
        among
            Rows: which rows of the fitted table may be destinations, one boolean each; all if None.
        deadline
            How much time there is, by the terrain's rates: a number of its periods, or text such
            as "12 months". What takes longer is left out.
        also
            Rows to head for besides, such as the ends of journeys found before; those that can be
            reached and have the outcome are among the destinations.
        routes
            How many routes to keep to each destination (`multiverse.variants`), the cheapest
            included, or a `facelift.Variety` that says how different they must be.
        keep_open
            Classes besides the target: `multiverse.class_opportunity` then tells how far each
            journey also leads towards each whole class, and `facelift.keeping` chooses by it.
        onward
            Actions: whether to leave out steps that take back what another has done, as long as
            some way is left; what a step keeps open is then open without going back.

        Examples
        --------
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> multiverse = explainer.explain([2.0], target=1)
        >>> len(multiverse), multiverse[0].rows["x0"].tolist()
        (5, [2.0, 3.0, 4.0, 5.0, 6.0])
        """
        asked, case = self._asked(x)
        time = None if deadline is None else self.terrain_.n_periods(deadline)
        points = None if also is None else np.asarray(asked.terrain_.encode(also)) + 0.0
        goal = self._goal(target, case)
        wanted = Request.of(self, self._among(among), time, points, variety_of(routes))
        wanted = replace(wanted, keep_open=kept_classes(keep_open, goal), onward=onward)
        found = asked.steps_.multiverse(case, goal, wanted)
        found = with_offers(found, asked, asked.steps_, case, wanted)
        if self.verify:
            # States of actions keep the numbers of the case; records have their own.
            (asked if asked.steps_.single_changes else self)._verify([(case, found)])
        return replace(found, question=Question(asked, case.point))

    def bridge(self, x: Any, counterfactuals: Any, target: Any = None) -> Multiverse:
        """Journeys of one case to counterfactuals that somebody else found, through the records.

        Only those that the model gives the outcome, and that the rules allow, are headed for; see
        `facelift.bridge_many` for the graph that journeys run on.

        Parameters
        ----------
        x, target
            As in `explain`.
        counterfactuals
            A table of them, with the columns of the fitted one.

        Examples
        --------
        >>> from facelift.toys import moons
        >>> points = moons(200).points
        >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
        >>> explainer = FACElift(model).fit(points)
        >>> multiverse = explainer.bridge([0.5, 0.9], np.array([[0.5, -0.4], [1.5, -0.4], [0, 2]]))
        >>> len(multiverse), multiverse[0].chances[-1]
        (2, np.float64(1.0))
        """
        asked, case = self._asked(x)
        ends = np.asarray(self.terrain_.encode(counterfactuals)) + 0.0
        found = asked.steps_.bridged(case, self._goal(target, case), ends)
        return replace(found, question=Question(asked, case.point))

    def _asked(self, x: Any) -> tuple[Self, Case]:
        """The explainer that gives a case's numbers back as they are, and the case."""
        self._ready()
        point, numbers = self.terrain_.read(x)
        asked = self.keeping(self.terrain_.keeping(numbers))
        return asked, asked.steps_.case(point + 0.0, known=Newcomer(numbers=numbers))  # no -0.0

    def keeping(self, terrain: Terrain) -> Self:
        """The same explainer for one case, whose numbers a terrain keeps (see `Terrain.case`).

        `explain` asks it, so that journeys begin at the case as it was given.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> point, terrain = explainer.terrain_.case([2.000000000000001])
        >>> asked = (explainer, explainer.keeping(terrain))
        >>> [each.terrain_.decode([point]).item() for each in asked]
        [2.0, 2.000000000000001]
        """
        if terrain is self.terrain_:
            return self
        other = copy(self)
        other._steps, other.terrain_ = self.steps_.keeping(terrain), terrain
        return other

    def under(self, terrain: Terrain, *, memory: Memory | None = None, **parameters: Any) -> Self:
        """The same explainer under other rules for the table; the model is not asked again.

        Prices, bounds, forbidden changes, links, requirements and levels to stop at may differ, not
        how the table is encoded. For journeys of actions everything learnt is shared; through
        records, which edges there are depends on prices: the graph is built anew.

        Parameters
        ----------
        terrain
            Usually a refinement of `terrain_`.
        memory
            Actions: where to keep what the model said of states, so that the next explainer made
            with the same memory need not ask again.
        **parameters
            Parameters of the constructor to change, but for `model` and `steps`.

        Examples
        --------
        >>> from facelift.toys import moons
        >>> points = moons(200).points
        >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
        >>> explainer = FACElift(model, n_neighbors=5, n_counterfactuals=3).fit(points)
        >>> dear = explainer.under(explainer.terrain_.price("x1", 2.0), n_counterfactuals=1)
        >>> len(explainer.explain(points[0])), len(dear.explain(points[0]))
        (3, 1)
        """
        steps = self.steps_
        if kept := {"model", "terrain", "steps"} & set(parameters):
            raise InvalidInput(f"under() cannot change {', '.join(sorted(kept))}; fit another.")
        if not terrain.encodes_like(self.terrain_):
            raise InvalidInput(
                "The terrain encodes the table differently from the one this explainer was fitted "
                "with (columns, kinds, levels or ranges); fit another."
            )
        other = type(self)(**{**self.get_params(deep=False), **parameters, "terrain": terrain})
        other._check_parameters()
        oracle = steps.oracle.with_committee(other._committee())
        oracle = oracle if memory is None else oracle.remembering(memory)
        steps = steps.under(other, terrain, oracle)
        return other._keep(steps, self.vertices_, self.share_rows_, self.truths_)

    @property
    def steps_(self) -> Steps:
        """How cases get from step to step in the fitted table; see `facelift.steps.base.Steps`.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10).fit(line)
        >>> explainer.steps_.single_changes
        False
        """
        self._check_fitted()
        if self._steps.oracle.model is not self.model:
            oracle = replace(self._steps.oracle, model=self.model)
            self._steps = replace(self._steps, oracle=oracle)
        return self._steps

    @property
    def oracle_(self) -> Oracle:
        """What the model says of points of the terrain, as it is now.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10).fit(line)
        >>> explainer.oracle_.answers(np.array([[0.25]]))
        array([[0.75, 0.25]])
        """
        return self.steps_.oracle

    def explain_many(
        self,
        X: Any,
        target: Any = None,
        *,
        among: Any = None,
        deadline: float | str | None = None,
        routes: int | Variety | None = None,
        progress: bool | None = None,
    ) -> list[Multiverse]:
        """One multiverse per row, in order; a hopeless row has an empty one that says why.

        `target`, `among`, `deadline` and `routes` as in `explain`. Long work shows a bar on
        terminals; `progress` says whether it should elsewhere. Ctrl-C raises `Interrupted`, a
        KeyboardInterrupt whose `done` holds the multiverses made so far.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> found, nothing = explainer.explain_many([[2.0], [8.0]], target=1)
        >>> len(found), nothing.why_not.message
        (5, 'Nothing needs to change: the model already gives 1 (80%).')
        """
        self._check_fitted()
        done: list[Multiverse] = []
        try:
            time = None if deadline is None else self.terrain_.n_periods(deadline)
            wanted = Request.of(self, self._among(among), time, routes=variety_of(routes))
            done.extend(self._explain_each(X, target, wanted, progress))
        except KeyboardInterrupt:
            raise Interrupted(done, len(X)) from None
        return done

    def save(self, folder: str | Path) -> None:
        """Write the fitted explainer, without its model, to a folder of arrays and JSON.

        >>> from tempfile import TemporaryDirectory
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> with TemporaryDirectory() as folder:
        ...     explainer.save(folder)
        ...     FACElift.load(folder, model=model).explain([2.0])[0]
        Journey(4 steps, cost 0.4)
        """
        self._check_fitted()
        parameters = {k: v for k, v in self.get_params(deep=False).items() if k not in _NOT_SAVED}
        parameters["min_agreement"] = self.oracle_.min_agreement
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
                share_rows=self.share_rows_,
                truths=self.truths_,
                nearest=self.steps_.nearest_edges(self),
            ),
        )

    @classmethod
    def load(
        cls, folder: str | Path, *, model: Any, committee: Committee | Sequence[Any] | None = None
    ) -> Self:
        """Read a saved explainer; the model must answer as the one it was fitted with.

        A committee is not part of the folder, either; it is asked anew about all records.

        >>> from tempfile import TemporaryDirectory
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> with TemporaryDirectory() as folder:
        ...     explainer.save(folder)
        ...     FACElift.load(folder, model=lambda x: 1 - model(x))
        Traceback (most recent call last):
        ...
        facelift.errors.InvalidModel: The model answers differently from the one this explainer ...
        """
        content = storage.read(folder)
        needed = content.parameters.pop("min_agreement", 0.0)
        _check_agreement(needed)
        if committee is None and needed:
            raise InvalidInput(
                f"{folder} needs a committee of models, {needed:.0%} of which must agree; none is "
                "saved: give it again as committee."
            )
        if committee is not None and not isinstance(committee, Committee):
            committee = Committee(committee, needed)
        try:
            explainer = cls(model, content.terrain, committee=committee, **content.parameters)
        except TypeError as fault:
            raise InvalidFolder(f"{folder} was saved by another version: {fault}.") from None
        explainer._check_parameters()
        known = (content.graph.points, content.probabilities, tuple(content.classes))
        oracle = Oracle(model, content.terrain, *known).with_committee(explainer._committee())
        steps = (
            steps_of(explainer.steps)
            .fitted(explainer, content.terrain, oracle, graph=content.graph)
            .knowing(content.nearest)
        )
        oracle.check_records()
        return explainer._keep(steps, content.vertices, content.share_rows, content.truths)

    def _explain_each(
        self, X: Any, target: Any, wanted: Request, progress: bool | None
    ) -> Iterator[Multiverse]:
        """The multiverses of `explain_many` one by one, as they come."""
        steps = self._ready()
        cases = cases_or_faults(self.terrain_, tables.conform(X, self.terrain_.schema))
        points = [each if isinstance(each, InvalidData) else each[0] for each in cases]
        places = steps.places(points)
        people = list(zip(cases, places, steps.newcomers(cases, places), strict=True))
        work = partial(self._answer, target=target, wanted=wanted)
        answers = streamed(work, people, self.n_jobs)
        found = self._verified(answers) if self.verify else (found for _, found in answers)
        return tracked(found, len(people), "people", show=progress)

    def _answer(
        self,
        person: tuple[Located | InvalidData, int, Newcomer],
        target: Any,
        wanted: Request,
    ) -> Answer:
        """One of many: its case, None if nothing is left to verify, and its multiverse."""
        given, place, known = person
        try:
            if isinstance(given, InvalidData):
                raise given
            point, terrain = given
            steps = self.steps_.keeping(terrain)
            case = steps.case(point + 0.0, place, known)
            found = steps.multiverse(case, self._goal(target, case), wanted)
            found = with_offers(found, self, steps, case, wanted)
            asked = self.keeping(terrain)
            found = replace(found, question=Question(asked, case.point))
        except InvalidData as fault:
            return None, Multiverse((), (), why_not=WhyNot("bad row", str(fault), ""))
        if self.verify and steps.single_changes and terrain is not self.terrain_:
            asked._verify([(case, found)])  # its states keep its numbers
            return None, found
        return case, found

    def _goal(self, target: Any, case: Case) -> Goal | Range:
        return self.oracle_.goal(target, case.answers, self.threshold, self.margin)

    def _verify(self, answers: Sequence[Answer]) -> None:
        """An error if the model no longer says of cases and destinations what it did before."""
        pairs = [
            pair
            for case, found in answers
            if case is not None
            for pair in self.steps_.answers_before(case, found)
        ]
        if pairs:
            points, known = (np.array(each) for each in zip(*pairs, strict=True))
            self.oracle_.check_unchanged(points, known)

    def _verified(self, answers: Iterator[Answer]) -> Iterator[Multiverse]:
        """The multiverses as they come, the model asked again about several at once."""
        for some in gathered(answers, GATHERED_FOR):
            try:
                self._verify(some)
            except KeyboardInterrupt:  # what is there is handed on, but not unverified
                self._verify(some)
                yield from (found for _, found in some)
                raise
            yield from (found for _, found in some)

    def _keep(self, steps: Steps, vertices: Ints, share_rows: bool, truths: Floats | None) -> Self:
        """Keep what was learnt; nothing before here changes a fitted explainer."""
        terrain, oracle = steps.terrain, steps.oracle
        self._steps, self._fitted_steps = steps, self.steps
        self.terrain_, self.graph_ = terrain, steps.graph
        self.probabilities_, self.classes_ = oracle.known, np.array(oracle.classes)
        self.vertices_, self.share_rows_, self.truths_ = vertices, share_rows, truths
        self.multiplicity_ = np.bincount(vertices, minlength=len(steps.graph))
        self.n_features_in_ = len(terrain.features)
        self.feature_names_in_ = np.array(terrain.schema.names, dtype=object)
        for name, value in steps.learnt.items():
            setattr(self, name, value)
        return self

    def _among(self, rows: Any) -> Bools | None:
        """Vertices that may be destinations; None for all."""
        if rows is None:
            return None
        mask = np.asarray(rows)
        if mask.shape != self.vertices_.shape or mask.dtype != bool:
            raise InvalidInput(
                f"among must hold one boolean per row of the fitted table ({len(self.vertices_)}), "
                f"got {mask.dtype} of shape {mask.shape}."
            )
        chosen = np.zeros(len(self.graph_), dtype=bool)
        chosen[self.vertices_[mask]] = True
        return chosen

    def _committee(self) -> Committee | None:
        """The committee as one value, however it was given."""
        if self.committee is None or isinstance(self.committee, Committee):
            return self.committee
        if not isinstance(self.committee, Sequence) or isinstance(self.committee, str):
            raise InvalidInput(
                "committee must be a list of fitted models or a facelift.models.Committee, "
                f"got {self.committee!r}."
            )
        return Committee(self.committee)

    def _ready(self) -> Steps:
        """The steps of a fitted explainer whose parameters can be right."""
        steps = self.steps_
        self._check_parameters()
        return steps

    def _check_fitted(self) -> None:
        if not hasattr(self, "graph_"):
            raise NotFitted("This FACElift is not fitted yet; call fit(X) first.")
        if self.steps != self._fitted_steps:
            raise NotFitted(
                f"This FACElift was fitted with steps={self._fitted_steps!r}; call fit(X) again."
            )

    def _check_parameters(self) -> None:
        """An error if a parameter cannot be right, alone or beside the others."""
        steps_of(self.steps).check(self)
        patience_of(self.patience)
        for name in ("n_counterfactuals", "max_states", "n_neighbors", "max_steps"):
            if getattr(self, name) is not None or name == "n_counterfactuals":
                check_number(name, getattr(self, name), Integral, "1 or more", lambda v: v >= 1)
        if self.neighbors not in ("exact", "approximate"):
            raise InvalidInput(
                f"neighbors must be 'exact' or 'approximate', got {self.neighbors!r}."
            )
        for name in ("threshold", "plausibility"):
            check_number(name, getattr(self, name), Real, "in (0, 1]", lambda v: 0 < v <= 1)
        check_number("margin", self.margin, Real, "in [0, 1)", lambda v: 0 <= v < 1)
        committee = self._committee()
        if committee is not None:
            _check_agreement(committee.min_agreement)
            if not len(committee):
                raise InvalidInput("A committee needs at least one model; leave it out for none.")
        check_number("min_separation", self.min_separation, Real, "0 or more", lambda v: v >= 0)
        if self.max_step is not None:
            check_number("max_step", self.max_step, Real, "above 0", lambda v: v > 0)
        for name in ("stop_at_first", "verify"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InvalidInput(f"{name} must be True or False, got {getattr(self, name)!r}.")
        if self.n_jobs is not None:
            check_number("n_jobs", self.n_jobs, Integral, "not 0", lambda v: v != 0)


def _check_agreement(share: float) -> None:
    check_number("min_agreement", share, Real, "in [0, 1]", lambda v: 0 <= v <= 1)


_NOT_SAVED: set[Hashable] = {"model", "terrain", "committee"}
