"""The map of ways."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from tests.views.plot.drawn import multiverse_of, svg, words

from facelift import FACElift
from facelift.drawing.across import LEFT
from facelift.drawing.parts import COLOURS, QUIET
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
