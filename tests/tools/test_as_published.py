"""MNIST as published: its odd measure against a slow definition, its figures on the real images."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import facelift as fl
from tools import as_published


class Certain:
    """A model that knows every image it was shown: what the published network came to."""

    def __init__(self, images, labels):
        self.known = {image.tobytes(): label for image, label in zip(images, labels, strict=True)}
        self.classes_ = np.unique(labels)

    def predict_proba(self, images):
        told = np.array([self.known[image.tobytes()] for image in np.asarray(images)])
        return (told[:, np.newaxis] == self.classes_).astype(np.float64)


def slow_opportunity(step_costs, chosen_anew):
    shares = []
    for column in range(chosen_anew.shape[1]):
        walked, left = 0.0, chosen_anew[:, column]
        tested = range(1, len(left) - 1) if len(left) > 2 else [1]
        for i in tested:
            if left[i] > left[i - 1]:
                break
            walked += step_costs[i - 1]
        shares.append(walked / sum(step_costs))
    return shares


@given(
    st.integers(1, 6).flatmap(
        lambda k: st.tuples(
            hnp.arrays(float, k, elements=st.floats(0.1, 9)),
            hnp.arrays(float, (k + 1, 3), elements=st.integers(0, 4).map(float)),
        )
    )
)
def test_the_published_opportunity_is_its_slow_definition(world):
    np.testing.assert_allclose(
        as_published.published_opportunity(*world), slow_opportunity(*world), atol=1e-12
    )


def test_alternatives_are_chosen_anew_and_never_the_waypoint_itself():
    graph = fl.toys.loan().graph
    known = nx.from_scipy_sparse_array(graph.costs, create_using=nx.DiGraph)
    groups = [np.isin(np.arange(7), chosen) for chosen in ([1, 2, 3, 4], [5, 6])]
    for vertex, found in as_published.costs_anew(graph, range(7), groups, 2).items():
        left = nx.single_source_dijkstra_path_length(known, vertex)
        expected = [
            sorted(left.get(v, np.inf) for v in np.flatnonzero(group) if v != vertex)
            for group in groups
        ]
        padded = np.array([(each + [np.inf] * 2)[:2] for each in expected]).ravel()
        np.testing.assert_allclose(found, padded)


def test_the_experiment_runs_on_small_digits():
    images, labels = fl.datasets.load_digits(return_X_y=True)
    images, labels = np.asarray(images), np.asarray(labels).astype(int)
    explainer = as_published.published_explainer(images, Certain(images, labels))
    multiverses = as_published.journeys_of_ones(explainer, images, labels)
    cells = as_published.published_cells(multiverses, explainer, labels)
    assert set(cells) == set(as_published.PAPER)
    for setting in as_published.SETTINGS:
        face, five, ten = (cells[method, setting] for method in as_published.METHODS)
        assert face.opportunity <= five.opportunity <= ten.opportunity
        assert face.distance == min(face.distance, five.distance, ten.distance)
        assert face.distance == pytest.approx(np.mean([many[0].cost for many in multiverses]))


def test_the_papers_figures_of_mnist_come_out(data_home):
    """The network enters only by which nines it is sure of: of all it was fitted to, as it says."""
    images, labels = fl.datasets.load_mnist(
        data_home, subset="train", n_per_class=1000, return_X_y=True
    )
    explainer = as_published.published_explainer(images, Certain(images, labels))
    multiverses = as_published.journeys_of_ones(explainer, images, labels)
    cells = as_published.published_cells(multiverses, explainer, labels)
    for key, (distance, spread, opportunity, _) in as_published.PAPER.items():
        assert cells[key].distance == pytest.approx(distance, abs=0.005)
        assert cells[key].distance_spread == pytest.approx(spread, abs=0.005)
        assert cells[key].opportunity == pytest.approx(opportunity, abs=0.005)
