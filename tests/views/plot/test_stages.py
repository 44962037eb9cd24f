"""The steps of a journey, and its waypoints as pictures."""

from __future__ import annotations

import numpy as np
import pytest
from tests.views.plot.drawn import multiverse_of, words

from facelift import FACElift
from facelift.errors import InvalidInput
from facelift.multiverse.words import PIPS, steps_in_words
from facelift.views import plot, table


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
