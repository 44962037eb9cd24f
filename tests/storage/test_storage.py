"""A saved explainer comes back as it was, or not at all, and nobody's files are lost."""

from __future__ import annotations

import json
import mmap
import shutil
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import facelift as fl
from facelift import FACElift, Terrain
from facelift.errors import FaceliftError, InvalidFolder, InvalidInput, InvalidModel
from facelift.storage.folder import sealed


def rising(table) -> np.ndarray:
    """The chance of class 1 is the first column over 20."""
    first = table[:, 0] if isinstance(table, np.ndarray) else table["income"].to_numpy()
    chance = np.clip(np.asarray(first, dtype=np.float64) / 20, 0, 1)
    return np.column_stack([1 - chance, chance])


def falling(table) -> np.ndarray:
    return rising(table)[:, ::-1]


def pandas_table() -> pd.DataFrame:
    i = np.arange(21)
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    return pd.DataFrame(
        {
            "income": i * 1.0,
            "rate": np.sqrt(i),
            "debts": i % 4,
            "savings": pd.Categorical.from_codes(i % 3, dtype=levels),
            "grade": pd.Categorical.from_codes(i % 2, dtype=pd.CategoricalDtype([1, 2])),
            "town": np.where(i % 2 == 0, "Aarau", "Bern"),
            "employed": i % 3 == 0,
            "nullable": pd.array(i, dtype="Int16"),
            "yes": pd.array(i % 2 == 0, dtype="boolean"),
            "small": (i / 7).astype(np.float32),
        }
    )


def polars_table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "income": [float(i) for i in range(21)],
            "debts": [i % 4 for i in range(21)],
            "town": ["Aarau", "Bern", "Chur"] * 7,
            "employed": [i % 3 == 0 for i in range(21)],
            "small": pl.Series([i % 5 for i in range(21)], dtype=pl.Int8),
        }
    )


def array_table() -> np.ndarray:
    i = np.arange(21)
    return np.column_stack([i * 1.0, np.sqrt(i), i % 3])


def ruled(terrain: Terrain) -> Terrain:
    """Every kind of refinement at once."""
    return (
        terrain.increase_only("rate")
        .price("debts", increase=3.0, decrease=0.5)
        .between("income", 0, 18)
        .forbid("town", "Bern", "Aarau")
        .transition("savings", "low", "high", price=4.0)
        .freeze("grade")
        .rate("nullable", 2.0, per="year")
        .levels("debts", [0, 2, 3])
        .require("income <= nullable + 1")
    )


WORLDS = {
    "pandas": (pandas_table, lambda _: None),
    "pandas with rules": (pandas_table, lambda t: ruled(Terrain.infer(t))),
    "array": (array_table, lambda _: None),
    "float32 array": (lambda: array_table().astype(np.float32), lambda _: None),
    "polars": (polars_table, lambda _: None),
}


def cases(X) -> list[object]:
    if isinstance(X, np.ndarray):
        return [X[2], X[5], [3.25, 1.1, 1.0]]
    if isinstance(X, pl.DataFrame):
        return [X[2], X[5], {**X.row(4, named=True), "income": 3.75}]
    return [X.iloc[[2]], X.iloc[5], {**X.iloc[4].to_dict(), "income": 3.75}]


@pytest.fixture(params=WORLDS)
def world(request):
    make, terrain = WORLDS[request.param]
    X = make()
    explainer = FACElift(rising, terrain(X), n_neighbors=8, n_counterfactuals=4, edge_cost="power")
    return X, explainer.fit(X)


def arrays(folder: Path) -> Path:
    """Where a saved explainer has its arrays."""
    (place,) = folder.glob("arrays-*")
    return place


def told(folder: Path) -> dict:
    return json.loads((folder / "explainer.json").read_text(encoding="utf-8"))


def reseal(folder: Path, **changes) -> None:
    """Make all checksums right again after arrays or the description were changed."""
    content = {**told(folder), **changes}
    content.pop("checksum")
    for name in content["checksums"]:
        data = (arrays(folder) / f"{name}.npy").read_bytes()
        content["checksums"][name] = sha256(data).hexdigest()
    text = json.dumps(content, indent=1)
    seal = sha256(text.encode()).hexdigest()
    (folder / "explainer.json").write_text(f'{text[:-2]},\n "checksum": "{seal}"\n}}\n')


