"""A terrain as a printed table, and the constraints of DiCE and alibi as a terrain.

The table has a row for each column, and a line for each rule between columns. `limited_to` takes
constraints by the names that those tools have for them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from facelift.drawing.html import html_table, text_table
from facelift.errors import InvalidInput
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of

if TYPE_CHECKING:
    from facelift.terrain.terrain import Terrain

HEADER = ("column", "kind", "may rise", "may fall", "values")


def as_text(terrain: Terrain) -> str:
    """The table in plain text, the rules between columns below it."""
    return "\n".join([text_table(HEADER, map(_row, terrain.features)), *_between(terrain)])


def as_html(terrain: Terrain) -> str:
    """The table as a notebook shows it, the rules between columns in its caption."""
    caption = "; ".join(["Terrain", *_between(terrain)])
    return html_table(HEADER, map(_row, terrain.features), caption=caption)


def _row(feature: Feature) -> tuple[str, ...]:
    rise, fall = _price(feature.increase), _price(feature.decrease)
    values = kind_of(feature).values_text(feature)
    personal = "; personal" if feature.personal else ""
    return str(feature.name), feature.kind, rise, fall, values + _gaps(feature) + personal


def _between(terrain: Terrain) -> list[str]:
    """Rules between columns, in words."""
    links = [f"together: {', '.join(map(str, link))}" for link in terrain.links]
    return links + [f"required: {rule}" for rule in terrain.requirements]


def _price(price: float) -> str:
    return "never" if math.isinf(price) else f"at {price:g}"


def _gaps(feature: Feature) -> str:
    """What may become of missing values, where there are any."""
    if not feature.missing:
        return ""
    found = "never found" if math.isinf(feature.found) else f"found at {feature.found:g}"
    lost = "" if math.isinf(feature.lost) else f", lost at {feature.lost:g}"
    if lost and math.isinf(feature.losing):
        lost = ", never lost (it could be found at any value)"
    return f"; or missing, {found}{lost}"


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
    if not feature.has_levels:
        if len(permitted) != 2:
            raise InvalidInput(f"permitted_range of {name!r} takes [low, high], got {permitted}.")
        return terrain.between(name, *permitted)
    allowed = {feature.level(each) for each in permitted}
    for end in feature.levels:
        for start in feature.levels:
            if end not in allowed and start != end:
                terrain = terrain.forbid(name, start, end)
    return terrain
