"""Fuzz the loader of saved explainers: `python -m tests.harness.fuzz.folder --seconds 30`.

Checksums are made right again after a folder was spoiled, as somebody of ill will would.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from .running import Dice, Target, main, one_line, spoiled


def make(home: Path) -> tuple[Target, Iterable[bytes]]:
    import numpy as np
    import pandas as pd

    from facelift import FACElift, Terrain
    from facelift.errors import FaceliftError
    from facelift.storage import sealed

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.clip(np.asarray(frame.iloc[:, 0], dtype=np.float64) / 12, 0, 1)
        return np.column_stack([1 - chance, chance])

    i = np.arange(12)
    levels = pd.CategoricalDtype(["none", "low", "high"], ordered=True)
    people = pd.DataFrame(
        {
            "income": i * 1.0,
            "savings": pd.Categorical.from_codes(i % 3, dtype=levels),
            "town": np.array(["Aarau", "Bern"])[i % 2],
            "share": i / 7,
        }
    )
    terrain = Terrain.infer(people).price("share", 2.0).forbid("town", "Bern", "Aarau")
    terrain = terrain.require("income <= 11").between("income", 0, 11)
    folder = home / "saved"
    FACElift(model, terrain, n_neighbors=3).fit(people).save(folder)
    told = json.loads((folder / "explainer.json").read_text())
    del told["checksum"]
    (place,) = folder.glob("arrays-*")
    files = {path: path.read_bytes() for path in sorted(place.iterdir())}
    case = people.iloc[[2]]

    def spoil(data: bytes) -> None:
        content, dice = json.loads(json.dumps(told)), Dice(data[1:])
        if data[:1] < b"\x20":
            content = spoiled(content, dice)
        elif data[:1] < b"\xa0":
            part = dice.one_of(["terrain", "terrain", "terrain", "parameters", "classes"])
            content[part] = spoiled(content[part], dice)
        else:
            path = dice.one_of(list(files))
            at, put = dice.below(len(files[path])), dice.rest()[:16] or b"\x00"
            path.write_bytes(files[path][:at] + put + files[path][at + len(put) :])
        if isinstance(content, dict) and data[:1] < b"\xf0":
            content = {**content, **repaired(place, content)}
        text = sealed(content) if isinstance(content, dict) else json.dumps(content)
        (folder / "explainer.json").write_text(text)

    def target(data: bytes) -> None:
        spoil(data)
        try:
            FACElift.load(folder, model=model).explain(case, target=1)
        except FaceliftError as fault:
            one_line(fault)
        finally:
            for path, whole in files.items():
                path.write_bytes(whole)

    return target, []


def repaired(place: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Checksums and fingerprints of what is there now."""
    import numpy as np

    from facelift._arrays import fingerprint

    paths = {path.stem: path for path in place.iterdir()}
    checksums = {name: sha256(path.read_bytes()).hexdigest() for name, path in paths.items()}
    prints = {"terrain": sha256(json.dumps(content.get("terrain")).encode()).hexdigest()[:16]}
    for name, array in {"data": "points", "model": "probabilities"}.items():
        try:
            prints[name] = fingerprint(np.load(paths[array]))
        except Exception:  # it is no array any more
            prints[name] = ""
    return {"checksums": checksums, "fingerprints": prints}


if __name__ == "__main__":
    main(make, instrumented=["facelift.storage", "facelift.terrain", "facelift.explainer"])
