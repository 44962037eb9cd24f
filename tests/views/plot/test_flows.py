"""The flow of a field, drawn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.views.plot.drawn import words

import facelift as fl
from facelift.errors import InvalidInput
from facelift.views import plot


def field_of(n_ways: int) -> tuple[fl.Multiverse, object]:
    """Ways across the half-moons, and the flow to their ends."""
    points = fl.toys.moons(150).points
    model = lambda rows: np.column_stack([rows[:, 0] < 1.0, rows[:, 0] >= 1.0]) * 1.0  # noqa: E731
    settings = {"edge_cost": "power", "n_counterfactuals": n_ways, "min_separation": 0.2}
    explainer = fl.FACElift(model, steps="field", **settings).fit(points)
    multiverse = explainer.explain(points[np.argmin(points[:, 0])])
    return multiverse, fl.flow(multiverse, n_points=15)


def test_a_flow_has_basins_arrows_ways_and_records():
    multiverse, found = field_of(2)
    ax = plot.flow(multiverse, found)
    assert {"A", "B", "you"} <= set(words(ax))
    (arrows,) = (each for each in ax.collections if hasattr(each, "U"))
    nearest = found[found["nearest"]]
    assert len(arrows.U) == len(nearest[(nearest["dx"] != 0) | (nearest["dy"] != 0)])
    (basins,) = (each for each in ax.collections if type(each).__name__ == "QuadMesh")
    assert sorted(np.unique(basins.get_array().compressed())) == [0, 1]


def test_arrows_towards_one_end_are_drawn_from_everywhere():
    multiverse, found = field_of(2)
    ax = plot.flow(multiverse, found, towards="B")
    (arrows,) = (each for each in ax.collections if hasattr(each, "U"))
    own = found[(found["way"] == "B") & ((found["dx"] != 0) | (found["dy"] != 0))]
    assert len(arrows.U) == len(own)
    with pytest.raises(InvalidInput, match="one of A, B, got 'Z'"):
        plot.flow(multiverse, found, towards="Z")
