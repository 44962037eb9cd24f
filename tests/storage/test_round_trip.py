"""A saved explainer comes back as it was."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.storage.worlds import (
    array_table,
    pandas_table,
    rising,
    ruled,
)

from facelift import FACElift, Terrain


def polars_table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "income": [float(i) for i in range(21)],
            "debts": [i % 4 for i in range(21)],
            "town": ["Aarau", "Bern", "Chur"] * 7,
            "employed": [i % 3 == 0 for i in range(21)],
            "small": pl.Series([i % 5 for i in range(21)], dtype=pl.Int8),
        }
    )


WORLDS = {
    "pandas": (pandas_table, lambda _: None),
    "pandas with rules": (pandas_table, lambda t: ruled(Terrain.infer(t))),
    "array": (array_table, lambda _: None),
    "float32 array": (lambda: array_table().astype(np.float32), lambda _: None),
    "polars": (polars_table, lambda _: None),
}


def cases(X) -> list[object]:
    if isinstance(X, np.ndarray):
        return [X[2], X[5], [3.25, 1.1, 1.0]]
    if isinstance(X, pl.DataFrame):
        return [X[2], X[5], {**X.row(4, named=True), "income": 3.75}]
    return [X.iloc[[2]], X.iloc[5], {**X.iloc[4].to_dict(), "income": 3.75}]


@pytest.fixture(params=WORLDS)
def world(request):
    make, terrain = WORLDS[request.param]
    X = make()
    explainer = FACElift(rising, terrain(X), n_neighbors=8, n_counterfactuals=4, edge_cost="power")
    return X, explainer.fit(X)


def test_a_loaded_explainer_explains_to_the_same_bytes(world, tmp_path):
    X, explainer = world
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    found = 0
    for case in cases(X):
        expected = explainer.explain(case)
        assert loaded.explain(case).to_json() == expected.to_json()
        found += len(expected)
    assert found >= 4


def test_a_loaded_explainer_has_the_same_fitted_attributes(world, tmp_path):
    _, explainer = world
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert loaded.terrain_ == explainer.terrain_
    assert loaded.graph_.points.tobytes() == explainer.graph_.points.tobytes()
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(
            getattr(loaded.graph_.costs, part), getattr(explainer.graph_.costs, part)
        )
    for name in ("probabilities_", "classes_", "vertices_", "multiplicity_", "feature_names_in_"):
        assert np.array_equal(getattr(loaded, name), getattr(explainer, name)), name
    ours, theirs = loaded.get_params(), explainer.get_params()
    for name in set(theirs) - {"terrain"}:
        assert ours[name] == theirs[name]


def test_the_model_of_a_loaded_explainer_gets_tables_like_those_of_fit(world, tmp_path):
    X, explainer = world
    explainer.save(tmp_path / "saved")
    asked = []

    def witness(table):
        asked.append(table)
        return rising(table)

    FACElift.load(tmp_path / "saved", model=witness).explain(cases(X)[2])
    assert len(asked) == 3  # of all records, of the case, and of where it can get
    for table in asked:
        assert type(table) is type(X)
        if isinstance(X, pd.DataFrame):
            assert table.dtypes.equals(X.dtypes)
        elif isinstance(X, pl.DataFrame):
            assert table.schema == X.schema
        else:
            assert table.dtype == X.dtype


def test_polars_categories_survive(tmp_path):
    table = polars_table().with_columns(
        savings=pl.Series(["low", "mid", "high"] * 7, dtype=pl.Enum(["low", "mid", "high"])),
        kind=pl.Series(["a", "b", "c"] * 7, dtype=pl.Categorical),
    )
    explainer = FACElift(rising, n_neighbors=8).fit(table)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert loaded.explain(table[3]).to_json() == explainer.explain(table[3]).to_json()


def test_german_credit_survives(credit, tmp_path):
    credit.explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=credit.model)
    declined = credit.X[credit.chances() < 0.5].head(8)
    found = loaded.explain_many(declined)
    assert sum(len(one) > 0 for one in found) > 2
    for one, other in zip(found, credit.explainer.explain_many(declined), strict=True):
        assert one.to_json() == other.to_json()


def test_an_explainer_of_actions_survives(tmp_path):
    X = pandas_table()
    terrain = ruled(Terrain.infer(X)).link("debts", "nullable")
    explainer = FACElift(rising, terrain, steps="actions", plausibility=1.0).fit(X)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert loaded.steps == "actions"
    assert loaded.terrain_ == terrain
    for i in (2, 5, 8):
        expected = explainer.explain(X.iloc[[i]])
        assert loaded.explain(X.iloc[[i]]).to_json() == expected.to_json()


def test_labels_keep_their_type(tmp_path):
    class Named:
        classes_ = np.array([False, True])
        predict_proba = staticmethod(rising)

    FACElift(Named(), n_neighbors=4).fit(array_table()).save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=Named())
    assert loaded.classes_.dtype == bool
    assert len(loaded.explain(array_table()[1], True)) > 0


def test_numbers_of_numpy_as_parameters_are_saved_as_numbers(tmp_path):
    explainer = FACElift(rising, n_neighbors=np.int64(4), threshold=np.float32(0.5))
    explainer.fit(array_table()).save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert (loaded.n_neighbors, loaded.threshold) == (4, 0.5)


def test_a_copy_of_the_folder_is_as_good(saved, tmp_path):
    folder, explainer = saved
    shutil.copytree(folder, tmp_path / "copy")
    shutil.rmtree(folder)
    loaded = FACElift.load(tmp_path / "copy", model=rising)
    case = array_table()[1]
    assert loaded.explain(case).to_json() == explainer.explain(case).to_json()
