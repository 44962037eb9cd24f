"""Tables of any size to measure on: where people are, and who has the outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

N_COLUMNS, N_GROUPS, N_CAUSES = 20, 50, 8


@dataclass(frozen=True, eq=False)
class World:
    """Points and which of them have the outcome; a model that knows it of every point."""

    points: npt.NDArray[np.float64]
    good: npt.NDArray[np.bool_]

    def __call__(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Probabilities; only whole tables of the world's own points are asked for here."""
        if len(rows) != len(self.points):
            raise ValueError("a world only knows its own points")
        return np.column_stack([~self.good, self.good]).astype(np.float64)

    def declined(self, n: int, seed: int = 1) -> npt.NDArray[np.float64]:
        """Some points without the outcome, drawn at random."""
        rng = np.random.default_rng(seed)
        return self.points[rng.choice(np.flatnonzero(~self.good), n, replace=False)]


def clustered(n: int, seed: int = 0) -> npt.NDArray[np.float64]:
    """Fifty overlapping groups of people; 8 causes show in 20 columns, with a little noise."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(N_GROUPS, N_CAUSES))
    causes = centres[rng.integers(N_GROUPS, size=n)] + 0.6 * rng.normal(size=(n, N_CAUSES))
    mixing = rng.normal(size=(N_CAUSES, N_COLUMNS)) / np.sqrt(N_CAUSES)
    return causes @ mixing + 0.1 * rng.normal(size=(n, N_COLUMNS))


def scattered(points: npt.NDArray[np.float64], share: float, seed: int = 1) -> World:
    """The outcome falls on a share of the points at random."""
    return World(points, np.random.default_rng(seed).random(len(points)) < share)


def one_region(points: npt.NDArray[np.float64], share: float, seed: int = 1) -> World:
    """The outcome lies beyond a straight border that cuts off a share of the points."""
    score = points @ np.random.default_rng(seed).normal(size=points.shape[1])
    return World(points, score > np.quantile(score, 1 - share))


SHAPES = {"scattered": scattered, "one region": one_region}
