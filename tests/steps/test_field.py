"""Journeys through a field: shorter by dense ground, within the rules, ended where it suffices."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import facelift as fl
from facelift.errors import InvalidInput
from facelift.graph.edge_costs import Power, likely_bandwidth, scott_bandwidth
from facelift.steps import field as fields
from facelift.steps.field import Density
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


MOONS = moons(200).points


def right_half(points):
    """Yes to the right of 1.2."""
    good = np.asarray(points)[:, 0] >= 1.2
    return np.column_stack([~good, good]).astype(float)


def slope(rows):
    """The chance rises with the sum of both columns, from 0 to 1."""
    chance = np.clip(np.asarray(rows, dtype=float).sum(axis=1) / 20, 0, 1)
    return np.column_stack([1 - chance, chance])


def field(points=MOONS, model=right_half, terrain=None, **parameters):
    settings = {"n_neighbors": 20, "n_counterfactuals": 3} | parameters
    return fl.FACElift(model, terrain, steps="field", **settings).fit(points)


def leftmost(points=MOONS):
    return points[np.argmin(points[:, 0])]


def grid():
    """Whole numbers from 0 to 10, in two columns."""
    a, b = np.meshgrid(np.arange(11), np.arange(11))
    return pd.DataFrame({"a": a.ravel(), "b": b.ravel()})


def test_ways_are_shorter_through_dense_ground_than_straight():
    explainer = field()
    found = explainer.explain(leftmost())
    assert len(found)
    for journey in found:
        straight = np.linspace(journey.waypoints[0], journey.waypoints[-1], 13)
        across = explainer.steps_.lengths(straight[:-1], straight[1:]).sum()
        assert journey.cost < across


def walled(seed):
    """Records everywhere but in a wall, narrow beside the way across it."""
    points = np.random.default_rng(seed).uniform(0, 10, size=(500, 2))
    points = points[~((abs(points[:, 0] - 5.1) < 0.25) & (points[:, 1] < 8))]
    return fl.FACElift(
        lambda rows: np.column_stack([rows[:, 0] < 8, rows[:, 0] >= 8]) * 1.0,
        steps="field", edge_cost=fl.graph.power(4), n_neighbors=10, n_counterfactuals=3,
    ).fit(points), points  # fmt: skip


def dense_length(steps, way):
    """The length of a way by 400 places of each step."""
    shares = (np.arange(400) + 0.5)[:, np.newaxis] / 400
    return sum(
        steps.terrain.prices.cost(a[np.newaxis], b[np.newaxis])[0]
        * steps.weights(a + shares * (b - a)).mean()
        for a, b in pairwise(way)
    )


@pytest.mark.parametrize("seed", [4, 5])
def test_no_way_jumps_over_empty_ground_unseen(seed):
    """Its cost is the field's length however long its steps are, and no more than straight on."""
    explainer, points = walled(seed)
    found = explainer.explain(leftmost(points))
    assert len(found)
    for journey in found:
        length = dense_length(explainer.steps_, journey.waypoints)
        assert journey.cost == pytest.approx(length, rel=0.06)
        assert length <= dense_length(explainer.steps_, journey.waypoints[[0, -1]]) * 1.001


def test_relaxing_never_makes_a_way_longer():
    explainer = field()
    steps = explainer.steps_
    records = fl.FACElift(right_half, edge_cost="power", n_neighbors=20).fit(MOONS)
    found = records.explain(leftmost())
    assert len(found)
    for journey in found:
        before = np.vstack([journey.waypoints[0], fl.geometry.resample(journey.waypoints, 12)])
        after = steps._settled(before)
        length = [steps.lengths(way[:-1], way[1:]).sum() for way in (before, after)]
        assert length[1] <= length[0]
        assert (after[[0, -1]] == before[[0, -1]]).all()


@pytest.mark.parametrize("exponent", [1.5, 2.0, 3.0])
def test_before_relaxing_costs_are_the_sample_fermat_distance(exponent):
    fermat = pytest.importorskip("fermat", reason="the package fermat is not installed")
    points = MOONS[:40]
    explainer = field(points, edge_cost=fl.graph.power(exponent), n_neighbors=39)
    encoded = explainer.graph_.points
    apart = np.linalg.norm(encoded[:, np.newaxis] - encoded, axis=2)
    expected = fermat.Fermat(alpha=exponent, path_method="FW").fit(apart).get_distances()
    found = fl.explore(explainer.graph_, 0, list(range(1, 40)))
    costs = {int(journey.vertices[-1]): journey.cost for journey in found}
    assert [costs[v] for v in range(1, 40)] == pytest.approx(expected[0, 1:], rel=1e-9)


