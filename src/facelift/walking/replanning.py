"""The replanner: what is known within somebody's limits, and a new search where that is too little.

What was found before is used as long as it leads anywhere: the same states and steps, without what
was ruled out, at the prices that hold now. Only where that leads nowhere is there a new search, by
the explainer that was asked, within the limits of now. Nothing undoes what steps have done, unless
somebody allows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.graph.expected_effort import Effort
from facelift.graph.graph import Graph
from facelift.graph.routes import forward, remaining_costs
from facelift.graph.search import costs_nearby
from facelift.multiverse.exploration import journeys_to, plain_routes, with_classes
from facelift.multiverse.frames import row_values
from facelift.multiverse.goal import Goal
from facelift.multiverse.multiverse import Multiverse, Question
from facelift.steps.base import Request
from facelift.terrain.feature import Feature, Level
from facelift.terrain.terrain import Terrain
from facelift.walking.limits import Limits, limited, place
from facelift.walking.walk import Event

Done = dict[str, tuple[Level | None, ...]]
"""By column: the values that steps led away from, then the value they led to."""


@dataclass(frozen=True, eq=False)
class Reach:
    """What of a multiverse can be reached within limits; `planned` are those it was found within.

    The graph that is still open and the remaining costs on it are worked out when first needed,
    and shared by all positions on it.
    """

    multiverse: Multiverse
    limits: Limits
    planned: Limits

    @cached_property
    def graph(self) -> Graph:
        """What is known, without what was ruled out, at the prices of now."""
        question, undo = self.multiverse.question, self.limits.undo
        if question is None or not undo or undo == self.planned.undo:
            return self._known
        return undoing(self._known, question, undo_factor(self.limits))

    @property
    def _known(self) -> Graph:
        """The same at plain prices of steps that take something back."""
        graph, limits = self.multiverse.walkable_graph()[0], self.limits
        known = range(len(graph))
        graph = graph.without(frozenset(e for e in limits.edges if e[0] in known and e[1] in known))
        if limits.states:
            graph = graph.with_edges(~np.isin(graph.costs.indices, limits.states))
        if limits.of_terrain == self.planned.of_terrain:
            return graph
        question = self.multiverse.question
        if question is None:
            return graph.with_edges(~_changes(graph, limits))
        explainer: FACElift = question.explainer
        terrain = limited(explainer.terrain_, limits, row_at(explainer, question.point))
        return explainer.steps_.reweighed(graph, terrain, question.point)

    @cached_property
    def remaining(self) -> Floats:
        """Remaining costs from every vertex; shape (n, c)."""
        return remaining_costs(self.graph, self.multiverse.destinations)

    @cached_property
    def effort(self) -> Effort:
        """The effort to expect from every vertex if one step in ten falls through."""
        return self.multiverse.effort(graph=self.graph)

    def nearby(self, vertex: int) -> Floats:
        """Remaining costs at a vertex, then at those one step away; shape (1 + steps, c)."""
        destinations = self.multiverse.destinations
        return costs_nearby(self.graph, vertex, destinations, lambda: self.remaining)


def row_at(explainer: FACElift, point: Floats) -> dict[str, Any]:
    """The values of a point, by column; None where one is missing."""
    return row_values(explainer.terrain_.to_pandas(point[np.newaxis, :]))[0]


def explained(
    explainer: FACElift,
    goal: Any,
    limits: Limits,
    point: Floats,
    *,
    n_ways: int | None = None,
    memory: Any = None,
    done: Done | None = None,
    also: pd.DataFrame | None = None,
    on_the_way: bool = False,
    deadline: float | None = None,
    onward: bool = False,
    keep_open: tuple[str, ...] = (),
) -> Multiverse:
    """The ways from a point within limits, as many as the explainer looks for, or `n_ways`.

    None of them undoes what was `done`; rows that are to be ends `also` are, if they can be. Who is
    `on_the_way`, or aims higher, has not arrived before the chance is what ways end at. With a
    `deadline` ways take at most so many periods of the terrain's rates. If `onward`, no step of
    theirs takes back what another has done. They tell how far they lead towards classes to
    `keep_open`, too.
    """
    terrain = limited(explainer.terrain_, limits, row_at(explainer, point))
    terrain = held(terrain, done or {}, undo_factor(limits))
    closed = [each for each in limits.far_states if each != tuple(point.tolist())]
    if closed:
        terrain = terrain.require(partial(_elsewhere, terrain, np.array(closed)))
    more = {} if n_ways is None else {"n_counterfactuals": n_ways}
    parameters = limits.parameters(explainer.threshold) | more
    within = explainer.under(terrain, memory=memory, **parameters)
    case, wanted = terrain.to_pandas(point[np.newaxis, :]), target(goal, explainer)
    heading: Any = {"also": also, "deadline": deadline, "onward": onward}
    heading["keep_open"] = keep_open or None
    found = within.explain(case, wanted, **heading)
    if (on_the_way or limits.chance is not None) and _by_a_hair(found, within, point):
        firm = {"threshold": within.needed, "margin": 0.0}
        surer = explainer.under(terrain, memory=memory, **(parameters | firm))
        surest = surer.explain(case, wanted, **heading)
        found = replace(surest, goal=found.goal)
    return found


def undo_factor(limits: Limits) -> float:
    """By what the price of a step that takes something back is multiplied: inf for never.

    >>> undo_factor(Limits()), undo_factor(Limits(undo=True)), undo_factor(Limits(undo=3.0))
    (inf, 1.0, 3.0)
    """
    return float(limits.undo) if limits.undo else np.inf


def undoing(graph: Graph, question: Question, factor: float) -> Graph:
    """The graph on which steps that take back what lies behind them cost a multiple."""
    outward = question.explainer.steps_.outward(graph, question.point)
    if outward.all() or factor == 1:
        return graph
    return graph.weighed(np.where(outward, graph.costs.data, graph.costs.data * factor))


def _by_a_hair(found: Multiverse, explainer: FACElift, point: Floats) -> bool:
    """Whether the outcome is reached, but not the chance that ways end at."""
    there, goal = found.why_not, found.goal
    if there is None or there.reason != "already there" or goal is None:
        return False
    return not explainer.oracle_.reaches(point[np.newaxis, :], goal)[0]


def until_open(n_found: Callable[[int], int], n_ways: int, is_open: Callable[[int], bool]) -> int:
    """How many ways to look for until one is open: twice as many each time, if there are more."""
    while n_found(n_ways) >= n_ways and not is_open(n_ways):
        n_ways *= 2
    return n_ways


def replanned(multiverse: Multiverse, vertex: int, limits: Limits) -> Multiverse | None:
    """A new search from a vertex within limits; None if nobody can be asked.

    Destinations are looked for until one is in reach without the steps that were ruled out, or
    until there are no more.
    """
    question, goal = multiverse.question, multiverse.goal
    if question is None or goal is None:
        return None
    graph, explainer = multiverse.walkable_graph()[0], question.explainer
    point = np.array(place(graph, vertex))
    limits = limits.by_points(graph)
    left: dict[int, Multiverse] = {}

    def n_found(n_ways: int) -> int:
        deadline = limits.n_periods(explainer.terrain_)
        found = explained(
            explainer,
            goal,
            limits,
            point,
            n_ways=n_ways,
            deadline=deadline,
            keep_open=multiverse.kept,
        )
        left[n_ways] = _left(found, limits)
        return len(found)

    n_ways = until_open(n_found, explainer.n_counterfactuals, lambda n: len(left[n]) > 0)
    # Limits refine the terrain that was fitted, whatever was searched before.
    return replace(left[n_ways], question=Question(explainer, point))


def target(goal: Any, explainer: FACElift) -> Any:
    """What was asked for, as `explain` takes it: the model's own labels, or a range."""
    if not isinstance(goal, Goal):
        return goal.low, goal.high
    return [label for label in explainer.classes_.tolist() if str(label) in goal.target]


