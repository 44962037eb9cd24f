from __future__ import annotations

import zipfile

import numpy as np
import pytest

from facelift.errors import DamagedFile
from facelift.paper.shelf import kept, read, write

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
    first = kept(tmp_path, "letters", {"seed": 0}, DATA, train)
    again = kept(tmp_path, "letters", {"seed": 0}, DATA, train)
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
    kept(tmp_path, "letters", {"seed": 0}, DATA, train)
    kept(tmp_path, name, recipe, data, train)
    assert len(calls) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_training_that_fails_leaves_nothing_behind(tmp_path):
    def train():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept(tmp_path, "letters", {}, DATA, train)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [0, 10, 200])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, keep):
    train, _ = counted()
    kept(tmp_path, "letters", {}, DATA, train)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DamagedFile, match=path.name):
        kept(tmp_path, "letters", {}, DATA, train)


def test_a_file_of_another_format_is_refused(tmp_path):
    write(tmp_path / "old.npz", {"weights": np.zeros(2)}, '{"format": "facelift/network/0"}')
    with pytest.raises(DamagedFile, match="facelift/network/0"):
        read(tmp_path / "old.npz")


def test_nothing_on_the_shelf_needs_pickle(tmp_path):
    with pytest.raises(ValueError, match="Object arrays"):
        write(tmp_path / "odd.npz", {"weights": np.array([{}, []], dtype=object)}, "{}")
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "good.npz", {"weights": np.zeros(2)}, "{}")
    with zipfile.ZipFile(tmp_path / "good.npz") as archive:
        assert sorted(archive.namelist()) == ["about.npy", "weights.npy"]
