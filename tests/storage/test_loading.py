"""What is read back, and what is refused."""

from __future__ import annotations

import json
import os
from hashlib import sha256

import numpy as np
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

from facelift import FACElift
from facelift.errors import FaceliftError, InvalidFolder, InvalidModel
from facelift.storage import sealed


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InvalidFolder, match=r"no folder .*nowhere"):
        FACElift.load(tmp_path / "nowhere", model=rising)


def test_a_foreign_folder_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InvalidFolder, match=r"explainer\.json"):
        FACElift.load(tmp_path, model=rising)


@pytest.mark.parametrize(
    "name", ["points", "data", "indices", "indptr", "probabilities", "vertices", "multiplicity"]
)
def test_a_missing_array_is_named(saved, name):
    folder, _ = saved
    (arrays(folder) / f"{name}.npy").unlink()
    with pytest.raises(InvalidFolder, match=rf"{name}\.npy"):
        FACElift.load(folder, model=rising)


@pytest.mark.parametrize("name", ["points", "data", "indices", "indptr", "probabilities"])
@pytest.mark.parametrize("kept", [0, 5, 40, -3])
def test_a_truncated_array_is_named(saved, name, kept):
    folder, _ = saved
    path = arrays(folder) / f"{name}.npy"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InvalidFolder, match=rf"{name}\.npy is damaged"):
        FACElift.load(folder, model=rising)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("points", lambda a: a[:-1]),
        ("points", lambda a: a[:, :-1]),
        ("points", lambda a: a * np.nan),
        ("data", lambda a: -a),
        ("data", lambda a: a[:-1]),
        ("indices", lambda a: a + 10_000),
        ("indptr", lambda a: a[::-1]),
        ("indptr", lambda a: np.append(a[:-1], np.int32(-7))),  # which SciPy believes
        ("indptr", lambda a: a.astype(np.float64)),
        ("indices", lambda a: a - 1),
        ("indices", lambda a: a.astype(np.uint8)),
        ("probabilities", lambda a: a[:-1]),
        ("probabilities", lambda a: a[:, :1]),
        ("vertices", lambda a: a + 1000),
        ("vertices", lambda a: a - 1000),
        ("vertices", lambda a: a * 1.5),
        ("multiplicity", lambda a: a[:-1]),
        ("nearest", lambda a: a[:-1]),
        ("nearest", lambda a: a.astype(np.int64)),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(saved, name, change):
    folder, _ = saved
    path = arrays(folder) / f"{name}.npy"
    np.save(path, np.ascontiguousarray(change(np.load(path))))
    reseal(folder)
    with pytest.raises(InvalidFolder, match="no complete saved explainer"):
        FACElift.load(folder, model=rising)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '"facelift"', "{}", "\x00\x01"])
def test_damaged_json_is_refused(saved, text):
    folder, _ = saved
    (folder / "explainer.json").write_text(text)
    with pytest.raises(InvalidFolder):
        FACElift.load(folder, model=rising)


@pytest.mark.parametrize(
    "key", ["arrays", "checksums", "parameters", "classes", "terrain", "fingerprints"]
)
def test_json_that_lacks_a_part_is_refused(saved, key):
    folder, _ = saved
    content = told(folder)
    del content[key], content["checksum"]
    (folder / "explainer.json").write_text(sealed(content))
    with pytest.raises(InvalidFolder, match=key):
        FACElift.load(folder, model=rising)


def test_json_that_is_not_text_is_refused(saved):
    folder, _ = saved
    (folder / "explainer.json").write_bytes(b"\xff\xfe\x00garbage")
    with pytest.raises(InvalidFolder):
        FACElift.load(folder, model=rising)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("facelift/explainer/99", "explainer/99'.*explainer/2': use the version that wrote it"),
        ("facelift/explainer/1", "explainer/1'.*explainer/2': fit and save again"),
        ("facelift/multiverse/1", "no saved explainer: its format is 'facelift/multiverse/1'"),
        (None, "no saved explainer: its format is None"),
    ],
)
def test_another_version_of_the_format_says_both(saved, version, words):
    folder, _ = saved
    reseal(folder, format=version)
    with pytest.raises(InvalidFolder, match=words):
        FACElift.load(folder, model=rising)


