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
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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


def three_classes():
    frame, wanted = table()
    return frame, wanted.astype(int) + (frame["c"] > 0)


def xgboost_of(kind):
    xgboost = pytest.importorskip("xgboost")
    return make_pipeline(one_hot(), getattr(xgboost, kind)(n_estimators=8, n_jobs=1))


def lightgbm_of(kind):
    lightgbm = pytest.importorskip("lightgbm")
    return getattr(lightgbm, kind)(n_estimators=8, n_jobs=1, verbose=-1)


SEVERAL = {
    "histogram": lambda: HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=8
    ),
    "boosting": lambda: make_pipeline(one_hot(), GradientBoostingClassifier(n_estimators=8)),
    "logistic": lambda: make_pipeline(one_hot(), LogisticRegression()),
    "xgboost": lambda: xgboost_of("XGBClassifier"),
    "lightgbm": lambda: lightgbm_of("LGBMClassifier"),
}


@pytest.mark.parametrize("kind", SEVERAL)
def test_whoever_is_likely_one_of_three_classes_reaches_the_sum_that_is_read(kind):
    frame, outcome = three_classes()
    model = SEVERAL[kind]().fit(frame, outcome)
    reading, chances = read(model, frame), model.predict_proba(frame)
    inputs = reading.inputs(frame)
    assert not reading.is_exact
    assert np.abs(reading.probabilities(inputs) - chances).max() <= 1e-6
    left_out = 0
    for wanted, threshold, row in ((0, 0.5, 0), (1, 0.7, 5), (2, 0.6, 9)):
        score = reading.towards([wanted], threshold, inputs[row])
        reached = score.values(inputs) >= score.least
        assert reached[chances[:, wanted] >= threshold].all()
        left_out += (~reached).sum()
    assert left_out > 100
    with pytest.raises(Unreadable, match="several classes"):
        reading.towards([0, 1], 0.5, inputs[0])


NUMBERS = {
    "tree": lambda: make_pipeline(one_hot(), DecisionTreeRegressor(max_depth=5)),
    "forest": lambda: make_pipeline(one_hot(), RandomForestRegressor(10, random_state=0)),
    "boosting": lambda: make_pipeline(one_hot(), GradientBoostingRegressor(n_estimators=8)),
    "histogram": lambda: HistGradientBoostingRegressor(categorical_features="from_dtype"),
    "line": lambda: make_pipeline(one_hot(), LinearRegression()),
    "ridge": lambda: make_pipeline(one_hot(), Ridge()),
    "xgboost": lambda: xgboost_of("XGBRegressor"),
    "lightgbm": lambda: lightgbm_of("LGBMRegressor"),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_models_of_a_number_are_read(kind):
    frame, _ = table()
    amount = 5e4 + 1e4 * frame["a"] + 30 * frame["b"] + 2e4 * (frame["d"] == "x")
    model = NUMBERS[kind]().fit(frame, amount)
    told = model.predict(frame)
    reading = read(model, frame, ask=lambda rows: model.predict(rows)[:, np.newaxis])
    inputs, middle = reading.inputs(frame), float(np.median(told))
    low, high = int(told.argmin()), int(told.argmax())
    for ends, own, wins in (
        ((middle, None), low, told >= middle),
        ((None, middle), high, told <= middle),
        ((middle, middle + 1e3), high, told <= middle + 1e3),
    ):
        score = reading.within(*ends, inputs[own])
        reached = score.values(inputs) >= score.least
        assert reached[wins].all()
        assert not reached[own]
        assert reached.mean() < 0.9


def test_boosting_for_counts_is_no_sum():
    frame, _ = table()
    model = HistGradientBoostingRegressor(loss="poisson", categorical_features="from_dtype")
    model.fit(frame, frame["b"].abs())
    with pytest.raises(Unreadable, match="no sum"):
        read(model, frame, ask=lambda rows: model.predict(rows)[:, np.newaxis])


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
