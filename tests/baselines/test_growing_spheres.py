from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import Terrain
from facelift.baselines import GrowingSpheres
from facelift.baselines.base import Reach
from facelift.baselines.growing_spheres import in_layer, nearest_enemy
from facelift.errors import InvalidInput

SQUARE = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


def beyond(line: float):
    """A model whose outcome begins at a line across the second coordinate."""

    def model(points: np.ndarray) -> np.ndarray:
        good = (points[:, 1] >= line).astype(float)
        return np.column_stack([1 - good, good])

    return model


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 200),
    inner=st.floats(0, 3),
    width=st.floats(0.01, 2),
)
@settings(max_examples=examples(60))
def test_points_are_drawn_within_the_layer_and_along_what_is_free(seed, m, inner, width):
    rng = np.random.default_rng(seed)
    factual = rng.random(m)
    low = np.where(rng.random(m) < 0.3, factual, factual - 9)
    high = np.where(rng.random(m) < 0.3, factual, factual + 9)
    high[0] = factual[0] + 9
    box = Reach(factual, low, high)
    drawn = in_layer(box, inner, inner + width, 50, rng)
    radii = np.sqrt(((drawn - factual) ** 2).sum(axis=1))
    assert (radii >= inner * (1 - 1e-9)).all()
    assert (radii <= (inner + width) * (1 + 1e-9)).all()
    assert ((drawn >= low - 1e-9) & (drawn <= high + 1e-9)).all()


def test_points_fill_a_disc_evenly():
    box = Reach(np.zeros(2), np.full(2, -9.0), np.full(2, 9.0))
    drawn = in_layer(box, 0.0, 1.0, 20_000, np.random.default_rng(0))
    within_half = (np.linalg.norm(drawn, axis=1) <= 0.5).mean()
    assert within_half == pytest.approx(0.25, abs=0.01)
    assert np.abs(drawn.mean(axis=0)).max() < 0.02


def test_points_fill_a_layer_evenly_in_three_dimensions():
    box = Reach(np.zeros(3), np.full(3, -9.0), np.full(3, 9.0))
    radii = np.linalg.norm(in_layer(box, 1.0, 2.0, 20_000, np.random.default_rng(0)), axis=1)
    expected = (1.5**3 - 1) / (2**3 - 1)
    assert (radii <= 1.5).mean() == pytest.approx(expected, abs=0.01)


def slow_growth(enemy_from: float, radius: float) -> list[tuple[float, float]]:
    """The layers of the authors' first algorithm, where all beyond a distance are enemies."""
    layers = [(0.0, radius)]
    while layers[-1][1] > enemy_from:
        layers.append((0.0, layers[-1][1] / 2))
    width = layers[-1][1]
    inner = width
    while True:
        layers.append((inner, inner + width))
        if inner + width > enemy_from:
            return layers
        inner += width


@pytest.mark.parametrize(
    ("enemy_from", "radius"), [(0.35, 0.1), (0.35, 1.0), (0.35, 3.0), (2, 0.5)]
)
def test_spheres_shrink_until_empty_and_then_grow(enemy_from, radius):
    asked = []

    def draw(inner: float, outer: float) -> np.ndarray:
        asked.append((inner, outer))
        return np.array([[outer]]) if outer > enemy_from else np.empty((0, 1))

    found = nearest_enemy(draw, np.zeros(1), radius, limit=10.0)
    assert asked == slow_growth(enemy_from, radius)
    assert found[0] == asked[-1][1]


def test_growth_ends_at_the_limit():
    asked = []

    def draw(_: float, outer: float) -> np.ndarray:
        asked.append(outer)
        return np.empty((0, 1))

    assert nearest_enemy(draw, np.zeros(1), 0.5, limit=2.0) is None
    assert asked == [0.5, 1.0, 1.5, 2.0]


def test_an_enemy_next_door_ends_the_halving():
    draws = []

    def draw(_: float, outer: float) -> np.ndarray:
        draws.append(outer)
        return np.array([[outer], [outer / 3]])

    found = nearest_enemy(draw, np.zeros(1), 1.0, limit=5.0)
    assert len(draws) < 60
    assert 0 < found[0] < 1e-9


