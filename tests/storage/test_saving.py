"""What is written, and that nobody's files are lost."""

from __future__ import annotations

import errno
import mmap
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.storage.worlds import (
    array_table,
    arrays,
    falling,
    pandas_table,
    reseal,
    rising,
    told,
)

import facelift as fl
from facelift import FACElift, Terrain
from facelift._files import held
from facelift.errors import CannotWrite, InvalidFolder, InvalidInput


def test_no_file_is_a_pickle(saved):
    folder, _ = saved
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".npy"}
    for path in arrays(folder).iterdir():
        assert np.load(path, allow_pickle=False).dtype != object
    assert told(folder)["format"] == "facelift/explainer/2"


def test_arrays_that_need_pickle_are_refused(saved):
    folder, _ = saved
    path = arrays(folder) / "points.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    reseal(folder)
    with pytest.raises(InvalidFolder, match=r"points\.npy is damaged"):
        FACElift.load(folder, model=rising)


def test_arrays_stay_on_disk_until_they_are_looked_at(saved):
    folder, _ = saved
    loaded = FACElift.load(folder, model=rising)
    costs = loaded.graph_.costs
    for array in (loaded.graph_.points, costs.data, costs.indices, loaded.probabilities_):
        while isinstance(array, np.ndarray):
            array = array.base
        assert isinstance(array, mmap.mmap)


def test_fingerprints_tell_data_rules_and_answers_apart(saved, tmp_path):
    folder, explainer = saved

    def fingerprints(other: FACElift) -> dict[str, str]:
        other.fit(array_table()).save(tmp_path / "other")
        return told(tmp_path / "other")["fingerprints"]

    own = told(folder)["fingerprints"]
    assert fingerprints(FACElift(rising, n_neighbors=4)) == own
    ruled = fingerprints(FACElift(rising, explainer.terrain_.freeze("x1"), n_neighbors=4))
    assert {name for name in own if own[name] != ruled[name]} == {"terrain"}
    turned = fingerprints(FACElift(falling, n_neighbors=4))
    assert {name for name in own if own[name] != turned[name]} == {"model"}


def test_saving_leaves_no_other_folders_behind(saved, tmp_path):
    folder, explainer = saved
    explainer.save(folder)
    explainer.save(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def test_parents_are_made(tmp_path):
    explainer = FACElift(rising, n_neighbors=4).fit(array_table())
    explainer.save(str(tmp_path / "a" / "b" / "c"))
    assert len(FACElift.load(str(tmp_path / "a" / "b" / "c"), model=rising).graph_) == 21


def test_a_newer_explainer_replaces_an_older_one(saved):
    folder, _ = saved
    FACElift(rising, n_neighbors=7, threshold=0.8).fit(array_table()[:18]).save(folder)
    loaded = FACElift.load(folder, model=rising)
    assert (loaded.n_neighbors, loaded.threshold, len(loaded.graph_)) == (7, 0.8, 18)


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "empty").mkdir()
    FACElift(rising, n_neighbors=4).fit(array_table()).save(tmp_path / "empty")
    assert len(FACElift.load(tmp_path / "empty", model=rising).graph_) == 21


def test_a_folder_that_is_no_explainer_is_left_alone(saved, tmp_path):
    _, explainer = saved
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidFolder, match="no saved explainer"):
        explainer.save(mine)
    assert [path.read_text() for path in mine.iterdir()] == ["years of work"]


def test_other_files_beside_an_explainer_are_not_lost(saved):
    folder, explainer = saved
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidFolder):
        explainer.save(folder)
    assert (folder / "thesis.txt").read_text() == "years of work"


def test_a_file_in_the_way_is_left_alone(saved, tmp_path):
    _, explainer = saved
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidFolder):
        explainer.save(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("call", ["save", "rename", "replace"])
@pytest.mark.parametrize("there", [True, False])
def test_a_save_that_fails_halfway_leaves_what_was_there(saved, tmp_path, monkeypatch, call, there):
    folder, _ = saved
    target = folder if there else tmp_path / "new"
    explainer = FACElift(rising, n_neighbors=9).fit(array_table())

    def files():
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = files()
    monkeypatch.setattr(np if call == "save" else Path, call, full)
    with pytest.raises(CannotWrite, match=r"No space.*MB are needed.*untouched"):
        explainer.save(target)
    monkeypatch.undo()
    assert files() == before
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]
    assert FACElift.load(folder, model=rising).n_neighbors == 4


