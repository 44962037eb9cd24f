"""Walking a multiverse: where one stands, what each step keeps open, limits, and new plans.

A `Position` never changes; every move returns a new one, so undo and history are free.

Everything the navigator computes happens in this room, too; it knows no page and no request. A
`Walk` is all there is to know about where somebody stands and what they ruled out; `Guide.plan`
says what is open from there. Both are values, so sharing and several walks at once are free.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Literal

import numpy as np

from facelift._arrays import Floats, Ints, frozen
from facelift.errors import InvalidInput, check_number
from facelift.geometry import effects, tied_ranks
from facelift.graph.graph import Graph
from facelift.graph.search import cheapest_route
from facelift.multiverse.frames import Change, coordinate_rows, row_changes
from facelift.multiverse.multiverse import Multiverse
from facelift.walking.limits import Limits
from facelift.walking.replanning import Reach, replanned

Effect = Literal["nearer", "open", "closed"]


@dataclass(frozen=True, eq=False)
class Option:
    """One possible next step.

    `effects[b]` says what it does to destination b: brings it nearer, leaves it open without
    helping, or closes it for good; `remaining[b]` is the cost left after the step. `expected` is
    the effort to expect from here on if this step is tried first and one step in ten falls through
    (SPEC 14).

    Examples
    --------
    >>> from facelift.toys import loan
    >>> option = Position.start(loan().multiverse()).options()[1]
    >>> option.end, option.cost, option.effects, option.remaining.tolist()
    (4, 8.0, ('closed', 'nearer', 'nearer'), [inf, 6.0, 8.0])
    >>> option.nearer, round(option.expected, 2)
    (frozenset({1, 2}), 14.58)
    """

    start: int
    end: int
    cost: float
    remaining: Floats
    effects: tuple[Effect, ...]
    expected: float = np.inf

    @property
    def nearer(self) -> frozenset[int]:
        """Destinations that the step brings nearer."""
        return frozenset(b for b, effect in enumerate(self.effects) if effect == "nearer")

    @property
    def n_nearer(self) -> int:
        """How many destinations the step brings nearer."""
        return self.effects.count("nearer")


@dataclass(frozen=True, eq=False)
class Position:
    """Where someone stands in a multiverse, how they got there, and within which limits.

    `walked` are vertices of `graph`, since the present plan was made; `paid` what every step cost
    when it was taken, on earlier plans, too. `reach` is what can be reached within the `limits`.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> here = Position.start(loan().multiverse())
    >>> [(option.end, option.effects) for option in here.options()]
    [(1, ('nearer', 'closed', 'closed')), (4, ('closed', 'nearer', 'nearer'))]
    >>> here.step(here.options()[1]).vertex
    4
    """

    multiverse: Multiverse
    walked: tuple[int, ...]
    reach: Reach = field(repr=False)
    paid: tuple[float, ...] = ()
    previous: Position | None = field(default=None, repr=False)

    @classmethod
    def start(cls, multiverse: Multiverse, limits: Limits | None = None) -> Position:
        """At the factual, with everything still open.

        `limits` are those that the multiverse was found within; none unless they are given.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> here.vertex, here.remaining.tolist()
        (0, [3.0, 14.0, 16.0])
        """
        _, factual = multiverse.walkable_graph()
        planned = limits or Limits()
        return cls(multiverse, (factual,), Reach(multiverse, planned, planned))

    @property
    def graph(self) -> Graph:
        """The graph that the present plan was made on."""
        return self.multiverse.walkable_graph()[0]

    @property
    def open_graph(self) -> Graph:
        """The graph without what was ruled out, at the prices of now."""
        return self.reach.graph

    @property
    def limits(self) -> Limits:
        """What was ruled out and repriced."""
        return self.reach.limits

    @property
    def vertex(self) -> int:
        """The vertex one stands on."""
        return self.walked[-1]

    @property
    def cost(self) -> float:
        """Cost of the steps taken so far, at the prices of their time."""
        return float(sum(self.paid))

    @property
    def blocked(self) -> frozenset[tuple[int, int]]:
        """Single steps ruled out, as far as the graph has them."""
        return frozenset(self.limits.edges)

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
        """Next steps that bring at least one destination nearer, the least expected effort first.

        Where that is the same, those come first that bring more destinations nearer, close fewer,
        and cost less. The first of them never leads in a circle.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> [(option.end, option.cost, round(option.expected, 2)) for option in here.options()]
        [(1, 3.0, 4.57), (4, 8.0, 14.58)]
        """
        ends, costs = self.open_graph.neighbors(self.vertex)
        _, expected = self.reach.effort.steps(self.vertex)
        steps = zip(ends.tolist(), costs.tolist(), self._left[1:], expected.tolist(), strict=True)
        options = [each for each in (self._option(*step) for step in steps) if each.n_nearer]
        ranks = tied_ranks(np.array([option.expected for option in options]))
        order = sorted(range(len(options)), key=lambda i: (ranks[i], *_merits(options[i])))
        return [options[i] for i in order]

    def step(self, option: Option) -> Position:
        """Take a step; it must start here and not be ruled out.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> there = here.step(here.options()[1])
        >>> there.walked, there.cost, there.remaining.tolist()
        ((0, 4), 8.0, [inf, 6.0, 8.0])
        """
        _check_option(option)
        cost = self.open_graph.edge_cost(self.vertex, option.end)
        if option.start != self.vertex or np.isinf(cost):
            raise InvalidInput(
                f"The step {option.start} → {option.end} cannot be taken from {self.vertex}; "
                "choose one of options()."
            )
        walked, paid = (*self.walked, option.end), (*self.paid, cost)
        return replace(self, walked=walked, paid=paid, previous=self)

    def changes(self, option: Option) -> list[Change]:
        """What a step changes, in the table's own words: feature, from, to.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> here.changes(here.options()[1])
        [('x0', 0.0, 4.0)]
        """
        points = self.graph.points[[option.start, option.end]]
        decode = next((j.decode for j in self.multiverse if j.decode is not None), coordinate_rows)
        return row_changes(decode(points))[0]

    def block(
        self,
        option: Option | None = None,
        *,
        state: int | None = None,
        feature: Hashable | None = None,
    ) -> Position:
        """Rule out a step, a state or all changes of a feature, here and on every later plan.

        What is known is planned anew. If nothing of it leads anywhere any more, the explainer is
        asked again from here, under the rules of now (`replan`); then `multiverse`, `graph` and
        the numbers of vertices are those of the new search. Only if that finds nothing, too, are
        there no options.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> [option.end for option in here.block(state=4).options()]
        [1]
        """
        if [option, state, feature].count(None) != 2:
            raise InvalidInput("Give one of an option, a state or a feature to block.")
        limits = self.limits
        if option is not None:
            _check_option(option)
            edge = (option.start, option.end)
            limits = replace(limits, edges=tuple(dict.fromkeys([*limits.edges, edge])))
        elif state is not None:
            self._check_state(state)
            limits = replace(limits, states=tuple(dict.fromkeys([*limits.states, state])))
        else:
            limits = replace(limits, ease={**limits.ease, str(feature): "never"})
        return self.within(limits)

    def reprice(
        self,
        feature: Hashable,
        change: float | None = None,
        *,
        increase: float | None = None,
        decrease: float | None = None,
    ) -> Position:
        """Say that changes of a feature have other prices from here on, as in `Terrain.price`.

        Steps that were taken keep what they cost. What is known is planned anew, as in `block`.

        >>> from facelift import FACElift
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
        >>> here = Position.start(explainer.explain([2.0]))
        >>> [there.remaining[0].round(2) for there in (here, here.reprice("x0", increase=2.0))]
        [np.float64(0.4), np.float64(0.8)]
        """
        up = change if increase is None else increase
        down = change if decrease is None else decrease
        prices = (*self.limits.prices, (feature, up, down))
        return self.within(replace(self.limits, prices=prices))

    def undoing(self, factor: float) -> Position:
        """Say what it costs to take back what one has done: so many times an ordinary step.

        1 is what any step costs, infinity never lets a step be taken back. For steps that change
        one thing; a record that one has been at is ruled out by `block`.

        >>> import pandas as pd
        >>> from facelift import FACElift
        >>> table = pd.DataFrame({"savings": range(8), "debts": range(8)})
        >>> model = lambda x: np.column_stack([x["savings"] < 5, x["savings"] >= 5]).astype(float)
        >>> explainer = FACElift(model, steps="actions", plausibility=1.0).fit(table)
        >>> here = Position.start(explainer.explain({"savings": 2, "debts": 3}))
        >>> here = here.step(here.options()[0])
        >>> len(here.undoing(np.inf).options()) <= len(here.undoing(2.0).options())
        True
        """
        check_number("factor", factor, Real, "1 or more", lambda value: value >= 1)
        question = self.multiverse.question
        if question is None or not question.explainer.steps_.single_changes:
            raise InvalidInput(
                "undoing is for steps='actions': elsewhere block() what lies behind."
            )
        return self.within(replace(self.limits, undo=float(factor)))

    def within(self, limits: Limits) -> Position:
        """The same place within other limits; on a new plan if nothing known leads anywhere.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> [option.end for option in here.within(Limits(edges=((0, 4),))).options()]
        [1]
        """
        reach = Reach(self.multiverse, limits, self.reach.planned)
        here = replace(self, reach=reach, previous=self)
        if np.isfinite(here.remaining).any():
            return here
        return replace(here.replan(), previous=self)

    def replan(self) -> Position:
        """Ask the explainer for ways from here under the rules of now, whatever is known.

        Where it finds none, or there is nobody to ask, the position stays as it is.

        >>> from facelift import FACElift
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
        >>> here = Position.start(explainer.explain([2.0]))
        >>> later = here.step(here.options()[0]).replan()
        >>> here.multiverse[0].n_steps, later.multiverse[0].n_steps
        (4, 3)
        """
        multiverse = replanned(self.multiverse, self.vertex, self.limits)
        if multiverse is None or not multiverse.journeys:
            return self
        graph, factual = multiverse.walkable_graph()
        limits = self.limits.by_points(self.graph).on(graph)
        reach = Reach(multiverse, limits, replace(limits, undo=False))
        return replace(self, multiverse=multiverse, walked=(factual,), reach=reach, previous=self)

    def back(self) -> Position:
        """Undo the last step, or what was last said; at the start there is nothing to undo.

        >>> from facelift.toys import loan
        >>> here = Position.start(loan().multiverse())
        >>> here.step(here.options()[0]).back() is here
        True
        """
        return self if self.previous is None else self.previous

    def route(self, destination: int) -> Ints:
        """Vertices of the cheapest route from here to a destination, empty if out of reach.

        >>> from facelift.toys import loan
        >>> Position.start(loan().multiverse()).route(2).tolist()
        [0, 4, 5, 6, 3]
        """
        sets = self.multiverse.destinations
        if not 0 <= destination < len(sets):
            raise InvalidInput(f"There are {len(sets)} destinations, from 0, got {destination}.")
        return cheapest_route(self.open_graph, self.vertex, sets[destination])

    def _check_state(self, vertex: int) -> None:
        if not 0 <= vertex < len(self.graph):
            raise InvalidInput(f"There are {len(self.graph)} states, from 0, got {vertex}.")

    @cached_property
    def _left(self) -> Floats:
        """Remaining costs here, and at every vertex one step away; shape (1 + steps, c)."""
        left = self.reach.nearby(self.vertex)
        frozen(left)
        return left

    def _option(self, end: int, cost: float, left: Floats, expected: float) -> Option:
        effect: tuple[Effect, ...] = tuple(effects([self._left[0], left], [cost])[0].tolist())
        return Option(self.vertex, end, cost, left, effect, expected)


def _check_option(option: object) -> None:
    if not isinstance(option, Option):
        raise InvalidInput(f"A step is one of options(), got {option!r}.")


def _merits(option: Option) -> tuple[float, ...]:
    return -option.n_nearer, option.effects.count("closed"), option.cost, option.end
