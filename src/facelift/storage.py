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
import math
import re
import secrets
import shutil
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints, fingerprint
from facelift._files import check_regular, folder_written_whole, held, written_whole
from facelift.errors import CannotWrite, InvalidFolder, InvalidInput
from facelift.graph.graph import Graph
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import KINDS
from facelift.terrain.kinds.numeric import MAX_DECIMALS
from facelift.terrain.tables import Column, Schema
from facelift.terrain.terrain import Terrain

__all__ = ["FORMAT", "Content", "read", "write"]

FORMAT = "facelift/explainer/2"
ARRAYS = ("points", "data", "indices", "indptr", "probabilities", "vertices", "multiplicity")
OPTIONAL = ("truths", "nearest")
"""Arrays that a folder has only where they are known."""

N_READ = 50
"""So many points are read as rows, to see whether the terrain is theirs."""

_JSON = "explainer.json"
_PLACE = re.compile(r"arrays-[0-9a-f]{16}")
_OWN = re.compile(rf"{re.escape(_JSON)}|{_PLACE.pattern}|\.({re.escape(_JSON)}|arrays)-[\w-]+")
"""Names of what a save writes, or leaves behind when it is killed."""

_WRONG_PLACE = (FileExistsError, NotADirectoryError, PermissionError)
"""What the system says of a place where no folder can be; the disk is not at fault."""


@dataclass(frozen=True, eq=False)
class Content:
    """What is kept of an explainer."""

    parameters: dict[str, Any]
    terrain: Terrain
    graph: Graph
    probabilities: Floats
    classes: list[Any]
    vertices: Ints
    multiplicity: Ints
    share_rows: bool = True
    truths: Floats | None = None
    nearest: Bools | None = None

    @property
    def arrays(self) -> dict[str, Any]:
        """What is kept as arrays, by name."""
        costs = self.graph.costs
        truths = {} if self.truths is None else {"truths": self.truths}
        nearest = {} if self.nearest is None else {"nearest": np.packbits(self.nearest)}
        return {
            **truths,
            **nearest,
            "points": self.graph.points,
            "data": costs.data,
            "indices": costs.indices,
            "indptr": costs.indptr,
            "probabilities": self.probabilities,
            "vertices": self.vertices,
            "multiplicity": self.multiplicity,
        }

    @property
    def fingerprints(self) -> dict[str, str]:
        """Of the records and of the model's answers to them, as on receipts."""
        return {"data": fingerprint(self.graph.points), "model": fingerprint(self.probabilities)}


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


def description(content: Content) -> dict[str, Any]:
    """The part of an explainer that is no array, as JSON can hold it."""
    terrain = _told_terrain(content.terrain)
    return {
        "parameters": {name: _parameter(name, v) for name, v in content.parameters.items()},
        "share_rows": content.share_rows,
        "classes": [_label(each, "A class") for each in content.classes],
        "terrain": terrain,
        "fingerprints": {**content.fingerprints, "terrain": _terrain_fingerprint(terrain)},
    }


def content_of(document: dict[str, Any], arrays: dict[str, Any]) -> Content:
    """The explainer that a description and its arrays tell of; an error if they do not fit."""
    content = Content(
        parameters={"margin": 0.0, **document["parameters"]},  # older folders have none
        terrain=_terrain(document["terrain"]),
        graph=Graph(arrays["points"], _costs(arrays, len(arrays["points"]))),
        probabilities=arrays["probabilities"],
        classes=[_label(each, "A class") for each in document["classes"]],
        vertices=arrays["vertices"],
        multiplicity=arrays["multiplicity"],
        share_rows=document.get("share_rows", True),
        truths=arrays.get("truths"),
        nearest=_unpacked(arrays.get("nearest"), len(arrays["data"])),
    )
    _check_consistent(content)
    found = {**content.fingerprints, "terrain": _terrain_fingerprint(document["terrain"])}
    if found != document["fingerprints"]:
        raise ValueError("its fingerprints are those of other data, terrain or answers.")
    return content


def _terrain_fingerprint(document: dict[str, Any]) -> str:
    return sha256(json.dumps(document).encode()).hexdigest()[:16]


def _told_terrain(terrain: Terrain) -> dict[str, Any]:
    parts = zip(terrain.features, terrain.schema.columns, strict=True)
    return {
        "container": terrain.schema.container,
        "features": [_feature(feature, column.dtype) for feature, column in parts],
        "links": [list(link) for link in terrain.links],
        "requirements": [_requirement(rule) for rule in terrain.requirements],
    }


def _parameter(name: str, value: Any) -> Any:
    if callable(value):
        raise InvalidInput(
            f"The parameter {name} is a function, which cannot be saved; use a named one."
        )
    try:
        return json.loads(json.dumps(value, default=_item))
    except TypeError:
        raise InvalidInput(f"The parameter {name} cannot be saved: {value!r}.") from None


