"""Plausibility: no farther from real records than those are from each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift.graph import plausibility
from facelift.graph.plausibility import N_NEIGHBORS, Plausibility, learn_plausibility


def slow_distances(points: np.ndarray, records: np.ndarray, k: int) -> np.ndarray:
    """Distance to the k-th nearest record, by sorting them all."""
    far = [sorted(np.sqrt(((records - point) ** 2).sum(axis=1)))[k - 1] for point in points]
    return np.array(far)


def slow_own_distances(records: np.ndarray, k: int) -> np.ndarray:
    others = [np.delete(records, i, axis=0) for i in range(len(records))]
    far = [slow_distances(r[np.newaxis, :], o, k)[0] for r, o in zip(records, others, strict=True)]
    return np.array(far)


@st.composite
def clouds(draw: st.DrawFn) -> np.ndarray:
    """Distinct records, on a coarse grid (full of ties) or anywhere, near 0 or far from it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(2, 40)), draw(st.integers(1, 9))
    shift = draw(st.sampled_from([0.0, 0.0, 1e3, -1e6]))
    if draw(st.booleans()):
        cloud = rng.integers(0, draw(st.integers(2, 5)), (n, m)) / draw(st.sampled_from([1, 3, 7]))
    else:
        cloud = rng.normal(size=(n, m)) * draw(st.sampled_from([1e-8, 1.0, 1e4]))
    flags = rng.integers(0, 2, (n, draw(st.sampled_from([0, 0, 1, 4]))))  # as categories have
    return np.unique(np.hstack([cloud + shift, flags]), axis=0)


@pytest.fixture(params=["plain", "plain, one by one", "compiled", "compiled, one by one"])
def engine(request, monkeypatch):
    """Either way to look for near records, in cells of any size."""
    if request.param.startswith("compiled"):
        monkeypatch.setattr(plausibility, "SMALL_TABLE", 0)
    if request.param.endswith("one by one"):
        monkeypatch.setattr(plausibility, "CELL", 1)
        monkeypatch.setattr(plausibility, "RUN", 2)
        monkeypatch.setattr(plausibility, "FIRST_LOOK", 1)


@pytest.mark.usefixtures("engine")
@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(clouds(), st.sampled_from([0.05, 0.5, 0.95, 1.0]), st.integers(0, 2**32 - 1))
def test_plausible_is_a_rarity_of_at_most_one(records, quantile, seed):
    learned = learn_plausibility(records, quantile)
    rng = np.random.default_rng(seed)
    near = records[rng.integers(len(records), size=20)]
    points = np.concatenate(
        [
            records,
            near + rng.normal(size=near.shape) * learned.bound,
            rng.permuted(records, axis=0),
            on_the_bound(learned, near, rng),
        ]
    )
    rarity = learned.rarity(points)
    assert learned.plausible(points).tolist() == (rarity <= 1).tolist()
    assert (rarity >= 0).all()


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(clouds(), st.sampled_from([0.05, 0.5, 0.95]), st.integers(0, 2**32 - 1))
def test_rarity_has_the_same_bits_compiled_or_not(records, quantile, seed):
    learned = learn_plausibility(records, quantile)
    rng = np.random.default_rng(seed)
    near = records[rng.integers(len(records), size=10)]
    points = np.concatenate([rng.permuted(records, axis=0), on_the_bound(learned, near, rng)])
    half = records[:5] / 2  # flags that are neither 0 nor 1
    points = np.concatenate([points, half, points + 3 * learned.bound])
    whole = learned.rarity(points)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plausibility, "SMALL_TABLE", 0)
        patched.setattr(plausibility, "CELL", 4)
        learned = replace(learned)  # forgets its cells
        assert np.array_equal(learned.rarity(points), whole)


