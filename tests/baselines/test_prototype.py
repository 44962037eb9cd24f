from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import Terrain
from facelift.baselines import Prototype
from facelift.baselines.base import rounding
from facelift.baselines.prototype import (
    Best,
    Weights,
    descend,
    exact_gradient,
    numerical_gradient,
    shrunk,
    typical,
)
from facelift.errors import InvalidInput, MissingExtra
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


def hill(points: np.ndarray) -> np.ndarray:
    """Class 1 lies to the north-east; smooth, so that there is a slope to follow."""
    good = 1 / (1 + np.exp(-12 * (points.mean(axis=1) - 0.6)))
    return np.column_stack([1 - good, good])


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return np.vstack([np.random.default_rng(0).random((120, 3)), np.zeros(3), np.ones(3)])


def torch_hill(points):
    import torch

    good = torch.sigmoid(12 * (points.mean(dim=1) - 0.6))
    return torch.vstack([1 - good, good]).T


def size(journey, beta: float = 0.1) -> float:
    change = journey.waypoints[-1] - journey.waypoints[0]
    return float(beta * np.abs(change).sum() + (change**2).sum())


def test_the_weight_rises_tenfold_until_it_is_enough_and_then_is_searched_between():
    weights = Weights(3, 1.0)
    seen = [weights.current]
    for found in ([True, False, False], [False, True, False], [True, True, False]):
        weights.update(np.array(found))
        seen.append(weights.current)
    np.testing.assert_allclose(
        seen, [[1, 1, 1], [0.5, 10, 10], [0.75, 5.5, 100], [0.625, 3.25, 1000]]
    )


def test_the_least_change_with_the_outcome_is_kept():
    factuals = np.zeros((2, 2))
    best = Best(factuals, beta=0.1)
    best.take(np.array([[0.5, 0.5], [0.1, 0.0]]), np.array([0.9, 0.4]), np.array([True, False]))
    best.take(np.array([[0.3, 0.0], [0.9, 0.9]]), np.array([0.6, 0.8]), np.array([True, True]))
    best.take(np.array([[0.6, 0.6], [1.0, 1.0]]), np.array([0.99, 0.9]), np.array([True, True]))
    first, second = best.attempts()
    assert first.state.tolist() == [0.3, 0.0]
    assert second.state.tolist() == [0.9, 0.9]
    assert best.n_found.tolist() == [3, 2]
    assert first.best_chance == 0.99
    assert first.n_states == 3


