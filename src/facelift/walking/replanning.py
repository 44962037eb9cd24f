"""Rules that somebody adds on the way: what is known under them, and where to look afresh.

What was found before is used as long as it leads anywhere: the same states and steps, without what
was ruled out, at the prices that hold now. Only where that leads nowhere is there a new search, by
the explainer that was asked, under the rules of now.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats
from facelift.errors import InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.lookup import Lookup
from facelift.graph.routes import forward
from facelift.multiverse.exploration import journeys_to, plain_route
from facelift.multiverse.goal import Goal
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.ordering import most_open_route
from facelift.multiverse.question import Question
from facelift.terrain.terrain import Terrain

Place = tuple[float, ...]
"""A state by its point, whatever graph it is in."""

Price = tuple[Hashable, float | None, float | None]
"""A feature, and its new prices of increase and decrease (None: as before)."""


@dataclass(frozen=True)
class Said:
    """What somebody said on the way: steps, states and features ruled out, prices that changed.

    Steps and states are vertices of the graph one walks on; `far_steps` and `far_states` those
    that only earlier graphs had, by their points.
    """

    steps: frozenset[tuple[int, int]] = frozenset()
    states: frozenset[int] = frozenset()
    features: frozenset[Hashable] = frozenset()
    prices: tuple[Price, ...] = ()
    far_steps: frozenset[tuple[Place, Place]] = frozenset()
    far_states: frozenset[Place] = frozenset()

    def terrain(self, terrain: Terrain) -> Terrain:
        """The terrain at the prices of now, without the features ruled out."""
        for name, increase, decrease in self.prices:
            terrain = terrain.price(name, increase=increase, decrease=decrease)
        return terrain.freeze(*self.features)

    def anywhere(self, graph: Graph) -> Said:
        """The same with all steps and states by their points."""
        steps = {(place(graph, start), place(graph, end)) for start, end in self.steps}
        states = {place(graph, vertex) for vertex in self.states}
        return replace(
            self,
            steps=frozenset(),
            states=frozenset(),
            far_steps=self.far_steps | steps,
            far_states=self.far_states | states,
        )

    def on(self, graph: Graph) -> Said:
        """The same with those steps and states by vertex that a graph has."""
        lookup = Lookup(graph.points)
        known = {each for pair in self.far_steps for each in pair} | self.far_states
        vertices = {each: lookup.vertex(np.array(each)) for each in known}
        pairs = {pair: (vertices[pair[0]], vertices[pair[1]]) for pair in self.far_steps}
        here = {pair: (u, v) for pair, (u, v) in pairs.items() if u is not None and v is not None}
        states = {each: v for each in self.far_states if (v := vertices[each]) is not None}
        return replace(
            self,
            steps=self.steps | set(here.values()),
            states=self.states | set(states.values()),
            far_steps=self.far_steps - set(here),
            far_states=self.far_states - set(states),
        )


def place(graph: Graph, vertex: int) -> Place:
    """A vertex by its point."""
    (point,) = graph.at(np.array([vertex]))
    return tuple((point + 0.0).tolist())


def known_graph(multiverse: Multiverse, graph: Graph, said: Said) -> Graph:
    """What is known of a graph under what was said: the edges left, at the prices of now."""
    graph = graph.without(said.steps)
    if said.states:
        graph = graph.with_edges(~np.isin(graph.costs.indices, list(said.states)))
    if not (said.features or said.prices):
        return graph
    question = multiverse.question
    if question is None:
        return graph.with_edges(~_changes(graph, said))
    terrain = said.terrain(question.explainer.terrain_)
    weighed: Graph = question.explainer.reweighed(graph, terrain, question.point)
    return weighed


def afresh(multiverse: Multiverse, graph: Graph, vertex: int, said: Said) -> Multiverse | None:
    """A new search from a vertex under what was said; None if nobody can be asked.

    Destinations are looked for until one is in reach without the steps that were ruled out, or
    until there are no more.
    """
    question, goal = multiverse.question, multiverse.goal
    if question is None or goal is None:
        return None
    explainer, here, said = question.explainer, place(graph, vertex), said.anywhere(graph)
    terrain = said.terrain(explainer.terrain_)
    if closed := sorted(said.far_states - {here}):
        terrain = terrain.require(partial(_elsewhere, terrain, np.array(closed)))
    row, wanted = terrain.to_pandas([here]), explainer.n_counterfactuals
    while True:
        under = explainer.under(terrain, n_counterfactuals=wanted)
        found: Multiverse = under.explain(row, _target(goal, explainer))
        left = _left(found, said)
        if len(left) or len(found) < wanted:
            # Rules are refinements of the terrain that was fitted, whatever was said before.
            return replace(left, question=Question(explainer, np.array(here)))
        wanted *= 2


def _left(found: Multiverse, said: Said) -> Multiverse:
    """The journeys of a search, without steps that were ruled out."""
    if not found.journeys:
        return found
    graph, factual = found.walkable_graph()
    steps = said.on(graph).steps
    if not steps:
        return found
    route = plain_route if found.survey is None else most_open_route
    left = journeys_to(forward(graph.without(steps), factual), found.destinations, route=route)
    decode = found[0].decode
    journeys = tuple(replace(journey, decode=decode) for journey in left)
    return replace(found, journeys=journeys, destinations=left.destinations)


def _changes(graph: Graph, said: Said) -> Bools:
    """Edges that change a coordinate ruled out, in a graph of one's own."""
    names = {f"x{i}": i for i in range(graph.points.shape[1])}
    if said.prices:
        raise InvalidInput(
            "These ways come from a graph, or from a batch, and know no prices: explain the case "
            "with explain() to reprice it."
        )
    changed = np.zeros(graph.costs.nnz, dtype=bool)
    for name in said.features:
        if name not in names:
            raise InvalidInput(
                f"These ways come from a graph, or from a batch: features are {', '.join(names)}, "
                f"got {name!r}; explain the case with explain() to speak of columns."
            )
        values = graph.points[:, names[str(name)]]
        changed |= values[graph.starts] != values[graph.costs.indices]
    return changed


def _elsewhere(terrain: Terrain, closed: Floats, frame: pd.DataFrame) -> Bools:
    """Whether each row is none of some states."""
    points = np.asarray(terrain.from_pandas(frame)) + 0.0
    same = (points[:, np.newaxis, :] == closed[np.newaxis]).all(axis=2)
    return np.asarray(~same.any(axis=1))


def _target(goal: Any, explainer: Any) -> Any:
    """What was asked for, as `explain` takes it."""
    if not isinstance(goal, Goal):
        return goal.low, goal.high
    return [label for label in explainer.classes_.tolist() if str(label) in goal.target]
