"""What an edge costs, given what its move costs: functions from edges to costs.

An edge cost is a callable that takes `Edges` and returns one positive, finite cost per edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from facelift._arrays import Floats, Ints, chunks
from facelift.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges before they are weighed: moves between points and what each costs by the terrain.

    `starts` and `ends` are indices into `points`, `moves` the costs of the moves.

    >>> edges = Edges(np.array([[0.0], [3.0]]), np.array([0]), np.array([1]), np.array([3.0]), 2, 1)
    >>> edges.midpoints(slice(None))
    array([[1.5]])
    """

    points: Floats
    starts: Ints
    ends: Ints
    moves: Floats
    n_points: int
    n_neighbors: int | None

    def midpoints(self, part: slice) -> Floats:
        """Halfway points of some of the edges."""
        return np.asarray((self.points[self.starts[part]] + self.points[self.ends[part]]) / 2)


EdgeCost = Callable[[Edges], Floats]

LEAST = 1e-3
"""What an edge through the densest ground costs, as a share of its move, where names choose."""


def distance(edges: Edges) -> Floats:
    """The cost of the move itself (Algorithm 4).

    >>> ends = np.array([0]), np.array([1])
    >>> distance(Edges(np.array([[0.0], [3.0]]), *ends, np.array([3.0]), 2, 1))
    array([3.])
    """
    return edges.moves


@dataclass(frozen=True)
class Power:
    """The edge cost that `power` gives."""

    exponent: float
    density: str = "knn"
    bandwidth: float | None = None

    def __call__(self, edges: Edges) -> Floats:
        """One cost per edge."""
        return np.asarray(edges.moves**self.exponent)


def power(exponent: float, *, density: str = "knn", bandwidth: float | None = None) -> Power:
    """The cost of the move to a power; above 1, many small steps beat one jump.

    The rest matters to `steps="field"` only: whether it takes the density of a place from its
    k-th nearest record ("knn") or from a kernel estimate ("kde"), and the bandwidth of that, by
    default the likeliest (`likely_bandwidth`).

    >>> ends = np.array([0]), np.array([1])
    >>> edges = Edges(np.array([[0.0], [3.0]]), *ends, np.array([3.0]), 2, 1)
    >>> power(2)(edges)
    array([9.])
    """
    if not (0 < exponent < math.inf):
        raise InvalidInput(f"The power of the edge cost must be positive, got {exponent}.")
    if density not in ("knn", "kde"):
        raise InvalidInput(f"density must be 'knn' or 'kde', got {density!r}.")
    if bandwidth is not None and not (0 < bandwidth < math.inf):
        raise InvalidInput(f"bandwidth must be above 0, got {bandwidth}.")
    return Power(exponent, density, bandwidth)


def exponent_of(edge_cost: str | EdgeCost) -> float:
    """The power of the move that an edge costs; an error if it is none, or below 1.

    >>> exponent_of("power"), exponent_of(power(3))
    (2.0, 3.0)
    """
    named = {"power": 2.0}
    found = edge_cost.exponent if isinstance(edge_cost, Power) else named.get(str(edge_cost), 0.0)
    if found < 1:
        raise InvalidInput(
            "A field needs edge_cost='distance', 'power' or facelift.graph.power(p) with p of 1 or "
            f"more, got {edge_cost!r}."
        )
    return float(found)


def density(dimension: int = 1, *, least: float = 0.0) -> EdgeCost:
    """FACE's k-NN weight, `x · ln(x ÷ r)` with `r = k/(n·η)`: sparse regions cost more.

    η is the volume of the unit ball of that dimension; the paper's experiments used dimension 1
    (η = 2) whatever the data. Where a move costs no more than r the weight would not be positive:
    an error, unless `least` says what share of its move an edge costs at least (`LEAST` for
    `edge_cost="density"`).

    >>> ends = np.array([0]), np.array([1])
    >>> edges = Edges(np.array([[0.0], [3.0]]), *ends, np.array([3.0]), 2, 1)
    >>> density()(edges).round(3)  # 3 · ln(3 ÷ 0.25)
    array([7.455])
    """
    ball = math.pi ** (dimension / 2) / math.gamma(dimension / 2 + 1)

    def weigh(edges: Edges) -> Floats:
        if edges.n_neighbors is None:
            raise InvalidInput("edge_cost='density' needs n_neighbors; use 'kde' with a radius.")
        scale = edges.n_neighbors / (edges.n_points * ball)
        if not least and (edges.moves <= scale).any():
            raise InvalidInput(
                f"The density is not positive for moves that cost {scale:.3g} or less, and the "
                f"cheapest costs {edges.moves.min():.3g}; lower n_neighbors, take a higher "
                "dimension, say what edges cost at least (least=0.001), or use "
                "edge_cost='distance'."
            )
        with np.errstate(divide="ignore"):  # a move too small for its square costs 0
            logs = np.log(edges.moves / scale)
        return np.asarray(edges.moves * np.maximum(logs, least))

    return weigh