@pytest.fixture
def saved(tmp_path):
    """A folder with a saved explainer, and that explainer."""
    explainer = FACElift(rising, n_neighbors=4).fit(array_table())
    explainer.save(tmp_path / "saved")
    return tmp_path / "saved", explainer


def test_a_loaded_explainer_explains_to_the_same_bytes(world, tmp_path):
    X, explainer = world
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    found = 0
    for case in cases(X):
        expected = explainer.explain(case)
        assert loaded.explain(case).to_json() == expected.to_json()
        found += len(expected)
    assert found >= 4


def test_a_loaded_explainer_has_the_same_fitted_attributes(world, tmp_path):
    _, explainer = world
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert loaded.terrain_ == explainer.terrain_
    assert loaded.graph_.points.tobytes() == explainer.graph_.points.tobytes()
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(
            getattr(loaded.graph_.costs, part), getattr(explainer.graph_.costs, part)
        )
    for name in ("probabilities_", "classes_", "vertices_", "multiplicity_", "feature_names_in_"):
        assert np.array_equal(getattr(loaded, name), getattr(explainer, name)), name
    ours, theirs = loaded.get_params(), explainer.get_params()
    for name in set(theirs) - {"terrain"}:
        assert ours[name] == theirs[name]


def test_the_model_of_a_loaded_explainer_gets_tables_like_those_of_fit(world, tmp_path):
    X, explainer = world
    explainer.save(tmp_path / "saved")
    asked = []

    def witness(table):
        asked.append(table)
        return rising(table)

    FACElift.load(tmp_path / "saved", model=witness).explain(cases(X)[2])
    assert len(asked) == 3  # of all records, of the case, and of where it can get
    for table in asked:
        assert type(table) is type(X)
        if isinstance(X, pd.DataFrame):
            assert table.dtypes.equals(X.dtypes)
        elif isinstance(X, pl.DataFrame):
            assert table.schema == X.schema
        else:
            assert table.dtype == X.dtype


def test_polars_categories_survive(tmp_path):
    table = polars_table().with_columns(
        savings=pl.Series(["low", "mid", "high"] * 7, dtype=pl.Enum(["low", "mid", "high"])),
        kind=pl.Series(["a", "b", "c"] * 7, dtype=pl.Categorical),
    )
    explainer = FACElift(rising, n_neighbors=8).fit(table)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert loaded.explain(table[3]).to_json() == explainer.explain(table[3]).to_json()


def test_german_credit_survives(credit, tmp_path):
    credit.explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=credit.model)
    declined = credit.X[credit.chances() < 0.5].head(3)
    for one, other in zip(
        loaded.explain_many(declined), credit.explainer.explain_many(declined), strict=True
    ):
        assert len(one) > 0
        assert one.to_json() == other.to_json()


def test_an_explainer_of_actions_survives(tmp_path):
    X = pandas_table()
    terrain = ruled(Terrain.infer(X)).link("debts", "nullable")
    explainer = FACElift(rising, terrain, steps="actions", plausibility=1.0).fit(X)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert loaded.steps == "actions"
    assert loaded.terrain_ == terrain
    for i in (2, 5, 8):
        expected = explainer.explain(X.iloc[[i]])
        assert loaded.explain(X.iloc[[i]]).to_json() == expected.to_json()


def test_labels_keep_their_type(tmp_path):
    class Named:
        classes_ = np.array([False, True])
        predict_proba = staticmethod(rising)

    FACElift(Named(), n_neighbors=4).fit(array_table()).save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=Named())
    assert loaded.classes_.dtype == bool
    assert len(loaded.explain(array_table()[1], True)) > 0


def test_numbers_of_numpy_as_parameters_are_saved_as_numbers(tmp_path):
    explainer = FACElift(rising, n_neighbors=np.int64(4), threshold=np.float32(0.5))
    explainer.fit(array_table()).save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=rising)
    assert (loaded.n_neighbors, loaded.threshold) == (4, 0.5)


# What is written


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
        raise OSError("No space left on device")

    before = files()
    monkeypatch.setattr(np if call == "save" else Path, call, full)
    with pytest.raises(OSError, match="No space"):
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


# What is not read


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


def test_a_copy_of_the_folder_is_as_good(saved, tmp_path):
    folder, explainer = saved
    shutil.copytree(folder, tmp_path / "copy")
    shutil.rmtree(folder)
    loaded = FACElift.load(tmp_path / "copy", model=rising)
    case = array_table()[1]
    assert loaded.explain(case).to_json() == explainer.explain(case).to_json()
