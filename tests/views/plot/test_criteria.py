"""Parallel lines of all criteria."""

from __future__ import annotations

import facelift as fl
from facelift.selection import USUAL, named
from facelift.views import plot, table


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