def test_the_counterfactual_lies_just_beyond_the_line():
    explainer = GrowingSpheres(beyond(0.6), n_samples=500).fit(SQUARE)
    for x in ([0.2, 0.1], [0.5, 0.45], [0.9, 0.595]):
        (journey,) = explainer.explain(x, target=1)
        assert 0.6 <= journey.counterfactual[1] < 0.72
        assert journey.chances[-1] == 1.0


def test_only_what_matters_is_changed():
    rng = np.random.default_rng(0)
    points = rng.random((50, 6))

    def model(rows: np.ndarray) -> np.ndarray:
        good = (rows[:, 2] > 0.5).astype(float)
        return np.column_stack([1 - good, good])

    x = np.array([0.5, 0.5, 0.2, 0.5, 0.5, 0.5])
    sparse = GrowingSpheres(model).fit(points).explain(x)[0]
    dense = GrowingSpheres(model, sparse=False).fit(points).explain(x)[0]
    assert (sparse.rows.iloc[0] != sparse.rows.iloc[-1]).to_numpy().nonzero()[0].tolist() == [2]
    assert (dense.rows.iloc[0] != dense.rows.iloc[-1]).sum() == 6
    assert sparse.counterfactual[2] == dense.counterfactual[2]


def slow_sparsest(model, factual: np.ndarray, state: np.ndarray) -> np.ndarray:
    """The authors' second algorithm, one feature at a time."""
    while True:
        changed = np.flatnonzero(state != factual)
        if not len(changed):
            return state
        i = changed[np.argmin(np.abs(state - factual)[changed])]
        fewer = state.copy()
        fewer[i] = factual[i]
        if model(fewer[np.newaxis, :])[0, 1] < 0.5:
            return state
        state = fewer


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=examples(15))
def test_changes_are_taken_back_as_the_authors_do(seed):
    rng = np.random.default_rng(seed)
    points, slope = rng.random((40, 5)), rng.normal(size=5)

    def model(rows: np.ndarray) -> np.ndarray:
        good = 1 / (1 + np.exp(-9 * ((rows - 0.5) @ slope)))
        return np.column_stack([1 - good, good])

    terrain = Terrain.infer(points)
    x = points[model(points)[:, 1].argmin()]
    options = {"n_samples": 100, "random_state": 4}
    dense = GrowingSpheres(model, terrain, sparse=False, **options).fit(points).explain(x)
    sparse = GrowingSpheres(model, terrain, **options).fit(points).explain(x)
    if len(dense):
        encoded = terrain.encode(x[np.newaxis, :])
        expected = slow_sparsest(
            lambda rows: model(terrain.decode(rows)),
            np.asarray(encoded)[0],
            dense[0].counterfactual,
        )
        np.testing.assert_allclose(sparse[0].counterfactual, expected)


def test_a_level_is_taken_back_as_a_whole():
    table = pd.DataFrame({"town": ["a", "b", "c", "d"] * 5, "income": np.linspace(0, 1, 20)})

    def model(rows: pd.DataFrame) -> np.ndarray:
        good = (rows["income"] > 0.5).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    explainer = GrowingSpheres(model, first_radius=0.5).fit(table)
    for _, row in table[table["income"] < 0.4].iterrows():
        (journey,) = explainer.explain(row, target=1)
        assert journey.rows["town"].iloc[-1] == row["town"]


def test_another_seed_draws_otherwise_and_the_same_seed_the_same():
    first, again, other = (
        GrowingSpheres(beyond(0.6), random_state=seed).fit(SQUARE).explain([0.3, 0.2], target=1)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first[0].waypoints, again[0].waypoints)
    assert not np.array_equal(first[0].waypoints, other[0].waypoints)


def test_nothing_beyond_the_largest_radius_is_found():
    explainer = GrowingSpheres(beyond(0.9), max_radius=0.3).fit(SQUARE)
    multiverse = explainer.explain([0.5, 0.1], target=1)
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "no candidate"
    assert "states that were tried" in str(multiverse.why_not)


@pytest.mark.parametrize(
    "options",
    [
        {"n_samples": 0},
        {"first_radius": 0},
        {"max_radius": -1},
        {"threshold": 0},
        {"random_state": -1},
        {"random_state": None},
    ],
)
def test_what_cannot_be_right_is_refused(options):
    with pytest.raises(InvalidInput, match=next(iter(options))):
        GrowingSpheres(beyond(0.5), **options).fit(SQUARE)
