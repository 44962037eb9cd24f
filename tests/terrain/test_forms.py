"""The forms that tables, cases and points come in, and what becomes of each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.terrain.small_terrain import FRAME

from facelift.errors import FaceliftError, InvalidInput
from facelift.terrain import Terrain


def test_a_terrain_takes_on_another_kind_of_table_column_by_column():
    X = pd.DataFrame({"age": [20, 40], "job": ["cook", "judge"]})
    given = pl.DataFrame({"job": ["judge", "cook"], "age": [25.5, 40.0]})
    terrain = Terrain.infer(X).increase_only("age").given_as(given)
    assert terrain.decode(terrain.encode(given)).equals(given.select("age", "job"))
    assert terrain.feature("age") == Terrain.infer(X).increase_only("age").feature("age")
    back = terrain.given_as(X)
    assert back.decode(back.encode(X)).equals(X)


def test_a_terrain_of_frames_takes_arrays_by_the_place_of_their_columns():
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40], "debt": [0, 5]}))
    array = np.array([[25.5, 1.0], [40.0, 2.5]])
    taken = terrain.freeze("debt").given_as(array)
    assert taken.decode(taken.encode(array)).tolist() == array.tolist()
    assert taken.point({"age": 20, "debt": 5}).tolist() == [0.0, 1.0]


def test_a_terrain_of_whole_numbers_keeps_them_whole_in_every_frame():
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]}))
    assert terrain.given_as(pd.DataFrame({"age": [20.5, 40.0]})) is terrain


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((2, 3)), "X has 3 features, but Terrain is expecting 2"),
        (pl.DataFrame({"age": [1], "shoes": [43]}), "lacks the column 'debt'"),
    ],
    ids=["array", "polars"],
)
def test_a_terrain_refuses_tables_of_other_columns(given, message):
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40], "debt": [0, 5]}))
    with pytest.raises(FaceliftError, match=message):
        terrain.given_as(given)


@pytest.mark.parametrize(
    "form",
    [
        lambda row: row,
        lambda row: row.iloc[0],
        lambda row: row.iloc[0].to_dict(),
        lambda row: row.iloc[0].tolist(),
        lambda row: row.iloc[0].to_numpy(),
        lambda row: pl.DataFrame(row.to_dict("list")),
    ],
    ids=["frame", "series", "mapping", "list", "array", "polars"],
)
@pytest.mark.parametrize("columns", [["age", "income", "housing"], list(FRAME)])
def test_a_case_is_the_same_point_in_whatever_form_it_comes(columns, form):
    terrain = Terrain.infer(FRAME[columns])
    for i in range(len(FRAME)):
        row = FRAME[columns].iloc[[i]]
        assert terrain.point(form(row)).tolist() == terrain.encode(row)[0].tolist()


@pytest.mark.parametrize("points", [0.5, [0.5], [[0.5], [0.1]], [[0.5, 0.1, 0.2]]])
def test_the_cost_of_what_is_no_point_of_the_terrain_is_an_error(points):
    terrain = Terrain.infer(FRAME[["age", "income"]])
    for move in ((points, [0.0, 0.0]), ([0.0, 0.0], points)):
        with pytest.raises(InvalidInput, match=r"Points must have 2 coordinates.*encode\(\)"):
            terrain.cost(*move)
