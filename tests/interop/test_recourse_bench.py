"""Our methods behind the interface of recourse_bench, which a stub stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import pandas as pd
import pytest

from facelift.errors import InvalidInput, NotFitted
from facelift.interop.recourse_bench import methods

KNOWN = {}


def register(name):
    def keep(kind):
        KNOWN[name] = kind
        return kind

    return keep


class MethodObject(ABC):
    """What recourse_bench asks of a method, and how it asks."""

    @abstractmethod
    def __init__(self, target_model, seed=None, device="cpu", desired_class=None, **kwargs): ...

    @abstractmethod
    def fit(self, trainset): ...

    @abstractmethod
    def get_counterfactuals(self, factuals): ...

    def predict(self, testset, batch_size=20):
        if not self._is_trained:
            raise RuntimeError("Method is not trained")
        factuals, batches = testset.get(target=False), []
        for start in range(0, len(factuals), batch_size):
            batch = factuals.iloc[start : start + batch_size]
            found = self.get_counterfactuals(batch)
            assert len(found) == len(batch)
            assert set(found.columns) == set(batch.columns)
            batches.append(found.reindex(index=batch.index, columns=batch.columns))
        return pd.concat(batches)


class Dataset:
    """A table with a target, and rules for its columns."""

    def __init__(self, table):
        self.table = table

    def get(self, target):
        return self.table[["decision"]] if target else self.table.drop(columns="decision")


class Model:
    """A model that grants who has savings or owns a home."""

    _device = "cpu"

    def get_class_to_index(self):
        return {"declined": 0, "granted": 1}

    def get_prediction(self, rows, proba=True):  # noqa: ARG002  (its interface)
        granted = (rows["savings"] + 0.3 * rows["home_own"] > 0.6).to_numpy(dtype=float)
        return np.column_stack([1 - granted, granted])


def resolve_feature_metadata(dataset):
    names = [name for name in dataset.table.columns if name != "decision"]
    actions = dict.fromkeys(names, "any") | {"age": "same-or-increase"}
    mutable = dict.fromkeys(names, True) | {"sex": False}
    return dict.fromkeys(names, "numerical"), mutable, actions


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    own = rng.integers(0, 2, 300)
    table = {"savings": rng.random(300), "age": rng.random(300).round(1)}
    table |= {"sex": rng.integers(0, 2, 300), "home_own": own, "home_rent": 1 - own}
    return Dataset(pd.DataFrame(table, dtype=float).assign(decision=0.0))


@pytest.fixture(scope="module", autouse=True)
def joined():
    methods(MethodObject, register, resolve_feature_metadata)


@pytest.mark.parametrize("name", ["facelift", "facelift_face"])
@pytest.mark.parametrize("desired", [None, "granted"])
def test_ends_keep_rows_columns_rules_and_words(data, name, desired):
    method = KNOWN[name](Model(), seed=0, device="cpu", desired_class=desired, n_neighbors=10)
    assert isinstance(method, MethodObject)
    method.fit(data)
    test = Dataset(data.table.iloc[::7])
    factuals, ends = test.get(target=False), method.predict(test, batch_size=9)
    pd.testing.assert_index_equal(ends.index, factuals.index)
    assert list(ends.columns) == list(factuals.columns)
    found = ends.dropna()
    assert len(found) > 0.8 * len(ends)
    assert found.index.equals(ends.dropna(how="all").index)  # a row is whole, or there is none
    before = factuals.loc[found.index]
    was, now = (Model().get_prediction(rows)[:, 1] for rows in (before, found))
    assert ((now == 1) if desired else (now != was)).all()
    assert (found["sex"] == before["sex"]).all()
    assert (found["age"] >= before["age"]).all()
    assert (found["home_own"] + found["home_rent"] == 1).all()


def test_who_has_the_outcome_stays(data):
    method = KNOWN["facelift"](Model(), desired_class="granted", n_neighbors=10)
    method.fit(data)
    factuals = data.get(target=False)
    granted = factuals[Model().get_prediction(factuals)[:, 1] == 1].head(5)
    pd.testing.assert_frame_equal(method.get_counterfactuals(granted), granted)


def test_where_nothing_is_allowed_there_is_none(data):
    declined = data.get(target=False)
    declined = declined[Model().get_prediction(declined)[:, 1] == 0].head(3)
    lonely = declined.assign(sex=5.0)  # nobody else is like that, and it never changes
    method = KNOWN["facelift_face"](Model(), desired_class="granted")
    method.fit(data)
    assert method.get_counterfactuals(lonely).isna().all(axis=None)


def test_faults_are_said(data):
    with pytest.raises(NotFitted):
        KNOWN["facelift"](Model()).get_counterfactuals(data.get(target=False))
    with pytest.raises(InvalidInput, match="training set"):
        KNOWN["facelift"](Model()).fit(None)
    method = KNOWN["facelift"](Model(), desired_class="maybe")
    method.fit(data)
    with pytest.raises(InvalidInput, match="maybe"):
        method.get_counterfactuals(data.get(target=False).head(1))
