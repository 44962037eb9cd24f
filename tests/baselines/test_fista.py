from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift.baselines.fista import descend, shrunk

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
