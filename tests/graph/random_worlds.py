"""Random points and prices full of ties, and SPEC 1 and 2 computed the slow way."""

import numpy as np

from facelift.terrain.prices import Block, Prices

PRICES = np.array([0.0, 0.5, 1.0, 1.1, 2.0, 10.0, np.inf])
TRANSITIONS = np.array([0.0, 0.5, 1.0, 3.0, np.inf, np.inf])


def random_world(rng, n_points, *, n_plain=2, n_blocks=0, ties=True):
    """Points and prices: plain coordinates first, then one-hot and ordinal blocks."""
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
    return np.hstack(columns), Prices(increase, decrease, tuple(blocks))


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
