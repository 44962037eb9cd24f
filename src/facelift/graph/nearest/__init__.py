"""The nearest vertices a point may move to, exactly, under a directed cost.

Searching among the admissible ones matters: filtering after an unconstrained search leaves many
people without any way on. Block by block, so nothing of size n × n is ever held. Candidates come
from cheap lower bounds of the cost; the exact cost is computed only for the most promising, and the
result is accepted once the bounds prove that no other vertex could come before.

Large searches run compiled: candidates from `nearest.tiles`, weighed exactly, and more of them
where that leaves doubt. Small ones are plain NumPy, with the same answers to the bit, and do not
wait for a compiler.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from facelift._arrays import Bools, Floats, Ints, chunks
from facelift.errors import MissingExtra
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.graph.kernels import can_compile, kernel
from facelift.graph.nearest.blocks import N_GROUPS, Layout, price_rows
from facelift.graph.nearest.tiles import (
    Elsewhere,
    Prepared,
    candidates,
    in_threads,
    weights_of,
)
from facelift.graph.points import move_costs
from facelift.terrain.prices import Prices

COMPILED_FROM = 2e9
"""Pairs times columns from which a search runs compiled; below, NumPy takes about a second."""

PLAIN_UP_TO = 20_000
"""Records among which neighbours are found without a compiler; it takes minutes."""

EXTRA = 4
"""Candidates beyond the neighbours asked for: most rows are then certain at once."""

WIDEST = 512
"""Rows that are not certain with so many candidates are searched with NumPy."""

N_CHECKED = 64
"""Costs of each chunk that are compared with those of `Prices.cost`, to the bit."""

FARTHEST = 64.0
"""Starts farther out, in spreads of the ends, are compared with all of them."""

ENOUGH = 100
"""Starts from which it pays to work out sharper bounds for prices that have directions."""


Weighed = tuple[Ints, Floats, Bools]
"""The nearest ends of every start so far, what moves there cost, and whether that is certain."""


class Nearest(Protocol):
    """Something that finds what `nearest_admissible` does."""

    def __call__(
        self,
        starts: Floats,
        ends: Floats,
        prices: Prices,
        n_neighbors: int,
        *,
        itself: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Indices into `ends` and costs of the nearest admissible ones."""


def nearest_admissible(
    starts: Floats,
    ends: Floats,
    prices: Prices,
    n_neighbors: int,
    *,
    itself: Ints | None = None,
    limits: Floats | None = None,
    n_threads: int = 1,
    prepared: Prepared | None = None,
) -> tuple[Ints, Floats]:
    """Indices into `ends` and costs of the nearest admissible ones, cheapest first; (s, k) each.

    Ties go to the smaller index. Rows with fewer than k admissible ends are filled with -1 and
    inf. `itself[i]` is the end that start i is, and is passed over (-1 for none). Ends that cost
    clearly more than `limits[i]` may be left out. `prepared` are these ends, if laid out already.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> nearest_admissible(points, points, prices, 1, itself=np.arange(3))
    (array([[ 1],
           [ 2],
           [-1]]), array([[ 1.],
           [ 2.],
           [inf]]))
    """
    _check_size(len(starts), len(ends))
    if prepared is not None or is_large(starts, ends, prices):
        search = Search(
            starts, ends, prices, n_neighbors, itself=itself, limits=limits, n_threads=n_threads
        )
        found = compiled_nearest(search, prepared)
        if found is not None:
            return found
    return plain_nearest(starts, ends, prices, n_neighbors, itself=itself)


def _check_size(n_starts: int, n_ends: int) -> None:
    """Refuse, before the work, what only compiled searches get through."""
    if n_starts * n_ends > PLAIN_UP_TO**2 and not can_compile():
        raise MissingExtra(
            f"Without numba, neighbours are found among up to {PLAIN_UP_TO:,} records, got "
            f"{n_ends:,}; pip install numba, or fit on fewer rows."
        )


def is_large(starts: Floats, ends: Floats, prices: Prices) -> bool:
    """Whether a search is to run compiled."""
    return _work(starts, ends, prices) >= COMPILED_FROM and can_compile()


