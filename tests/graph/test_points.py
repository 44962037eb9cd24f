import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from facelift.graph.points import Lookup, distinct_points

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, n=st.integers(1, 40), m=st.integers(1, 3))
def test_distinct_points_are_in_order_of_first_appearance_with_their_multiplicity(seed, n, m):
    rows = np.random.default_rng(seed).integers(-1, 2, size=(n, m)) * 1.0
    points, place, counts = distinct_points(rows)
    expected = list(dict.fromkeys(map(tuple, rows.tolist())))
    assert list(map(tuple, points.tolist())) == expected
    assert [expected[i] for i in place] == list(map(tuple, rows.tolist()))
    assert counts.tolist() == [list(map(tuple, rows.tolist())).count(row) for row in expected]


def test_minus_zero_is_zero():
    points, place, counts = distinct_points(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, -0.0]]))
    assert len(points) == 2
    assert place.tolist() == [0, 0, 1]
    assert counts.tolist() == [2, 1]


def test_many_points_are_looked_up_at_once(monkeypatch):
    points = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    sought = np.array([[4.0, 5.0], [9.0, 9.0], [-0.0, 1.0]])
    assert Lookup(points).vertices(sought).tolist() == [2, -1, 0]
    monkeypatch.setattr(
        "facelift.graph.points.hashes_of", lambda given: np.zeros(len(given), dtype=np.uint64)
    )  # everything collides
    assert Lookup(points).vertices(sought).tolist() == [2, -1, 0]
