"""Constraints under the names that other explainers give them, as refinements of a terrain."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from facelift.errors import InvalidInput

if TYPE_CHECKING:
    from facelift.terrain.terrain import Terrain


def limited_to(
    terrain: Terrain,
    features_to_vary: str | Iterable[Hashable] | None,
    permitted_range: Mapping[Hashable, Sequence[Any]] | None,
    immutable_features: Iterable[Hashable] | None,
) -> Terrain:
    """The terrain with what DiCE and alibi call by these names.

    Columns that may not vary are frozen; a range of numbers bounds a column, a list of levels
    forbids changes to any other.
    """
    if features_to_vary is not None and features_to_vary != "all":
        wanted = _names(terrain, "features_to_vary", features_to_vary)
        terrain = terrain.freeze(*(f.name for f in terrain.features if f.name not in wanted))
    for name, permitted in (permitted_range or {}).items():
        terrain = _permitted(terrain, name, permitted)
    if immutable_features is not None:
        terrain = terrain.freeze(*_names(terrain, "immutable_features", immutable_features))
    return terrain


def _names(terrain: Terrain, what: str, given: str | Iterable[Hashable]) -> list[Hashable]:
    if isinstance(given, str):
        raise InvalidInput(f"{what} takes a list of columns, got {given!r}.")
    return [terrain.feature(name).name for name in given]


def _permitted(terrain: Terrain, name: Hashable, permitted: Sequence[Any]) -> Terrain:
    feature = terrain.feature(name)
    if isinstance(permitted, str) or not len(permitted):
        raise InvalidInput(
            f"permitted_range of {name!r} takes [low, high] or a list of levels, got {permitted!r}."
        )
    if feature.kind == "numeric":
        if len(permitted) != 2:
            raise InvalidInput(f"permitted_range of {name!r} takes [low, high], got {permitted}.")
        return terrain.between(name, *permitted)
    allowed = {feature.level(each) for each in permitted}
    for end in feature.levels:
        for start in feature.levels:
            if end not in allowed and start != end:
                terrain = terrain.forbid(name, start, end)
    return terrain