def _work(starts: Floats, ends: Floats, prices: Prices) -> float:
    """About how much NumPy would have to do; bounds help it less where directions matter much."""
    low, high = np.minimum(prices.increase, prices.decrease), prices.increase + prices.decrease
    steep = bool((np.isfinite(high) & (high > 2.5 * low)).any())  # one is 1.5 times the other
    pairs = float(len(starts)) * len(ends)
    return pairs * (len(low) + 32) * (4 if steep else 1)


def within(
    starts: Floats, ends: Floats, prices: Prices, radius: float, *, itself: Ints | None = None
) -> tuple[Ints, Ints, Floats]:
    """Every admissible move of cost at most `radius`: starts, ends and costs of an edge list.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> within(points, points, prices, 2.5, itself=np.arange(3))
    (array([0, 1]), array([1, 2]), array([1., 2.]))
    """
    found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))]
    for rows in chunks(len(starts), len(ends)):
        own = None if itself is None else itself[rows]
        bounds = squared_bounds(starts[rows], ends, prices, own)
        near, far = np.nonzero((bounds <= radius * radius) & np.isfinite(bounds))
        costs = move_costs(prices, starts[rows], ends, (near, far))
        kept = (costs <= radius) & np.isfinite(costs)
        found.append((near[kept] + rows.start, far[kept], costs[kept]))
    first, second, third = zip(*found, strict=True)
    return np.concatenate(first), np.concatenate(second), np.concatenate(third)


@dataclass(frozen=True, eq=False)
class Search:
    """What is looked for; see `nearest_admissible`. Points are kept as contiguous arrays."""

    starts: Floats
    ends: Floats
    prices: Prices
    n_neighbors: int
    itself: Ints | None = None
    limits: Floats | None = None
    n_threads: int = 1
    elsewhere: Elsewhere | None = None

    def __post_init__(self) -> None:
        ends = np.ascontiguousarray(self.ends, dtype=np.float64)
        same = self.starts is self.ends  # then every pair is looked at once for both directions
        starts = ends if same else np.ascontiguousarray(self.starts, dtype=np.float64)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "ends", ends)

    def of(self, rows: Ints) -> Search:
        """The same for some of the starts."""
        itself = None if self.itself is None else self.itself[rows]
        limits = None if self.limits is None else self.limits[rows]
        return replace(self, starts=self.starts[rows], itself=itself, limits=limits)


def with_arrived(points: Floats, prices: Prices, n_known: int) -> Prepared | None:
    """Points laid out for a search from and to those after the known; None if it is not large."""
    if not is_large(points[n_known:], points, prices):
        return None
    points = np.ascontiguousarray(points, dtype=np.float64)
    return Prepared.of(points, prices, points, n_known=n_known)


def nearest_arrived(
    prepared: Prepared, n_neighbors: int, limits: Floats, *, n_threads: int = 1
) -> tuple[Ints, Ints, Floats, Bools]:
    """The nearest of those that have arrived, and for the known the nearest that have arrived.

    Of the known only what costs no more than their `limits`, and only those that have such; every
    pair is looked at once for both directions. Returns which starts they are, what
    `nearest_admissible` tells of them, and whether that is certain.
    """
    points, n = prepared.ends, len(prepared.ends)
    enough = np.append(limits, np.full(n - prepared.n_known, np.inf))
    search = Search(
        points,
        points,
        prepared.layout.prices,
        n_neighbors,
        itself=np.arange(n),
        limits=enough,
        n_threads=n_threads,
    )
    found = found_by(search, prepared, n_neighbors + EXTRA)
    rows = np.flatnonzero((found[0] >= 0).any(axis=1) | (found[1] < enough))
    return rows, *weighed(search.of(rows), prepared, found[0][rows], found[1][rows])


def compiled_nearest(
    search: Search, prepared: Prepared | None = None
) -> tuple[Ints, Floats] | None:
    """What `nearest_admissible` returns; None where narrow floats cannot tell numbers apart."""
    if prepared is None:
        prepared = Prepared.of(search.ends, search.prices, search.starts)
    return None if prepared is None else nearest_prepared(search, prepared)