@pytest.mark.usefixtures("engine")
@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(clouds(), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_the_nearest_of_some_records_are_those_of_a_full_look(records, n, seed):
    learned = learn_plausibility(records, 0.5)
    rng = np.random.default_rng(seed)
    chosen, point = rng.random(len(records)) < 0.6, rng.permuted(records, axis=0)[0]
    squares = ((records - point) ** 2).sum(axis=1)
    limit = sorted(squares[chosen])[n] if chosen.sum() > n else np.inf
    unsure = 1e-9 + 1e-12 * limit
    found = learned.nearest(point, chosen, n).tolist()
    assert found == sorted(set(found))
    assert chosen[found].all()
    assert set(np.flatnonzero(chosen & (squares <= limit - unsure))) <= set(found)
    assert (squares[found] <= limit + 2 * unsure).all()


def on_the_bound(learned: Plausibility, near: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points whose distance to a record is the bound, give or take a rounding or two."""
    axis = rng.integers(near.shape[1], size=len(near))
    points = near.copy()
    points[np.arange(len(near)), axis] += learned.bound * rng.choice([-1, 1], len(near))
    noise = rng.choice([-np.inf, np.inf], len(near))
    rounds = rng.random(len(near)) < 0.5
    moved = points[np.arange(len(near)), axis]
    points[np.arange(len(near)), axis] = np.where(rounds, np.nextafter(moved, noise), moved)
    return points


@settings(suppress_health_check=list(HealthCheck))
@given(clouds(), st.sampled_from([0.1, 0.5, 0.95, 1.0]))
def test_the_bound_is_the_stated_quantile_of_the_records_own_distances(records, quantile):
    k = max(1, min(N_NEIGHBORS, len(records) - 1))
    learned = learn_plausibility(records, quantile)
    assert learned.n_neighbors == k
    if len(records) == 1:
        assert learned.bound == 0
        return
    own = slow_own_distances(records, k)
    assert learned.bound == pytest.approx(np.quantile(own, quantile), rel=3e-9)
    share = (own <= learned.bound * (1 + 1e-9)).mean()
    assert share >= quantile - 1 / len(records)
    if quantile == 1:
        assert learned.plausible(records).all()


@pytest.mark.usefixtures("engine")
@settings(suppress_health_check=list(HealthCheck))
@given(clouds(), st.integers(0, 2**32 - 1))
def test_rarity_is_the_distance_to_the_fifth_record_over_the_bound(records, seed):
    learned = learn_plausibility(records, 0.9)
    points = np.random.default_rng(seed).permuted(records, axis=0)
    far = slow_distances(points, records, learned.n_neighbors)
    if learned.bound == 0:
        assert learned.rarity(points).tolist() == np.where(far == 0, 0, np.inf).tolist()
    else:
        assert learned.rarity(points) * learned.bound == pytest.approx(far, rel=1e-9, abs=1e-12)


def test_a_point_exactly_on_the_bound_is_plausible():
    line = np.arange(21.0)[:, np.newaxis]
    learned = learn_plausibility(line, 0.5)
    assert learned.bound == pytest.approx(3, rel=3e-9)
    # At -1 the five nearest are 0 to 4, at 22 they are 20 to 16: too far; at 2 exactly far enough.
    assert learned.rarity(np.array([[-1.0], [0.0], [1.0]])) == pytest.approx([5 / 3, 4 / 3, 1])
    assert learned.plausible(np.array([[-1.0], [0.0], [1.0]])).tolist() == [False, False, True]
    assert learned.plausible(np.array([[1 - 1e-12], [1 - 1e-6]])).tolist() == [True, False]


def test_where_all_records_are_alike_only_they_are_plausible():
    learned = learn_plausibility(np.ones((1, 3)), 0.95)
    points = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0 + 1e-12], [0.0, 1.0, 1.0]])
    assert learned.bound == 0
    assert learned.plausible(points).tolist() == [True, False, False]
    assert learned.rarity(points).tolist() == [0, np.inf, np.inf]


def test_with_few_records_the_farthest_of_them_counts():
    learned = learn_plausibility(np.array([[0.0], [1.0], [3.0]]), 1.0)
    assert learned.n_neighbors == 2
    assert learned.bound == pytest.approx(3, rel=3e-9)
    assert learned.plausible(np.array([[2.0], [-1.0], [-2.1]])).tolist() == [True, True, False]


def test_no_points_are_no_trouble():
    learned = learn_plausibility(np.array([[0.0], [1.0], [3.0]]), 1.0)
    assert learned.plausible(np.empty((0, 1))).shape == (0,)
    assert learned.rarity(np.empty((0, 1))).shape == (0,)


def test_work_in_chunks_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    records, points = rng.random((60, 3)), rng.random((50, 3)) * 1.5
    learned = learn_plausibility(records, 0.6)
    whole = learned.plausible(points)
    assert 0 < whole.sum() < len(points)
    monkeypatch.setattr("facelift._arrays.CELLS", 150)
    assert learned.plausible(points).tolist() == whole.tolist()
    assert learn_plausibility(records, 0.6).bound == learned.bound


def test_of_many_records_a_fair_sample_sets_the_bound(monkeypatch):
    records = np.sort(np.random.default_rng(0).random(500))[:, np.newaxis]
    everyone = learn_plausibility(records, 0.5).bound
    monkeypatch.setattr(plausibility, "N_SAMPLED", 100)
    samples = [learn_plausibility(records + shift, 0.5).bound for shift in range(30)]
    assert len({round(bound, 6) for bound in samples}) > 10  # other numbers, another sample
    assert samples == pytest.approx([everyone] * 30, rel=0.3)
    assert np.mean(samples) == pytest.approx(everyone, rel=0.03)


def test_a_sampled_bound_does_not_depend_on_the_order_of_records_or_columns_or_units(monkeypatch):
    rng = np.random.default_rng(1)
    lattice = rng.integers(0, 1025, 400) / 1024  # its tenth decimal is a five
    records = np.column_stack([rng.integers(0, 3, 400) / 2, lattice, rng.random(400)])
    monkeypatch.setattr(plausibility, "N_SAMPLED", 50)
    sampled = learn_plausibility(records, 0.9).bound
    for _ in range(5):
        others = records[rng.permutation(400)][:, rng.permutation(3)]
        others = np.nextafter(others, rng.choice([-1.0, 2.0], others.shape))  # as units change them
        assert learn_plausibility(others, 0.9).bound == pytest.approx(sampled, rel=1e-12)
    monkeypatch.undo()
    assert learn_plausibility(records, 0.9).bound != sampled


def test_more_is_plausible_at_a_higher_share():
    rng = np.random.default_rng(3)
    records, points = rng.normal(size=(80, 2)), rng.normal(size=(200, 2)) * 2
    counts = [learn_plausibility(records, q).plausible(points).sum() for q in (0.2, 0.5, 0.9, 1.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
