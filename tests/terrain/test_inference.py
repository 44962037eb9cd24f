"""What each column is taken for, and tables that are refused."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from tests.terrain.tables import MIXED

from facelift.errors import InvalidData
from facelift.terrain import Terrain


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (MIXED.iloc[:0], InvalidData, "empty: 0 rows, 3 columns"),
        (pd.DataFrame(index=[0, 1]), InvalidData, "empty: 2 rows, 0 columns"),
        (
            pd.DataFrame([[1, 2]], columns=["twin", "twin"]),
            InvalidData,
            "Column 'twin' stands in the table twice; rename",
        ),
        (pd.DataFrame({"x": [1, 2], "y": [None, None]}), InvalidData, "'y' holds no value at all"),
        (
            pd.DataFrame({"x": pd.array([None, None], dtype="Int64")}),
            InvalidData,
            "'x' holds no value at all",
        ),
        (pd.DataFrame({"x": [1.0, math.inf]}), InvalidData, "Column 'x' holds an infinite value"),
        (
            pd.DataFrame({"x": ["a", 5]}),
            InvalidData,
            "Column 'x' mixes text with other values such as 5; make it all numbers",
        ),
        (
            pd.DataFrame({"x": pd.Series([b"a", "b"], dtype=object)}),
            InvalidData,
            "such as b'a'",
        ),
        (
            pd.DataFrame({"x": pd.Series([True, "yes"], dtype=object)}),
            InvalidData,
            "'x' mixes text with other values such as True",
        ),
        (
            pd.DataFrame({"since": pd.to_datetime(["2020-01-01"])}),
            InvalidData,
            "Column 'since' has type datetime64.*convert it",
        ),
        (
            pd.DataFrame({"span": pd.to_timedelta([1], unit="D")}),
            InvalidData,
            "Column 'span' has type timedelta64",
        ),
        (pd.DataFrame({"z": [1j]}), InvalidData, "Column 'z' has type complex128"),
        (
            pd.DataFrame({"band": pd.cut([1, 5, 9], [0, 4, 10])}),
            InvalidData,
            "Column 'band' has a level of type Interval.*text",
        ),
        (
            pd.DataFrame({"id": [2**53 + 1, 5]}),
            InvalidData,
            r"Column 'id' holds whole numbers beyond 2\*\*53.*drop it",
        ),
        (
            pd.DataFrame({"id": pd.Series([2**63 + 5, 5], dtype="uint64")}),
            InvalidData,
            r"beyond 2\*\*53",
        ),
    ],
)
def test_a_table_facelift_cannot_walk_through_is_an_error(frame, error, message):
    with pytest.raises(error, match=message):
        Terrain.infer(frame)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), r"2 axes \(rows, columns\), got shape \(3,\)"),
        (np.zeros((2, 3, 4)), r"got shape \(2, 3, 4\)"),
        (np.array([[1, "a"]], dtype=object), "must hold numbers, got type object"),
        (np.array([["a", "b"]]), "must hold numbers, got type <U1; for text"),
        (np.array([[1j]]), "Complex data not supported"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "must hold numbers"),
        (np.zeros((0, 2)), "empty: 0 rows, 2 columns"),
        (np.zeros((2, 0)), "empty: 2 rows, 0 columns"),
        ([[1, 2], [3]], "equally long rows"),
        (np.array([[1.0, math.nan]]), "'x1' holds no value at all"),
        (np.array([[1.0, math.inf]]), "Column 'x1' holds an infinite value"),
        ("table", "pandas or polars DataFrame or a 2-D array, got str"),
        (pd.Series([1, 2]), "got Series"),
        (csr_array(np.eye(2)), r"Sparse tables are not known, got csr_array; give X.toarray\(\)"),
        (None, "got NoneType"),
    ],
)
def test_what_is_no_table_is_an_error(array, message):
    with pytest.raises(InvalidData, match=message):
        Terrain.infer(array)
