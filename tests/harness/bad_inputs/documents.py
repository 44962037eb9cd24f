"""Multiverse documents and saved explainers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from facelift import FACElift, Multiverse, toys

from .frames import model, people
from .table import Answer, BadInput, called

DOCUMENT = json.loads(toys.loan().multiverse().to_json())


def document(name: str, text: Any, words: str) -> BadInput:
    text = text if isinstance(text, str | bytes | None) else json.dumps({**DOCUMENT, **text})
    return called(f"document: {name}", lambda: Multiverse.from_json(text), "InvalidInput", words)


def folder(
    name: str, spoil: Callable[[Path], Any], words: str, code: str = "InvalidFolder"
) -> BadInput:
    def give(home: Path) -> Answer:
        saved = home / "given"
        FACElift(model, n_neighbors=3).fit(people()).save(saved)
        other = spoil(saved) or model
        return called(name, lambda: FACElift.load(saved, model=other), "", "").give(home)

    return BadInput(f"folder: {name}", give, code, words)


def array(saved: Path, name: str) -> Path:
    (path,) = saved.glob(f"arrays-*/{name}.npy")
    return path


def described(saved: Path, **changes: Any) -> None:
    path = saved / "explainer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}, indent=1))


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)


def emptied(saved: Path) -> None:
    for path in sorted(saved.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()


def other_model(_saved: Path) -> Callable[[Any], np.ndarray]:
    return lambda rows: model(rows)[:, ::-1]


def one_row_differs(_saved: Path) -> Callable[[Any], np.ndarray]:
    return lambda rows: np.where(np.asarray(rows["income"])[:, None] == 6, 0.5, model(rows))


def save_among_files(home: Path) -> Answer:
    given = home / "given"
    given.mkdir()
    (given / "thesis.txt").write_text("years of work")
    save = lambda: FACElift(model, n_neighbors=3).fit(people()).save(given)  # noqa: E731
    answer = called("", save, "", "").give(home)
    kept = [path.read_text() for path in given.iterdir()] == ["years of work"]
    return answer if kept else Answer("lost", "files were lost")


CASES = [
    document("no text", None, "Not a JSON document"),
    document("nothing", "", "Not a JSON document"),
    document("half of it", json.dumps(DOCUMENT)[:200], "Not a JSON document"),
    document("NaN", "NaN", "NaN is no JSON"),
    document("very deep", "[" * 100_000, "Not a JSON document"),
    document("a list", "[]", "schema None"),
    document("another version", {"schema": "facelift/multiverse/99"}, "facelift/multiverse/99"),
    document("no journeys", {"journeys": None}, "damaged"),
    document("fewer destinations", {"destinations": []}, "damaged"),
    document("a goal of text", {"goal": "good"}, "damaged: ValueError('Goal"),
    document("rows without columns", {"columns": [{"name": "a", "dtype": "int64"}]}, "rows"),
    folder("nothing in it", emptied, "explainer.json"),
    folder("no JSON file", lambda f: (f / "explainer.json").unlink(), "explainer.json"),
    folder("half a JSON file", lambda f: (f / "explainer.json").write_text("{"), "no complete"),
    folder("JSON of something else", lambda f: described(f, format="x/1"), "no saved explainer"),
    folder(
        "a newer version",
        lambda f: described(f, format="facelift/explainer/99"),
        "use the version that wrote it",
    ),
    folder("a changed parameter", lambda f: described(f, classes=[1, 0]), "checksum"),
    folder("an array missing", lambda f: array(f, "points").unlink(), "points.npy"),
    folder("an array cut short", lambda f: array(f, "data").write_bytes(b"\x93NUM"), "data.npy"),
    folder("a flipped bit", lambda f: flipped(array(f, "vertices")), "vertices.npy is damaged"),
    folder("another model", other_model, "answers differently", "InvalidModel"),
    folder("a model with one other answer", one_row_differs, "answers differently", "InvalidModel"),
    folder("no model", lambda _: object(), "no predict_proba", "InvalidModel"),
    called(
        "folder: not there",
        lambda: FACElift.load("nowhere", model=model),
        "InvalidFolder",
        "nowhere",
    ),
    BadInput("folder: full of other files", save_among_files, "InvalidFolder", "choose another"),
    called(
        "folder: not fitted",
        lambda: FACElift(model).save("nowhere"),
        "NotFitted",
        "call fit(X) first",
    ),
]
