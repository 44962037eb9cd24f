"""What is read of a model answers as the model does; what cannot be read is refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from facelift.models.proving.reading import read
from facelift.models.proving.trees import Unreadable

RNG = np.random.default_rng(0)


def table(n=400, *, gaps=False):
    """Numbers, some of them zero or missing, and two columns of words."""
    numbers = RNG.normal(size=(n, 3)) * [1.0, 100.0, 1e-3]
    numbers[RNG.random(numbers.shape) < 0.1] = 0.0
    if gaps:
        numbers[RNG.random(numbers.shape) < 0.1] = np.nan
    frame = pd.DataFrame(numbers, columns=["a", "b", "c"])
    frame["d"] = pd.Categorical(RNG.choice(["x", "y", "z"], n))
    frame["e"] = pd.Categorical(RNG.choice(["low", "mid", "high"], n), ["low", "mid", "high"], True)
    wanted = frame["a"].fillna(1) + frame["b"].fillna(0) / 100 + (frame["d"] == "x") > 0.3
    return frame, wanted.to_numpy()


words = make_column_selector(dtype_exclude="number")
numbers = make_column_selector(dtype_include="number")


def one_hot():
    scaled = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words), (scaled, numbers)
    )


def ordinal():
    return make_column_transformer((OrdinalEncoder(), words), remainder="passthrough")


SCIKIT = [
    lambda: make_pipeline(ordinal(), DecisionTreeClassifier(random_state=0)),
    lambda: make_pipeline(one_hot(), RandomForestClassifier(20, random_state=0)),
    lambda: make_pipeline(ordinal(), ExtraTreesClassifier(20, random_state=0)),
    lambda: make_pipeline(one_hot(), GradientBoostingClassifier(n_estimators=20)),
    lambda: make_pipeline(
        one_hot(), GradientBoostingClassifier(loss="exponential", init="zero", n_estimators=20)
    ),
    lambda: HistGradientBoostingClassifier(categorical_features="from_dtype"),
    lambda: make_pipeline(one_hot(), HistGradientBoostingClassifier(max_iter=20)),
    lambda: make_pipeline(one_hot(), LogisticRegression()),
    lambda: make_pipeline(one_hot(), SGDClassifier(loss="log_loss", random_state=0)),
]


def reproduces(model, frame, close):
    reading = read(model, frame)
    own = reading.probabilities(reading.inputs(frame))
    answers = model.predict_proba(frame)
    assert np.abs(own - answers).max() <= close
    for columns in ([0], [1]):
        for threshold in (0.5, 0.7):
            score = reading.towards(columns, threshold)
            reached = score.values(reading.inputs(frame)) >= score.least
            chances = answers[:, columns].sum(axis=1)
            sure = np.abs(chances - threshold) > 2 * close + reading.noise
            assert np.array_equal(reached[sure], (chances >= threshold)[sure])
            assert reached[chances >= threshold].all()


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("make", SCIKIT)
def test_scikit_learn_is_read(make, gaps):
    frame, wanted = table(gaps=gaps)
    model = make()
    reproduces(model.fit(frame, wanted), frame, 1e-12)


def test_a_forest_of_three_classes_is_read():
    frame, wanted = table()
    model = make_pipeline(one_hot(), RandomForestClassifier(10, random_state=0))
    model.fit(frame, wanted.astype(int) + (frame["c"] > 0))
    reading = read(model, frame)
    score = reading.towards([0, 2], 0.6)
    chances = model.predict_proba(frame)[:, [0, 2]].sum(axis=1)
    assert np.allclose(score.values(reading.inputs(frame)), chances, atol=1e-12)


@pytest.mark.parametrize("gaps", [False, True])
def test_xgboost_is_read_with_its_32_bits(gaps):
    xgboost = pytest.importorskip("xgboost")
    frame, wanted = table(gaps=gaps)
    model = make_pipeline(one_hot(), xgboost.XGBClassifier(n_estimators=30, n_jobs=1))
    reproduces(model.fit(frame, wanted), frame, 1e-6)
    plain = frame[["a", "b", "c"]].to_numpy()
    booster = xgboost.XGBClassifier(n_estimators=30, n_jobs=1).fit(plain, wanted).get_booster()
    assert read(booster, plain).slope == 1.0


@pytest.mark.parametrize(
    "settings", [{}, {"zero_as_missing": True}, {"use_missing": False}, {"sigmoid": 2.0}], ids=str
)
@pytest.mark.parametrize("gaps", [False, True])
def test_lightgbm_is_read(settings, gaps):
    lightgbm = pytest.importorskip("lightgbm")
    frame, wanted = table(gaps=gaps)
    model = lightgbm.LGBMClassifier(n_estimators=30, n_jobs=1, verbose=-1, **settings)
    reproduces(model.fit(frame, wanted), frame, 1e-12)  # categories by its own splits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it misses names of columns
        coded = make_pipeline(ordinal(), model)
        reproduces(coded.fit(frame, wanted), frame, 1e-12)
        assert read(model.booster_, coded[:-1].transform(frame)).trees is not None


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (make_pipeline(one_hot(), PCA(2), LogisticRegression()), "PCA may mix columns"),
        (make_pipeline(one_hot(), MLPClassifier(max_iter=2)), "MLPClassifier cannot be read"),
        (
            make_pipeline(one_hot(), CalibratedClassifierCV(LogisticRegression())),
            "CalibratedClassifierCV cannot be read",
        ),
        (
            make_pipeline(
                one_hot(), GradientBoostingClassifier(init=DecisionTreeClassifier(max_depth=1))
            ),
            "starts from another model",
        ),
        (DummyClassifier(), "DummyClassifier cannot be read"),
    ],
    ids=["mixed", "network", "calibrated", "started", "dummy"],
)
def test_what_cannot_be_read_is_refused(model, words):
    frame, wanted = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(frame, wanted)
    with pytest.raises(Unreadable, match=words):
        read(model, frame)


def test_three_classes_of_boosting_are_no_one_sum():
    frame, wanted = table()
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=3)
    model.fit(frame, wanted.astype(int) + (frame["c"] > 0))
    with pytest.raises(Unreadable, match="3 classes"):
        read(model, frame)


def test_a_model_that_answers_otherwise_is_refused():
    class Shifted(LogisticRegression):
        def predict_proba(self, X):
            chances = super().predict_proba(X)
            return chances * [0.999, 1.0] + [0.0, 0.001] * chances[:, :1]

    Shifted.__name__, Shifted.__module__ = "LogisticRegression", "sklearn.linear_model"
    frame, wanted = table()
    model = make_pipeline(one_hot(), Shifted()).fit(frame, wanted)
    with pytest.raises(Unreadable, match="answers differently"):
        read(model, frame)
