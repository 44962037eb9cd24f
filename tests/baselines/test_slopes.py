from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from facelift import Terrain
from facelift.baselines.slopes import exact_slope, numerical_slope
from facelift.baselines.states import moulds
from facelift.multiverse.goal import Goal

GOAL = Goal(("good",), 0.5, ("bad", "good"))


def smooth(points: np.ndarray) -> np.ndarray:
    good = 1 / (1 + np.exp(-(points @ np.array([1.0, -2.0, 0.5]))))
    return np.column_stack([1 - good, good])


def test_the_numerical_slope_of_numbers_is_their_derivative():
    points = np.random.default_rng(0).random((6, 3))
    terrain = Terrain.infer(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    chances, slopes = numerical_slope(smooth, terrain, moulds(terrain), GOAL, 1e-4)(points)
    expected = smooth(points)[:, 1]
    np.testing.assert_allclose(chances, expected)
    derivative = (expected * (1 - expected))[:, np.newaxis] * np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(slopes, derivative, atol=1e-6)


def test_whole_numbers_and_levels_are_moved_far_enough_to_matter():
    table = pd.DataFrame(
        {
            "debts": [0, 1, 2, 4],
            "savings": pd.Categorical(["no", "few", "some", "many"], ordered=True,
                                      categories=["no", "few", "some", "many"]),
            "town": ["a", "b", "c", "a"],
        }
    )  # fmt: skip
    terrain = Terrain.infer(table)

    def ask(points: np.ndarray) -> np.ndarray:
        rows = terrain.to_pandas(points)
        good = 0.1 * (4 - rows["debts"]) + 0.1 * rows["savings"].cat.codes
        good = (good + rows["town"].map({"a": 0.0, "b": 0.2, "c": 0.05})).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    points = np.array([[0.5, 1 / 3, 1.0, 0.0, 0.0]])
    chances, slopes = numerical_slope(ask, terrain, moulds(terrain), GOAL, 1e-3)(points)
    assert chances[0] == pytest.approx(0.3)
    np.testing.assert_allclose(slopes[0], [-0.4, 0.3, 0.0, 0.2, 0.05], atol=1e-12)


def test_the_black_box_is_asked_once_per_slope():
    calls = []

    def ask(points: np.ndarray) -> np.ndarray:
        calls.append(len(points))
        return smooth(points)

    terrain = Terrain.infer(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    numerical_slope(ask, terrain, moulds(terrain), GOAL, 0.01)(np.full((4, 3), 0.5))
    assert calls == [4 * 7]


def test_the_exact_slope_is_that_of_the_function():
    torch = pytest.importorskip("torch", reason="exact gradients need the extra torch")
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)

    def differentiable(points):
        good = torch.sigmoid(points @ weights)
        return torch.vstack([1 - good, good]).T

    points = np.random.default_rng(0).random((6, 3))
    terrain = Terrain.infer(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    exact = exact_slope(differentiable, GOAL)(points)
    numerical = numerical_slope(smooth, terrain, moulds(terrain), GOAL, 1e-5)(points)
    np.testing.assert_allclose(exact[0], numerical[0])
    np.testing.assert_allclose(exact[1], numerical[1], atol=1e-8)