def nearest_prepared(
    search: Search, prepared: Prepared, first: Weighed | None = None
) -> tuple[Ints, Floats]:
    """The same where the ends are laid out already, and maybe the first candidates weighed."""
    width = search.n_neighbors + EXTRA
    indices, costs, certain = first or _attempt(search, prepared, width)
    rows = np.flatnonzero(~certain)
    while len(rows):
        width *= 4
        for part in chunks(len(rows), 8 * width):
            some = rows[part]
            found = _attempt(search.of(some), prepared, width)
            indices[some], costs[some], certain[some] = found
        rows = rows[~certain[rows]]
    return indices, costs


def _attempt(search: Search, prepared: Prepared, width: int) -> Weighed:
    """The nearest of the `width` best candidates, and for which starts they are certain."""
    starts, k = search.starts, search.n_neighbors
    if width > min(WIDEST, len(search.ends)):
        found = plain_nearest(starts, search.ends, search.prices, k, itself=search.itself)
        return *found, np.ones(len(starts), dtype=bool)
    return weighed(search, prepared, *found_by(search, prepared, width))


def found_by(search: Search, prepared: Prepared, width: int) -> tuple[Ints, Floats]:
    """So many candidates for every start; see `tiles.candidates`."""
    return candidates(
        search.starts,
        prepared,
        width,
        itself=search.itself,
        limits=search.limits,
        n_threads=search.n_threads,
        elsewhere=search.elsewhere,
    )


def weighed(search: Search, prepared: Prepared, ends: Ints, beyond: Floats) -> Weighed:
    """The nearest of some candidates, and for which starts they are certain."""
    starts, k = search.starts, search.n_neighbors
    width = ends.shape[1]
    costs, certain = np.empty(ends.shape), np.empty(len(ends), dtype=bool)
    enough = np.full(len(starts), np.inf) if search.limits is None else search.limits
    weights = prepared.weights
    if starts is not prepared.ends:
        weights = weights._replace(start_rows=price_rows(starts, search.prices))
    loops = kernel("weighing")

    def weigh(part: slice) -> None:
        rows = np.arange(part.start, part.stop)
        loops.weigh(starts, search.ends, weights, rows, ends[part], costs[part])
        if len(starts) > 1 or not prepared.compared:
            _check(search, prepared, rows, ends[part], costs[part])
        loops.rank(ends[part], costs[part], beyond[part], enough[part], k, TOLERANCE, certain[part])

    in_threads(weigh, list(chunks(len(starts), 64 * width)), search.n_threads)
    ends, costs = ends[:, :k].copy(), costs[:, :k].copy()
    ends[np.isinf(costs)] = -1
    return ends, costs, certain


