"""Steps between records: which records may be destinations, and what other rules change."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import FACElift, Terrain
from facelift.errors import InvalidInput
from facelift.steps import KINDS, steps_of
from facelift.steps.base import Request, Steps

LINE = np.arange(11.0)[:, np.newaxis]


def model(rows):
    return np.hstack([10 - rows, rows]) / 10


@pytest.fixture
def explainer():
    return FACElift(model, n_neighbors=2, n_counterfactuals=3).fit(LINE)


def goal_of(explainer):
    return explainer.oracle_.goal(1, explainer.probabilities_[0], 0.5)


def test_candidates_are_records_with_the_outcome_that_may_be_entered(explainer):
    goal, wanted = goal_of(explainer), Request.of(explainer)
    assert np.flatnonzero(explainer.steps_.candidates(goal, wanted).mask).tolist() == [
        5,
        *range(6, 11),
    ]
    bounded = explainer.under(explainer.terrain_.between("x0", 0, 7))
    mask = bounded.steps_.candidates(goal, wanted).mask
    assert np.flatnonzero(mask).tolist() == [5, 6, 7]
    among = Request.of(explainer, np.arange(11) == 9)
    assert np.flatnonzero(explainer.steps_.candidates(goal, among).mask).tolist() == [9]


def test_a_local_graph_holds_the_case_as_a_record_or_attached(explainer):
    goal, wanted = goal_of(explainer), Request.of(explainer)
    for row, source, n in ((2.0, 2, 11), (2.5, 11, 12)):
        case = explainer.steps_.case(explainer.terrain_.point([row]))
        local = explainer.steps_.local(case, goal, wanted)
        assert (local.source, len(local.graph)) == (source, n)
        assert local.answers(np.array([source]))[0].tolist() == model(np.array([[row]]))[0].tolist()


def test_the_graph_is_built_anew_only_where_edges_may_differ(explainer):
    assert explainer.under(explainer.terrain_, n_counterfactuals=5).graph_ is explainer.graph_
    same = Terrain.infer(LINE)
    assert explainer.under(same, threshold=0.7).graph_ is explainer.graph_
    for changed in (
        explainer.under(explainer.terrain_.price("x0", increase=2.0)),
        explainer.under(explainer.terrain_, n_neighbors=3),
        explainer.under(explainer.terrain_, edge_cost="power"),
    ):
        assert changed.graph_ is not explainer.graph_


def test_known_edges_are_weighed_at_new_prices_without_those_forbidden(explainer):
    origin = explainer.terrain_.point([2.0])
    terrain = explainer.terrain_.price("x0", increase=2.0).increase_only("x0")
    graph = explainer.steps_.reweighed(explainer.graph_, terrain, origin)
    assert graph.edge_cost(2, 3) == pytest.approx(2 * explainer.graph_.edge_cost(2, 3))
    assert 1 not in graph.neighbors(2)[0]


def test_every_kind_is_found_by_its_name():
    for name in KINDS:
        assert issubclass(steps_of(name), Steps)
    for unknown in ("leaps", None, 3):
        with pytest.raises(InvalidInput, match="steps must be 'rows' or 'actions'"):
            steps_of(unknown)
