"""Models from files: skops and ONNX as they are, pickles on the user's word only."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.cli.calling import run

from facelift import FACElift, Terrain, cli
from facelift.errors import InvalidModel, MissingExtra
from facelift.models import answers
from facelift.models.files import column_names, load_model


def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    town = rng.choice(["Aarau", "Bern"], 120)
    return pd.DataFrame(
        {"income": rng.integers(10, 60, 120), "debts": rng.integers(0, 5, 120), "town": town}
    )


X = table()
NUMBERS = X[["income", "debts"]].astype(np.float32)
Y = np.where(X["income"] - 6 * X["debts"] > 22, "good", "bad")


def pipeline() -> Any:
    columns = make_column_transformer(
        (StandardScaler(), ["income", "debts"]), (OneHotEncoder(), ["town"])
    )
    return make_pipeline(columns, LogisticRegression()).fit(X, Y)


def skops_file(path: Path, model: Any) -> Path:
    from skops.io import dump  # imports every estimator of scikit-learn

    dump(model, path)
    return path


def onnx_file(path: Path, model: Any, rows: Any, **options: Any) -> Path:
    from skl2onnx import to_onnx

    path.write_bytes(to_onnx(model, rows, **options).SerializeToString())
    return path


def test_a_skops_file_is_the_model(tmp_path):
    model = pipeline()
    skops_file(tmp_path / "model.skops", model)
    loaded = load_model(tmp_path / "model.skops")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.classes_.tolist() == ["bad", "good"]


def test_types_that_skops_does_not_trust_are_named_and_can_be_trusted(tmp_path):
    tree = DecisionTreeClassifier(max_depth=2).fit(NUMBERS, Y)
    skops_file(tmp_path / "tree.skops", tree)
    kind = "sklearn.tree._tree.Tree"
    with pytest.raises(InvalidModel, match=rf"does not trust: {kind}; .*--trust-type"):
        load_model(tmp_path / "tree.skops")
    loaded = load_model(tmp_path / "tree.skops", trusted=[kind])
    assert np.array_equal(loaded.predict_proba(NUMBERS), tree.predict_proba(NUMBERS))


def test_an_onnx_file_with_one_input_is_asked_about_the_whole_table(tmp_path):
    model = LogisticRegression().fit(NUMBERS, Y)
    loaded = load_model(onnx_file(tmp_path / "model.onnx", model, NUMBERS.to_numpy()[:1]))
    expected = model.predict_proba(NUMBERS)
    assert loaded.predict_proba(NUMBERS) == pytest.approx(expected, abs=1e-5)
    assert loaded.predict_proba(NUMBERS.to_numpy()) == pytest.approx(expected, abs=1e-5)
    assert loaded.classes_.tolist() == ["bad", "good"]


def test_an_onnx_file_with_an_input_per_column_is_asked_by_their_names(tmp_path):
    model = pipeline()
    loaded = load_model(onnx_file(tmp_path / "model.onnx", model, X[:1]))
    assert loaded.feature_names_in_.tolist() == ["income", "debts", "town"]
    assert loaded.predict_proba(X) == pytest.approx(model.predict_proba(X), abs=1e-5)
    with pytest.raises(InvalidModel, match="needs a column 'town'"):
        FACElift(loaded).fit(X[["income", "debts"]])


def test_an_onnx_file_that_does_not_name_its_classes_has_them_numbered(tmp_path):
    model = LogisticRegression().fit(NUMBERS, Y)
    plain = {"options": {"zipmap": False}}
    file = onnx_file(tmp_path / "model.onnx", model, NUMBERS.to_numpy()[:1], **plain)
    explainer = FACElift(load_model(file), n_neighbors=5).fit(NUMBERS)
    assert explainer.classes_.tolist() == [0, 1]
    assert len(explainer.explain(NUMBERS.iloc[[int(np.argmax(Y == "bad"))]], target=1)) > 0


def test_a_model_from_a_file_explains_what_the_model_itself_does(tmp_path):
    model = pipeline()
    skops_file(tmp_path / "model.skops", model)
    case = X.iloc[[int(np.argmax(Y == "bad"))]]
    own, loaded = (
        FACElift(each, n_neighbors=5).fit(X).explain(case).to_json()
        for each in (model, load_model(tmp_path / "model.skops"))
    )
    assert own == loaded


class Harmful:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


@pytest.mark.parametrize(
    "name", ["model.joblib", "model.pkl", "model", "model.skops", "model.onnx"]
)
def test_no_file_runs_code_unless_pickles_are_trusted(tmp_path, name):
    trace = tmp_path / "trace"
    (tmp_path / name).write_bytes(pickle.dumps(Harmful(trace)))
    with pytest.raises(InvalidModel):
        load_model(tmp_path / name)
    assert not trace.exists()


def test_a_pickle_is_loaded_on_the_users_word(tmp_path):
    joblib.dump(LogisticRegression().fit(NUMBERS, Y), tmp_path / "model.joblib")
    with pytest.raises(InvalidModel, match="can run any code; add --trust-pickle"):
        load_model(tmp_path / "model.joblib")
    loaded = load_model(tmp_path / "model.joblib", trust_pickle=True)
    assert loaded.classes_.tolist() == ["bad", "good"]


@pytest.mark.parametrize("name", ["a.skops", "a.onnx", "a.joblib"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"nothing of the kind", None])
def test_a_file_that_is_no_model_is_one_clear_line(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidModel, match=rf"Cannot load a model from .*{name}: .") as raised:
        load_model(tmp_path / name, trust_pickle=True)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("package", "extra"), [("skops.io", "skops"), ("onnxruntime", "onnx")])
def test_a_missing_extra_is_answered_with_what_installs_it(monkeypatch, package, extra):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingExtra, match=rf'pip install "facelift-multiverse\[{extra}\]"'):
        load_model(f"model.{extra}")


def test_the_command_takes_skops_files_and_types_to_trust(tmp_path):
    from click.testing import CliRunner

    X.to_csv(tmp_path / "loans.csv", index=False)
    tree = DecisionTreeClassifier(max_depth=3).fit(NUMBERS, Y)
    skops_file(tmp_path / "tree.skops", tree)
    row = int(np.argmax(tree.predict(NUMBERS) == "bad"))
    asked = ["explain", str(tmp_path / "loans.csv"), "--model", str(tmp_path / "tree.skops")]
    asked += ["--row", str(row)]
    refused = CliRunner().invoke(cli.commands, asked)
    assert refused.exit_code == 4
    assert "--trust-type" in refused.stderr
    trusted = CliRunner().invoke(cli.commands, [*asked, "--trust-type", "sklearn.tree._tree.Tree"])
    assert trusted.exit_code == 0, trusted.stderr
    assert "Recommended" in trusted.stdout


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
