"""The shortcut: the same answers as the whole pipeline, or none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from facelift import FACElift, Terrain
from facelift.errors import InvalidModel
from facelift.models import shortcut
from facelift.models.shortcut import Boosted, Shortcut, quicker


@pytest.fixture(scope="module")
def table():
    """Numbers with and without gaps, categories, ranks and truth values."""
    rng = np.random.default_rng(0)
    n = 300
    size = pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.normal(2000, 700, n).round(2)),
            "city": rng.choice(["Ulm", "Bonn", "Kiel", "rare"], n, p=[0.5, 0.3, 0.19, 0.01]),
            "size": size,
            "owns": rng.random(n) < 0.5,
        }
    )


@pytest.fixture(scope="module")
def labels(table):
    return (table["age"] > 40) ^ (table["city"] == "Ulm")


def whole(terrain: Terrain, model: Pipeline, points: np.ndarray) -> np.ndarray:
    ask = getattr(model, "predict_proba", model.predict)
    return ask(terrain.decode(points)).reshape(len(points), -1)


def others(terrain: Terrain, table: pd.DataFrame, seed: int = 7) -> np.ndarray:
    """Points between and beyond the records, whose columns were shuffled one by one."""
    rng = np.random.default_rng(seed)
    mixed = table.apply(lambda column: column.sample(frac=1, random_state=rng).array)
    mixed["age"] += rng.integers(0, 9, len(table))
    mixed["income"] *= rng.choice([1.0, 1.5], len(table))
    return np.asarray(terrain.encode(mixed))


def filled(*then):
    return make_pipeline(SimpleImputer(add_indicator=True), *then)


NUMBERS, LEVELS = ["age", "income"], ["city", "size", "owns"]
FIRST = {
    "one-hot, dense": make_column_transformer(
        (filled(StandardScaler()), NUMBERS), (OneHotEncoder(sparse_output=False), LEVELS)
    ),
    "one-hot, sparse": make_column_transformer(
        (filled(MinMaxScaler()), NUMBERS), (OneHotEncoder(), LEVELS), sparse_threshold=1.0
    ),
    "ranks, the rest as it is": make_column_transformer(
        (OrdinalEncoder(), LEVELS), (SimpleImputer(), ["income"]), remainder="passthrough"
    ),
    "bins, a column twice, one dropped": make_column_transformer(
        (filled(KBinsDiscretizer(5, encode="onehot-dense", strategy="uniform")), NUMBERS),
        (StandardScaler(), ["age"]),
        ("drop", LEVELS),
    ),
    "frames": make_column_transformer(
        (filled(StandardScaler()), NUMBERS), (OrdinalEncoder(), LEVELS)
    ).set_output(transform="pandas"),
}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
@pytest.mark.parametrize(
    "last",
    [
        LogisticRegression(max_iter=500),
        HistGradientBoostingClassifier(max_iter=5),
        MLPClassifier((5,), max_iter=5),
        LinearRegression(),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_answers_are_those_of_the_whole_pipeline(table, labels, first, last):
    if isinstance(last, HistGradientBoostingClassifier) and first is FIRST["one-hot, sparse"]:
        pytest.skip("takes no sparse arrays")
    model = make_pipeline(first, last).fit(table, labels)
    terrain = Terrain.infer(table)
    quick = Shortcut(model, terrain, np.asarray(terrain.encode(table)))
    for seed in range(3):
        points = others(terrain, table, seed)
        found = quick.answers(points)
        assert found is not None
        assert found == pytest.approx(whole(terrain, model, points), abs=1e-12)


def test_the_first_steps_see_each_value_once(table, labels):
    seen = []
    encoder = OneHotEncoder(handle_unknown="ignore")
    first = make_column_transformer((encoder, LEVELS), (filled(StandardScaler()), NUMBERS))
    model = make_pipeline(first, LogisticRegression(max_iter=500)).fit(table, labels)
    terrain = Terrain.infer(table)
    points = others(terrain, table)
    quick = Shortcut(model, terrain, np.asarray(terrain.encode(table)))
    before = quick.answers(points)
    transform = first.transform
    model.steps[0][1].transform = lambda rows: seen.append(len(rows)) or transform(rows)
    again = quick.answers(points[::-1])
    assert not seen
    assert before is not None
    assert np.array_equal(again[::-1], before)


def test_numbers_for_an_estimator_alone_need_no_frame(table, labels):
    numbers = table[["age", "income"]]
    model = HistGradientBoostingClassifier(max_iter=5).fit(numbers, labels)
    terrain = Terrain.infer(numbers)
    records = np.asarray(terrain.encode(numbers))
    points = np.column_stack([records[::-1, :1], records[:, 1:]])
    found = Shortcut(model, terrain, records).answers(points)
    assert np.array_equal(found, whole(terrain, model, points))


def mixing(X: pd.DataFrame) -> np.ndarray:
    return np.column_stack([X["age"] * X["income"].fillna(0), X["age"]])


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(FunctionTransformer(mixing), LogisticRegression()),
        make_pipeline(
            make_column_transformer((filled(), ["age", "income"])),
            PolynomialFeatures(),
            StandardScaler(),
            LogisticRegression(max_iter=500),
        ),
    ],
    ids=["own function", "products"],
)
def test_columns_that_are_mixed_go_to_the_whole_pipeline(table, labels, model):
    terrain = Terrain.infer(table)
    model.fit(table, labels)
    assert (
        Shortcut(model, terrain, np.asarray(terrain.encode(table))).answers(others(terrain, table))
        is None
    )


def test_a_function_is_asked_as_it_is(table):
    terrain = Terrain.infer(table)
    points = np.asarray(terrain.encode(table))
    assert Shortcut(lambda rows: np.ones((len(rows), 2)), terrain, points).answers(points) is None


class Mixed(OneHotEncoder):
    """Says it is scikit-learn's own, yet looks at a second column where the first one is rare."""

    def transform(self, X):
        found = super().transform(X).toarray()
        odd = (X["city"] == "Kiel").to_numpy() & X["owns"].to_numpy()
        found[odd] = found[odd][:, ::-1]
        return found


