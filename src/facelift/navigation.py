"""Walking a multiverse step by step: where one stands, what each step keeps open, and replanning.

A `Position` never changes; every move returns a new one, so undo and history are free.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from facelift.arrays import Floats, Ints, frozen
from facelift.errors import InvalidInput
from facelift.geometry import effects
from facelift.graph.graph import Graph
from facelift.graph.outward import cheapest_route, costs_nearby, worth_compiling
from facelift.graph.routes import remaining_costs
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.tidy import Change, coordinate_rows, row_changes

Effect = Literal["nearer", "open", "closed"]


@dataclass(frozen=True, eq=False)
class Option:
    """One possible next step.

    `effects[b]` says what it does to destination b: brings it nearer, leaves it open without
    helping, or closes it for good; `remaining[b]` is the cost left after the step.
    """

    start: int
    end: int
    cost: float
    remaining: Floats
    effects: tuple[Effect, ...]

    @property
    def n_nearer(self) -> int:
        """How many destinations the step brings nearer."""
        return self.effects.count("nearer")


@dataclass(frozen=True, eq=False)
class Position:
    """Where someone stands in a multiverse, how they got there, and what they ruled out.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> here = Position.start(loan().multiverse())
    >>> [(option.end, option.effects) for option in here.options()]
    [(4, ('closed', 'nearer', 'nearer')), (1, ('nearer', 'closed', 'closed'))]
    >>> here.step(here.options()[0]).vertex
    4
    """

    multiverse: Multiverse
    graph: Graph
    walked: tuple[int, ...]
    blocked: frozenset[tuple[int, int]] = frozenset()
    previous: Position | None = field(default=None, repr=False)

    @classmethod
    def start(cls, multiverse: Multiverse) -> Position:
        """At the factual, with everything still open."""
        graph, factual = multiverse.walkable_graph()
        return cls(multiverse, graph, (factual,))

    @property
    def vertex(self) -> int:
        """The vertex one stands on."""
        return self.walked[-1]

    @property
    def cost(self) -> float:
        """Cost of the steps taken so far."""
        return float(sum(self.graph.edge_cost(u, v) for u, v in pairwise(self.walked)))

    @property
    def arrived(self) -> tuple[int, ...]:
        """Destinations one stands on."""
        sets = self.multiverse.destinations
        return tuple(b for b, members in enumerate(sets) if self.vertex in members)

    @property
    def remaining(self) -> Floats:
        """Least cost from here to each destination, inf when out of reach; shape (c,)."""
        return np.asarray(self._left[0])

    def options(self) -> list[Option]:
        """Next steps that bring at least one destination nearer, most helpful first.

        Ranked by the number of destinations brought nearer, then by fewest closed, then by cost.
        """
        ends, costs = self._open_graph.neighbors(self.vertex)
        steps = zip(ends.tolist(), costs.tolist(), self._left[1:], strict=True)
        found = [self._option(*step) for step in steps]
        useful = [option for option in found if option.n_nearer]
        return sorted(useful, key=lambda o: (-o.n_nearer, o.effects.count("closed"), o.cost, o.end))

    def step(self, option: Option) -> Position:
        """Take a step; it must start here and not be ruled out."""
        ends, _ = self._open_graph.neighbors(self.vertex)
        if option.start != self.vertex or option.end not in ends:
            raise InvalidInput(
                f"The step {option.start} → {option.end} cannot be taken from {self.vertex}; "
                "choose one of options()."
            )
        return replace(self, walked=(*self.walked, option.end), previous=self)

    def changes(self, option: Option) -> list[Change]:
        """What a step changes, in the table's own words: feature, from, to."""
        points = self.graph.points[[option.start, option.end]]
        decode = next((j.decode for j in self.multiverse if j.decode is not None), coordinate_rows)
        return row_changes(decode(points))[0]

    def block(self, option: Option) -> Position:
        """Rule a step out, here and on every later plan; what remains is planned anew."""
        edge = (option.start, option.end)
        return replace(self, blocked=self.blocked | {edge}, previous=self)

    def back(self) -> Position:
        """Undo the last step or block; at the start there is nothing to undo."""
        return self if self.previous is None else self.previous

    def route(self, destination: int) -> Ints:
        """Vertices of the cheapest route from here to a destination, empty if out of reach."""
        sets = self.multiverse.destinations
        if not 0 <= destination < len(sets):
            raise InvalidInput(f"There are {len(sets)} destinations, from 0, got {destination}.")
        return cheapest_route(self._open_graph, self.vertex, sets[destination])

    @cached_property
    def _planner(self) -> Position:
        """The first position with the same steps ruled out: what was planned there still holds."""
        here = self
        while here.previous is not None and here.previous.blocked == here.blocked:
            here = here.previous
        return here

    @cached_property
    def _open_graph(self) -> Graph:
        if self._planner is not self:
            return self._planner._open_graph
        return self.graph.without(self.blocked)

    @cached_property
    def _left(self) -> Floats:
        """Remaining costs here, and at every vertex one step away; shape (1 + steps, c)."""
        if worth_compiling(self.graph):
            left = costs_nearby(self._open_graph, self.vertex, self.multiverse.destinations)
        else:
            ends, _ = self._open_graph.neighbors(self.vertex)
            left = self._planner._remaining[[self.vertex, *ends]]
        frozen(left)
        return left

    @cached_property
    def _remaining(self) -> Floats:
        """Remaining costs everywhere, of the first position with the same steps ruled out."""
        return remaining_costs(self._open_graph, self.multiverse.destinations)

    def _option(self, end: int, cost: float, left: Floats) -> Option:
        said: tuple[Effect, ...] = tuple(effects([self._left[0], left], [cost])[0].tolist())
        return Option(self.vertex, end, cost, left, said)