def _left(multiverse: Multiverse, limits: Limits) -> Multiverse:
    """The journeys of a search, without steps that were ruled out."""
    if not multiverse.journeys:
        return multiverse
    graph, factual = multiverse.walkable_graph()
    edges = limits.on(graph).edges
    if not edges:
        return multiverse
    question = multiverse.question
    routes = plain_routes if question is None else question.explainer.steps_.routes
    search = forward(graph.without(frozenset(edges)), factual)
    left = journeys_to(search, multiverse.destinations, routes=routes)
    if multiverse.kept and len(left) and question is not None and isinstance(multiverse.goal, Goal):
        explainer, vertices = question.explainer, np.unique(np.hstack([j.vertices for j in left]))
        wanted = replace(Request.of(explainer), keep_open=multiverse.kept)
        graph, goal = search.graph, multiverse.goal
        towards = explainer.steps_.left_to_classes(graph, goal, wanted, vertices)
        found = dict(zip(vertices.tolist(), towards, strict=True))
        left = with_classes(left, multiverse.kept, found)
    journeys = left.in_rows(multiverse[0].decode, multiverse[0].features).journeys
    return replace(multiverse, journeys=journeys, destinations=left.destinations)


def _changes(graph: Graph, limits: Limits) -> Bools:
    """Edges that change a coordinate ruled out, in a graph of one's own."""
    names = {f"x{i}": i for i in range(graph.points.shape[1])}
    if limits.prices:
        raise InvalidInput(
            "These ways come from a graph, or from a batch, and know no prices: explain the case "
            "with explain() to reprice it."
        )
    changed = np.zeros(graph.costs.nnz, dtype=bool)
    for name in limits.ease:
        if name not in names:
            raise InvalidInput(
                f"These ways come from a graph, or from a batch: features are {', '.join(names)}, "
                f"got {name!r}; explain the case with explain() to speak of columns."
            )
        values = graph.points[:, names[name]]
        changed |= values[graph.starts] != values[graph.costs.indices]
    return changed


