"""The flow of a field: exact in even density, within the rules, and where basins meet."""

from __future__ import annotations

import numpy as np
import pytest

import facelift as fl
from facelift.errors import InvalidInput

GRID = np.stack(np.meshgrid(np.arange(11.0), np.arange(11.0)), axis=-1).reshape(-1, 2)


def corners(points):
    """Yes beyond either lower corner's or upper corner's border, on the right."""
    chance = ((points[:, 0] >= 9) & (np.abs(points[:, 1] - 5) >= 4)).astype(float)
    return np.column_stack([1 - chance, chance])


def multiverse(terrain=None, **parameters):
    settings = {"edge_cost": fl.graph.power(1), "n_counterfactuals": 2, "min_separation": 0.5}
    explainer = fl.FACElift(corners, terrain, steps="field", **(settings | parameters)).fit(GRID)
    return explainer.explain([1.0, 5.0])


@pytest.fixture(scope="module")
def found():
    ways = multiverse()
    assert len(ways) == 2
    return ways, fl.flow(ways, n_points=21)


def cosines(flow, ways):
    """Of the arrows of each way and the straight line to its end, away from the end."""
    for number, journey in enumerate(ways):
        own = flow[flow["way"] == "AB"[number]]
        towards = journey.rows.iloc[-1].to_numpy(dtype=float) - own[["x0", "x1"]].to_numpy()
        far, arrows = np.linalg.norm(towards, axis=1), own[["dx", "dy"]].to_numpy()
        sizes = np.linalg.norm(arrows, axis=1)
        inner = (far > 1.5) & (sizes > 0)
        yield (arrows * towards).sum(axis=1)[inner] / (sizes * far)[inner]


def test_in_even_density_what_is_left_is_the_distance_and_arrows_point_at_the_end(found):
    ways, flow = found
    for number, journey in enumerate(ways):
        own = flow[flow["way"] == "AB"[number]]
        end = journey.rows.iloc[-1].to_numpy(dtype=float)
        far = np.linalg.norm(end - own[["x0", "x1"]].to_numpy(), axis=1)
        here = far > 1.5
        np.testing.assert_allclose(own["remaining"][here], far[here] / 10, rtol=0.02)
    for each in cosines(flow, ways):
        assert np.median(each) > 0.99
        assert each.min() > 0.9


@pytest.mark.parametrize(("increase", "decrease"), [(4, 4), (3, 1), (0.2, 0.2)])
def test_arrows_point_at_the_end_whatever_moves_cost(increase, decrease):
    """Straight is the cheapest way in even density, at any prices; the bare slope is not."""
    terrain = fl.Terrain.infer(GRID).price("x1", increase=increase, decrease=decrease)
    ways = multiverse(terrain)
    for each in cosines(fl.flow(ways, n_points=21), ways):
        assert np.median(each) > 0.98
        assert np.quantile(each, 0.05) > 0.85


def test_basins_are_of_the_nearest_end_and_ways_part_between_them(found):
    ways, flow = found
    nearest = flow[flow["nearest"]]
    least = flow.groupby(["x0", "x1"])["remaining"].min().to_numpy()
    assert (nearest.sort_values(["x0", "x1"])["remaining"].to_numpy() == least).all()
    ends = np.array([journey.rows.iloc[-1].to_numpy(dtype=float) for journey in ways])
    parting = nearest[nearest["parts"]]
    apart = [np.linalg.norm(parting[["x0", "x1"]].to_numpy() - end, axis=1) for end in ends]
    assert len(parting) >= 21
    assert np.abs(apart[0] - apart[1]).max() < 1.5
    assert parting["divergence"].median() > nearest[~nearest["parts"]]["divergence"].median()


def test_what_the_rules_forbid_does_not_flow():
    """Who may never lower x1 gets to no end below."""
    ways = multiverse(fl.Terrain.infer(GRID).increase_only("x1"))
    flow = fl.flow(ways, n_points=11)
    for number, journey in enumerate(ways):
        height = float(journey.rows.iloc[-1]["x1"])
        own = flow[flow["way"] == "AB"[number]]
        assert np.isinf(own["remaining"][own["x1"] > height + 1e-9]).all()
        assert (own["dy"] >= -1e-9).all()


def test_dense_ground_draws_the_flow():
    """On the half-moons the way by the moon beats the straight one, so arrows bend along it."""
    points = fl.toys.moons(300).points
    model = lambda rows: np.column_stack([rows[:, 0] < 0.9, rows[:, 0] >= 0.9]) * 1.0  # noqa: E731
    explainer = fl.FACElift(model, steps="field", edge_cost=fl.graph.power(4)).fit(points)
    ways = explainer.explain(points[np.argmin(points[:, 0])])
    flow = fl.flow(ways, n_points=25)
    own = flow[flow["way"] == "A"].reset_index(drop=True)
    start = ways[0].rows.iloc[0].to_numpy(dtype=float)
    here = ((own[["x0", "x1"]].to_numpy() - start) ** 2).sum(axis=1).argmin()
    np.testing.assert_allclose(own["remaining"][here], ways[0].cost, rtol=0.35)


def test_flows_of_other_steps_or_more_columns_are_refused():
    rows = fl.FACElift(corners).fit(GRID).explain([1.0, 5.0])
    with pytest.raises(InvalidInput, match="steps='field'"):
        fl.flow(rows)
    cube = np.hstack([GRID, GRID[:, :1]])
    three = fl.FACElift(corners, steps="field").fit(cube).explain(cube[0])
    with pytest.raises(InvalidInput, match="two columns, got 3"):
        fl.flow(three)
    with pytest.raises(InvalidInput, match="5 or more"):
        fl.flow(multiverse(), n_points=3)
