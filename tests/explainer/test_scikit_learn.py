"""scikit-learn's manners: its own checks, every kind of array and frame, threads.

`NOT_APPLYING` lists the checks that FACElift does not pass, and why; a check that passes after all
makes its test fail, so that the list stays true.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import facelift
from facelift import FACElift, toys

NOT_APPLYING = {
    "check_dtype_object": "an array of objects has lost its types; a frame keeps them",
    "check_estimators_empty_data_messages": "an empty table is refused in words of our own",
}


class Rising:
    """A model that prints the same in every process, since tests are named by it."""

    def __call__(self, rows) -> np.ndarray:
        first = np.asarray(rows, dtype=np.float64)[:, 0]
        chance = 1 / (1 + np.exp(-3 * (first - 0.3)))
        return np.column_stack([1 - chance, chance])

    def __repr__(self) -> str:
        return "rising"


model = Rising()


def not_applying(_estimator) -> dict[str, str]:
    return NOT_APPLYING


@parametrize_with_checks(
    [FACElift(model, n_neighbors=3), FACElift(model, steps="actions")],
    expected_failed_checks=not_applying,
)
@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.SkipTestWarning")
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# Every kind of array and frame


def points() -> np.ndarray:
    i = np.arange(90)
    return np.column_stack([i % 10 / 9, i // 10 / 8, (i % 7 > 3) * 1.0])


def broad(array: np.ndarray) -> np.ndarray:
    """The same numbers, every second of a larger array in each direction."""
    room = np.full((2 * array.shape[0], 2 * array.shape[1]), -1.0)
    room[::2, ::2] = array
    return room[::2, ::2]


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


ARRAYS = {
    "read-only": read_only,
    "in the order of Fortran": np.asfortranarray,
    "not contiguous": broad,
    "backwards": lambda array: array[::-1].copy()[::-1],
    "of other bytes": lambda array: array.astype(">f8"),
    "a list": lambda array: array.tolist(),
}


def answers(explainer: FACElift, X) -> list[str]:
    """What is answered to three cases, but for the types of columns."""
    found = [json.loads(explainer.explain([*X][i], target=1).to_json()) for i in (0, 23, 61)]
    return [json.dumps({**each, "columns": None}) for each in found]


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("kind", ARRAYS)
def test_how_an_array_lies_in_memory_changes_no_answer(kind, steps):
    plain, other = points(), ARRAYS[kind](points())
    settings = {"n_neighbors": 5, "n_counterfactuals": 3, "steps": steps}
    expected = answers(FACElift(model, **settings).fit(plain), plain)
    before = np.array(other)
    assert answers(FACElift(model, **settings).fit(other), other) == expected
    assert np.array_equal(np.array(other), before)


FRAMES = {
    "float32": lambda frame: frame.astype(np.float32),
    "whole numbers": lambda frame: (frame * 100).round().astype(np.int16),
    "nullable whole numbers": lambda frame: (frame * 100).round().astype("Int32"),
    "booleans": lambda frame: frame > 0.4,
    "mixed": lambda frame: frame.astype({"a": np.float32}).assign(c=frame["c"] > 0.5),
    "a view of a larger one": lambda frame: pd.concat([frame, frame], axis=1).iloc[:, :3],
    "an index of text": lambda frame: frame.set_axis([f"row {i}" for i in frame.index]),
    "the same index for all": lambda frame: frame.set_axis([0] * len(frame)),
}


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_is_fitted_explained_and_left_alone(kind, steps):
    X = FRAMES[kind](pd.DataFrame(points(), columns=["a", "b", "c"]))
    before = X.copy(deep=True)
    explainer = FACElift(model, n_neighbors=5, n_counterfactuals=3, steps=steps).fit(X)
    found = explainer.explain_many(X.iloc[[0, 23, 61]], target=1)
    assert sum(map(len, found)) > 0
    for journey in (journey for multiverse in found for journey in multiverse):
        assert journey.rows.dtypes.equals(X.dtypes)
    pd.testing.assert_frame_equal(X, before)


def test_rows_of_a_journey_can_be_written_to_and_change_nothing():
    X = pd.DataFrame(points(), columns=["a", "b", "c"])
    explainer = FACElift(model, n_neighbors=5, n_counterfactuals=3).fit(X)
    multiverse = explainer.explain(X.iloc[[0]], target=1)
    expected = multiverse.to_json()
    for journey in multiverse:
        rows = journey.rows.copy()
        rows.iloc[0, 0] = 99.0
    X.iloc[:, :] = -5.0
    assert multiverse.to_json() == expected
    assert explainer.explain(points()[0], target=1).to_json() == expected


# Threads, and explaining as a question that changes nothing


def worlds() -> dict[str, tuple[FACElift, list]]:
    small, large = toys.moons(300).points, toys.moons(5200).points
    people = pd.DataFrame(points(), columns=["a", "b", "c"])
    settings = {"n_neighbors": 8, "n_counterfactuals": 4}
    return {
        "rows": (FACElift(model, **settings).fit(small), [*small[::25]]),
        "many rows, compiled": (FACElift(model, **settings).fit(large), [*large[::430]]),
        "actions": (
            FACElift(model, steps="actions", **settings).fit(people),
            [people.iloc[[i]] for i in range(0, 90, 8)],
        ),
    }


@pytest.fixture(scope="module")
def fitted():
    return worlds()


@pytest.mark.parametrize("name", ["rows", "many rows, compiled", "actions"])
def test_eight_threads_get_the_same_answers_as_one(fitted, name):
    explainer, cases = fitted[name]
    alone = explainer.under(explainer.terrain_)  # with nothing remembered
    expected = [alone.explain(case, target=1).to_json() for case in cases]
    with ThreadPoolExecutor(8) as pool:
        asked = cases * 8
        found = [each.to_json() for each in pool.map(lambda x: explainer.explain(x, 1), asked)]
    assert found == expected * 8
    assert len(set(expected)) > 3


@pytest.mark.parametrize("name", ["rows", "many rows, compiled", "actions"])
def test_explaining_changes_nothing_in_the_explainer(fitted, name, tmp_path):
    explainer, cases = fitted[name]
    explainer.save(tmp_path / "before")
    first = explainer.explain(cases[0], target=1).to_json()
    for case in cases:
        explainer.explain(case, target=0)
        explainer.explain(case)
    explainer.save(tmp_path / "after")
    before, after = (
        json.loads((tmp_path / each / "explainer.json").read_text()) for each in ("before", "after")
    )
    for told in (before, after):
        del told["arrays"], told["checksum"]  # where they lie has a random name
    assert after == before
    assert explainer.explain(cases[0], target=1).to_json() == first


def test_a_clone_is_unfitted_and_asks_the_same_model():
    explainer = FACElift(model, n_neighbors=5).fit(points())
    copy = clone(explainer)
    assert copy.model is model
    assert not hasattr(copy, "graph_")
    with pytest.raises(facelift.errors.NotFitted):
        copy.explain(points()[0])
