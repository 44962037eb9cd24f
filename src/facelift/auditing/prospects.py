"""What lies before people: cost, what their ways keep open, and where the cheapest one leads.

Through records everybody is searched for at once (`facelift.graph.compiled`); where that cannot
be, person by person. Both give the same numbers.

A cost adds up changes of different columns, each divided by the range of its column. That is one
choice of several: `scales` weigh the same changes by how values spread, or by how many people lie
between. A finding that another choice turns round is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from facelift._arrays import Bools, Floats, Ints, chunks, slices
from facelift.choosing import best, places
from facelift.geometry import opportunity_matrix
from facelift.graph.compiled import Labels, Nearest
from facelift.graph.routes import Routes
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.prices import Prices
from facelift.terrain.terrain import Terrain

N_PEOPLE = 20_000
"""People whose ways are held at once."""

Scale = Callable[[Floats, Floats], Floats]
"""Starts and ends of moves to what each costs."""


@dataclass(frozen=True, eq=False)
class Prospects:
    """What lies before people, one entry each; NaN where there is no way.

    `cost` is that of the cheapest way; `scaled` (p, s) of the same way on other scales, `ends`
    (p, m) where it leads. `opportunity` is the score of the way that keeps most open (fl.best),
    `commitment` the share of it before its first loss; NaN with fewer than two ways. `n_ways` are
    compared.
    """

    cost: Floats
    scaled: Floats
    ends: Floats
    opportunity: Floats
    commitment: Floats
    n_ways: Ints

    @classmethod
    def empty(cls, n: int, n_scales: int, n_coordinates: int) -> Prospects:
        """Nobody has any way, yet."""
        cost, opportunity, commitment = np.full((3, n), np.nan)
        shapes = ((n, n_scales), (n, n_coordinates))
        scaled, ends = (np.full(shape, np.nan) for shape in shapes)
        return cls(cost, scaled, ends, opportunity, commitment, np.zeros(n, dtype=np.int64))

    def at(self, people: Ints) -> Prospects:
        """Those of some people, who may come several times."""
        return Prospects(*(getattr(self, name)[people] for name in self.__dataclass_fields__))


def one_by_one(
    multiverses: Iterable[Multiverse], points: Floats, scales: Sequence[Scale]
) -> Prospects:
    """From the multiverse of each person, who stands at one of the points."""
    found = Prospects.empty(len(points), len(scales), points.shape[1])
    for person, multiverse in enumerate(multiverses):
        _note(found, person, multiverse, scales)
    return found


def _note(found: Prospects, person: int, multiverse: Multiverse, scales: Sequence[Scale]) -> None:
    found.n_ways[person] = len(multiverse)
    if not len(multiverse):
        return
    nearest = multiverse[0]
    starts, ends = nearest.waypoints[:-1], nearest.waypoints[1:]
    found.cost[person], found.ends[person] = nearest.cost, nearest.counterfactual
    found.scaled[person] = [scale(starts, ends).sum() for scale in scales]
    if len(multiverse) > 1:
        chosen = best(multiverse)
        others = np.delete(chosen.opportunity, chosen.own)
        found.opportunity[person], found.commitment[person] = others.mean(), others.min()


def all_at_once(
    labels: Labels,
    people: Ints,
    scales: Sequence[Scale],
    explain: Callable[[int], Multiverse],
    *,
    n_threads: int = 1,
) -> Prospects:
    """From one search for all, whose graph has every person as a vertex, given by `people`.

    The few for whom ties leave it open which destinations are nearest are explained one by one.
    """
    vertices, person = np.unique(people, return_inverse=True)
    found = Prospects.empty(len(vertices), len(scales), labels.graph.points.shape[1])
    for first in range(0, len(vertices), N_PEOPLE):
        part = np.arange(first, min(first + N_PEOPLE, len(vertices)))
        nearest = labels.nearest(vertices[part])
        unsure = _fill(found, part, labels, vertices[part], nearest, scales, n_threads)
        for i in unsure.tolist():
            _note(found, i, explain(int(vertices[i])), scales)
    return found.at(person)


def _fill(
    found: Prospects,
    rows: Ints,
    labels: Labels,
    vertices: Ints,
    nearest: Nearest,
    scales: Sequence[Scale],
    n_threads: int,
) -> Ints:
    """Write what lies before some people; the rows of those for whom it is not certain."""
    sure = nearest.certain
    kept = Nearest(nearest.ends[sure], nearest.costs[sure], nearest.certain[sure])
    ways = labels.ways(vertices[sure], kept, n_threads=n_threads)
    own = rows[sure]
    wanted = kept.ends >= 0
    found.n_ways[own] = wanted.sum(axis=1)
    has_way = wanted[:, 0]
    cheapest = _First(ways, has_way)
    points = labels.graph.points
    found.cost[own[has_way]] = cheapest.cost
    found.ends[own[has_way]] = points[kept.ends[has_way, 0]]
    found.scaled[own[has_way]] = cheapest.scaled(points, scales)
    several = wanted.sum(axis=1) > 1
    score, earliest = _kept_open(ways, wanted)
    found.opportunity[own[several]] = score[several]
    found.commitment[own[several]] = earliest[several]
    return np.append(rows[~sure], own[_blind(ways)])


class _First:
    """The cheapest way of everybody who has one, all of them one after the other."""

    def __init__(self, ways: Routes, has_way: Bools) -> None:
        starts = np.append(0, np.cumsum(ways.lengths.sum(axis=1)))[:-1][has_way]
        self.lengths = ways.lengths[has_way, 0]
        offsets = np.arange(self.lengths.sum()) - np.repeat(
            np.cumsum(self.lengths) - self.lengths, self.lengths
        )
        rows = np.repeat(starts, self.lengths) + offsets
        self.vertices, self.steps = ways.vertices[rows], ways.steps[rows]
        self.owner = np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def cost(self) -> Floats:
        """What each costs."""
        return self._summed(self.steps)

    def scaled(self, points: Floats, scales: Sequence[Scale]) -> Floats:
        """What each costs on every scale; (p, s)."""
        after = np.flatnonzero(self.owner[1:] == self.owner[:-1]) + 1
        columns = []
        for scale in scales:
            costs = np.zeros(len(self.vertices))
            for part in chunks(len(after), points.shape[1]):
                ends = after[part]
                starts = self.vertices[ends - 1]
                costs[ends] = scale(points[starts], points[self.vertices[ends]])
            columns.append(self._summed(costs))
        return np.stack(columns, axis=1)

    def _summed(self, costs: Floats) -> Floats:
        found = np.bincount(self.owner, weights=costs, minlength=len(self.lengths))
        return found.astype(np.float64)


def _kept_open(ways: Routes, wanted: Bools) -> tuple[Floats, Floats]:
    """Of the way that keeps most open: its score, and the share of it before the first loss."""
    potential = np.full((*wanted.shape, wanted.shape[1]), np.nan)
    parts = slices(ways.lengths[wanted].tolist())
    person, column = np.nonzero(wanted)
    for some in chunks(len(parts), wanted.shape[1] * 16):
        steps = [ways.steps[part][1:] for part in parts[some]]
        left = [ways.remaining[part] for part in parts[some]]
        potential[person[some], column[some]] = opportunity_matrix(steps, left)
    own = np.eye(wanted.shape[1], dtype=bool)
    potential[np.broadcast_to(own, potential.shape) | ~wanted[:, np.newaxis, :]] = np.nan
    count = np.maximum(wanted.sum(axis=1, keepdims=True) - 1, 1)
    scores = np.where(wanted, np.nansum(potential, axis=2) / count, -np.inf)
    chosen = np.argmax(places(scores) == 0, axis=1)[:, np.newaxis]
    earliest = np.where(np.isnan(potential), np.inf, potential).min(axis=2)
    first = np.take_along_axis(earliest, chosen, axis=1)[:, 0]
    return np.take_along_axis(scores, chosen, axis=1)[:, 0], first


def _blind(ways: Routes) -> Ints:
    """People with a free step to where a destination is out of sight: it may be open still."""
    out_of_sight = np.isinf(ways.remaining)
    is_step = np.ones(len(ways.steps), dtype=bool)
    is_step[np.append(0, np.cumsum(ways.lengths[ways.lengths > 0]))[:-1]] = False
    free = np.flatnonzero(is_step & (ways.steps == 0))
    lost = (out_of_sight[free] & ~out_of_sight[free - 1]).any(axis=1)
    people = np.repeat(np.arange(len(ways.lengths)), ways.lengths.sum(axis=1))
    return np.unique(people[free[lost]])


def scales(terrain: Terrain, points: Floats, multiplicity: Ints) -> dict[str, Scale]:
    """By the range of every column (the terrain's own cost), by its spread, and by ranks."""
    ranked = _ranking(terrain, points, multiplicity)
    return {
        "range": terrain.prices.cost,
        "spread": _by_spread(terrain, points, multiplicity).cost,
        "rank": lambda starts, ends: terrain.prices.cost(ranked(starts), ranked(ends)),
    }


def _by_spread(terrain: Terrain, points: Floats, multiplicity: Ints) -> Prices:
    """Prices per standard deviation of a column instead of per range."""
    mean = np.average(points, axis=0, weights=multiplicity)
    variance = np.average((points - mean) ** 2, axis=0, weights=multiplicity)
    for block in terrain.prices.codes:
        shares = np.bincount(block.levels(points), multiplicity) / multiplicity.sum()
        variance[block.coordinates] = 0.0
        variance[block.coordinates.start] = 1 - (shares**2).sum()  # as if they were one-hot
    spreads = [float(np.sqrt(variance[part].sum())) for part in terrain.slices]
    increase, decrease = terrain.prices.increase.copy(), terrain.prices.decrease.copy()
    per_slice = {}
    for part, spread in zip(terrain.slices, spreads, strict=True):
        factor = 1 / spread if spread > 0 else 1.0  # a constant column never changes
        increase[part] *= factor
        decrease[part] *= factor
        per_slice[part.start] = factor
    blocks = tuple(
        replace(block, prices=block.prices * per_slice[block.coordinates.start])
        for block in terrain.prices.blocks
    )
    return Prices(increase, decrease, blocks, terrain.prices.gaps)


def _ranking(terrain: Terrain, points: Floats, multiplicity: Ints) -> Callable[[Floats], Floats]:
    """Points with numbers and ordered levels replaced by the share of records below them.

    Half of the records with the same value count. Columns whose single changes of level have prices
    of their own stay as they are: these know levels by their place.
    """
    priced = {block.coordinates.start for block in terrain.prices.blocks}
    columns = [column for column in terrain.ordered if column not in priced]
    known = {column: _shares_below(points[:, column], multiplicity) for column in columns}

    def ranked(given: Floats) -> Floats:
        found = np.array(given, dtype=np.float64)
        for column, (values, shares) in known.items():
            found[..., column] = np.interp(found[..., column], values, shares)
        return found

    return ranked


def _shares_below(values: Floats, multiplicity: Ints) -> tuple[Floats, Floats]:
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights=multiplicity)
    return distinct, (np.cumsum(counts) - counts / 2) / counts.sum()
