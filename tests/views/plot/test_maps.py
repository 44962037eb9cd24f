"""The map of ways."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from tests.views.plot.drawn import multiverse_of, svg, words

import facelift as fl
from facelift import FACElift, toys
from facelift.drawing import COLOURS, QUIET
from facelift.drawing.layout import LEFT
from facelift.errors import InvalidInput
from facelift.views import plot, table


def test_the_map_has_a_line_for_every_way_in_its_colour(granted):
    ax = plot.journeys(granted)
    colours = {mpl.colors.to_hex(patch.get_edgecolor()) for patch in ax.patches}
    assert set(COLOURS[: len(granted)]) <= colours
    assert {"A", "B", "C", "D", "you"} <= set(words(ax))
    notes = [text for text in words(ax) if text.startswith("effort ")]
    costs = sorted(float(note.split()[1]) for note in notes if note[7].isdigit())
    assert costs == sorted(granted.costs.round(2))


def test_the_map_ends_where_effort_says():
    ax = plot.journeys(multiverse_of(3), scale="effort")
    ends = {
        text.get_text(): text.get_position()[0] for text in ax.texts if len(text.get_text()) == 1
    }
    share = (ends["A"] - LEFT) / (ends["B"] - LEFT)
    assert share == pytest.approx(3 / 14, abs=0.001)


def test_stations_of_a_picture_map_are_pictures():
    multiverse = multiverse_of(3)
    ax = plot.journeys(multiverse, picture=(1, 2))
    routes = [journey.vertices.tolist() for journey in multiverse]
    places = {tuple(route[: i + 1]) for route in routes for i in range(len(route))}
    assert len(ax.images) == len(places)


def test_ways_past_the_seventh_are_quiet(lending, people):
    explainer = FACElift(lending.model, n_neighbors=16, n_counterfactuals=12).fit(people)
    many = explainer.explain(people.iloc[[int(np.argsort(lending.chances())[5])]], "granted")
    lines = {line.get_label(): line.get_color() for line in plot.stays_open(many).lines}
    assert len(lines) == 12
    assert 1 < len(set(lines.values()) - {QUIET}) <= 7
    assert svg(plot.journeys(many))


def test_a_free_journey_goes_by_its_steps():
    whole = multiverse_of(3)
    free = replace(whole[2], step_costs=np.zeros(4))
    told = table.stays_open(replace(whole, journeys=(*whole[:2], free)))
    assert told["travelled"].tolist()[-5:] == [0, 0.25, 0.5, 0.75, 1]


@pytest.fixture(scope="module")
def plane():
    """A world of two numbers, a model, and journeys through its records."""
    points = toys.figure_world(200).points

    def model(rows):
        chance = 1 / (1 + np.exp(-18 * (rows.sum(axis=1) - 1.25)))
        return np.column_stack([1 - chance, chance])

    explainer = FACElift(model, n_neighbors=8, n_counterfactuals=3, min_separation=0.1).fit(points)
    return explainer.explain(np.array([0.2, 0.25]), target=1)


def test_a_world_has_the_journeys_the_records_and_the_line_that_decides(plane):
    ax = plot.world(plane, n_points=20)
    found = table.world(plane)
    assert len(table.surface(plane, 20)) == 400
    for name in "ABC":
        way = found[found["way"] == name][["x0", "x1"]].to_numpy()
        assert any(np.array_equal(np.array(line.get_data()).T, way) for line in ax.lines)
    records = plane.question.explainer.graph_.points
    assert any(len(dots.get_offsets()) == len(records) for dots in ax.collections)
    assert {"A", "B", "C", "you"} <= set(words(ax))


def test_the_surface_is_what_the_model_says(plane):
    ground = table.surface(plane, 12)
    said = plane.question.explainer.model(ground.iloc[:, :2].to_numpy())[:, 1]
    np.testing.assert_allclose(ground["chance"], said, atol=1e-9)


def test_a_range_of_numbers_is_drawn_with_its_ends(plane):
    points = plane.question.explainer.graph_.points
    explainer = FACElift(lambda rows: 100 * rows.sum(axis=1), n_neighbors=8, n_counterfactuals=2)
    found = explainer.fit(points).explain(np.array([0.2, 0.25]), target=(130, 160))
    assert list(table.surface(found, 9).columns) == ["x0", "x1", "predicted"]
    for name in ("journeys", "world", "stays_open", "trade_off", "opportunity"):
        assert svg(getattr(plot, name)(found))
    lines = [each for each in plot.world(found).collections if hasattr(each, "levels")]
    assert [130, 160] in [list(each.levels) for each in lines]
    assert "predicted" in words(plot.steps(found[0]))
    assert found[0].outlook(-1) in words(plot.steps(found[0]))


def test_a_world_needs_two_numbers(granted):
    with pytest.raises(InvalidInput, match=r"two numeric columns, this table has 6"):
        plot.world(granted)


def test_a_world_without_a_way_still_shows_its_ground(plane):
    explainer = plane.question.explainer
    names = [feature.name for feature in explainer.terrain_.features]
    nowhere = explainer.under(explainer.terrain_.freeze(*names))
    empty = nowhere.explain(np.array([0.2, 0.25]), target=1)
    assert len(empty) == 0
    ax = plot.world(empty, n_points=10)
    assert str(empty.why_not) in ax.get_title(loc="left")
    assert ax.collections


@cache
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