def many_move_costs(prices: Prices, points: Floats, pairs: tuple[Ints, Ints]) -> Floats:
    """What `move_costs` returns among points, to the bit; compiled where there are many."""
    if float(len(pairs[0])) * (points.shape[1] + 32) < COMPILED_FROM / 64:
        return move_costs(prices, points, points, pairs)
    points = np.ascontiguousarray(points, dtype=np.float64)
    table_rows, costs = price_rows(points, prices), np.empty((len(pairs[0]), 1))
    rows, ends = (np.ascontiguousarray(each, dtype=np.int64) for each in pairs)
    weights = weights_of(prices, table_rows)
    kernel("weighing").weigh(points, points, weights, rows, ends[:, np.newaxis], costs)
    some = slice(None, None, max(1, len(rows) // N_CHECKED))
    if (costs[some, 0] != move_costs(prices, points, points, (rows[some], ends[some]))).any():
        return move_costs(prices, points, points, pairs)
    return costs[:, 0]


def _check(search: Search, prepared: Prepared, rows: Ints, ends: Ints, costs: Floats) -> None:
    """Costs must be those of `Prices.cost`, to the bit; if NumPy adds otherwise here, use NumPy.

    Single starts that come one after the other among the same ends are compared until one is right.
    """
    near, rank = np.nonzero(ends >= 0)
    step = max(1, len(near) // N_CHECKED)
    some = (near[::step], rank[::step])
    pairs = (rows[some[0]], ends[some])
    if (costs[some] != move_costs(search.prices, search.starts, search.ends, pairs)).any():
        every = (rows[near], ends[near, rank])
        costs[near, rank] = move_costs(search.prices, search.starts, search.ends, every)
    elif len(near) >= search.n_neighbors:
        prepared.compared.append(len(near))


@dataclass(frozen=True, eq=False)
class Index:
    """Points to move to at some prices; blocks are made when first asked for.

    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> index = Index(np.array([[0.0], [1.0], [3.0]]), prices)
    >>> index.nearest(np.array([[0.5]]), 1)
    (array([[1]]), array([[0.5]]))
    """

    ends: Floats
    prices: Prices

    @cached_property
    def prepared(self) -> Prepared | None:
        """The ends as the compiled search wants them; None where it cannot tell them apart."""
        return Prepared.of(self.ends, self.prices) if can_compile() else None

    def nearest(self, starts: Floats, n_neighbors: int) -> tuple[Ints, Floats]:
        """What `nearest_admissible` returns, to the bit."""
        prepared, near = self.prepared, self._near(starts)
        if prepared is not None and near.all():
            return nearest_prepared(Search(starts, self.ends, self.prices, n_neighbors), prepared)
        if not near.any():
            return plain_nearest(starts, self.ends, self.prices, n_neighbors)
        indices = np.empty((len(starts), n_neighbors), dtype=np.int64)
        costs = np.empty(indices.shape)
        for some in (near, ~near):
            indices[some], costs[some] = self.nearest(starts[some], n_neighbors)
        return indices, costs

    def _near(self, starts: Floats) -> Bools:
        """Which starts narrow numbers can tell from the ends."""
        if self.prepared is None:
            return np.zeros(len(starts), dtype=bool)
        scaled = self.prepared.layout.scaled(starts)
        return np.asarray((np.abs(scaled) <= FARTHEST).all(axis=1))

    def __getstate__(self) -> dict[str, Any]:
        return {"ends": self.ends, "prices": self.prices}


def plain_nearest(
    starts: Floats, ends: Floats, prices: Prices, n_neighbors: int, *, itself: Ints | None = None
) -> tuple[Ints, Floats]:
    """What `nearest_admissible` returns."""
    indices = np.full((len(starts), n_neighbors), -1, dtype=np.int64)
    costs = np.full((len(starts), n_neighbors), np.inf)
    layout = Layout.of(starts, ends, prices) if _is_worthwhile(starts, ends, prices) else None
    for rows in chunks(len(starts), len(ends)):
        own = None if itself is None else itself[rows]
        bounds = squared_bounds(starts[rows], ends, prices, own)
        if layout is not None:
            sharper = _sharper_bounds(starts[rows], ends, layout)
            sharper += prices.code_bounds(starts[rows], ends)
            np.maximum(bounds, sharper, out=bounds)
        _fill(starts[rows], ends, prices, bounds, indices[rows], costs[rows])
    return indices, costs


def squared_distances(starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """Squared Euclidean distances by a matrix product, and how far off each may be; (s, e), (s, 1).

    The product is off by at most a few units in the last place of the sizes, per coordinate.
    """
    own = (starts**2).sum(axis=1)[:, np.newaxis]
    others = (ends**2).sum(axis=1)
    squares = starts @ (-2 * ends.T)
    squares += own
    squares += others
    worst = own + others.max(initial=0.0)
    return squares, 4 * np.finfo(np.float64).eps * (starts.shape[1] + 8) * worst


def squared_bounds(starts: Floats, ends: Floats, prices: Prices, own: Ints | None) -> Floats:
    """A number no greater than the squared cost of each move; inf where it is ruled out; (s, e)."""
    bounds, slack = squared_distances(starts * prices.lower_bounds, ends * prices.lower_bounds)
    bounds -= slack
    bounds += prices.code_bounds(starts, ends)
    bounds[prices.forbidden(starts, ends)] = np.inf
    if own is not None:
        known = np.flatnonzero(own >= 0)
        bounds[known, own[known]] = np.inf
    return np.asarray(bounds)


def _is_worthwhile(starts: Floats, ends: Floats, prices: Prices) -> bool:
    """Whether the prices have directions, and the points are enough to look for better bounds.

    These are no bounds where values are missing.
    """
    if prices.gaps:
        return False
    both = np.isfinite(prices.increase) & np.isfinite(prices.decrease)
    directed = both & (prices.increase != prices.decrease)
    return bool(directed.any()) and len(starts) >= ENOUGH and len(ends) > 0


def _sharper_bounds(starts: Floats, ends: Floats, layout: Layout) -> Floats:
    """A number no greater than the squared cost, that knows directions; see `layout`; (s, e)."""
    near, far = layout.scaled(starts), layout.scaled(ends)
    bounds, slack = squared_distances(near * layout.weights, far * layout.weights)
    rises, falls = far @ layout.linear, near @ layout.linear
    bounds += rises
    bounds -= falls[:, np.newaxis]
    groups = layout.groups if np.count_nonzero(layout.dearer) > N_GROUPS else layout.groups[:, :0]
    for own, other in zip((near @ groups).T, (far @ groups).T, strict=True):
        dear = np.maximum(other - own[:, np.newaxis], 0.0)
        dear *= dear
        bounds += dear
    sizes = [(each**2).sum(axis=1).max(initial=0.0) for each in (near, far)]
    sizes += [np.abs(each).max(initial=0.0) for each in (rises, falls)]
    n_terms = near.shape[1] + groups.shape[1] + 8
    bounds -= slack + 16 * np.finfo(np.float64).eps * n_terms * sum(sizes)
    return np.asarray(bounds / layout.unit**2)


def _fill(
    starts: Floats, ends: Floats, prices: Prices, bounds: Floats, indices: Ints, costs: Floats
) -> None:
    """Write the nearest ends of every start, widening the candidates until they are certain."""
    n_neighbors, pending = indices.shape[1], np.arange(len(starts))
    width = 2 * n_neighbors + 8
    while len(pending):
        width = min(width, len(ends))
        certain = [
            _fill_rows(starts, ends, prices, bounds, indices, costs, pending[part], width)
            for part in chunks(len(pending), width * starts.shape[1])
        ]
        pending = pending[~np.concatenate(certain)]
        width *= 4


def _fill_rows(
    starts: Floats,
    ends: Floats,
    prices: Prices,
    bounds: Floats,
    indices: Ints,
    costs: Floats,
    rows: Ints,
    width: int,
) -> Bools:
    """Write the nearest of the `width` most promising ends; whether each row is now certain."""
    k = min(indices.shape[1], width)
    if width == 0:
        return np.ones(len(rows), dtype=bool)
    promising = bounds[rows]
    candidates = np.sort(np.argpartition(promising, width - 1, axis=1)[:, :width], axis=1)
    limits = np.take_along_axis(promising, candidates, axis=1)
    exact = prices.cost(starts[rows][:, np.newaxis, :], ends[candidates])
    exact[np.isinf(limits)] = np.inf
    ranks = tied_ranks(exact)
    best = np.argsort(ranks, axis=1, kind="stable")[:, :k]
    costs[rows, :k] = np.take_along_axis(exact, best, axis=1)
    chosen = np.take_along_axis(candidates, best, axis=1)
    indices[rows, :k] = np.where(np.isfinite(costs[rows, :k]), chosen, -1)
    # Every end left out has a bound of at least the largest kept; it must be strictly dearer than
    # all that share the rank of the last one.
    largest = limits.max(axis=1)
    same = ranks <= np.take_along_axis(ranks, best[:, -1:], axis=1)
    dearest = exact.max(axis=1, where=same, initial=0.0) ** 2 * (1 + 4 * TOLERANCE)
    certain = np.isinf(largest) | (largest > dearest) | (width == len(ends))
    return np.asarray(certain)
