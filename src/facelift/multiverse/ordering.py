"""The order of steps: of equally cheap routes, the one that keeps most destinations open longest.

The rule, in this order: least cost, fewest steps, largest area under the open share (so the
highest opportunity potential), smaller vertex numbers from the start on.
"""

from __future__ import annotations

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.geometry import TOLERANCE, steps_kept_open
from facelift.graph.routes import Search

Label = tuple[float, tuple[int, ...]]
"""Destinations kept open so far, weighted by the share of cost, and the route that did so."""


def most_open_route(search: Search, end: int, remaining: Floats) -> Ints:
    """Vertices of the best route to `end`; `remaining` (n, c) holds the costs left to go.

    Exact: a route is described by where it stands and which destinations it kept open (a bit
    each), and of two that kept the same open the one that did so longer is carried on.
    """
    layers = _layers(search, end)
    open_ = _mask(np.isfinite(remaining[search.source]))
    labels: dict[int, dict[int, Label]] = {search.source: {open_: (0.0, (search.source,))}}
    for layer in layers[1:]:
        arrived: dict[int, dict[int, Label]] = {}
        for vertex in layer:
            for before in search.before(vertex).tolist():
                if before in labels:
                    step = _Step(search, before, vertex, remaining, float(search.costs[end]))
                    _carry(labels[before], step, arrived.setdefault(vertex, {}))
        labels = {vertex: _undominated(found) for vertex, found in arrived.items()}
    best = min(labels[end].values(), key=_rank)
    return np.array(best[1], dtype=np.int64)


def _layers(search: Search, end: int) -> list[list[int]]:
    """Vertices on the cheapest routes to `end`, by number of steps from the source."""
    layers = [[end]]
    while layers[-1] != [search.source]:
        layers.append(sorted({int(u) for v in layers[-1] for u in search.before(v)}))
    return layers[::-1]


class _Step:
    """A step on a cheapest route: its share of the whole cost, and what it keeps open."""

    def __init__(
        self, search: Search, start: int, end: int, remaining: Floats, total: float
    ) -> None:
        cost = search.graph.edge_cost(start, end)
        self.end = end
        self.share = cost / total if total > 0 else 0.0
        self.keeps = _mask(steps_kept_open(remaining[[start, end]], np.array([cost]))[0])


def _carry(labels: dict[int, Label], step: _Step, arrived: dict[int, Label]) -> None:
    """Take every label one step on, and keep the better where two have the same open."""
    for open_, (area, route) in labels.items():
        still = open_ & step.keeps
        label = (area + step.share * still.bit_count(), (*route, step.end))
        if still not in arrived or _rank(label) < _rank(arrived[still]):
            arrived[still] = label


def _undominated(labels: dict[int, Label]) -> dict[int, Label]:
    """Labels no other beats for certain: kept more open, and did so longer."""
    return {
        open_: label
        for open_, label in labels.items()
        if not any(
            open_ & other == open_ and _rounded(area) > _rounded(label[0])
            for other, (area, _) in labels.items()
            if other != open_
        )
    }


def _rank(label: Label) -> tuple[float, tuple[int, ...]]:
    return -_rounded(label[0]), label[1]


def _rounded(area: float) -> float:
    """An area without the noise of summing in another order."""
    return round(area / TOLERANCE) * TOLERANCE


def _mask(flags: Bools) -> int:
    return sum(1 << i for i, flag in enumerate(flags.tolist()) if flag)
