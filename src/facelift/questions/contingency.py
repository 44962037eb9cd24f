"""What if it fails? Plans for a world in which destinations get lost on the way.

The model: after every step, each destination that is still there is lost with probability q, for
good and independently of the others, and one knows it. Whoever then stands on a destination that is
still there has arrived; everybody else decides again where to head for. Having nothing left, or
giving up, costs as much as `dead_end`. With M the mean over what the step may lose,

    V(v, L) = min( dead_end, min over b not in L of cost(v, u) + M[ V(u, K) ] ),   K ⊇ L,

where u is the next waypoint of the cheapest way from v to b, and V is 0 where one has arrived. It
is solved exactly, for all sets of lost destinations at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.choosing import opportunity, ranking
from facelift.errors import InvalidInput, check_number
from facelift.geometry import TOLERANCE
from facelift.graph.routes import next_vertices, remaining_costs
from facelift.multiverse.frames import coordinate_rows, row_changes
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import letter, summary

EXACT = 1e-3 * TOLERANCE
"""Relative change below which a value is found."""

MOST = 10
"""Destinations that a plan takes into account: the cheapest ones to get to."""

Choice = Callable[[Floats], Ints]
"""Costs of heading for each destination (…, c) to the one chosen, inf where it cannot be."""


@dataclass(frozen=True)
class Stage:
    """One step of a plan, as long as nothing gets lost.

    `heading` is the destination, `changes` what the step changes, `cost` what it costs; `left` the
    cost still expected after it. `fallback` is where to head for if the destination is lost then,
    None to give up, and `fallback_cost` the cost expected from there on.
    """

    heading: int
    vertex: int
    changes: str
    cost: float
    left: float
    fallback: int | None
    fallback_cost: float

    def __str__(self) -> str:
        then = "nothing is left"
        if self.fallback is not None:
            then = f"go on to {letter(self.fallback)} ({self.fallback_cost:.2f} expected)"
        return f"To {letter(self.heading)}: {self.changes}. If it is lost by then: {then}."


@dataclass(frozen=True, eq=False)
class Contingency:
    """A plan that costs least on average when destinations get lost.

    `expected` is what it costs on average, `arrives` the probability to get anywhere with it;
    `compared` holds the same costs for those who head for the cheapest journey that is left
    ("shortest first"), who take the one that keeps most open first ("opportunity first"), and who
    take the best single journey first ("best journey"). `stages` is the plan while nothing is lost.

    Examples
    --------
    >>> from facelift.toys import fork
    >>> plan = contingency(fork().multiverse(), loss=0.15)
    >>> round(plan.expected, 2), round(plan.arrives, 2)
    (4.7, 0.85)
    >>> {name: round(cost, 2) for name, cost in plan.compared.items()}
    {'plan': 4.7, 'best journey': 4.7, 'shortest first': 4.82, 'opportunity first': 4.82}
    """

    loss: float
    dead_end: float
    expected: float
    arrives: float
    compared: dict[str, float]
    stages: tuple[Stage, ...]
    _field: _Field
    _choices: Ints

    def heading(self, vertex: int, lost: Iterable[int] = ()) -> int | None:
        """Where to head for from a waypoint when some destinations are lost; None to give up.

        >>> from facelift.toys import fork
        >>> plan = contingency(fork().multiverse(), loss=0.15)
        >>> plan.heading(0), plan.heading(0, lost=[1])
        (1, 0)
        """
        place = self._field.places.get(vertex)
        if place is None:
            raise InvalidInput(f"Vertex {vertex} is on none of the ways of this plan.")
        gone, known = set(lost), range(self._field.n_destinations)
        if unknown := [each for each in gone if each not in known]:
            raise InvalidInput(
                f"There is no destination {unknown[0]!r} in this plan; lost ones are numbers from "
                f"0 to {len(known) - 1}."
            )
        choice = int(self._choices[place, sum(1 << int(b) for b in gone)])
        return None if choice < 0 else choice

    def to_frame(self) -> pd.DataFrame:
        """One row per step of the plan: what it changes, where it leads, and the fallback.

        >>> from facelift.toys import fork
        >>> contingency(fork().multiverse(), loss=0.15).to_frame().round(2)
           step heading    changes  cost  left fallback  fallback_cost
        0     1       B  X1: 0 → 3   3.5   0.0                     8.0
        """
        records = [
            (
                number,
                letter(stage.heading),
                stage.changes,
                stage.cost,
                stage.left,
                "" if stage.fallback is None else letter(stage.fallback),
                stage.fallback_cost,
            )
            for number, stage in enumerate(self.stages, start=1)
        ]
        names = ["step", "heading", "changes", "cost", "left", "fallback", "fallback_cost"]
        return pd.DataFrame(records, columns=names)

    def to_json(self) -> str:
        """The plan as a JSON document: its numbers by their names, `to_frame`'s rows as `steps`.

        >>> from facelift.toys import fork
        >>> list(json.loads(contingency(fork().multiverse(), loss=0.15).to_json()))
        ['version', 'loss', 'dead_end', 'expected', 'arrives', 'compared', 'steps']
        """
        content = {
            "version": 2,
            "loss": self.loss,
            "dead_end": self.dead_end,
            "expected": self.expected,
            "arrives": self.arrives,
            "compared": self.compared,
            "steps": json.loads(self.to_frame().to_json(orient="records")),
        }
        return json.dumps(content, ensure_ascii=False)

    def __str__(self) -> str:
        nearly = 0.995 <= self.arrives < 1
        chance = "over 99%" if nearly else f"{self.arrives:.0%}"
        head = (
            f"Expected cost {self.expected:.2f} if every step loses each destination with "
            f"a chance of {100 * self.loss:.3g}%.\n"
            f"Ending with nothing costs {self.dead_end:.2f}; "
            f"the plan arrives with a chance of {chance}."
        )
        lines = [f"{number}. {stage}" for number, stage in enumerate(self.stages, start=1)]
        lines = lines or ["Trying costs more on average than ending with nothing."]
        return "\n".join([head, *lines])


def contingency(
    multiverse: Multiverse, loss: float = 0.2, *, dead_end: float | None = None
) -> Contingency:
    """The plan that costs least on average when every step may lose destinations.

    After every step, each destination still there is lost with probability `loss`, independently
    and for good. At every waypoint one heads for the destination that is best on average, along the
    cheapest way; the answer is exact, for the ten cheapest destinations.

    Parameters
    ----------
    multiverse
        Journeys of one case, with their graph.
    loss
        Probability that a step loses a destination, from 0 to below 1.
    dead_end
        What it costs to end with nothing; twice the dearest journey when None. The larger it is,
        the more a plan cares to arrive at all.

    Examples
    --------
    >>> from facelift.toys import fork
    >>> plan = contingency(fork().multiverse(), loss=0.15)
    >>> print(plan)
    Expected cost 4.70 if every step loses each destination with a chance of 15%.
    Ending with nothing costs 8.00; the plan arrives with a chance of 85%.
    1. To B: X1: 0 → 3. If it is lost by then: nothing is left.
    >>> round(plan.compared["shortest first"], 2)
    4.82
    """
    check_number("loss", loss, Real, "0 or more and below 1", lambda v: 0 <= v < 1)
    if not len(multiverse):
        raise InvalidInput(f"There is no journey to plan with. {multiverse.why_not}")
    field = _Field(multiverse)
    end = 2 * float(multiverse.costs.max()) if dead_end is None else float(dead_end)
    if not 0 <= end < np.inf:
        raise InvalidInput(f"dead_end must be a finite cost of 0 or more, got {dead_end}.")
    values, choices = field.solved(field.costs, loss, end, partial(_cheapest, dead_end=end))
    nearest, _ = field.solved(field.costs, loss, end, lambda _: field.nearest)
    no_cost = np.zeros_like(field.costs)  # what is left is the probability to end with nothing
    fails, _ = field.solved(no_cost, loss, 1.0, lambda _: choices)
    firsts = [field.committed(loss, nearest, journey) for journey in range(field.n_destinations)]
    best_first = ranking(multiverse, opportunity)
    best_first = best_first[best_first < field.n_destinations]
    start = field.places[field.factual]
    return Contingency(
        float(loss),
        end,
        float(values[start, 0]),
        1 - float(fails[start, 0]),
        {
            "plan": float(values[start, 0]),
            "best journey": min(firsts),
            "shortest first": float(nearest[start, 0]),
            "opportunity first": firsts[int(best_first[0])],
        },
        tuple(_stages(field, multiverse, values, choices)),
        field,
        choices,
    )


class _Field:
    """The waypoints of all cheapest ways to the destinations, and where each leads next.

    Sets of lost destinations are numbers: bit b says whether b is lost. Letters: S waypoints, c
    destinations.
    """

    def __init__(self, multiverse: Multiverse) -> None:
        graph, self.factual = multiverse.walkable_graph()
        journeys = [journey.in_steps for journey in multiverse[:MOST]]
        sets = multiverse.destinations[:MOST]
        self.n_destinations = len(sets)
        remaining = remaining_costs(graph, sets)
        nexts = next_vertices(graph, sets, remaining)
        for journey in journeys:
            nexts[journey.vertices[:-1], journey.own] = journey.vertices[1:]
        self.vertices = _onward(nexts, self.factual)
        self.places = {vertex: place for place, vertex in enumerate(self.vertices.tolist())}
        there = nexts[self.vertices]
        self.nexts = np.where(there < 0, -1, np.searchsorted(self.vertices, there))
        self.costs = np.array(
            [
                [np.inf if end < 0 else graph.edge_cost(start, end) for end in ends]
                for start, ends in zip(self.vertices.tolist(), there.tolist(), strict=True)
            ]
        )
        self.left = remaining[self.vertices]
        self.inside = np.stack([np.isin(self.vertices, members) for members in sets], axis=1)
        self.routes = [np.searchsorted(self.vertices, journey.vertices) for journey in journeys]
        self.steps = [journey.step_costs for journey in journeys]

    @cached_property
    def lost(self) -> Bools:
        """Which destinations every set holds; (2^c, c)."""
        numbers = np.arange(1 << self.n_destinations)[:, np.newaxis]
        return np.asarray((numbers >> np.arange(self.n_destinations)) % 2 == 1)

    @cached_property
    def done(self) -> Bools:
        """Whether one has arrived at a waypoint with some destinations lost; (S, 2^c)."""
        return np.asarray((self.inside[:, np.newaxis, :] & ~self.lost).any(axis=2))

    @cached_property
    def nearest(self) -> Ints:
        """The nearest destination that is not lost, from every waypoint; (S, 2^c)."""
        left = np.where(self.lost, np.inf, self.left[:, np.newaxis, :])
        return np.where(np.isinf(left.min(axis=2)), -1, left.argmin(axis=2))

    def solved(
        self, costs: Floats, loss: float, dead_end: float, choose: Choice
    ) -> tuple[Floats, Ints]:
        """Expected cost from every waypoint with every set lost, and what is chosen; (S, 2^c).

        `costs` are those of the steps, `dead_end` that of ending with nothing.
        """
        values = np.where(self.done, 0.0, dead_end)
        while True:
            heads = costs[:, np.newaxis, :] + self._ahead(values, loss)
            heads[np.broadcast_to(self.lost, heads.shape)] = np.inf
            choices = choose(heads)
            chosen = np.take_along_axis(heads, choices[..., np.newaxis], axis=2)[..., 0]
            gives_up = choices < 0
            after = np.where(self.done, 0.0, np.where(gives_up, dead_end, chosen))
            if np.abs(after - values).max() <= EXACT * dead_end:
                return after, np.where(gives_up | self.done, -1, choices)
            values = after

    def committed(self, loss: float, fallback: Floats, journey: int) -> float:
        """Expected cost of walking a journey until its destination is lost, then the fallback."""
        route, own_lost = self.routes[journey], self.lost[:, journey]
        ahead = np.zeros(len(self.lost))
        for place, cost in zip(route[:0:-1], self.steps[journey][::-1], strict=True):
            then = np.where(own_lost | self.done[place], fallback[place], ahead)
            ahead = cost + _mixed(then, loss)
        return float(ahead[0])

    def _ahead(self, values: Floats, loss: float) -> Floats:
        """Mean over what a step loses, one step towards each destination; (S, 2^c, c)."""
        return np.moveaxis(_mixed(values, loss)[self.nexts], 1, 2)


def _cheapest(heads: Floats, dead_end: float) -> Ints:
    """Where it is cheapest to head for, -1 where giving up is cheaper still."""
    return np.where(heads.min(axis=2) > dead_end, -1, heads.argmin(axis=2))


def _mixed(values: Floats, loss: float) -> Floats:
    """Mean over what gets lost next: each destination that is not, with that probability."""
    mixed = values.copy()
    for b in range(int(mixed.shape[-1]).bit_length() - 1):
        split = mixed.reshape(*mixed.shape[:-1], -1, 2, 1 << b)
        split[..., 0, :] += loss * (split[..., 1, :] - split[..., 0, :])
    return mixed


def _onward(nexts: Ints, factual: int) -> Ints:
    """All vertices one can come by, in ascending order."""
    known = frontier = np.array([factual])
    while len(frontier):
        ahead = nexts[frontier]
        frontier = np.setdiff1d(ahead[ahead >= 0], known)
        known = np.union1d(known, frontier)
    return known


def _stages(
    field: _Field, multiverse: Multiverse, values: Floats, choices: Ints
) -> Iterable[Stage]:
    """The plan while nothing is lost, and the fallback after every step."""
    graph, _ = multiverse.walkable_graph()
    decode = multiverse[0].decode or coordinate_rows
    place = field.places[field.factual]
    while not field.done[place, 0] and choices[place, 0] >= 0:
        heading = int(choices[place, 0])
        there = int(field.nexts[place, heading])
        ends = field.vertices[[place, there]]
        lost = 1 << heading
        other = np.flatnonzero(field.inside[there] & ~field.lost[lost])
        fallback = int(other[0]) if len(other) else int(choices[there, lost])
        yield Stage(
            heading,
            int(ends[1]),
            summary(row_changes(decode(graph.at(ends)))[0], multiverse[0].features),
            float(field.costs[place, heading]),
            0.0 if field.done[there, 0] else float(values[there, 0]),
            None if fallback < 0 else fallback,
            0.0 if len(other) else float(values[there, lost]),
        )
        place = there
