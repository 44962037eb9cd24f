"""Small named worlds for documentation and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from facelift._arrays import Floats, Ints
from facelift.graph.graph import Graph
from facelift.multiverse.exploration import explore
from facelift.multiverse.multiverse import Multiverse


@dataclass(frozen=True, eq=False)
class GraphWorld:
    """A graph, the vertex that stands for the factual, and where it may want to go.

    >>> world = loan()
    >>> world.graph, world.factual, world.destinations
    (Graph(7 vertices, 7 edges, 2 coordinates), 0, (1, 2, 3))
    """

    graph: Graph
    factual: int
    destinations: tuple[int, ...]

    def multiverse(self) -> Multiverse:
        """All journeys of this world.

        >>> [journey.vertices.tolist() for journey in loan().multiverse()]
        [[0, 1], [0, 4, 2], [0, 4, 5, 6, 3]]
        """
        return explore(self.graph, self.factual, self.destinations)


@dataclass(frozen=True, eq=False)
class PointWorld:
    """Points of two classes; `labels` holds 0 and 1.

    >>> world = moons(4, noise=0.0)
    >>> world.points.round(1).tolist(), world.labels.tolist()
    ([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5], [2.0, 0.5]], [0, 0, 1, 1])
    """

    points: Floats
    labels: Ints


def loan() -> GraphWorld:
    """The paper's loan figure (its weights are not printed; these reproduce its table exactly).

    >>> world = loan()
    >>> world.multiverse().mean_opportunity.round(2).tolist()
    [0.33, 0.52, 0.62]
    """
    edges = [(0, 1, 3), (0, 4, 8), (4, 5, 6), (5, 6, 1), (6, 3, 1), (4, 2, 6), (5, 2, 5)]
    points = np.array([[0, 0], [0, 3], [7, 3], [9, 0], [4, 0], [6, 0], [8, 0]], dtype=np.float64)
    return GraphWorld(_graph(points, edges), 0, (1, 2, 3))


def fork() -> GraphWorld:
    """Two destinations behind a shared trunk, and one that must be chosen at once.

    >>> fork().multiverse().scores.tolist()
    [0.3333333333333333, 0.0, 0.25]
    """
    points = np.array([[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [0, 3]], dtype=np.float64)
    edges = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (2, 4, 2), (0, 5, 3.5)]
    return GraphWorld(_graph(points, edges), 0, (3, 4, 5))


def line() -> tuple[Floats, Callable[[Floats], Floats]]:
    """Records from 0 to 10 on a line, and a model whose chance of class 1 is a tenth of each.

    >>> records, model = line()
    >>> model(records[2:4]).tolist()
    [[0.8, 0.2], [0.7, 0.3]]
    """
    return np.arange(11.0)[:, np.newaxis], lambda rows: np.hstack([10 - rows, rows]) / 10


def moons(n_points: int = 400, noise: float = 0.08, seed: int = 0) -> PointWorld:
    """Two interleaved half circles, class 0 above class 1.

    >>> moons(100).points.shape
    (100, 2)
    """
    rng = np.random.default_rng(seed)
    half = n_points // 2
    angles = np.concatenate([np.linspace(0, np.pi, half), np.linspace(0, np.pi, n_points - half)])
    labels = np.repeat([0, 1], [half, n_points - half])
    upper = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lower = np.stack([1 - np.cos(angles), 0.5 - np.sin(angles)], axis=1)
    points = np.where(labels[:, np.newaxis] == 0, upper, lower)
    return PointWorld(points + rng.normal(scale=noise, size=points.shape), labels)


def figure_world(n_points: int = 600, seed: int = 0) -> PointWorld:
    """A world in the spirit of the paper's first figure: two features, a corridor and two gates.

    The rejected (0) fill the lower left, the accepted (1) two regions behind it; a dense corridor
    leads to a fork and from there to both, so that journeys share a trunk before they part.

    >>> world = figure_world()
    >>> world.points.min() >= 0, world.points.max() <= 1
    (np.True_, np.True_)
    """
    rng = np.random.default_rng(seed)
    fifth = n_points // 5
    fork, gates = (0.55, 0.55), [(0.62, 0.85), (0.87, 0.6)]
    parts = [
        _cloud(rng, (0.25, 0.25), 0.09, n_points - 3 * fifth - 2 * (fifth // 2)),
        _corridor(rng, (0.3, 0.3), fork, fifth),
        *(_corridor(rng, fork, gate, fifth // 2) for gate in gates),
        *(_cloud(rng, gate, 0.05, fifth) for gate in gates),
    ]
    points = np.clip(np.vstack(parts), 0, 1)
    return PointWorld(points, (points.sum(axis=1) > 1.25).astype(np.int64))


def _corridor(
    rng: np.random.Generator,
    start: tuple[float, float],
    end: tuple[float, float],
    n_points: int,
) -> Floats:
    share = np.linspace(0, 1, n_points)[:, np.newaxis]
    line = (1 - share) * start + share * end
    return np.asarray(line + rng.normal(scale=0.02, size=line.shape))


def _cloud(
    rng: np.random.Generator, center: tuple[float, float], spread: float, n_points: int
) -> Floats:
    return np.asarray(rng.normal(loc=center, scale=spread, size=(n_points, 2)))


def _graph(points: Floats, edges: Sequence[tuple[int, int, float]]) -> Graph:
    starts, ends, costs = zip(*edges, strict=True)
    shape = (len(points), len(points))
    return Graph(points, sparse.csr_array((np.array(costs, float), (starts, ends)), shape=shape))
