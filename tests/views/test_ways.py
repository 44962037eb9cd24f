"""Ways as lines, curves and a matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from facelift import FACElift
from facelift.multiverse.words import DIPS
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk


def test_the_curve_ends_where_the_way_does(guide):
    shown = document(guide, Walk())
    ways = {way.letter: way for way in shown.ways}
    for curve in shown.curves:
        assert curve.points[-1][0] == pytest.approx(ways[curve.letter].effort, abs=1e-5)
        shares = [share for _, share in curve.points]
        assert shares == sorted(shares, reverse=True)


def test_the_matrix_is_the_multiverses_own(guide):
    matrix = document(guide, Walk()).matrix
    assert matrix.letters == ("A", "B", "C", "D")
    assert np.array(matrix.cells) == pytest.approx(guide.multiverse.opportunity, abs=1e-6)
    assert np.array(matrix.means) == pytest.approx(guide.multiverse.scores, abs=1e-6)


@pytest.mark.parametrize(("second", "told"), [(0.2999, ""), (0.2, DIPS)])
def test_a_way_gets_worse_first_only_if_the_chances_shown_do(second, told):
    def model(rows):
        chances = np.array([0.3, second, 0.35, 0.9])[rows[:, 0].astype(int)]
        return np.column_stack([1 - chances, chances])

    explainer = FACElift(model, n_neighbors=1).fit(np.arange(4.0)[:, np.newaxis])
    (way,) = document(Guide(explainer.explain([0.0])), Walk()).ways
    assert len(way.steps) == 3
    assert way.dips == told


def test_an_outcome_of_all_ways_is_not_told_at_each_end_of_the_narrow_map(guide):
    shown = document(guide, Walk())
    ways = {way.letter: way for way in shown.ways}
    assert shown.upright is not None
    for end in shown.upright.ends:
        assert ways[end.letter].outcome in end.words
        assert end.caption == ways[end.letter].outlook
        assert len(end.texts) <= 4  # what changes, to what, how sure, how much effort


def test_an_outcome_too_long_for_the_ends_of_the_map_is_left_out(guide):
    long = replace(guide, words={"granted": "granted after another look"})
    brief, whole = (next(iter(document(each, Walk()).maps.values())).ends for each in (long, guide))
    assert all("granted" in end.caption for end in whole)
    assert not any("granted" in end.caption for end in brief)
    assert all("granted after another look" in end.words for end in brief)
