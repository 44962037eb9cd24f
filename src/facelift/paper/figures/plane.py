"""The world of the paper's first figure: two features, a model, and journeys A to H.

The paper describes its picture in words; its data are not published. This world is made so that
the words are true of it, and `traits` measures each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

import numpy as np
import pandas as pd
from scipy.spatial import KDTree

from facelift import FACElift, Terrain, explore, geometry
from facelift._arrays import Bools, Floats
from facelift.datasets import pixel_rules
from facelift.graph import power

FACTUAL = (0.10, 0.34)
DIRECT = {"A": (0.74, 0.34), "B": (0.378, 0.48)}
"""Ends of the journeys that go straight."""

THROUGH_RECORDS = {
    "C": (0.635, 0.085),
    "D": (0.82, 0.94),
    "F": (0.94, 0.76),
    "G": (0.64, 0.63),
    "H": (0.67, 0.53),
}
"""Ends of the journeys that follow records."""

LETTERS = tuple(sorted({**DIRECT, **THROUGH_RECORDS}))
SHARED = {"E₁": ("D", "F", "G"), "E₂": ("D", "F")}
"""Beginnings that are no journey by themselves, and the journeys that share them."""

NEARBY = 0.06
"""Radius around an end within which instability and errors are counted."""


@dataclass(frozen=True, eq=False)
class Plane:
    """Records on a plane with their labels, the factual, and journeys by letter."""

    points: Floats
    labels: Bools
    factual: Floats
    journeys: dict[str, Floats]

    def trunk(self, letters: Sequence[str]) -> Floats:
        """The waypoints that some journeys share before they part."""
        lines = [self.journeys[letter] for letter in letters]
        together = zip(*lines, strict=False)
        same = takewhile(lambda places: (np.ptp(places, axis=0) == 0).all(), together)
        return np.array([places[0] for places in same])


def chance(points: Floats) -> Floats:
    """Probability of the outcome wanted: high on the right, uneasy at the bottom.

    >>> chance(np.array([[0.1, 0.3], [0.9, 0.8]])).round(2).tolist()
    [0.0, 1.0]
    """
    x, y = np.moveaxis(np.asarray(points), -1, 0)
    border = 0.36 + 0.9 * (y - 0.5) ** 2
    near = np.exp(-((x - 0.63) ** 2 + (y - 0.09) ** 2) / (2 * 0.06**2))
    ripple = 0.3 * near * np.sin(75 * x) * np.sin(75 * y)
    return np.asarray(1 / (1 + np.exp(-(x - border + ripple) / 0.03)))


@cache
def plane() -> Plane:
    """The world with its journeys; always the same."""
    rng = np.random.default_rng(0)
    points = _records(rng)
    labels = _labels(points, rng)
    factual = np.array(FACTUAL)
    as_drawn = pixel_rules(Terrain.infer(points))  # not stretched to the range of the records
    explainer = FACElift(_answers, as_drawn, n_neighbors=30, edge_cost=power(1.2)).fit(points)
    graph = explainer.graph_
    tree = KDTree(graph.points)
    start = int(tree.query(factual)[1])
    ends = {int(tree.query(end)[1]): letter for letter, end in THROUGH_RECORDS.items()}
    found = explore(graph, start, ends)
    routes = {ends[int(each.vertices[-1])]: each.waypoints for each in found}
    straight = {letter: np.array([graph.points[start], end]) for letter, end in DIRECT.items()}
    return Plane(points, labels, graph.points[start], {**straight, **routes})


def traits(world: Plane) -> pd.DataFrame:
    """What the paper says of each journey, measured; one row per letter.

    `length`; `emptiest`, the farthest that a station is from any record; `chance` at the end;
    `unstable`, the share of places nearby that the model decides otherwise; `errors`, the share of
    records nearby that it is wrong about.
    """
    rows = {letter: _traits(world, world.journeys[letter]) for letter in LETTERS}
    return pd.DataFrame.from_dict(rows, orient="index")


def emptiest(world: Plane, waypoints: Floats) -> float:
    """The farthest that a journey is from any record."""
    stations = geometry.resample(waypoints, 100)
    return float(np.max(KDTree(world.points).query(stations)[0]))


def _traits(world: Plane, waypoints: Floats) -> dict[str, float]:
    tree, end = KDTree(world.points), waypoints[-1]
    near = np.array(tree.query_ball_point(end, NEARBY), dtype=np.int64)
    wrong = (chance(world.points[near]) > 0.5) != world.labels[near]
    return {
        "length": geometry.length(waypoints),
        "emptiest": emptiest(world, waypoints),
        "chance": float(chance(end)),
        "unstable": float((chance(_disc(end)) <= 0.5).mean()),
        "errors": float(wrong.mean()) if len(near) else 0.0,
    }


def _disc(center: Floats) -> Floats:
    """Places nearby, evenly spread."""
    steps = np.linspace(-NEARBY, NEARBY, 41)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    return np.asarray(center + grid[(grid**2).sum(axis=1) <= NEARBY**2])


def _answers(points: Floats) -> Floats:
    good = chance(points)
    return np.column_stack([1 - good, good])


def _records(rng: np.random.Generator) -> Floats:
    """Clouds around where people are, and the ways between them; none in the middle."""
    ways = [
        [FACTUAL, (0.11, 0.58), (0.20, 0.74), (0.40, 0.81)],
        [(0.40, 0.81), (0.62, 0.87), (0.82, 0.94)],
        [(0.40, 0.81), (0.62, 0.82), (0.80, 0.79), (0.94, 0.76)],
        [(0.40, 0.81), (0.54, 0.76), (0.64, 0.63)],
        [FACTUAL, (0.17, 0.18), (0.38, 0.10), (0.63, 0.085)],
        [(0.38, 0.10), (0.52, 0.24), (0.62, 0.38), (0.67, 0.53)],
    ]
    clouds = [(FACTUAL, 0.035, 60), ((0.82, 0.94), 0.03, 45), ((0.94, 0.76), 0.03, 45)]
    clouds += [((0.655, 0.58), 0.04, 80), ((0.63, 0.085), 0.035, 40), ((0.75, 0.34), 0.025, 30)]
    parts = [_along(rng, np.array(way)) for way in ways]
    parts += [rng.normal(center, spread, (n, 2)) for center, spread, n in clouds]
    return np.asarray(np.clip(np.vstack([[FACTUAL], *parts]), 0.01, 0.99))


def _along(rng: np.random.Generator, corners: Floats) -> Floats:
    line = geometry.resample(corners, int(110 * geometry.length(corners)))
    return np.asarray(line + rng.normal(scale=0.018, size=line.shape))


def _labels(points: Floats, rng: np.random.Generator) -> Bools:
    """What is true: what the model says, but for many around G and H."""
    above = chance(points) > 0.5
    odd = np.linalg.norm(points - np.array([0.655, 0.58]), axis=1) < 0.12
    return np.asarray(above ^ (odd & (rng.random(len(points)) < 0.45)))
