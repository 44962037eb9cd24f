"""A fitted explainer as a folder of plain arrays and one JSON file; no pickle anywhere.

The folder is written to a temporary sibling and renamed, so there is the old one or the new one,
never half of it.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from scipy import sparse

from facelift.arrays import Floats, Ints
from facelift.errors import InvalidFolder, InvalidInput
from facelift.graph.graph import Graph
from facelift.terrain.feature import Feature
from facelift.terrain.tables import Column, Schema
from facelift.terrain.terrain import Terrain

FORMAT = "facelift/explainer/1"
_JSON = "explainer.json"
_ARRAYS = ("points", "data", "indices", "indptr", "probabilities", "vertices", "multiplicity")


@dataclass(frozen=True, eq=False)
class Content:
    """Everything a fitted explainer knows, but its model."""

    parameters: dict[str, Any]
    terrain: Terrain
    graph: Graph
    probabilities: Floats
    classes: list[Any]
    vertices: Ints
    multiplicity: Ints


def write(folder: str | Path, content: Content) -> None:
    """Write the folder, replacing a saved explainer (and nothing else) that is there."""
    target = Path(folder)
    if not _may_replace(target):
        raise InvalidFolder(f"{target} exists and is no saved explainer; choose another folder.")
    text = json.dumps(_description(content), ensure_ascii=False, indent=1)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as sibling:
        fresh = Path(sibling) / "new"
        fresh.mkdir()
        for name, array in _arrays(content).items():
            np.save(fresh / f"{name}.npy", array, allow_pickle=False)
        (fresh / _JSON).write_text(text, encoding="utf-8")
        _swap(fresh, target, Path(sibling) / "old")


def read(folder: str | Path) -> Content:
    """Read a folder written by `write`; anything else is one clear error."""
    source = Path(folder)
    if not source.is_dir():
        raise InvalidFolder(f"There is no folder {source} to load an explainer from.")
    try:
        description = json.loads((source / _JSON).read_text(encoding="utf-8"))
        found = description.get("format")
        if found != FORMAT:
            raise InvalidFolder(f"{source} has format {found!r}; this version reads {FORMAT!r}.")
        arrays = {name: _array(source / f"{name}.npy") for name in _ARRAYS}
        return _content(description, arrays)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        if isinstance(fault, InvalidFolder):
            raise
        raise InvalidFolder(f"{source} is no complete saved explainer: {fault}") from None


def _may_replace(target: Path) -> bool:
    """Whether nothing is there, or an empty folder, or one that holds our files and no others."""
    if not target.exists():
        return True
    if not target.is_dir():
        return False
    names = {each.name for each in target.iterdir()}
    return not names or (_JSON in names and names <= {_JSON, *(f"{a}.npy" for a in _ARRAYS)})


def _swap(fresh: Path, target: Path, old: Path) -> None:
    """Put the new folder in the place of the old one; if that fails, the old one stays."""
    if target.exists():
        target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise


def _array(path: Path) -> Any:
    try:
        array = np.load(path, allow_pickle=False, mmap_mode="r")
    except (ValueError, EOFError, BadZipFile) as fault:
        raise InvalidFolder(f"{path} is damaged: {fault}") from None
    if not isinstance(array, np.ndarray):
        raise InvalidFolder(f"{path} is damaged: it holds no single array.")
    return np.asarray(array)  # still on disk, and read when looked at


def _arrays(content: Content) -> dict[str, Any]:
    costs = content.graph.costs
    return {
        "points": content.graph.points,
        "data": costs.data,
        "indices": costs.indices,
        "indptr": costs.indptr,
        "probabilities": content.probabilities,
        "vertices": content.vertices,
        "multiplicity": content.multiplicity,
    }


def _description(content: Content) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "parameters": {name: _parameter(name, v) for name, v in content.parameters.items()},
        "classes": [_label(each, "A class") for each in content.classes],
        "container": content.terrain.schema.container,
        "features": [
            _feature(feature, column.dtype)
            for feature, column in zip(
                content.terrain.features, content.terrain.schema.columns, strict=True
            )
        ],
        "links": [list(link) for link in content.terrain.links],
        "requirements": [_requirement(rule) for rule in content.terrain.requirements],
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


def _content(description: dict[str, Any], arrays: dict[str, Any]) -> Content:
    n = len(arrays["points"])
    costs = sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(n, n))
    costs.check_format(full_check=True)
    content = Content(
        parameters=description["parameters"],
        terrain=_terrain(description),
        graph=Graph(arrays["points"], costs),
        probabilities=arrays["probabilities"],
        classes=description["classes"],
        vertices=arrays["vertices"],
        multiplicity=arrays["multiplicity"],
    )
    _check_consistent(content)
    return content


def _check_consistent(content: Content) -> None:
    n, vertices = len(content.graph), content.vertices
    fits = (
        content.graph.points.shape == (n, content.terrain.n_coordinates)
        and content.probabilities.shape == (n, len(content.classes))
        and content.multiplicity.shape == (n,)
        and np.array_equal(np.bincount(vertices, minlength=n), content.multiplicity)
    )
    if not fits:
        raise ValueError("its arrays do not fit each other.")


def _terrain(description: dict[str, Any]) -> Terrain:
    features = tuple(_read_feature(each) for each in description["features"])
    columns = tuple(
        Column(feature.name, _read_dtype(each["dtype"], description["container"]))
        for feature, each in zip(features, description["features"], strict=True)
    )
    return Terrain(
        features,
        Schema(description["container"], columns),
        links=tuple(tuple(link) for link in description["links"]),
        requirements=tuple(description["requirements"]),
    )


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
        "stops": list(feature.stops),
        "rate": feature.rate,
        "per": feature.per,
        "decimals": feature.decimals,
        "seen": None if feature.seen is None else feature.seen.tolist(),
        "dtype": _dtype(dtype),
    }


def _read_feature(each: dict[str, Any]) -> Feature:
    return Feature(
        name=each["name"],
        kind=each["kind"],
        levels=tuple(each["levels"]),
        low=each["low"],
        high=each["high"],
        increase=_number(each["increase"], math.inf),
        decrease=_number(each["decrease"], math.inf),
        lower=_number(each["lower"], -math.inf),
        upper=_number(each["upper"], math.inf),
        transitions=tuple((a, b, _number(price, math.inf)) for a, b, price in each["transitions"]),
        stops=tuple(each["stops"]),
        rate=each["rate"],
        per=each["per"],
        decimals=each["decimals"],
        seen=None if each["seen"] is None else np.array(each["seen"], dtype=np.float64),
    )


def _dtype(dtype: Any) -> dict[str, Any]:
    if isinstance(dtype, pd.CategoricalDtype):
        levels = dtype.categories
        kind = {"name": "category", "ordered": bool(dtype.ordered), "of": str(levels.dtype)}
        return {**kind, "levels": levels.tolist()}
    if hasattr(dtype, "categories"):
        return {"name": "Enum", "levels": list(dtype.categories)}
    return {"name": str(dtype)}


def _read_dtype(given: dict[str, Any], container: str) -> Any:
    if container == "polars":
        import narwhals as nw

        return nw.Enum(given["levels"]) if given["name"] == "Enum" else getattr(nw, given["name"])()
    if given["name"] == "category":
        levels = pd.Index(given["levels"], dtype=given["of"])
        return pd.CategoricalDtype(levels, ordered=given["ordered"])
    return pd.api.types.pandas_dtype(given["name"])


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else float(value)
