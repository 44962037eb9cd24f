"""A terrain as a table: a row for each column, and a line for each rule between columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facelift.drawing.html import html_table, text_table
from facelift.terrain.feature import Feature

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
    values = _range(feature) if feature.kind == "numeric" else _levels(feature)
    return str(feature.name), feature.kind, rise, fall, values + _gaps(feature)


def _between(terrain: Terrain) -> list[str]:
    """Rules between columns, in words."""
    links = [f"together: {', '.join(map(str, link))}" for link in terrain.links]
    return links + [f"required: {rule}" for rule in terrain.requirements]


def _price(price: float) -> str:
    return "never" if math.isinf(price) else f"at {price:g}"


def _range(feature: Feature) -> str:
    """The numbers seen, and the bounds they may not leave."""
    seen = f"{feature.low:g} to {feature.high:g}"
    if (feature.lower, feature.upper) == (-math.inf, math.inf):
        return seen
    return f"{seen}; between {feature.lower:g} and {feature.upper:g}"


def _levels(feature: Feature) -> str:
    """The levels, and what single changes between them cost."""
    separator = " < " if feature.kind == "ordinal" else ", "
    single = [
        f"never {start} → {end}" if math.isinf(price) else f"{start} → {end} at {price:g}"
        for start, end, price in feature.transitions
    ]
    return "; ".join([separator.join(map(str, feature.levels)), *single])


def _gaps(feature: Feature) -> str:
    """What may become of missing values, where there are any."""
    if not feature.missing:
        return ""
    found = "never found" if math.isinf(feature.found) else f"found at {feature.found:g}"
    lost = "" if math.isinf(feature.lost) else f", lost at {feature.lost:g}"
    return f"; or missing, {found}{lost}"
