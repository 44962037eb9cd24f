"""Steps through a field: journeys that do not step on records (SPEC 16).

A place is the dearer to cross the emptier it is. The length of a curve is what its moves cost,
each times the weight of `Density`. The search among records with edge cost `cost^p` (the sample
Fermat distance) gives a first guess; the polyline is then relaxed between its ends, ends where it
first has the outcome, and this end slides along where the chance just suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, permutations
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from facelift import geometry
from facelift._arrays import Bools, Floats
from facelift.errors import InvalidInput
from facelift.graph.edge_costs import Power, exponent_of, likely_bandwidth, log_density
from facelift.graph.graph import Graph
from facelift.graph.nearest import Nearest
from facelift.graph.routes import forward, remaining_costs
from facelift.models.oracle import Oracle
from facelift.multiverse.certificate import Proof
from facelift.multiverse.exploration import described, journeys_to
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.steps.base import Case, Request
from facelift.steps.rows import Rows, edge_cost_of
from facelift.terrain.terrain import Terrain

DEAREST = 50.0
"""Logarithm of the dearest weight: beyond all records a kernel density is 0 to the last digit."""


class Density:
    """The density weight of places: 1 where records are as dense as they are for most.

    `(d_k(x) ÷ median d_k)^(p − 1)` with d_k the distance to the k-th nearest record. With a kernel
    estimate f it is `(median f ÷ f(x))^((p − 1) ÷ m)`, as d_k goes with `f^(−1/m)` in m dimensions.

    >>> line = np.array([0.0, 1, 2, 3, 8, 9, 10])[:, np.newaxis]
    >>> places = np.array([[1.0], [5.5]])
    >>> Density(line, Power(2.0), 2).weights(places)
    array([1. , 2.5])
    >>> Density(line, Power(2.0, "kde", 1.0), 2).weights(places).round(1)
    array([ 0.7, 19. ])
    """

    def __init__(self, points: Floats, shape: Power, k: int) -> None:
        self._points, self._shape = points, shape
        self._k = min(k, len(points))

    def weights(self, places: Floats) -> Floats:
        """How dear places are to cross; shape (n,)."""
        power = self._shape.exponent - 1
        if power == 0:
            return np.ones(len(places))
        if self._shape.density == "kde":
            emptier = (self._typical - self._logarithms(places)) * power / places.shape[1]
            return np.asarray(np.exp(np.minimum(emptier, DEAREST)))
        apart, _ = self.tree.query(places, [self._k])
        return np.asarray((apart[:, 0] / self._typical) ** power)

    @property
    def grain(self) -> float:
        """Within about so much the density hardly changes."""
        return self._bandwidth if self._shape.density == "kde" else self._typical

    def crowd(self, places: Floats) -> Floats:
        """The middle of the k records nearest to each place; shape (n, m)."""
        _, near = self.tree.query(places, self._k)
        return np.asarray(self._points[near].mean(axis=1))

    @cached_property
    def tree(self) -> Any:
        """The records, to look neighbours up in."""
        return cKDTree(self._points)

    @cached_property
    def _logarithms(self) -> Any:
        return log_density(self._points, self._bandwidth)

    @cached_property
    def _bandwidth(self) -> float:
        return self._shape.bandwidth or likely_bandwidth(self._points)

    @cached_property
    def _typical(self) -> float:
        """The density, or the distance that stands for it, at the median over the records."""
        if self._shape.density == "kde":
            return float(np.median(self._logarithms(self._points)))
        apart, _ = self.tree.query(self._points, [self._k])
        return float(np.median(apart)) or 1.0


SECTIONS = 12
"""Steps of a journey through a field."""

DIVISIONS = (SECTIONS, 6, 4, 3, 2, 1)
"""Steps that a journey may have where rows are far apart, as whole numbers are."""

ROUNDED = 0.05
"""By so much, as a share, a journey may be longer for places that are rows of the table."""

FEWEST, MOST = 5, 60
"""At so many places of a straight stretch its density is looked up: two to a grain of it."""

ROUNDS = 40
"""So often the places of a way are moved, at most."""

SLIDES = 10
"""So often its end is moved, at most."""

SQUARE = Power(2.0)
"""The shape of a field unless another power is given."""

APART = 1000 * geometry.TOLERANCE
"""By so much, as a share, a way that leaves another, or leads through its end, is longer."""

NOT_PROVEN = "Not proven: a way through a field is the best nearby, not the best of all."


@dataclass(frozen=True, eq=False)
class Field(Rows):
    """Steps through a density, for tables of numbers.

    `shape` is the edge cost. Its power is 2 for ways that keep to where records are, 1 for straight
    lines; it says, too, where the density comes from.

    Examples
    --------
    >>> from facelift import FACElift
    >>> from facelift.toys import moons
    >>> points = moons(200).points
    >>> model = lambda points: np.column_stack([points[:, 0] < 0.9, points[:, 0] >= 0.9]) * 1.0
    >>> explainer = FACElift(model, steps="field", n_counterfactuals=2)
    >>> multiverse = explainer.fit(points).explain(points[0])
    >>> [float(journey.rows["x0"].iloc[-1].round(2)) for journey in multiverse]  # just enough
    [0.9, 0.9]
    """

    shape: Power = SQUARE
    shares_graph: ClassVar[bool] = False

    @property
    def costs_moves(self) -> bool:
        """Where lines are straight: then nothing is weighed by its density."""
        return self.shape.exponent == 1

    @classmethod
    def fitted(
        cls,
        settings: Any,
        terrain: Terrain,
        oracle: Oracle,
        *,
        graph: Graph | None = None,
        nearest: Nearest | None = None,
    ) -> Self:
        """As through records, with an edge cost whose power shapes the field."""
        if named := [str(each.name) for each in terrain.features if not each.is_continuous]:
            raise InvalidInput(
                f"steps='field' needs columns of complete numbers; {', '.join(named)} "
                "cannot be moved along a line: leave them out, or use steps='rows'."
            )
        made = super().fitted(settings, terrain, oracle, graph=graph, nearest=nearest)
        edge_cost = edge_cost_of(settings)
        shape = edge_cost if isinstance(edge_cost, Power) else Power(exponent_of(edge_cost))
        return replace(made, shape=shape)

    def shared_graph(self, goal: Goal | Range, wanted: Request) -> Graph | None:  # noqa: ARG002
        """None: each case has its own ways."""
        return None

    def reweighed(self, graph: Graph, terrain: Terrain, origin: Floats) -> Graph:  # noqa: ARG002
        """The same stretches at other prices."""
        ends = graph.costs.indices.astype(np.int64)
        return graph.weighed(self.lengths(graph.points[graph.starts], graph.points[ends], terrain))

    def proof(self, local: Any, costs: list[float]) -> Proof:  # noqa: ARG002
        """None: relaxing finds what is best nearby."""
        return Proof(sentence=NOT_PROVEN)

    def multiverse(self, case: Case, goal: Goal | Range, wanted: Request) -> Multiverse:
        """The journeys through records, relaxed, and ended where they first have the outcome."""
        if wanted.keep_open or (wanted.routes is not None and wanted.routes.count > 1):
            raise InvalidInput(
                "routes and keep_open are for steps='rows' and 'actions': a field relaxes one way "
                "to each destination."
            )
        found = super().multiverse(case, goal, wanted)
        if not len(found):
            return found
        through = [journey.waypoints for journey in found]
        relaxed = self._ended([self._relaxed(case.point, way) for way in through], goal)
        # Where the rules allow nothing between the records, ways step on them.
        chosen = _distinct(relaxed or through, wanted.min_separation)
        graph, ends = self._graph(case.point, chosen)
        made = journeys_to(forward(graph, 0), [np.array([end]) for end in ends])
        made = replace(made, goal=goal, proof=found.proof)
        answers = self.oracle.answers(graph.points)
        return described(made, self.terrain, answers.__getitem__)

    def lengths(self, starts: Floats, ends: Floats, terrain: Terrain | None = None) -> Floats:
        """Length of straight stretches in the field; infinite where the rules forbid them; (s,).

        >>> from facelift import FACElift
        >>> line = np.array([0.0, 1, 2, 3, 8, 9, 10])[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, steps="field", n_neighbors=1).fit(line)
        >>> field = explainer.steps_
        >>> places = np.array([[0.0], [0.3], [0.8], [1.0]])
        >>> field.lengths(places[:-1], places[1:]).round(2)  # records, nobody, records
        array([0.22, 1.08, 0.15])
        """
        moves = (terrain or self.terrain).prices.cost(starts, ends)
        if self.shape.exponent == 1 or not len(starts):
            return np.asarray(moves)
        grains = geometry.distances(starts, ends) / self._density.grain
        counts = np.clip(np.ceil(2 * grains), FEWEST, MOST).astype(np.int64)
        which, firsts = np.repeat(np.arange(len(starts)), counts), np.cumsum(counts) - counts
        shares = (np.arange(len(which)) - firsts[which] + 0.5) / counts[which]
        places = starts[which] + shares[:, np.newaxis] * (ends - starts)[which]
        return np.asarray(moves * np.add.reduceat(self.weights(places), firsts) / counts)

    def weights(self, places: Floats) -> Floats:
        """How dear places are to cross: 1 where records are as dense as they are for most; (n,)."""
        return self._density.weights(places)

    @cached_property
    def _density(self) -> Density:
        """Of the records; one is its own first neighbour."""
        return Density(self.oracle.points, self.shape, (self.neighbourhood.n_neighbors or 10) + 1)

    def _relaxed(self, start: Floats, waypoints: Floats) -> Floats:
        """The shorter of two ways between the same ends: by way of records, and straight."""
        along = np.vstack([start, geometry.resample(waypoints, SECTIONS)])
        straight = np.vstack([start, geometry.resample(waypoints[[0, -1]], SECTIONS)])
        ways = [self._settled(way) for way in (along, straight) if self._allowed(way).all()]
        if not ways:  # a bend of the records that no even section keeps
            return waypoints
        return min(ways, key=lambda way: float(self.lengths(way[:-1], way[1:]).sum()))

    def _settled(self, way: Floats) -> Floats:
        """The way after its places have been moved while that makes it shorter."""
        way = way.copy()
        for _ in range(ROUNDS):
            moved = [self._moved(way, np.arange(first, len(way) - 1, 2)) for first in (1, 2)]
            if not any(moved):
                break
        return way

    def _moved(self, way: Floats, inner: Any) -> bool:
        """Move every second place to the best of some nearby; whether one was moved.

        Neighbours of a place stay, so that all of them can be moved at once.
        """
        before, here, after = way[inner - 1], way[inner], way[inner + 1]
        middle = (before + after) / 2
        crowd = self._density.crowd(here)
        offers = np.stack(
            [
                here,
                *(
                    here + share * (aim - here)
                    for aim in (middle, crowd)
                    for share in (1, 0.5, 0.2, 0.05)
                ),
            ]
        )
        shape = offers.shape[:2]
        flat = offers.reshape(-1, way.shape[1])
        repeated = [np.tile(each, (len(offers), 1)) for each in (before, after)]
        length = self.lengths(repeated[0], flat) + self.lengths(flat, repeated[1])
        length[~self.terrain.admissible(flat)] = np.inf
        length = length.reshape(shape)
        best = np.argmin(length, axis=0)
        better = length[best, np.arange(len(inner))] < length[0] * (1 - 1e-9)
        way[inner[better]] = offers[best[better], np.flatnonzero(better)]
        return bool(better.any())

    def _allowed(self, way: Floats) -> Bools:
        """Whether each step of a way, and where it leads, is within the rules; (k - 1,)."""
        moves = np.isfinite(self.terrain.prices.cost(way[:-1], way[1:]))
        return np.asarray(moves & self.terrain.admissible(way[1:]))

    def _ended(self, ways: Sequence[Floats], goal: Goal | Range) -> list[Floats]:
        """Ways in rows that a table can hold, ended at the first place that has the outcome."""
        told = [self._as_rows(way) for way in ways]
        reached = np.split(
            self.oracle.reaches(np.vstack(told), goal), np.cumsum([len(way) for way in told])[:-1]
        )
        ended = []
        for way, has in zip(told, reached, strict=True):
            if not has.any() or has[0]:
                continue  # rows that the table can hold may fall short of the last record
            last = int(np.argmax(has))
            end = self._first_success(way[last - 1], way[last], goal)
            if isinstance(goal, Goal):
                end = self._slid(way[last - 1], end, goal)
            ended.append(self._straightened(np.vstack([way[:last], end]), goal))
        return [way for way in (self._in_rows(way, goal) for way in ended) if way is not None]

    def _in_rows(self, way: Floats, goal: Goal | Range) -> Floats | None:
        """The way in rows, in as many steps as rounding leaves about as short; None if none are."""
        told = [self._as_rows(_even(way, sections)) for sections in DIVISIONS]
        told = [each for each in told if len(each) > 1 and self._allowed(each).all()]
        told = [each for each in told if not self.oracle.reaches(each[:-1], goal).any()]
        lengths = [float(self.lengths(each[:-1], each[1:]).sum()) for each in told]
        near = (1 + ROUNDED) * min(lengths, default=0.0)
        return next(
            (each for each, length in zip(told, lengths, strict=True) if length <= near), None
        )

    def _as_rows(self, way: Floats) -> Floats:
        """The places of a way as rows of the table say them, each once."""
        told = np.asarray(self.terrain.encode(self.terrain.decode(way)), dtype=np.float64)
        told = np.vstack([way[:1], told[1:]])
        return np.asarray(told[np.append(True, (np.diff(told, axis=0) != 0).any(axis=1))])

    def _first_success(self, before: Floats, after: Floats, goal: Goal | Range) -> Floats:
        """The place between two, as a row says it, where the outcome is just had."""
        low, high, place = 0.0, 1.0, after
        for _ in range(20):
            share = (low + high) / 2
            tried = self._as_rows(np.vstack([before, before + share * (after - before)]))[-1]
            if self.oracle.reaches(tried[np.newaxis], goal)[0]:
                high, place = share, tried
            else:
                low = share
        return place

    def _slid(self, before: Floats, end: Floats, goal: Goal) -> Floats:
        """The end, moved along where the chance just suffices while that makes the way shorter.

        A move goes towards the place before, but for what would lower the chance, and then back by
        the gradient to the chance that suffices.
        """
        level, length = self._chance(end, goal), self._length(before, end)
        for _ in range(SLIDES):
            slope = self.oracle.chance_gradient(goal, end[np.newaxis])[0]
            steep = float(slope @ slope)
            if steep == 0:
                break
            back = before - end
            along = back - (back @ slope) / steep * slope
            for share in (1.0, 0.5, 0.25, 0.1):
                tried = end + share * along
                tried = tried + (level - self._chance(tried, goal)) / steep * slope
                tried = self._as_rows(np.vstack([before, tried]))[-1]
                shorter = self._length(before, tried)
                if shorter < length * (1 - 1e-6) and self._ends_well(before, tried, goal):
                    end, length = tried, shorter
                    break
            else:
                break
        return end

    def _straightened(self, way: Floats, goal: Goal | Range) -> Floats:
        """The way in even sections, straight on to its end from where that makes it shortest."""
        tails = [_even(np.vstack([way[:kept], way[-1:]])) for kept in range(1, len(way))]
        inner = np.stack([tail[1:-1] for tail in tails])
        early = self.oracle.reaches(inner.reshape(-1, way.shape[1]), goal)
        allowed = np.array([self._allowed(tail).all() for tail in tails])
        allowed &= ~early.reshape(len(tails), -1).any(axis=1)
        allowed[-1] = True  # the way as it was
        starts, stops = np.vstack([tail[:-1] for tail in tails]), np.vstack([t[1:] for t in tails])
        lengths = self.lengths(starts, stops).reshape(len(tails), -1).sum(axis=1)
        return tails[int(np.argmin(np.where(allowed, lengths, np.inf)))]

    def _chance(self, place: Floats, goal: Goal) -> float:
        return float(goal.chances(self.oracle.answers(place[np.newaxis]))[0])

    def _length(self, start: Floats, end: Floats) -> float:
        return float(self.lengths(start[np.newaxis], end[np.newaxis])[0])

    def _ends_well(self, before: Floats, end: Floats, goal: Goal) -> bool:
        way = np.vstack([before, end])
        return bool(self.oracle.reaches(way[1:], goal)[0] and self._allowed(way)[0])

    def _graph(self, start: Floats, ways: Sequence[Floats]) -> tuple[Graph, list[int]]:
        """All places, with steps along each way, and straight on from each place to each end."""
        places, chains, n = [start[np.newaxis]], list[list[int]](), 1
        for way in ways:
            chains.append([0, *range(n, n + len(way) - 1)])
            places.append(way[1:])
            n += len(way) - 1
        ends = [chain[-1] for chain in chains]
        edges = {edge for chain in chains for edge in pairwise(chain)}
        edges.update((v, end) for v in range(n) for end in ends if v not in ends)
        starts, stops = np.array(sorted(edges)).T
        points = np.vstack(places)
        lengths = self.lengths(points[starts], points[stops])
        if self.shape.exponent > 1:  # else a way is one straight step
            lengths = _bounded(chains, starts, stops, lengths)
        kept = np.isfinite(lengths)
        arrived = _graph_of(points, starts[kept], stops[kept], lengths[kept])
        onward = self._onward(arrived, ends)
        every = [
            np.concatenate(pair)
            for pair in zip((starts[kept], stops[kept], lengths[kept]), onward, strict=True)
        ]
        return _graph_of(points, *every), ends

    def _onward(self, graph: Graph, ends: list[int]) -> tuple[Any, Any, Floats]:
        """Steps straight on from each end to the others: who has arrived can still go elsewhere.

        Dear enough that no way gets shorter by leading through an end.
        """
        left = remaining_costs(graph, [np.array([end]) for end in ends])
        inner = np.delete(left, ends, axis=0)
        starts, stops, costs = list[int](), list[int](), list[float]()
        for (a, start), (b, stop) in permutations(enumerate(ends), 2):
            both = inner[np.isfinite(inner[:, [a, b]]).all(axis=1)]
            detour = float((both[:, b] - both[:, a]).max(initial=0.0))
            length = max(self._length(graph.points[start], graph.points[stop]), detour)
            if np.isfinite(length):
                starts.append(start)
                stops.append(stop)
                costs.append(length * (1 + APART))
        return np.array(starts, dtype=np.int64), np.array(stops, dtype=np.int64), np.array(costs)


def _graph_of(points: Floats, starts: Any, stops: Any, costs: Floats) -> Graph:
    return Graph(points, sparse.csr_array((costs, (starts, stops)), shape=(len(points),) * 2))


def _bounded(chains: Sequence[list[int]], starts: Any, stops: Any, lengths: Floats) -> Floats:
    """Lengths by which no way gets shorter where it is left to go straight to an end.

    That would be an error: the places of ways are rounded to rows, and long stretches are measured
    less exactly than short ones.
    """
    known = dict(zip(zip(starts.tolist(), stops.tolist(), strict=True), lengths, strict=True))
    spent, along = {0: 0.0}, set[tuple[int, int]]()
    for chain in chains:
        for edge in pairwise(chain):
            spent[edge[1]] = spent[edge[0]] + float(known[edge])
            along.add(edge)
    least = [0.0 if (u, v) in along else spent[v] * (1 + APART) - spent[u] for u, v in known]
    return np.maximum(lengths, least)


def _even(way: Floats, sections: int = SECTIONS) -> Floats:
    """The way in even sections."""
    return np.vstack([way[:1], geometry.resample(way, sections)])


def _distinct(ways: Sequence[Floats], separation: float) -> list[Floats]:
    """Ways without those that end where one before does, or nearer to its end than asked for.

    >>> ways = [np.array([[0.0], [end]]) for end in (1.0, 1.0, 1.2, 2.0)]
    >>> [way[-1].item() for way in _distinct(ways, 0.0)], len(_distinct(ways, 0.5))
    ([1.0, 1.2, 2.0], 2)
    """
    kept: list[Floats] = []
    for way in ways:
        apart = [float(geometry.distances(way[-1], other[-1])) for other in kept]
        if all(each > 0 and each >= separation for each in apart):
            kept.append(way)
    return kept
