"""Models from files: skops and ONNX as they are, pickles on the user's word only."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from facelift import FACElift, cli, load_model
from facelift.errors import InvalidModel, MissingExtra


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
