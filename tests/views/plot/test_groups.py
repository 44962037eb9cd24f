"""An audit's groups with their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.views.plot.drawn import AUDIT, svg, words

from facelift import audit
from facelift.drawing import COLOURS, QUIET
from facelift.errors import InvalidInput
from facelift.views import plot


def test_groups_are_drawn_with_their_intervals():
    ax = plot.fairness(AUDIT, "coverage")
    bars = [line.get_xdata().tolist() for line in ax.lines if len(line.get_xdata()) == 2]
    assert bars == AUDIT[["coverage_low", "coverage_high"]].to_numpy().tolist()
    dots = [line for line in ax.lines if len(line.get_xdata()) == 1]
    assert [dot.get_xdata()[0] for dot in dots] == AUDIT["coverage"].tolist()
    assert [dot.get_color() for dot in dots] == [COLOURS[0], COLOURS[0], QUIET]
    assert ax.get_yticklabels()[0].get_text() == "women\nn = 109"


@pytest.mark.parametrize(
    ("measure", "rows", "verdict"),
    [
        ("coverage", [0, 1], "intervals overlap, not conclusive"),
        ("cost", [0, 1], "some intervals do not overlap"),
        ("cost", [0, 2], "too few people to compare"),
    ],
)
def test_groups_say_what_can_be_concluded(measure, rows, verdict):
    ax = plot.fairness(AUDIT.iloc[rows], measure)
    assert ax.get_title(loc="left").endswith(verdict)


def test_an_audit_can_be_given_as_it_comes(lending, people):
    found = audit(lending.explainer, people, by=["housing", "town"], target="granted")
    ax = plot.fairness(found, "coverage")
    bars = [line.get_xdata().tolist() for line in ax.lines if len(line.get_xdata()) == 2]
    assert bars == found[["coverage_low", "coverage_high"]].to_numpy(dtype=float).tolist()
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == f"{', '.join(found.index[0])}\nn = {found['rejected'].iloc[0]}"
    assert svg(plot.fairness(found, "coverage_matched"))


def test_groups_can_be_the_index_and_undefined():
    audit = AUDIT.set_index("group").assign(cost=np.nan, cost_low=np.nan, cost_high=np.nan)
    ax = plot.fairness(audit, "cost")
    assert ax.get_title(loc="left").endswith("too few people to compare")
    assert svg(ax)


def test_a_measure_that_is_not_there_is_one_clear_line():
    with pytest.raises(InvalidInput, match=r"no column 'luck'; .* \['coverage', 'cost'\]"):
        plot.fairness(AUDIT, "luck")


def test_an_empty_audit_says_so():
    assert "empty" in words(plot.fairness(AUDIT.iloc[:0]))[0]