def _requirement(rule: Any) -> str:
    if isinstance(rule, str):
        return rule
    raise InvalidInput(
        "A requirement of the terrain is a function, which cannot be saved; write it as an "
        "expression, such as 'installments <= duration'."
    )


def _item(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(type(value).__name__)


def _label(value: Any, what: str) -> Any:
    """A name or level that JSON gives back as it was."""
    if isinstance(value, str | bool | int | float):
        return value
    raise InvalidInput(
        f"{what} is {value!r}, a {type(value).__name__}, which cannot be saved; "
        "make it text or a number (astype(str), say)."
    )


def _costs(arrays: dict[str, Any], n: int) -> sparse.csr_array:
    """The costs of edges, once their places are sure to be places.

    SciPy believes a last pointer below zero, and then writes where it must not.
    """
    data, indices, pointers = arrays["data"], arrays["indices"], arrays["indptr"]
    whole = indices.dtype.kind == pointers.dtype.kind == "i"
    if not (whole and pointers.shape == (n + 1,) and data.shape == indices.shape == (len(data),)):
        raise ValueError("its edges are of no graph.")
    ends = pointers[0] == 0 and pointers[-1] == len(data)
    if not (ends and (np.diff(pointers) >= 0).all() and _below(indices, n)):
        raise ValueError("its edges lead to places that are not there.")
    return sparse.csr_array((data, indices, pointers), shape=(n, n))


def _unpacked(bits: Any, n: int) -> Bools | None:
    """One boolean per edge, if they are kept."""
    if bits is None:
        return None
    if bits.dtype != np.uint8 or bits.shape != (-(-n // 8),):
        raise ValueError("its nearest edges are of no graph.")
    return np.asarray(np.unpackbits(bits, count=n).view(bool))


def _below(numbers: Any, n: int) -> bool:
    return bool(((numbers >= 0) & (numbers < n)).all())


def _check_consistent(content: Content) -> None:
    n, vertices = len(content.graph), content.vertices
    n_truths = len(content.classes) + 1 if content.classes else 2
    fits = (
        content.graph.points.shape == (n, content.terrain.n_coordinates)
        and content.probabilities.shape == (n, len(content.classes) or 1)
        and content.multiplicity.shape == (n,)
        and (content.truths is None or content.truths.shape == (n, n_truths))
        and vertices.dtype.kind == "i"
        and _below(vertices, n)
        and np.array_equal(np.bincount(vertices, minlength=n), content.multiplicity)
    )
    if not fits:
        raise ValueError("its arrays do not fit each other.")
    some = content.graph.points[:: max(1, n // N_READ)]
    if not np.allclose(content.terrain.encode(content.terrain.decode(some)), some):
        raise ValueError("its points are no rows of its table.")


def _terrain(document: dict[str, Any]) -> Terrain:
    """The terrain, made by the same calls as anybody's, which check what they are given."""
    features = tuple(_read_feature(each) for each in document["features"])
    names = [feature.name for feature in features]
    if document["container"] not in ("pandas", "polars", "array") or len(set(names)) != len(names):
        raise ValueError("its terrain is that of no table.")
    dtypes = [_read_dtype(each["dtype"], document["container"]) for each in document["features"]]
    columns = tuple(map(Column, names, dtypes))
    terrain = Terrain(features, Schema(document["container"], columns))
    for link in document["links"]:
        terrain = terrain.link(*link)
    for rule in document["requirements"]:
        terrain = terrain.require(str(rule))
    return terrain


def _feature(feature: Feature, dtype: Any) -> dict[str, Any]:
    return {
        "name": _label(feature.name, "A column's name"),
        "kind": feature.kind,
        "levels": [_label(each, f"A level of {feature.name!r}") for each in feature.levels],
        "low": feature.low,
        "high": feature.high,
        "increase": _finite(feature.increase),
        "decrease": _finite(feature.decrease),
        "lower": _finite(feature.lower),
        "upper": _finite(feature.upper),
        "transitions": [[a, b, _finite(price)] for a, b, price in feature.transitions],
        "stops": feature.stop_values,
        "rate": feature.rate,
        "per": feature.per,
        "decimals": feature.decimals,
        "seen": None if feature.seen is None else feature.seen.tolist(),
        "dtype": _dtype(dtype),
        "missing": feature.missing,
        "found": _finite(feature.found),
        "lost": _finite(feature.lost),
        "blank": feature.blank,
        **({"written": feature.written} if feature.written else {}),
        **({"ages": feature.ages} if feature.ages is not None else {}),
        **({"personal": True} if feature.personal else {}),
        **({"worse": _worse(feature)} if feature.worse else {}),
        **{key: words for key in _WORDS if (words := getattr(feature, key))},
        **({"values": [list(each) for each in feature.named]} if feature.named else {}),
        **({"codes": list(feature.coded)} if feature.coded else {}),
        **({"span": feature.spanned} if feature.spanned is not None else {}),
    }


def _worse(feature: Feature) -> str | list[Any]:
    """Which changes make somebody worse off, as JSON can hold it."""
    return feature.worse if isinstance(feature.worse, str) else list(feature.worse)


def _read_feature(each: dict[str, Any]) -> Feature:
    feature = _scale(each).priced(
        increase=_number(each["increase"], math.inf), decrease=_number(each["decrease"], math.inf)
    )
    bounds = _number(each["lower"], -math.inf), _number(each["upper"], math.inf)
    if bounds != (-math.inf, math.inf):
        feature = feature.bounded(*bounds)
    for start, end, price in each["transitions"]:
        feature = feature.transition(start, end, _number(price, math.inf))
    if feature.missing:
        found, lost = (_number(each[name], math.inf) for name in ("found", "lost"))
        feature = feature.priced_missing(found=found, lost=lost)
    if each["stops"]:
        feature = feature.stopping_at(each["stops"])
    if "worse" in each:
        feature = feature.worsened(each["worse"])
    if "span" in each:
        feature = feature.spanning(each["span"])
    if each["rate"] is not None:
        feature = feature.timed(each["rate"], str(each["per"]))
    return feature.ageing(each["ages"], str(each["per"])) if "ages" in each else feature


def _scale(each: dict[str, Any]) -> Feature:
    """A feature that may change freely: how its column is encoded and decoded."""
    name, levels = each["name"], [_label(level, "A level") for level in each["levels"]]
    kind, low, high, decimals = each["kind"], each["low"], each["high"], each["decimals"]
    seen = None if each["seen"] is None else np.array(each["seen"], dtype=np.float64)
    fits = (
        kind in KINDS
        and KINDS[kind].can_have(levels, missing=each["missing"])
        and -math.inf < low <= high < math.inf
        and (decimals is None or decimals in range(MAX_DECIMALS + 1))
        and (each["missing"], each["blank"]) in ((True, "nan"), (True, "none"), (False, "nan"))
        and (seen is None or (seen.ndim == 1 and len(seen) and (np.diff(seen) > 0).all()))
    )
    if not fits:
        raise ValueError(f"its column {name!r} cannot be.")
    return Feature(
        _label(name, "A column's name"),
        kind,
        tuple(levels),
        float(low),
        float(high),
        decimals=decimals,
        seen=seen,
        missing=each["missing"],
        blank=each["blank"],
        written=str(each.get("written", "")),
        personal=each.get("personal") is True,
        named=tuple(
            (_label(level, "A level"), str(words)) for level, words in each.get("values", [])
        ),
        label=str(each.get("label", "")),
        unit=str(each.get("unit", "")),
        about=str(each.get("about", "")),
        read=str(each.get("read", "")),
        coded=tuple(_label(code, "A code") for code in each.get("codes", [])),
    )


_WORDS = ("label", "unit", "about", "read")
"""What is said of a feature in words."""


def _dtype(dtype: Any) -> dict[str, Any]:
    if isinstance(dtype, pd.CategoricalDtype):
        levels = dtype.categories
        kind = {"name": "category", "ordered": bool(dtype.ordered), "of": str(levels.dtype)}
        return {**kind, "levels": levels.tolist()}
    if hasattr(dtype, "categories"):
        return {"name": "Enum", "levels": list(dtype.categories)}
    if hasattr(dtype, "time_unit"):  # of polars
        zone = {"zone": dtype.time_zone} if hasattr(dtype, "time_zone") else {}
        return {"name": type(dtype).__name__, "unit": dtype.time_unit, **zone}
    return {"name": str(dtype)}


def _read_dtype(given: dict[str, Any], container: str) -> Any:
    if container == "polars":
        import narwhals as nw

        if given["name"] == "Enum":
            return nw.Enum(given["levels"])
        kind = getattr(nw, given["name"])
        if not (isinstance(kind, type) and issubclass(kind, nw.dtypes.DType)):
            raise ValueError(f"{given['name']!r} is no type of a column.")
        details = {"time_unit": given.get("unit"), "time_zone": given.get("zone")}
        return kind(**{key: each for key, each in details.items() if each is not None})
    if given["name"] == "category":
        levels = pd.Index(given["levels"], dtype=given["of"])
        return pd.CategoricalDtype(levels, ordered=given["ordered"])
    dtype = pd.api.types.pandas_dtype(given["name"])
    return np.dtype(object) if dtype.kind == "U" else dtype  # `str` before pandas 3.0


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else float(value)
