"""Cases: a point or what is wrong for each, and whether they are where they may be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from facelift import Terrain
from facelift.errors import InvalidData
from facelift.steps.base import check_case, points_or_faults

FRAME = pd.DataFrame({"age": [20, 40, 60], "debt": [0.0, 5.0, 9.0], "job": ["a", "b", "a"]})
TERRAIN = Terrain.infer(FRAME).between("age", 30, 70)


def test_a_table_without_faults_has_a_point_for_each_row():
    assert np.array_equal(points_or_faults(TERRAIN, FRAME), TERRAIN.encode(FRAME))
    assert points_or_faults(TERRAIN, FRAME[:0]) == []


def test_a_row_with_a_fault_leaves_all_others_their_points():
    rows = pd.concat([FRAME, FRAME]).assign(job=["a", "x", "b", "b", "y", "a"])
    found = points_or_faults(TERRAIN, rows)
    good = [0, 2, 3, 5]
    assert np.array_equal([found[i] for i in good], TERRAIN.encode(rows.iloc[good]))
    for i, level in {1: "x", 4: "y"}.items():
        assert isinstance(found[i], InvalidData)
        assert f"{level!r}" in str(found[i])


def test_a_single_row_has_a_point_or_a_fault_of_its_own():
    (point,) = points_or_faults(TERRAIN, FRAME.iloc[[1]])
    assert np.array_equal(point, TERRAIN.point(FRAME.iloc[[1]]))
    (fault,) = points_or_faults(TERRAIN, FRAME.iloc[[1]].assign(job="x"))
    assert isinstance(fault, InvalidData)


def test_a_case_outside_the_bounds_is_told_which():
    for i in (1, 2):
        check_case(TERRAIN, TERRAIN.point(FRAME.iloc[[i]]))
    with pytest.raises(InvalidData, match=r"outside the bounds of 'age', 30 to 70; widen"):
        check_case(TERRAIN, TERRAIN.point(FRAME.iloc[[0]]))
    low = TERRAIN.between("debt", 0, 7)
    with pytest.raises(InvalidData, match=r"outside the bounds of 'debt', 0 to 7; widen"):
        check_case(low, low.point(FRAME.iloc[[2]]))


def test_a_case_that_breaks_a_requirement_is_told_so():
    terrain = TERRAIN.require("debt <= age / 8")
    check_case(terrain, terrain.point(FRAME.iloc[[1]]))
    with pytest.raises(InvalidData, match=r"breaks a requirement: \['debt <= age / 8'\]"):
        check_case(terrain, terrain.point(FRAME.iloc[[2]]))
