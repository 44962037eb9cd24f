"""Opportunity, what stays open, and the trade-off."""

from __future__ import annotations

import numpy as np
import pytest
from tests.views.plot.drawn import multiverse_of, words

import facelift as fl
from facelift import FACElift
from facelift.choosing import USUAL, named
from facelift.errors import InvalidInput
from facelift.multiverse.words import PIPS, steps_in_words
from facelift.views import plot, table


def test_the_heat_map_shows_the_matrix_without_its_diagonal(granted):
    drawn = plot.opportunity(granted).images[0].get_array().filled(np.nan)
    off = ~np.eye(len(granted), dtype=bool)
    np.testing.assert_array_equal(drawn[off], granted.opportunity[off])
    assert np.isnan(np.diag(drawn)).all()


def test_the_curves_are_those_of_agency(granted):
    lines = {line.get_label(): line for line in plot.stays_open(granted).lines}
    for name, journey in zip("ABCD", granted, strict=True):
        x, y = lines[name].get_data()
        np.testing.assert_allclose(x[1:], np.cumsum(journey.step_costs) / journey.cost)
        np.testing.assert_array_equal(y, journey.open_share)
        assert lines[name].get_drawstyle() == "steps-pre"


def test_points_of_no_return_are_crossed():
    lines = plot.stays_open(multiverse_of(3)).lines
    crosses = [x for line in lines if line.get_marker() == "x" for x in line.get_xdata().tolist()]
    found = table.stays_open(multiverse_of(3))
    lost = found[found.groupby("way")["in_reach"].diff() < 0]
    assert crosses == lost["travelled"].tolist()
    assert len(lost) == 5


def test_the_trade_off_is_drawn_where_it_is(granted):
    ax = plot.trade_off(granted)
    places = [tuple(dots.get_offsets()[0]) for dots in ax.collections]
    assert places == list(zip(granted.costs, granted.scores, strict=True))
    assert [line.get_label() for line in ax.lines] == ["front"]
    told = table.trade_off(granted)
    assert len(ax.lines[0].get_xdata()) == told["front"].sum()


def test_every_way_has_a_line_over_all_criteria_and_beaten_ones_are_dashed(granted):
    ax = plot.criteria(granted)
    assert [label.get_text() for label in ax.get_xticklabels()] == list(named(USUAL))
    ways = [line for line in ax.lines if len(line.get_xdata()) == len(USUAL)]
    assert len(ways) == len(granted)
    solid = [line.get_linestyle() == "-" for line in ways]
    assert solid == table.criteria(granted)["front"].tolist()


def test_the_best_way_is_on_top(granted):
    ax = plot.criteria(granted, [fl.proximity, fl.opportunity])
    ways = [line for line in ax.lines if line.get_marker() not in ("None", "")]
    heights = [float(line.get_ydata()[0]) for line in ways]
    assert heights.index(max(heights)) == 0  # the cheapest comes first


def test_steps_show_every_change_once(granted):
    journey = granted[0]
    changed = journey.to_frame()
    shown = words(plot.steps(journey))
    bold = [t.get_text() for t in plot.steps(journey).texts if t.get_fontweight() == "bold"]
    values = [each for each in bold if each not in PIPS.values() and len(each) > 1]
    assert len(values) + sum(len(each) == 1 and each.isdigit() for each in bold) == len(changed)
    pips = "".join(step.pips for step in steps_in_words(journey))
    assert shown.count(PIPS["nearer"]) == pips.count(PIPS["nearer"])


def test_many_changes_are_counted():
    points = np.vstack([np.zeros(30), np.ones(30)])
    model = lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]])  # noqa: E731
    multiverse = FACElift(model, n_neighbors=1, n_counterfactuals=1).fit(points).explain(points[0])
    assert "… and 10 more" in words(plot.steps(multiverse[0]))


def test_pictures_show_waypoints_and_what_changed():
    journey = multiverse_of(3)[2]
    images = plot.pictures(journey, (1, 2)).images
    inks = table.pictures(journey, (1, 2))
    shown = [image.get_array() for image in images if image.get_array().ndim == 2]
    np.testing.assert_array_equal(np.array(shown), inks)
    changes = [image.get_array() for image in images if image.get_array().ndim == 3]
    assert len(changes) == journey.n_steps


def test_pictures_of_another_shape_are_an_error():
    with pytest.raises(InvalidInput, match="9 pixels, the table has 2 columns"):
        plot.pictures(multiverse_of(3)[0], (3, 3))
