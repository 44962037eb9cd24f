import numpy as np
import pytest

from facelift.toys import figure_world, fork, loan, moons


def test_the_loan_figure_has_the_edges_of_the_specification():
    world = loan()
    matrix = world.graph.costs.tocoo()
    edges = dict(zip(zip(*matrix.coords, strict=True), matrix.data, strict=True))
    assert edges == {
        (0, 1): 3,
        (0, 4): 8,
        (4, 5): 6,
        (5, 6): 1,
        (6, 3): 1,
        (4, 2): 6,
        (5, 2): 5,
    }
    assert (world.factual, world.destinations) == (0, (1, 2, 3))


def test_the_fork_shares_a_trunk_and_has_one_way_apart():
    multiverse = fork().multiverse()
    routes = [journey.vertices.tolist() for journey in multiverse]
    assert routes == [[0, 1, 2, 3], [0, 5], [0, 1, 2, 4]]
    assert multiverse.opportunity == pytest.approx(
        np.array([[1, 0, 2 / 3], [0, 1, 0], [1 / 2, 0, 1]])
    )


@pytest.mark.parametrize("world", [loan(), fork()])
def test_toy_graphs_lead_to_all_their_destinations(world):
    multiverse = world.multiverse()
    assert len(multiverse) == len(world.destinations)
    ends = {int(journey.vertices[-1]) for journey in multiverse}
    assert ends == set(world.destinations)
    assert all(journey.vertices[0] == world.factual for journey in multiverse)


@pytest.mark.parametrize("make", [moons, figure_world])
def test_toy_points_are_the_same_for_the_same_seed_only(make):
    first, second, other = make(100, seed=3), make(100, seed=3), make(100, seed=4)
    assert first.points.tolist() == second.points.tolist()
    assert first.labels.tolist() == second.labels.tolist()
    assert first.points.tolist() != other.points.tolist()


@pytest.mark.parametrize("n_points", [1, 2, 5, 100, 101])
def test_there_are_as_many_moon_points_as_asked_for_in_equal_halves(n_points):
    world = moons(n_points)
    assert world.points.shape == (n_points, 2)
    assert np.bincount(world.labels, minlength=2).tolist() == [n_points // 2, -(-n_points // 2)]


def test_without_noise_the_moons_are_half_circles_with_class_0_above():
    world = moons(100, noise=0.0)
    upper, lower = world.points[world.labels == 0], world.points[world.labels == 1]
    assert np.hypot(*upper.T) == pytest.approx(np.ones(50))
    assert np.hypot(lower[:, 0] - 1, lower[:, 1] - 0.5) == pytest.approx(np.ones(50))
    assert upper[:, 1].mean() > lower[:, 1].mean()


@pytest.mark.parametrize("n_points", [10, 597, 600])
def test_there_are_as_many_points_in_the_figure_world_as_asked_for(n_points):
    assert figure_world(n_points).points.shape == (n_points, 2)


def test_the_figure_world_has_both_classes_within_the_unit_square():
    world = figure_world()
    assert 0 <= world.points.min() <= world.points.max() <= 1
    assert set(world.labels.tolist()) == {0, 1}
    accepted = world.points[world.labels == 1]
    assert (accepted.sum(axis=1) > 1.25).all()
    assert (world.points[world.labels == 0].sum(axis=1) <= 1.25).all()