def test_in_even_density_a_way_is_straight():
    rng = np.random.default_rng(0)
    points = rng.uniform(0, 10, size=(3000, 2))
    explainer = field(points, slope, n_neighbors=60, n_counterfactuals=1)
    journey = explainer.explain([2.0, 2.0])[0]
    line = journey.waypoints[[0, -1]]
    bend = fl.geometry.separation_from_line(journey.waypoints, line).max()
    assert bend < 0.1 * fl.geometry.length(line)


def test_by_default_a_field_keeps_to_where_records_are():
    """As with "power": the contract's default, "distance", is the field's own."""
    usual, named = (field(edge_cost=each).explain(leftmost()) for each in ("distance", "power"))
    assert usual.to_json() == named.to_json()
    assert all(journey.n_steps > 1 for journey in usual)


@pytest.fixture(scope="module")
def cancer():
    """Ten numbers of breast cancer, and a linear model of them."""
    data = load_breast_cancer()
    numbers = data.data[:, :10]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    explainer = field(numbers, model.fit(numbers, data.target), n_counterfactuals=5)
    people = numbers[model.predict(numbers) == 0]
    return explainer, [explainer.explain(people[i], target=1) for i in (3, 20)]


def test_steps_of_a_way_are_even_to_its_end(cancer):
    """None skips the rest of its way in one long step, which is measured less exactly."""
    for found in cancer[1]:
        for journey in found:
            lengths = fl.geometry.step_lengths(journey.waypoints)
            assert len(lengths) == fields.SECTIONS
            assert lengths.max() < 1.5 * lengths.min()


def test_no_way_is_shorter_by_going_straight_to_its_end_from_anywhere(cancer):
    """By a measure much finer than the one that found it."""
    explainer, multiverses = cancer
    for found in multiverses:
        for journey in found:
            way = journey.waypoints
            assert journey.cost == pytest.approx(dense_length(explainer.steps_, way), rel=0.005)
            for kept in range(1, len(way) - 1):
                tail = np.vstack([way[:kept], way[-1:]])
                assert journey.cost <= 1.005 * dense_length(explainer.steps_, tail)


def test_a_power_of_one_gives_straight_lines():
    journey = field(edge_cost=fl.graph.power(1)).explain(leftmost())[0]
    assert journey.n_steps == 1
    assert fl.geometry.separation_from_line(
        journey.waypoints, journey.waypoints[[0, -1]]
    ).max() == pytest.approx(0, abs=1e-9)


def test_a_way_ends_where_the_chance_just_suffices():
    rng = np.random.default_rng(1)
    points = rng.uniform(0, 10, size=(300, 2))
    found = field(points, slope, margin=0.0).explain([1.0, 1.0])
    assert len(found)
    for journey in found:
        assert 0.5 <= journey.chances[-1] < 0.501
        assert (journey.chances[:-1] < 0.5).all()


def test_rules_hold_on_every_step():
    table = grid()
    terrain = fl.Terrain.infer(table).increase_only("a").between("b", 0, 6).require("b <= a + 3")
    found = field(table, slope, terrain, n_counterfactuals=5).explain(table.iloc[1])
    assert len(found)
    for journey in found:
        rows = journey.rows
        assert (np.diff(rows["a"]) >= 0).all()
        assert rows["b"].between(0, 6).all()
        assert (rows["b"] <= rows["a"] + 3).all()


def test_every_place_is_a_row_that_the_table_can_hold():
    table = grid()
    found = field(table, slope).explain(table.iloc[0])
    for journey in found:
        assert (journey.rows.dtypes == table.dtypes).all()
        assert np.allclose(
            found.question.explainer.terrain_.encode(journey.rows), journey.waypoints
        )


def test_frozen_columns_stay():
    table = grid()
    found = field(table, slope, fl.Terrain.infer(table).freeze("b")).explain(table.iloc[22])
    assert len(found)
    assert all((journey.rows["b"] == table["b"].iloc[22]).all() for journey in found)


def test_nothing_is_closed_for_good_where_every_move_is_allowed():
    found = field().explain(leftmost())
    assert len(found) > 1
    assert fl.points_of_no_return(found).empty
    for journey in found:
        assert (journey.chances[:-1] < 0.5).all()  # no way leads through another's end
        assert journey.opportunity[journey.own] == 1


