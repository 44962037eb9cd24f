"""Models: functions, classifiers and pipelines, and what they are given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from tests.explainer.worlds import hopeful, line, outsider, upper

from facelift import FACElift, Terrain
from facelift.errors import (
    FaceliftError,
    InvalidModel,
    NotFitted,
)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (lambda x: (x[:, 0] > 0.5).astype(int), "shape (11,)"),
        (lambda x: np.where(x[:, 0] > 0.5, "yes", "no"), "labels"),
        (lambda x: upper(x)[:, 1:], "one class only"),
        (lambda x: upper(x)[:-1], "10 rows of probabilities for 11"),
        (lambda x: upper(x) * 3, "between 0 and 1"),
        (lambda x: np.log(upper(x) + 0.1) - 1, "between 0 and 1"),
        (lambda x: np.where(x > 0.85, np.nan, upper(x)), "NaN for 2 of 11 rows"),
        (lambda x: upper(x)[np.newaxis], "shape (1, 11, 2)"),
        (lambda x: [upper(x), upper(x)], "shape (2, 11, 2)"),
        (lambda _: None, "shape ()"),
        (lambda x: np.linalg.inv(x), "could not answer for 11 rows"),
        (lambda x: x["income"], "could not answer for 11 rows"),
        (lambda _: {}["income"], "could not answer for 11 rows"),
        (lambda x: x.income, "could not answer for 11 rows"),
        (lambda: None, "could not answer for 11 rows"),
        (LogisticRegression(), "not fitted"),
        (LinearSVC(), "CalibratedClassifierCV"),
        (3, "int has no predict_proba"),
        (None, "NoneType has no predict_proba"),
    ],
)
def test_a_model_that_gives_no_probabilities_is_one_clear_error(model, words):
    with pytest.raises(InvalidModel) as caught:
        FACElift(model, n_neighbors=2).fit(line())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value).strip()


def test_a_model_that_raises_keeps_its_own_error_as_the_cause():
    def moody(_points: np.ndarray) -> np.ndarray:
        raise ValueError("not today")

    with pytest.raises(InvalidModel, match="not today") as caught:
        FACElift(moody).fit(line())
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_classifier_fitted_on_one_class_is_no_model():
    from sklearn.dummy import DummyClassifier

    model = DummyClassifier().fit(line(), np.zeros(11))
    with pytest.raises(InvalidModel, match="one class only"):
        FACElift(model).fit(line())


def test_a_model_whose_labels_do_not_match_its_columns_is_an_error():
    class Odd:
        classes_ = ("a", "b", "c")
        predict_proba = staticmethod(upper)

    with pytest.raises(InvalidModel, match="names 3 classes but gives 2"):
        FACElift(Odd()).fit(line())


def test_explaining_before_fitting_says_what_to_do(people, tmp_path):
    explainer = FACElift(upper)
    calls: list[Callable[[], object]] = [
        lambda: explainer.explain(people.iloc[[0]]),
        lambda: explainer.explain_many(people),
        lambda: explainer.save(tmp_path / "x"),
    ]
    for call in calls:
        with pytest.raises(NotFitted, match=r"call fit\(X\) first"):
            call()
    assert not (tmp_path / "x").exists()


class Witness:
    """A model that remembers what it was asked about."""

    def __init__(self, answer):
        self.answer, self.tables = answer, []

    def __call__(self, table):
        self.tables.append(table)
        return self.answer(table)


def test_a_function_of_frames_gets_frames_like_those_of_fit(people, lending):
    witness = Witness(lending.model.predict_proba)
    explainer = FACElift(witness, n_neighbors=4).fit(people)
    found = explainer.explain(outsider())
    n_asked = [len(people.drop_duplicates()), 1, len(found)]  # records, the case, where it gets
    assert [len(table) for table in witness.tables] == n_asked
    for table in witness.tables:
        assert isinstance(table, pd.DataFrame)
        assert table.columns.equals(people.columns)
        assert table.dtypes.equals(people.dtypes)
    first = people.drop_duplicates().reset_index(drop=True)
    pd.testing.assert_frame_equal(witness.tables[0].reset_index(drop=True), first)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, np.bool_])
def test_a_function_of_arrays_gets_arrays_of_the_same_type(dtype):
    rng = np.random.default_rng(1)
    X = (rng.random((20, 3)) * 9).astype(dtype)
    witness = Witness(lambda table: upper(table.astype(float)[:, ::-1] / 9))
    explainer = FACElift(witness, n_neighbors=4, threshold=0.05).fit(X)
    explainer.explain(X[0])
    for table in witness.tables:
        assert type(table) is np.ndarray
        assert table.dtype == dtype
        assert table.shape[1] == 3
    assert np.array_equal(witness.tables[0][explainer.vertices_], X)


def test_a_function_of_polars_frames_gets_polars_frames():
    table = pl.DataFrame(
        {
            "income": [float(i) for i in range(20)],
            "debts": [i % 3 for i in range(20)],
            "town": ["Aarau", "Bern"] * 10,
            "work": [True, False, False, True] * 5,
            "savings": pl.Series(["low", "high"] * 10, dtype=pl.Enum(["low", "high"])),
        }
    )
    witness = Witness(lambda frame: upper(frame["income"].to_numpy()[:, np.newaxis] / 19))
    explainer = FACElift(witness, n_neighbors=4).fit(table)
    multiverse = explainer.explain(table[3])
    explainer.explain({**table.row(3, named=True), "income": 2.5})
    assert len(multiverse) > 0
    assert len(witness.tables) == 4  # records, ends, the new case, and its ends
    for asked in witness.tables:
        assert isinstance(asked, pl.DataFrame)
        assert asked.schema == table.schema
    assert witness.tables[0].equals(table)
    assert isinstance(multiverse[0].rows, pd.DataFrame)


def test_what_fit_got_decides_what_the_model_gets_even_with_a_terrain_of_another_kind():
    frame = pd.DataFrame(line(), columns=["x0"])
    witness = Witness(upper)
    FACElift(witness, Terrain.infer(frame), n_neighbors=2).fit(line())
    assert type(witness.tables[0]) is np.ndarray


def test_a_pipeline_with_a_column_transformer_is_a_model(people, lending):
    others = ["savings", "housing", "town", "employed"]
    columns = make_column_transformer(
        (StandardScaler(), ["income", "debts"]), (OneHotEncoder(), others)
    )
    labels = np.where(lending.chances() >= 0.5, "granted", "declined")
    pipeline = make_pipeline(columns, LogisticRegression()).fit(people, labels)
    explainer = FACElift(pipeline, n_neighbors=16, n_counterfactuals=4).fit(people)
    row = people.iloc[[hopeful(lending)[0]]]
    for multiverse in (explainer.explain(row), explainer.explain(outsider())):
        assert len(multiverse) == 4
        for journey in multiverse:
            assert journey.probabilities == pytest.approx(pipeline.predict_proba(journey.rows))
            assert pipeline.predict(journey.rows)[-1] == "granted"


def test_gradient_boosting_on_categories_is_a_model(people, lending):
    X = people.astype({"town": "category"})
    model = HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=8, max_leaf_nodes=8, random_state=0
    ).fit(X, lending.chances() >= 0.5)
    explainer = FACElift(model, n_neighbors=16, n_counterfactuals=4).fit(X)
    assert explainer.classes_.tolist() == [False, True]
    for case in (X.iloc[[hopeful(lending)[0]]], outsider()):
        multiverse = explainer.explain(case, True)
        assert len(multiverse) == 4
        for journey in multiverse:
            assert journey.probabilities == pytest.approx(model.predict_proba(journey.rows))
            assert journey.chances[-1] >= 0.5


def test_a_clone_of_an_explainer_keeps_its_fitted_classifier(iris):
    X, _, explainer = iris
    twin = clone(explainer).fit(X)
    row, target = X.iloc[[0]], "virginica"
    assert twin.explain(row, target).to_json() == explainer.explain(row, target).to_json()


def test_every_error_is_a_facelift_error_and_a_builtin_one(lending):
    with pytest.raises(FaceliftError) as caught:
        lending.explainer.explain({"income": 3})
    assert isinstance(caught.value, KeyError)
    assert not str(caught.value).startswith("'")
