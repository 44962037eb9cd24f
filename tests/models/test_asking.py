"""Models as facelift sees them: probabilities come through unchanged, anything else is an error."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import Pipeline

from facelift import datasets
from facelift.errors import FaceliftError, InvalidData, InvalidModel
from facelift.models import class_labels, probabilities, small_classifier


def answering(answer):
    return lambda _table: answer


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 9), st.integers(2, 5)),
        elements=st.floats(0, 1),
    )
)
def test_probabilities_come_through_unchanged(given_answer):
    n_rows = len(given_answer)
    assert probabilities(answering(given_answer), None, n_rows).tobytes() == given_answer.tobytes()


@pytest.mark.parametrize(
    "wrap",
    [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame, np.float32, np.asfortranarray],
    ids=["array", "lists", "pandas", "polars", "float32", "Fortran order"],
)
def test_every_container_of_probabilities_will_do(wrap):
    answer = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])
    found = probabilities(answering(wrap(answer)), None, 3)
    assert found.dtype == np.float64
    assert found.tolist() == answer.tolist()


def test_a_model_may_use_its_array_again():
    buffer = np.array([[0.25, 0.75]])
    found = probabilities(answering(buffer), None, 1)
    buffer[:] = 0.5
    assert found.tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.ma.masked_array([[0.5, 0.5]], mask=[[True, False]]), "masked"),
        (np.array([[0.5 + 1j, 0.5]]), "complex"),
    ],
)
def test_masked_and_complex_answers_are_refused_by_name(answer, words):
    with pytest.raises(InvalidModel, match=words):
        probabilities(answering(answer), None, 1)


def test_classes_that_read_alike_are_refused():
    model = SimpleNamespace(classes_=np.array([1, "1"], dtype=object))
    with pytest.raises(InvalidModel, match="read alike"):
        class_labels(model, 2)


def test_whole_numbers_zero_and_one_are_probabilities():
    assert probabilities(answering([[0, 1], [1, 0]]), None, 2).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    decided = np.array([[False, True]])
    assert probabilities(answering(decided), None, 1).tolist() == [[0.0, 1.0]]


def test_the_table_reaches_the_model_as_it_is():
    table, asked = object(), []
    probabilities(lambda given: asked.append(given) or [[0.5, 0.5]], table, 1)
    assert asked[0] is table
    assert len(asked) == 1


def test_predict_proba_is_asked_before_the_model_is_called():
    class Both:
        def __call__(self, _table):
            raise AssertionError("called")

        def predict_proba(self, _table):
            return [[0.1, 0.9]]

    assert probabilities(Both(), None, 1).tolist() == [[0.1, 0.9]]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([0, 1, 1], "shape (3,)"),
        ([0.2, 0.4, 0.9], "np.column_stack([1 - p, p])"),
        (["good", "bad", "good"], "labels"),
        ([["good"], ["bad"], ["good"]], "labels"),
        ([{}, {}, {}], "labels"),
        ([[0.5, 0.5], [0.5]], "list"),
        ([[0.5, 0.5]] * 2, "2 rows of probabilities for 3"),
        ([[0.5, 0.5]] * 4, "4 rows of probabilities for 3"),
        ([[1.0]] * 3, "one class only"),
        (np.empty((3, 0)), "one class only"),
        ([[0.5, 0.5], [np.nan, 0.5], [0.5, np.nan]], "NaN for 2 of 3 rows"),
        ([[0.5, 0.5], [0.5, None], [0.5, 0.5]], "NaN for 1 of 3 rows"),
        ([[0.5, 0.5], [-0.1, 1.1], [0.5, 0.5]], "from -0.1 to 1.1"),
        ([[50, 50]] * 3, "between 0 and 1"),
        ([[-0.7, -0.7]] * 3, "between 0 and 1"),
        ([[np.inf, 0]] * 3, "between 0 and 1"),
        (None, "shape ()"),
        (0.5, "shape ()"),
        (np.full((2, 3, 2), 0.5), "shape (2, 3, 2)"),
    ],
    ids=str,
)
def test_an_answer_that_is_no_probabilities_is_one_clear_error(answer, words):
    with pytest.raises(InvalidModel) as caught:
        probabilities(answering(answer), None, 3)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rounding_just_beyond_the_ends_is_no_error():
    answer = [[1 + 1e-12, -1e-12]]
    assert probabilities(answering(answer), None, 1).tolist() == answer


@pytest.mark.parametrize(
    "fault",
    [ValueError("a\nb"), TypeError("x"), KeyError("income"), RuntimeError("device"), MemoryError()],
    ids=repr,
)
def test_whatever_a_model_raises_becomes_an_invalid_model_with_its_cause(fault):
    def moody(_table):
        raise fault

    with pytest.raises(
        InvalidModel, match=f"could not answer for 7 rows; {type(fault).__name__}"
    ) as caught:
        probabilities(moody, None, 7)
    assert caught.value.__cause__ is fault
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, FaceliftError)
    assert isinstance(caught.value, ValueError)


def test_an_interruption_inside_a_model_stays_one():
    def interrupted(_table):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        probabilities(interrupted, None, 1)


@pytest.mark.parametrize("model", [None, 3, "model.pkl", [0.5], Perceptron()], ids=repr)
def test_what_cannot_be_asked_is_named_by_its_type(model):
    with pytest.raises(InvalidModel, match=f"{type(model).__name__} has no predict_proba"):
        probabilities(model, None, 1)


def test_an_unfitted_classifier_is_told_apart():
    with pytest.raises(InvalidModel, match="not fitted"):
        probabilities(LogisticRegression(), np.zeros((2, 1)), 2)


def test_a_model_of_several_outputs_is_refused():
    X, y = np.arange(8.0)[:, np.newaxis], np.arange(8) % 2
    model = MultiOutputClassifier(LogisticRegression()).fit(X, np.column_stack([y, 1 - y]))
    with pytest.raises(InvalidModel, match=r"shape \(2, 8, 2\)"):
        probabilities(model, X, 8)


def test_labels_are_the_models_own_or_numbers():
    model = LogisticRegression().fit([[0.0], [1.0]], ["b", "a"])
    assert class_labels(model, 2) == ("a", "b")
    assert class_labels(answering(None), 3) == (0, 1, 2)
    assert all(type(label) is str for label in class_labels(model, 2))


def test_labels_that_do_not_match_the_columns_are_an_error():
    model = LogisticRegression().fit([[0.0], [1.0]], ["b", "a"])
    with pytest.raises(InvalidModel, match="names 2 classes but gives 3"):
        class_labels(model, 3)


@pytest.fixture(scope="module")
def german():
    return datasets.load_german_credit()


def test_the_small_classifier_learns_something(german):
    half = small_classifier(german.data[:500], german.target[:500])
    accuracy = (half.predict(german.data[500:]) == german.target[500:]).mean()
    majority = (german.target[500:] == "good").mean()
    assert accuracy > majority


def test_the_small_classifier_of_an_array_is_told_to_take_a_frame():
    with pytest.raises(InvalidData, match=r"pandas DataFrame, got ndarray; give pandas\.DataFrame"):
        small_classifier(np.zeros((4, 2)), [0, 1, 0, 1])


def test_the_small_classifier_is_a_pipeline_with_the_labels_of_the_table(credit):
    assert isinstance(credit.model, Pipeline)
    assert credit.model.classes_.tolist() == ["bad", "good"]
    assert credit.model[-1].hidden_layer_sizes == (50,)


def test_the_same_seed_gives_the_same_network(german):
    X, y = german.data[:200], german.target[:200]
    one, same, other = (small_classifier(X, y, seed=seed).predict_proba(X) for seed in (3, 3, 4))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_the_small_classifier_learns_from_a_part_of_a_large_table(monkeypatch):
    X = pd.DataFrame({"age": np.arange(20, 60)})
    y = pd.Series(np.where(X["age"] < 40, "bad", "good"), index=X.index[::-1])
    whole = small_classifier(X, y).predict_proba(X)
    monkeypatch.setattr("facelift.models.asking.MOST_ROWS", 20)
    part, again = (small_classifier(X, y) for _ in range(2))
    assert np.array_equal(part.predict_proba(X), again.predict_proba(X))
    assert not np.allclose(part.predict_proba(X), whole)
    assert part.predict(X.iloc[[0, -1]]).tolist() == ["bad", "good"]


def test_the_small_classifier_warns_of_nothing_and_hides_nothing_else(german):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        small_classifier(german.data[:150], german.target[:150])
        warnings.warn("mine", UserWarning, stacklevel=1)
    assert [str(each.message) for each in caught] == ["mine"]


@pytest.mark.parametrize(
    "columns",
    [
        ["age", "duration"],
        ["housing", "savings"],
        ["age", "housing"],
    ],
    ids=["numbers only", "levels only", "both"],
)
def test_the_small_classifier_takes_any_mix_of_columns(german, columns):
    X = german.data[columns].head(150)
    model = small_classifier(X, german.target.head(150))
    assert probabilities(model, X.head(1), 1).shape == (1, 2)


def test_the_small_classifier_takes_text_and_booleans():
    X = pd.DataFrame({"town": ["Aarau", "Bern"] * 20, "work": [True, True, False, False] * 10})
    model = small_classifier(X, X["work"])
    assert model.classes_.tolist() == [False, True]
    assert (model.predict(X) == X["work"]).all()
    assert probabilities(model, X.assign(town="Chur"), 40).shape == (40, 2)


def test_the_small_model_reads_money_and_dates_as_numbers():
    n = np.arange(200)
    X = pd.DataFrame(
        {
            "paid": [f"${each:,}.00" for each in n * 100],
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(n % 7, unit="D"),
            "job": np.where(n % 2, "cook", "judge"),
        }
    )
    X.loc[3, "paid"] = None
    model = small_classifier(X, n >= 100)
    assert (model.predict(X) == (n >= 100))[[0, 3, 50, 150, 199]].tolist() == [True] * 5
    new = X.assign(paid="$15,050.00")
    assert model.predict(new).all()
