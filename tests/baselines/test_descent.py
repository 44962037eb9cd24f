from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import Terrain
from facelift.baselines.base import rounding
from facelift.baselines.descent import descend, exact_gradient, numerical_gradient, shrunk
from facelift.multiverse.goal import Goal

GOAL = Goal(("good",), 0.5, ("bad", "good"))


def smooth(points: np.ndarray) -> np.ndarray:
    good = 1 / (1 + np.exp(-(points @ np.array([1.0, -2.0, 0.5]))))
    return np.column_stack([1 - good, good])


def test_the_numerical_gradient_of_numbers_is_their_derivative():
    points = np.random.default_rng(0).random((6, 3))
    terrain = Terrain.infer(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    chances, gradients = numerical_gradient(smooth, terrain, rounding(terrain), GOAL, 1e-4)(points)
    expected = smooth(points)[:, 1]
    np.testing.assert_allclose(chances, expected)
    derivative = (expected * (1 - expected))[:, np.newaxis] * np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(gradients, derivative, atol=1e-6)


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
    chances, gradients = numerical_gradient(ask, terrain, rounding(terrain), GOAL, 1e-3)(points)
    assert chances[0] == pytest.approx(0.3)
    np.testing.assert_allclose(gradients[0], [-0.4, 0.3, 0.0, 0.2, 0.05], atol=1e-12)


def test_the_black_box_is_asked_once_per_gradient():
    calls = []

    def ask(points: np.ndarray) -> np.ndarray:
        calls.append(len(points))
        return smooth(points)

    terrain = Terrain.infer(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    numerical_gradient(ask, terrain, rounding(terrain), GOAL, 0.01)(np.full((4, 3), 0.5))
    assert calls == [4 * 7]


def test_the_exact_gradient_is_that_of_the_function(torch):
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)

    def differentiable(points):
        good = torch.sigmoid(points @ weights)
        return torch.vstack([1 - good, good]).T

    points = np.random.default_rng(0).random((6, 3))
    terrain = Terrain.infer(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    exact = exact_gradient(differentiable, GOAL)(points)
    numerical = numerical_gradient(smooth, terrain, rounding(terrain), GOAL, 1e-5)(points)
    np.testing.assert_allclose(exact[0], numerical[0])
    np.testing.assert_allclose(exact[1], numerical[1], atol=1e-8)


numbers = st.floats(-3, 3)


@given(value=numbers, beta=st.floats(0, 2))
def test_shrinking_is_the_published_threshold(value, beta):
    expected = value - beta if value > beta else value + beta if value < -beta else 0.0
    assert shrunk(np.array([value]), beta)[0] == pytest.approx(expected, abs=1e-12)


def slow_descent(start, low, high, slope, beta, rate, n):
    """The published iteration for one coordinate, written out."""
    delta = y = 0.0
    path = []
    for i in range(n):
        alpha = rate * math.sqrt(1 - i / n)
        z = y - alpha * slope(start + y)
        z = z - beta if z > beta else z + beta if z < -beta else 0.0
        new = min(max(start + z, low), high) - start
        y = new + i / (i + 3) * (new - delta)
        y = min(max(start + y, low), high) - start
        delta = new
        path.append(start + delta)
    return path


@given(
    start=st.floats(0, 1),
    goal=numbers,
    weight=st.floats(0.1, 40),
    beta=st.floats(0, 0.2),
    n=st.integers(1, 30),
)
@settings(max_examples=examples(80))
def test_the_descent_is_the_published_iteration(start, goal, weight, beta, n):
    path = []
    descend(
        np.array([[start]]),
        np.zeros((1, 1)),
        np.ones((1, 1)),
        lambda points: 2 * weight * (points - goal),
        lambda points: path.append(float(points[0, 0])),
        beta=beta,
        learning_rate=0.01,
        max_iter=n,
    )
    expected = slow_descent(start, 0.0, 1.0, lambda p: 2 * weight * (p - goal), beta, 0.01, n)
    np.testing.assert_allclose(path, expected, atol=1e-12)


def test_cases_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    start, goal = rng.random((4, 3)), rng.random((4, 3))
    box = np.zeros((4, 3)), np.ones((4, 3))

    def run(which):
        path = []
        descend(
            start[which],
            box[0][which],
            box[1][which],
            lambda points: 40 * (points - goal[which]),
            path.append,
            beta=0.05,
            learning_rate=0.01,
            max_iter=20,
        )
        return path[-1]

    together = run(slice(0, 4))
    alone = np.vstack([run(slice(i, i + 1)) for i in range(4)])
    np.testing.assert_array_equal(together, alone)


def test_without_shrinking_it_comes_to_the_least():
    goal = np.array([[0.2, 0.9]])
    path = []
    descend(
        np.array([[0.8, 0.1]]),
        np.zeros((1, 2)),
        np.ones((1, 2)),
        lambda points: 20 * (points - goal),
        path.append,
        beta=0.0,
        learning_rate=0.02,
        max_iter=300,
    )
    np.testing.assert_allclose(path[-1], goal, atol=1e-3)
