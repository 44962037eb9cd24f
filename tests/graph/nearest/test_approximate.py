"""Approximate neighbours: never forbidden, never too few, costs exact, mostly the nearest."""

import sys
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

import facelift as fl
from facelift.errors import InvalidInput, MissingExtra
from facelift.graph import Neighbourhood, building
from facelift.graph.building import approximate_nearest, nearest_moves, recall
from facelift.graph.nearest import nearest_admissible
from facelift.terrain.prices import Prices


def ruled_world(n=3000):
    rng = np.random.default_rng(0)
    centres = rng.random((8, 5))
    points = centres[rng.integers(8, size=n)] + rng.normal(scale=0.1, size=(n, 5))
    points[:, 0] = rng.integers(0, 2, size=n)
    increase = np.array([np.inf, 1.0, 1.0, 1.0, 2.0])
    decrease = np.array([np.inf, np.inf, 1.0, 1.5, 1.0])
    return points, Prices(increase, decrease)


def without_the_package():
    return patch.dict(sys.modules, {"pynndescent": None})


def test_without_the_extra_the_error_says_how_to_install_it():
    points, prices = ruled_world(300)
    with (
        without_the_package(),
        patch.object(building, "APPROXIMATE_FROM", 50),
        pytest.raises(MissingExtra, match=r'pip install "facelift-multiverse\[ann\]"'),
    ):
        approximate_nearest(points, points, prices, 5, itself=np.arange(300))


def test_small_tables_are_searched_exactly_and_need_no_extra():
    points, prices = ruled_world(300)
    with without_the_package():
        found = approximate_nearest(points, points, prices, 5, itself=np.arange(300))
    expected = nearest_admissible(points, points, prices, 5, itself=np.arange(300))
    assert found[0].tolist() == expected[0].tolist()
    assert found[1].tolist() == expected[1].tolist()


def descent_by_sorting(coordinates, width, n_threads, random_state):
    """Candidates as the package finds them, with every fifth one missed."""
    del n_threads
    rng = np.random.default_rng(random_state)
    squares = ((coordinates[:, np.newaxis] - coordinates) ** 2).sum(axis=2)
    squares[rng.random(squares.shape) < 0.2] = np.inf
    return np.argsort(squares, axis=1)[:, : width + 1]


@pytest.fixture
def found_about():
    points, prices = ruled_world(800)
    with (
        patch.object(building, "APPROXIMATE_FROM", 100),
        patch.object(building, "_descent", descent_by_sorting),
    ):
        yield points, prices


def test_moves_are_allowed_and_priced_exactly_and_as_many_as_can_be(found_about):
    points, prices = found_about
    itself = np.arange(len(points))
    indices, costs = approximate_nearest(points, points, prices, 6, itself=itself, random_state=0)
    exact, _ = nearest_admissible(points, points, prices, 6, itself=itself)
    real = indices >= 0
    assert real.tolist() == (exact >= 0).tolist()
    near, rank = np.nonzero(real)
    moves = prices.cost(points[near], points[indices[near, rank]])
    assert np.isfinite(moves).all()
    assert (moves == costs[real]).all()
    assert (indices != itself[:, np.newaxis]).all()
    assert all(len(set(row[row >= 0])) == (row >= 0).sum() for row in indices)


def test_recall_is_the_share_of_neighbours_found(found_about):
    points, prices = found_about
    everyone = np.ones(len(points), dtype=bool)
    neighbourhood = Neighbourhood(prices, 6)
    about = nearest_moves(
        points, neighbourhood, everyone, partial(approximate_nearest, random_state=0)
    )
    exact = nearest_moves(points, neighbourhood, everyone)
    sample = np.unique(np.linspace(0, len(points) - 1, building.N_SAMPLED).astype(int))
    shared = [len(np.intersect1d(about[[v]].indices, exact[[v]].indices)) for v in sample]
    expected = sum(shared) / sum(exact[[v]].nnz for v in sample)
    assert recall(about, points, neighbourhood, everyone) == pytest.approx(expected)
    assert 0.5 < expected < 1
    assert recall(exact, points, neighbourhood, everyone) == 1


def test_an_explainer_says_how_many_it_found(found_about, caplog):
    points, _ = found_about

    def model(rows):
        return np.column_stack([rows[:, 1] > 0.5, rows[:, 1] <= 0.5])

    explainer = fl.FACElift(model, n_neighbors=6, neighbors="approximate", random_state=1)
    with caplog.at_level("INFO", logger="facelift"):
        explainer.fit(points)
    assert 0.5 < explainer.recall_ < 1
    assert f"{100 * explainer.recall_:.2f} %" in caplog.text
    assert fl.FACElift(model).fit(points).recall_ == 1
    again = fl.FACElift(model, n_neighbors=6, neighbors="approximate", random_state=1).fit(points)
    assert again.graph_.costs.indices.tolist() == explainer.graph_.costs.indices.tolist()


def test_another_word_for_neighbors_is_refused():
    with pytest.raises(InvalidInput, match="'exact' or 'approximate', got 'quick'"):
        fl.FACElift(len, neighbors="quick").fit(np.zeros((3, 1)))


@pytest.mark.harness
def test_with_the_package_nearly_all_are_found():
    pytest.importorskip("pynndescent")
    points, prices = ruled_world(3000)
    everyone = np.ones(len(points), dtype=bool)
    neighbourhood = Neighbourhood(prices, 10)
    search = partial(approximate_nearest, random_state=0)
    with patch.object(building, "APPROXIMATE_FROM", 1000):
        moves = nearest_moves(points, neighbourhood, everyone, search)
    assert recall(moves, points, neighbourhood, everyone) > 0.9