def test_a_prototype_is_the_nth_nearest_record_or_the_mean_of_the_n_nearest():
    records = np.array([[4.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    here = np.zeros(2)
    assert typical(here, records, 1, "kdtree").tolist() == [1, 0]
    assert typical(here, records, 3, "kdtree").tolist() == [4, 0]
    assert typical(here, records, 2, "encoder").tolist() == [0.5, 1]
    assert typical(here, records, 9, "kdtree").tolist() == [4, 0]


def test_the_prototype_has_the_outcome_and_is_allowed(points):
    terrain = Terrain.infer(points).increase_only("x0")
    explainer = Prototype(hill, terrain).fit(points)
    goal = explainer.explain(points[-2], target=1).goal
    for factual in points[hill(points)[:, 1] < 0.5][:20]:
        proto = explainer._prototype(factual, goal)
        allowed = (points[:, 0] >= factual[0]) & (hill(points)[:, 1] >= 0.5)
        distances = np.where(allowed, ((points - factual) ** 2).sum(axis=1), np.inf)
        np.testing.assert_allclose(proto, points[distances.argmin()])


def test_a_stronger_pull_ends_nearer_to_the_prototype(points):
    factual = np.array([0.05, 0.5, 0.5])

    def end(theta: float) -> np.ndarray:
        (journey,) = Prototype(hill, theta=theta).fit(points).explain(factual, target=1)
        return journey.counterfactual

    explainer = Prototype(hill).fit(points)
    goal = explainer.explain(factual, target=1).goal
    proto = explainer._prototype(factual, goal)
    weak, strong = (np.linalg.norm(end(theta) - proto) for theta in (0.0, 40.0))
    assert strong < weak


def test_shrinking_keeps_what_does_not_matter_as_it_is():
    rng = np.random.default_rng(1)
    points = rng.random((100, 8))

    def model(rows: np.ndarray) -> np.ndarray:
        good = 1 / (1 + np.exp(-12 * (rows[:, 3] - 0.6)))
        return np.column_stack([1 - good, good])

    (journey,) = Prototype(model, theta=0.0).fit(points).explain(np.full(8, 0.4))
    changed = journey.waypoints[0] != journey.waypoints[-1]
    assert changed.nonzero()[0].tolist() == [3]


def test_a_smaller_change_is_found_than_the_nearest_record(points):
    explainer = Prototype(hill).fit(points)
    good = points[hill(points)[:, 1] >= 0.5]
    cases = points[hill(points)[:, 1] < 0.5][:10]
    for factual, (journey,) in zip(cases, explainer.explain_many(cases, target=1), strict=True):
        nearest = np.sqrt(((good - factual) ** 2).sum(axis=1).min())
        assert np.linalg.norm(journey.waypoints[-1] - journey.waypoints[0]) <= nearest


@pytest.mark.usefixtures("torch")
def test_numerical_gradients_lead_where_exact_ones_do(points):
    cases = points[hill(points)[:, 1] < 0.5][:10]
    exact = Prototype(hill, differentiable=torch_hill).fit(points).explain_many(cases, target=1)
    numerical = Prototype(hill).fit(points).explain_many(cases, target=1)
    for one, other in zip(exact, numerical, strict=True):
        assert size(one[0]) == pytest.approx(size(other[0]), rel=0.1, abs=0.02)


@pytest.mark.usefixtures("torch")
def test_the_encoder_has_prototypes_in_its_own_space(points):
    explainer = Prototype(hill, prototypes="encoder", n_neighbors=5, n_latent=2).fit(points)
    cases = points[hill(points)[:, 1] < 0.5][:10]
    found = explainer.explain_many(cases, target=1)
    assert all(len(multiverse) == 1 for multiverse in found)
    assert explainer._prototype(cases[0], found[0].goal).shape == (2,)


@pytest.mark.usefixtures("torch")
def test_the_autoencoder_keeps_states_on_the_ground_that_is_known():
    """Records lie on a curve; a state off it is not likely."""
    rng = np.random.default_rng(0)
    along = rng.random(300)
    points = np.column_stack([along, (2 * along - 1) ** 2]) + 0.01 * rng.normal(size=(300, 2))

    def model(rows: np.ndarray) -> np.ndarray:
        good = 1 / (1 + np.exp(-15 * (rows[:, 0] - 0.5)))
        return np.column_stack([1 - good, good])

    def off(gamma: float) -> float:
        explainer = Prototype(model, gamma=gamma, theta=0.0, n_latent=1, beta=0.0).fit(points)
        ends = [
            multiverse[0].rows.to_numpy()[-1]
            for multiverse in explainer.explain_many(points[along < 0.3][:8], target=1)
            if len(multiverse)
        ]
        assert ends
        return float(np.mean([np.sqrt(((points - end) ** 2).sum(axis=1).min()) for end in ends]))

    assert off(30.0) < off(0.0)


def test_the_autoencoder_is_trained_the_same_way_each_time(points, torch):

    from facelift.baselines.prototype import train_autoencoder

    first, again, other = (train_autoencoder(points, 2, seed=seed) for seed in (1, 1, 2))
    tensor = torch.tensor(points)
    assert torch.equal(first.encode(tensor), again.encode(tensor))
    assert not torch.equal(first.encode(tensor), other.encode(tensor))


def test_the_autoencoder_gives_back_what_it_was_given(torch):

    from facelift.baselines.prototype import train_autoencoder

    rng = np.random.default_rng(0)
    points = rng.random((400, 2)) @ rng.random((2, 8)) / 2
    made = train_autoencoder(points, 2, seed=0)
    tensor = torch.tensor(points)
    lost = ((made.decode(made.encode(tensor)) - tensor) ** 2).mean().item()
    assert lost < 0.05 * points.var(axis=0).mean()


def test_without_torch_the_message_says_how_to_install_it(points, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtra, match=r'pip install "facelift-multiverse\[torch\]"'):
        Prototype(hill, prototypes="encoder").fit(points)
    Prototype(hill).fit(points)


def test_an_outcome_that_no_record_has_can_still_be_found():
    """There is no prototype then, and the prediction alone leads the way."""
    points = np.random.default_rng(0).random((60, 2))

    def model(rows: np.ndarray) -> np.ndarray:
        good = 1 / (1 + np.exp(-8 * (rows.sum(axis=1) - 1.5)))
        return np.column_stack([1 - good, good])

    points = points[model(points)[:, 1] < 0.5]
    (journey,) = Prototype(model, c_init=10.0).fit(points).explain([0.5, 0.5], target=1)
    assert journey.chances[-1] >= 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"prototypes": "tree"},
        {"n_neighbors": 0},
        {"n_c_steps": 0},
        {"max_iter": 0},
        {"beta": -1},
        {"gamma": -1},
        {"theta": -1},
        {"kappa": -0.1},
        {"c_init": 0},
        {"learning_rate": 0},
        {"step": 0},
        {"threshold": 1.5},
        {"random_state": None},
    ],
)
def test_what_cannot_be_right_is_refused(points, options):
    with pytest.raises(InvalidInput, match=next(iter(options))):
        Prototype(hill, **options).fit(points)
