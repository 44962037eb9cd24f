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

import numpy as np
import pandas as pd
from scipy import sparse

from facelift.arrays import Floats, Ints
from facelift.errors import InvalidFolder, InvalidInput
from facelift.graph.graph import Graph
from facelift.terrain.encoding import Column, Schema
from facelift.terrain.feature import Feature
from facelift.terrain.terrain import Terrain

FORMAT = "facelift/explainer/1"
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
    """Write the folder, replacing one that is there."""
    target = Path(folder)
    if target.exists() and not (target / "explainer.json").exists():
        raise InvalidFolder(f"{target} exists and is no saved explainer; choose another folder.")
    text = json.dumps(_description(content), ensure_ascii=False, indent=1)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as sibling:
        fresh = Path(sibling) / "new"
        fresh.mkdir()
        for name, array in _arrays(content).items():
            np.save(fresh / f"{name}.npy", array, allow_pickle=False)
        (fresh / "explainer.json").write_text(text, encoding="utf-8")
        if target.exists():
            target.rename(Path(sibling) / "old")
        fresh.rename(target)


def read(folder: str | Path) -> Content:
    """Read a folder written by `write`; anything else is one clear error."""
    source = Path(folder)
    try:
        description = json.loads((source / "explainer.json").read_text(encoding="utf-8"))
        found = description.get("format")
        if found != FORMAT:
            raise InvalidFolder(f"{source} has format {found!r}; this version reads {FORMAT!r}.")
        arrays = {name: np.load(source / f"{name}.npy", allow_pickle=False) for name in _ARRAYS}
        return _content(description, arrays)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        if isinstance(fault, InvalidFolder):
            raise
        raise InvalidFolder(f"{source} is no complete saved explainer: {fault}") from None


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
    for name, value in content.parameters.items():
        if callable(value):
            raise InvalidInput(
                f"The parameter {name} is a function, which cannot be saved; use a named one."
            )
    return {
        "format": FORMAT,
        "parameters": content.parameters,
        "classes": content.classes,
        "container": content.terrain.schema.container,
        "features": [
            _feature(feature, column.dtype)
            for feature, column in zip(
                content.terrain.features, content.terrain.schema.columns, strict=True
            )
        ],
    }


def _content(description: dict[str, Any], arrays: dict[str, Any]) -> Content:
    n = len(arrays["points"])
    costs = sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(n, n))
    return Content(
        parameters=description["parameters"],
        terrain=_terrain(description),
        graph=Graph(arrays["points"], costs),
        probabilities=arrays["probabilities"],
        classes=description["classes"],
        vertices=arrays["vertices"],
        multiplicity=arrays["multiplicity"],
    )


def _terrain(description: dict[str, Any]) -> Terrain:
    features = tuple(_read_feature(each) for each in description["features"])
    columns = tuple(
        Column(feature.name, _read_dtype(each["dtype"], description["container"]))
        for feature, each in zip(features, description["features"], strict=True)
    )
    return Terrain(features, Schema(description["container"], columns))


def _feature(feature: Feature, dtype: Any) -> dict[str, Any]:
    return {
        "name": feature.name,
        "kind": feature.kind,
        "levels": list(feature.levels),
        "low": feature.low,
        "high": feature.high,
        "increase": _finite(feature.increase),
        "decrease": _finite(feature.decrease),
        "lower": _finite(feature.lower),
        "upper": _finite(feature.upper),
        "transitions": [[a, b, _finite(price)] for a, b, price in feature.transitions],
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