def test_a_parameter_of_another_version_is_refused(saved):
    folder, _ = saved
    reseal(folder, parameters=told(folder)["parameters"] | {"temperature": 3})
    with pytest.raises(InvalidFolder, match="temperature"):
        FACElift.load(folder, model=rising)


FOUND_BY_FUZZING = {
    "classes that are lists": {"classes": [[0], 1]},
    "a parameter that is a table": {"parameters": {"stop_at_first": {}}},
    "threads that are text": {"parameters": {"n_jobs": "all"}},
    "a step that is a list": {"parameters": {"max_step": []}},
}


@pytest.mark.parametrize("name", FOUND_BY_FUZZING)
def test_whatever_a_folder_says_the_answer_is_one_clear_line(saved, name):
    folder, _ = saved
    reseal(folder, **FOUND_BY_FUZZING[name])
    with pytest.raises(FaceliftError) as raised:
        FACElift.load(folder, model=rising).explain_many(array_table()[:1])
    assert "\n" not in str(raised.value)


def test_a_terrain_of_another_table_is_refused(tmp_path):
    FACElift(rising, n_neighbors=4).fit(pandas_table()).save(tmp_path / "saved")
    terrain = told(tmp_path / "saved")["terrain"]
    town = next(each for each in terrain["features"] if each["name"] == "town")
    town["dtype"] = {"name": "float64"}
    prints = told(tmp_path / "saved")["fingerprints"]
    prints["terrain"] = sha256(json.dumps(terrain).encode()).hexdigest()[:16]
    reseal(tmp_path / "saved", terrain=terrain, fingerprints=prints)
    with pytest.raises(InvalidFolder, match="could not convert"):
        FACElift.load(tmp_path / "saved", model=rising)


@pytest.mark.parametrize("place", ["../other", "/etc", "arrays-", "arrays-../../../etc", ".", 3])
def test_arrays_are_looked_for_in_the_folder_only(saved, place):
    folder, _ = saved
    reseal(folder, arrays=place)
    with pytest.raises(InvalidFolder, match="no complete saved explainer"):
        FACElift.load(folder, model=rising)


def test_what_a_killed_save_left_behind_is_no_hindrance(saved):
    folder, explainer = saved
    for name in ("arrays-0123456789abcdef", ".arrays-x1y2z3"):
        (folder / name).mkdir()
    (folder / ".explainer.json-a_b1").write_text("half")
    explainer.save(folder)
    assert len(list(folder.iterdir())) == 2
    assert len(FACElift.load(folder, model=rising).graph_) == 21
    (folder / "explainer.json").unlink()
    explainer.save(folder)
    assert len(list(folder.iterdir())) == 2
    assert len(FACElift.load(folder, model=rising).graph_) == 21


def test_a_model_that_answers_differently_is_refused(saved):
    folder, _ = saved
    with pytest.raises(InvalidModel, match="answers differently"):
        FACElift.load(folder, model=falling)


def test_a_model_with_other_classes_is_refused(saved):
    folder, _ = saved

    def three(table):
        return np.column_stack([rising(table), np.zeros(len(table))])

    with pytest.raises(InvalidModel, match="answers differently"):
        FACElift.load(folder, model=three)


def test_a_model_that_differs_only_late_in_the_table_is_refused_too(tmp_path):
    X = np.column_stack([np.linspace(0, 20, 400), np.arange(400) % 7])
    FACElift(rising, n_neighbors=4).fit(X).save(tmp_path / "saved")

    def changed(table):
        return np.where(table[:, :1] > 15, falling(table), rising(table))

    with pytest.raises(InvalidModel, match="answers differently"):
        FACElift.load(tmp_path / "saved", model=changed)


@pytest.mark.parametrize("name", ["explainer.json", "points.npy"])
@pytest.mark.parametrize("other", ["pipe", "device"])
def test_what_is_no_ordinary_file_is_refused_at_once(saved, name, other):
    folder, _ = saved
    (path,) = folder.rglob(name)
    path.unlink()
    if other == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(InvalidFolder, match="no ordinary file"):
        FACElift.load(folder, model=rising)