def _elsewhere(terrain: Any, closed: Floats, frame: pd.DataFrame) -> Bools:
    """Whether each row is none of some states."""
    points = np.asarray(terrain.from_pandas(frame)) + 0.0
    same = (points[:, np.newaxis, :] == closed[np.newaxis]).all(axis=2)
    return np.asarray(~same.any(axis=1))


def done_by(past: Iterable[Event]) -> Done:
    """What steps have done so far; what happened otherwise since is nobody's doing.

    >>> step = Event("step", (("savings", 0, 500),), 1.0)
    >>> done_by([step, Event("step", (("savings", 500, 900),), 1.0)])
    {'savings': (0, 500, 900)}
    >>> done_by([step, Event("other", (("savings", 500, 100),), 0.0)])
    {}
    """
    done: Done = {}
    for event in past:
        for name, before, after in event.changes:
            if event.kind != "step":
                done.pop(name, None)
            else:
                done[name] = (*done.get(name, (before,)), after)
    return done


def held(
    terrain: Terrain, done: Mapping[str, tuple[Level | None, ...]], factor: float = math.inf
) -> Terrain:
    """The terrain on which nothing undoes what was done, or does so at a multiple of its price.

    What rose falls at `factor` times the price (never by default), what fell rises so, and so does
    everything that goes back to a level it has left.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"savings": [0, 900], "age": [20, 40]}))
    >>> held(terrain, {"savings": (0, 500)})
    column   kind     may rise  may fall  values
    savings  numeric  at 1      never     0 to 900
    age      numeric  at 1      at 1      20 to 40
    """
    for name, values in done.items():
        feature = terrain.by_name.get(name) or terrain.feature(name)  # which says what is wrong
        if feature.ages is None and not feature.frozen:
            try:
                terrain = _held(terrain, feature, values, factor)
            except (TypeError, ValueError):
                told = " → ".join(map(str, values))
                raise InvalidInput(f"A walk cannot have changed {name!r}: {told}.") from None
    return terrain


def _held(
    terrain: Terrain, feature: Feature, values: tuple[Level | None, ...], factor: float
) -> Terrain:
    first, last = values[0], values[-1]
    if first is None or last is None:
        gone = {"found": math.inf} if last is None else {"lost": math.inf}
        return terrain.missing(feature.name, **gone) if math.isinf(factor) else terrain
    start, end = feature.rank(first), feature.rank(last)
    if start is not None and end is not None:
        rose = end > start
        back = "decrease" if rose else "increase"
        return terrain.price(feature.name, **{back: _times(getattr(feature, back), factor)})
    prices = feature.transition_prices()
    for left in dict.fromkeys(value for value in values[:-1] if value is not None):
        place = feature.levels.index(left)  # an error where somebody left no number and no level
        for level in feature.levels:
            if level != left:
                own = prices[feature.codes[level], place]
                price = _times(float(own), factor)
                terrain = terrain.transition(feature.name, level, left, price=price)
    return terrain


def _times(price: float, factor: float) -> float:
    """A multiple of a price; what costs nothing is forbidden, too, by an infinite factor."""
    return math.inf if math.isinf(factor) else price * factor