def test_what_the_rules_forbid_after_arriving_is_closed():
    table = grid()
    terrain = fl.Terrain.infer(table).increase_only("a", "b")
    found = field(table, slope, terrain, n_counterfactuals=5).explain(table.iloc[1])
    ends = [journey.counterfactual for journey in found]
    for journey in found:
        allowed = [bool((end >= journey.counterfactual - 1e-9).all()) for end in ends]
        assert np.isfinite(journey.remaining[-1]).tolist() == allowed


def test_a_walk_can_change_its_mind():
    found = field().explain(leftmost())
    here = fl.Position.start(found)
    here = here.step(here.options()[0])
    assert any(effect != "closed" for option in here.options() for effect in option.effects)


def test_the_same_question_has_the_same_answer(tmp_path):
    explainer = field()
    explainer.save(tmp_path / "kept")
    loaded = fl.FACElift.load(tmp_path / "kept", model=right_half)
    first, second = (each.explain(leftmost()).to_json() for each in (explainer, loaded))
    assert first == second


@pytest.mark.parametrize(
    ("table", "edge_cost", "match"),
    [
        (pd.DataFrame({"a": [1.0, 2.0], "job": ["x", "y"]}), "power", "job cannot be moved"),
        (pd.DataFrame({"a": [1.0, np.nan, 3.0]}), "power", "complete numbers"),
        (pd.DataFrame({"a": [1.0, 2.0, 3.0]}), "kde", "A field needs edge_cost"),
    ],
)
def test_what_a_field_cannot_do_is_one_clear_line(table, edge_cost, match):
    model = lambda rows: np.tile([0.4, 0.6], (len(rows), 1))  # noqa: E731
    with pytest.raises(InvalidInput, match=match):
        fl.FACElift(model, steps="field", edge_cost=edge_cost).fit(table)


def test_where_only_records_are_allowed_ways_step_on_them():
    table = pd.DataFrame({"a": [0.0, 3.0, 6.0, 10.0], "b": [0.0, 4.0, 5.0, 10.0]})

    def recorded(rows):
        return rows["a"].isin(table["a"]) & rows["b"].isin(table["b"])

    terrain = fl.Terrain.infer(table).require(recorded)
    found = field(table, slope, terrain, n_neighbors=2).explain(table.iloc[0])
    assert len(found)
    for journey in found:
        assert recorded(journey.rows).all()


def test_a_way_to_a_far_record_ends_long_before_it():
    rng = np.random.default_rng(2)
    near, far = rng.uniform(0, 3, size=(40, 2)), rng.uniform(8, 10, size=(40, 2))
    found = field(np.vstack([near, far]), slope, n_neighbors=60, margin=0.0).explain([1.0, 1.0])
    assert len(found)
    for journey in found:
        assert 0.5 <= journey.chances[-1] < 0.501
        assert (journey.chances[:-1] < 0.5).all()


@pytest.fixture(scope="module")
def half_plane() -> np.ndarray:
    """Records whose density grows with the square of the height: dear below, cheap above.

    With a power of 2 in two dimensions a place costs 1 over the root of the density, so 1 over the
    height: the hyperbolic half-plane, whose shortest ways are arcs of circles around the ground.
    """
    rng = np.random.default_rng(0)
    shares = rng.random(6000)
    heights = (0.2**3 + shares * (1.2**3 - 0.2**3)) ** (1 / 3)
    return np.column_stack([rng.random(6000) * 1.4 - 0.2, heights])


def hyperbolic(half_plane, *, rule=None, **shape):
    terrain = fl.Terrain.infer(half_plane).span("x0", 1.0).span("x1", 1.0)
    terrain = terrain if rule is None else rule(terrain)
    cost = fl.graph.power(2, **shape)
    explainer = field(half_plane, slope, terrain, edge_cost=cost, n_neighbors=80)
    ends = np.asarray(terrain.encode(np.array([[0.2, 0.4], [0.8, 0.4]])))
    return explainer.steps_, terrain, np.linspace(*ends, 13)


def arc(terrain) -> np.ndarray:
    """The geodesic from (0.2, 0.4) to (0.8, 0.4): a circle around (0.5, 0), which rises to 0.5."""
    angles = np.linspace(np.pi - np.arctan2(0.4, 0.3), np.arctan2(0.4, 0.3), 13)
    way = np.column_stack([0.5 + 0.5 * np.cos(angles), 0.5 * np.sin(angles)])
    return np.asarray(terrain.encode(way))


