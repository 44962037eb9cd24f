"""The effort to expect where steps fall through, against definitions written out."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from facelift.errors import InvalidInput
from facelift.graph.expected_effort import Risk, expected_effort
from facelift.graph.graph import Graph
from facelift.graph.routes import remaining_costs

failures = st.floats(0.0, 0.95)


@st.composite
def worlds(draw, *, acyclic=False):
    """Up to seven vertices, costs by (start, end); the last two vertices are destinations."""
    n = draw(st.integers(3, 7))
    pairs = [(u, v) for u in range(n) for v in range(n) if (u < v if acyclic else u != v)]
    edges = draw(st.dictionaries(st.sampled_from(pairs), st.integers(1, 9).map(float), max_size=14))
    return n, edges


def graph_of(n, edges):
    starts, ends = ([pair[i] for pair in edges] for i in (0, 1))
    costs = sparse.csr_array((list(edges.values()), (starts, ends)), shape=(n, n))
    return Graph(np.zeros((n, 1)), costs)


def values(n, edges, risk):
    return expected_effort(graph_of(n, edges), 0, np.array([n - 2, n - 1]), risk).values


def least_effort(n, edges, risk):
    """By dynamic programming over what failed: no policy costs less, as nothing is met twice."""
    q, wasted, giving_up = risk.failure, risk.wasted, risk.giving_up

    @cache
    def least(vertex, failed):
        if vertex >= n - 2:
            return 0.0
        tries = [
            (1 - q) * (cost + least(v, frozenset()))
            + q * (wasted * cost + least(vertex, failed | {v}))
            for (u, v), cost in edges.items()
            if u == vertex and v not in failed
        ]
        return min([giving_up, *tries])

    return [least(vertex, frozenset()) for vertex in range(n)]


@given(worlds(acyclic=True), failures, st.sampled_from([0.0, 0.5, 1.0]))
def test_no_policy_costs_less_without_cycles(world, failure, wasted):
    risk = Risk(failure, 30.0, wasted)
    assert values(*world, risk) == pytest.approx(least_effort(*world, risk), rel=1e-9)


@given(worlds())
def test_without_failures_it_is_the_remaining_cost(world):
    n, edges = world
    left = remaining_costs(graph_of(n, edges), [np.array([n - 2, n - 1])])[:, 0]
    assert values(n, edges, Risk(0.0, 30.0)) == pytest.approx(np.minimum(left, 30.0))


@given(worlds(), failures, failures)
def test_more_failures_never_cost_less(world, one, other):
    low, high = sorted([one, other])
    assert (values(*world, Risk(low, 30.0)) <= values(*world, Risk(high, 30.0)) + 1e-6).all()


@given(worlds(), failures, st.data())
def test_one_more_option_never_costs_more(world, failure, data):
    n, edges = world
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    extra = {data.draw(pairs): 2.0}
    more, fewer = extra | edges, edges
    risk = Risk(failure, 30.0)
    assert (values(n, more, risk) <= values(n, fewer, risk) + 1e-6).all()


@given(worlds(acyclic=True))
def test_as_failure_nears_one_it_tends_to_agency(world):
    """(D − V)/(1 − q) tends to the sum over steps of what each is worth if it does not fail.

    Where a failed try costs nothing, as κ grows without bound otherwise.
    """
    n, edges = world
    q, giving_up = 1 - 1e-7, 30.0
    found = (giving_up - values(n, edges, Risk(q, giving_up, 0.0))[0]) / (1 - q)
    ends = {(u, v): cost for (u, v), cost in edges.items() if u == 0}
    worth = [giving_up - cost if v >= n - 2 else 0.0 for (_, v), cost in ends.items()]
    near = sum(max(each, 0.0) for each in worth)
    assert found == pytest.approx(near, abs=1e-3)


@given(worlds(), failures)
def test_the_best_first_try_costs_what_is_expected(world, failure):
    n, edges = world
    found = expected_effort(graph_of(n, edges), 0, np.array([n - 2, n - 1]), Risk(failure, 30.0))
    ends, tries = found.steps(0)
    assert len(ends) == sum(u == 0 for u, _ in edges)
    if len(ends):
        assert tries.min() == pytest.approx(found.values[0], rel=1e-6)


@given(worlds(), failures)
def test_the_best_step_always_leads_nearer(world, failure):
    n, edges = world
    found = expected_effort(graph_of(n, edges), 0, np.array([n - 2, n - 1]), Risk(failure, 30.0))
    for vertex in range(n - 2):
        ends, tries = found.steps(vertex)
        if len(ends) and found.values[vertex] < 30.0 * (1 - 1e-9):
            assert found.values[ends[np.argmin(tries)]] < found.values[vertex]


def test_a_journey_without_failures_costs_its_cost():
    edges = {(0, 1): 2.0, (1, 2): 3.0, (0, 3): 9.0}
    found = expected_effort(graph_of(4, edges), 0, np.array([2, 3]), Risk(0.0, 18.0))
    assert found.of(np.array([0, 1, 2]), np.array([2.0, 3.0])) == 5.0


def test_a_journey_where_steps_fail_is_worked_out_by_hand():
    """From 0 to 1 to 2, or to 3 straight: half of the tries fail, and half their cost is lost."""
    edges = {(0, 1): 2.0, (1, 2): 4.0, (0, 3): 8.0}
    found = expected_effort(graph_of(4, edges), 0, np.array([2, 3]), Risk(0.5, 20.0))
    after_first = 0.5 * (8 * 1.5) + 0.5 * 20  # the other step, or giving up
    after_second = 20.0
    first = 0.75 * 2 + 0.5 * after_first
    second = 0.75 * 4 + 0.5 * after_second
    walked = found.of(np.array([0, 1, 2]), np.array([2.0, 4.0]))
    assert walked == pytest.approx(first + 0.5 * second)


@pytest.mark.parametrize("failure", [-0.1, 1.0, math.nan, "often"])
def test_a_failure_that_is_no_share_below_one_is_refused(failure):
    with pytest.raises(InvalidInput, match="failure must be a number, 0 or more, below 1"):
        Risk(failure, 10.0)
