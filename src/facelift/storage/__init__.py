"""A fitted explainer as a folder of plain arrays and one JSON file; no pickle anywhere.

The folder is always the old one or the new one, and is read only if it is whole.

    saved/explainer.json               what is no array, and a checksum of every file
    saved/arrays-1f0c9a3e/points.npy   and so on

Arrays are written to a temporary sibling that is renamed to a name of its own; they count from the
moment the JSON file that names them takes the place of the one before, which is one operation.
Whoever saves holds the folder, so that two never write at once, and sweeps at the end what its JSON
file does not name; readers hold nothing, and read again if what they looked for is gone.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import numpy as np

from facelift._files import check_regular, folder_written_whole, held, written_whole
from facelift.errors import CannotWrite, InvalidFolder
from facelift.storage.description import ARRAYS, OPTIONAL, Content, content_of, description

__all__ = ["FORMAT", "Content", "read", "write"]

FORMAT = "facelift/explainer/2"
_JSON = "explainer.json"
_PLACE = re.compile(r"arrays-[0-9a-f]{16}")
_OWN = re.compile(rf"{re.escape(_JSON)}|{_PLACE.pattern}|\.({re.escape(_JSON)}|arrays)-[\w-]+")
"""Names of what a save writes, or leaves behind when it is killed."""

_WRONG_PLACE = (FileExistsError, NotADirectoryError, PermissionError)
"""What the system says of a place where no folder can be; the disk is not at fault."""


def write(folder: str | Path, content: Content) -> None:
    """Write the folder, replacing a saved explainer (and nothing else) that is there."""
    target = Path(folder)
    if not _may_replace(target):
        raise InvalidFolder(f"{target} exists and is no saved explainer; choose another folder.")
    document = description(content)  # before anything is written: not everything can be
    try:
        _written(target, document, content.arrays)
    except _WRONG_PLACE:
        raise
    except OSError as fault:
        size = sum(array.nbytes for array in content.arrays.values())
        reason = fault.strerror or "the disk took only a part; it may be full"
        raise CannotWrite(
            f"{target} could not be written: {reason}. About {size / 1e6:.1f} MB are needed; what "
            "was saved there before is untouched."
        ) from fault


def _written(target: Path, document: dict[str, Any], arrays: dict[str, Any]) -> None:
    if (target / _JSON).exists():
        with held(target) as alone:
            _fill(target, document, arrays)
            if alone:
                _sweep(target)
        return
    if target.exists():
        shutil.rmtree(target)  # empty, or what a killed save left behind
    with folder_written_whole(target) as fresh:
        _fill(fresh, document, arrays)


def read(folder: str | Path) -> Content:
    """Read a folder written by `write`; anything else is one clear error."""
    source = Path(folder)
    if not source.is_dir():
        raise InvalidFolder(f"There is no folder {source} to load an explainer from.")
    try:
        return _read(source)
    except InvalidFolder:
        raise
    except Exception as fault:  # whatever a stranger's folder does to us, it is the folder's
        message = " ".join(str(fault).split()) or type(fault).__name__
        raise InvalidFolder(f"{source} is no complete saved explainer: {message}") from None


def sealed(content: dict[str, Any]) -> str:
    """The text of a JSON file that ends with the checksum of the rest.

    >>> sealed({"a": 1}).splitlines()[:2]
    ['{', ' "a": 1,']
    """
    text = json.dumps(content, indent=1)
    return f'{text[:-2]},\n "checksum": "{sha256(text.encode()).hexdigest()}"\n}}\n'


def _fill(folder: Path, document: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write arrays beside those that are there, then the file that says which count."""
    before, place = _arrays_named(folder), f"arrays-{secrets.token_hex(8)}"
    try:
        with folder_written_whole(folder / place) as fresh:
            for name, array in arrays.items():
                np.save(fresh / f"{name}.npy", array, allow_pickle=False)
            checksums = {name: _digest(fresh / f"{name}.npy") for name in arrays}
        head = {"format": FORMAT, "arrays": place, "checksums": checksums}
        with written_whole(folder / _JSON) as fresh:
            fresh.write_text(sealed(head | document), encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder / place, ignore_errors=True)
        raise
    if before is not None:
        shutil.rmtree(folder / before, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what killed saves left: all of our names that the JSON file does not name.

    Only for who holds the folder: nobody else is writing there.
    """
    kept = {_JSON, _arrays_named(folder)}
    if None in kept:
        return
    for stray in folder.iterdir():
        if stray.name not in kept and _OWN.fullmatch(stray.name):
            if stray.is_dir() and not stray.is_symlink():
                shutil.rmtree(stray, ignore_errors=True)
            else:
                stray.unlink(missing_ok=True)


def _arrays_named(folder: Path) -> str | None:
    """The arrays that count until now, if the folder can be read so far."""
    try:
        place = str(json.loads((folder / _JSON).read_text(encoding="utf-8"))["arrays"])
    except Exception:  # a damaged explainer is replaced, and what it named is left alone
        return None
    return place if _PLACE.fullmatch(place) else None


def _read(source: Path) -> Content:
    check_regular(source / _JSON)
    text = (source / _JSON).read_bytes()
    try:
        document = _unsealed(source, text)
        return content_of(document, _arrays(source / document["arrays"], document["checksums"]))
    except FileNotFoundError:
        if (source / _JSON).read_bytes() != text:  # somebody saved another one just now
            return _read(source)
        raise


def _unsealed(source: Path, text: bytes) -> dict[str, Any]:
    """What the JSON file says; an error if a single character of it is different."""
    document: Any = json.loads(text)
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise InvalidFolder(f"{source} {_of_another_kind(found)}")
    del document["checksum"]
    if sealed(document).encode() != text:
        raise InvalidFolder(f"{source / _JSON} is damaged: it is not what its checksum says.")
    if not _PLACE.fullmatch(document["arrays"]):
        raise ValueError(f"{document['arrays']!r} is no name of arrays.")
    return dict(document)


def _of_another_kind(found: object) -> str:
    name, _, version = str(found).rpartition("/")
    if name != FORMAT.rpartition("/")[0]:
        return f"is no saved explainer: its format is {found!r}, not {FORMAT!r}."
    if version.isdecimal() and int(version) < int(FORMAT.rpartition("/")[2]):
        return f"has format {found!r}; this version reads {FORMAT!r}: fit and save again."
    return f"has format {found!r}; this version reads {FORMAT!r}: use the version that wrote it."


def _arrays(place: Path, checksums: dict[str, str]) -> dict[str, Any]:
    kept = [*ARRAYS, *(name for name in OPTIONAL if name in checksums)]
    paths = {name: place / f"{name}.npy" for name in kept}
    for name, path in paths.items():
        check_regular(path)
        if _digest(path) != checksums[name]:
            raise InvalidFolder(f"{path} is damaged: it is not what its checksum says.")
    return {name: _array(path) for name, path in paths.items()}


def _array(path: Path) -> Any:
    """An array that stays on disk, to be read when looked at."""
    try:
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except FileNotFoundError:
        raise
    except Exception as fault:
        raise InvalidFolder(f"{path} is damaged: {fault}") from None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _may_replace(target: Path) -> bool:
    """Whether nothing is there, or a folder that holds our files and no others."""
    if not target.exists():
        return True
    if not target.is_dir():
        return False
    return all(_OWN.fullmatch(each.name) for each in target.iterdir())