def test_ways_are_the_geodesics_of_a_known_density(half_plane):
    """With the true density: the hyperbolic distance to 0.7 %, by way of the arc."""
    steps, terrain, straight = hyperbolic(half_plane)
    weights = lambda places: 1 / np.asarray(terrain.decode(places))[:, 1]  # noqa: E731
    crowd = steps._density.crowd
    object.__setattr__(steps, "_density", SimpleNamespace(weights=weights, crowd=crowd, grain=1.0))
    way = steps._settled(straight)
    expected = np.arccosh(1 + 0.6**2 / (2 * 0.4**2))
    assert steps.lengths(way[:-1], way[1:]).sum() == pytest.approx(expected, rel=0.007)
    assert steps.lengths(straight[:-1], straight[1:]).sum() == pytest.approx(1.5, rel=1e-6)
    heights = np.asarray(terrain.decode(way))[:, 1]
    assert heights.max() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("density", ["knn", "kde"])
def test_with_an_estimated_density_ways_are_as_short_as_the_known_geodesic(half_plane, density):
    steps, terrain, straight = hyperbolic(half_plane, density=density)
    way = steps._settled(straight)
    found, known, across = (
        steps.lengths(each[:-1], each[1:]).sum() for each in (way, arc(terrain), straight)
    )
    assert found <= known * 1.005
    assert found < 0.97 * across
    heights = np.asarray(terrain.decode(way))[1:-1, 1]
    assert (heights > 0.41).all()
    assert heights.max() < 0.55


def test_relaxing_stays_within_bounds_that_a_shorter_way_would_leave(half_plane):
    """The geodesic rises to 0.5, but nobody may be above 0.43."""
    steps, terrain, straight = hyperbolic(half_plane, rule=lambda t: t.between("x1", 0.2, 0.43))
    heights = np.asarray(terrain.decode(steps._settled(straight)))[:, 1]
    assert 0.41 < heights.max() <= 0.43


def test_relaxing_never_turns_back_where_that_is_forbidden(half_plane):
    """A way that may never rise cannot bow upwards."""
    steps, terrain, straight = hyperbolic(half_plane, rule=lambda t: t.decrease_only("x1"))
    heights = np.asarray(terrain.decode(steps._settled(straight)))[:, 1]
    assert (np.diff(heights) <= 1e-12).all()


def test_an_end_slides_to_where_the_chance_suffices_sooner(monkeypatch):
    """With the gradient of the model, ways end no farther off, and just above the threshold."""
    rng = np.random.default_rng(1)
    points = rng.uniform(0, 10, size=(300, 2))
    monkeypatch.setattr(fields, "SLIDES", 0)
    before = field(points, slope, margin=0.0).explain([2.0, 6.0])
    monkeypatch.undo()
    after = field(points, slope, margin=0.0).explain([2.0, 6.0])
    assert (after.costs < before.costs).all()
    assert all(0.5 <= journey.chances[-1] < 0.501 for journey in after)


def test_ends_are_as_far_apart_as_asked_for():
    found = field(n_counterfactuals=4, min_separation=0.2).explain(leftmost())
    ends = np.array([journey.counterfactual for journey in found])
    apart = np.linalg.norm(ends[:, np.newaxis] - ends, axis=2)
    assert len(found) > 1
    assert (apart[~np.eye(len(ends), dtype=bool)] >= 0.2).all()


@pytest.mark.parametrize(
    ("given", "match"), [({"density": "none"}, "'knn' or 'kde'"), ({"bandwidth": 0}, "above 0")]
)
def test_a_density_that_there_is_not_is_refused(given, match):
    with pytest.raises(InvalidInput, match=match):
        fl.graph.power(2, **given)


def test_whole_numbers_make_fewer_steps_rather_than_longer_ways():
    """Of rows that are far apart: places are even and rows, and hardly longer than straight on."""
    table = grid()
    found = field(table, slope, n_counterfactuals=4, margin=0.0).explain(table.iloc[25])
    assert len(found) > 1
    steps = found.question.explainer.steps_
    for journey in found:
        assert journey.n_steps <= fields.SECTIONS
        ends = journey.waypoints[[0, -1]]
        assert journey.cost <= (1 + fields.ROUNDED) * steps.lengths(ends[:1], ends[1:])[0]
