"""Which costs are the same, and in which order the others come."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from facelift.geometry import TOLERANCE, tied_ranks

NUDGES = [1.0, 1 + 0.4 * TOLERANCE, 1 - 0.4 * TOLERANCE, 1 + 3 * TOLERANCE]
costs = st.builds(
    lambda cost, nudge: cost * nudge,
    st.sampled_from([0.0, 0.1, 1.0, 1.5, 1e6, np.inf]),
    st.sampled_from(NUDGES),
)


def ranks_one_by_one(row: list[float]) -> list[int]:
    """The definition: from the least on, whatever is clearly more than the one before rises."""
    ranks, rank = [0] * len(row), 0
    order = sorted(range(len(row)), key=row.__getitem__)
    for before, here in pairwise(order):
        rank += row[here] > row[before] * (1 + TOLERANCE)
        ranks[here] = rank
    return ranks


@given(arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=7), elements=costs))
def test_ranks_are_those_of_the_definition_along_the_last_axis(table):
    rows = table.reshape(-1, table.shape[-1])
    expected = np.array([ranks_one_by_one(row.tolist()) for row in rows]).reshape(table.shape)
    found = tied_ranks(table)
    assert found.tolist() == expected.tolist()
    assert np.issubdtype(found.dtype, np.integer)  # they are used as places


@given(st.lists(costs, max_size=7), st.sampled_from([3.0, 0.1, 1e-6]))
def test_multiplying_all_costs_changes_no_rank(row, scale):
    clear = np.array([each for each in row if np.isinf(each) or each in (0.0, 0.1, 1.0, 1.5)])
    assert tied_ranks(clear * scale).tolist() == tied_ranks(clear).tolist()


@pytest.mark.parametrize("n", [0, 1])
def test_few_costs_have_no_order(n):
    assert tied_ranks(np.ones(n)).tolist() == [0] * n


def test_what_differs_by_the_tolerance_alone_is_the_same():
    assert tied_ranks(np.array([1 + TOLERANCE, 1.0])).tolist() == [0, 0]


def test_a_chain_of_equals_is_one_rank_from_end_to_end():
    chain = (1 + 0.9 * TOLERANCE) ** np.arange(5)
    assert chain[-1] > chain[0] * (1 + 3 * TOLERANCE)
    assert tied_ranks(chain[[3, 0, 4, 1, 2]]).tolist() == [0] * 5
