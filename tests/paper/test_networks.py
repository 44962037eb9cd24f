"""The paper's small networks are scikit-learn's, as arrays."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from tests.laws import examples

from facelift import datasets
from facelift.errors import DamagedFile
from facelift.paper.networks import (
    DenseNetwork,
    TableNetwork,
    one_hot_terrain,
    read_arrays,
    train_dense,
    trained_once,
    write_arrays,
)


def world(n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    points = rng.random((150, 5))
    labels = np.array(["red", "green", "blue"])[:n_classes]
    return points, labels[(points[:, 0] * n_classes).astype(int)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_network_answers_as_the_scikit_learn_network_it_was(n_classes):
    points, labels = world(n_classes)
    ours = train_dense(points, labels, 7, seed=3)
    theirs = MLPClassifier((7,), random_state=3).fit(points, labels)
    np.testing.assert_allclose(ours.predict_proba(points), theirs.predict_proba(points), atol=1e-12)
    assert ours.classes_.tolist() == theirs.classes_.tolist()


def test_the_same_seed_gives_the_same_network_and_another_seed_another():
    points, labels = world(2)
    first, again, other = (train_dense(points, labels, 7, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.hidden, again.hidden)
    assert not np.array_equal(first.hidden, other.hidden)


def test_a_network_stopped_early_is_no_warning(recwarn):
    train_dense(*world(2), 7, seed=0)
    assert [each for each in recwarn if issubclass(each.category, ConvergenceWarning)] == []


def test_a_network_is_its_arrays():
    points, labels = world(3)
    network = train_dense(points, labels, 4, seed=0)
    again = DenseNetwork.from_arrays(network.arrays)
    np.testing.assert_array_equal(again.predict_proba(points), network.predict_proba(points))


@given(seed=st.integers(0, 2**32 - 1), size=st.floats(1e-3, 1e3))
@settings(max_examples=examples(30))
def test_answers_are_probabilities_however_large_the_logits(seed, size):
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(3, 4)) * size, rng.normal(size=4), rng.normal(size=(4, 3)) * size
    network = DenseNetwork(*parts, rng.normal(size=3), np.arange(3))
    answers = network.predict_proba(rng.random((20, 3)))
    assert np.isfinite(answers).all()
    np.testing.assert_allclose(answers.sum(axis=1), 1.0)


def test_every_category_is_one_hot_and_every_number_from_0_to_1():
    """The paper's encoding, whatever order the levels have."""
    table = datasets.load_german_credit().data
    points = np.asarray(one_hot_terrain(table).encode(table))
    n_levels = sum(table[name].cat.categories.size for name in table.select_dtypes("category"))
    assert points.shape == (1000, n_levels + 7)
    assert points.min() == 0.0
    assert points.max() == 1.0
    changed = table.iloc[[0]].assign(savings=table["savings"].iloc[[1]].to_numpy())
    terrain = one_hot_terrain(table)
    cost = terrain.cost(terrain.encode(table.iloc[[0]]), terrain.encode(changed))
    assert cost[0] == pytest.approx(np.sqrt(2))


def test_a_network_for_tables_answers_for_rows_as_for_their_points():
    bunch = datasets.load_german_credit()
    terrain = one_hot_terrain(bunch.data)
    points = np.asarray(terrain.encode(bunch.data))
    network = train_dense(points[:200], bunch.target[:200], 5, seed=0)
    model = TableNetwork(terrain, network)
    np.testing.assert_array_equal(model.predict_proba(bunch.data), network.predict_proba(points))
    unordered = terrain.decode(points)
    np.testing.assert_array_equal(model.predict_proba(unordered), network.predict_proba(points))
    assert model.classes_.tolist() == ["bad", "good"]


def test_gradients_are_those_of_the_answers(torch):
    points, labels = world(3)
    network = train_dense(points, labels, 6, seed=0)
    tensor = torch.tensor(points[:4], requires_grad=True)
    answers = network.differentiable(tensor)
    np.testing.assert_allclose(answers.detach().numpy(), network.predict_proba(points[:4]))
    answers[:, 1].sum().backward()
    for i in range(points.shape[1]):
        step = np.zeros(points.shape[1])
        step[i] = 1e-6
        ahead, behind = (network.predict_proba(points[:4] + s)[:, 1] for s in (step, -step))
        np.testing.assert_allclose(tensor.grad[:, i], (ahead - behind) / 2e-6, atol=1e-6)


DATA = {"points": np.arange(6.0).reshape(3, 2), "labels": np.array(["a", "b", "a"])}


def counted():
    """Training that counts how often it was done."""
    calls = []

    def train():
        calls.append(1)
        return {"weights": np.array([1.5, -2.0]), "classes": np.array(["a", "b"])}

    return train, calls


def test_a_network_is_trained_once_and_then_read(tmp_path):
    train, calls = counted()
    first = trained_once(tmp_path, "letters", {"seed": 0}, DATA, train)
    again = trained_once(tmp_path, "letters", {"seed": 0}, DATA, train)
    assert len(calls) == 1
    assert sorted(first) == sorted(again) == ["classes", "weights"]
    for name, array in first.items():
        np.testing.assert_array_equal(again[name], array)


@pytest.mark.parametrize(
    ("name", "recipe", "data"),
    [
        ("letters", {"seed": 1}, DATA),
        ("letters", {"seed": 0, "n_hidden": 3}, DATA),
        ("digits", {"seed": 0}, DATA),
        ("letters", {"seed": 0}, {**DATA, "points": DATA["points"] + 1e-9}),
        ("letters", {"seed": 0}, {**DATA, "labels": np.array(["a", "b", "b"])}),
        ("letters", {"seed": 0}, {**DATA, "points": DATA["points"].reshape(2, 3)}),
    ],
)
def test_another_recipe_or_other_data_is_trained_anew(tmp_path, name, recipe, data):
    train, calls = counted()
    trained_once(tmp_path, "letters", {"seed": 0}, DATA, train)
    trained_once(tmp_path, name, recipe, data, train)
    assert len(calls) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_training_that_fails_leaves_nothing_behind(tmp_path):
    def train():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained_once(tmp_path, "letters", {}, DATA, train)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [0, 10, 200])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, keep):
    train, _ = counted()
    trained_once(tmp_path, "letters", {}, DATA, train)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DamagedFile, match=path.name):
        trained_once(tmp_path, "letters", {}, DATA, train)


def test_a_file_of_another_format_is_refused(tmp_path):
    write_arrays(tmp_path / "old.npz", {"weights": np.zeros(2)}, '{"format": "facelift/network/0"}')
    with pytest.raises(DamagedFile, match="facelift/network/0"):
        read_arrays(tmp_path / "old.npz")


def test_no_file_of_a_network_needs_pickle(tmp_path):
    with pytest.raises(ValueError, match="Object arrays"):
        write_arrays(tmp_path / "odd.npz", {"weights": np.array([{}, []], dtype=object)}, "{}")
    assert list(tmp_path.iterdir()) == []
    write_arrays(tmp_path / "good.npz", {"weights": np.zeros(2)}, "{}")
    with zipfile.ZipFile(tmp_path / "good.npz") as archive:
        assert sorted(archive.namelist()) == ["about.npy", "weights.npy"]
