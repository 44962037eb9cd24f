"""FISTA with projection: small and sparse changes that a smooth loss asks for (Algorithm of EAD).

As Van Looveren and Klaise (2021) use it, after Chen and others (2018): a gradient step on the
smooth part, shrinking by β, projection onto what is allowed, and momentum. Many cases are followed
at once, each on its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from facelift._arrays import Floats

Gradient = Callable[[Floats], Floats]
"""Gradient of the smooth part of the loss at points; (n, m) to (n, m)."""


def descend(
    start: Floats,
    low: Floats,
    high: Floats,
    gradient: Gradient,
    visit: Callable[[Floats], None],
    *,
    beta: float,
    learning_rate: float,
    max_iter: int,
) -> None:
    """Follow the loss downhill from `start` (n, m), between `low` and `high`; `visit` every point.

    `δ⁺ = Π(S_β(y − α ∇g(x + y)))` and `y⁺ = Π(δ⁺ + i/(i + 3) · (δ⁺ − δ))`, with a rate α that falls
    with the square root of what is left to do.

    >>> path = []
    >>> far = lambda points: 100 * (points - 1.0)
    >>> box = np.zeros((1, 1)), np.full((1, 1), 0.8)
    >>> descend(np.zeros((1, 1)), *box, far, path.append, beta=0.1, learning_rate=0.01, max_iter=2)
    >>> [round(float(point[0, 0]), 2) for point in path]
    [0.8, 0.8]
    """

    def within(change: Floats) -> Floats:
        return np.clip(start + change, low, high) - start

    change = ahead = np.zeros_like(start)
    for i in range(max_iter):
        rate = learning_rate * np.sqrt(1 - i / max_iter)
        moved = within(shrunk(ahead - rate * gradient(start + ahead), beta))
        change, ahead = moved, within(moved + i / (i + 3) * (moved - change))
        visit(start + change)


def shrunk(change: Floats, beta: float) -> Floats:
    """Every number brought nearer to zero by β, and to zero if it is no larger: `S_β`.

    >>> shrunk(np.array([-0.5, 0.05, 0.3]), 0.1).round(2).tolist()
    [-0.4, 0.0, 0.2]
    """
    return np.asarray(np.sign(change) * np.maximum(np.abs(change) - beta, 0.0))
