"""Boosters as they are, as objects and as files, on raw frames with categories and gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tests.cli.calling import run

from facelift import FACElift, Terrain
from facelift.errors import InvalidModel
from facelift.models import answers
from facelift.models.files import load_model
from facelift.models.native import column_names


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, pd.Series]:
    """Raw loans: text, whole numbers, and an income that is missing here and there."""
    draws = np.random.default_rng(0)
    income = draws.integers(5, 60, 600) * 100.0
    X = pd.DataFrame(
        {
            "income": np.where(draws.random(600) < 0.1, np.nan, income),
            "job": draws.choice(["cook", "judge", "none"], 600),
            "debts": draws.integers(0, 5, 600),
        }
    )
    return X, ((X["income"].fillna(0) > 2500) & (X["job"] != "none")).astype(int)


def trained_xgboost(X: pd.DataFrame, y: pd.Series, objective: str = "binary:logistic") -> Any:
    xgboost = pytest.importorskip("xgboost", reason="needs the extra trees")
    data = xgboost.DMatrix(X.assign(job=X["job"].astype("category")), y, enable_categorical=True)
    return xgboost.train({"objective": objective, "nthread": 1}, data, 20)


def trained_lightgbm(X: pd.DataFrame, y: pd.Series, objective: str = "binary") -> Any:
    lightgbm = pytest.importorskip("lightgbm", reason="needs the extra trees")
    data = lightgbm.Dataset(X.assign(job=X["job"].astype("category")), y)
    return lightgbm.train({"objective": objective, "verbose": -1, "num_threads": 1}, data, 20)


def trained_catboost(X: pd.DataFrame, y: pd.Series) -> Any:
    catboost = pytest.importorskip("catboost", reason="needs the extra catboost")
    settings = {"iterations": 20, "verbose": False, "allow_writing_files": False}
    return catboost.CatBoostClassifier(cat_features=["job"], **settings).fit(X, y)


BOOSTERS = {"json": trained_xgboost, "ubj": trained_xgboost, "txt": trained_lightgbm}
BOOSTERS["cbm"] = trained_catboost


@pytest.mark.parametrize("ending", sorted(BOOSTERS))
def test_boosters_explain_raw_frames_as_objects_and_as_files(loans, ending, tmp_path):
    X, y = loans
    booster = BOOSTERS[ending](X, y)
    path = tmp_path / f"model.{ending}"
    booster.save_model(str(path))
    read = load_model(path)
    assert column_names(booster) == column_names(read) == list(X.columns)
    own, again = (answers(model, X, len(X)) for model in (booster, read))
    assert own.shape == (600, 2)
    np.testing.assert_allclose(again, own, atol=1e-6)
    assert ((own[:, 1] > 0.5) == y).mean() > 0.95
    poor = {"income": None, "job": "cook", "debts": 2}
    for steps in ("rows", "actions"):
        explainer = FACElift(read, Terrain.infer(X).freeze("debts"), steps=steps).fit(X)
        multiverse = explainer.explain(poor, target=1)
        assert len(multiverse)
        for journey in multiverse:
            assert answers(booster, journey.rows, len(journey.rows))[-1, 1] > 0.5


def trained_pipeline(X: pd.DataFrame, y: pd.Series) -> Any:
    numbers = make_pipeline(SimpleImputer(strategy="constant", fill_value=0), StandardScaler())
    columns = make_column_transformer((numbers, ["income", "debts"]), (OneHotEncoder(), ["job"]))
    return make_pipeline(columns, LogisticRegression()).fit(X, y)


def saved(folder: Path, ending: str, X: pd.DataFrame, y: pd.Series) -> Path:
    """The file of a model of that ending, trained on a raw frame."""
    path = folder / f"model.{ending}"
    if ending in BOOSTERS:
        BOOSTERS[ending](X, y).save_model(str(path))
    elif ending == "skops":
        pytest.importorskip("skops.io", reason="needs the extra skops").dump(
            trained_pipeline(X, y), path
        )
    else:
        skl2onnx = pytest.importorskip("skl2onnx", reason="makes ONNX files")
        rows = X.astype({"income": np.float32, "debts": np.int64})
        path.write_bytes(skl2onnx.to_onnx(trained_pipeline(rows, y), rows[:1]).SerializeToString())
    return path


@pytest.mark.parametrize("ending", [*sorted(BOOSTERS), "skops", "onnx"])
def test_the_command_explains_a_raw_file_by_a_model_from_a_file(loans, ending, tmp_path):
    X, y = loans
    path = saved(tmp_path, ending, X, y)
    X.to_csv(tmp_path / "loans.csv", index=False)
    row = int(np.flatnonzero(X["income"].isna() & (X["job"] == "cook"))[0])
    asked = ["explain", tmp_path / "loans.csv", "--row", row, "--target", "1", "--model", path]
    result = run(*asked, "--steps", "rows", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["journeys"]
    model = load_model(path)
    for journey in told["journeys"]:
        end = pd.DataFrame([journey["rows"][-1]], columns=X.columns)
        assert answers(model, end.astype({"income": float, "debts": int}), 1)[0, 1] > 0.5


@pytest.mark.parametrize("train", [trained_xgboost, trained_lightgbm])
def test_a_booster_of_numbers_predicts_one(loans, train):
    X, _ = loans
    objective = "reg:squarederror" if train is trained_xgboost else "regression"
    booster = train(X, X["income"].fillna(0) * 2, objective)
    assert answers(booster, X, len(X)).shape == (600, 1)


def test_one_row_has_the_categories_of_all(loans):
    X, y = loans
    for train in (trained_xgboost, trained_lightgbm):
        booster = train(X, y)
        alone = [answers(booster, X[i : i + 1], 1)[0] for i in range(5)]
        np.testing.assert_allclose(alone, answers(booster, X[:5], 5), atol=1e-6)


def test_a_booster_that_keeps_no_categories_says_what_to_give(loans):
    xgboost = pytest.importorskip("xgboost", reason="needs the extra trees")
    X, y = loans
    numbers = X.assign(job=X["job"].astype("category").cat.codes)
    booster = xgboost.train({"objective": "binary:logistic"}, xgboost.DMatrix(numbers, y), 2)
    with pytest.raises(InvalidModel, match="which categories it knows of 'job'"):
        answers(booster, X, len(X))


def test_a_file_that_is_no_booster_is_one_clear_line(tmp_path):
    pytest.importorskip("xgboost", reason="needs the extra trees")
    for ending in ("json", "txt"):
        path = Path(tmp_path, f"model.{ending}")
        path.write_text("{}")
        with pytest.raises(InvalidModel, match="Cannot load a model from"):
            load_model(path)
