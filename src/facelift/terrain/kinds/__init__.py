"""The kinds of columns: a new one is a file here and a line in `KINDS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelift.terrain.kinds.base import NOWHERE, Kind
from facelift.terrain.kinds.dates import Date
from facelift.terrain.kinds.levels import Categorical, Many, Ordinal, Truth
from facelift.terrain.kinds.numeric import Coded, Numeric
from facelift.terrain.kinds.written import Duration, Money, Percent

if TYPE_CHECKING:
    from facelift.terrain.feature import Feature

__all__ = ["KINDS", "NOWHERE", "Kind", "kind_of", "register"]

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Ordinal(),
        Numeric(),
        Coded(),
        Date(),
        Duration(),
        Money(),
        Percent(),
        Truth(),
        Many(),
        Categorical(),
    )
}
"""The kinds by name; a column is of the first that takes it."""


def register(kind: Kind) -> None:
    """Make a kind of one's own known: columns are tried for it before all others."""
    others = dict(KINDS)
    KINDS.clear()
    KINDS.update({kind.name: kind} | others)


def kind_of(feature: Feature) -> Kind:
    """What the kind of a feature can do."""
    return KINDS[feature.kind]
