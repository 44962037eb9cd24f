"""Random points and prices full of ties, and SPEC 1 and 2 computed the slow way."""

import numpy as np

from facelift.terrain.prices import Block, Prices

PRICES = np.array([0.0, 0.5, 1.0, 1.1, 2.0, 10.0, np.inf])
TRANSITIONS = np.array([0.0, 0.5, 1.0, 3.0, np.inf, np.inf])


def random_world(rng, n_points, *, n_plain=2, n_blocks=0, ties=True, missing=0.0):
    """Points and prices: plain coordinates first, then one-hot and ordinal blocks.

    Where a share is missing, any coordinate may be, and has another that says so, at the end.
    """
    columns, increase, decrease = _plain(rng, n_points, n_plain, ties)
    blocks = []
    for _ in range(n_blocks):
        first = sum(column.shape[1] for column in columns)
        n_levels = int(rng.integers(2, 5))
        codes = rng.integers(n_levels, size=n_points)
        if rng.random() < 0.5:
            columns.append(np.eye(n_levels)[codes])
        else:
            columns.append(codes[:, np.newaxis] / (n_levels - 1))
        width = columns[-1].shape[1]
        prices = rng.choice(TRANSITIONS, size=(n_levels, n_levels))
        np.fill_diagonal(prices, 1.0)
        blocks.append(Block(slice(first, first + width), prices))
        increase, decrease = (np.append(each, np.zeros(width)) for each in (increase, decrease))
    points, prices = np.hstack(columns), Prices(increase, decrease, tuple(blocks))
    return _with_gaps(rng, points, prices, missing) if missing else (points, prices)


def _with_gaps(rng, points, prices, share):
    """The same with missing values, in plain coordinates and ordinal blocks."""
    places = [range(block.coordinates.start, block.coordinates.stop) for block in prices.blocks]
    one_hot = [c for place in places for c in place if len(place) > 1]
    values = np.setdiff1d(np.arange(points.shape[1]), one_hot)
    values = values[rng.random(len(values)) < 0.7]
    gone = rng.random((len(points), len(values))) < share
    points[:, values] = np.where(gone, 0.0, points[:, values])
    flags = points.shape[1] + np.arange(len(values))
    increase, decrease = (
        np.append(each, rng.choice(PRICES, size=len(values)))
        for each in (prices.increase, prices.decrease)
    )
    gaps = tuple(zip(values.tolist(), flags.tolist(), strict=True))
    return np.hstack([points, gone]), Prices(increase, decrease, prices.blocks, gaps)


def _plain(rng, n_points, n_plain, ties):
    if ties:  # a coarse grid: many equal costs, many identical points
        values = rng.integers(0, 4, size=(n_points, n_plain)) / rng.integers(1, 4)
    else:
        values = rng.random((n_points, n_plain))
    increase = rng.choice(PRICES, size=n_plain)
    decrease = rng.choice(PRICES, size=n_plain)
    return [values], increase, decrease


def slow_nearest(starts, ends, prices, n_neighbors, itself=None):
    """For every start the (cost, index) pairs of its nearest admissible ends, by looking at all."""
    return [
        cheapest_first(
            (float(cost), j)
            for j, cost in enumerate(prices.cost(start, ends))
            if np.isfinite(cost) and (itself is None or itself[i] != j)
        )[:n_neighbors]
        for i, start in enumerate(starts)
    ]


def cheapest_first(pairs):
    """(cost, index) pairs by cost, and by index where costs are the same up to rounding."""
    groups = []
    for cost, index in sorted(pairs):
        if not groups or cost > groups[-1][-1][0] * (1 + 1e-9):
            groups.append([])
        groups[-1].append((cost, index))
    return [pair for group in groups for pair in sorted(group, key=lambda pair: pair[1])]


def slow_edges(points, prices, n_neighbors, edges, max_step=np.inf, enterable=None):
    """The edges of SPEC 2 and what their moves cost, as {(from, to): cost}."""
    n = len(points)
    enterable = np.ones(n, dtype=bool) if enterable is None else enterable
    costs = {
        (u, v): float(prices.cost(points[u], points[v]))
        for u in range(n)
        for v in range(n)
        if u != v and enterable[v]
    }
    allowed = {pair: cost for pair, cost in costs.items() if cost <= max_step and cost < np.inf}
    chosen = set()
    for u in range(n):
        ends = cheapest_first((cost, pair) for pair, cost in allowed.items() if pair[0] == u)
        chosen |= {pair for _, pair in ends[:n_neighbors]}
    reverse = {(v, u) for u, v in chosen}
    if edges == "union":
        chosen |= reverse & allowed.keys()
    if edges == "mutual":
        chosen &= reverse
    return {pair: allowed[pair] for pair in chosen}


def stored_edges(graph):
    """All stored edges of a graph as {(from, to): cost}, explicit zeros included."""
    matrix = graph.costs.tocoo()
    pairs = zip(matrix.coords[0].tolist(), matrix.coords[1].tolist(), strict=True)
    return dict(zip(pairs, matrix.data.tolist(), strict=True))
