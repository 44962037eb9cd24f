"""Trained networks on disk: plain arrays and a line of JSON, no pickle, whole or not there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from facelift._files import written_whole
from facelift._progress import announced
from facelift.errors import DamagedFile
from facelift.paper.networks import Arrays

FORMAT = "facelift/network/1"
_ABOUT = "about"


def kept(
    folder: Path, name: str, recipe: Mapping[str, Any], data: Arrays, train: Callable[[], Arrays]
) -> Arrays:
    """The arrays of a network trained by that recipe on that data: from the shelf, or trained now.

    The file is named by a digest of recipe and data, so that another seed, setting or row makes
    another file.
    """
    about = json.dumps({"format": FORMAT, "name": name, **recipe}, sort_keys=True)
    path = folder / f"{name}-{digest(about, data)}.npz"
    if path.exists():
        return read(path)
    with announced(f"Training the network of {name}; it is kept in {folder}"):
        arrays = train()
    write(path, arrays, about)
    return arrays


def write(path: Path, arrays: Arrays, about: str) -> None:
    """Write arrays and what they are about to one file."""
    if any(array.dtype.hasobject for array in arrays.values()):
        raise ValueError("Object arrays would need pickle; make them numbers or text.")
    with written_whole(path) as fresh, fresh.open("wb") as file:
        np.savez(file, **{_ABOUT: np.array(about)}, **arrays)  # type: ignore[arg-type]


def read(path: Path) -> Arrays:
    """The arrays of a file written by `write`; a damaged one is an error that names it."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        found = json.loads(str(arrays.pop(_ABOUT)[()]))["format"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as fault:
        raise DamagedFile(f"{path} is damaged: {fault}; delete it to train again.") from None
    if found != FORMAT:
        raise DamagedFile(f"{path} has format {found!r}; this version reads {FORMAT!r}.")
    return arrays


def digest(about: str, data: Arrays) -> str:
    """A short name that another word about them, or another bit of any array, would change."""
    whole = hashlib.sha256(about.encode())
    for name in sorted(data):
        array: npt.NDArray[Any] = np.ascontiguousarray(data[name])
        whole.update(f"{name} {array.dtype} {array.shape}".encode())
        whole.update(array.tobytes())
    return whole.hexdigest()[:16]