def test_a_transformer_that_only_claims_to_go_column_by_column_is_found_out(
    table, labels, monkeypatch
):
    monkeypatch.setattr(Mixed, "__module__", "sklearn.preprocessing")
    Mixed.__name__ = "OneHotEncoder"
    model = make_pipeline(
        make_column_transformer((Mixed(), ["city", "owns"])), LogisticRegression()
    ).fit(table, labels)
    terrain = Terrain.infer(table)
    points = np.asarray(terrain.encode(table))
    assert Shortcut(model, terrain, points).answers(points) is None


def test_more_values_than_are_kept_change_no_answer(table, labels, monkeypatch):
    model = make_pipeline(FIRST["one-hot, dense"], LogisticRegression()).fit(table, labels)
    terrain = Terrain.infer(table)
    quick = Shortcut(model, terrain, np.asarray(terrain.encode(table)))
    quick.answers(others(terrain, table))
    monkeypatch.setattr(shortcut, "MOST_VALUES", 60)
    for seed in range(12):
        points = others(terrain, table, seed)[20 * seed : 20 * seed + 20]
        assert quick.answers(points) == pytest.approx(whole(terrain, model, points), abs=1e-12)
    monkeypatch.setattr(shortcut, "MOST_VALUES", 3)
    assert quick.answers(others(terrain, table, 99)) is None


def test_a_case_is_asked_about_with_its_own_digits():
    line = np.arange(21.0)[:, np.newaxis]
    edge = 7.000000000000002
    labels = np.arange(21) >= 7
    model = make_pipeline(MinMaxScaler(), LogisticRegression(C=1e9)).fit(line, labels)
    terrain = Terrain.infer(line)
    quick = Shortcut(model, terrain, np.asarray(terrain.encode(line)))
    point, own = terrain.case([edge])
    points = np.array([point, [0.1]])
    quick.answers(points)
    assert np.array_equal(quick.under(own).answers(points), whole(own, model, points))
    assert quick.under(terrain) is quick


def test_a_pipeline_fitted_anew_is_noticed(table):
    numbers = table[["age"]]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, table["age"] > 40)
    explainer = FACElift(model, steps="actions").fit(numbers)
    case = numbers[numbers["age"] < 35].iloc[[0]]
    assert len(explainer.explain(case))
    model.fit(numbers + 20, table["age"] > 40)
    with pytest.raises(InvalidModel, match="answers differently"):
        explainer.explain(case)


def rows_with_gaps(n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, 4)).round(1)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    return rows


@pytest.fixture(scope="module")
def model() -> HistGradientBoostingClassifier:
    rows = rows_with_gaps(500)
    return HistGradientBoostingClassifier(max_iter=20).fit(rows, np.nansum(rows, axis=1) > 0)


def test_answers_have_the_same_bits_also_where_values_are_missing(model):
    rows = rows_with_gaps(300)
    assert np.array_equal(Boosted(model).predict_proba(rows), model.predict_proba(rows))


def test_other_models_and_splits_by_category_are_left_as_they_are(model):
    rows = np.nan_to_num(rows_with_gaps(200))
    wanted = rows[:, 0] > 0
    categories = HistGradientBoostingClassifier(max_iter=2, categorical_features=[0])
    several = HistGradientBoostingClassifier(max_iter=2).fit(rows, np.arange(200) % 3)
    for other in (
        LogisticRegression().fit(rows, wanted),
        categories.fit(np.column_stack([wanted, rows[:, 1:]]), wanted),
        several,
    ):
        assert quicker(other) is other
    assert isinstance(quicker(model), Boosted)


def test_a_shortcut_in_a_large_table_takes_it(model, monkeypatch):
    rows = np.nan_to_num(rows_with_gaps(200))
    terrain = Terrain.infer(rows)
    points = np.asarray(terrain.encode(rows))
    monkeypatch.setattr(shortcut, "LARGE", 10)
    found = Shortcut(model, terrain, points)
    assert np.array_equal(found.answers(points), model.predict_proba(rows))
    assert isinstance(found._known.last, Boosted)
