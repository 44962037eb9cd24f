"""FACElift: from a table and a model to multiverses; the only module that meets both."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from facelift import storage
from facelift._arrays import Bools, Floats, Ints, finite_floats
from facelift._checks import check_number
from facelift._progress import streamed, tracked
from facelift.errors import (
    Interrupted,
    InvalidData,
    InvalidFolder,
    InvalidInput,
    NotFitted,
)
from facelift.graph.building import graph_of
from facelift.graph.destinations import Wanted
from facelift.graph.edge_costs import EdgeCost, Edges, named_edge_cost
from facelift.graph.graph import Graph
from facelift.graph.microaggregation import discreet, prototypes
from facelift.graph.moves import Neighbourhood, grown_moves, nearest_moves
from facelift.graph.nearest.approximate import approximate_nearest, recall
from facelift.graph.nearest.exact import Nearest, nearest_admissible
from facelift.graph.plausibility import Plausibility, learn_plausibility
from facelift.graph.points import distinct_points, move_costs
from facelift.models.oracle import Committee, Memory, Oracle
from facelift.multiverse import whynot
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.question import Question
from facelift.multiverse.whynot import WhyNot
from facelift.steps.actions import Surroundings, through_actions
from facelift.steps.cases import points_or_faults
from facelift.steps.growth import no_undercutting
from facelift.steps.lattice import Lattice
from facelift.steps.parameters import check_parameters
from facelift.steps.records import Case, Records
from facelift.steps.rows import through_bridges, through_rows
from facelift.steps.verification import SecondAsking
from facelift.terrain import tables
from facelift.terrain.ladder import ladders
from facelift.terrain.terrain import Terrain

_log = logging.getLogger("facelift")


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
        are to act on.
    n_neighbors
        How many nearest admissible records each record leads to; None with `max_step` for all
        within that cost.
    edges
        "union" adds the reverse of each edge where allowed, "out" does not (Algorithm 4),
        "mutual" keeps pairs that chose each other.
    edge_cost
        "distance" (the cost of the move), "density" or "kde" (FACE), "power" (its square), or a
        function of `facelift.graph.Edges`, such as `facelift.graph.power(3)`.
    n_counterfactuals
        How many destinations to look for: the nearest by journey cost.
    threshold
        Probability of the target that counts as reaching it; a range has its own ends.
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
        Actions: how many states may be judged while growing outward from one case; those on the
        ways to its destinations come on top.
    plausibility
        Actions: share of the records that are themselves as near to others as a state must be.
    committee
        Other models that are asked, too, such as `facelift.models.committee` makes: every journey
        then says what share of them agrees at each waypoint (`journey.agreement`). A list of them,
        or a `facelift.models.Committee`, which says how many must agree, too.
    min_agreement
        Of a list of other models, the share that must agree that a destination has the outcome.
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
        min_separation: float = 0.0,
        max_steps: int | None = None,
        max_step: float | None = None,
        neighbors: str = "exact",
        stop_at_first: bool = False,
        max_states: int = 5_000,
        plausibility: float = 0.95,
        committee: Committee | Sequence[Any] | None = None,
        min_agreement: float = 0.0,
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
        self.min_separation = min_separation
        self.max_steps = max_steps
        self.max_step = max_step
        self.neighbors = neighbors
        self.stop_at_first = stop_at_first
        self.max_states = max_states
        self.plausibility = plausibility
        self.committee = committee
        self.min_agreement = min_agreement
        self.verify = verify
        self.n_jobs = n_jobs
        self.random_state = random_state

    _records: Records

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy that shares the fitted model: it is what is explained, not a part."""
        return type(self)(**self.get_params(deep=False))

    def fit(
        self,
        X: Any,
        y: object = None,  # noqa: ARG002  (scikit-learn's signature)
        *,
        nearest: Nearest | None = None,
        share_rows: bool = True,
        min_records: int = 5,
    ) -> Self:
        """Learn the graph of records that journeys run through.

        `nearest` looks for neighbours where it is not to be done here, such as on a cluster.
        With `share_rows=False` no waypoint is somebody's row: journeys run through prototypes, each
        the middle of at least `min_records` rows, and nothing else of the rows is kept or saved.
        By default, journeys through rows show real records.

        Fitted attributes: `graph_`, `terrain_`, `probabilities_` (of every vertex; one column
        of numbers where the model predicts one), `classes_` (empty then),
        `vertices_` (the vertex of every row of X), `multiplicity_` (the rows of every vertex). For
        journeys of actions `graph_` has no edges: each case grows its own. `recall_` is the share
        of nearest neighbours that were found: 1 unless they are approximate, then of a sample.
        `share_rows_` says whether vertices are rows, or prototypes.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> explainer.graph_, explainer.classes_.tolist()
        (Graph(11 vertices, 24 edges, 1 coordinates), [0, 1])
        """
        check_parameters(self)
        terrain = Terrain.infer(X) if self.terrain is None else self.terrain.given_as(X)
        if not share_rows:
            check_number("min_records", min_records, Integral, "2 or more", lambda v: v >= 2)
            terrain = discreet(terrain, np.asarray(terrain.encode(X)), min_records)
        rows = np.asarray(terrain.encode(X))
        rows = rows if share_rows else prototypes(rows, terrain, min_records)
        points, vertices, _ = distinct_points(rows)
        oracle = Oracle.asked(self.model, terrain, points, self._committee())
        graph, moves = self._graph(terrain, points, nearest)
        self._settle(terrain, graph, oracle, vertices)
        self._keep(moves)
        self.recall_ = self._recall(moves) if self.neighbors == "approximate" else 1.0
        self.share_rows_ = share_rows
        return self

    def partial_fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002
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
            return self.fit(X)
        self._check_fitted()
        check_parameters(self)
        if not self.share_rows_:
            raise InvalidInput(
                "This explainer shares no rows, so none can be added; fit all of them again with "
                "share_rows=False."
            )
        terrain, n_known = self.terrain_, len(self.graph_)
        rows = np.vstack([self.graph_.points, np.asarray(terrain.encode(X))])
        points, places, _ = distinct_points(rows)
        graph, moves = self._graph(terrain, points, known=self._known_moves())
        vertices = np.concatenate([self.vertices_, places[n_known:]])
        self._settle(terrain, graph, self.oracle_.grown(points), vertices)
        self._keep(moves)
        return self

    def explain(self, x: Any, target: Any = None, *, among: Any = None) -> Multiverse:
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

        Examples
        --------
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> multiverse = explainer.explain([2.0], target=1)
        >>> len(multiverse), multiverse[0].rows["x0"].tolist()
        (6, [2.0, 3.0, 4.0, 5.0])
        """
        self._check_fitted()
        check_parameters(self)
        point = self.terrain_.point(x)
        case = self.records.case(point + 0.0)  # no -0.0
        found = self._explain_case(case, target, self._among(among))
        if self.verify:
            self._second_asking().verify([(case, found)])
        return replace(found, question=Question(self, point))

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
        self._check_fitted()
        check_parameters(self)
        records = self.records
        case = records.case(self.terrain_.point(x) + 0.0)
        goal = records.oracle.goal(target, case.probabilities, self.threshold)
        if records.there(case, goal):
            return Multiverse((), (), why_not=_already(goal, case), goal=goal)
        ends = np.asarray(self.terrain_.encode(counterfactuals)) + 0.0
        found = through_bridges(records, case, goal, ends)
        return replace(found, question=Question(self, case.point))

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
        self._check_fitted()
        if kept := {"model", "terrain", "steps"} & set(parameters):
            raise InvalidInput(f"under() cannot change {', '.join(sorted(kept))}; fit another.")
        if not terrain.encodes_like(self.terrain_):
            raise InvalidInput(
                "The terrain encodes the table differently from the one this explainer was fitted "
                "with (columns, kinds, levels or ranges); fit another."
            )
        other = type(self)(**{**self.get_params(deep=False), **parameters, "terrain": terrain})
        check_parameters(other)
        graph, moves = self.graph_, self._moves
        if self.steps == "rows":
            graph, moves = other._graph(terrain, graph.points)
        same = self.steps == "actions" and other.plausibility == self.plausibility
        oracle = self.oracle_.convened(other._committee())
        oracle = oracle if memory is None else oracle.remembering(memory)
        plausibility = self.plausibility_ if same else None
        other._settle(terrain, graph, oracle, self.vertices_, plausibility)
        other._keep(moves)
        approximate = self.steps == "rows" and other.neighbors == "approximate"
        other.recall_ = other._recall(moves) if approximate and moves is not None else 1.0
        other.share_rows_ = self.share_rows_
        return other

    def reweighed(self, graph: Graph, terrain: Terrain, origin: Floats) -> Graph:
        """A graph of ours at the prices of another terrain: its edges, without those forbidden now.

        `origin` is where the graph was explained from. No edges are looked for; `under` does that.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> dearer = explainer.terrain_.price("x0", increase=2.0)
        >>> graph = explainer.reweighed(explainer.graph_, dearer, explainer.terrain_.point([2.0]))
        >>> round(explainer.graph_.edge_cost(2, 3), 6), round(graph.edge_cost(2, 3), 6)
        (0.1, 0.2)
        """
        starts, ends, points = graph.starts, graph.costs.indices.astype(np.int64), graph.points
        moves = move_costs(terrain.prices, points, points, (starts, ends))
        if self.steps == "actions":
            away = Lattice(origin, tuple(ladders(terrain, origin))).costs_of(points)
            return graph.weighed(no_undercutting(moves, away[starts], away[ends]))
        kept = np.flatnonzero(moves <= (self.max_step or np.inf))
        kept = kept[np.isfinite(moves[kept])]
        hood = self._neighbourhood(terrain, self.graph_.points)
        edges = (points, starts[kept], ends[kept], moves[kept], len(self.graph_), self.n_neighbors)
        weights = np.full(len(moves), np.inf)
        weights[kept] = hood.edge_cost(Edges(*edges))
        return graph.weighed(weights)

    def explain_point(self, point: Floats, target: Any = None) -> Multiverse:
        """What `explain` finds for a point of the terrain; nothing is verified by asking again.

        For whoever explains many points and verifies on their own.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> explainer.explain_point(explainer.terrain_.point([2.0]))[0]
        Journey(3 steps, cost 0.3)
        """
        self._check_fitted()
        check_parameters(self)
        place = finite_floats(point, "point", ndim=1) + 0.0
        if len(place) != self.terrain_.n_coordinates:
            raise InvalidInput(
                f"A point has {self.terrain_.n_coordinates} coordinates, got {len(place)}; "
                "terrain_.point() makes one."
            )
        return self._explain_case(self.records.case(place), target)

    @property
    def oracle_(self) -> Oracle:
        """What the model says of points of the terrain, as it is now.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10).fit(line)
        >>> explainer.oracle_.answers(np.array([[0.25]]))
        array([[0.75, 0.25]])
        """
        return self.records.oracle

    @property
    def records(self) -> Records:
        """What is known of the records, for whoever builds on an explainer."""
        self._check_fitted()
        if self._records.oracle.model is not self.model:
            oracle = replace(self._records.oracle, model=self.model)
            self._records = replace(self._records, oracle=oracle)
        return self._records

    def _explain_case(self, case: Case, target: Any, among: Bools | None = None) -> Multiverse:
        records = self.records
        goal = records.oracle.goal(target, case.probabilities, self.threshold)
        if records.there(case, goal):
            return Multiverse((), (), why_not=_already(goal, case), goal=goal)
        if self.steps == "rows":
            stop = self.stop_at_first
            candidates = records.candidates(goal, stop_at_first=stop, among=among)
            wanted = Wanted(self.n_counterfactuals, self.min_separation, self.max_steps)
            return through_rows(records, case, goal, candidates, wanted)
        if among is not None:
            raise InvalidInput("among is for steps='rows': actions lead to states of their own.")
        return through_actions(
            Surroundings(self.terrain_, self.plausibility_, self.oracle_),
            case.point,
            case.probabilities,
            goal,
            n_counterfactuals=self.n_counterfactuals,
            min_separation=self.min_separation,
            max_steps=self.max_steps,
            max_states=self.max_states,
        )

    def explain_many(
        self, X: Any, target: Any = None, *, among: Any = None, progress: bool | None = None
    ) -> list[Multiverse]:
        """One multiverse per row, in order; a hopeless row has an empty one that says why.

        `target` and `among` as in `explain`. Long work shows a bar on terminals; `progress` says
        whether it should elsewhere. Ctrl-C raises `Interrupted`, a KeyboardInterrupt whose `done`
        holds the multiverses made so far.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> found, nothing = explainer.explain_many([[2.0], [8.0]], target=1)
        >>> len(found), nothing.why_not.message
        (6, 'Nothing needs to change: the model already gives 1 (80%).')
        """
        done: list[Multiverse] = []
        try:
            done.extend(self.explain_each(X, target, among=among, progress=progress))
        except KeyboardInterrupt:
            raise Interrupted(done, len(X)) from None
        return done

    def explain_each(
        self, X: Any, target: Any = None, *, among: Any = None, progress: bool | None = None
    ) -> Iterator[Multiverse]:
        """The multiverses of `explain_many` one by one, as they come.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> for multiverse in explainer.explain_each(line[2:5], target=1):
        ...     print(multiverse[0])
        Journey(3 steps, cost 0.3)
        Journey(2 steps, cost 0.2)
        Journey(1 step, cost 0.1)
        """
        self._check_fitted()
        check_parameters(self)
        points = points_or_faults(self.terrain_, tables.conform(X, self.terrain_.schema))
        people = list(zip(points, self.records.places(points), strict=True))
        work = partial(self._answer, target=target, among=self._among(among))
        answers = streamed(work, people, self.n_jobs)
        found: Iterator[Multiverse] = (multiverse for _, multiverse in answers)
        if self.verify:
            found = self._second_asking().verified(answers)
        return tracked(found, len(people), "people", show=progress)

    def save(self, folder: str | Path) -> None:
        """Write the fitted explainer, without its model, to a folder of arrays and JSON.

        >>> from tempfile import TemporaryDirectory
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> with TemporaryDirectory() as folder:
        ...     explainer.save(folder)
        ...     FACElift.load(folder, model=model).explain([2.0])[0]
        Journey(3 steps, cost 0.3)
        """
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
                share_rows=self.share_rows_,
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
        try:
            explainer = cls(model, content.terrain, committee=committee, **content.parameters)
        except TypeError as fault:
            raise InvalidFolder(f"{folder} was saved by another version: {fault}.") from None
        check_parameters(explainer)
        known = (content.graph.points, content.probabilities, tuple(content.classes))
        oracle = Oracle(model, content.terrain, *known).convened(explainer._committee())
        explainer._settle(content.terrain, content.graph, oracle, content.vertices)
        explainer._keep(None)
        explainer.share_rows_ = content.share_rows
        explainer.oracle_.check_records()
        return explainer

    def _answer(
        self, person: tuple[Floats | InvalidData, int], target: Any, among: Bools | None
    ) -> tuple[Case | None, Multiverse]:
        """One of many: its case, None if it cannot be read, and its multiverse."""
        point, place = person
        try:
            if isinstance(point, InvalidData):
                raise point
            case = self.records.case(point + 0.0, place)
            return case, self._explain_case(case, target, among)
        except InvalidData as fault:
            return None, Multiverse((), (), why_not=WhyNot("bad row", str(fault), ""))

    def _graph(
        self,
        terrain: Terrain,
        points: Floats,
        nearest: Nearest | None = None,
        *,
        known: sparse.csr_array | None = None,
    ) -> tuple[Graph, sparse.csr_array]:
        """The graph of all points and the moves it is made of, of which the first may be known."""
        if self.steps == "actions":
            nothing: sparse.csr_array = sparse.csr_array((len(points), len(points)))
            return Graph(points, nothing), nothing
        hood, enterable = self._neighbourhood(terrain, points), terrain.admissible(points)
        if known is not None:
            n_threads = _n_threads(self.n_jobs)
            moves = grown_moves(known, points, hood, enterable, n_threads=n_threads)
        else:
            moves = nearest_moves(points, hood, enterable, nearest or self._nearest())
        return graph_of(points, moves, hood, enterable), moves

    def _nearest(self) -> Nearest:
        """How neighbours are looked for."""
        n_threads = _n_threads(self.n_jobs)
        if self.neighbors == "exact":
            return partial(nearest_admissible, n_threads=n_threads)
        seed = self.random_state
        return partial(approximate_nearest, n_threads=n_threads, random_state=seed)

    def _recall(self, moves: sparse.csr_array) -> float:
        """How many of the neighbours of some records were found."""
        points, records = self.graph_.points, self.records
        exact = partial(nearest_admissible, n_threads=_n_threads(self.n_jobs))
        share = recall(moves, points, records.hood, records.enterable, exact)
        _log.info("Approximate neighbours: %.2f %% of the nearest are among them.", 100 * share)
        return share

    def _known_moves(self) -> sparse.csr_array | None:
        """The moves the graph was made of, if they are at hand and still those to look for."""
        return self._moves if self._moves_by == (self.n_neighbors, self.max_step) else None

    def _keep(self, moves: sparse.csr_array | None) -> None:
        """Keep the moves a graph is made of; a folder does not hold them."""
        self._moves, self._moves_by = moves, (self.n_neighbors, self.max_step)

    def _settle(
        self,
        terrain: Terrain,
        graph: Graph,
        oracle: Oracle,
        vertices: Ints,
        plausibility: Plausibility | None = None,
    ) -> None:
        """Keep what every explanation needs; nothing before here changes a fitted explainer."""
        enterable = terrain.admissible(graph.points)
        if self.steps == "actions":
            learnt = plausibility or learn_plausibility(graph.points, self.plausibility)
            self.plausibility_ = learnt
        self.terrain_, self.graph_ = terrain, graph
        self.probabilities_, self.classes_ = oracle.known, np.array(oracle.classes)
        self.vertices_, self.multiplicity_ = vertices, np.bincount(vertices, minlength=len(graph))
        self.n_features_in_ = len(terrain.features)
        self.feature_names_in_ = np.array(terrain.schema.names, dtype=object)
        rows = self.steps == "rows"
        hood = self._neighbourhood(terrain, graph.points) if rows else Neighbourhood(terrain.prices)
        self._records = Records(terrain, graph, hood, enterable, oracle)
        self._fitted_steps = self.steps

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
        return Committee(self.committee, self.min_agreement)

    def _neighbourhood(self, terrain: Terrain, points: Floats) -> Neighbourhood:
        return Neighbourhood(
            terrain.prices,
            self.n_neighbors,
            self.edges,  # type: ignore[arg-type]  # checked by Neighbourhood
            named_edge_cost(self.edge_cost, points),
            self.max_step,
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "graph_"):
            raise NotFitted("This FACElift is not fitted yet; call fit(X) first.")
        if self.steps != self._fitted_steps:
            raise NotFitted(
                f"This FACElift was fitted with steps={self._fitted_steps!r}; call fit(X) again."
            )

    def _second_asking(self) -> SecondAsking:
        """What is asked again: of made-up states the model has been asked at once."""
        return SecondAsking(self.oracle_, destinations=self.steps == "rows")


def _already(goal: Goal | Range, case: Case) -> WhyNot:
    return whynot.already_there(goal, float(goal.figures(case.probabilities)))


def _n_threads(n_jobs: int | None) -> int:
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


_NOT_SAVED: set[Hashable] = {"model", "terrain", "committee"}
