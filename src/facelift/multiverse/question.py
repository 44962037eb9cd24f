"""What a multiverse answers: the case, and whoever can be asked about it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facelift._arrays import Floats, frozen


@dataclass(frozen=True, eq=False)
class Question:
    """The explainer that was asked, and the point of the case; so that one can replan."""

    explainer: Any
    point: Floats

    def __post_init__(self) -> None:
        frozen(self.point)