def ball(epsilon: float, dimension: int) -> EdgeCost:
    """FACE's weight for ε-balls, `x · ln(x ÷ ε^d)`: long steps cost more than in proportion.

    Where a move costs no more than ε^d the weight would not be positive: an error. With ε of 1 or
    more that is every move; scale the points, or take the distance itself.

    >>> ends = np.array([0]), np.array([1])
    >>> edges = Edges(np.array([[0.0], [0.4]]), *ends, np.array([0.4]), 2, None)
    >>> ball(0.5, 2)(edges).round(3)
    array([0.188])
    """
    scale = epsilon**dimension

    def weigh(edges: Edges) -> Floats:
        if (edges.moves <= scale).any():
            raise InvalidInput(
                f"The density of ε-balls is not positive for moves that cost {scale:.3g} or less, "
                f"and the cheapest costs {edges.moves.min():.3g}; lower epsilon (below 1), or use "
                "edge_cost='distance'."
            )
        return np.asarray(edges.moves * np.log(edges.moves / scale))

    return weigh


def kde(data: Floats, bandwidth: float, *, least: float = 0.0) -> EdgeCost:
    """FACE's KDE weight, `x · −ln(p)` with p the Gaussian kernel density at the edge's midpoint.

    Where p reaches 1 the weight would not be positive: an error, unless `least` says what share of
    its move an edge costs at least (`LEAST` for `edge_cost="kde"`). Then, if some record's density
    reaches 1, densities are taken relative to the densest record, which counts as 1/e.

    >>> points, ends = np.array([[0.0], [3.0]]), (np.array([0]), np.array([1]))
    >>> kde(points, bandwidth=1.0)(Edges(points, *ends, np.array([3.0]), 2, 1)).round(3)
    array([6.132])
    """
    estimate = log_density(data, bandwidth)

    @cache  # many questions never weigh an edge
    def shift() -> float:
        densest = float(estimate(data).max(initial=-np.inf)) if least else -np.inf
        return densest + 1 if densest >= 0 else 0.0

    def weigh(edges: Edges) -> Floats:
        parts = chunks(len(edges.moves), data.shape[1])
        found = [estimate(edges.midpoints(part)) for part in parts]
        logarithms = np.concatenate([np.empty(0), *found])
        if not least and (logarithms >= 0).any():
            raise InvalidInput(
                f"The kernel density is not positive as a weight where it reaches 1 (here up to "
                f"{math.exp(min(logarithms.max(), 700)):.3g}); take a bandwidth above "
                f"{bandwidth:.3g}, or say what edges cost at least (least=0.001)."
            )
        return np.asarray(edges.moves * np.maximum(shift() - logarithms, least))

    return weigh


def log_density(data: Floats, bandwidth: float) -> Callable[[Floats], Floats]:
    """Logarithm of the Gaussian kernel density that `data` has at points; (n, m) to (n,)."""
    from sklearn.neighbors import KernelDensity

    estimate = KernelDensity(bandwidth=bandwidth).fit(data)
    return lambda points: np.asarray(estimate.score_samples(points))


def scott_bandwidth(data: Floats) -> float:
    """Scott's rule of thumb: `n^(−1/(d+4))` times the mean spread of the coordinates."""
    n, m = data.shape
    return float(max(data.std(axis=0).mean(), 1e-3) * n ** (-1 / (m + 4)))


def likely_bandwidth(data: Floats) -> float:
    """The bandwidth that makes records likeliest when each is left out of its own estimate.

    Of Scott's rule and shares of it: the rule is made for one bell, and blurs what has gaps. At
    most a thousand records, evenly spaced, are looked at.

    >>> bell = np.random.default_rng(0).normal(size=(300, 2))
    >>> twice = np.vstack([bell, bell + 20])
    >>> shares = [likely_bandwidth(each) / scott_bandwidth(each) for each in (bell, twice)]
    >>> [round(share, 2) for share in shares]
    [1.0, 0.15]
    """
    from scipy.spatial.distance import cdist

    rule = scott_bandwidth(data)
    sample = data[:: math.ceil(len(data) / 1000)]
    n, m = sample.shape
    if n < 3:
        return rule
    squares = cdist(sample, sample, "sqeuclidean")
    np.fill_diagonal(squares, np.inf)
    bandwidths = rule * np.array([1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1])
    # Densities below a floor count the same, so that one hermit does not decide.
    likely = [
        np.log(np.exp(-squares / (2 * h * h)).sum(axis=1) / (n - 1) / h**m + 1e-12).mean()
        for h in bandwidths
    ]
    return float(bandwidths[int(np.argmax(likely))])


def named_edge_cost(edge_cost: str | EdgeCost, points: Floats) -> EdgeCost:
    """The edge cost of a name; a function is its own."""
    if callable(edge_cost):
        return edge_cost
    if edge_cost == "distance":
        return distance
    if edge_cost == "density":
        return density(least=LEAST)
    if edge_cost == "kde":
        return kde(points, scott_bandwidth(points), least=LEAST)
    if edge_cost == "power":
        return power(2.0)
    raise InvalidInput(
        f"edge_cost must be 'distance', 'density', 'kde', 'power' or a function, got {edge_cost!r}."
    )
