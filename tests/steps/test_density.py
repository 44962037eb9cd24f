"""How dear places are to cross, against densities that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from facelift.graph.edge_costs import Power, likely_bandwidth, scott_bandwidth
from facelift.steps.density import Density
from facelift.toys import moons

BELL = np.random.default_rng(0).normal(size=(4000, 1))


@pytest.mark.parametrize("shape", [Power(2.0), Power(2.0, "kde")])
def test_weights_are_those_of_the_true_density(shape):
    """Of a bell curve, in one dimension: the weight is the typical density over that at a place."""
    places = np.array([[-1.5], [-0.5], [0.0], [1.0]])
    typical = np.median(norm.pdf(BELL))
    expected = typical / norm.pdf(places[:, 0])
    np.testing.assert_allclose(Density(BELL, shape, 300).weights(places), expected, rtol=0.15)


def test_higher_powers_sharpen_and_a_power_of_one_tells_nothing_apart():
    places = np.array([[0.0], [2.0]])
    near, far = Density(BELL, Power(2.0), 20).weights(places)
    sharper = Density(BELL, Power(3.0), 20).weights(places)
    np.testing.assert_allclose(sharper, [near**2, far**2])
    assert Density(BELL, Power(1.0, "kde"), 20).weights(places).tolist() == [1.0, 1.0]


def test_beyond_all_records_places_are_dear_but_not_infinite():
    weights = Density(BELL, Power(2.0, "kde", 0.1), 20).weights(np.array([[1e6]]))
    assert np.isfinite(weights).all()
    assert weights[0] > 1e9


def test_the_default_bandwidth_is_scotts_for_a_bell_and_finer_where_there_are_gaps():
    assert likely_bandwidth(BELL) == scott_bandwidth(BELL)
    points = moons(400).points
    assert likely_bandwidth(points) < 0.6 * scott_bandwidth(points)


def test_the_default_bandwidth_foretells_new_records_better_than_scotts():
    from facelift.graph.edge_costs import log_density

    points = moons(800).points
    known, new = points[::2], points[1::2]
    likely, rule = (
        log_density(known, h)(new).mean() for h in (likely_bandwidth(known), scott_bandwidth(known))
    )
    assert likely > rule + 0.1


def test_two_records_have_a_bandwidth():
    assert likely_bandwidth(np.array([[0.0], [1.0]])) > 0