def test_loading_while_somebody_saves_gives_the_one_or_the_other(saved):
    folder, _ = saved
    others = [FACElift(rising, n_neighbors=k).fit(array_table()) for k in (4, 5)]
    with ThreadPoolExecutor(1) as pool:
        saving = pool.submit(lambda: [others[i % 2].save(folder) for i in range(30)])
        seen = set()
        while not saving.done():
            loaded = FACElift.load(folder, model=rising)
            assert loaded.graph_.costs.nnz == others[loaded.n_neighbors - 4].graph_.costs.nnz
            seen.add(loaded.n_neighbors)
        saving.result()
    assert seen == {4, 5}


@pytest.mark.parametrize(
    "edge_cost", [fl.graph.power(3), lambda edges: edges.moves], ids=["power", "own"]
)
def test_a_function_as_edge_cost_cannot_be_saved_and_says_so(tmp_path, edge_cost):
    explainer = FACElift(rising, n_neighbors=4, edge_cost=edge_cost).fit(array_table())
    with pytest.raises(InvalidInput, match="edge_cost is a function"):
        explainer.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_a_function_as_requirement_cannot_be_saved_and_says_so(tmp_path):
    terrain = Terrain.infer(array_table()).require(lambda frame: frame["x0"] >= 0)
    explainer = FACElift(rising, terrain, n_neighbors=4).fit(array_table())
    with pytest.raises(InvalidInput, match="requirement of the terrain is a function"):
        explainer.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_what_json_cannot_hold_is_named(tmp_path):
    nested = pd.concat({"money": pandas_table()[["income"]]}, axis=1)
    explainer = FACElift(lambda table: rising(table["money"]), n_neighbors=4).fit(nested)
    with pytest.raises(InvalidInput, match=r"name is \('money', 'income'\), a tuple"):
        explainer.save(tmp_path / "saved")
    odd = FACElift(rising, n_neighbors=4, random_state=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="random_state"):
        odd.fit(array_table()).save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_killed_first_saves_left_are_swept_and_fresh_ones_are_not(saved, tmp_path):
    _, explainer = saved
    old, fresh = tmp_path / ".new-abcd1234", tmp_path / ".new-efgh5678"
    for stray in (old, fresh):
        (stray / "new").mkdir(parents=True)
    os.utime(old, (0, 0))
    explainer.save(tmp_path / "new")
    assert not old.exists()
    assert fresh.exists()


def test_a_folder_that_somebody_is_making_is_not_swept(saved, tmp_path):
    _, explainer = saved
    made = tmp_path / ".new-abcd1234"
    made.mkdir()
    os.utime(made, (0, 0))
    with held(made):
        explainer.save(tmp_path / "new")
    assert made.exists()


def test_two_writers_leave_one_explainer_and_nothing_else(saved):
    folder, _ = saved
    others = [FACElift(rising, n_neighbors=k).fit(array_table()) for k in (4, 5)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda i: others[i % 2].save(folder), range(40)))
    assert len(list(folder.iterdir())) == 2
    assert FACElift.load(folder, model=rising).n_neighbors in (4, 5)


def test_a_disk_that_takes_only_a_part_is_told_in_our_words(saved, tmp_path):
    _, explainer = saved
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
    try:
        with pytest.raises(CannotWrite, match="could not be written"):
            explainer.save(tmp_path / "new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not (tmp_path / "new").exists()


def test_personal_columns_are_saved_and_others_as_before(tmp_path):
    X = pd.DataFrame({"sex": ["f", "m"] * 4, "income": range(8)})
    terrain = Terrain.infer(X).freeze("sex").personal("sex")
    terrain = terrain.worse("sex", order=["m"]).worse("income", "decrease")

    def model(rows):
        return np.column_stack([rows["income"] < 4, rows["income"] >= 4]).astype(float)

    FACElift(model, terrain, n_neighbors=3).fit(X).save(tmp_path)
    sex, income = told(tmp_path)["terrain"]["features"]
    assert sex["personal"] is True
    assert "personal" not in income
    assert FACElift.load(tmp_path, model=model).terrain_ == terrain


def test_labels_and_how_a_raw_table_was_read_are_saved(tmp_path):
    X = pd.DataFrame({"sex": ["f", "m"] * 4, "income": range(8)})
    terrain = Terrain.infer(X).label("sex", values={"f": "woman", "m": "man"})
    terrain = terrain.label("income", "Income", unit="€", about="A month, after taxes.")
    terrain = terrain.read_as("income", "money", codes=["?", -9])

    def model(rows):
        return np.column_stack([rows["income"] < 4, rows["income"] >= 4]).astype(float)

    FACElift(model, terrain, n_neighbors=3).fit(X).save(tmp_path)
    assert FACElift.load(tmp_path, model=model).terrain_ == terrain
